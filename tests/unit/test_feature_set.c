/* SPDX-License-Identifier: MIT */
/* Features by number, by name, from /proc/cpuinfo and from a CPU's description; what is refused. */
#include "elf/feature_set.h"
#include "test.h"

#include <string.h>

/* Until 6.10: what is not quoted is shown by its own name. */
static const char old_header[] =
    "#define NCAPINTS\t\t22 /* N 32-bit words worth of info */\n"
    "#define X86_FEATURE_FPU\t\t( 0*32+ 0) /* Onboard FPU */\n"
    "#define X86_FEATURE_XMM3 (4*32+ 0) /* \"pni\" SSE-3 */\n"
    "#define X86_FEATURE_ALWAYS ( 3*32+21) /* \"\" Always-present feature */\n"
    "/* FREE, was #define X86_FEATURE_GONE ( 3*32+25) */\n"
    "#define X86_FEATURE_SMAP\t( 9*32+20) /* Supervisor Mode Access Prevention */\n"
    "#define X86_BUG(x)\t\t(NCAPINTS*32 + (x))\n"
    "#define X86_BUG_F00F\t\tX86_BUG(0) /* Intel F00F */\n"
    "#define X86_BUG_SRSO\t\tX86_BUG(1*32 + 0) /* AMD SRSO bug */\n"
    "#ifdef CONFIG_X86_32\n"
    "# define X86_BUG_ESPFIX\tX86_BUG(9) /* \"\" IRET */\n"
    "#endif\n";

/* Since 6.11: what is not quoted is hidden. */
static const char new_header[] =
    "#define NCAPINTS 22\n"
    "#define X86_FEATURE_FPU ( 0*32+ 0) /* \"fpu\" Onboard FPU */\n"
    "#define X86_FEATURE_XMM3 ( 4*32+ 0) /* \"pni\" SSE-3 */\n"
    "#define X86_FEATURE_ALWAYS ( 3*32+21) /* Always-present feature */\n"
    "#define X86_FEATURE_RETPOLINE (11*32+12) /* Generic Retpoline mitigation */\n"
    "#define X86_BUG_F00F X86_BUG(0) /* \"f00f\" Intel F00F */\n";

static struct altpick_feature_map map_of(const char *text)
{
    struct altpick_feature_map map = {.words = 0};
    struct altpick_diag diag;

    assert_int_equal(altpick_feature_map_parse("cpufeatures.h", text, &map, &diag), ALTPICK_OK);
    return map;
}

static unsigned number_of(const struct altpick_feature_map *map, const char *name)
{
    const struct altpick_feature_name *found = altpick_feature_map_find(map, name);

    assert_non_null(found);
    return found->number;
}

/* --- numbers ------------------------------------------------------------------------------------
 */

static void a_number_is_word_times_32_plus_bit(void **state)
{
    unsigned number = 0;
    (void) state;

    assert_true(altpick_feature_number("9*32+20", &number));
    assert_int_equal(number, 308);
    assert_true(altpick_feature_number("0*32+0", &number));
    assert_int_equal(number, 0);
    assert_true(altpick_feature_number("63*32+31", &number));
    assert_int_equal(number, 2047);
}

static void a_number_may_be_plain(void **state)
{
    struct altpick_features features = {.is_partial = false};
    unsigned number = 7;
    (void) state;

    assert_true(altpick_feature_number("308", &number));
    assert_int_equal(number, 308);
    assert_true(altpick_feature_number("0", &number));
    assert_int_equal(number, 0);
    assert_true(altpick_feature_number("2047", &number));
    assert_int_equal(number, 2047);
    assert_int_equal(altpick_features_item(&features, NULL, "!580"), ALTPICK_FEATURE_TAKEN);
    assert_true(altpick_features_is_told(&features, 580));
    assert_false(altpick_features_has(&features, 580));
    assert_int_equal(altpick_features_item(&features, NULL, "2048"), ALTPICK_FEATURE_NO_NUMBER);
    assert_int_equal(altpick_features_item(&features, NULL, "3dnow"), ALTPICK_FEATURE_NO_MAP);
}

