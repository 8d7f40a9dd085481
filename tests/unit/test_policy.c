/* SPDX-License-Identifier: MIT */
/* Policies: from files, from options, and refused. */
#include "altpick/nop.h"
#include "altpick/policy.h"
#include "document.h"
#include "json_read.h"
#include "policy_read.h"

#include "altpick/xstate.h"
#include "test.h"

static const struct altpick_question own_question = {
    .name = "own.question.64",
    .unranked = 1u << ALTPICK_CONTENDED,
    .conditions = 1u << ALTPICK_HOT | 1u << ALTPICK_L1I_MISS,
};

static const struct altpick_question another_question = {.name = "another"};

const struct altpick_question *__wrap_altpick_question_find(const char *name);
const struct altpick_question *__wrap_altpick_question_find(const char *name)
{
    return strcmp(name, own_question.name) == 0 ? &own_question : NULL;
}

static const char valid[] = "{\n"
                            "  \"format\": \"altpick-policy\",\n"
                            "  \"version\": 1,\n"
                            "  \"target\": \"this-cpu\",\n"
                            "  \"tie_margin_percent\": 2.5,\n"
                            "  \"max_nop\": 11,\n"
                            "  \"strict\": true,\n"
                            "  \"rebuild_world\": true,\n"
                            "  \"components\": [\"x87\", \"hi16-zmm\"],\n"
                            "  \"allow_lazy\": true,\n"
                            "  \"weights\": {\"own.question.64\": {\"hot\": 3, \"l1i-miss\": 0}},\n"
                            "  \"require\": {\"own.question.64\": [\"one-instruction\"]},\n"
                            "  \"pin\": {\"own.question.64.5\": \"0f1f.5\"}\n"
                            "}\n";

static void the_default_policy_weighs_all_conditions_alike(void **state)
{
    struct altpick_policy policy;
    (void) state;

    altpick_policy_init(&policy);
    assert_int_equal(policy.target, ALTPICK_TARGET_ANY_X86_64);
    assert_int_equal(policy.tie_margin_permille, 50);
    assert_int_equal(policy.max_nop_bytes, 0);
    assert_false(policy.strict);
    assert_false(policy.rebuild_world);
    assert_int_equal(altpick_policy_weight(&policy, &own_question, ALTPICK_HOT), 1);
}

/* 0F1F of 15 bytes: seven prefixes, which take many cycles on some published CPUs. */
static void only_the_local_policy_knows_nothing_of_other_cpus(void **state)
{
    struct altpick_policy policy;
    uint8_t code[ALTPICK_NOP_LONGEST];
    (void) state;

    altpick_nop_recommended(code, sizeof code);
    altpick_policy_init(&policy);
    assert_int_equal(altpick_policy_elsewhere(&policy, code, sizeof code), ALTPICK_ELSEWHERE_TOXIC);
    altpick_policy_local(&policy);
    assert_int_equal(policy.target, ALTPICK_TARGET_THIS_CPU);
    assert_int_equal(policy.tie_margin_permille, 50);
    assert_null(policy.elsewhere);
    assert_int_equal(altpick_policy_elsewhere(&policy, code, sizeof code), ALTPICK_ELSEWHERE_FINE);
}

static void a_file_sets_everything_it_names(void **state)
{
    struct altpick_policy policy;
    struct altpick_diag diag;
    (void) state;

    altpick_policy_init(&policy);
    assert_int_equal(altpick_policy_parse("p", valid, strlen(valid), &policy, &diag), ALTPICK_OK);
    assert_int_equal(policy.target, ALTPICK_TARGET_THIS_CPU);
    assert_int_equal(policy.tie_margin_permille, 25);
    assert_int_equal(policy.max_nop_bytes, 11);
    assert_true(policy.strict);
    assert_true(policy.rebuild_world);
    assert_true(policy.allow_lazy);
    assert_int_equal(policy.components,
                     1u << ALTPICK_COMPONENT_X87 | 1u << ALTPICK_COMPONENT_HI16_ZMM);
    assert_int_equal(altpick_policy_weight(&policy, &own_question, ALTPICK_HOT), 3);
    assert_int_equal(altpick_policy_weight(&policy, &own_question, ALTPICK_L1I_MISS), 0);
    assert_int_equal(altpick_policy_weight(&policy, &own_question, ALTPICK_WARM), 1);
    assert_int_equal(altpick_policy_weight(&policy, &another_question, ALTPICK_HOT), 1);
    assert_int_equal(policy.n_requires, 1);
    assert_string_equal(policy.requires[0].question, "own.question.64");
    assert_int_equal(policy.n_pins, 1);
    assert_string_equal(policy.pins[0].item, "own.question.64.5");
    assert_string_equal(policy.pins[0].candidate, "0f1f.5");
}

