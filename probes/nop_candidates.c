/* SPDX-License-Identifier: MIT */
/* The candidates for filling a gap.  Each name ends in its length and is unique. */
#include "bytes.h"
#include "nop_fill.h"

enum {
    RUN_LONGEST = 8, /* runs of 90 beyond this only lose further */
    JUMP_SHORTEST = 8,
};

const uint32_t altpick_nop_gaps[NOP_GAPS] = {16, 20, 24, 28, 32, 40, 48, 56, 64};

struct list {
    struct altpick_candidate *candidates;
    size_t n;
    uint32_t bits;
};

static struct altpick_candidate *add(struct list *list, const char *name, uint32_t bytes)
{
    struct altpick_candidate *candidate = &list->candidates[list->n++];

    altpick_zero(candidate, sizeof *candidate);
    altpick_append(candidate->name, sizeof candidate->name, name);
    altpick_append(candidate->name, sizeof candidate->name, ".");
    altpick_append_u64(candidate->name, sizeof candidate->name, bytes);
    candidate->code_bytes = bytes;
    candidate->guarantees = 1u << ALTPICK_GUARANTEE_NO_REGISTER_WRITE;
    return candidate;
}

static void add_single(struct list *list, const char *name, uint32_t bytes,
                       void (*form)(uint8_t *, uint32_t))
{
    struct altpick_candidate *candidate = add(list, name, bytes);

    form(candidate->code, bytes);
    candidate->guarantees |= 1u << ALTPICK_GUARANTEE_ONE_INSTRUCTION;
}

static void add_even(struct list *list, const char *name, uint32_t bytes, uint32_t pieces,
                     void (*form)(uint8_t *, uint32_t))
{
    altpick_nop_even(add(list, name, bytes)->code, bytes, pieces, form);
}

/* The nine-byte form that Linux uses, 2E first; gas and the manuals have 66. */
static void form_2e(uint8_t *code, uint32_t bytes)
{
    altpick_nop_recommended(code, bytes);
    code[0] = 0x2e;
}

/* Only 66 prefixes, where assemblers put a 2E last. */
static void form_66(uint8_t *code, uint32_t bytes)
{
    altpick_nop_recommended(code, bytes);
    for (uint32_t i = 0; i + NOP_PLAIN_LONGEST < bytes; i++)
        code[i] = 0x66;
}

/* A DS override, which LEA has no use for. */
static void form_3e_lea(uint8_t *code, uint32_t bytes)
{
    code[0] = 0x3e;
    altpick_nop_lea(code + 1, bytes - 1);
}

/* A jump over single-byte NOPs. */
static void form_jump(uint8_t *code, uint32_t bytes)
{
    for (uint32_t i = 2; i < bytes; i++)
        code[i] = 0x90;
    code[0] = 0xeb;
    code[1] = (uint8_t) (bytes - 2);
}

static void add_jump(struct list *list, uint32_t bytes)
{
    struct altpick_candidate *candidate = add(list, "jmp", bytes);

    form_jump(candidate->code, bytes);
    candidate->branches = true;
}

/* How many of the LEA forms' table it takes: the prefixed ones for want of a better one. */
static void add_lea(struct list *list, uint32_t bytes)
{
    struct altpick_candidate *candidate;

    if (bytes > ALTPICK_NOP_LEA_LONGEST)
        add_even(list, "lea", bytes, altpick_nop_fewest_pieces(bytes, ALTPICK_NOP_LEA_LONGEST),
                 altpick_nop_lea);
    else if (bytes == 2)
        add_single(list, "mov", bytes, altpick_nop_lea);
    else if (bytes == 5 || bytes == 8) {
        /* nop, then LEA, as assemblers and kernels before 5.13 */
        candidate = add(list, "lea", bytes);
        candidate->code[0] = 0x90;
        altpick_nop_lea(candidate->code + 1, bytes - 1);
    } else if (bytes > 2)
        add_single(list, "lea", bytes, altpick_nop_lea);
    if (bytes == 4 || bytes == 5 || bytes == 7 || bytes == 8)
        add_single(list, "3e-lea", bytes, form_3e_lea);
}

static void add_length(struct list *list, uint32_t bytes)
{
    if (bytes > 2)
        add_single(list, "0f1f", bytes, altpick_nop_recommended);
    if (bytes == 9)
        add_single(list, "0f1f-2e", bytes, form_2e);
    if (bytes > 9)
        add_single(list, "0f1f-66", bytes, form_66);
    if (bytes > 1)
        add_single(list, "6690", bytes, altpick_nop_6690);
    if (bytes > NOP_K8_LONGEST)
        add_even(list, "k8", bytes, (bytes + NOP_K8_LONGEST - 1) / NOP_K8_LONGEST,
                 altpick_nop_6690);
    if (bytes > NOP_PLAIN_LONGEST)
        add_even(list, "split", bytes, 2, altpick_nop_recommended);
    if (bytes == 1)
        add_single(list, "90", bytes, altpick_nop_6690);
    else if (bytes <= RUN_LONGEST)
        add_even(list, "90", bytes, bytes, altpick_nop_6690);
    if (list->bits == 32)
        add_lea(list, bytes);
    if (bytes >= JUMP_SHORTEST)
        add_jump(list, bytes);
}

uint32_t altpick_nop_fewest_pieces(uint32_t bytes, uint32_t longest)
{
    return (bytes + longest - 1) / longest;
}

static void add_gap(struct list *list, uint32_t bytes)
{
    for (uint32_t n = altpick_nop_fewest_pieces(bytes, ALTPICK_NOP_LONGEST);
         n <= altpick_nop_fewest_pieces(bytes, NOP_PLAIN_LONGEST); n++) {
        char name[ALTPICK_NAME_MAX] = "even-";

        altpick_append_u64(name, sizeof name, n);
        add_even(list, name, bytes, n, altpick_nop_recommended);
    }
    add_even(list, "k8", bytes, altpick_nop_fewest_pieces(bytes, NOP_K8_LONGEST), altpick_nop_6690);
    if (list->bits == 32)
        add_lea(list, bytes);
    add(list, "optimum", bytes)->code_bytes = 0; /* known after the first batch: refine() */
    add_jump(list, bytes);
}

size_t altpick_nop_candidates(const struct altpick_question *question,
                              struct altpick_candidate ret[ALTPICK_CANDIDATES_MAX])
{
    struct list list = {.candidates = ret, .bits = question->bits};

    for (uint32_t bytes = 1; bytes <= ALTPICK_NOP_LONGEST; bytes++)
        add_length(&list, bytes);
    for (size_t i = 0; i < NOP_GAPS; i++)
        add_gap(&list, altpick_nop_gaps[i]);
    return list.n;
}

bool altpick_nop_accepts(const struct altpick_question *question, const uint8_t *code, size_t bytes)
{
    struct altpick_padding scan;

    return bytes <= ALTPICK_NOP_GAP_MAX &&
           altpick_padding_scan_in(question->bits, code, bytes, &scan);
}