static void what_is_no_number_is_refused(void **state)
{
    static const char *const each[] = {"",        "2048",    "9*32",      "9*32+",      "9*32+32",
                                       "64*32+0", "9*31+20", "9*32+20x",  "-9*32+2",    " 9*32+20",
                                       "9*32+-1", "smap",    "100*32+10", "9*32+111",   "308x",
                                       "-1",      "+5",      "0x10",      "99999999999"};
    unsigned number = 7;
    (void) state;

    for (size_t i = 0; i < sizeof each / sizeof *each; i++)
        assert_false(altpick_feature_number(each[i], &number));
    assert_int_equal(number, 7);
}

static void the_feature_that_is_always_there_always_is(void **state)
{
    struct altpick_features features = {.is_partial = false};
    (void) state;

    assert_true(altpick_features_has(&features, ALTPICK_FEATURE_ALWAYS));
    altpick_features_set(&features, ALTPICK_FEATURE_ALWAYS, false);
    assert_true(altpick_features_has(&features, ALTPICK_FEATURE_ALWAYS));
    assert_false(altpick_features_has(&features, 5));
    assert_false(altpick_features_has(&features, 1000000));
}

/* --- the map ------------------------------------------------------------------------------------
 */

static void names_of_a_header_have_their_numbers(void **state)
{
    struct altpick_feature_map map = map_of(old_header);
    (void) state;

    assert_int_equal(number_of(&map, "smap"), 9 * 32 + 20);
    assert_int_equal(number_of(&map, "SMAP"), 9 * 32 + 20);
    assert_int_equal(number_of(&map, "X86_FEATURE_SMAP"), 9 * 32 + 20);
    assert_int_equal(number_of(&map, "pni"), 4 * 32);
    assert_int_equal(number_of(&map, "xmm3"), 4 * 32);
    assert_int_equal(number_of(&map, "f00f"), 22 * 32);
    assert_int_equal(number_of(&map, "X86_BUG_SRSO"), 23 * 32);
    assert_int_equal(number_of(&map, "espfix"), 22 * 32 + 9);
    assert_null(altpick_feature_map_find(&map, "gone"));
    assert_null(altpick_feature_map_find(&map, "X86_BUG_SMAP"));
    assert_string_equal(altpick_feature_map_name(&map, 9 * 32 + 20)->name, "smap");
    assert_null(altpick_feature_map_name(&map, 12));
    assert_null(altpick_feature_map_name(NULL, 12));
    altpick_feature_map_fini(&map);
}

static void what_cpuinfo_shows_follows_the_convention_of_the_header(void **state)
{
    struct altpick_feature_map map = map_of(old_header);
    (void) state;

    assert_non_null(altpick_feature_map_shown(&map, "fpu", false));
    assert_non_null(altpick_feature_map_shown(&map, "f00f", true));
    assert_null(altpick_feature_map_shown(&map, "xmm3", false));
    assert_null(altpick_feature_map_shown(&map, "always", false));
    assert_null(altpick_feature_map_shown(&map, "espfix", true));
    altpick_feature_map_fini(&map);

    map = map_of(new_header);
    assert_non_null(altpick_feature_map_shown(&map, "fpu", false));
    assert_null(altpick_feature_map_shown(&map, "retpoline", false));
    assert_int_equal(number_of(&map, "retpoline"), 11 * 32 + 12);
    altpick_feature_map_fini(&map);
}

