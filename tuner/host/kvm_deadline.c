/* SPDX-License-Identifier: MIT */
/* Ends a guest after its time, without a race between looking at the clock and entering it. */
#include "kvm_parts.h"

#include "diag.h"

#include <errno.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { KERNEL_SIGSET_BYTES = 8, MS_PER_S = 1000, NS_PER_MS = 1000000 };

/* Nobody who started us sends it, as somebody may with SIGALRM. */
static int deadline_signal(void)
{
    return SIGRTMIN;
}

/* In the guest all is blocked that is blocked outside, but this one signal. */
static int unblock_in_guest(int vcpu, const sigset_t *outside)
{
    union {
        struct kvm_signal_mask mask;
        uint8_t bytes[sizeof(struct kvm_signal_mask) + KERNEL_SIGSET_BYTES];
    } with = {.mask.len = KERNEL_SIGSET_BYTES};
    sigset_t inside = *outside;

    sigdelset(&inside, deadline_signal());
    memcpy(with.bytes + offsetof(struct kvm_signal_mask, sigset), &inside, KERNEL_SIGSET_BYTES);
    return ioctl(vcpu, KVM_SET_SIGNAL_MASK, &with.mask);
}

int altpick_kvm_deadline_start(int vcpu, uint32_t time_ms,
                               struct altpick_kvm_deadline *ret_deadline, struct altpick_diag *diag)
{
    struct altpick_kvm_deadline deadline = {.armed = true};
    struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = deadline_signal()};
    const struct itimerspec when = {
        .it_value = {.tv_sec = time_ms / MS_PER_S,
                     .tv_nsec = (long) (time_ms % MS_PER_S) * NS_PER_MS}
    };
    sigset_t set;

    event._sigev_un._tid = gettid();
    if (timer_create(CLOCK_MONOTONIC, &event, &deadline.timer) < 0)
        return altpick_fail(diag, ALTPICK_EIO, "no timer to end the virtual machine by: %s",
                            strerror(errno));
    sigemptyset(&set);
    sigaddset(&set, deadline_signal());
    pthread_sigmask(SIG_BLOCK, &set, &deadline.before);
    if (unblock_in_guest(vcpu, &deadline.before) < 0 ||
        timer_settime(deadline.timer, 0, &when, NULL) < 0) {
        int error = errno;

        altpick_kvm_deadline_fini(&deadline);
        return altpick_fail(diag, ALTPICK_EIO, "cannot set a time for the virtual machine: %s",
                            strerror(error));
    }
    *ret_deadline = deadline;
    return ALTPICK_OK;
}

/* Take the signal where it is pending, whoever sent it: it would keep the guest from running. */
static void take_signal(void)
{
    const struct timespec now = {0};
    sigset_t set;

    sigemptyset(&set);
    sigaddset(&set, deadline_signal());
    while (sigtimedwait(&set, NULL, &now) > 0 || errno == EINTR)
        ;
}

/* The timer is asked after the signal was taken: what it sends later is pending again. */
bool altpick_kvm_deadline_passed(const struct altpick_kvm_deadline *deadline)
{
    struct itimerspec left;

    take_signal();
    return timer_gettime(deadline->timer, &left) < 0 ||
           (left.it_value.tv_sec == 0 && left.it_value.tv_nsec == 0);
}

/* The signal may be pending, which its default action would make our end. */
void altpick_kvm_deadline_fini(struct altpick_kvm_deadline *deadline)
{
    if (!deadline->armed)
        return;
    timer_delete(deadline->timer);
    take_signal();
    pthread_sigmask(SIG_SETMASK, &deadline->before, NULL);
    deadline->armed = false;
}
