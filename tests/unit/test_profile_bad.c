/* SPDX-License-Identifier: MIT */
/* Profiles that must be refused, each with its place and without harm. */
#include "profile_sample.h"

/* Parse what must be refused: the error, and the output as it was. */
static void refuse(const char *text, size_t bytes, int err, struct altpick_diag *ret_diag)
{
    struct altpick_machine *const untouched = (void *) ret_diag;
    struct altpick_profile profile = {untouched, 77};

    ret_diag->text[0] = '\0';
    assert_int_equal(altpick_profile_parse("bad.json", text, bytes, &profile, ret_diag), err);
    assert_ptr_equal(profile.machines, untouched);
    assert_int_equal(profile.n_machines, 77);
}

#define M "/machines/0"
#define C M "/cpu"
#define D M "/measured"
#define Q M "/questions/own.question"
#define H Q "/conditions/hot"
#define N Q "/candidates/nop.3"
#define K Q "/candidates/count"
#define HUGE_TEXT                                                                                  \
    "1234567890123456789012345678901234567890123456789012345678901234567890123456789012345678901"  \
    "1234567890123456789012345678901234567890123456789012345678901234567890123456789012345678901"

static const struct edit content[] = {
    {"altpick-profile",                                                          "altpick-policy",                                      " /format: "                                     },
    {"\"format\"",                                                               "\"fromat\"",                                          " /format: missing"                              },
    {"\"version\": 1",                                                           "\"version\": 0",                                      " /version: "                                    },
    {"\"version\": 1",                                                           "\"version\": \"1\"",                                  " /version: "                                    },
    {"\"version\": 1",                                                           "\"version\": 1.0",                                    " /version: "                                    },
    {"\"version\": 1",                                                           "\"version\": 1, \"more\": 1",                         " /more: unknown member"                         },
    {"\"version\": 1",                                                           "\"version\": 1, \"a/b~\": 1",                         " /a~1b~0: unknown member"                       },
    {"\"version\": 1",                                                           "\"version\": 1, \"\\u001b[2J\\u009b\": 1",            " /?[2J"                                         },
    {"\"machines\": [",                                                          "\"machines\": [7, ",                                  " /machines/0: must be an object"                },
    {"GenuineIntel-6-85-7",                                                      "bare",                                                " /machines/1/name: "                            },
    {"GenuineIntel-6-85-7",                                                      "",                                                    " " M "/name: "                                  },
    {"GenuineIntel-6-85-7",                                                      "a/b",                                                 " " M "/name: "                                  },
    {"GenuineIntel-6-85-7",                                                      "a\\\\b",                                              " " M "/name: "                                  },
    {"GenuineIntel-6-85-7",                                                      "a\\\"b",                                              " " M "/name: "                                  },
    {"GenuineIntel-6-85-7",                                                      "\xc3\xa9",                                            " " M "/name: "                                  },
    {"GenuineIntel-6-85-7",                                                      HUGE_TEXT,                                             " " M "/name: "                                  },
    {"\"vendor\": \"GenuineIntel\"",                                             "\"vendor\": \"GenuineIntel.\"",                       " " C "/vendor: longer than"                     },
    {"\"vendor\": \"GenuineIntel\",",                                            "",                                                    " " C "/vendor: missing"                         },
    {"\"vendor\": \"GenuineIntel\"",                                             "\"vendor\": \"\\n\"",                                 " " C "/vendor: has control"                     },
    {"\"vendor\": \"GenuineIntel\"",                                             "\"vendor\": \"\\u009b\"",                             " " C "/vendor: has control"                     },
    {"\"vendor\"",                                                               "\"x\": 1, \"vendor\"",                                " " C "/x: unknown member"                       },
    {"\"family\": 6",                                                            "\"family\": -6",                                      " " C "/family: "                                },
    {"\"family\": 6",                                                            "\"family\": 4294967296",                              " " C "/family: "                                },
    {"\"0x50657\"",                                                              "\"50657\"",                                           " " C "/signature: "                             },
    {"\"0x50657\"",                                                              "\"0x\"",                                              " " C "/signature: "                             },
    {"\"0x50657\"",                                                              "\"0x5065g\"",                                         " " C "/signature: "                             },
    {"\"0x50657\"",                                                              "\"0x100000000\"",                                     " " C "/signature: "                             },
    {"\"0x2e7\"",                                                                "\"0x10000000000000000\"",                             " " C "/xcr0: "                                  },
    {"\"0x40\"",                                                                 "\"0x100\"",                                           " " C "/core_type: "                             },
    {"\"avx2\"",                                                                 "\"avx9\"",                                            " " C "/features/1: unknown"                     },
    {"\"avx2\"",                                                                 "\"fpu\"",                                             " " C "/features/1: named twice"                 },
    {"\"avx2\"",                                                                 "7",                                                   " " C "/features/1: must be a string"            },
    {"\"ring\": 3",                                                              "\"ring\": 4",                                         " " D "/ring: "                                  },
    {"\"ring\": 3",                                                              "\"ring\": 3, \"ring0\": 4",                           " " D "/ring0: unknown member"                   },
    {"\"guest\"",                                                                "\"guests\"",                                          " " D "/trust: unknown"                          },
    {"2593000000",                                                               "1000000000001",                                       " " D "/tsc_hz: "                                },
    {"\"warnings\": [",                                                          "\"warnings\": [{}, ",                                 " " D "/warnings/0: "                            },
    {"\"warnings\": [",                                                          "\"warnings\": [\"\",\"\",\"\",\"\",\"\",\"\",\"\",",  " " D "/warnings: "                              },
    {"\"warnings\": [",                                                          "\"warnings\": [\"" HUGE_TEXT "\",",                   " " D "/warnings/0: longer"                      },
    {"own.question",                                                             "own\\\"question",                                     " " M "/questions/own\"question: "               },
    {"own.question",                                                             "",                                                    " " M "/questions/: empty"                       },
    {"\"batches\": 3",                                                           "\"batches\": 3.5",                                    " " Q "/batches: "                               },
    {"\"batches\": 3",                                                           "\"batches\": 3, \"x\": 1",                            " " Q "/x: unknown member"                       },
    {"\"hot\"",                                                                  "\"hotter\"",                                          " " Q "/conditions/hotter: unknown condition"    },
    {"\"status\": \"measured\"",                                                 "\"status\": \"guessed\"",                             " " H "/status: unknown"                         },
    {"\"block_bytes\": 2048",                                                    "\"block_bytes\": 2048, \"x\": 1",                     " " H "/x: unknown member"                       },
    {"\"reason\": \"L2",                                                         "\"reason\": \"\\u0007",                               " " Q "/conditions/l1i-miss/reason: "            },
    {"\"0f1f00\"",                                                               "\"0f1f0\"",                                           " " N "/code: "                                  },
    {"\"0f1f00\"",                                                               "\"0f1f0x\"",                                          " " N "/code: "                                  },
    {"\"0f1f00\"",                                                               "\"" HUGE_TEXT HUGE_TEXT HUGE_TEXT "\"",               " " N "/code: longer"                            },
    {"\"0f1f00\"",                                                               "\"0f1f01\"",                                          " " N "/code: code is not that of this candidate"},
    {"\"0f1f00\"",                                                               "\"909090\"",                                          " " N "/code: code is not that of this candidate"},
    {"\"0f1f00\"",                                                               "\"\"",                                                " " N "/code: code is not that of this candidate"},
    {"\"code\": \"\"",                                                           "\"code\": \"90\"",                                    " " Q "/candidates/later/code: "                 },
    {"\"code\": \"0f1f00\"",                                                     "\"code\": \"0f1f00\", \"x\": 1",                      " " N "/x: unknown member"                       },
    {"\"one-instruction\": \"checked\"",                                         "\"cannot-fault\": \"checked\"",
     " " N "/guarantees: cannot-fault is nothing"                                                                                                                                        },
    {"\"one-instruction\": \"checked\"",                                         "\"two-instructions\": \"checked\"",
     " " N "/guarantees/two-instructions: unknown guarantee"                                                                                                                             },
    {"\"one-instruction\": \"checked\"",                                         "\"one-instruction\": \"sworn\"",
     " " N "/guarantees/one-instruction: unknown"                                                                                                                                        },
    {"\"one-instruction\": \"checked\"",                                         "\"one-instruction\": \"none\"",
     " " N "/guarantees/one-instruction: "                                                                                                                                               },
    {"\"cycles\": 0.083400",                                                     "\"cycles\": 0.083398",                                " " N "/costs/hot: must be low <="               },
    {"\"cycles\": 0.083400",                                                     "\"cycles\": 0.083413",                                " " N "/costs/hot: must be low <="               },
    {"\"cycles\": 0.083400",                                                     "\"cycles\": -0.083400",                               " " N "/costs/hot/cycles: "                      },
    {"\"cycles\": 0.083400",                                                     "\"cycles\": 1e9",                                     " " N "/costs/hot/cycles: "                      },
    {"\"cycles\": 0.083400,",                                                    "",                                                    " " N "/costs/hot/cycles: missing"               },
    {"\"count\": 96",                                                            "\"count\": 96, \"x\": 1",                             " " N "/costs/hot/x: unknown member"             },
    {"\"count\": 96",                                                            "\"count\": 0",                                        " " N "/costs/hot: measured, but count is 0"     },
    {"\"count\": 96",                                                            "\"count\": null",                                     " " N "/costs/hot/count: "                       },
    {"\"status\": \"faulted\"\n",                                                "\"status\": \"faulted\", \"low\": 1\n",
     " " Q "/candidates/90.3/costs/hot/low: unknown member"                                                                                                                              },
    {"\"status\": \"faulted\"\n",                                                "\"status\": \"measured\"\n",
     " " Q "/candidates/90.3/costs/hot/cycles: missing"                                                                                                                                  },
    {"\"status\": \"faulted\",\n              \"reason\": \"faulted: SIGILL\",",
     "\"status\": \"measured\",",                                                                                                       " " Q "/candidates/90.3/costs: measured, but"    },
    {"\"status\": \"faulted\",",                                                 "\"status\": \"measured\",",
     " " Q "/candidates/90.3/reason: a reason where"                                                                                                                                     },
    {"\"reason\": \"faulted: SIGILL\"",                                          "\"reason\": \"\"",
     " " Q "/candidates/90.3/reason: an empty reason"                                                                                                                                    },
    {"\"reason\": \"faulted: SIGILL\"",                                          "\"reason\": 7",                                       " " Q "/candidates/90.3/reason: "                },
    {"\"reason\": \"faulted: SIGILL\"",                                          "\"reason\": \"" HUGE_TEXT "\"",
     " " Q "/candidates/90.3/reason: longer"                                                                                                                                             },
    {"\"guarantees\": {",                                                        "\"reason\": \"none\", \"guarantees\": {",
     " " N "/reason: a reason where there are"                                                                                                                                           },
    {"\"costs\": {",                                                             "\"costs\": {\"warm\": {\"status\": \"unmeasured\"},",
     " " N "/costs/warm: not a condition"                                                                                                                                                },
    {"\"costs\": {",                                                             "\"costs\": {\"x\": {\"status\": \"unmeasured\"},",    " " N "/costs/x: unknown"                        },
    {"\"l1i-miss\": {\n                  \"status\": \"unmeasured\"",            "\"l1i-miss\": {",
     " " N "/costs/l1i-miss/status: missing"                                                                                                                                             },
};

