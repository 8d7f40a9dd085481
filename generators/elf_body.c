/* SPDX-License-Identifier: MIT */
/* Puts bodies into an ELF object: code that ends in a return, and the constants beside it. */
#include "body.h"
#include "elf_draft.h"

#include "altpick/err.h"

#include <string.h>

enum { RETURN = 0xc3 };

/* The name of a symbol in the making. */
struct name {
    char text[ALTPICK_DRAFT_NAME_MAX];
    size_t n;
};

static int append(void *ctx, const char *text, size_t bytes)
{
    struct name *name = ctx;

    if (name->n + bytes >= sizeof name->text)
        return ALTPICK_ENOSPACE;
    memcpy(name->text + name->n, text, bytes);
    name->n += bytes;
    return ALTPICK_OK;
}

static void put_code(struct altpick_draft *draft, const struct altpick_body *body)
{
    static const uint8_t end = RETURN;
    struct name name = {.n = 0};
    struct altpick_out out = {.write = append, .ctx = &name};

    altpick_body_text(&out, body, "altpick_@_code");
    altpick_draft_begin_code(draft, name.text);
    altpick_draft_bytes(draft, body->code, body->bytes);
    altpick_draft_bytes(draft, &end, sizeof end);
    altpick_draft_end(draft);
}

static void put_data(struct altpick_draft *draft, const char *name, enum altpick_data data)
{
    uint8_t bytes[ALTPICK_BODY_DATA_MAX];
    uint32_t n = altpick_body_data(data, bytes);

    altpick_draft_begin(draft, name, "", ALTPICK_ELF_RODATA_ALIGN);
    altpick_draft_bytes(draft, bytes, n);
    altpick_draft_end(draft);
}

void altpick_draft_bodies(struct altpick_draft *draft, const struct altpick_bodies *bodies,
                          uint32_t bits)
{
    const struct altpick_body *list[ALTPICK_BODIES_MAX];
    size_t n = altpick_body_list(bodies, bits, list);
    enum altpick_data data = bodies->fpu_init.data;

    for (size_t i = 0; i < n; i++)
        put_code(draft, list[i]);
    put_data(draft, "altpick_mxcsr_init", ALTPICK_DATA_MXCSR);
    if (bits != 64 || !bodies->fpu_init.name)
        return;
    /* Its declaration is always there: a body without data is given something that it never reads.
     */
    put_data(draft, "altpick_fpu_init_data", data == ALTPICK_DATA_NONE ? ALTPICK_DATA_MXCSR : data);
    altpick_draft_begin(draft, "altpick_fpu_init_xcr0", "", sizeof bodies->fpu_init_xcr0);
    altpick_draft_u32(draft, (uint32_t) bodies->fpu_init_xcr0);
    altpick_draft_u32(draft, (uint32_t) (bodies->fpu_init_xcr0 >> 32));
    altpick_draft_end(draft);
}
