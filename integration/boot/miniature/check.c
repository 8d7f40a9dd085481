/* SPDX-License-Identifier: MIT */
/* Tasks fill their registers with what names them, and look whether anybody else's is there. */
#include "mini.h"

#include "bytes.h"
#include "port.h"

enum { SPIN = 6000, X87_AT = 32, X87_REGISTERS = 8, XMM_AT = 160, MARK = 0xa5 };
enum { CONTROL_AT = 0, TAGS_AT = 4, MXCSR_AT = 24, CONTROL = 0x37f, MXCSR = 0x1f80 };
enum { EXPONENT_AT = 8, STATUS_AT = 2 };

/* Registers of one kind in struct mini_state: all of their words tell the owner. */
static const struct part {
    const char *name;
    size_t at, registers, stride, bytes;
    uint32_t vectors; /* from which on tasks use it */
} parts[] = {
    {"x87",      X87_AT, 8,  16, 8, 0}, /* the mantissa */
    {          "xmm",    XMM_AT,     16, 16, 16, 0 },
    {      "ymm",      offsetof(struct mini_state,          ymm), 16, 16, 16,  1},
    {      "zmm",      offsetof(struct mini_state,          zmm), 16, 32, 32,  2},
    { "hi16-zmm", offsetof(struct mini_state,     hi16_zmm), 16, 64, 64,  2},
    {   "opmask",   offsetof(struct mini_state,        opmask),  8,  8, 8,  2},
};

uint32_t mini_vectors;
volatile uint32_t mini_looks, mini_first_looks;

static uint32_t word_at(const struct mini_state *state, size_t at)
{
    const uint8_t *bytes = (const uint8_t *) state + at;

    return bytes[0] | (uint32_t) bytes[1] << 8 | (uint32_t) bytes[2] << 16 |
           (uint32_t) bytes[3] << 24;
}

static void put_word(struct mini_state *state, size_t at, uint32_t word)
{
    altpick_put((uint8_t *) state + at, 4, word);
}

/* A5, 16 bits of the owner, 8 of the round.  As the top of a mantissa it makes a normal number. */
static uint32_t word_of(uint32_t owner, uint32_t round)
{
    return (uint32_t) MARK << 24 | (owner & 0xffff) << 8 | (round & 0xff);
}

static uint32_t control_of(uint32_t owner, uint32_t bits, unsigned rounding_at)
{
    return bits | (owner & 3) << rounding_at; /* exceptions stay masked */
}

/* The sign is of the round, the exponent, which is one of normal numbers, of the owner. */
static uint32_t exponent_of(uint32_t owner, uint32_t round)
{
    return (round & 1) << 15 | 0x3f00 | (owner & 0xff);
}

static void fill(struct mini_state *state, uint32_t owner, uint32_t round)
{
    for (size_t p = 0; p < sizeof parts / sizeof *parts; p++) {
        for (size_t i = 0; i < parts[p].registers; i++) {
            for (size_t at = 0; at < parts[p].bytes; at += 4)
                put_word(state, parts[p].at + i * parts[p].stride + at, word_of(owner, round));
        }
    }
    for (size_t i = 0; i < X87_REGISTERS; i++)
        altpick_put(state->fx + X87_AT + 16 * i + EXPONENT_AT, 2, exponent_of(owner, round));
    altpick_put(state->fx + STATUS_AT, 2, (owner & 7) << 8); /* C0, C1, C2 */
    altpick_put(state->fx + CONTROL_AT, 2, control_of(owner, CONTROL, 10));
    altpick_put(state->fx + TAGS_AT, 1, 0xff); /* all in use */
    put_word(state, MXCSR_AT, control_of(owner, MXCSR, 13));
}

/* --- what is wrong ------------------------------------------------------------------------------
 */

static void say_register(struct altpick_out *out, const struct mini_task *task, bool is_new,
                         const struct part *part, size_t i, uint32_t word)
{
    bool names_one = word >> 24 == MARK;

    altpick_out_text(out, is_new ? "miniature: new task " : "miniature: task ");
    altpick_out_u64(out, task->owner);
    if (names_one && (word >> 8 & 0xffff) == task->owner) {
        altpick_out_text(out, " sees its own bits of another round in ");
    } else if (names_one) {
        altpick_out_text(out, " sees bits of task ");
        altpick_out_u64(out, word >> 8 & 0xffff);
        altpick_out_text(out, " in ");
    } else {
        altpick_out_text(out, " sees bits of nobody in ");
    }
    altpick_out_text(out, part->name);
    altpick_out_text(out, ", register ");
    altpick_out_u64(out, i);
    altpick_out_text(out, ": ");
    altpick_out_hex(out, word, 8);
    altpick_out_text(out, "\n");
}