/* clang-format off */
/* Counts, and what a reference counter did. */
static const struct edit counted[] = {
    {"\"instructions\": 1", "\"instructions\": 0", " " K "/instructions: a count of 0"},
    {"\"instructions\": 1", "\"instructions\": -1", " " K "/instructions: "},
    {"\"instructions\": 1", "\"instructions\": 4294967296", " " K "/instructions: "},
    {"\"instructions\": 1", "\"instructions\": 1.0", " " K "/instructions: "},
    {"\"instructions\": 1", "\"instructions\": null", " " K "/instructions: "},
    {"\"observed\": {", "\"observed\": {\"half\": {},", " " K "/observed/half: unknown member"},
    {"\"observed\": {", "\"observed\": null, \"x\": {", " " K "/x: unknown member"},
    {"\"zero\": {", "\"nought\": {", " " K "/observed/zero: "},
    {"\"saturated\": {", "\"stuck\": {", " " K "/observed/saturated: "},
    {"\"before\": \"0x1\"", "\"before\": \"0x2\"", " " K "/observed/one: before is another state"},
    {"\"before\": \"0x1\"", "\"before\": 1", " " K "/observed/one/before: "},
    {"\"before\": \"0x1\",", "", " " K "/observed/one/before: missing"},
    {"\"after\": \"0x80000000\"", "\"after\": \"0x100000000\"", " " K "/observed/maximum/after: "},
    {"\"after\": \"0x80000000\"", "\"after\": \"80000000\"", " " K "/observed/maximum/after: "},
    {"\"result\": 4294967295", "\"result\": 4294967296", " " K "/observed/maximum/result: "},
    {"\"result\": 4294967295", "\"result\": true", " " K "/observed/maximum/result: "},
    {"\"report\": \"underflow\"", "\"report\": \"panic\"", " " K "/observed/maximum/report: unknown"},
    {"\"report\": \"leak\"", "\"report\": \"leak\", \"x\": 1", " " K "/observed/saturated/x: unknown"},
    {"\"code\": \"0f1f00\",", "\"code\": \"0f1f00\", \"observed\": {},",
     " " N "/observed: of no reference counter"},
};
/* clang-format on */

