/* SPDX-License-Identifier: MIT */
/* Runs a boot program by altpick_kvm_run() and prints what it says: run FILE SECONDS WORD... */
#include "file.h"
#include "kvm.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { IMAGE_BYTES_MAX = 16 << 20, LINE_BYTES = 1024, WORDS_FROM = 3 };

int main(int argc, char **argv)
{
    struct altpick_kvm_options options = {.device = "/dev/kvm"};
    struct altpick_kvm_end end = {0};
    struct altpick_diag diag;
    char line[LINE_BYTES] = "", *image;

    if (argc < WORDS_FROM ||
        altpick_file_read(argv[1], IMAGE_BYTES_MAX, &image, &options.image_bytes, &diag) < 0) {
        puts("usage: run FILE SECONDS WORD...");
        return 2;
    }
    for (int i = WORDS_FROM; i < argc; i++) {
        strncat(line, argv[i], sizeof line - 1 - strlen(line));
        strncat(line, " ", sizeof line - 1 - strlen(line));
    }
    options.image = (const uint8_t *) image;
    options.command_line = line;
    options.time_ms = (uint32_t) strtoul(argv[2], NULL, 10) * 1000;
    if (altpick_kvm_run(&options, &end, &diag) < 0) {
        puts(diag.text);
        return 1;
    }
    fputs(end.serial.data ? end.serial.data : "", stdout);
    printf("left with 0x%x\n", end.code);
    altpick_text_fini(&end.serial);
    free(image);
    return 0;
}
