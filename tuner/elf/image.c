/* SPDX-License-Identifier: MIT */
/* Turns a file into a validated ELF image: a map and its sections, which nothing copies. */
#include "elf/image.h"

#include "diag.h"
#include "elf/inflate.h"

#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <libelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* Xen's sections are a few MB: kernels, whose are larger, need not be searched. */
enum { XEN_SECTION_MAX = 16 << 20 };

/* --- headers ------------------------------------------------------------------------------------
 */

/* Whether [@offset, @offset + @bytes) lies in the file. */
static bool in_file(const struct altpick_image *image, uint64_t offset, uint64_t bytes)
{
    return offset <= image->map_bytes && bytes <= image->map_bytes - offset;
}

static int check_header(struct altpick_image *image, GElf_Ehdr *ret_header,
                        struct altpick_diag *diag)
{
    Elf *elf = image->elf;
    GElf_Ehdr header;

    if (elf_kind(elf) != ELF_K_ELF || !gelf_getehdr(elf, &header))
        return altpick_fail(diag, ALTPICK_EFORMAT, "%s: not an ELF file", image->path);
    if (header.e_ident[EI_DATA] != ELFDATA2LSB || header.e_ident[EI_VERSION] != EV_CURRENT)
        return altpick_fail(diag, ALTPICK_EFORMAT, "%s: not little-endian ELF version 1",
                            image->path);
    if (header.e_machine != EM_X86_64 && header.e_machine != EM_386)
        return altpick_fail(diag, ALTPICK_EUNSUPPORTED,
                            "%s: for machine number %u; only x86-64 (62) and i386 (3) are read",
                            image->path, header.e_machine);
    if (header.e_type != ET_REL && header.e_type != ET_EXEC && header.e_type != ET_DYN)
        return altpick_fail(diag, ALTPICK_EUNSUPPORTED,
                            "%s: ELF type %u is neither relocatable, executable nor shared",
                            image->path, header.e_type);
    image->is_64 = gelf_getclass(elf) == ELFCLASS64;
    if ((header.e_shoff && header.e_shentsize != gelf_fsize(elf, ELF_T_SHDR, 1, EV_CURRENT)) ||
        (header.e_phoff && header.e_phentsize != gelf_fsize(elf, ELF_T_PHDR, 1, EV_CURRENT)))
        return altpick_fail(diag, ALTPICK_EFORMAT,
                            "%s: section or program headers of an unknown size", image->path);
    image->machine = header.e_machine;
    image->code_is_64 = header.e_machine == EM_X86_64;
    image->type = header.e_type;
    image->is_relocatable = header.e_type == ET_REL;
    *ret_header = header;
    return ALTPICK_OK;
}

/* --- sections -----------------------------------------------------------------------------------
 */

/* The NUL-terminated name at @offset of the section @strings, or NULL. */
static const char *name_at(const struct altpick_section *strings, uint64_t offset)
{
    const char *text = (const char *) strings->data;

    if (!text || offset >= strings->bytes ||
        !memchr(text + offset, '\0', (size_t) (strings->bytes - offset)))
        return NULL;
    return text + offset;
}

/* Everything of header @index but its name. */
static int read_section(struct altpick_image *image, size_t index, GElf_Word *ret_name,
                        struct altpick_diag *diag)
{
    struct altpick_section *section = &image->sections[index];
    Elf_Scn *scn = elf_getscn(image->elf, index);
    GElf_Shdr header;

