/* SPDX-License-Identifier: MIT */
#include "elf/functions.h"

#include "test.h"

#include "elf/kallsyms.h"
#include "elf/orc.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- look-ups -----------------------------------------------------------------------------------
 */

static struct altpick_function some[] = {
    {.address = 0x1000,           .bytes = 0x10, .name = "first"},
    {.address = 0x1010,           .bytes = 0x20, .name = "same" },
    {.address = 0x1040,           .bytes = 0x10, .name = "same" },
    {.address = UINT64_MAX - 0xf, .bytes = 0x10, .name = "last" },
};
static struct altpick_map_symbol names[] = {
    {.address = 0x1000, .name = "first"},
    {.address = 0x1000, .name = "alias"},
    {.address = 0x1010, .name = "same" },
    {.address = 0x1010, .name = "same" },
    {.address = 0x1030, .name = NULL,    .type = ALTPICK_MAP_END},
    {.address = 0x1040,                 .name = "same"               },
    {.address = 0x1040,                 .name = "alias"},
    {.address = UINT64_MAX - 0xf,                 .name = "last"     },
};
static const struct altpick_functions linked = {
    .functions = some, .n = 4, .symbols = {.symbols = names, .n = 8}
};

static void an_address_has_the_function_that_holds_it(void **state)
{
    (void) state;

    assert_null(altpick_functions_at(&linked, 0));
    assert_null(altpick_functions_at(&linked, 0xfff));
    assert_ptr_equal(altpick_functions_at(&linked, 0x1000), &some[0]);
    assert_ptr_equal(altpick_functions_at(&linked, 0x100f), &some[0]);
    assert_ptr_equal(altpick_functions_at(&linked, 0x1010), &some[1]);
    assert_ptr_equal(altpick_functions_at(&linked, 0x102f), &some[1]);
    assert_null(altpick_functions_at(&linked, 0x1030));
    assert_null(altpick_functions_at(&linked, 0x103f));
    assert_ptr_equal(altpick_functions_at(&linked, 0x104f), &some[2]);
    assert_null(altpick_functions_at(&linked, 0x1050));
    assert_ptr_equal(altpick_functions_at(&linked, UINT64_MAX), &some[3]);
    assert_null(altpick_functions_in(&linked, 1, 0x1000));
}

static void without_functions_nothing_is_found(void **state)
{
    const struct altpick_functions none = {0};
    size_t count = 7;
    (void) state;

    assert_null(altpick_functions_at(&none, 0));
    assert_null(altpick_functions_find(&none, "first", &count));
    assert_int_equal(count, 0);
}

static void a_name_finds_all_functions_that_have_it(void **state)
{
    size_t count;
    (void) state;

    assert_ptr_equal(altpick_functions_find(&linked, "first", &count), &some[0]);
    assert_int_equal(count, 1);
    assert_ptr_equal(altpick_functions_find(&linked, "same", &count), &some[1]);
    assert_int_equal(count, 2); /* twice at one address is one function */
    assert_ptr_equal(altpick_functions_find_next(&linked, "same", &some[1]), &some[2]);
    assert_null(altpick_functions_find_next(&linked, "same", &some[2]));
    assert_null(altpick_functions_find(&linked, "firs", &count));
    assert_int_equal(count, 0);
}

static void a_name_is_found_where_it_is_an_alias(void **state)
{
    size_t count;
    (void) state;

    assert_ptr_equal(altpick_functions_find(&linked, "alias", &count), &some[0]);
    assert_int_equal(count, 2);
    assert_ptr_equal(altpick_functions_find_next(&linked, "alias", &some[0]), &some[2]);
}

static void sections_of_a_relocatable_file_keep_apart(void **state)
{
    struct altpick_function two[] = {
        {.address = 0, .bytes = 4, .section = 1},
        {.address = 0, .bytes = 8, .section = 3}
    };
    const struct altpick_functions functions = {.functions = two, .n = 2};
    (void) state;

    assert_ptr_equal(altpick_functions_in(&functions, 1, 3), &two[0]);
    assert_null(altpick_functions_in(&functions, 1, 4));
    assert_null(altpick_functions_in(&functions, 2, 0));
    assert_ptr_equal(altpick_functions_in(&functions, 3, 7), &two[1]);
    assert_null(altpick_functions_at(&functions, 0));
}

/* --- images -------------------------------------------------------------------------------------
 */

static const char *const kernels[] = {KERNELS}; /* what make_kernel.py wrote */

static uint8_t *load(const char *path, size_t *ret_bytes)
{
    FILE *f = fopen(path, "rb");
    uint8_t *bytes = malloc(1 << 20);

    assert_non_null(f);
    assert_non_null(bytes);
    *ret_bytes = fread(bytes, 1, 1 << 20, f);
    assert_true(*ret_bytes > 0 && *ret_bytes < 1 << 20);
    fclose(f);
    return bytes;
}

