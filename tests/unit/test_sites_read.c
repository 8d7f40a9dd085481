/* SPDX-License-Identifier: MIT */
/* Lists of sites: what their lines say, in which order, and what is refused. */
#define _GNU_SOURCE
#include "sites_list.h"
#include "test.h"

static void lines_become_sites(void **state)
{
    static const char text[] = "# a comment\n"
                               "\n"
                               " \t_a.b$9\t40 refcount.inc 3*32+5 not # the rest\n"
                               "other 254 nop.fill.64 always\n"
                               "x 1 nop.fill.64 1023 implies=sse,avx xcr0=0xE7 inverted#";
    struct altpick_site_list list;
    struct altpick_diag diag;
    (void) state;

    /* The last line says what is absent and what it implies. */
    assert_int_equal(read_text("linux14", text, &list, &diag), ALTPICK_EFORMAT);
    assert_string_equal(diag.text, "sites:5: implies: speaks of CPUs that have a feature, and this "
                                   "is for those without");

    assert_int_equal(read_bytes("linux14", text, sizeof text - sizeof " inverted#", &list, &diag),
                     ALTPICK_OK);
    assert_int_equal(list.n_lines, 3);
    assert_string_equal(list.lines[0].site.symbol, "_a.b$9");
    assert_string_equal(list.lines[0].site.item, "refcount.inc");
    assert_int_equal(list.lines[0].site.bytes, 40);
    assert_int_equal(list.lines[0].site.feature, 101);
    assert_true(list.lines[0].site.inverted);
    assert_int_equal(list.lines[0].line, 3);
    assert_int_equal(list.lines[1].site.feature, 117);
    assert_true(list.lines[1].always);
    assert_int_equal(list.lines[2].site.feature, 1023);
    assert_int_equal(list.lines[2].implied,
                     UINT64_C(1) << ALTPICK_CPU_SSE | UINT64_C(1) << ALTPICK_CPU_AVX);
    assert_int_equal(list.lines[2].xcr0, 0xe7);
    altpick_site_list_fini(&list);
}

static void numbers_are_the_layouts_own(void **state)
{
    struct altpick_site_list list;
    struct altpick_diag diag;
    (void) state;

    assert_int_equal(read_text("xen14", "s 9 nop.fill.64 always pad=9", &list, &diag), ALTPICK_OK);
    assert_int_equal(list.lines[0].site.feature, 93);
    assert_int_equal(list.lines[0].site.padding_bytes, 9);
    altpick_site_list_fini(&list);
    assert_int_equal(read_text("altpick", "s 255 nop.fill.64 - pad=0", &list, &diag), ALTPICK_OK);
    assert_false(list.lines[0].always);
    altpick_site_list_fini(&list);
}

static void lines_of_one_site_come_together(void **state)
{
    static const char text[] = "b 8 i 1\na 8 i 1\nb 8 i 2\nc 8 i 1\na 8 i 1 not\nb 8 i 2 not\n";
    static const size_t order[] = {1, 3, 6, 2, 5, 4};
    struct altpick_site_list list;
    struct altpick_diag diag;
    (void) state;

    assert_int_equal(read_text("linux12", text, &list, &diag), ALTPICK_OK);
    assert_int_equal(list.n_lines, 6);
    for (size_t i = 0; i < 6; i++)
        assert_int_equal(list.lines[i].line, order[i]);
    altpick_site_list_fini(&list);
}