static void a_header_tells_which_convention_it_follows(void **state)
{
    static const struct {
        const char *text;
        enum altpick_feature_convention convention;
    } each[] = {
        {old_header,                                                                                ALTPICK_SHOWN_UNLESS_EMPTY},
        {"#define X86_FEATURE_FPU (0) /* \"fpu\" */\n#define X86_FEATURE_VME (1) /* \"vme\" */\n"
         "#define X86_FEATURE_K8 (2) /* hidden */\n",                                      ALTPICK_SHOWN_IF_QUOTED   },
        {"#define X86_FEATURE_FPU (0) /* Onboard */\n#define X86_FEATURE_XMM3 (1) /* \"pni\" */\n",
         ALTPICK_SHOWN_UNCLEAR                                                                                                },
 /* A few of the older convention quote their own name, too. */
        {"#define X86_FEATURE_IBPB (0) /* \"ibpb\" */\n#define X86_FEATURE_K8 (1) /* \"\" */\n",
         ALTPICK_SHOWN_UNLESS_EMPTY                                                                                           },
    };
    (void) state;

    for (size_t i = 0; i < sizeof each / sizeof *each; i++) {
        struct altpick_feature_map map = map_of(each[i].text);

        assert_int_equal(map.convention, each[i].convention);
        altpick_feature_map_fini(&map);
    }
}

static void a_bad_header_is_refused_with_its_line(void **state)
{
    static const char *const each[][2] = {
        {"",                                                                 "cpufeatures.h: no #define X86_FEATURE_"},
        {"int main;\n",                                                      "cpufeatures.h: no #define X86_FEATURE_"},
        {"\n#define X86_FEATURE_A 7\n",                                      "cpufeatures.h:2: A: its number"        },
        {"#define X86_FEATURE_A (1*32+32)\n",                                "cpufeatures.h:1: A: its number"        },
        {"#define X86_FEATURE_A (64*32+0)\n",                                "cpufeatures.h:1: A: its number"        },
        {"#define X86_FEATURE_A (1*31+2)\n",                                 "cpufeatures.h:1: A: its number"        },
        {"#define X86_FEATURE_A (1*32+2\n",                                  "cpufeatures.h:1: A: its number"        },
        {"#define X86_FEATURE_ (1*32+2)\n",                                  "cpufeatures.h:1: "                     },
        {"#define X86_BUG_A X86_BUG(2)\n",                                   "cpufeatures.h:1: A: NCAPINTS"          },
        {"#define NCAPINTS x\n",                                             "cpufeatures.h:1: NCAPINTS"             },
        {"#define NCAPINTS 65\n",                                            "cpufeatures.h:1: NCAPINTS"             },
        {"#define X86_FEATURE_A (1*32+2)\n#define X86_FEATURE_A (1*32+3)\n",
         "cpufeatures.h:2: a: has another number"                                                                    },
    };
    struct altpick_feature_map map = {.words = 99};
    struct altpick_diag diag;
    (void) state;

    for (size_t i = 0; i < sizeof each / sizeof *each; i++) {
        assert_int_equal(altpick_feature_map_parse("cpufeatures.h", each[i][0], &map, &diag),
                         ALTPICK_EFORMAT);
        assert_int_equal(strncmp(diag.text, each[i][1], strlen(each[i][1])), 0);
    }
    assert_int_equal(map.words, 99);
}

/* --- lists --------------------------------------------------------------------------------------
 */

static void later_items_of_a_list_override_earlier_ones(void **state)
{
    struct altpick_feature_map map = map_of(old_header);
    struct altpick_features features = {.is_partial = false};
    struct altpick_diag diag;
    (void) state;

    assert_int_equal(altpick_features_list(&features, &map, "list",
                                           "# a machine\nsmap, 1*32+2\t pni # SSE-3\r\n\n"
                                           "!9*32+20,!0*32+0,1*32+3#4*32+5\n,,",
                                           &diag),
                     ALTPICK_OK);
    assert_false(altpick_features_has(&features, 9 * 32 + 20));
    assert_true(altpick_features_is_told(&features, 9 * 32 + 20));
    assert_true(altpick_features_has(&features, 1 * 32 + 2));
    assert_true(altpick_features_has(&features, 1 * 32 + 3));
    assert_true(altpick_features_has(&features, 4 * 32));
    assert_false(altpick_features_has(&features, 4 * 32 + 5));
    assert_false(altpick_features_is_told(&features, 4 * 32 + 5));
    assert_false(features.is_partial);
    altpick_feature_map_fini(&map);
}

