/* SPDX-License-Identifier: MIT */
/* Finds the bodies of an output, and spells their names. */
#include "body.h"

#include "code_text.h"

#include <string.h>

enum { COLUMNS = 92 };

static const char suffix_32[] = "-32";

const struct altpick_refcount_form altpick_refcount_forms[ALTPICK_N_COUNTER_OPS] = {
    {true,  false, "Make amount references, from one that is held."                    },
    {false, false, "Make a reference, from one that is held."                          },
    {false, true,  "Make a reference unless there is none left: 1 where it was made."  },
    {false, false, "Drop a reference that is not the last."                            },
    {false, true,  "Drop a reference: 1 where it was the last, and the object is free."},
    {true,  true,  "Drop amount references: 1 where there is none left."               },
};

static size_t add(const struct altpick_body *body, size_t n,
                  const struct altpick_body *ret[ALTPICK_BODIES_MAX])
{
    if (body->name)
        ret[n++] = body;
    return n;
}

size_t altpick_body_list(const struct altpick_bodies *bodies, uint32_t bits,
                         const struct altpick_body *ret[ALTPICK_BODIES_MAX])
{
    size_t n = bits == 64 ? add(&bodies->fpu_init, 0, ret) : 0;

    for (unsigned i = 0; i < ALTPICK_N_FPU_USERS; i++)
        n = add(bits == 64 ? &bodies->kernel_fpu64[i] : &bodies->kernel_fpu32[i], n, ret);
    for (unsigned i = 0; i < ALTPICK_N_COUNTER_OPS; i++)
        n = add(&bodies->refcount[i], n, ret);
    return n;
}

bool altpick_body_counts(const struct altpick_body *body)
{
    return body->data == ALTPICK_DATA_COUNTER;
}

void altpick_body_name(struct altpick_out *out, const struct altpick_body *body, bool upper)
{
    size_t n = strlen(body->name), end = sizeof suffix_32 - 1;

    if (n > end && strcmp(body->name + n - end, suffix_32) == 0)
        n -= end;
    for (size_t i = 0; i < n; i++) {
        char c = body->name[i];

        if (c == '.' || c == '-')
            c = '_';
        else if (upper && c >= 'a' && c <= 'z')
            c = (char) (c - 'a' + 'A');
        altpick_out_bytes(out, &c, 1);
    }
}

void altpick_body_text(struct altpick_out *out, const struct altpick_body *body, const char *text)
{
    for (; *text; text++) {
        if (*text == '@' || *text == '$')
            altpick_body_name(out, body, *text == '$');
        else
            altpick_out_bytes(out, text, 1);
    }
}

void altpick_body_words(struct altpick_out *out, const struct altpick_body *body, uint32_t bits)
{
    char text[ALTPICK_CODE_TEXT_MAX];
    size_t column = 0, length;

    altpick_out_text(out, "/* ");
    for (uint32_t at = 0; at < body->bytes; at += (uint32_t) length) {
        length = altpick_code_describe(bits, body->code + at, body->bytes - at, text);
        if (length == 0) {
            altpick_out_text(out, at ? "; and more" : "not disassembled");
            break;
        }
        if (at)
            altpick_out_text(out, ";");
        if (at && column + strlen(text) + 2 > COLUMNS) {
            altpick_out_text(out, "\n * ");
            column = 0;
        } else if (at) {
            altpick_out_text(out, " ");
        }
        altpick_out_text(out, text);
        column += strlen(text) + 2;
    }
    altpick_out_text(out, " */\n");
}

void altpick_body_needs(struct altpick_out *out, const struct altpick_body *body)
{
    bool first = true;

    for (unsigned f = 0; f < ALTPICK_N_CPU_FEATURES; f++) {
        if (!(body->needs >> f & 1))
            continue;
        altpick_out_text(out, first ? "" : " ");
        altpick_out_text(out, altpick_cpu_feature_name(f));
        first = false;
    }
}
