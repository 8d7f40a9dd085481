/* SPDX-License-Identifier: MIT */
/* Reading the guests of these tests, and whether there is a machine to run them on. */
#ifndef ALTPICK_TESTS_KVM_GUESTS_H
#define ALTPICK_TESTS_KVM_GUESTS_H

#include "file.h"
#include "test.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/kvm.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { GUEST_BYTES_MAX = 1 << 20, SKIPPED = 77 };

/* The file of @guest, freed by the caller. */
static inline char *read_guest(const char *guest, size_t *ret_bytes)
{
    struct altpick_diag diag;
    char path[1024], *image;

    snprintf(path, sizeof path, GUESTS_DIR "/guest-%s.elf", guest);
    assert_int_equal(altpick_file_read(path, GUEST_BYTES_MAX, &image, ret_bytes, &diag), 0);
    return image;
}

/* Why there can be no virtual machine here; NULL: there can. */
static inline const char *why_no_machine(void)
{
    int kvm = open("/dev/kvm", O_RDWR | O_CLOEXEC), vm;
    const char *why = NULL;

    if (kvm < 0)
        return strerror(errno);
    vm = ioctl(kvm, KVM_CREATE_VM, 0);
    if (vm < 0)
        why = strerror(errno);
    else
        close(vm);
    close(kvm);
    return why;
}

/* A main() that is skipped, with the reason, where there is no virtual machine. */
#define KVM_TEST_MAIN(...)                                                                         \
    int main(int argc, char **argv)                                                                \
    {                                                                                              \
        const struct CMUnitTest tests[] = {__VA_ARGS__};                                           \
        const char *why = why_no_machine();                                                        \
        if (why) {                                                                                 \
            printf("skipped: no virtual machine by /dev/kvm: %s\n", why);                          \
            return SKIPPED;                                                                        \
        }                                                                                          \
        if (argc > 1)                                                                              \
            cmocka_set_test_filter(argv[1]);                                                       \
        return cmocka_run_group_tests(tests, NULL, NULL);                                          \
    }

#endif
