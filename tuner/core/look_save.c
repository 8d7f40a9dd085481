/* SPDX-License-Identifier: MIT */
/* Whether what a candidate saves can be restored: the round trip of a filled state. */
#include "look_run.h"

#include "altpick/err.h"
#include "bytes.h"
#include "live_run.h"

enum {
    COMPACTED_AT = 527, /* XCOMP_BV, its highest byte */
    COMPACTED = 0x80,
    FX_OPCODE = 0xae, /* 48 0f ae /0: fxsave64 [rdi], which XRSTOR does not undo */
    RESTORE_BYTES = 16,
    XRSTORS_OPCODE = 0xc7, /* 48 0f c7 /3; XRSTOR reads no state of supervisors */
    XRSTORS_MODRM = 0x1f,
};

/* Whether @candidate begins with FXSAVE64, whose area has no header. */
static bool is_fxsave(const struct altpick_candidate *candidate)
{
    static const uint8_t fxsave[] = {0x48, 0x0f, FX_OPCODE, 0x07};

    return altpick_equal_bytes(candidate->code, fxsave, sizeof fxsave);
}

/* What restores from [rdi] what @candidate saved there; returns its length. */
static size_t make_restore(const struct altpick_candidate *candidate, uint8_t ret[RESTORE_BYTES])
{
    static const uint8_t fxrstor[] = {0x48, 0x0f, 0xae, 0x0f}; /* fxrstor64 [rdi] */
    const uint32_t mask = candidate->saves;
    const uint8_t xrstor[] = {0xb8,
                              (uint8_t) mask,
                              (uint8_t) (mask >> 8),
                              (uint8_t) (mask >> 16),
                              (uint8_t) (mask >> 24), /* mov eax, mask */
                              0x31,
                              0xd2, /* xor edx, edx */
                              0x48,
                              0x0f, /* xrstor64 [rdi], or xrstors64 */
                              candidate->compacted ? XRSTORS_OPCODE : 0xae,
                              candidate->compacted ? XRSTORS_MODRM : 0x2f};
    bool fx = is_fxsave(candidate);
    size_t n = fx ? sizeof fxrstor : sizeof xrstor;

    altpick_copy_bytes(ret, fx ? fxrstor : xrstor, n);
    return n;
}

static int round_trip(struct altpick_looking *looking, const struct altpick_candidate *candidate)
{
    uint8_t restore[RESTORE_BYTES];
    struct altpick_xstate_call call;
    const void *entry;
    int r = altpick_look_place(looking, candidate->code, candidate->code_bytes, &entry);

    if (r < 0)
        return r;
    /* XSAVE leaves most of the header alone. */
    altpick_zero(altpick_live_data(looking->live, ALTPICK_DATA_SAVE_AREA),
                 looking->live->xstate->bytes);
    call = altpick_look_call(looking, 0, entry, ALTPICK_DATA_SAVE_AREA);
    altpick_look_run(looking, &call);
    r = altpick_look_place(looking, restore, make_restore(candidate, restore), &entry);
    if (r < 0)
        return r;
    call = altpick_look_call(looking, 1, entry, ALTPICK_DATA_SAVE_AREA);
    altpick_look_run(looking, &call);
    return r;
}

int altpick_look_save(struct altpick_looking *looking, uint32_t i)
{
    const struct altpick_candidate *candidate = &looking->session->candidates[i];
    const struct altpick_live *live = looking->live;
    const uint8_t *saved = altpick_live_data(live, ALTPICK_DATA_SAVE_AREA);
    bool same = true;
    int r = round_trip(looking, candidate);

    if (r < 0)
        return r;
    for (unsigned fill = 0; fill < 2; fill++)
        altpick_look_normalise(live->xstate, altpick_live_scratch(live, fill));
    for (unsigned k = 0; k < ALTPICK_LOOK_PARTS; k++) {
        const struct altpick_look_part *part = &altpick_look_parts[k];

        /* AMD's saves leave the x87 pointers out while no exception is pending. */
        if (altpick_look_has(live->xstate, part) && part->component & candidate->saves &&
            part->no_leak != ALTPICK_GUARANTEE_NO_LEAK_X87_POINTERS)
            same = same && altpick_look_equal(live->xstate, part, altpick_live_scratch(live, 0),
                                              altpick_live_scratch(live, 1));
    }
    altpick_look_note(looking, i, ALTPICK_GUARANTEE_SAVES_STATE, same);
    altpick_look_note(looking, i, ALTPICK_GUARANTEE_STANDARD_LAYOUT,
                      !(saved[COMPACTED_AT] & COMPACTED));
    return r;
}