static void refuse_all(const struct sample *sample, const struct edit *edits, size_t n)
{
    struct altpick_diag diag;

    for (size_t i = 0; i < n; i++) {
        char *text = edited(sample->text, &edits[i]);

        refuse(text, strlen(text), ALTPICK_EFORMAT, &diag);
        assert_message(&diag, edits[i].place);
        free(text);
    }
}

static void wrong_content_is_refused_with_its_place(void **state)
{
    refuse_all(*state, content, sizeof content / sizeof *content);
}

static void wrong_counts_are_refused_with_their_place(void **state)
{
    refuse_all(*state, counted, sizeof counted / sizeof *counted);
}

/* Any value in place of any other: refused, or of the same type. */
static void every_value_of_another_type_is_refused(void **state)
{
    static const char *const values[] = {"null", "true", "[null]", "{\"\": null}"};
    const struct sample *sample = *state;
    struct altpick_diag diag;
    size_t tried = 0;

    for (const char *p = sample->text; (p = strstr(p, "\": ")); p++) {
        const char *value = p + 3;
        size_t bytes = *value == '"' ? strcspn(value + 1, "\"") + 2 : strcspn(value, ",\n");
        char original[64];

        if (strchr("{[", *value) || bytes >= sizeof original || memchr(value, '\\', bytes))
            continue;
        snprintf(original, sizeof original, "%.*s", (int) bytes, value);
        for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
            const struct edit edit = {original, values[i], ""};
            char *tail = edited(value, &edit);
            size_t head_bytes = (size_t) (value - sample->text);
            char *text = malloc(head_bytes + strlen(tail) + 1);

            assert_non_null(text);
            memcpy(text, sample->text, head_bytes);
            strcpy(text + head_bytes, tail);
            refuse(text, strlen(text), ALTPICK_EFORMAT, &diag);
            assert_message(&diag, " /");
            free(text);
            free(tail);
            tried++;
        }
    }
    assert_true(tried > 200);
}

