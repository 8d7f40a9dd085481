/* SPDX-License-Identifier: MIT */
/* Candidates that no CPU gets through: each raises something, or does not end. */
#include "faulty.h"

#define CODE(...) .code = {__VA_ARGS__}, .code_bytes = sizeof((uint8_t[]){__VA_ARGS__})

/* clang-format off */
static const struct altpick_candidate built_in[] = {
    {.name = "fine", CODE(0x90)},
    /* pushfq; or dword ptr [rsp], NT and AC; popfq; cli */
    {.name = "nested-task", CODE(0x9c, 0x81, 0x0c, 0x24, 0, 0x40, 0x04, 0, 0x9d, 0xfa)},
    /* xor eax, eax; mov ss, ax: what no instruction of this one misses */
    {.name = "no-stack-segment", CODE(0x31, 0xc0, 0x8e, 0xd0)},
    {.name = "ud2", CODE(0x0f, 0x0b)},
    {.name = "int3", CODE(0xcc)},
    /* xor ecx, ecx; div ecx */
    {.name = "divide", CODE(0x31, 0xc9, 0xf7, 0xf1)},
    /* mov rax, 1 << 63; mov al, [rax] */
    {.name = "non-canonical", CODE(0x48, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0x80, 0x8a, 0x00)},
    /* mov rax, 1 << 40; mov al, [rax] */
    {.name = "unmapped", CODE(0x48, 0xb8, 0, 0, 0, 0, 0, 1, 0, 0, 0x8a, 0x00)},
    /* mov rax, 1 << 63; jmp rax */
    {.name = "jump-away", CODE(0x48, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0x80, 0xff, 0xe0)},
    /* mov ax, 0xfff8; mov ss, ax */
    {.name = "segment", CODE(0x66, 0xb8, 0xf8, 0xff, 0x8e, 0xd0)},
    /* mov rsp, 1 << 40; ud2: nothing can be pushed there */
    {.name = "stack", CODE(0x48, 0xbc, 0, 0, 0, 0, 0, 1, 0, 0, 0x0f, 0x0b)},
    /* std; ud2 */
    {.name = "direction", CODE(0xfd, 0x0f, 0x0b)},
    /* mov rax, cr0; or al, 8; mov cr0, rax; fnop */
    {.name = "task-switched", CODE(0x0f, 0x20, 0xc0, 0x0c, 0x08, 0x0f, 0x22, 0xc0, 0xd9, 0xd0)},
    /* mov rax, cr4; and ah, ~6; mov cr4, rax; ud2: without SSE */
    {.name = "no-sse", CODE(0x0f, 0x20, 0xe0, 0x80, 0xe4, 0xf9, 0x0f, 0x22, 0xe0, 0x0f, 0x0b)},
    /* sti; ud2 */
    {.name = "interrupts", CODE(0xfb, 0x0f, 0x0b)},
    /* sub rsp, 4; ldmxcsr of 0; divps by 0 */
    {.name = "simd", CODE(0x48, 0x83, 0xec, 0x08, 0xc7, 0x04, 0x24, 0, 0, 0, 0,
                          0x0f, 0xae, 0x14, 0x24, 0x48, 0x83, 0xc4, 0x08,
                          0x0f, 0x57, 0xc0, 0x0f, 0x5e, 0xc0)},
    {.name = "halt-in-a-loop", CODE(0xeb, 0xfe)}, /* jmp to itself; only where somebody ends it */
};
/* clang-format on */

enum { N_BUILT_IN = sizeof built_in / sizeof *built_in };

static size_t candidates(const struct altpick_question *question,
                         struct altpick_candidate ret[ALTPICK_CANDIDATES_MAX])
{
    for (uint32_t i = 0; i < question->n_candidates; i++)
        ret[i] = built_in[i];
    return question->n_candidates;
}

#define QUESTION(n)                                                                                \
    .name = "faulty", .title = "what ends badly", .bits = 64, .conditions = 1u << ALTPICK_HOT,     \
    .may_change = 0xffffff, .n_candidates = (n), .candidates = candidates

const struct altpick_question faulty_question = {QUESTION(N_BUILT_IN - 1)};
const struct altpick_question faulty_question_endless = {QUESTION(N_BUILT_IN)};

static size_t many(const struct altpick_question *question,
                   struct altpick_candidate ret[ALTPICK_CANDIDATES_MAX])
{
    for (uint32_t i = 0; i < question->n_candidates; i++) {
        ret[i] = (struct altpick_candidate){.name = "ud2-00", CODE(0x0f, 0x0b)};
        ret[i].name[4] = (char) ('0' + i / 10);
        ret[i].name[5] = (char) ('0' + i % 10);
    }
    return question->n_candidates;
}

#define MANY(title_, n)                                                                            \
    {                                                                                              \
        .name = title_, .title = title_, .bits = 64, .conditions = 1u << ALTPICK_HOT,              \
        .may_change = 0xffffff, .n_candidates = (n), .candidates = many                            \
    }

const struct altpick_question faulty_questions_many[3] = {MANY("many", 30), MANY("more", 30),
                                                          MANY("most", 80)};