/* What is refused, and the whole message. */
static const struct {
    const char *layout, *text, *message;
} refused[] = {
    {"linux14", "",                                 "sites: there is no site in it"                                       },
    {"linux14", "# none\n\n",                       "sites: there is no site in it"                                       },
    {"linux14", "ok 8 i 1\n9s 8 i 1",               "sites:2: '9s' is no name of a symbol"                                },
    {"linux14", "a@b 8 i 1",                        "sites:1: 'a@b' is no name of a symbol"                               },
    {"linux14", "a-b 8 i 1",                        "sites:1: 'a-b' is no name of a symbol"                               },
    {"linux14", "\xc3\xa4 8 i 1",                   "sites:1: '\xc3\xa4' is no name of a symbol"                          },
    {"linux14", ".Ls 8 i 1",                        "sites:1: '.Ls' is local to its file, as all symbols with .L"         },
    {"linux14", "s 8 i",
     "sites:1: a site is its symbol, length, item and feature; here are 3 of four"                                        },
    {"linux14", "s 0 i 1",                          "sites:1: '0' is no length from 1 to 254, as layout linux14 has them" },
    {"linux14", "s 255 i 1",
     "sites:1: '255' is no length from 1 to 254, as layout linux14 has them"                                              },
    {"altpick", "s 256 i -",
     "sites:1: '256' is no length from 1 to 255, as layout altpick has them"                                              },
    {"linux14", "s 0x8 i 1",
     "sites:1: '0x8' is no length from 1 to 254, as layout linux14 has them"                                              },
    {"linux14", "s -8 i 1",                         "sites:1: '-8' is no length from 1 to 254, as layout linux14 has them"},
    {"linux14", "s 8 i 99999999999999999999",
     "sites:1: '99999999999999999999' is no feature: W*32+B with B up to 31, a number, or always"                         },
    {"linux14", "s 8 i 3*32+32",
     "sites:1: '3*32+32' is no feature: W*32+B with B up to 31, a number, or always"                                      },
    {"linux14", "s 8 i *32+1",
     "sites:1: '*32+1' is no feature: W*32+B with B up to 31, a number, or always"                                        },
    {"linux14", "s 8 i 3*32+1*32+1",
     "sites:1: '3*32+1*32+1' is no feature: W*32+B with B up to 31, a number, or always"                                  },
    {"linux14", "s 8 i -",
     "sites:1: '-' is no feature: W*32+B with B up to 31, a number, or always"                                            },
    {"linux14", "s 8 i 1024",
     "sites:1: feature 1024 is out of range: layout linux14 has 0 to 1023"                                                },
    {"linux12", "s 8 i 32*32+0",
     "sites:1: feature 32*32+0 is out of range: layout linux12 has 0 to 1023"                                             },
    {"xen14",   "s 8 i 32768",                      "sites:1: feature 32768 is out of range: layout xen14 has 0 to 1023"  },
    {"altpick", "s 8 i 1",                          "sites:1: '1': records of layout altpick have no feature: write -"    },
    {"altpick", "s 8 i - implies=sse",
     "sites:1: implies: in layout altpick the table tells what is needed"                                                 },
    {"altpick", "s 8 i - not",                      "sites:1: not: layout altpick has no such records"                    },
    {"linux13", "s 8 i 1 not",                      "sites:1: not: layout linux13 has no such records"                    },
    {"linux12", "s 8 i 1 direct-call",              "sites:1: direct-call: layout linux12 has no such records"            },
    {"linux12", "s 8 i 1 pad=1",                    "sites:1: pad: records of layout linux12 do not tell of padding"      },
    {"xen14",   "s 8 i 1 pad=9",                    "sites:1: pad: '9' is no number from 0 to the site's 8 bytes"         },
    {"xen14",   "s 8 i 1 pad=",                     "sites:1: pad: '' is no number from 0 to the site's 8 bytes"          },
    {"xen14",   "s 8 i 1 pad=1 pad=1",              "sites:1: 'pad=1' is given twice"                                     },
    {"xen14",   "s 8 i 1 not not",                  "sites:1: 'not' is given twice"                                       },
    {"xen14",   "s 8 i 1 pad",                      "sites:1: unknown flag 'pad'"                                         },
    {"xen14",   "s 8 i 1 nots",                     "sites:1: unknown flag 'nots'"                                        },
    {"xen14",   "s 8 i always not",
     "sites:1: every CPU has this feature, so this would never be applied"                                                },
    {"xen14",   "s 8 i 93 xcr0=0x3",
     "sites:1: xcr0: speaks of CPUs that have a feature, and this is for all"                                             },
    {"xen14",   "s 8 i 1 xcr0=3",                   "sites:1: xcr0: '3' is no mask of 64 bits such as 0x7"                },
    {"xen14",   "s 8 i 1 xcr0=0x",                  "sites:1: xcr0: '0x' is no mask of 64 bits such as 0x7"               },
    {"xen14",   "s 8 i 1 xcr0=0x10000000000000000",
     "sites:1: xcr0: '0x10000000000000000' is no mask of 64 bits such as 0x7"                                             },
    {"xen14",   "s 8 i 1 implies=",                 "sites:1: implies: '' is no feature that altpick knows"               },
    {"xen14",   "s 8 i 1 implies=sse,,avx",         "sites:1: implies: '' is no feature that altpick knows"               },
    {"xen14",   "s 8 i 1 implies=sse,nix",
     "sites:1: implies: 'nix' is no feature that altpick knows"                                                           },
    {"xen14",   "s 8 i 1 a=1 b c d e f g h i",      "sites:1: more than 12 fields"                                        },
    {"xen14",   "s 8 i 1\r\n",                      "sites:1: a carriage return: lines end in a line feed alone"          },
    {"xen14",   "s 8 i 1\x1b",                      "sites:1: a control character"                                        },
    {"xen14",   "# \x7f",                           "sites:1: a control character"                                        },
 /* Lines that contradict each other. */
    {"linux12", "s 8 i 1\ns 9 i 2",                 "sites:2: s: 9 bytes here, and 8 in line 1"                           },
    {"xen14",   "s 8 i 1 pad=1\nt 1 i 1\ns 8 i 2",
     "sites:3: s: 0 bytes of padding here, and 1 in line 1"                                                               },
    {"linux12", "s 8 i 33\ns 8 j 1*32+1",
     "sites:2: s: line 1 has this feature, too, and would never be seen"                                                  },
    {"linux12", "s 8 i 33\ns 8 j 117",
     "sites:2: s: this would always replace what line 1 puts there"                                                       },
    {"altpick", "s 8 i -\nt 8 i -\ns 8 i -",        "sites:3: s: line 1 has this site, too"                               },
};

