/* SPDX-License-Identifier: MIT */
/* Plays all scenes of a bare machine and reports them. */
#include "bare.h"

#include "bytes.h"
#include "check_run.h"
#include "port.h"
#include "services.h"
#include "switcher.h"

enum {
    TESTERS = 3,
    NAME_WIDTH = 15,
    INITIAL_EACH = 3,    /* every third round holds the initial state */
    TICK_LIMIT_MS = 200, /* for a tick to come */
    HEADER_AT = 512,
    ENVIRONMENT_BYTES = 28,
    MXCSR_FLAGS = 0x3f,
};
#define TICK_LIMIT_TICKS UINT64_C(2000000000) /* where the counter's rate is unknown */

static const char *const owner_names[ALTPICK_LEAK_OWNERS + 1] = {
    "a task without state", "first", "second", "interrupt handler",
    "the former owner",     "?",     "?",      "?",
};

/* One run; a program has one, which interrupts have to find. */
static struct run {
    const struct altpick_bare *bare;
    struct altpick_bare_words words;
    struct altpick_leak leak, second, planter;
    struct altpick_leak_findings findings, entry, unused;
    uint8_t *areas[2];
    volatile uint32_t ticks;
    unsigned not_tested;
    bool leaks;
} run;

void altpick_bare_see_entry(struct altpick_bare_entry *ret_entry)
{
    __asm__ volatile("fxsave64 %0" : "=m"(ret_entry->fx));
    __asm__ volatile(
        "fnstenv %0"
        : "=m"(*(uint8_t(*)[ENVIRONMENT_BYTES])(ret_entry->fx + ALTPICK_FX_ENVIRONMENT)));
}

void altpick_bare_see_rest(struct altpick_bare_entry *entry, struct altpick_xstate *ret_xstate)
{
    struct altpick_cpu cpu;

    altpick_cpu_read(&altpick_cpuid_native, &cpu);
    altpick_xstate_read(&altpick_cpuid_native, &cpu, UINT64_MAX, ret_xstate);
    altpick_leak_save(ret_xstate, entry->rest);
}

size_t altpick_bare_memory_bytes(const struct altpick_xstate *xstate)
{
    return TESTERS * altpick_leak_memory_bytes(xstate) + 2 * altpick_leak_area_bytes(xstate);
}

void altpick_bare_tick(void)
{
    run.ticks++;
    altpick_leak_plant_apply(&run.planter, ALTPICK_LEAK_HANDLER, (struct altpick_leak_state){0},
                             (struct altpick_leak_state){ALTPICK_BARE_HANDLER, 0});
}

static void say(const char *text)
{
    altpick_out_text(run.bare->out, text);
}

static void say_findings(const struct altpick_leak_findings *findings, const char *before)
{
    for (uint32_t i = 0; i < findings->n; i++) {
        say(before);
        altpick_leak_say(run.bare->out, &findings->finding[i], owner_names);
    }
}

/* The line of a scene, and what it found. */
static void report(const char *name, uint64_t times)
{
    say(name);
    for (size_t n = altpick_length(name); n < NAME_WIDTH; n++)
        say(" ");
    say(run.findings.n ? "leak, " : times ? "clean, " : "not tested, ");
    altpick_out_u64(run.bare->out, times);
    say(" times\n");
    say_findings(&run.findings, "LEAK ");
    if (run.leak.used) {
        say("  note: initial, but in use (XINUSE 0x");
        altpick_out_hex(run.bare->out, run.leak.used, 1);
        say(") in ");
        altpick_out_u64(run.bare->out, run.leak.n_used);
        say(" looks\n");
    }
    if (run.findings.lost)
        say("  note: more was found than there is room for\n");
    run.leaks = run.leaks || run.findings.n;
    run.not_tested += (times == 0 || run.findings.lost) && !run.findings.n;
    run.findings.n = 0;
    run.findings.lost = 0;
    run.leak.used = 0;
    run.leak.n_used = 0;
}

/* --- entry ------------------------------------------------------------------------------------ */

