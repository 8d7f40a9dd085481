/* SPDX-License-Identifier: MIT */
/* Runs a command to which one thing is denied: deny exec-memory|memfd|affinity COMMAND... */
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

/* System call arguments are 64 bits; the flags looked at here are in the low, first half. */
#define LOAD(field)     BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, field))
#define LOAD_ARG(n)     LOAD(args[n])
#define IF(op, k, t, f) BPF_JUMP(BPF_JMP | (op) | BPF_K, (k), (t), (f))
#define RETURN(k)       BPF_STMT(BPF_RET | BPF_K, (k))
#define ALLOW           RETURN(SECCOMP_RET_ALLOW)
#define DENY(err)       RETURN(SECCOMP_RET_ERRNO | (err))

/*
 * Shared or anonymous memory that can be executed, mapped so or made so later.  The dynamic loader
 * maps files privately, which stays allowed.
 */
static struct sock_filter exec_memory[] = {
    LOAD(nr),
    IF(BPF_JEQ, SYS_mprotect, 6, 0),
    IF(BPF_JEQ, SYS_pkey_mprotect, 5, 0),
    IF(BPF_JEQ, SYS_mmap, 0, 6),
    LOAD_ARG(2),
    IF(BPF_JSET, PROT_EXEC, 0, 4),
    LOAD_ARG(3),
    IF(BPF_JSET, MAP_SHARED | MAP_ANONYMOUS, 3, 2),
    LOAD_ARG(2), /* mprotect */
    IF(BPF_JSET, PROT_EXEC, 1, 0),
    ALLOW,
    DENY(EACCES),
};

static struct sock_filter memfd[] = {
    LOAD(nr),
    IF(BPF_JEQ, SYS_memfd_create, 1, 0),
    ALLOW,
    DENY(ENOSYS),
};

static struct sock_filter affinity[] = {
    LOAD(nr),
    IF(BPF_JEQ, SYS_sched_setaffinity, 1, 0),
    ALLOW,
    DENY(EPERM),
};

#define PROGRAM(filter)                                                                            \
    {                                                                                              \
        sizeof(filter) / sizeof *(filter), (filter)                                                \
    }

static const struct {
    const char *name;
    struct sock_fprog program;
} denials[] = {
    {"exec-memory", PROGRAM(exec_memory)},
    {"memfd",       PROGRAM(memfd)      },
    {"affinity",    PROGRAM(affinity)   },
};

static const struct sock_fprog *find(const char *name)
{
    for (size_t i = 0; i < sizeof denials / sizeof *denials; i++) {
        if (strcmp(denials[i].name, name) == 0)
            return &denials[i].program;
    }
    return NULL;
}

int main(int argc, char **argv)
{
    const struct sock_fprog *program = argc > 2 ? find(argv[1]) : NULL;

    if (!program) {
        fprintf(stderr, "usage: deny exec-memory|memfd|affinity COMMAND...\n");
        return 2;
    }
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
        prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, program) != 0) {
        perror("deny: seccomp");
        return 77; /* skipped: this system has no filters */
    }
    execvp(argv[2], argv + 2);
    perror(argv[2]);
    return 127;
}