static void a_bad_list_is_refused_with_its_line(void **state)
{
    struct altpick_feature_map map = map_of(old_header);
    struct altpick_features features = {.is_partial = false};
    struct altpick_diag diag;
    (void) state;

    assert_int_equal(altpick_features_list(&features, &map, "list", "smap\nsmop\n", &diag),
                     ALTPICK_EFORMAT);
    assert_string_equal(diag.text, "list:2: 'smop' is no feature or bug of the map");
    assert_int_equal(altpick_features_list(&features, NULL, "list", "\n\nsmap\n", &diag),
                     ALTPICK_EFORMAT);
    assert_string_equal(diag.text, "list:3: 'smap' is a name, and names need --cpufeatures");
    assert_int_equal(altpick_features_list(&features, &map, "list", "9*32+99", &diag),
                     ALTPICK_EFORMAT);
    assert_string_equal(diag.text,
                        "list:1: '9*32+99' is neither W*32+B with W below 64 and B below 32 nor a "
                        "number below 2048");
    altpick_feature_map_fini(&map);
}

/* --- a CPU's own words --------------------------------------------------------------------------
 */

static const char cpuinfo[] = "processor\t: 0\nvendor_id\t: GenuineIntel\n"
                              "flags\t\t: fpu pni newthing\nbugs\t\t: srso\n\n"
                              "processor\t: 1\nflags\t\t: smap\n";

static void cpuinfo_tells_what_it_shows_and_no_more(void **state)
{
    struct altpick_feature_map map = map_of(old_header);
    struct altpick_features features = {.is_partial = false};
    struct altpick_diag diag;
    (void) state;

    assert_true(altpick_features_is_cpuinfo(cpuinfo));
    assert_false(altpick_features_is_cpuinfo("flags smap\n"));
    assert_int_equal(altpick_features_cpuinfo(&features, &map, "cpuinfo", cpuinfo, &diag),
                     ALTPICK_OK);
    assert_true(features.is_partial);
    assert_true(altpick_features_has(&features, 0));
    assert_true(altpick_features_has(&features, 4 * 32));
    assert_false(altpick_features_has(&features, 9 * 32 + 20)); /* of the second CPU */
    assert_true(altpick_features_is_told(&features, 9 * 32 + 20));
    assert_true(altpick_features_has(&features, 23 * 32));
    assert_false(altpick_features_is_told(&features, 22 * 32 + 9)); /* never shown */
    assert_int_equal(features.n_strangers, 1);
    assert_string_equal(features.strangers[0].name, "newthing");
    assert_false(features.strangers[0].is_bug);
    assert_true(altpick_features_is_unknown(&features, 22 * 32 + 9));
    assert_false(altpick_features_is_unknown(&features, 9 * 32 + 20));
    altpick_feature_map_fini(&map);
}

static void a_bug_that_the_map_lacks_is_known_as_one(void **state)
{
    struct altpick_feature_map map = map_of(old_header);
    struct altpick_features features = {.is_partial = false};
    struct altpick_diag diag;
    (void) state;

    assert_int_equal(altpick_features_cpuinfo(&features, &map, "cpuinfo",
                                              "flags : fpu one two\nbugs : srso three\n", &diag),
                     ALTPICK_OK);
    assert_int_equal(features.n_strangers, 3);
    assert_false(features.strangers[1].is_bug);
    assert_string_equal(features.strangers[2].name, "three");
    assert_true(features.strangers[2].is_bug);
    altpick_feature_map_fini(&map);
}