/*
 * What the program was started with: nothing is wrong with bits that firmware or a loader left,
 * but a hypervisor that hands a new guest those of a former one is.  So it is told, not judged.
 */
static void look_at_entry(void)
{
    const struct altpick_leak_trial trial = {.scene = "entry"}; /* wants the initial state */
    struct altpick_leak *leak = &run.second;

    leak->findings = &run.entry;
    altpick_leak_plant_splice_seen(leak, ALTPICK_LEAK_ENTRY,
                                   (struct altpick_leak_state){ALTPICK_BARE_FORMER, 0},
                                   run.areas[0]);
    altpick_leak_compare_all(leak, &trial, run.areas[0]);
    leak->findings = &run.unused;
    say(run.entry.n ? "entry          not everything was initial\n"
                    : "entry          everything was initial\n");
    say_findings(&run.entry, "LEFT ");
}

/* The components behind the legacy region as they were, and that region before them. */
static void save_entry(uint8_t *area)
{
    const struct altpick_xstate *xstate = run.bare->xstate;

    altpick_copy_bytes(area, run.bare->entry->rest, altpick_leak_area_bytes(xstate));
    altpick_copy_bytes(area, run.bare->entry->fx, ALTPICK_FX_ENVIRONMENT_END);
    area[HEADER_AT] |= xstate->has_xsave ? 3 : 0; /* what FXSAVE stored counts */
}

/* --- exits and interrupts --------------------------------------------------------------------- */

/* Hold a state, in some rounds the initial one, while @act is done; @round names the state. */
static void hold(const char *scene, uint32_t round, void (*act)(void *), void *ctx)
{
    struct altpick_leak_trial trial = {
        .scene = scene,
        .other = {ALTPICK_BARE_SECOND, 0},
        .action = act,
        .ctx = ctx,
    };

    if (round % INITIAL_EACH != 0)
        trial.holds = (struct altpick_leak_state){ALTPICK_BARE_FIRST,
                                                  (uint8_t) (round % ALTPICK_LEAK_GENERATIONS)};
    trial.wants = trial.holds;
    altpick_leak_try(&run.leak, &trial);
}

static void play_exits(void)
{
    for (unsigned i = 0; i < ALTPICK_BARE_EXITS; i++) {
        const struct altpick_bare_exit *one = &altpick_bare_exits[i];

        if (one->is_here && !one->is_here())
            continue;
        for (uint32_t round = 0; round < run.words.rounds; round++)
            hold(one->name, round, one->act, NULL);
        report(one->name, run.words.rounds);
    }
}

/* How long a tick may take, by the time-stamp counter. */
static uint64_t tick_limit(void)
{
    return run.bare->tsc_hz ? run.bare->tsc_hz / 1000 * TICK_LIMIT_MS : TICK_LIMIT_TICKS;
}

static void await_tick(void *ctx)
{
    const uint64_t start = boot_tsc(), limit = tick_limit();
    const uint32_t before = run.ticks;

    (void) ctx;
    if (!run.bare->interrupts)
        boot_interrupts_on();
    while (run.ticks == before && boot_tsc() - start < limit)
        __asm__ volatile("pause");
    if (!run.bare->interrupts)
        boot_interrupts_off();
}

/* Some interrupt ends each HLT: the timer's, which was seen to come. */
static void halt(void *ctx)
{
    const uint32_t before = run.ticks;

    (void) ctx;
    for (unsigned i = 0; i < 1000 && run.ticks == before; i++) {
        if (run.bare->interrupts)
            __asm__ volatile("hlt" : : : "memory");
        else
            __asm__ volatile("sti\n\thlt\n\tcli" : : : "memory");
    }
}

/* The number of ticks that came while states were held. */
static uint32_t play_with_timer(const char *name, void (*act)(void *))
{
    const uint32_t before = run.ticks;
    bool stopped = false;

    for (uint32_t round = 0; round < run.words.rounds && !stopped; round++) {
        uint32_t last = run.ticks;

        hold(name, round, act, NULL);
        stopped = run.ticks == last;
    }
    report(name, run.ticks - before);
    if (stopped && run.ticks != before) {
        say("  note: the timer stopped\n");
        run.not_tested++;
    }
    return run.ticks - before;
}

