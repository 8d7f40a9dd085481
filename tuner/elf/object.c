/* SPDX-License-Identifier: MIT */
/* Turns constants and code with names into a relocatable ELF object, by way of a file in memory. */
#include "elf/object.h"

#include "altpick/err.h"

#include <gelf.h>
#include <libelf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Section numbers: the order in which sections are made. */
enum { TEXT = 1, RODATA, GNU_STACK, SYMTAB, STRTAB, SHSTRTAB, N_SECTIONS };

static const char section_names[] =
    "\0.text\0.rodata\0.note.GNU-stack\0.symtab\0.strtab\0.shstrtab";

/* What the object is made of besides the caller's bytes. */
struct draft {
    Elf *elf;
    const struct altpick_elf_object *object;
    char *strings; /* names of symbols */
    size_t string_bytes;
};

/* Offset in section_names of section @number. */
static size_t section_name(unsigned number)
{
    size_t at = 1;

    while (--number > 0)
        at += strlen(section_names + at) + 1;
    return at;
}

/* The next section, with @data (NULL: empty) as its content. */
static int add_section(struct draft *draft, const GElf_Shdr *header, Elf_Type type, void *data,
                       size_t bytes)
{
    Elf_Scn *section = elf_newscn(draft->elf);
    Elf_Data *content = section ? elf_newdata(section) : NULL;
    GElf_Shdr shdr;

    if (!content || !gelf_getshdr(section, &shdr))
        return ALTPICK_ENOMEM;
    content->d_type = type;
    content->d_buf = data;
    content->d_size = bytes;
    content->d_align = header->sh_addralign;
    content->d_version = EV_CURRENT;
    shdr = *header;
    shdr.sh_name = (GElf_Word) section_name((unsigned) elf_ndxscn(section));
    return gelf_update_shdr(section, &shdr) ? ALTPICK_OK : ALTPICK_EIO;
}

/* The names of all symbols, each with its NUL, after the empty name. */
static int make_strings(struct draft *draft)
{
    const struct altpick_elf_object *object = draft->object;
    size_t bytes = 1;

    for (size_t i = 0; i < object->n_symbols; i++)
        bytes += strlen(object->symbols[i].name) + 1;
    draft->strings = calloc(bytes, 1);
    if (!draft->strings)
        return ALTPICK_ENOMEM;
    draft->string_bytes = 1;
    for (size_t i = 0; i < object->n_symbols; i++) {
        size_t length = strlen(object->symbols[i].name) + 1;

        memcpy(draft->strings + draft->string_bytes, object->symbols[i].name, length);
        draft->string_bytes += length;
    }
    return ALTPICK_OK;
}

/* The symbols, behind the empty one.  Their section exists, with room for them. */
static int fill_symbols(struct draft *draft)
{
    Elf_Data *data = elf_getdata(elf_getscn(draft->elf, SYMTAB), NULL);
    size_t name = 1;

    for (size_t i = 0; data && i < draft->object->n_symbols; i++) {
        const struct altpick_elf_symbol *symbol = &draft->object->symbols[i];
        GElf_Sym sym = {
            .st_name = (GElf_Word) name,
            .st_info = GELF_ST_INFO(STB_GLOBAL, symbol->is_code ? STT_FUNC : STT_OBJECT),
            .st_other = STV_HIDDEN,
            .st_shndx = symbol->is_code ? TEXT : RODATA,
            .st_value = symbol->offset,
            .st_size = symbol->bytes,
        };

        if (!gelf_update_sym(data, (int) i + 1, &sym))
            return ALTPICK_EIO;
        name += strlen(symbol->name) + 1;
    }
    return data ? ALTPICK_OK : ALTPICK_EIO;
}

static int add_header(struct draft *draft)
{
    bool is_32 = draft->object->is_32;
    GElf_Ehdr ehdr;

    if (!gelf_newehdr(draft->elf, is_32 ? ELFCLASS32 : ELFCLASS64) ||
        !gelf_getehdr(draft->elf, &ehdr))
        return ALTPICK_ENOMEM;
    ehdr.e_ident[EI_DATA] = ELFDATA2LSB;
    ehdr.e_type = ET_REL;
    ehdr.e_machine = is_32 ? EM_386 : EM_X86_64;
    ehdr.e_version = EV_CURRENT;
    ehdr.e_shstrndx = SHSTRTAB;
    return gelf_update_ehdr(draft->elf, &ehdr) ? ALTPICK_OK : ALTPICK_EIO;
}

