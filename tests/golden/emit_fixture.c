/* SPDX-License-Identifier: MIT */
/*
 * Prints the file that a generator makes of a named synthetic output.  argv: FIXTURE FORMAT FLAVOUR
 * [LAYOUT SITES].  A fixture fpu.init=CANDIDATE is the default with another body.
 */
#include "emit.h"

#include "altpick/err.h"
#include "altpick/generator.h"

#include <stdio.h>
#include <string.h>

/* 0F 1F of 8 bytes, behind @prefixes operand-size prefixes. */
static const uint8_t long_nop[] = {0x66, 0x66, 0x66, 0x0f, 0x1f, 0x84, 0, 0, 0, 0, 0};

static void set(struct altpick_string *string, const void *code, uint32_t bytes, const char *remark)
{
    memcpy(string->code, code, bytes);
    string->bytes = bytes;
    string->remark = remark;
}

/* Everything that the default has not: a machine, several rules, gaps of their own, a jump. */
static void make_rich(struct altpick_machine *machine, struct altpick_output *output)
{
    static const uint8_t nop4[] = {0x66, 0x66, 0x66, 0x90};
    static const uint8_t jump14[] = {0xeb, 12,   [2] = 0x90, 0x90, 0x90, 0x90, 0x90,
                                     0x90, 0x90, 0x90,       0x90, 0x90, 0x90, 0x90};

    strcpy(machine->name, "GenuineExample-6-42-1");
    strcpy(machine->cpu.brand, "Example(R) CPU */ @ 3.00GHz");
    output->machine = machine;
    output->target = ALTPICK_TARGET_THIS_CPU;
    for (size_t n = 1; n <= ALTPICK_NOP_BYTES_MAX; n++)
        output->nop64.nop[n].remark = "kept";
    set(&output->nop64.nop[4], nop4, sizeof nop4, "clear");
    set(&output->nop64.nop[11], long_nop, sizeof long_nop, "pinned");
    set(&output->nop64.nop[14], jump14, sizeof jump14, "only-eligible");
    output->nop64.longest_nop_bytes = 11;
    output->nop64.longest_remark = "clear";
    output->nop64.prefix_limit = 3;
    output->nop64.prefix_remark = "clear";
    output->nop64.jump_from_bytes = 56;
    output->nop64.jump_remark = "clear";
}

/* Gaps of 8-byte NOPs, which the even split with 11 bytes would not use. */
static void add_gaps(struct altpick_output *output)
{
    static const uint32_t gaps[] = {24, 32, 64};

    for (size_t i = 0; i < sizeof gaps / sizeof *gaps; i++) {
        struct altpick_string *gap = &output->nop64.gap[output->nop64.n_gaps++];

        for (uint32_t at = 0; at < gaps[i]; at += 8)
            memcpy(gap->code + at, long_nop + 3, 8);
        gap->bytes = gaps[i];
        gap->remark = "clear";
    }
}

/* 32-bit code has NOPs of its own, and here no jump. */
static void make_rich_32(struct altpick_nop_tables *tables)
{
    static const uint8_t mov2[] = {0x89, 0xf6};
    static const uint8_t lea3[] = {0x8d, 0x76, 0x00};
    static const uint8_t lea7[] = {0x8d, 0xb4, 0x26, 0, 0, 0, 0};
    static const uint8_t lea8[] = {0x3e, 0x8d, 0xb4, 0x26, 0, 0, 0, 0};
    static const uint8_t poke5[] = {0x3e, 0x8d, 0x74, 0x26, 0};
    uint8_t gap20[20];

    for (size_t n = 1; n <= ALTPICK_NOP_BYTES_MAX; n++)
        tables->nop[n].remark = "kept";
    set(&tables->nop[2], mov2, sizeof mov2, "pinned");
    set(&tables->nop[3], lea3, sizeof lea3, "clear");
    set(&tables->nop[7], lea7, sizeof lea7, "clear");
    set(&tables->nop[8], lea8, sizeof lea8, "clear");
    memset(gap20, 0x90, sizeof gap20);
    set(&tables->gap[tables->n_gaps++], gap20, sizeof gap20, "clear");
    tables->longest_nop_bytes = 7;
    tables->longest_remark = "clear";
    set(&tables->text_poke5, poke5, sizeof poke5, "pinned");
}