static void a_file_leaves_what_it_does_not_name(void **state)
{
    static const char empty[] = "{\"format\": \"altpick-policy\", \"version\": 1}";
    struct altpick_policy policy, before;
    struct altpick_diag diag;
    (void) state;

    altpick_policy_init(&policy);
    assert_int_equal(altpick_policy_parse("p", valid, strlen(valid), &policy, &diag), ALTPICK_OK);
    before = policy;
    assert_int_equal(altpick_policy_parse("p", empty, strlen(empty), &policy, &diag), ALTPICK_OK);
    assert_memory_equal(&policy, &before, sizeof policy);
}

static void an_option_replaces_the_entry_of_the_file(void **state)
{
    static const char *const options[][2] = {
        {"target",        "listed"                          },
        {"tie-margin",    "12.5"                            },
        {"max-nop",       "9"                               },
        {"strict",        NULL                              },
        {"rebuild-world", NULL                              },
        {"components",    "xmm,ymm"                         },
        {"allow-lazy",    NULL                              },
        {"weight",        "own.question.64.hot=7"           },
        {"weight",        "another.question.hot=0"          },
        {"require",       "own.question.64=one-instruction" },
        {"require",       "another.question=one-instruction"},
        {"pin",           "own.question.64.5=90x5"          },
        {"pin",           "own.question.64.6=90x6"          },
    };
    struct altpick_policy policy;
    struct altpick_diag diag;
    (void) state;

    altpick_policy_init(&policy);
    assert_int_equal(altpick_policy_parse("p", valid, strlen(valid), &policy, &diag), ALTPICK_OK);
    for (size_t i = 0; i < sizeof options / sizeof *options; i++)
        assert_int_equal(altpick_policy_option(&policy, options[i][0], options[i][1], &diag),
                         ALTPICK_OK);
    assert_int_equal(policy.target, ALTPICK_TARGET_LISTED);
    assert_int_equal(policy.tie_margin_permille, 125);
    assert_int_equal(policy.max_nop_bytes, 9);
    assert_int_equal(policy.components, 1u << ALTPICK_COMPONENT_XMM | 1u << ALTPICK_COMPONENT_YMM);
    assert_int_equal(policy.n_weights, 3);
    assert_int_equal(altpick_policy_weight(&policy, &own_question, ALTPICK_HOT), 7);
    assert_int_equal(policy.n_requires, 2);
    assert_int_equal(policy.n_pins, 2);
    assert_string_equal(policy.pins[0].candidate, "90x5");
}

