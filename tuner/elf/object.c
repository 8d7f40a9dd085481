/* SPDX-License-Identifier: MIT */
/* Turns sections, names and references into a relocatable ELF object, through a file in memory. */
#include "elf/object.h"

#include "elf/bytes.h"

#include "altpick/err.h"

#include <gelf.h>
#include <libelf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#ifndef SHF_GNU_RETAIN
#define SHF_GNU_RETAIN (1 << 21)
#endif

/* Each section with its relocations, .note.GNU-stack, .symtab, .strtab and .shstrtab. */
enum { PARTS_MAX = 2 * ALTPICK_ELF_SECTIONS_MAX + 4, NAMES_BYTES_MAX = 512 };

/* One section of the file. */
struct part {
    GElf_Shdr header;
    Elf_Type type;
    void *data; /* freed by fini() where it is not the caller's */
    size_t bytes;
    bool owned;
};

struct draft {
    Elf *elf;
    const struct altpick_elf_object *object;
    struct part parts[PARTS_MAX + 1];           /* by section number: 0 is not used */
    size_t n_parts;                             /* the highest number */
    size_t number[ALTPICK_ELF_SECTIONS_MAX];    /* of the caller's sections */
    size_t relocated[ALTPICK_ELF_SECTIONS_MAX]; /* numbers of their relocations, 0: none */
    size_t symtab;                              /* its number; .strtab follows it */
    size_t n_locals; /* symbols before the global ones: the empty one, and of sections */
    char names[NAMES_BYTES_MAX];
    size_t name_bytes;
    bool failed; /* no room for a part, its name or its bytes */
};

/* The next part; its name is @prefix@name. */
static struct part *add_part(struct draft *draft, const char *prefix, const char *name)
{
    size_t bytes = strlen(prefix) + strlen(name) + 1;
    struct part *part = &draft->parts[0];

    if (draft->n_parts == PARTS_MAX || bytes > sizeof draft->names - draft->name_bytes) {
        draft->failed = true;
        return part;
    }
    part = &draft->parts[++draft->n_parts];
    part->header.sh_name = (GElf_Word) draft->name_bytes;
    strcpy(draft->names + draft->name_bytes, prefix);
    strcat(draft->names + draft->name_bytes, name);
    draft->name_bytes += bytes;
    return part;
}

/* Memory of @part's own, zeroed. */
static void *own(struct draft *draft, struct part *part, size_t bytes)
{
    part->data = calloc(bytes ? bytes : 1, 1);
    part->bytes = bytes;
    part->owned = true;
    draft->failed = draft->failed || !part->data;
    return part->data;
}

/* REL has no field for an addend: it is what the linker finds in the 32 bits. */
static void put_addends(const struct altpick_elf_section *section, uint8_t *data)
{
    for (size_t i = 0; i < section->n_relocs; i++)
        altpick_put_number(data + section->relocs[i].offset, 4,
                           (uint64_t) section->relocs[i].addend);
}

static GElf_Xword section_flags(const struct altpick_elf_section *section)
{
    GElf_Xword flags = SHF_ALLOC;

    if (section->is_code)
        flags |= SHF_EXECINSTR;
    if (section->is_strings)
        flags |= SHF_MERGE | SHF_STRINGS;
    if (section->is_kept)
        flags |= SHF_GNU_RETAIN;
    return flags;
}

static void plan_section(struct draft *draft, size_t index)
{
    const struct altpick_elf_section *section = &draft->object->sections[index];
    bool is_32 = draft->object->is_32;
    struct part *part = add_part(draft, "", section->name);

    draft->number[index] = draft->n_parts;
    part->type = ELF_T_BYTE;
    part->header.sh_type = SHT_PROGBITS;
    part->header.sh_flags = section_flags(section);
    part->header.sh_entsize = section->is_strings;
    part->header.sh_addralign = section->align;
    part->data = (void *) (uintptr_t) section->data;
    part->bytes = section->bytes;
    if (section->n_relocs == 0)
        return;
    if (is_32 && own(draft, part, section->bytes)) {
        memcpy(part->data, section->data, section->bytes);
        put_addends(section, part->data);
    }
    part = add_part(draft, is_32 ? ".rel" : ".rela", section->name);
    draft->relocated[index] = draft->n_parts;
    part->type = is_32 ? ELF_T_REL : ELF_T_RELA;
    part->header.sh_type = is_32 ? SHT_REL : SHT_RELA;
    part->header.sh_flags = SHF_INFO_LINK;
    part->header.sh_info = (GElf_Word) draft->number[index];
    part->header.sh_addralign = is_32 ? 4 : 8;
    part->header.sh_entsize = gelf_fsize(draft->elf, part->type, 1, EV_CURRENT);
    own(draft, part, section->n_relocs * part->header.sh_entsize);
    draft->n_locals = 1 + draft->object->n_sections;
}

