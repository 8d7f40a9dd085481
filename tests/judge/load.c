/* SPDX-License-Identifier: MIT */
/*
 * A busy neighbour, pinned, that ends with the process that started it:
 * load spin|stream CPU PARENT.  Prints "ready" once it is under way.
 */
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

enum { STREAM_BYTES = 256 << 20, LINE_BYTES = 64 };

static _Noreturn void spin(void)
{
    for (volatile uint32_t i = 0;; i++)
        ;
}

/* A store to each line of more memory than any cache holds: all of it is read and written back. */
static _Noreturn void stream(volatile uint8_t *memory)
{
    for (uint8_t value = 0;; value++) {
        for (size_t i = 0; i < STREAM_BYTES; i += LINE_BYTES)
            memory[i] = value;
    }
}

static void pin(int cpu)
{
    cpu_set_t set;

    CPU_ZERO(&set);
    if (cpu >= 0 && cpu < CPU_SETSIZE)
        CPU_SET((size_t) cpu, &set);
    if (sched_setaffinity(0, sizeof set, &set) != 0) {
        perror("load: affinity");
        exit(EXIT_FAILURE);
    }
}

static void ready(void)
{
    puts("ready");
    fflush(stdout);
}

int main(int argc, char **argv)
{
    uint8_t *memory;

    if (argc != 4 || (strcmp(argv[1], "spin") != 0 && strcmp(argv[1], "stream") != 0)) {
        fprintf(stderr, "usage: load spin|stream CPU PARENT\n");
        return 2;
    }
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != atoi(argv[3]))
        return EXIT_FAILURE; /* the parent is gone already */
    pin(atoi(argv[2]));
    if (strcmp(argv[1], "spin") == 0) {
        ready();
        spin();
    }
    memory = mmap(NULL, STREAM_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) {
        perror("load: memory");
        return EXIT_FAILURE;
    }
    memset(memory, 1, STREAM_BYTES); /* page faults are over before it is ready */
    ready();
    stream(memory);
}
