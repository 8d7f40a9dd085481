/* SPDX-License-Identifier: MIT */
/* The census of a file against bare decoding of the same sections, both in this one run. */
#include "elf/census.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <Zydis/Zydis.h>

enum { ROUNDS = 7 };

/* CPU time, of which a busy neighbour takes none. */
static double now(void)
{
    struct timespec time;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return (double) time.tv_sec + (double) time.tv_nsec * 1e-9;
}

/* Instruction-only decoding, stepping over what does not decode; returns the instructions. */
static size_t decode(const struct altpick_image *image)
{
    ZydisDecodedInstruction in;
    ZydisDecoder decoder;
    size_t n = 0;

    ZydisDecoderInit(&decoder,
                     image->code_is_64 ? ZYDIS_MACHINE_MODE_LONG_64 : ZYDIS_MACHINE_MODE_LEGACY_32,
                     image->code_is_64 ? ZYDIS_STACK_WIDTH_64 : ZYDIS_STACK_WIDTH_32);
    for (size_t i = 1; i < image->n_sections; i++) {
        const struct altpick_section *section = &image->sections[i];

        if (!altpick_section_is_code(section))
            continue;
        for (size_t at = 0; at < section->bytes;) {
            bool is_good = ZYAN_SUCCESS(ZydisDecoderDecodeInstruction(
                &decoder, NULL, section->data + at, section->bytes - at, &in));

            at += is_good ? in.length : 1u;
            n += is_good;
        }
    }
    return n;
}

int main(int argc, char **argv)
{
    static struct altpick_census census;
    double bare = 1e9, with_census = 1e9;
    struct altpick_diag diag;
    struct altpick_image image;
    size_t n = 0;

    if (argc != 2 || altpick_image_open(argv[1], &image, &diag) < 0) {
        fprintf(stderr, "census_speed: %s\n", argc != 2 ? "usage: census_speed FILE" : diag.text);
        return 2;
    }
    for (int i = 0; i < ROUNDS; i++) {
        double start = now(), middle, end;

        n = decode(&image);
        middle = now();
        if (altpick_census_image(&image, &census, &diag) < 0)
            return 2;
        end = now();
        bare = middle - start < bare ? middle - start : bare;
        with_census = end - middle < with_census ? end - middle : with_census;
    }
    printf("census: %.4f s, bare decoding: %.4f s, ratio %.3f (at most 1.2)\n", with_census, bare,
           with_census / bare);
    if (n != census.instructions)
        printf("census_speed: %zu instructions decoded, %llu counted\n", n,
               (unsigned long long) census.instructions);
    altpick_image_close(&image);
    return n == census.instructions && with_census <= 1.2 * bare ? 0 : 1;
}
