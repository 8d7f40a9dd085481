/* SPDX-License-Identifier: MIT */
/* Fuzz target: a file, packed or not, inspected and printed in full, as text and as JSON. */
#define _GNU_SOURCE /* memfd_create */
#include "fuzz.h"

#include "inspect.h"

#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

static int drop(void *ctx, const char *text, size_t bytes)
{
    (void) ctx;
    (void) text;
    (void) bytes;
    return 0;
}

static void inspect(const char *path, bool as_json)
{
    const struct altpick_inspect_wish wish = {.with_records = true, .with_census = true};
    struct altpick_out out = {.write = drop};
    struct altpick_diag diag = {.text = ""};
    struct altpick_json json;

    altpick_json_init(&json, &out);
    if (altpick_inspect_file(path, &wish, as_json ? &json : NULL, &out, &diag) < 0)
        FUZZ_CHECK(diag.text[0] && json.depth == 0);
    FUZZ_CHECK(out.err == 0 && json.depth == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    char path[32];
    int fd = memfd_create("input", MFD_CLOEXEC);

    if (fd < 0)
        return 0;
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    if (write(fd, data, n) == (ssize_t) n) {
        inspect(path, false);
        inspect(path, true);
    }
    close(fd);
    return 0;
}
