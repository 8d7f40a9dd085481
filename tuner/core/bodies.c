/* SPDX-License-Identifier: MIT */
/* Turns decisions about code into the bodies that an output ships. */
#include "bodies.h"

#include "altpick/err.h"
#include "altpick/xstate.h"
#include "bytes.h"
#include "xstate_run.h"

#define FPU_INIT         "fpu.init"
#define KERNEL_FPU_BEGIN "kernel-fpu.begin"
#define REFCOUNT         "refcount"

/* A body's name, and the candidate that it is where nothing was decided. */
struct slot {
    const char *name, *candidate;
};

static const struct slot kernel_fpu64[ALTPICK_N_FPU_USERS] = {
    {KERNEL_FPU_BEGIN ".sse", "ldmxcsr"},
    {KERNEL_FPU_BEGIN ".x87", "fninit" },
    {KERNEL_FPU_BEGIN ".efi", "both"   },
};
static const struct slot kernel_fpu32[ALTPICK_N_FPU_USERS] = {
    {KERNEL_FPU_BEGIN ".sse-32", "ldmxcsr-guarded"},
    {KERNEL_FPU_BEGIN ".x87-32", "fninit"         },
    {KERNEL_FPU_BEGIN ".efi-32", "both-guarded"   },
};

/* It sticks after overflow and underflow, and tells of misuse: what the question prefers, too. */
static const char refcount_default[] = "xadd";

static const char *const refcount_names[ALTPICK_N_COUNTER_OPS] = {
    REFCOUNT ".add", REFCOUNT ".inc",          REFCOUNT ".inc_not_zero",
    REFCOUNT ".dec", REFCOUNT ".dec_and_test", REFCOUNT ".sub_and_test"};

static bool is_same(const struct altpick_candidate *a, const struct altpick_candidate *b)
{
    return a->code_bytes == b->code_bytes && altpick_equal_bytes(a->code, b->code, a->code_bytes);
}

/*
 * The built-in candidate of @question that is called @name or, without a name, is @like; one at a
 * time, since all of them are more than a stack at boot has.
 */
static bool find_built_in(const struct altpick_question *question, const char *name,
                          const struct altpick_candidate *like, struct altpick_candidate *ret)
{
    for (size_t i = 0; question->candidate(question, i, ret); i++) {
        if (name ? altpick_equal(ret->name, name) : is_same(ret, like))
            return true;
    }
    return false;
}

static void set(const char *name, const struct altpick_candidate *candidate, const char *remark,
                struct altpick_body *ret)
{
    *ret = (struct altpick_body){
        .name = name,
        .bytes = candidate->code_bytes,
        .data = candidate->data,
        .needs = candidate->needs,
        .remark = remark,
    };
    altpick_append(ret->candidate, sizeof ret->candidate, candidate->name);
    altpick_copy_bytes(ret->code, candidate->code, candidate->code_bytes);
}

static void set_default(const struct altpick_question *question, const struct slot *slot,
                        struct altpick_body *ret)
{
    struct altpick_candidate candidate;

    if (find_built_in(question, slot->candidate, NULL, &candidate))
        set(slot->name, &candidate, "default", ret);
}

/* All operations of @variant, or none. */
static bool set_refcount(const struct altpick_question *question, const char *variant,
                         const char *remark, struct altpick_bodies *bodies)
{
    struct altpick_body refcount[ALTPICK_N_COUNTER_OPS];

    for (size_t i = 0; i < ALTPICK_N_COUNTER_OPS; i++) {
        char name[2 * ALTPICK_NAME_MAX] = "";
        struct altpick_candidate candidate;

        /* "xadd.dec" is shipped as refcount.dec. */
        altpick_append(name, sizeof name, variant);
        altpick_append(name, sizeof name, refcount_names[i] + sizeof REFCOUNT - 1);
        if (!find_built_in(question, name, NULL, &candidate))
            return false;
        set(refcount_names[i], &candidate, remark, &refcount[i]);
    }
    for (size_t i = 0; i < ALTPICK_N_COUNTER_OPS; i++)
        bodies->refcount[i] = refcount[i];
    bodies->refcount_variant[0] = '\0';
    altpick_append(bodies->refcount_variant, sizeof bodies->refcount_variant, variant);
    return true;
}

