/* SPDX-License-Identifier: MIT */
/* Fuzz target: any bytes as a policy file; one that is refused changes nothing. */
#include "fuzz.h"

#include "policy_read.h"

#include "altpick/policy.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    struct altpick_policy policy, before;
    struct altpick_diag diag = {.text = ""};

    memset(&policy, 0, sizeof policy);
    altpick_policy_init(&policy);
    memcpy(&before, &policy, sizeof before);
    if (altpick_policy_parse("input", (const char *) data, n, &policy, &diag) < 0)
        FUZZ_CHECK(diag.text[0] && memcmp(&before, &policy, sizeof before) == 0);
    else
        altpick_policy_check(&policy, &diag);
    return 0;
}
