/* SPDX-License-Identifier: MIT */
/* One call at boot: takes the CPU over, judges it, measures within a budget, decides, gives it
 * back. */
#include "altpick/boot.h"

#include "altpick/clock.h"
#include "altpick/err.h"
#include "altpick/result.h"
#include "boot_run.h"
#include "bytes.h"
#include "live_run.h"
#include "ring0_cpu.h"

enum {
    PAGE_BYTES = 4096,
    SLOTS = 8,        /* of the largest block in a smallest arena */
    TRUST_ROUNDS = 3, /* nothing else runs: fewer than on a host */
    MHZ = 1000000,
    MSR_PATCH = 0x8b, /* IA32_BIOS_SIGN_ID; AMD: patch level */
    MSR_XFD = 0x1c4,
    DEFAULT_SEED = 1,
};

/* A counter that nobody knows is taken for a slow one: the budget then ends early, never late. */
static const uint64_t slowest_hz = 1000000000;

static struct altpick_boot_options with_defaults(const struct altpick_boot_options *options)
{
    struct altpick_boot_options full = *options;

    if (!full.questions)
        full.n_questions = 0; /* the probe refuses it */
    if (!full.code_view)
        full.code_view = full.code;
    return full;
}

/* CPUID is asked once: in a virtual machine each of its leaves takes microseconds. */
static void plan_here(const struct altpick_boot_options *options, struct altpick_cpu *ret_cpu,
                      struct altpick_plan *ret_plan)
{
    altpick_cpu_read(&altpick_cpuid_native, ret_cpu);
    altpick_boot_plan(options, ret_cpu, ret_plan);
}

size_t altpick_boot_memory_bytes(const struct altpick_boot_options *options)
{
    struct altpick_boot_options full = with_defaults(options);
    struct altpick_cpu cpu;
    struct altpick_plan plan;

    plan_here(&full, &cpu, &plan);
    return altpick_boot_lay_out(&full, &plan, NULL, NULL);
}

size_t altpick_boot_code_bytes(const struct altpick_boot_options *options)
{
    struct altpick_boot_options full = with_defaults(options);
    struct altpick_cpu cpu;
    struct altpick_plan plan;

    plan_here(&full, &cpu, &plan);
    return altpick_live_arena_bytes(&plan, SLOTS);
}

/*
 * Whether code is seen as it is written: translators may run what was there before.  The arena is
 * the caller's, so that not even its permissions are known.
 */
static ALTPICK_SYSV int try_code(void *argument)
{
    const struct altpick_boot_run *run = argument;
    uint8_t *code = run->options.code;
    ALTPICK_SYSV uint32_t (*const call)(void) =
        (ALTPICK_SYSV uint32_t(*)(void))(uintptr_t) run->options.code_view;

    for (uint32_t value = 1; value <= 2; value++) {
        altpick_put(code, 1, 0xb8); /* mov eax, value; ret */
        altpick_put(code + 1, 4, value);
        altpick_put(code + 5, 1, 0xc3);
        altpick_live_iret();
        if (call() != value)
            return ALTPICK_EFAULT;
    }
    return ALTPICK_OK;
}

static void identify(struct altpick_boot_run *run)
{
    struct altpick_machine *machine = &run->machine;
    uint64_t known_hz =
        run->options.tsc_hz ? run->options.tsc_hz : altpick_boot_tsc_hz(&altpick_cpuid_native);

    if (known_hz < MHZ)
        known_hz = 0; /* CPUID of a virtual machine may say anything */
    machine->tsc_hz = (known_hz + MHZ / 2) / MHZ * MHZ;
    run->ret->tsc_hz = known_hz ? known_hz : slowest_hz;
    altpick_machine_describe(machine, run->ring0.level);
    run->ret->ring = run->ring0.level;
}

static void set_end(struct altpick_boot_run *run)
{
    uint64_t per_us = run->ret->tsc_hz / MHZ, most = UINT64_MAX - run->start_ticks;

    run->end_ticks = run->options.budget_us && run->options.budget_us <= most / per_us
                         ? run->start_ticks + run->options.budget_us * per_us
                         : UINT64_MAX;
}

/* As a host does: the profile says what the verdict rests on where there are no costs. */
static void warn_of_reasons(struct altpick_boot_run *run)
{
    struct altpick_machine *machine = &run->machine;

    for (size_t i = 0; i < run->verdict.n_reasons; i++) {
        char *text;

        if (machine->n_warnings == ALTPICK_WARNINGS_MAX)
            return;
        text = machine->warnings[machine->n_warnings++];
        altpick_append(text, ALTPICK_REASON_MAX, altpick_trust_name(run->verdict.trust));
        altpick_append(text, ALTPICK_REASON_MAX, ": ");
        altpick_append(text, ALTPICK_REASON_MAX, run->verdict.reason[i]);
    }
}