    if (!scn || !gelf_getshdr(scn, &header))
        return altpick_fail(diag, ALTPICK_EFORMAT, "%s: section header %zu cannot be read",
                            image->path, index);
    *section = (struct altpick_section){
        .name = "",
        .type = header.sh_type,
        .flags = header.sh_flags,
        .address = header.sh_addr,
        .offset = header.sh_offset,
        .bytes = header.sh_size,
        .link = header.sh_link,
        .info = header.sh_info,
        .entry_bytes = header.sh_entsize,
    };
    *ret_name = header.sh_name;
    if (index == 0 || header.sh_type == SHT_NULL) {
        section->bytes = 0; /* [0] may hold the true number of sections there */
        return ALTPICK_OK;
    }
    if (header.sh_addr + header.sh_size < header.sh_addr)
        return altpick_fail(diag, ALTPICK_EFORMAT, "%s: section %zu wraps around the address space",
                            image->path, index);
    if (header.sh_type == SHT_NOBITS)
        return ALTPICK_OK;
    if (!in_file(image, header.sh_offset, header.sh_size))
        return altpick_fail(diag, ALTPICK_EFORMAT,
                            "%s: section %zu: %#llx bytes at offset %#llx are not in the file of "
                            "%#zx bytes",
                            image->path, index, (unsigned long long) header.sh_size,
                            (unsigned long long) header.sh_offset, image->map_bytes);
    section->data = image->map + header.sh_offset;
    return ALTPICK_OK;
}

static int name_sections(struct altpick_image *image, const GElf_Word *names, size_t strings,
                         struct altpick_diag *diag)
{
    if (strings == SHN_UNDEF)
        return ALTPICK_OK;
    if (strings >= image->n_sections || image->sections[strings].type != SHT_STRTAB)
        return altpick_fail(diag, ALTPICK_EFORMAT, "%s: section %zu does not hold section names",
                            image->path, strings);
    for (size_t i = 1; i < image->n_sections; i++) {
        image->sections[i].name = name_at(&image->sections[strings], names[i]);
        if (!image->sections[i].name)
            return altpick_fail(diag, ALTPICK_EFORMAT,
                                "%s: section %zu: its name, at %#x, is not in section %zu",
                                image->path, i, names[i], strings);
    }
    return ALTPICK_OK;
}

static int read_sections(struct altpick_image *image, const GElf_Ehdr *header,
                         struct altpick_diag *diag)
{
    GElf_Word *names = NULL;
    size_t n, strings;
    int r = ALTPICK_OK;

    if (elf_getshdrnum(image->elf, &n) < 0 || elf_getshdrstrndx(image->elf, &strings) < 0)
        return altpick_fail(diag, ALTPICK_EFORMAT, "%s: section headers: %s", image->path,
                            elf_errmsg(-1));
    /* libelf says 0 where the headers are not in the file. */
    if (n == 0 && header->e_shoff == 0)
        return ALTPICK_OK;
    if (n == 0 || (header->e_shnum && n != header->e_shnum) ||
        !in_file(image, header->e_shoff, (uint64_t) n * header->e_shentsize))
        return altpick_fail(diag, ALTPICK_EFORMAT,
                            "%s: %u section headers at offset %#llx are not in the file",
                            image->path, header->e_shnum, (unsigned long long) header->e_shoff);
    if (n >= SHN_LORESERVE) /* symbols then have the numbers of their sections elsewhere */
        return altpick_fail(diag, ALTPICK_EUNSUPPORTED, "%s: %zu sections; at most %u are read",
                            image->path, n, SHN_LORESERVE - 1);
    image->sections = calloc(n, sizeof *image->sections);
    names = calloc(n, sizeof *names);
    if (!image->sections || !names)
        r = altpick_fail(diag, ALTPICK_ENOMEM, "%s: out of memory", image->path);
    for (size_t i = 0; r == ALTPICK_OK && i < n; i++)
        r = read_section(image, i, &names[i], diag);
    if (r == ALTPICK_OK) {
        image->n_sections = n;
        image->has_section_headers = true;
        image->section_headers_end = header->e_shoff + (uint64_t) n * header->e_shentsize;
        r = name_sections(image, names, strings, diag);
    }
    free(names);
    return r;
}

/* --- segments -----------------------------------------------------------------------------------
 */

