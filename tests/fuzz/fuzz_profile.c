/* SPDX-License-Identifier: MIT */
/* Fuzz target: any bytes as a profile; what is accepted must be written and read again alike. */
#include "fuzz.h"

#include "profile_read.h"
#include "text.h"

#include "altpick/profile.h"

#include <string.h>

static void write_again(const struct altpick_profile *profile, struct altpick_text *ret_text)
{
    struct altpick_out out;

    altpick_text_init(ret_text, &out);
    altpick_profile_write(profile, &out);
    FUZZ_CHECK(out.err == ALTPICK_OK);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    struct altpick_profile profile = {.n_machines = 0}, again = {.n_machines = 0};
    struct altpick_text first, second;
    struct altpick_diag diag = {.text = ""};

    if (altpick_profile_parse("input", (const char *) data, n, &profile, &diag) < 0) {
        FUZZ_CHECK(diag.text[0]);
        return 0;
    }
    write_again(&profile, &first);
    FUZZ_CHECK(altpick_profile_parse("again", first.data, first.bytes, &again, &diag) ==
               ALTPICK_OK);
    write_again(&again, &second);
    FUZZ_CHECK(first.bytes == second.bytes && memcmp(first.data, second.data, first.bytes) == 0);
    altpick_text_fini(&first);
    altpick_text_fini(&second);
    altpick_profile_fini(&profile);
    altpick_profile_fini(&again);
    return 0;
}