static void plan_symbols(struct draft *draft)
{
    bool is_32 = draft->object->is_32;
    struct part *part = add_part(draft, "", ".symtab");

    draft->symtab = draft->n_parts;
    part->type = ELF_T_SYM;
    part->header = (GElf_Shdr){.sh_name = part->header.sh_name,
                               .sh_type = SHT_SYMTAB,
                               .sh_link = (GElf_Word) draft->symtab + 1,
                               .sh_info = (GElf_Word) draft->n_locals,
                               .sh_addralign = is_32 ? 4 : 8,
                               .sh_entsize = gelf_fsize(draft->elf, ELF_T_SYM, 1, EV_CURRENT)};
    own(draft, part, (draft->n_locals + draft->object->n_symbols) * part->header.sh_entsize);
}

static struct part *plan_strings(struct draft *draft, const char *name)
{
    struct part *part = add_part(draft, "", name);

    part->type = ELF_T_BYTE;
    part->header.sh_type = SHT_STRTAB;
    part->header.sh_addralign = 1;
    return part;
}

/* The names of all symbols, each with its NUL, after the empty name. */
static void plan_symbol_names(struct draft *draft)
{
    const struct altpick_elf_object *object = draft->object;
    struct part *part = plan_strings(draft, ".strtab");
    size_t bytes = 1;
    char *text;

    for (size_t i = 0; i < object->n_symbols; i++)
        bytes += strlen(object->symbols[i].name) + 1;
    text = own(draft, part, bytes);
    if (!text)
        return;
    text++;
    for (size_t i = 0; i < object->n_symbols; i++) {
        size_t length = strlen(object->symbols[i].name) + 1;

        memcpy(text, object->symbols[i].name, length);
        text += length;
    }
}

static int plan(struct draft *draft)
{
    struct part *part;

    draft->name_bytes = 1;
    draft->n_locals = 1;
    if (draft->object->n_sections > ALTPICK_ELF_SECTIONS_MAX)
        return ALTPICK_ENOSPACE;
    for (size_t i = 0; i < draft->object->n_sections; i++)
        plan_section(draft, i);
    part = add_part(draft, "", ".note.GNU-stack");
    part->type = ELF_T_BYTE;
    part->header.sh_type = SHT_PROGBITS;
    part->header.sh_addralign = 1;
    plan_symbols(draft);
    plan_symbol_names(draft);
    part = plan_strings(draft, ".shstrtab");
    part->data = draft->names;
    part->bytes = draft->name_bytes;
    for (size_t i = 0; i < draft->object->n_sections; i++) {
        if (draft->relocated[i])
            draft->parts[draft->relocated[i]].header.sh_link = (GElf_Word) draft->symtab;
    }
    return draft->failed ? ALTPICK_ENOMEM : ALTPICK_OK;
}

static int add_header(struct draft *draft)
{
    bool is_32 = draft->object->is_32;
    GElf_Ehdr ehdr;

    if (!gelf_newehdr(draft->elf, is_32 ? ELFCLASS32 : ELFCLASS64) ||
        !gelf_getehdr(draft->elf, &ehdr))
        return ALTPICK_ENOMEM;
    ehdr.e_ident[EI_DATA] = ELFDATA2LSB;
    for (size_t i = 0; i < draft->object->n_sections; i++) {
        if (draft->object->sections[i].is_kept) /* what SHF_GNU_RETAIN is a flag of */
            ehdr.e_ident[EI_OSABI] = ELFOSABI_GNU;
    }
    ehdr.e_type = ET_REL;
    ehdr.e_machine = is_32 ? EM_386 : EM_X86_64;
    ehdr.e_version = EV_CURRENT;
    return gelf_update_ehdr(draft->elf, &ehdr) ? ALTPICK_OK : ALTPICK_EIO;
}

static int add_section(struct draft *draft, const struct part *part)
{
    Elf_Scn *section = elf_newscn(draft->elf);
    Elf_Data *content = section ? elf_newdata(section) : NULL;
    GElf_Shdr header = part->header;

    if (!content)
        return ALTPICK_ENOMEM;
    content->d_type = part->type;
    content->d_buf = part->data;
    content->d_size = part->bytes;
    content->d_align = part->header.sh_addralign;
    content->d_version = EV_CURRENT;
    return gelf_update_shdr(section, &header) ? ALTPICK_OK : ALTPICK_EIO;
}