static void begin_fpu_init(const struct altpick_question *question, struct altpick_bodies *bodies)
{
    static const struct slot fpu_init = {FPU_INIT, "dispatch"};

    set_default(question, &fpu_init, &bodies->fpu_init);
}

static void begin_kernel_fpu(const struct altpick_question *question, struct altpick_bodies *bodies)
{
    for (unsigned user = 0; user < ALTPICK_N_FPU_USERS; user++) {
        set_default(question, &kernel_fpu64[user], &bodies->kernel_fpu64[user]);
        set_default(question, &kernel_fpu32[user], &bodies->kernel_fpu32[user]);
    }
}

static void begin_refcount(const struct altpick_question *question, struct altpick_bodies *bodies)
{
    set_refcount(question, refcount_default, "default", bodies);
}

static void begin_xstate(const struct altpick_question *question, struct altpick_bodies *bodies)
{
    (void) question;
    altpick_bodies_default_xstate(bodies);
}

/* The winner of @item; *ret_decision says how it won. */
static const struct altpick_entry *find_winner(const struct altpick_decisions *decisions,
                                               const char *item,
                                               const struct altpick_decision **ret_decision)
{
    const struct altpick_decision *d = altpick_decision_find(decisions, item);

    if (!d || d->winner < 0 || (size_t) d->winner >= d->contest.n_entries)
        return NULL;
    *ret_decision = d;
    return &d->contest.entries[d->winner];
}

/*
 * A profile is a file: what is shipped is never its code, but the built-in code that is equal to
 * it, with the data that belongs to that.
 */
static int take(const struct altpick_question *question, const struct altpick_decisions *decisions,
                const char *item, const char *name, struct altpick_body *ret)
{
    const struct altpick_decision *d;
    const struct altpick_entry *winner = find_winner(decisions, item, &d);
    struct altpick_candidate candidate;

    if (!winner || !winner->measurement ||
        !find_built_in(question, NULL, &winner->measurement->candidate, &candidate))
        return ALTPICK_ENOFIT;
    set(name, &candidate, altpick_decision_remark(d), ret);
    return ALTPICK_OK;
}

/*
 * The bits of XCR0 whose components the decision was required to clear, as fpu.init reads them, and
 * that of PKRU, which nothing here changes.
 */
static uint64_t cleared(const struct altpick_policy *policy, const struct altpick_result *result)
{
    uint32_t components = result ? result->components : 0;
    uint64_t bits = ALTPICK_XCR0_PKRU;

    if (components == 0)
        components = 1u << ALTPICK_COMPONENT_X87 | 1u << ALTPICK_COMPONENT_XMM;
    if (policy->components)
        components &= policy->components;
    if (components >> ALTPICK_COMPONENT_OTHER & 1) /* only restores of everything are eligible */
        return UINT64_MAX;
    for (unsigned i = 0; i < ALTPICK_N_COMPONENTS; i++)
        bits |= components >> i & 1 ? altpick_component_bits(i) : 0;
    return bits;
}

/* Whether @machine has 64-bit mode, as far as is known. */
static bool runs_64_bit_code(const struct altpick_machine *machine)
{
    bool known = false;

    for (size_t i = 0; machine && i < ALTPICK_CPU_FEATURE_WORDS; i++)
        known = known || machine->cpu.features[i];
    return !known || altpick_cpu_has(&machine->cpu, ALTPICK_CPU_LM);
}

static int take_fpu_init(const struct altpick_machine *machine, const struct altpick_policy *policy,
                         const struct altpick_question *question,
                         const struct altpick_decisions *decisions, struct altpick_output *output)
{
    struct altpick_bodies *bodies = &output->bodies;
    int r;

    /* All of its code is 64-bit code: figures of a 32-bit CPU say nothing of one that runs it. */
    if (!runs_64_bit_code(machine))
        return ALTPICK_OK;
    r = take(question, decisions, FPU_INIT ".body", FPU_INIT, &bodies->fpu_init);
    if (r == ALTPICK_OK && policy->target != ALTPICK_TARGET_ANY_X86_64 && !policy->several)
        bodies->fpu_init_xcr0 = cleared(policy, decisions->result);
    return r;
}