static void what_is_wrong_is_told_with_its_line(void **state)
{
    (void) state;
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        struct altpick_site_list list;
        struct altpick_diag diag = {""};

        assert_int_equal(read_text(refused[i].layout, refused[i].text, &list, &diag),
                         ALTPICK_EFORMAT);
        assert_string_equal(diag.text, refused[i].message);
    }
}

static void nul_bytes_and_long_lines_are_refused(void **state)
{
    static char text[1100];
    struct altpick_site_list list;
    struct altpick_diag diag;
    (void) state;

    assert_int_equal(read_bytes("linux12", "s 8 i 1\0\n", 9, &list, &diag), ALTPICK_EFORMAT);
    assert_string_equal(diag.text, "sites:1: a NUL byte: this is no text");

    memset(text, ' ', sizeof text);
    memcpy(text, "s 8 i 1", 7);
    assert_int_equal(read_bytes("linux12", text, 1000, &list, &diag), ALTPICK_OK);
    altpick_site_list_fini(&list);
    assert_int_equal(read_bytes("linux12", text, 1001, &list, &diag), ALTPICK_EFORMAT);
    assert_string_equal(diag.text, "sites:1: longer than 1000 bytes");

    memset(text, 'a', 256);
    memcpy(text + 255, " 8 i 1", 7);
    assert_int_equal(read_text("linux12", text, &list, &diag), ALTPICK_OK);
    altpick_site_list_fini(&list);
    memset(text, 'a', 257);
    memcpy(text + 256, " 8 i 1", 7);
    assert_int_equal(read_text("linux12", text, &list, &diag), ALTPICK_EFORMAT);
    assert_non_null(strstr(diag.text, "is longer than 255 bytes"));
}

static void one_site_has_few_lines(void **state)
{
    char text[65 * 16] = "";
    struct altpick_site_list list;
    struct altpick_diag diag;
    (void) state;

    for (unsigned i = 0; i < 65; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "s 8 i %u\n", i);
    assert_int_equal(read_text("linux12", text, &list, &diag), ALTPICK_EFORMAT);
    assert_string_equal(diag.text, "sites:65: s: more than 64 lines");
}

/* Any text is read or refused with its name in the message, and nothing is left behind. */
static void any_text_is_read_or_refused(void **state)
{
    static const char *const words[] = {
        "s ",           "t ", "8 ", "nop.fill.64 ", "3*32+1 ",   "always ", "- ", "not ", "pad=8 ",
        "implies=sse ", "\n", "#",  "\t",           "xcr0=0x1 ", "=",       ",",  "\x01", "*32+"};
    static const char *const layouts[] = {"linux12", "linux13", "linux14", "xen14", "altpick"};
    uint32_t seed = 1;
    (void) state;

    for (unsigned round = 0; round < 2000; round++) {
        struct altpick_site_list list;
        struct altpick_diag diag = {""};
        char text[1024] = "";
        int r;

        for (unsigned i = 0; i < round % 40; i++) {
            seed = seed * 1664525 + 1013904223;
            strcat(text, words[(seed >> 16) % (sizeof words / sizeof *words)]);
        }
        r = read_text(layouts[round % 5], text, &list, &diag);
        if (r == ALTPICK_OK)
            altpick_site_list_fini(&list);
        else
            assert_int_equal(strncmp(diag.text, "sites:", 6), 0);
    }
}

ALTPICK_TEST_MAIN(cmocka_unit_test(lines_become_sites),
                  cmocka_unit_test(numbers_are_the_layouts_own),
                  cmocka_unit_test(lines_of_one_site_come_together),
                  cmocka_unit_test(what_is_wrong_is_told_with_its_line),
                  cmocka_unit_test(nul_bytes_and_long_lines_are_refused),
                  cmocka_unit_test(one_site_has_few_lines),
                  cmocka_unit_test(any_text_is_read_or_refused))
