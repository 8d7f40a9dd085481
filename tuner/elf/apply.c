/* SPDX-License-Identifier: MIT */
/* One entry of a patch table and the bytes of its site into the bytes that a kernel leaves there.
 */
#include "elf/apply.h"

#include "elf/bytes.h"
#include "elf/insn.h"
#include "elf/nops.h"

#include "diag.h"

#include <inttypes.h>
#include <string.h>

enum {
    CALL32 = 0xe8,
    JMP32 = 0xe9,
    JMP8 = 0xeb,
    INT3 = 0xcc,
    NOP = 0x90,
    BRANCH32_BYTES = 5,
    JMP8_BYTES = 2,
    INDIRECT_CALL_BYTES = 6,
};

/* An application under way. */
struct applying {
    const struct altpick_kernel *kernel;
    const struct altpick_application *entry;
    const struct altpick_patched *site;
    struct altpick_diag *diag;
};

static int refuse(const struct applying *a, int err, const char *what, size_t at)
{
    return altpick_fail(a->diag, err, "entry %" PRIu32 " (site 0x%" PRIx64 "): %s at byte %zu",
                        a->entry->number, a->entry->site, what, at);
}

static void note(const struct applying *a, size_t at, size_t bytes, enum altpick_origin origin)
{
    for (size_t i = at; i < at + bytes; i++) {
        /* What a direct call got is moved like the rest of the replacement, and is told as such. */
        if (origin == ALTPICK_FROM_RELOCATION && a->site->origin[i] == ALTPICK_FROM_DIRECT_CALL)
            continue;
        a->site->origin[i] = (uint8_t) origin;
        a->site->by[i] = a->entry->number + 1;
    }
}

/* A distance between addresses, which wrap in 32-bit code. */
static int64_t wrap(const struct applying *a, int64_t value)
{
    return a->kernel->is_64 ? value : (int32_t) value;
}

/* How far a replacement moves, as it is to be added to what is relative in it. */
static int64_t distance(const struct applying *a)
{
    return wrap(a, (int64_t) (a->entry->replacement - a->entry->site));
}

/* Add the distance to the displacement @field of the instruction at @at. */
static int move_field(const struct applying *a, size_t at, const struct altpick_insn_field *field)
{
    int64_t value = field->value + distance(a);
    size_t where = at + field->offset;

    if (field->bytes != 1 && field->bytes != 4)
        return refuse(a, ALTPICK_EFORMAT, "a displacement that is neither of 1 nor of 4 bytes", at);
    if (field->bytes == 4)
        value = wrap(a, value);
    if (field->bytes == 1 ? value != (int8_t) value : value != (int32_t) value)
        return refuse(a, ALTPICK_EFORMAT, "the displacement does not reach its target", at);
    if (field->bytes == 1)
        a->site->code[where] = (uint8_t) value;
    else
        altpick_put_number(a->site->code + where, 4, (uint64_t) value);
    note(a, where, field->bytes, ALTPICK_FROM_RELOCATION);
    return ALTPICK_OK;
}

/* A jump of @bytes at @at whose short form has the displacement @value. */
static void shorten(const struct applying *a, size_t at, size_t bytes, int64_t value)
{
    uint8_t *code = a->site->code + at;

    code[0] = JMP8;
    code[1] = (uint8_t) value;
    if (a->kernel->engine->relocates_all)
        memset(code + JMP8_BYTES, INT3, bytes - JMP8_BYTES);
    else
        memcpy(code + JMP8_BYTES, altpick_engine_nop(a->kernel->is_64, 3), 3);
    note(a, at, bytes, ALTPICK_FROM_SHORTENING);
}

/*
 * Until 6.4: a replacement that is nothing but a call or a jump of 5 bytes.  What jumps back is
 * never made short, because the kernel compared the displacement without its sign.
 */
