/* SPDX-License-Identifier: MIT */
/* Runs a fuzz target on every file of some folders, those of the first cut at every length, too. */
#include "fuzz.h"

#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { INPUT_MAX = 1 << 20, CUT_BELOW_BYTES = 2048 };

/* In memory of exactly that size, so that a sanitizer sees the first byte beyond. */
static void feed(const uint8_t *data, size_t n)
{
    uint8_t *exact = malloc(n ? n : 1);

    if (!exact)
        abort();
    if (n)
        memcpy(exact, data, n);
    LLVMFuzzerTestOneInput(exact, n);
    free(exact);
}

static int feed_file(const char *path, bool cuts)
{
    static uint8_t data[INPUT_MAX];
    FILE *file = fopen(path, "rb");
    size_t n;

    if (!file)
        return -1;
    n = fread(data, 1, sizeof data, file);
    fclose(file);
    feed(data, n);
    for (size_t cut = 0; cuts && n < CUT_BELOW_BYTES && cut < n; cut++)
        feed(data, cut);
    return 0;
}

int main(int argc, char **argv)
{
    unsigned n = 0;

    for (int i = 1; i < argc; i++) {
        DIR *folder = opendir(argv[i]);
        struct dirent *entry;

        if (!folder) {
            fprintf(stderr, "%s: no such folder\n", argv[i]);
            return 1;
        }
        while ((entry = readdir(folder))) {
            char path[4096];

            if (entry->d_name[0] == '.')
                continue;
            snprintf(path, sizeof path, "%s/%s", argv[i], entry->d_name);
            if (feed_file(path, i == 1) < 0) {
                fprintf(stderr, "%s: cannot be read\n", path);
                return 1;
            }
            n++;
        }
        closedir(folder);
    }
    printf("%u inputs\n", n);
    return n == 0;
}