/* Where there are no section headers, a section made of each PT_LOAD stands for them. */
static int add_segment(struct altpick_image *image, size_t index, const GElf_Phdr *segment,
                       struct altpick_diag *diag)
{
    struct altpick_section *section = &image->sections[image->n_sections];

    if (!in_file(image, segment->p_offset, segment->p_filesz) ||
        segment->p_vaddr + segment->p_memsz < segment->p_vaddr)
        return altpick_fail(diag, ALTPICK_EFORMAT, "%s: program header %zu is not in the file",
                            image->path, index);
    *section = (struct altpick_section){
        .name = "segment",
        .type = SHT_PROGBITS,
        .flags = SHF_ALLOC | (segment->p_flags & PF_X ? SHF_EXECINSTR : 0) |
                 (segment->p_flags & PF_W ? SHF_WRITE : 0),
        .address = segment->p_vaddr,
        .offset = segment->p_offset,
        .bytes = segment->p_filesz,
        .data = image->map + segment->p_offset,
    };
    image->n_sections++;
    return ALTPICK_OK;
}

static int read_segments(struct altpick_image *image, const GElf_Ehdr *header,
                         struct altpick_diag *diag)
{
    bool make_sections = image->n_sections == 0;
    size_t n;

    if (elf_getphdrnum(image->elf, &n) < 0 ||
        !in_file(image, header->e_phoff, (uint64_t) n * header->e_phentsize) ||
        (header->e_phnum && n != header->e_phnum && header->e_phnum != PN_XNUM))
        return altpick_fail(diag, ALTPICK_EFORMAT,
                            "%s: %u program headers at offset %#llx are not in the file",
                            image->path, header->e_phnum, (unsigned long long) header->e_phoff);
    if (make_sections) {
        image->sections = calloc(n + 1, sizeof *image->sections);
        if (!image->sections)
            return altpick_fail(diag, ALTPICK_ENOMEM, "%s: out of memory", image->path);
        image->sections[0].name = "";
        image->n_sections = 1;
    }
    image->load_base = UINT64_MAX;
    for (size_t i = 0; i < n; i++) {
        GElf_Phdr segment;
        int r = ALTPICK_OK;

        if (!gelf_getphdr(image->elf, (int) i, &segment))
            return altpick_fail(diag, ALTPICK_EFORMAT, "%s: program header %zu cannot be read",
                                image->path, i);
        if (segment.p_type != PT_LOAD)
            continue;
        if (segment.p_vaddr < image->load_base)
            image->load_base = segment.p_vaddr;
        if (make_sections)
            r = add_segment(image, i, &segment, diag);
        if (r < 0)
            return r;
    }
    if (image->load_base == UINT64_MAX)
        image->load_base = 0;
    return ALTPICK_OK;
}

/* --- open and close -----------------------------------------------------------------------------
 */

/* Xen's build wraps the 64-bit hypervisor into a 32-bit ELF file, which is what boot loaders want.
 */
static void find_xen(struct altpick_image *image)
{
    static const char banner[] = "Xen version %d.%d";

    if (image->type != ET_EXEC || altpick_image_section(image, ".altinstructions"))
        return;
    for (size_t i = 1; i < image->n_sections && !image->is_xen; i++) {
        const struct altpick_section *section = &image->sections[i];

        image->is_xen = section->data && section->flags & SHF_ALLOC && section->flags & SHF_WRITE &&
                        section->bytes < XEN_SECTION_MAX &&
                        memmem(section->data, section->bytes, banner, sizeof banner - 1);
    }
    image->code_is_64 |= image->is_xen;
}