static void wrong_options_are_usage_errors_and_change_nothing(void **state)
{
    static const char *const wrong[][2] = {
        {"nonsense",   "1"                                                   },
        {"target",     NULL                                                  },
        {"target",     "mine"                                                },
        {"tie-margin", "50.1"                                                },
        {"tie-margin", "5.25"                                                },
        {"tie-margin", "5."                                                  },
        {"tie-margin", ".5"                                                  },
        {"tie-margin", "-1"                                                  },
        {"tie-margin", "5%"                                                  },
        {"tie-margin", "99999999999999999999"                                },
        {"tie-margin", "nan"                                                 },
        {"tie-margin", ""                                                    },
        {"max-nop",    "0"                                                   },
        {"max-nop",    "16"                                                  },
        {"max-nop",    "1.0"                                                 },
        {"weight",     "own.question.64.hot"                                 },
        {"weight",     "own.question.64.hot="                                },
        {"weight",     "own.question.64.hot=1001"                            },
        {"weight",     "own.question.64.hot=-1"                              },
        {"weight",     "own.question.64.hotter=1"                            },
        {"weight",     "hot=1"                                               },
        {"weight",     ".hot=1"                                              },
        {"weight",     "a-question-with-a-name-that-is-too-long-for-it.hot=1"},
        {"components", ""                                                    },
        {"components", "x87,"                                                },
        {"components", "x87,sse"                                             },
        {"components", "x87xmm"                                              },
        {"weight",     "own.question.64.contended=1"                         },
        {"require",    "own.question.64"                                     },
        {"require",    "own.question.64=speed"                               },
        {"require",    "=one-instruction"                                    },
        {"pin",        "own.question.64.5"                                   },
        {"pin",        "own.question.64.5="                                  },
        {"pin",        "=90x5"                                               },
        {"pin",        "own.question.64.5=a/b"                               },
        {"pin",        "own.question.64.5=\x1b[2J"                           },
    };
    struct altpick_policy policy, before;
    (void) state;

    altpick_policy_init(&policy);
    before = policy;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct altpick_diag diag = {0};
        char option[32];

        if (altpick_policy_option(&policy, wrong[i][0], wrong[i][1], &diag) != ALTPICK_EUSAGE)
            fail_msg("--%s %s was taken", wrong[i][0], wrong[i][1]);
        snprintf(option, sizeof option, "--%s", wrong[i][0]);
        assert_int_equal(strncmp(diag.text, option, strlen(option)), 0);
        assert_memory_equal(&policy, &before, sizeof policy);
    }
}

static void weights_that_are_all_zero_are_refused(void **state)
{
    struct altpick_policy policy;
    struct altpick_diag diag;
    (void) state;

    altpick_policy_init(&policy);
    assert_int_equal(altpick_policy_option(&policy, "weight", "own.question.64.hot=0", &diag),
                     ALTPICK_OK);
    assert_int_equal(altpick_policy_option(&policy, "weight", "own.question.64.l1i-miss=0", &diag),
                     ALTPICK_OK);
    assert_int_equal(altpick_policy_check(&policy, &diag), ALTPICK_EUSAGE);
    assert_non_null(strstr(diag.text, "all weights of own.question.64 are 0"));

    /* The order of options does not matter: what counts is what they come to. */
    assert_int_equal(altpick_policy_option(&policy, "weight", "own.question.64.hot=1", &diag),
                     ALTPICK_OK);
    assert_int_equal(altpick_policy_check(&policy, &diag), ALTPICK_OK);
}

static void a_full_list_is_refused(void **state)
{
    struct altpick_policy policy;
    struct altpick_diag diag;
    char argument[64];
    (void) state;

    altpick_policy_init(&policy);
    for (unsigned i = 0; i <= ALTPICK_POLICY_LIST_MAX; i++) {
        int expected = i < ALTPICK_POLICY_LIST_MAX ? ALTPICK_OK : ALTPICK_EUSAGE;

        snprintf(argument, sizeof argument, "item.%u=x", i);
        assert_int_equal(altpick_policy_option(&policy, "pin", argument, &diag), expected);
        snprintf(argument, sizeof argument, "question.%u.hot=2", i);
        assert_int_equal(altpick_policy_option(&policy, "weight", argument, &diag), expected);
        snprintf(argument, sizeof argument, "question.%u=one-instruction", i);
        assert_int_equal(altpick_policy_option(&policy, "require", argument, &diag), expected);
    }
    assert_int_equal(altpick_policy_option(&policy, "pin", "item.0=y", &diag), ALTPICK_OK);
}

static void refuse(const char *text, size_t bytes, int err, struct altpick_diag *ret_diag)
{
    struct altpick_policy policy, before;

    altpick_policy_init(&policy);
    before = policy;
    assert_int_equal(altpick_policy_parse("bad.json", text, bytes, &policy, ret_diag), err);
    assert_memory_equal(&policy, &before, sizeof policy);
}

#define W " /weights/own.question.64"

