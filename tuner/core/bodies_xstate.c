/* SPDX-License-Identifier: MIT */
/* Finds the code that reads a task's state back, for the code that saves it: never one alone. */
#include "altpick/err.h"
#include "bodies.h"
#include "bytes.h"
#include "code_bytes.h"

enum { INSTRUCTION_BYTES = 4 };

/*
 * Bit 31 of XCR0 has no component.  Masks of 32 bits keep nothing above it, and a table has no way
 * to say so but by a bit that is missing below.
 */
#define XCR0_OF_32_BITS UINT64_C(0x7fffffff)

/*
 * fninit; fild dword [rdi+24]: values of our own for the x87 pointers, before they are restored.
 * AMD's processors before family 17h leave those of the task before where no exception is pending
 * (CVE-2006-1056), XRSTOR or FXRSTOR.  24 is the place of MXCSR in an area, an integer like any
 * other.
 */
static const uint8_t own_pointers[] = {0xdb, 0xe3, 0xdb, 0x47, 0x18};

/* With eax, whether XSAVE is enabled: all that is, but PKRU.  Else what FXSAVE knows. */
static const uint8_t dispatch_save[] = {
    0x85, 0xc0,                   /* test eax, eax */
    0x74, 0x0e,                   /* jz to fxsave */
    0xb8, 0xff, 0xfd, 0xff, 0xff, /* mov eax, ~PKRU */
    0x83, 0xca, 0xff,             /* or edx, -1 */
    0x48, 0x0f, 0xae, 0x27,       /* xsave64 [rdi] */
    0xeb, 0x04,                   /* jmp to the end */
    0x48, 0x0f, 0xae, 0x07,       /* fxsave64 [rdi] */
};
static const uint8_t dispatch_restore[] = {
    0xdb, 0xe3, 0xdb, 0x47, 0x18, /* own_pointers */
    0x85, 0xc0,                   /* test eax, eax */
    0x74, 0x0e,                   /* jz to fxrstor */
    0xb8, 0xff, 0xfd, 0xff, 0xff, /* mov eax, ~PKRU */
    0x83, 0xca, 0xff,             /* or edx, -1 */
    0x48, 0x0f, 0xae, 0x2f,       /* xrstor64 [rdi] */
    0xeb, 0x04,                   /* jmp to the end */
    0x48, 0x0f, 0xae, 0x0f,       /* fxrstor64 [rdi] */
};

/* mov eax, ~PKRU; xor edx, edx: the mask that candidates for all components begin with. */
static const uint8_t mask_of_all[] = {0xb8, 0xff, 0xfd, 0xff, 0xff, 0x31, 0xd2};

/* What reads back what an instruction wrote, with the same mask. */
static const struct {
    uint8_t save[INSTRUCTION_BYTES], restore[INSTRUCTION_BYTES];
    const char *name;
} formats[] = {
    {{0x48, 0x0f, 0xae, 0x27}, {0x48, 0x0f, 0xae, 0x2f}, "xrstor" }, /* xsave64 */
    {{0x48, 0x0f, 0xae, 0x37}, {0x48, 0x0f, 0xae, 0x2f}, "xrstor" }, /* xsaveopt64 */
    {{0x48, 0x0f, 0xc7, 0x27}, {0x48, 0x0f, 0xae, 0x2f}, "xrstor" }, /* xsavec64: its header says */
    {{0x48, 0x0f, 0xc7, 0x2f}, {0x48, 0x0f, 0xc7, 0x1f}, "xrstors"}, /* xsaves64 */
};

static void begin(const char *name, const char *candidate, uint64_t needs, const char *remark,
                  struct altpick_body *ret)
{
    *ret = (struct altpick_body){
        .name = name, .data = ALTPICK_DATA_SAVE_AREA, .needs = needs, .remark = remark};
    altpick_append(ret->candidate, sizeof ret->candidate, candidate);
}

static void append(struct altpick_body *body, const uint8_t *code, uint32_t bytes)
{
    altpick_copy_bytes(body->code + body->bytes, code, bytes);
    body->bytes += bytes;
}

void altpick_bodies_default_xstate(struct altpick_bodies *bodies)
{
    begin(ALTPICK_XSTATE_SAVE, "dispatch", FEATURE(FXSR), "default", &bodies->xstate_save);
    append(&bodies->xstate_save, dispatch_save, sizeof dispatch_save);
    begin(ALTPICK_XSTATE_RESTORE, "dispatch", FEATURE(FXSR), "default", &bodies->xstate_restore);
    append(&bodies->xstate_restore, dispatch_restore, sizeof dispatch_restore);
    bodies->xstate_xcr0 = UINT64_MAX;
}

int altpick_bodies_pair_xstate(const struct altpick_machine *machine,
                               const struct altpick_body *save, struct altpick_bodies *bodies)
{
    const uint8_t *instruction = save->code + sizeof mask_of_all;
    uint64_t xsavec = FEATURE(XSAVEC) | FEATURE(XSAVES), needs = save->needs;
    struct altpick_body restore;
    size_t i = 0;

    if (save->bytes != sizeof mask_of_all + INSTRUCTION_BYTES ||
        !altpick_equal_bytes(save->code, mask_of_all, sizeof mask_of_all))
        return ALTPICK_ENOFIT;
    while (i < sizeof formats / sizeof *formats &&
           !altpick_equal_bytes(instruction, formats[i].save, INSTRUCTION_BYTES))
        i++;
    if (i == sizeof formats / sizeof *formats)
        return ALTPICK_ENOFIT;
    /* No CPU with XSAVEC leaves pointers: then that is needed, and nothing has to be done. */
    if (machine && altpick_cpu_has(&machine->cpu, ALTPICK_CPU_XSAVEC))
        needs |= FEATURE(XSAVEC);
    begin(ALTPICK_XSTATE_RESTORE, formats[i].name, needs, save->remark, &restore);
    if (!(needs & xsavec)) {
        altpick_append(restore.candidate, sizeof restore.candidate, "-own-pointers");
        append(&restore, own_pointers, sizeof own_pointers);
    }
    append(&restore, mask_of_all, sizeof mask_of_all);
    append(&restore, formats[i].restore, INSTRUCTION_BYTES);
    bodies->xstate_save = *save;
    bodies->xstate_save.needs = needs; /* neither is put anywhere without the other */
    bodies->xstate_restore = restore;
    bodies->xstate_xcr0 = XCR0_OF_32_BITS;
    return ALTPICK_OK;
}