static void judge(struct altpick_boot_run *run)
{
    const struct altpick_trust_effort effort = {.rounds = run->plan.brief ? TRUST_ROUNDS : 0,
                                                .deadline_ticks = run->end_ticks};
    char *text = run->reason_text;

    altpick_trust_measure(&run->machine.cpu, &effort, &run->figures);
    altpick_trust_judge(&run->figures, &run->machine.cpu, &run->verdict);
    run->machine.trust = run->verdict.trust;
    run->machine.quantum_ticks = run->figures.quantum_ticks;
    run->keeps_costs = altpick_trust_is_usable(run->verdict.trust);
    if (!run->keeps_costs)
        warn_of_reasons(run);
    altpick_append(text, sizeof run->reason_text, "the timing environment is ");
    altpick_append(text, sizeof run->reason_text, altpick_trust_name(run->verdict.trust));
    run->reason = text;
}

/* The family of an Intel's microcode revision is in the upper half (SDM vol. 3, 9.11.7). */
static uint32_t microcode_of(struct altpick_boot_run *run)
{
    uint64_t value = 0;

    altpick_ring0_read_msr(&run->ring0, MSR_PATCH, &value);
    return (uint32_t) (value >> 32 ? value >> 32 : value);
}

/* Components whose use raises #NM, by the caller's IA32_XFD (SDM vol. 1, 13.14). */
static uint64_t switched_off(struct altpick_boot_run *run)
{
    uint64_t value = 0;
    uint32_t regs[4];

    if (!altpick_cpu_has(&run->machine.cpu, ALTPICK_CPU_OSXSAVE))
        return 0;
    altpick_cpuid_native.cpuid(NULL, 0xd, 1, regs);
    if (regs[ALTPICK_CPU_EAX] >> 4 & 1)
        altpick_ring0_read_msr(&run->ring0, MSR_XFD, &value);
    return value;
}

/* An MSR that cannot be read is a hypervisor's, or of a kernel beneath ring 3: they have set it. */
static bool fences_wait(struct altpick_boot_run *run)
{
    uint64_t value;

    return !altpick_clock_needs_fence_bit(&run->machine.cpu, &altpick_cpuid_native) ||
           !altpick_ring0_read_msr(&run->ring0, ALTPICK_CLOCK_FENCE_MSR, &value) ||
           value & ALTPICK_CLOCK_FENCE_BIT;
}

static void keep_no_costs(struct altpick_boot_run *run, const char *reason)
{
    run->keeps_costs = false;
    run->reason = reason;
}

/* What comes after the verdict: state that interpreters of ring 0 cannot do is touched from here.
 */
static int take_state(struct altpick_boot_run *run)
{
    int r = altpick_ring0_take_state(&run->ring0);

    if (r < 0)
        return r;
    if (run->ring0.our_xcr0 != run->machine.cpu.xcr0)
        altpick_cpu_read(&altpick_cpuid_native, &run->machine.cpu);
    run->machine.cpu.microcode = microcode_of(run);
    altpick_xstate_read(&altpick_cpuid_native, &run->machine.cpu, ~switched_off(run), &run->xstate);
    if (run->keeps_costs && !fences_wait(run))
        keep_no_costs(run, "LFENCE does not wait here: bit 1 of MSR C001_1029 is clear");
    run->runs = altpick_ring0_try_masked(&run->ring0, try_code, run) == 0;
    if (!run->runs)
        keep_no_costs(run, "code is not run as it is written, or faults");
    return ALTPICK_OK;
}

/* Not in an interpreter, nor where there was no time to see whether this is one. */
static bool may_take_state(const struct altpick_boot_run *run)
{
    return run->options.rehearse ||
           (run->verdict.trust != ALTPICK_TRUST_INTERPRETED && !run->figures.out_of_time);
}

static int decide_first(struct altpick_boot_run *run)
{
    uint64_t start = altpick_clock_start();
    int r;

    altpick_policy_local(&run->policy);
    altpick_output_begin(run->options.questions, run->options.n_questions, 0, &run->output);
    run->output.machine = &run->machine;
    r = altpick_boot_decide_defaults(run);
    run->decide_ticks = altpick_clock_start() - start;
    run->decide_ticks += run->decide_ticks / 4; /* with figures it takes longer */
    return r;
}

