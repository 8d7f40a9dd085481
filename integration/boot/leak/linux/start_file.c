/* SPDX-License-Identifier: MIT */
/* Makes the smallest ELF file that the kernel runs: a segment of code and one of parameters. */
#include "start_file.h"

#include "check_run.h"
#include "start_stub.h"

#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

extern const uint8_t altpick_start_stub[], altpick_start_stub_end[];

enum { ALLOW_EXECUTION = 0x10 /* MFD_EXEC: memory is not executable everywhere without */ };
enum { PAGE = 4096, PREFIX_BYTES = 64, CODE_AT = sizeof(Elf64_Ehdr) + 2 * sizeof(Elf64_Phdr) };

_Static_assert(ALTPICK_START_PLANT + ALTPICK_XSTATE_BYTES_MAX <= ALTPICK_START_IN_USE, "areas");
_Static_assert(ALTPICK_START_AREA == ALTPICK_START_IN_USE + PREFIX_BYTES, "prefix");
_Static_assert(ALTPICK_START_ENVIRONMENT == ALTPICK_START_AREA + ALTPICK_FX_ENVIRONMENT, "FNSTENV");
_Static_assert(ALTPICK_START_AREA + ALTPICK_XSTATE_BYTES_MAX <= ALTPICK_START_END, "areas");
_Static_assert(ALTPICK_START_AREA % ALTPICK_XSTATE_ALIGN == 0, "alignment");

/* What the file begins with: headers, a page; then the parameters. */
struct start {
    _Alignas(PAGE) uint8_t code[PAGE];
    uint8_t data[ALTPICK_START_END];
};

size_t altpick_start_bytes(const struct altpick_xstate *xstate)
{
    return PREFIX_BYTES + xstate->bytes;
}

static void make_headers(uint8_t *at)
{
    const Elf64_Ehdr header = {
        .e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB, EV_CURRENT},
        .e_type = ET_EXEC,
        .e_machine = EM_X86_64,
        .e_version = EV_CURRENT,
        .e_entry = ALTPICK_START_CODE + CODE_AT,
        .e_phoff = sizeof header,
        .e_ehsize = sizeof header,
        .e_phentsize = sizeof(Elf64_Phdr),
        .e_phnum = 2,
    };
    const Elf64_Phdr segments[2] = {
        {.p_type = PT_LOAD,
         .p_flags = PF_R | PF_X,
         .p_vaddr = ALTPICK_START_CODE,
         .p_filesz = PAGE,
         .p_memsz = PAGE,
         .p_align = PAGE},
        { .p_type = PT_LOAD,
         .p_flags = PF_R | PF_W,
         .p_offset = PAGE,
         .p_vaddr = ALTPICK_START_DATA,
         .p_filesz = ALTPICK_START_END,
         .p_memsz = ALTPICK_START_END,
         .p_align = PAGE},
    };

    memcpy(at, &header, sizeof header);
    memcpy(at + sizeof header, segments, sizeof segments);
    memcpy(at + CODE_AT, altpick_start_stub,
           (size_t) (altpick_start_stub_end - altpick_start_stub));
}

static void make_parameters(const struct altpick_xstate *xstate, int fd, const uint8_t *planted,
                            uint8_t *at)
{
    const uint64_t mask = xstate->has_xsave ? xstate->xcr0 : 0;
    const uint32_t is_planted = planted != NULL, asks = xstate->has_xgetbv1;
    const uint32_t bytes = (uint32_t) altpick_start_bytes(xstate);

    memcpy(at + ALTPICK_START_MASK, &mask, sizeof mask);
    memcpy(at + ALTPICK_START_PLANTED, &is_planted, sizeof is_planted);
    memcpy(at + ALTPICK_START_ASKS, &asks, sizeof asks);
    memcpy(at + ALTPICK_START_FD, &fd, sizeof fd);
    memcpy(at + ALTPICK_START_BYTES, &bytes, sizeof bytes);
    if (planted)
        memcpy(at + ALTPICK_START_PLANT, planted, xstate->bytes);
}

static int write_all(int fd, const uint8_t *from, size_t bytes)
{
    while (bytes > 0) {
        ssize_t n = write(fd, from, bytes);

        if (n < 0)
            return -errno;
        from += n;
        bytes -= (size_t) n;
    }
    return 0;
}

int altpick_start_file(const struct altpick_xstate *xstate, int fd, const uint8_t *planted)
{
    static const char name[] = "altpick-leak-start";
    struct start *start = aligned_alloc(PAGE, sizeof *start);
    int file = -ENOMEM, r;

    if (!start)
        return file;
    memset(start, 0, sizeof *start);
    make_headers(start->code);
    make_parameters(xstate, fd, planted, start->data);
    file = memfd_create(name, MFD_CLOEXEC | ALLOW_EXECUTION);
    if (file < 0 && errno == EINVAL)
        file = memfd_create(name, MFD_CLOEXEC); /* a kernel before 6.3 does not know the flag */
    if (file < 0) {
        file = -errno;
        goto out;
    }
    r = write_all(file, start->code, sizeof *start);
    if (r < 0) {
        close(file);
        file = r;
    }
out:
    free(start);
    return file;
}