static int take_kernel_fpu(const struct altpick_machine *machine,
                           const struct altpick_policy *policy,
                           const struct altpick_question *question,
                           const struct altpick_decisions *decisions, struct altpick_output *output)
{
    struct altpick_bodies *bodies = &output->bodies;
    struct altpick_body taken64[ALTPICK_N_FPU_USERS], taken32[ALTPICK_N_FPU_USERS];

    (void) machine;
    (void) policy;
    for (unsigned user = 0; user < ALTPICK_N_FPU_USERS; user++) {
        const char *name64 = kernel_fpu64[user].name, *name32 = kernel_fpu32[user].name;
        int r = take(question, decisions, name64, name64, &taken64[user]);

        if (r == ALTPICK_OK)
            r = take(question, decisions, name32, name32, &taken32[user]);
        if (r < 0)
            return r;
    }
    for (unsigned user = 0; user < ALTPICK_N_FPU_USERS; user++) {
        bodies->kernel_fpu64[user] = taken64[user];
        bodies->kernel_fpu32[user] = taken32[user];
    }
    return ALTPICK_OK;
}

static int take_refcount(const struct altpick_machine *machine, const struct altpick_policy *policy,
                         const struct altpick_question *question,
                         const struct altpick_decisions *decisions, struct altpick_output *output)
{
    const struct altpick_decision *d;
    const struct altpick_entry *winner = find_winner(decisions, REFCOUNT ".implementation", &d);

    (void) machine;
    (void) policy;
    return winner &&
                   set_refcount(question, winner->name, altpick_decision_remark(d), &output->bodies)
               ? ALTPICK_OK
               : ALTPICK_ENOFIT;
}

/* Whether the machine lacks what any save needs: there is nothing to decide then. */
static bool has_no_save(const struct altpick_decisions *decisions, const char *item)
{
    const struct altpick_decision *d = altpick_decision_find(decisions, item);
    bool has = !d;

    for (size_t i = 0; d && i < d->contest.n_entries; i++) {
        const struct altpick_measurement *m = d->contest.entries[i].measurement;

        has = has || !m || m->status != ALTPICK_STATUS_UNSUPPORTED;
    }
    return !has;
}

static int take_xstate(const struct altpick_machine *machine, const struct altpick_policy *policy,
                       const struct altpick_question *question,
                       const struct altpick_decisions *decisions, struct altpick_output *output)
{
    static const char item[] = ALTPICK_XSTATE_SAVE ".all";
    struct altpick_body save;
    int r;

    (void) policy;
    if (!runs_64_bit_code(machine) || has_no_save(decisions, item))
        return ALTPICK_OK;
    r = take(question, decisions, item, ALTPICK_XSTATE_SAVE, &save);
    return r == ALTPICK_OK ? altpick_bodies_pair_xstate(machine, &save, &output->bodies) : r;
}

const struct altpick_emitting altpick_emits_fpu_init = {begin_fpu_init, take_fpu_init};
const struct altpick_emitting altpick_emits_kernel_fpu_begin = {begin_kernel_fpu, take_kernel_fpu};
const struct altpick_emitting altpick_emits_refcount = {begin_refcount, take_refcount};
const struct altpick_emitting altpick_emits_xstate_save = {begin_xstate, take_xstate};

uint32_t altpick_body_data(enum altpick_data data, uint8_t ret[ALTPICK_BODY_DATA_MAX])
{
    static const struct altpick_xstate xstate = {.has_xsave = true};

    altpick_zero(ret, ALTPICK_BODY_DATA_MAX);
    switch (data) {
    case ALTPICK_DATA_MXCSR:
        ret[0] = ALTPICK_MXCSR_INIT & 0xff;
        ret[1] = ALTPICK_MXCSR_INIT >> 8;
        return altpick_data_bytes(data);
    case ALTPICK_DATA_FX_IMAGE:
    case ALTPICK_DATA_XSAVE_IMAGE:
        altpick_xstate_make_init(&xstate, ret);
        return altpick_data_bytes(data);
    default:
        return 0;
    }
}
