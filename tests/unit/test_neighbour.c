/* SPDX-License-Identifier: MIT */
/* Another CPU that works on the same data: it does while it is asked to, and never else. */
#define _GNU_SOURCE /* sets of CPUs */
#include "neighbour.h"

#include "looked.h"
#include "machine.h"

#include <sched.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static const struct altpick_candidate inc[] = {
    {.name = "inc", /* lock inc dword [rdi] */
     .code = {0xf0, 0xff, 0x07},
     .code_bytes = 3,
     .data = ALTPICK_DATA_COUNTER},
};

static size_t candidates(const struct altpick_question *self,
                         struct altpick_candidate ret[ALTPICK_CANDIDATES_MAX])
{
    (void) self;
    memcpy(ret, inc, sizeof inc);
    return 1;
}

static const struct altpick_question question = {
    .name = "test.contended",
    .bits = 64,
    .conditions = 1u << ALTPICK_WARM | 1u << ALTPICK_CONTENDED,
    .unranked = 1u << ALTPICK_CONTENDED,
    .may_change = 1u << ALTPICK_REGISTER_FLAGS,
    .candidates = candidates,
};

static const struct altpick_block block = {
    .kind = ALTPICK_BLOCK_FILL, .condition = ALTPICK_CONTENDED, .candidate = inc, .copies = 4};
static const struct altpick_block other = {.kind = ALTPICK_BLOCK_CANARY, .copies = 4};

static void one_allowed_cpu_has_no_neighbour(void **state)
{
    cpu_set_t before, one;
    (void) state;

    assert_int_equal(sched_getaffinity(0, sizeof before, &before), 0);
    CPU_ZERO(&one);
    CPU_SET((size_t) sched_getcpu(), &one);
    assert_int_equal(sched_setaffinity(0, sizeof one, &one), 0);
    assert_int_equal(altpick_neighbour_cpu(-1), -1);
    assert_null(altpick_neighbour_new(-1));
    assert_int_equal(sched_setaffinity(0, sizeof before, &before), 0);
    for (int cpu = 0; cpu < 4; cpu++)
        assert_int_not_equal(altpick_neighbour_cpu(cpu), cpu);
}

static uint32_t counter_of(const struct looked *looked)
{
    const volatile uint32_t *counter =
        (void *) altpick_live_data(&looked->hosted.live, ALTPICK_DATA_COUNTER);

    return *counter;
}

/* In a process of its own, which the thread ends with. */
static void work_beside_it(struct altpick_neighbour *neighbour)
{
    const struct altpick_timer *timer;
    struct looked looked;
    uint64_t ticks = 0;
    uint32_t before;

    looked_begin(&looked, &question);
    altpick_neighbour_join(neighbour, &looked.hosted.live);
    timer = &looked.hosted.timer;
    assert_int_equal(timer->place(timer->ctx, &block), 0);
    assert_int_equal(timer->place(timer->ctx, &other), 0);
    assert_int_equal(timer->sync(timer->ctx), 0);
    assert_int_equal(timer->time(timer->ctx, &block, 1, &ticks), 0);
    if (ticks == 0) /* others kept the thread from its CPU */
        _exit(EXIT_SUCCESS);

    before = counter_of(&looked);
    while (counter_of(&looked) - before < 1000)
        ; /* it goes on by itself */
    assert_int_equal(timer->time(timer->ctx, &other, 1, &ticks), 0);
    before = counter_of(&looked);
    for (unsigned i = 0; i < 100000; i++)
        assert_int_equal(counter_of(&looked), before);

    assert_int_equal(timer->time(timer->ctx, &block, 1, &ticks), 0);
    assert_int_equal(timer->place(timer->ctx, &block),
                     0); /* before its code changes it stops, too */
    before = counter_of(&looked);
    for (unsigned i = 0; i < 100000; i++)
        assert_int_equal(counter_of(&looked), before);
    timer->time(timer->ctx, &block, 1, &ticks);
    _exit(EXIT_SUCCESS);
}

static void it_works_while_asked_and_ends_with_its_process(void **state)
{
    struct altpick_neighbour *neighbour;
    int status = 0;
    pid_t child;
    (void) state;

    neighbour = altpick_neighbour_new(altpick_neighbour_cpu(-1));
    if (!neighbour)
        skip();
    child = fork();
    if (child == 0) {
        alarm(20);
        altpick_machine_pin(-1);
        work_beside_it(neighbour);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    altpick_neighbour_free(neighbour);
}

static struct altpick_condition_facts contended_of(struct altpick_neighbour *neighbour)
{
    struct altpick_hosted_session hosted = {
        .question = &question, .seed = 1, .stuck_ms = 1000, .deadline_ticks = UINT64_MAX};
    struct altpick_condition_facts facts;
    struct altpick_result result = {0};
    struct altpick_diag diag = {{0}};
    struct altpick_cpu cpu;

    altpick_cpu_read(&altpick_cpuid_native, &cpu);
    hosted.cpu = &cpu;
    altpick_plan_init(&cpu, false, &hosted.plan);
    hosted.plan.extra_batches = 0;
    altpick_neighbour_join(neighbour, &hosted.live);
    assert_int_equal(altpick_hosted_session_run(&hosted, &diag), 0);
    assert_int_equal(altpick_hosted_session_result(&hosted, &result, &diag), 0);
    facts = result.condition[ALTPICK_CONTENDED];
    assert_int_equal(hosted.children_lost, 0);
    free(result.candidates);
    altpick_hosted_session_fini(&hosted);
    return facts;
}

static void without_a_neighbour_the_condition_is_left_out_and_says_so(void **state)
{
    struct altpick_condition_facts facts = contended_of(NULL);
    (void) state;

    assert_int_equal(facts.status, ALTPICK_STATUS_UNMEASURED);
    assert_string_equal(facts.reason, "needs a second CPU that this process may use");
}

static void with_one_it_is_measured_unless_others_have_its_cpu(void **state)
{
    struct altpick_neighbour *neighbour = altpick_neighbour_new(altpick_neighbour_cpu(-1));
    struct altpick_condition_facts facts;
    (void) state;

    if (!neighbour)
        skip();
    facts = contended_of(neighbour);
    if (facts.status != ALTPICK_STATUS_MEASURED)
        assert_string_equal(facts.reason, "the second CPU was busy with other work");
    altpick_neighbour_free(neighbour);
}

ALTPICK_TEST_MAIN(cmocka_unit_test(one_allowed_cpu_has_no_neighbour),
                  cmocka_unit_test(it_works_while_asked_and_ends_with_its_process),
                  cmocka_unit_test(without_a_neighbour_the_condition_is_left_out_and_says_so),
                  cmocka_unit_test(with_one_it_is_measured_unless_others_have_its_cpu))