static const struct edit content[] = {
    {"altpick-policy",                                       "altpick-profile",               " /format: must be"                          },
    {"\"version\": 1,",                                      "",                              " /version: missing"                         },
    {"\"version\": 1",                                       "\"version\": 1, \"tagret\": 1", " /tagret: unknown member"                   },
    {"\"this-cpu\"",                                         "\"that-cpu\"",                  " /target: unknown"                          },
    {"\"this-cpu\"",                                         "null",                          " /target: must be a string"                 },
    {"2.5",                                                  "2.55",                          " /tie_margin_percent: at most one decimal"  },
    {"2.5",                                                  "50.1",                          " /tie_margin_percent: must be 0..50"        },
    {"2.5",                                                  "-0.1",                          " /tie_margin_percent: must be 0..50"        },
    {"2.5",                                                  "1e300",                         " /tie_margin_percent: must be 0..50"        },
    {"2.5",                                                  "\"5\"",                         " /tie_margin_percent: must be a number"     },
    {"11",                                                   "16",                            " /max_nop: must be 4..15"                   },
    {"11",                                                   "0",                             " /max_nop: must be 4..15"                   },
    {"11",                                                   "1.5",                           " /max_nop: "                                },
    {"true",                                                 "1",                             " /strict: must be true or false"            },
    {"[\"x87\", \"hi16-zmm\"]",                              "[]",                            " /components: no component"                 },
    {"[\"x87\", \"hi16-zmm\"]",                              "\"x87\"",                       " /components: must be an array"             },
    {"\"hi16-zmm\"",                                         "\"zmm16\"",                     " /components/1: unknown"                    },
    {"\"allow_lazy\": true",                                 "\"allow_lazy\": 1",             " /allow_lazy: must be true or false"        },
    {"{\"own.question.64\": {\"hot\": 3, \"l1i-miss\": 0}}", "[]",                            " /weights: must be an object"               },
    {"{\"hot\": 3, \"l1i-miss\": 0}",                        "3",                             W ": must be an object"                      },
    {"\"hot\": 3",                                           "\"hot\": 0",                    W ": all weights are 0"                      },
    {"\"hot\": 3",                                           "\"hot\": -3",                   W "/hot: must be 0..1000"                    },
    {"\"hot\": 3",                                           "\"hot\": 1001",                 W "/hot: must be 0..1000"                    },
    {"\"hot\": 3",                                           "\"hotter\": 3",                 W "/hotter: unknown condition"               },
    {"\"own.question.64\": {",                               "\"a\\\\b\": {",                 " /weights/a\\b/hot: "                       },
    {"[\"one-instruction\"]",                                "\"one-instruction\"",           " /require/own.question.64: must be an array"},
    {"[\"one-instruction\"]",                                "[\"speed\"]",                   " /require/own.question.64/0: unknown"       },
    {"\"0f1f.5\"",                                           "5",                             " /pin/own.question.64.5: must be a string"  },
    {"\"0f1f.5\"",                                           "\"\"",                          " /pin/own.question.64.5: empty name"        },
    {"own.question.64.5",                                    "",                              " /pin/: empty name"                         },
};

static void wrong_content_is_refused_with_its_place(void **state)
{
    struct altpick_diag diag;
    (void) state;

    for (size_t i = 0; i < sizeof content / sizeof *content; i++) {
        char *text = edited(valid, &content[i]);

        refuse(text, strlen(text), ALTPICK_EFORMAT, &diag);
        assert_message(&diag, content[i].place);
        free(text);
    }
}

static const struct edit syntax[] = {
    {"{",              "",                                     ""},
    {"{",              "{{",                                   ""},
    {"}\n}\n",         "}\n}\nx",                              ""},
    {"}\n}\n",         "}\n}\n{}",                             ""},
    {"\"version\": 1", "\"version\": 1, \"version\": 1",       ""},
    {"\"hot\": 3",     "\"hot\": 3, \"hot\": 3",               ""},
    {"\"version\": 1", "\"version\": 1e999",                   ""},
    {"\"version\": 1", "\"version\": 99999999999999999999999", ""},
    {"\"version\": 1", "\"version\": 01",                      ""},
    {"\"version\": 1", "\"version\": NaN",                     ""},
    {"\"version\": 1", "\"version\": 0x1",                     ""},
    {"\"version\": 1", "/* */ \"version\": 1",                 ""},
    {"this-cpu",       "this\ncpu",                            ""},
    {"this-cpu",       "\xff",                                 ""},
    {"this-cpu",       "\xed\xa0\x80",                         ""},
    {"this-cpu",       "\xc0\x80",                             ""},
    {"this-cpu",       "\\ud800",                              ""},
    {"this-cpu",       "\\udc00x",                             ""},
    {"this-cpu",       "\\u0000",                              ""},
    {"\"target\"",     "\"\\u0000target\"",                    ""},
    {"this-cpu",       "\\x",                                  ""},
    {"{",              "\xef\xbb\xbf{",                        ""},
};