static int relocate_single(const struct applying *a)
{
    uint8_t *code = a->site->code;
    struct altpick_insn_field field = {.offset = 1, .bytes = 4};
    int64_t value;

    if (a->entry->replacement_bytes != BRANCH32_BYTES ||
        (code[0] != CALL32 && code[0] != JMP32 && code[0] != JMP8))
        return ALTPICK_OK;
    field.value = altpick_s32(code + 1);
    if (code[0] == CALL32)
        return move_field(a, 0, &field);
    value = wrap(a, field.value + distance(a) + BRANCH32_BYTES); /* from the site to the target */
    if (value >= 0 && value - JMP8_BYTES <= INT8_MAX) {
        shorten(a, 0, BRANCH32_BYTES, value - JMP8_BYTES);
        return ALTPICK_OK;
    }
    code[0] = JMP32;
    return move_field(a, 0, &field);
}

/* Whether @value, relative to @next, is a target outside the replacement. */
static bool leaves(const struct applying *a, size_t next, int64_t value)
{
    int64_t target = (int64_t) next + value;

    return target < 0 || target > (int64_t) a->entry->replacement_bytes;
}

static int relocate_insn(const struct applying *a, size_t at, const struct altpick_insn *insn)
{
    size_t next = at + insn->bytes;
    int64_t value = wrap(a, insn->branch.value + distance(a) + BRANCH32_BYTES - JMP8_BYTES);
    int r;

    /* The kernel does not ask whether the target lies outside, but moves every jump that it can. */
    if (insn->is_jump && insn->opcode == JMP32 && value == (int8_t) value) {
        shorten(a, at, insn->bytes, value);
        return ALTPICK_OK;
    }
    if (insn->branch.bytes && leaves(a, next, insn->branch.value)) {
        r = move_field(a, at, &insn->branch);
        if (r < 0)
            return r;
    }
    if (insn->operand.bytes && leaves(a, next, insn->operand.value))
        return move_field(a, at, &insn->operand);
    return ALTPICK_OK;
}

/* Since 6.5: everything relative, and in the same pass, until 6.9, NOPs. */
static int relocate_all(const struct applying *a)
{
    struct altpick_nops_jump jump = {0};
    size_t next;
    int r;

    for (size_t at = 0; at < a->entry->site_bytes; at = next) {
        struct altpick_insn insn;

        if (!altpick_insn_decode(a->kernel->is_64, a->site->code + at, a->entry->site_bytes - at,
                                 &insn))
            return refuse(a, ALTPICK_EFORMAT, "the replacement does not decode", at);
        next = at + insn.bytes;
        if (a->kernel->engine->nops == ALTPICK_NOPS_WITH_JUMP &&
            altpick_nops_step(a->kernel, a->site, a->entry->site_bytes, a->entry->number, at, &insn,
                              &jump, &next))
            continue;
        r = relocate_insn(a, at, &insn);
        if (r < 0)
            return r;
    }
    return ALTPICK_OK;
}

/*
 * The call to BUG_func that stands in the replacement is made one to where the indirect call at the
 * site goes; *ret_bytes is what remains of the replacement.
 */
static int make_direct(const struct applying *a, const uint8_t *old, size_t *ret_bytes)
{
    const struct altpick_application *entry = a->entry;
    uint64_t bug, target, pointer = 0;
    int64_t where = altpick_s32(old + 2);

    if (entry->replacement_bytes != BRANCH32_BYTES || a->site->code[0] != CALL32)
        return refuse(a, ALTPICK_EFORMAT, "a direct call whose replacement is no call", 0);
    if (entry->site_bytes != INDIRECT_CALL_BYTES || old[0] != 0xff || old[1] != 0x15)
        return refuse(a, ALTPICK_EFORMAT, "a direct call in place of no indirect one", 0);
    where = a->kernel->is_64 ? (int64_t) entry->site + INDIRECT_CALL_BYTES + where
                             : (int64_t) (uint32_t) where;
    if (!a->kernel->pointer || !a->kernel->pointer(a->kernel->ctx, (uint64_t) where, &pointer))
        return refuse(a, ALTPICK_EUNSUPPORTED, "the pointer of a call is not in the file", 0);
    bug = entry->replacement + BRANCH32_BYTES + (uint64_t) altpick_s32(a->site->code + 1);
    target = pointer ? pointer : bug;
    if (a->kernel->knows_nop_func && target == a->kernel->nop_func) {
        *ret_bytes = 0;
        return ALTPICK_OK;
    }
    altpick_put_number(a->site->code + 1, 4,
                       (uint64_t) altpick_s32(a->site->code + 1) + (target - bug));
    note(a, 1, 4, ALTPICK_FROM_DIRECT_CALL);
    *ret_bytes = BRANCH32_BYTES;
    return ALTPICK_OK;
}