/* A built-in candidate of @question in place of what the default has. */
static bool set_body(struct altpick_body *body, const char *question, const char *name,
                     const char *remark)
{
    static struct altpick_candidate all[ALTPICK_CANDIDATES_MAX];
    const struct altpick_question *asked = altpick_question_find(question);
    size_t n = asked->candidates(asked, all);

    for (size_t i = 0; i < n; i++) {
        if (strcmp(all[i].name, name) != 0)
            continue;
        strcpy(body->candidate, name);
        memcpy(body->code, all[i].code, all[i].code_bytes);
        body->bytes = all[i].code_bytes;
        body->data = all[i].data;
        body->needs = all[i].needs;
        body->remark = remark;
        return true;
    }
    return false;
}

static bool set_refcount(struct altpick_bodies *bodies, const char *variant, const char *remark)
{
    char name[2 * ALTPICK_NAME_MAX];

    strcpy(bodies->refcount_variant, variant);
    for (size_t i = 0; i < ALTPICK_N_COUNTER_OPS; i++) {
        snprintf(name, sizeof name, "%s%s", variant, strchr(bodies->refcount[i].name, '.'));
        if (!set_body(&bodies->refcount[i], "refcount", name, remark))
            return false;
    }
    return true;
}

static bool make_rich_bodies(struct altpick_bodies *bodies)
{
    bodies->fpu_init_xcr0 = 0x2e7;
    return set_body(&bodies->fpu_init, "fpu.init", "clear-avx512-mem", "clear") &&
           set_body(&bodies->kernel_fpu64[ALTPICK_FPU_USER_X87], "kernel-fpu.begin", "both",
                    "pinned") &&
           set_body(&bodies->kernel_fpu32[ALTPICK_FPU_USER_X87], "kernel-fpu.begin", "both-guarded",
                    "pinned");
}

/* Whether there is a fixture called @name. */
static bool make(const char *name, struct altpick_machine *machine, struct altpick_output *output)
{
    static const char body[] = "fpu.init=", refcount[] = "refcount=";

    altpick_output_default(0, output);
    if (strcmp(name, "default") == 0)
        return true;
    if (strncmp(name, body, sizeof body - 1) == 0)
        return set_body(&output->bodies.fpu_init, "fpu.init", name + sizeof body - 1, "pinned");
    if (strncmp(name, refcount, sizeof refcount - 1) == 0)
        return set_refcount(&output->bodies, name + sizeof refcount - 1, "pinned");
    if (strcmp(name, "rich") != 0)
        return false;
    make_rich(machine, output);
    add_gaps(output);
    make_rich_32(&output->nop32);
    return make_rich_bodies(&output->bodies);
}

/* The text of @output, made as the command does. */
static int print(char **argv, const struct altpick_output *output)
{
    const struct altpick_options options = {.format = argv[2],
                                            .flavour = strcmp(argv[3], "-") ? argv[3] : NULL,
                                            .layout = argv[4],
                                            .sites = argv[4] ? argv[5] : NULL};
    struct altpick_emit_form form = {0};
    struct altpick_text text = {0};
    struct altpick_diag diag;
    int r;

    r = altpick_emit_form(&options, &form, &diag);
    if (r == ALTPICK_OK)
        r = altpick_emit_output(&form, output, &text, &diag);
    if (r < 0)
        fprintf(stderr, "emit_fixture: %s\n", diag.text);
    else if (fwrite(text.data, 1, text.bytes, stdout) != text.bytes)
        r = ALTPICK_EIO;
    altpick_text_fini(&text);
    altpick_emit_form_fini(&form);
    return r;
}

int main(int argc, char **argv)
{
    static struct altpick_machine machine;
    static struct altpick_output output;

    if ((argc != 4 && argc != 6) || !make(argv[1], &machine, &output)) {
        fprintf(stderr,
                "usage: emit_fixture default|rich|fpu.init=CANDIDATE|refcount=VARIANT FORMAT "
                "FLAVOUR [LAYOUT SITES]\n");
        return 2;
    }
    return print(argv, &output) < 0 || fclose(stdout) != 0;
}