static void a_complete_list_leaves_nothing_unknown(void **state)
{
    struct altpick_features features = {.is_partial = false};
    (void) state;

    assert_false(altpick_features_is_unknown(&features, 5));
    features.is_partial = true;
    assert_true(altpick_features_is_unknown(&features, 5));
    assert_false(altpick_features_is_unknown(&features, ALTPICK_FEATURE_ALWAYS));
    altpick_features_set(&features, 5, false);
    assert_false(altpick_features_is_unknown(&features, 5));
}

static void cpuinfo_needs_a_map_and_flags(void **state)
{
    struct altpick_feature_map map = map_of(old_header);
    struct altpick_features features = {.is_partial = false};
    struct altpick_diag diag;
    (void) state;

    assert_int_equal(altpick_features_cpuinfo(&features, NULL, "cpuinfo", cpuinfo, &diag),
                     ALTPICK_EUSAGE);
    assert_non_null(strstr(diag.text, "--cpufeatures"));
    assert_true(altpick_features_is_cpuinfo("processor\t: 0\nbugs : x\n"));
    assert_int_equal(
        altpick_features_cpuinfo(&features, &map, "cpuinfo", "processor\t: 0\nbugs : x\n", &diag),
        ALTPICK_EFORMAT);
    assert_string_equal(diag.text,
                        "cpuinfo: it looks like /proc/cpuinfo and has no line 'flags : ...'");
    altpick_feature_map_fini(&map);
}

static void a_cpu_tells_the_words_that_linux_numbers_as_cpuid(void **state)
{
    struct altpick_cpu cpu = {.xcr0 = ALTPICK_XCR0_AVX};
    struct altpick_features features = {.is_partial = false};
    (void) state;

    cpu.features[ALTPICK_CPU_ERMS / 32] |= 1u << ALTPICK_CPU_ERMS % 32;
    cpu.features[ALTPICK_CPU_XSAVES / 32] |= 1u << ALTPICK_CPU_XSAVES % 32;
    cpu.features[ALTPICK_CPU_INVARIANT_TSC / 32] |= 1u << ALTPICK_CPU_INVARIANT_TSC % 32;
    altpick_features_cpu(&features, &cpu);
    assert_true(features.is_partial);
    assert_true(altpick_features_has(&features, 9 * 32 + 9));
    assert_true(altpick_features_has(&features, 10 * 32 + 3));
    assert_true(altpick_features_is_told(&features, 4 * 32 + 26)); /* XSAVE, absent */
    assert_false(altpick_features_has(&features, 4 * 32 + 26));
    assert_false(altpick_features_is_told(&features, 9 * 32 + 20)); /* not in a profile */
    assert_false(altpick_features_is_told(&features, 3 * 32 + 24)); /* Linux's own word */
}

ALTPICK_TEST_MAIN(cmocka_unit_test(a_number_is_word_times_32_plus_bit),
                  cmocka_unit_test(a_number_may_be_plain),
                  cmocka_unit_test(what_is_no_number_is_refused),
                  cmocka_unit_test(a_header_tells_which_convention_it_follows),
                  cmocka_unit_test(a_bug_that_the_map_lacks_is_known_as_one),
                  cmocka_unit_test(a_complete_list_leaves_nothing_unknown),
                  cmocka_unit_test(the_feature_that_is_always_there_always_is),
                  cmocka_unit_test(names_of_a_header_have_their_numbers),
                  cmocka_unit_test(what_cpuinfo_shows_follows_the_convention_of_the_header),
                  cmocka_unit_test(a_bad_header_is_refused_with_its_line),
                  cmocka_unit_test(later_items_of_a_list_override_earlier_ones),
                  cmocka_unit_test(a_bad_list_is_refused_with_its_line),
                  cmocka_unit_test(cpuinfo_tells_what_it_shows_and_no_more),
                  cmocka_unit_test(cpuinfo_needs_a_map_and_flags),
                  cmocka_unit_test(a_cpu_tells_the_words_that_linux_numbers_as_cpuid))