static void permuted_code_is_taken_only_when_the_profile_says_so(void **state)
{
    static const struct edit shuffle = {"\"selftest_shuffle\": 0", "\"selftest_shuffle\": 5", ""};
    static const struct edit swap = {"\"0f1f00\"", "\"909090\"", ""};
    static const struct edit foreign = {"\"0f1f00\"", "\"0f1f40\"", ""};
    static const struct edit shorter = {"\"0f1f00\"", "\"\"", ""};
    const struct sample *sample = *state;
    char *shuffled = edited(sample->text, &shuffle);
    char *swapped = edited(shuffled, &swap);
    struct altpick_profile profile = {0};
    struct altpick_diag diag;

    assert_int_equal(altpick_profile_parse("bad.json", swapped, strlen(swapped), &profile, &diag),
                     ALTPICK_OK);
    altpick_profile_fini(&profile);
    free(swapped);
    swapped = edited(shuffled, &foreign);
    refuse(swapped, strlen(swapped), ALTPICK_EFORMAT, &diag);
    free(swapped);
    swapped = edited(shuffled, &shorter);
    refuse(swapped, strlen(swapped), ALTPICK_EFORMAT, &diag);
    free(swapped);
    free(shuffled);
}

static void a_newer_version_is_refused_as_such(void **state)
{
    static const struct edit edit = {"\"version\": 1", "\"version\": 2, \"news\": 1", ""};
    const struct sample *sample = *state;
    char *text = edited(sample->text, &edit);
    struct altpick_diag diag;

    refuse(text, strlen(text), ALTPICK_EVERSION, &diag);
    assert_message(&diag, " /version: 2 is newer");
    free(text);
}