/* @symbols is room for all of them, owned by the caller until the file is written. */
static int add_sections(struct draft *draft, void *symbols, size_t symbol_bytes)
{
    const struct altpick_elf_object *object = draft->object;
    const GElf_Shdr text = {.sh_type = SHT_PROGBITS,
                            .sh_flags = SHF_ALLOC | SHF_EXECINSTR,
                            .sh_addralign = ALTPICK_ELF_TEXT_ALIGN};
    const GElf_Shdr rodata = {
        .sh_type = SHT_PROGBITS, .sh_flags = SHF_ALLOC, .sh_addralign = ALTPICK_ELF_RODATA_ALIGN};
    const GElf_Shdr stack = {.sh_type = SHT_PROGBITS, .sh_addralign = 1};
    const GElf_Shdr symtab = {.sh_type = SHT_SYMTAB,
                              .sh_link = STRTAB,
                              .sh_info = 1, /* the first that is global */
                              .sh_addralign = object->is_32 ? 4 : 8,
                              .sh_entsize = gelf_fsize(draft->elf, ELF_T_SYM, 1, EV_CURRENT)};
    const GElf_Shdr strings = {.sh_type = SHT_STRTAB, .sh_addralign = 1};
    const struct {
        const GElf_Shdr *header;
        Elf_Type type;
        void *data;
        size_t bytes;
    } sections[N_SECTIONS] = {
        [TEXT] = {&text,    ELF_T_BYTE, (void *) (uintptr_t) object->text,   object->text_bytes  },
        [RODATA] = {&rodata,  ELF_T_BYTE, (void *) (uintptr_t) object->rodata, object->rodata_bytes},
        [GNU_STACK] = {&stack,   ELF_T_BYTE, NULL,                                0                   },
        [SYMTAB] = {&symtab,  ELF_T_SYM,  symbols,                             symbol_bytes        },
        [STRTAB] = {&strings, ELF_T_BYTE, draft->strings,                      draft->string_bytes },
        [SHSTRTAB] = {&strings, ELF_T_BYTE, (void *) (uintptr_t) section_names,
                  sizeof section_names                                                           },
    };

    for (unsigned i = TEXT; i < N_SECTIONS; i++) {
        int r = add_section(draft, sections[i].header, sections[i].type, sections[i].data,
                            sections[i].bytes);
        if (r < 0)
            return r;
    }
    return fill_symbols(draft);
}

static int write_file(struct draft *draft, int fd)
{
    size_t count = draft->object->n_symbols + 1;
    size_t entry = draft->object->is_32 ? sizeof(Elf32_Sym) : sizeof(Elf64_Sym);
    void *symbols = calloc(count, entry);
    int r = ALTPICK_ENOMEM;

    draft->elf = symbols ? elf_begin(fd, ELF_C_WRITE, NULL) : NULL;
    if (draft->elf)
        r = add_header(draft);
    if (r == ALTPICK_OK)
        r = add_sections(draft, symbols, count * entry);
    if (r == ALTPICK_OK && elf_update(draft->elf, ELF_C_WRITE) < 0)
        r = ALTPICK_EIO;
    elf_end(draft->elf);
    free(symbols);
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
    int fd = -1, r = ALTPICK_EIO;

    if (elf_version(EV_CURRENT) == EV_NONE)
        return ALTPICK_EUNSUPPORTED;
    fd = memfd_create("altpick-object", MFD_CLOEXEC);
    if (fd < 0)
        return ALTPICK_EIO;
    r = make_strings(&draft);
    if (r == ALTPICK_OK)
        r = write_file(&draft, fd);
    if (r == ALTPICK_OK)
        r = copy_out(fd, out);
    free(draft.strings);
    close(fd);
    return r;
}