static ALTPICK_SYSV int probe(void *argument)
{
    struct altpick_boot_run *run = argument;
    int r = ALTPICK_OK;

    identify(run);
    set_end(run);
    judge(run);
    if (may_take_state(run))
        r = take_state(run);
    if (r == 0)
        r = altpick_boot_begin(run);
    if (r == 0)
        r = decide_first(run);
    if (r == 0)
        r = altpick_boot_measure(run);
    if (r == 0)
        r = altpick_boot_decide(run);
    return r;
}

/* Whether all went well, as far as the code of the library goes. */
static int outcome(const struct altpick_boot_run *run, int r)
{
    if (r == 1)
        return ALTPICK_EFAULT;
    for (size_t i = 0; i < run->options.n_questions && r == 0; i++) {
        if (run->questions[i].broken)
            return ALTPICK_EFAULT;
    }
    return r == 0 && !run->keeps_costs ? ALTPICK_EUNTRUSTED : r;
}

static void fill(const struct altpick_boot_run *run, struct altpick_boot *ret)
{
    ret->trust = run->verdict;
    ret->choices = run->choices;
    ret->n_choices = run->n_choices;
    ret->step_ticks = run->step_ticks;
    ret->spent_ticks = altpick_clock_stop() - run->start_ticks;
}

static void request_of(const struct altpick_boot_run *run, struct altpick_ring0_request *ret)
{
    const struct altpick_boot_options *options = &run->options;

    *ret = (struct altpick_ring0_request){
        .xcr0 = options->xcr0,
        .area = run->area,
        .stack_end = run->stack + ALTPICK_BOOT_STACK_BYTES,
        .vector = options->deadline_vector,
        .timer = options->deadline,
        .interrupts_off = options->interrupts_off,
        .interrupts_restore = options->interrupts_restore,
        .ctx = options->ctx,
    };
}

static bool overlap(uintptr_t a, size_t a_bytes, uintptr_t b, size_t b_bytes)
{
    return a < b ? b - a < a_bytes : a - b < b_bytes;
}

/* What would have taken gates, memory or time that are not the library's. */
static bool are_usable(const struct altpick_boot_options *options)
{
    uintptr_t code = (uintptr_t) options->code, view = (uintptr_t) options->code_view;

    if (!options->questions || options->n_questions == 0 || (code | view) % PAGE_BYTES ||
        (options->tsc_hz && options->tsc_hz < MHZ))
        return false;
    if (options->deadline_vector &&
        (options->deadline_vector < ALTPICK_RING0_FAULTS || !options->deadline))
        return false;
    return !options->memory || !code ||
           !(overlap((uintptr_t) options->memory, options->memory_bytes, code,
                     options->code_bytes) ||
             overlap((uintptr_t) options->memory, options->memory_bytes, view,
                     options->code_bytes));
}

int altpick_boot_probe(const struct altpick_boot_options *options, struct altpick_boot *ret_boot)
{
    uint64_t start_ticks = altpick_clock_start();
    struct altpick_boot_options full = with_defaults(options);
    struct altpick_boot boot = {0};
    struct altpick_ring0_request request;
    struct altpick_boot_run *run;
    struct altpick_cpu cpu;
    struct altpick_plan plan;
    uint64_t cr4;
    int r;

    if (!are_usable(&full))
        return ALTPICK_EUSAGE;
    plan_here(&full, &cpu, &plan);
    if (!full.memory || !full.code ||
        altpick_boot_lay_out(&full, &plan, NULL, NULL) > full.memory_bytes ||
        altpick_live_arena_bytes(&plan, SLOTS) > full.code_bytes)
        return ALTPICK_ENOSPACE;
    altpick_boot_lay_out(&full, &plan, full.memory, &run);
    run->machine.cpu = cpu;
    run->options = full;
    run->options.seed = full.seed ? full.seed : (uint32_t) start_ticks | DEFAULT_SEED;
    run->start_ticks = start_ticks;
    run->ret = &boot;
    request_of(run, &request);
    cr4 = altpick_cpu_stop_cet();
    r = altpick_ring0_enter(&run->ring0, &request);
    if (r == 0) {
        r = altpick_ring0_try(&run->ring0, probe, run);
        altpick_ring0_leave(&run->ring0);
        r = outcome(run, r);
    }
    altpick_cpu_resume_cet(cr4);
    boot.machine = &run->machine;
    boot.output = &run->output;
    fill(run, &boot);
    if (r == 0 || r == ALTPICK_EUNTRUSTED)
        *ret_boot = boot;
    return r;
}

const struct altpick_boot_choice *altpick_boot_find(const struct altpick_boot *boot,
                                                    const char *item)
{
    for (size_t i = 0; i < boot->n_choices; i++) {
        if (altpick_equal(boot->choices[i].item, item))
            return &boot->choices[i];
    }
    return NULL;
}