/* All of @image but its map. */
static int read_image(struct altpick_image *image, struct altpick_diag *diag)
{
    GElf_Ehdr header = {.e_type = ET_NONE};
    int r;

    if (elf_version(EV_CURRENT) == EV_NONE)
        return altpick_fail(diag, ALTPICK_EUNSUPPORTED, "libelf is too old");
    if (image->map_bytes < EI_NIDENT || memcmp(image->map, ELFMAG, SELFMAG) != 0)
        return altpick_fail(diag, ALTPICK_EFORMAT, "%s: not an ELF file", image->path);
    /* libelf writes into memory that it was asked to write into only, which this is not. */
    image->elf = elf_memory((char *) (uintptr_t) image->map, image->map_bytes);
    if (!image->elf)
        return altpick_fail(diag, ALTPICK_EFORMAT, "%s: %s", image->path, elf_errmsg(-1));
    r = check_header(image, &header, diag);
    if (r == ALTPICK_OK)
        r = read_sections(image, &header, diag);
    if (r == ALTPICK_OK)
        r = read_segments(image, &header, diag);
    if (r == ALTPICK_OK)
        r = altpick_image_order_sections(image, diag);
    if (r == ALTPICK_OK)
        r = altpick_image_read_symbols(image, diag);
    if (r == ALTPICK_OK)
        find_xen(image);
    return r;
}

static int map_bytes(struct altpick_image *image, int fd, size_t bytes, struct altpick_diag *diag)
{
    void *map = mmap(NULL, bytes, PROT_READ, MAP_PRIVATE, fd, 0);

    if (map == MAP_FAILED)
        return altpick_fail(diag, ALTPICK_EIO, "%s: %s", image->path, strerror(errno));
    image->map = map;
    image->map_bytes = bytes;
    image->is_mapped = true;
    return ALTPICK_OK;
}

static int map_file(struct altpick_image *image, int fd, struct altpick_diag *diag)
{
    struct stat status;

    if (fstat(fd, &status) < 0)
        return altpick_fail(diag, ALTPICK_EIO, "%s: %s", image->path, strerror(errno));
    if (!S_ISREG(status.st_mode))
        return altpick_fail(diag, ALTPICK_EIO, "%s: not a regular file", image->path);
    if (status.st_size == 0)
        return altpick_fail(diag, ALTPICK_EFORMAT, "%s: empty", image->path);
    return map_bytes(image, fd, (size_t) status.st_size, diag);
}

/* Where the file is packed, map what is in it instead. */
static int map_unpacked(struct altpick_image *image, struct altpick_diag *diag)
{
    struct altpick_inflated inflated = {.fd = -1};
    int r = altpick_inflate(image->path, image->map, image->map_bytes, &inflated, diag);

    if (r < 0 || !inflated.packing)
        return r;
    munmap((void *) (uintptr_t) image->map, image->map_bytes);
    image->is_mapped = false;
    image->packing = inflated.packing;
    r = map_bytes(image, inflated.fd, inflated.bytes, diag);
    close(inflated.fd);
    return r;
}

int altpick_image_open(const char *path, struct altpick_image *ret_image, struct altpick_diag *diag)
{
    struct altpick_image image = {.path = path};
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* a pipe would wait for a writer */
    int r;

    if (fd < 0)
        return altpick_fail(diag, ALTPICK_EIO, "%s: %s", path, strerror(errno));
    r = map_file(&image, fd, diag);
    close(fd);
    if (r == ALTPICK_OK)
        r = map_unpacked(&image, diag);
    if (r == ALTPICK_OK)
        r = read_image(&image, diag);
    if (r < 0)
        altpick_image_close(&image);
    else
        *ret_image = image;
    return r;
}

int altpick_image_view(const char *name, const uint8_t *bytes, size_t n,
                       struct altpick_image *ret_image, struct altpick_diag *diag)
{
    struct altpick_image image = {.path = name, .map = bytes, .map_bytes = n};
    int r = read_image(&image, diag);

    if (r < 0)
        altpick_image_close(&image);
    else
        *ret_image = image;
    return r;
}

void altpick_image_close(struct altpick_image *image)
{
    elf_end(image->elf);
    free(image->sections);
    free(image->in_memory);
    if (image->is_mapped)
        munmap((void *) (uintptr_t) image->map, image->map_bytes);
    *image = (struct altpick_image){.path = NULL};
}