/* Whatever was read of @image: in order, apart, in code. */
static void assert_sane(const struct altpick_image *image,
                        const struct altpick_functions *functions)
{
    for (size_t i = 0; i < functions->n; i++) {
        const struct altpick_function *f = &functions->functions[i];
        const struct altpick_section *section = altpick_image_at(image, f->address, f->bytes);

        assert_true(f->bytes > 0);
        assert_non_null(section);
        assert_true(altpick_section_is_code(section));
        assert_true(i == 0 || f->address - f[-1].address >= f[-1].bytes);
        assert_ptr_equal(altpick_functions_at(functions, f->address + f->bytes - 1), f);
        assert_true(!f->name || f->name[0]);
    }
    assert_int_equal(functions->n > 0, functions->source != NULL);
}

/* Change some bytes of the kernel, most of them near each other, as a seed says. */
static void damage(uint8_t *bytes, size_t n, unsigned *seed)
{
    size_t from = 512 + (unsigned) rand_r(seed) % (n - 1024);
    int changes = 1 + rand_r(seed) % 4;

    for (int i = 0; i < changes; i++) {
        static const uint8_t values[] = {0, 1, 0x7f, 0x80, 0xff};
        size_t at = from + (unsigned) rand_r(seed) % 64;

        bytes[at] = rand_r(seed) % 2 ? values[(unsigned) rand_r(seed) % sizeof values]
                                     : (uint8_t) rand_r(seed);
    }
}

static void what_is_read_of_damaged_kernels_is_sane(void **state)
{
    (void) state;

    for (size_t k = 0; k < sizeof kernels / sizeof kernels[0]; k++) {
        size_t n, with_names = 0, without = 0;
        uint8_t *good = load(kernels[k], &n), *bytes = malloc(n);
        unsigned seed = (unsigned) k + 1;

        assert_non_null(bytes);
        for (int round = 0; round < ROUNDS; round++) {
            struct altpick_functions functions = {0};
            struct altpick_image image = {0};
            struct altpick_diag diag;

            memcpy(bytes, good, n);
            damage(bytes, n, &seed);
            if (altpick_image_view("damaged", bytes, n, &image, &diag) < 0)
                continue;
            if (altpick_functions_read(&image, NULL, &functions, &diag) == ALTPICK_OK) {
                assert_sane(&image, &functions);
                with_names += functions.n > 0 && functions.functions[0].name != NULL;
                without += functions.n == 0 || functions.functions[0].name == NULL;
            }
            altpick_functions_fini(&functions);
            altpick_image_close(&image);
        }
        assert_true(with_names > 0 && without > 0); /* or the damage hits nothing, or everything */
        free(bytes);
        free(good);
    }
}

static void an_orc_entry_outside_of_code_is_refused(void **state)
{
    struct altpick_symbol_map map = {.n = 77};
    const struct altpick_section *ip;
    struct altpick_image image = {0};
    struct altpick_diag diag;
    uint8_t *bytes;
    size_t n;
    (void) state;

    bytes = load(kernels[0], &n);
    assert_int_equal(altpick_image_view("kernel", bytes, n, &image, &diag), ALTPICK_OK);
    ip = altpick_image_section(&image, ".orc_unwind_ip");
    assert_non_null(ip);
    memset(bytes + ip->offset + 12, 0x11, 4);
    assert_int_equal(altpick_orc_read(&image, &map, &diag), ALTPICK_EFORMAT);
    assert_non_null(strstr(diag.text, "kernel: .orc_unwind_ip: entry 3, at offset 0xc: "));
    assert_int_equal(map.n, 77);
    altpick_image_close(&image);
    free(bytes);
}

static void a_missing_map_is_an_error_and_leaves_the_result_alone(void **state)
{
    struct altpick_functions functions = {.n = 77};
    struct altpick_image image = {0};
    struct altpick_diag diag;
    uint8_t *bytes;
    size_t n;
    (void) state;

    bytes = load(kernels[0], &n);
    assert_int_equal(altpick_image_view("kernel", bytes, n, &image, &diag), ALTPICK_OK);
    assert_int_equal(altpick_functions_read(&image, "/nonexistent/map", &functions, &diag),
                     ALTPICK_EIO);
    assert_non_null(strstr(diag.text, "/nonexistent/map"));
    assert_int_equal(functions.n, 77);
    altpick_image_close(&image);
    free(bytes);
}

ALTPICK_TEST_MAIN(cmocka_unit_test(an_address_has_the_function_that_holds_it),
                  cmocka_unit_test(without_functions_nothing_is_found),
                  cmocka_unit_test(a_name_finds_all_functions_that_have_it),
                  cmocka_unit_test(a_name_is_found_where_it_is_an_alias),
                  cmocka_unit_test(sections_of_a_relocatable_file_keep_apart),
                  cmocka_unit_test(what_is_read_of_damaged_kernels_is_sane),
                  cmocka_unit_test(an_orc_entry_outside_of_code_is_refused),
                  cmocka_unit_test(a_missing_map_is_an_error_and_leaves_the_result_alone))
