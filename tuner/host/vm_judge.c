/* SPDX-License-Identifier: MIT */
/* Judges ring 0 of virtual machines here, from inside one, and says in words what is wrong. */
#include "vm_parts.h"

#include "diag.h"
#include "judge/judge.h"
#include "leave.h"

#include <stdio.h>
#include <string.h>

enum { JUDGE_MS = 15000, LINE_BYTES = 256 }; /* it ends by itself after 5 s, or it hangs */

int altpick_vm_run(const struct altpick_kvm_options *kvm, struct altpick_kvm_end *ret_end,
                   char *ret_why, struct altpick_diag *diag)
{
    int r = altpick_kvm_run(kvm, ret_end, diag);

    if (r != ALTPICK_EFAULT && r != ALTPICK_ETIMEOUT)
        return r;
    snprintf(ret_why, ALTPICK_REASON_MAX,
             "ring 0 was not measured: a virtual machine of this host's KVM %s",
             r == ALTPICK_EFAULT ? "could not go on" : "did not end in its time");
    return ALTPICK_EUNTRUSTED;
}

int altpick_vm_distrust(enum altpick_trust trust, const char *reason, char *ret_why,
                        struct altpick_diag *diag)
{
    const char *name = altpick_trust_name(trust);

    snprintf(ret_why, ALTPICK_REASON_MAX,
             "ring 0 was not measured: in a virtual machine of this host's KVM it is %s", name);
    return altpick_fail(diag, ALTPICK_EUNTRUSTED,
                        "in a virtual machine of this host's KVM, ring 0 is %s%s%s%s, so that no "
                        "timing there is this CPU's",
                        name, reason ? " (" : "", reason ? reason : "", reason ? ")" : "");
}

/* The last line that was sent, without its end. */
static void last_line(const struct altpick_text *serial, size_t capacity, char *ret_line)
{
    size_t end = serial->bytes, start;

    while (end > 0 && strchr("\r\n", serial->data[end - 1]))
        end--;
    for (start = end; start > 0 && serial->data[start - 1] != '\n'; start--)
        ;
    snprintf(ret_line, capacity, "%.*s",
             (int) (end - start < capacity ? end - start : capacity - 1),
             serial->data ? serial->data + start : "");
}

int altpick_vm_failed(const struct altpick_kvm_end *end, char *ret_why, struct altpick_diag *diag)
{
    char line[LINE_BYTES];

    last_line(&end->serial, sizeof line, line);
    snprintf(ret_why, ALTPICK_REASON_MAX,
             "ring 0 was not measured: the boot program failed in a virtual machine of KVM");
    return altpick_fail(diag, ALTPICK_EUNTRUSTED,
                        "the boot program failed in its virtual machine (0x%x): '%s'", end->code,
                        line);
}

/* What follows @head at the start of the first line that begins with it; false: there is none. */
static bool find_line(const char *text, const char *head, size_t capacity, char *ret_rest)
{
    while (text && strncmp(text, head, strlen(head)) != 0) {
        text = strchr(text, '\n');
        text = text ? text + 1 : NULL;
    }
    if (!text)
        return false;
    text += strlen(head);
    snprintf(ret_rest, capacity, "%.*s", (int) strcspn(text, "\r\n"), text);
    return true;
}

static bool find_trust(const char *text, enum altpick_trust *ret_trust)
{
    char name[LINE_BYTES];

    if (!find_line(text, ALTPICK_JUDGE_TRUST, sizeof name, name))
        return false;
    for (unsigned t = 0; t < ALTPICK_N_TRUSTS; t++) {
        if (strcmp(name, altpick_trust_name(t)) == 0) {
            *ret_trust = (enum altpick_trust) t;
            return true;
        }
    }
    return false;
}

int altpick_vm_judge(const struct altpick_vm_program *program, char *ret_why,
                     struct altpick_diag *diag)
{
    const struct altpick_kvm_options kvm = {
        .device = program->device,
        .image = program->judge,
        .image_bytes = (size_t) (program->judge_end - program->judge),
        .time_ms = JUDGE_MS,
    };
    struct altpick_kvm_end end = {0};
    char reason[LINE_BYTES];
    enum altpick_trust trust;
    int r = altpick_vm_run(&kvm, &end, ret_why, diag);

    if (r < 0)
        return r;
    if ((end.code != BOOT_LEAVE_DONE && end.code != BOOT_LEAVE_UNTRUSTED) ||
        !find_trust(end.serial.data, &trust))
        r = altpick_vm_failed(&end, ret_why, diag);
    else if (!altpick_trust_is_usable(trust))
        r = altpick_vm_distrust(
            trust,
            find_line(end.serial.data, ALTPICK_JUDGE_REASON, sizeof reason, reason) ? reason : NULL,
            ret_why, diag);
    altpick_text_fini(&end.serial);
    return r;
}
