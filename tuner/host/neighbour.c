/* SPDX-License-Identifier: MIT */
/* Another CPU that works on the same data while a sample is timed: condition contended. */
#include "neighbour.h"

#include "live_run.h"
#include "machine.h"

#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum {
    PASS_TRIPS = 2,         /* between two looks at whether to stop */
    PATIENCE_NS = 50000000, /* of all waits in one process: then there is no neighbour */
    SPINS = 64,             /* between two looks at the clock */
    NAP_NS = 50000,
    SETTLE_NS = 20000,
};

/* Who may write it next: IDLE and RUNNING belong to begin() and end(), the others to the thread. */
enum state { IDLE, ASKED, RUNNING, ENDING };

struct altpick_neighbour {
    int cpu;
    pthread_t thread;
    bool started, absent;
    uint64_t waited_ns;
    struct altpick_live_call call;
    atomic_uint state; /* enum state */
};

static void futex(struct altpick_neighbour *neighbour, int op, unsigned value)
{
    syscall(SYS_futex, &neighbour->state, op | FUTEX_PRIVATE_FLAG, value, NULL, NULL, 0);
}

/*
 * Code written on another CPU is not seen until this one serialises (SDM vol. 3, 8.1.3); begin()
 * and end() see to it that nothing is written while it runs.
 */
static void *work(void *context)
{
    struct altpick_neighbour *neighbour = context;

    for (;;) {
        unsigned state = atomic_load(&neighbour->state);

        if (state != ASKED || !atomic_compare_exchange_strong(&neighbour->state, &state, RUNNING)) {
            futex(neighbour, FUTEX_WAIT, state);
            continue;
        }
        altpick_live_iret();
        do {
            altpick_live_run(&neighbour->call);
        } while (atomic_load(&neighbour->state) == RUNNING);
        atomic_store(&neighbour->state, IDLE);
    }
    return NULL;
}

static bool start(struct altpick_neighbour *neighbour)
{
    pthread_attr_t attributes;
    cpu_set_t set;
    int r;

    CPU_ZERO(&set);
    CPU_SET((size_t) neighbour->cpu, &set);
    pthread_attr_init(&attributes);
    r = pthread_attr_setaffinity_np(&attributes, sizeof set, &set);
    if (r == 0)
        r = pthread_create(&neighbour->thread, &attributes, work, neighbour);
    pthread_attr_destroy(&attributes);
    neighbour->started = r == 0;
    neighbour->absent = r != 0;
    return r == 0;
}

/* Whether the thread leaves @state while there is patience left. */
static bool wait_while(struct altpick_neighbour *neighbour, enum state state)
{
    uint64_t start_ns = 0, now_ns;

    for (unsigned spin = 1; atomic_load(&neighbour->state) == state; spin++) {
        __builtin_ia32_pause();
        if (spin % SPINS)
            continue;
        now_ns = altpick_machine_now_ns();
        if (start_ns == 0)
            start_ns = now_ns;
        neighbour->waited_ns += now_ns - start_ns;
        start_ns = now_ns;
        if (neighbour->waited_ns > PATIENCE_NS)
            return atomic_load(&neighbour->state) != state;
    }
    return true;
}

/* A sample without the other thread would be one of another condition: there is none then. */
static int begin(void *context, const struct altpick_live_call *call)
{
    struct altpick_neighbour *neighbour = context;
    unsigned asked = ASKED;

    if (neighbour->absent || (!neighbour->started && !start(neighbour)))
        return ALTPICK_LIVE_ALONE;
    neighbour->call = *call;
    neighbour->call.trips = PASS_TRIPS;
    atomic_store(&neighbour->state, ASKED);
    futex(neighbour, FUTEX_WAKE, 1);
    if (wait_while(neighbour, ASKED))
        return 0;
    neighbour->absent = true;
    return atomic_compare_exchange_strong(&neighbour->state, &asked, IDLE) ? ALTPICK_LIVE_ALONE : 0;
}

/* On its way to sleep it may still take throughput from this core. */
static void settle(void)
{
    uint64_t start_ns = altpick_machine_now_ns();

    while (altpick_machine_now_ns() - start_ns < SETTLE_NS)
        __builtin_ia32_pause();
}

/*
 * It must have stopped, because the code is about to be written anew.  Where others keep it from
 * its CPU for too long it comes to this one, which is left to it.
 */
static void end(void *context)
{
    static const struct timespec nap = {.tv_nsec = NAP_NS};
    struct altpick_neighbour *neighbour = context;
    cpu_set_t here;

    atomic_store(&neighbour->state, ENDING);
    if (wait_while(neighbour, ENDING)) {
        settle();
        return;
    }
    neighbour->absent = true;
    if (sched_getaffinity(0, sizeof here, &here) == 0)
        pthread_setaffinity_np(neighbour->thread, sizeof here, &here);
    while (atomic_load(&neighbour->state) == ENDING)
        nanosleep(&nap, NULL);
}

struct altpick_neighbour *altpick_neighbour_new(int cpu)
{
    struct altpick_neighbour *neighbour = cpu < 0 ? NULL : calloc(1, sizeof *neighbour);

    if (neighbour)
        neighbour->cpu = cpu;
    return neighbour;
}

void altpick_neighbour_free(struct altpick_neighbour *neighbour)
{
    free(neighbour);
}

void altpick_neighbour_join(struct altpick_neighbour *neighbour, struct altpick_live *live)
{
    live->neighbour = neighbour;
    live->neighbour_begin = neighbour ? begin : NULL;
    live->neighbour_end = neighbour ? end : NULL;
}

/* A number from the topology of @cpu; -1 where the system does not tell. */
static int topology(int cpu, const char *what)
{
    char path[128];
    int number = -1;
    FILE *f;

    snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%d/topology/%s", cpu, what);
    f = fopen(path, "re");
    if (!f)
        return -1;
    if (fscanf(f, "%d", &number) != 1)
        number = -1;
    fclose(f);
    return number;
}

/* The same package is better than another one, and that is better than the same core. */
static int worth(int cpu, int other)
{
    static const char package[] = "physical_package_id", core[] = "core_id";

    if (topology(cpu, package) != topology(other, package))
        return 2;
    return topology(cpu, core) >= 0 && topology(cpu, core) == topology(other, core) ? 1 : 3;
}

int altpick_neighbour_cpu(int cpu)
{
    int best = -1, best_worth = 0;
    cpu_set_t allowed;

    if (sched_getaffinity(0, sizeof allowed, &allowed) != 0)
        return -1;
    for (int i = 0; cpu < 0 && i < CPU_SETSIZE; i++) {
        if (CPU_ISSET((size_t) (CPU_SETSIZE - 1 - i), &allowed))
            cpu = CPU_SETSIZE - 1 - i;
    }
    for (int i = 0; i < CPU_SETSIZE; i++) {
        if (i == cpu || !CPU_ISSET((size_t) i, &allowed))
            continue;
        if (worth(cpu, i) > best_worth) {
            best = i;
            best_worth = worth(cpu, i);
        }
    }
    return best;
}