/* Compare one kind of registers; name the first that is wrong.  Returns whether none is. */
static bool check_part(struct altpick_out *out, const struct mini_task *task, bool is_new,
                       const struct part *part)
{
    for (size_t i = 0; i < part->registers; i++) {
        for (size_t at = 0; at < part->bytes; at += 4) {
            size_t where = part->at + i * part->stride + at;
            uint32_t word = word_at(&task->sees, where);

            if (word == (is_new ? 0 : word_at(&task->has, where)))
                continue;
            say_register(out, task, is_new, part, i, word);
            return false;
        }
    }
    return true;
}

static bool check_control(struct altpick_out *out, const struct mini_task *task, const char *name,
                          uint32_t is, uint32_t should)
{
    if (is == should)
        return true;
    altpick_out_text(out, "miniature: task ");
    altpick_out_u64(out, task->owner);
    altpick_out_text(out, " sees ");
    altpick_out_hex(out, is, 4);
    altpick_out_text(out, " in ");
    altpick_out_text(out, name);
    altpick_out_text(out, ", not ");
    altpick_out_hex(out, should, 4);
    altpick_out_text(out, "\n");
    return false;
}

/*
 * Sign and exponent of each, which are half of a word.  Not of a new task, whose registers are
 * empty: MMX code that clears them leaves ones there, and in QEMU's translator what was there.
 */
static bool check_exponents(struct altpick_out *out, const struct mini_task *task)
{
    bool right = true;

    for (size_t i = 0; i < X87_REGISTERS && right; i++) {
        size_t at = X87_AT + 16 * i + EXPONENT_AT;

        right = check_control(out, task, "sign and exponent of an x87 register",
                              word_at(&task->sees, at) & 0xffff, word_at(&task->has, at) & 0xffff);
    }
    return right;
}

/* Look at what @task sees: its own state or, if it is new, the initial one. */
static void check(const struct mini_task *task, bool is_new)
{
    const struct mini_state *sees = &task->sees, *has = &task->has;
    struct altpick_out out = mini_console();
    bool right = true;

    for (size_t p = 0; p < sizeof parts / sizeof *parts; p++) {
        if (parts[p].vectors <= mini_vectors)
            right = check_part(&out, task, is_new, &parts[p]) && right;
    }
    right = check_control(&out, task, "the x87 control word", word_at(sees, CONTROL_AT) & 0xffff,
                          is_new ? CONTROL : word_at(has, CONTROL_AT) & 0xffff) &&
            right;
    right = (is_new || check_exponents(&out, task)) && right;
    right = check_control(&out, task, "the x87 status word", word_at(sees, CONTROL_AT) >> 16,
                          is_new ? 0 : word_at(has, CONTROL_AT) >> 16) &&
            right;
    right = check_control(&out, task, "the x87 tags", sees->fx[TAGS_AT],
                          is_new ? 0 : has->fx[TAGS_AT]) &&
            right;
    right = check_control(&out, task, "MXCSR", word_at(sees, MXCSR_AT),
                          is_new ? MXCSR : word_at(has, MXCSR_AT)) &&
            right;
    if (!right)
        mini_end("a task saw what is not its own");
}

/* Reading registers is an instruction after the other: interrupts come in between, and may. */
static void look(struct mini_task *task, bool is_new)
{
    mini_state_store(&task->sees, mini_vectors);
    boot_interrupts_off(); /* the console is not a task's */
    check(task, is_new);
    if (is_new)
        mini_first_looks++;
    else
        mini_looks++;
    boot_interrupts_on();
}

_Noreturn void mini_task_run(struct mini_task *task)
{
    look(task, true); /* the first use of registers: what does a new task find? */
    for (uint32_t round = 0;; round++) {
        fill(&task->has, task->owner, round);
        mini_state_load(&task->has, mini_vectors);
        task->is_filled = true;
        for (volatile unsigned i = 0; i < SPIN; i++)
            ;
        task->is_filled = false;
        look(task, false);
    }
}
