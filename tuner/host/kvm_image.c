/* SPDX-License-Identifier: MIT */
/* Reads a boot program from its ELF file into the memory of a virtual machine. */
#include "kvm_parts.h"

#include "diag.h"

#include <elf.h>
#include <string.h>

#define ENTRY "boot_entry64"

/* A file in memory.  Everything in it is copied out: nothing promises alignment. */
struct file {
    const uint8_t *data;
    size_t bytes;
};

static bool inside(const struct file *file, uint64_t offset, uint64_t bytes)
{
    return offset <= file->bytes && bytes <= file->bytes - offset;
}

static bool get(const struct file *file, uint64_t offset, size_t bytes, void *ret)
{
    if (!inside(file, offset, bytes))
        return false;
    memcpy(ret, file->data + offset, bytes);
    return true;
}

static Elf64_Phdr segment(const struct file *file, const Elf64_Ehdr *header, unsigned i)
{
    Elf64_Phdr segment = {0};

    get(file, header->e_phoff + i * sizeof segment, sizeof segment, &segment);
    return segment;
}

static int check_header(const struct file *file, Elf64_Ehdr *ret_header, struct altpick_diag *diag)
{
    Elf64_Ehdr header;

    if (!get(file, 0, sizeof header, &header) || memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 ||
        header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_ident[EI_DATA] != ELFDATA2LSB ||
        header.e_machine != EM_X86_64 || header.e_type != ET_EXEC)
        return altpick_fail(diag, ALTPICK_EFORMAT,
                            "the boot program is no executable for x86-64 with fixed addresses");
    if (header.e_phentsize != sizeof(Elf64_Phdr) || header.e_phnum == 0 ||
        !inside(file, header.e_phoff, (uint64_t) header.e_phnum * sizeof(Elf64_Phdr)))
        return altpick_fail(diag, ALTPICK_EFORMAT, "the boot program has no program headers");
    *ret_header = header;
    return ALTPICK_OK;
}

/* Segments lie above our tables and below 4 GiB, and what they hold is in the file. */
static int check_segments(const struct file *file, const Elf64_Ehdr *header, uint64_t *ret_end,
                          struct altpick_diag *diag)
{
    uint64_t end = 0;

    for (unsigned i = 0; i < header->e_phnum; i++) {
        Elf64_Phdr s = segment(file, header, i);

        if (s.p_type != PT_LOAD)
            continue;
        if (s.p_filesz > s.p_memsz || !inside(file, s.p_offset, s.p_filesz))
            return altpick_fail(diag, ALTPICK_EFORMAT,
                                "segment %u of the boot program is not in its file", i);
        if (s.p_paddr < ALTPICK_KVM_LOW_BYTES || s.p_paddr > UINT32_MAX ||
            s.p_memsz > UINT32_MAX - s.p_paddr)
            return altpick_fail(diag, ALTPICK_EFORMAT,
                                "segment %u of the boot program lies at 0x%llx, not between 1 MiB "
                                "and 4 GiB",
                                i, (unsigned long long) s.p_paddr);
        end = s.p_paddr + s.p_memsz > end ? s.p_paddr + s.p_memsz : end;
    }
    if (end == 0)
        return altpick_fail(diag, ALTPICK_EFORMAT, "the boot program has nothing to load");
    *ret_end = end;
    return ALTPICK_OK;
}

static bool is_entry(const struct file *file, const Elf64_Shdr *names, const Elf64_Sym *symbol)
{
    char name[sizeof ENTRY];

    return symbol->st_shndx != SHN_UNDEF && symbol->st_name < names->sh_size &&
           names->sh_size - symbol->st_name >= sizeof name &&
           names->sh_offset <= UINT64_MAX - symbol->st_name &&
           get(file, names->sh_offset + symbol->st_name, sizeof name, name) &&
           memcmp(name, ENTRY, sizeof name) == 0;
}

/* The value of the symbol ENTRY in @table, a table of symbols; 0: it is not there. */
static uint64_t find_in(const struct file *file, const Elf64_Ehdr *header, const Elf64_Shdr *table)
{
    Elf64_Shdr names;
    Elf64_Sym symbol;

    if (table->sh_link >= header->e_shnum || !inside(file, table->sh_offset, table->sh_size) ||
        !get(file, header->e_shoff + table->sh_link * sizeof names, sizeof names, &names))
        return 0;
    for (uint64_t at = 0; table->sh_size - at >= sizeof symbol; at += sizeof symbol) {
        get(file, table->sh_offset + at, sizeof symbol, &symbol);
        if (is_entry(file, &names, &symbol))
            return symbol.st_value;
    }
    return 0;
}

static uint64_t find_entry(const struct file *file, const Elf64_Ehdr *header)
{
    uint64_t entry = 0;

    if (header->e_shentsize != sizeof(Elf64_Shdr) ||
        !inside(file, header->e_shoff, (uint64_t) header->e_shnum * sizeof(Elf64_Shdr)))
        return 0;
    for (unsigned i = 0; i < header->e_shnum && !entry; i++) {
        Elf64_Shdr section;

        get(file, header->e_shoff + i * sizeof section, sizeof section, &section);
        if (section.sh_type == SHT_SYMTAB)
            entry = find_in(file, header, &section);
    }
    return entry;
}

static bool is_loaded(const struct file *file, const Elf64_Ehdr *header, uint64_t address)
{
    for (unsigned i = 0; i < header->e_phnum; i++) {
        Elf64_Phdr s = segment(file, header, i);

        if (s.p_type == PT_LOAD && address >= s.p_paddr && address - s.p_paddr < s.p_filesz)
            return true;
    }
    return false;
}

int altpick_kvm_image_check(const uint8_t *image, size_t bytes,
                            struct altpick_kvm_program *ret_program, struct altpick_diag *diag)
{
    const struct file file = {image, bytes};
    struct altpick_kvm_program program = {0};
    Elf64_Ehdr header = {0};
    int r;

    r = check_header(&file, &header, diag);
    if (r == 0)
        r = check_segments(&file, &header, &program.end, diag);
    if (r < 0)
        return r;
    program.entry = find_entry(&file, &header);
    if (!is_loaded(&file, &header, program.entry))
        return altpick_fail(diag, ALTPICK_EFORMAT,
                            "the boot program has no symbol " ENTRY " in what is loaded");
    *ret_program = program;
    return ALTPICK_OK;
}

void altpick_kvm_image_load(const uint8_t *image, const struct altpick_kvm_memory *memory)
{
    const struct file file = {image, SIZE_MAX};
    Elf64_Ehdr header;

    memcpy(&header, image, sizeof header);
    for (unsigned i = 0; i < header.e_phnum; i++) {
        Elf64_Phdr s = segment(&file, &header, i);

        if (s.p_type == PT_LOAD)
            memcpy(memory->base + s.p_paddr, image + s.p_offset, s.p_filesz);
    }
}