/* The symbols, behind the empty one.  Their section exists, with room for them. */
static bool fill_symbols(struct draft *draft)
{
    const struct altpick_elf_object *object = draft->object;
    Elf_Data *data = elf_getdata(elf_getscn(draft->elf, draft->symtab), NULL);
    bool good = data != NULL;
    size_t name = 1;

    for (size_t i = 0; good && i + 1 < draft->n_locals; i++) {
        GElf_Sym sym = {.st_info = GELF_ST_INFO(STB_LOCAL, STT_SECTION),
                        .st_shndx = (GElf_Section) draft->number[i]};

        good = gelf_update_sym(data, (int) i + 1, &sym);
    }
    for (size_t i = 0; good && i < object->n_symbols; i++) {
        const struct altpick_elf_symbol *symbol = &object->symbols[i];
        GElf_Sym sym = {.st_name = (GElf_Word) name,
                        .st_info = GELF_ST_INFO(STB_GLOBAL, STT_NOTYPE)};

        if (symbol->section != ALTPICK_ELF_UNDEFINED) {
            bool is_code = object->sections[symbol->section].is_code;

            sym.st_info = GELF_ST_INFO(STB_GLOBAL, is_code ? STT_FUNC : STT_OBJECT);
            sym.st_other = STV_HIDDEN;
            sym.st_shndx = (GElf_Section) draft->number[symbol->section];
            sym.st_value = symbol->offset;
            sym.st_size = symbol->bytes;
        }
        good = gelf_update_sym(data, (int) (draft->n_locals + i), &sym);
        name += strlen(symbol->name) + 1;
    }
    return good;
}

static bool fill_relocs(struct draft *draft, size_t index)
{
    const struct altpick_elf_section *section = &draft->object->sections[index];
    Elf_Data *data = elf_getdata(elf_getscn(draft->elf, draft->relocated[index]), NULL);
    bool good = data != NULL;

    for (size_t i = 0; good && i < section->n_relocs; i++) {
        const struct altpick_elf_reloc *reloc = &section->relocs[i];
        size_t symbol = reloc->target + (reloc->to_section ? 1 : draft->n_locals);

        if (draft->object->is_32) {
            GElf_Rel rel = {.r_offset = reloc->offset, .r_info = GELF_R_INFO(symbol, R_386_PC32)};

            good = gelf_update_rel(data, (int) i, &rel);
        } else {
            GElf_Rela rela = {.r_offset = reloc->offset,
                              .r_info = GELF_R_INFO(symbol, R_X86_64_PC32),
                              .r_addend = reloc->addend};

            good = gelf_update_rela(data, (int) i, &rela);
        }
    }
    return good;
}

/* The section of section names is the last. */
static bool finish(struct draft *draft)
{
    GElf_Ehdr ehdr;

    if (!gelf_getehdr(draft->elf, &ehdr))
        return false;
    ehdr.e_shstrndx = (GElf_Half) draft->n_parts;
    return gelf_update_ehdr(draft->elf, &ehdr) && elf_update(draft->elf, ELF_C_WRITE) >= 0;
}

static int write_file(struct draft *draft, int fd)
{
    int r;

    draft->elf = elf_begin(fd, ELF_C_WRITE, NULL);
    if (!draft->elf)
        return ALTPICK_ENOMEM;
    r = add_header(draft);
    if (r == ALTPICK_OK)
        r = plan(draft);
    for (size_t i = 1; r == ALTPICK_OK && i <= draft->n_parts; i++)
        r = add_section(draft, &draft->parts[i]);
    if (r == ALTPICK_OK && !fill_symbols(draft))
        r = ALTPICK_EIO;
    for (size_t i = 0; r == ALTPICK_OK && i < draft->object->n_sections; i++) {
        if (draft->relocated[i] && !fill_relocs(draft, i))
            r = ALTPICK_EIO;
    }
    if (r == ALTPICK_OK && !finish(draft))
        r = ALTPICK_EIO;
    elf_end(draft->elf);
    return r;
}

static int copy_out(int fd, struct altpick_out *out)
{
    char buffer[4096];
    off_t at = 0;
    ssize_t n;

    while ((n = pread(fd, buffer, sizeof buffer, at)) > 0) {
        altpick_out_bytes(out, buffer, (size_t) n);
        at += n;
    }
    return n < 0 ? ALTPICK_EIO : out->err;
}

int altpick_elf_object_write(const struct altpick_elf_object *object, struct altpick_out *out)
{
    struct draft draft = {.object = object};
    int fd, r;

    if (elf_version(EV_CURRENT) == EV_NONE)
        return ALTPICK_EUNSUPPORTED;
    fd = memfd_create("altpick-object", MFD_CLOEXEC);
    if (fd < 0)
        return ALTPICK_EIO;
    r = write_file(&draft, fd);
    if (r == ALTPICK_OK)
        r = copy_out(fd, out);
    for (size_t i = 1; i <= draft.n_parts; i++) {
        if (draft.parts[i].owned)
            free(draft.parts[i].data);
    }
    close(fd);
    return r;
}