static void wrong_syntax_is_refused_with_line_and_column(void **state)
{
    struct altpick_diag diag;
    (void) state;

    for (size_t i = 0; i < sizeof syntax / sizeof *syntax; i++) {
        char *text = edited(valid, &syntax[i]);

        refuse(text, strlen(text), ALTPICK_EFORMAT, &diag);
        assert_line_and_column(&diag);
        free(text);
    }
    refuse("3", 1, ALTPICK_EFORMAT, &diag);
    assert_line_and_column(&diag);
    refuse("[]", 2, ALTPICK_EFORMAT, &diag);
    assert_message(&diag, " /: must be an object");
}

static void a_nul_byte_anywhere_is_refused(void **state)
{
    struct altpick_diag diag;
    char text[sizeof valid];
    (void) state;

    for (size_t i = 0; i < strlen(valid); i++) {
        memcpy(text, valid, sizeof valid);
        text[i] = '\0';
        refuse(text, strlen(valid), ALTPICK_EFORMAT, &diag);
        assert_line_and_column(&diag);
    }
    refuse(valid, sizeof valid, ALTPICK_EFORMAT, &diag); /* one behind the document */
    assert_line_and_column(&diag);
}

static void deep_nesting_and_size_are_limited(void **state)
{
    enum { BYTES = ALTPICK_DOCUMENT_BYTES_MAX + 1 };
    struct altpick_diag diag;
    char *text = malloc(BYTES);
    (void) state;

    assert_non_null(text);
    memset(text, '[', BYTES);
    refuse(text, BYTES - 1, ALTPICK_EFORMAT, &diag);
    assert_line_and_column(&diag);
    memset(text, ' ', BYTES);
    memcpy(text, valid, strlen(valid));
    refuse(text, BYTES, ALTPICK_EFORMAT, &diag);
    assert_message(&diag, " larger than 16777216 bytes");
    free(text);
}

static void a_newer_version_is_refused_as_such(void **state)
{
    static const struct edit edit = {"\"version\": 1", "\"version\": 7, \"news\": []", ""};
    char *text = edited(valid, &edit);
    struct altpick_diag diag;
    (void) state;

    refuse(text, strlen(text), ALTPICK_EVERSION, &diag);
    assert_message(&diag, " /version: 7 is newer");
    free(text);
}

static void every_truncation_is_refused(void **state)
{
    struct altpick_diag diag;
    (void) state;

    for (size_t n = 0; n + 1 < strlen(valid); n++) {
        refuse(valid, n, ALTPICK_EFORMAT, &diag);
        assert_line_and_column(&diag);
    }
}

ALTPICK_TEST_MAIN(cmocka_unit_test(the_default_policy_weighs_all_conditions_alike),
                  cmocka_unit_test(only_the_local_policy_knows_nothing_of_other_cpus),
                  cmocka_unit_test(a_file_sets_everything_it_names),
                  cmocka_unit_test(a_file_leaves_what_it_does_not_name),
                  cmocka_unit_test(an_option_replaces_the_entry_of_the_file),
                  cmocka_unit_test(wrong_options_are_usage_errors_and_change_nothing),
                  cmocka_unit_test(weights_that_are_all_zero_are_refused),
                  cmocka_unit_test(a_full_list_is_refused),
                  cmocka_unit_test(wrong_content_is_refused_with_its_place),
                  cmocka_unit_test(wrong_syntax_is_refused_with_line_and_column),
                  cmocka_unit_test(a_nul_byte_anywhere_is_refused),
                  cmocka_unit_test(deep_nesting_and_size_are_limited),
                  cmocka_unit_test(a_newer_version_is_refused_as_such),
                  cmocka_unit_test(every_truncation_is_refused))