static void play_interrupts(void)
{
    const struct altpick_bare *bare = run.bare;

    if (!bare->timer_start || !bare->timer_start(bare->ctx)) {
        say("no timer: interrupts cannot be tested\n");
        run.not_tested++;
        return;
    }
    if (play_with_timer("interrupt", await_tick))
        play_with_timer("halt", halt);
    bare->timer_stop(bare->ctx);
}

/* --- switches --------------------------------------------------------------------------------- */

static void play_switches(void)
{
    const struct altpick_leak_switcher switcher = {
        .first = &run.leak,
        .second = &run.second,
        .planter = &run.planter,
        .first_area = run.areas[0],
        .second_area = run.areas[1],
        .scene = "switch",
        .between = altpick_bare_exits[0].act,
    };

    run.second.findings = &run.findings;
    for (uint32_t round = 0; round < run.words.rounds; round++)
        altpick_leak_switch_round(&switcher, round);
    run.second.findings = &run.unused;
    report("switch", run.words.rounds);
}

/* --- services --------------------------------------------------------------------------------- */

static void play_services(void)
{
    uint8_t *mxcsr = run.leak.mask + ALTPICK_FX_MXCSR, whole = *mxcsr;

    /* Its flags are results, which a service may leave; its settings are the caller's. */
    *mxcsr &= (uint8_t) ~MXCSR_FLAGS;
    for (unsigned i = 0; i < run.bare->n_services; i++) {
        const struct altpick_bare_service *service = &run.bare->services[i];

        for (uint32_t round = 0; round < run.words.rounds; round++)
            hold(service->name, round, service->call, run.bare->ctx);
        altpick_bare_keep_broken(&run.findings, run.bare->out, owner_names);
        report(service->name, run.words.rounds);
    }
    *mxcsr = whole;
}

/* --- all -------------------------------------------------------------------------------------- */

static void set_up(const struct altpick_bare *bare)
{
    const size_t bytes = altpick_leak_memory_bytes(bare->xstate);

    run.areas[0] = bare->memory + TESTERS * bytes;
    run.areas[1] = run.areas[0] + altpick_leak_area_bytes(bare->xstate);
    save_entry(run.areas[0]);
    altpick_leak_init(&run.leak, bare->xstate, &run.findings, bare->memory);
    altpick_leak_init_like(&run.second, &run.leak, &run.unused, bare->memory + bytes);
    altpick_leak_init_like(&run.planter, &run.leak, &run.unused, bare->memory + 2 * bytes);
    if (run.words.plant.where == ALTPICK_LEAK_NOWHERE)
        return;
    run.planter.plant = &run.words.plant;
    if (run.words.plant.where == ALTPICK_LEAK_ENTRY)
        run.second.plant = &run.words.plant;
}

enum altpick_bare_result altpick_bare_run(const struct altpick_bare *bare)
{
    run.bare = bare;
    if (!altpick_bare_words_read(bare->words, bare->out, &run.words))
        return ALTPICK_BARE_USAGE;
    set_up(bare);
    say("altpick-leak in ring 0, components 0x");
    altpick_out_hex(bare->out, bare->xstate->xcr0, 1);
    say("\n");
    altpick_leak_say_parts(bare->out, &run.leak);
    if (run.words.plant.where != ALTPICK_LEAK_NOWHERE &&
        !altpick_leak_plant_shows(&run.leak, &run.words.plant)) {
        say("altpick-leak: what is to be planted cannot be looked at here\n");
        return ALTPICK_BARE_NOT_TESTED;
    }
    look_at_entry();
    play_exits();
    play_interrupts();
    play_switches();
    play_services();
    if (run.leaks) {
        say("result: LEAK\n");
        return ALTPICK_BARE_LEAK;
    }
    say(run.not_tested ? "result: clean as far as tested; not all could be\n" : "result: clean\n");
    return run.not_tested ? ALTPICK_BARE_NOT_TESTED : ALTPICK_BARE_CLEAN;
}