/* Replacement, fixed for its new place, and padding. */
static int patch(const struct applying *a)
{
    uint8_t old[INDIRECT_CALL_BYTES] = {0};
    size_t bytes = a->entry->replacement_bytes;
    int r = ALTPICK_OK;

    if (bytes > a->entry->site_bytes)
        return refuse(a, ALTPICK_EFORMAT, "the replacement is longer than the site", 0);
    if (a->entry->direct_call && !a->kernel->engine->has_direct_calls)
        return refuse(a, ALTPICK_EFORMAT, "a direct call, which this release has not", 0);
    memcpy(old, a->site->code,
           a->entry->site_bytes < sizeof old ? a->entry->site_bytes : sizeof old);
    if (bytes)
        memcpy(a->site->code, a->entry->code, bytes);
    note(a, 0, bytes, ALTPICK_FROM_REPLACEMENT);
    if (a->entry->direct_call)
        r = make_direct(a, old, &bytes);
    if (r < 0)
        return r;
    memset(a->site->code + bytes, NOP, a->entry->site_bytes - bytes);
    note(a, bytes, a->entry->site_bytes - bytes, ALTPICK_FROM_PADDING);
    return a->kernel->engine->relocates_all ? relocate_all(a) : relocate_single(a);
}

int altpick_apply(const struct altpick_kernel *kernel, const struct altpick_application *entry,
                  const struct altpick_patched *site, struct altpick_diag *diag)
{
    struct applying a = {kernel, entry, site, diag};
    size_t end;
    int r;

    if (entry->site_bytes > ALTPICK_SITE_BYTES_MAX)
        return refuse(&a, ALTPICK_EFORMAT, "a site of more than 255 bytes", 0);
    if (entry->applied) {
        r = patch(&a);
        if (r < 0 || kernel->engine->nops == ALTPICK_NOPS_WITH_JUMP)
            return r; /* there the NOPs are done in the same pass */
    }
    end = altpick_nops_optimise(kernel, site, entry->site_bytes, entry->number);
    if (end < entry->site_bytes)
        return refuse(&a, ALTPICK_EFORMAT, "code that does not decode", end);
    return ALTPICK_OK;
}

const char *altpick_origin_name(unsigned origin)
{
    static const char *const names[ALTPICK_N_ORIGINS] = {
        [ALTPICK_FROM_FILE] = "as in the file",
        [ALTPICK_FROM_REPLACEMENT] = "replacement",
        [ALTPICK_FROM_RELOCATION] = "relocated",
        [ALTPICK_FROM_SHORTENING] = "jump made short",
        [ALTPICK_FROM_DIRECT_CALL] = "made a direct call",
        [ALTPICK_FROM_PADDING] = "padding",
        [ALTPICK_FROM_NOPS] = "NOPs optimised",
        [ALTPICK_FROM_LOCK] = "lock prefix taken away",
        [ALTPICK_FROM_RETURN] = "no return thunk",
        [ALTPICK_FROM_RETPOLINE] = "no retpoline",
    };

    return origin < ALTPICK_N_ORIGINS ? names[origin] : NULL;
}