static void every_truncation_is_refused_with_its_line(void **state)
{
    const struct sample *sample = *state;
    struct altpick_diag diag;

    /* The last byte is a newline, and the one before it closes the document. */
    for (size_t n = 0; n + 1 < sample->bytes; n++) {
        char *text = malloc(n + 1); /* of its own, so that reading past it is seen */

        assert_non_null(text);
        memcpy(text, sample->text, n);
        refuse(text, n, ALTPICK_EFORMAT, &diag);
        assert_line_and_column(&diag);
        free(text);
    }
}

static void no_changed_byte_does_harm(void **state)
{
    static const unsigned char flips[] = {0x01, 0x02, 0x10, 0x20, 0x80, 0xff};
    const struct sample *sample = *state;
    char *text = malloc(sample->bytes);

    assert_non_null(text);
    memcpy(text, sample->text, sample->bytes);
    for (size_t i = 0; i < sample->bytes * sizeof flips; i++) {
        char *byte = &text[i / sizeof flips], kept = *byte;
        struct altpick_profile profile = {0};
        struct altpick_diag diag = {0};
        struct altpick_text out;

        *byte = (char) (kept ^ flips[i % sizeof flips]);
        if (altpick_profile_parse("bad.json", text, sample->bytes, &profile, &diag) == 0) {
            write_profile(&profile, &out);
            altpick_text_fini(&out);
            altpick_profile_fini(&profile);
        } else {
            assert_message(&diag, "");
        }
        *byte = kept;
    }
    free(text);
}

ALTPICK_TEST_MAIN(WITH_SAMPLE(wrong_content_is_refused_with_its_place),
                  WITH_SAMPLE(wrong_counts_are_refused_with_their_place),
                  WITH_SAMPLE(every_value_of_another_type_is_refused),
                  WITH_SAMPLE(permuted_code_is_taken_only_when_the_profile_says_so),
                  WITH_SAMPLE(a_newer_version_is_refused_as_such),
                  WITH_SAMPLE(every_truncation_is_refused_with_its_line),
                  WITH_SAMPLE(no_changed_byte_does_harm))
