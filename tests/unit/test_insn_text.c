/* SPDX-License-Identifier: MIT */
#include "elf/insn_text.h"

#include "test.h"

#include <stdio.h>
#include <string.h>

enum { ADDRESS = 0x401000 };

/* How one instruction is to be written. */
struct sample {
    const char *code;
    size_t bytes;
    bool is_32;
    const char *att, *intel;
};

#define CODE(text) text, sizeof text - 1

/* As GNU as takes them; Intel without the sizes of operands. */
static const struct sample samples[] = {
    {CODE("\xff\xd0"),               false, "call *%rax",               "call rax"           },
    {CODE("\xff\x10"),               false, "call *(%rax)",             "call [rax]"         },
    {CODE("\xff\x60\x08"),           false, "jmp *0x8(%rax)",           "jmp [rax+0x8]"      },
    {CODE("\x41\xff\xe3"),           false, "jmp *%r11",                "jmp r11"            },
    {CODE("\xff\x15\0\0\0\0"),       false, "call *0x401006(%rip)",     "call [0x401006]"    },
    {CODE("\xff\x14\x25\0\x10\0\0"), false, "call *0x1000",             "call [0x1000]"      },
    {CODE("\x48\x8b\x05\x0a\0\0\0"), false, "mov 0x401011(%rip), %rax", "mov rax, [0x401011]"},
    {CODE("\xe8\0\0\0\0"),           false, "call 0x401005",            "call 0x401005"      },
    {CODE("\xe8\xfb\xff\xbf\xff"),   true,  "call 0x1000",              "call 0x1000"        },
    {CODE("\x0f\x1f\x44\0\0"),       false, "nop (%rax,%rax,1)",        "nop [rax+rax*1]"    },
    {CODE("\x0f\x1f\x80\0\0\0\0"),   false, "nop (%rax)",               "nop [rax]"          },
    {CODE("\x66\x90"),               false, "nop",                      "nop"                },
    {CODE("\x06"),                   false, "(bad)",                    "(bad)"              },
};

static bool no_name(void *ctx, const struct altpick_insn_number *number, char *ret_name)
{
    (void) ctx;
    (void) number;
    (void) ret_name;
    return false;
}

/* Names everything, and says where it was asked about. */
static bool any_name(void *ctx, const struct altpick_insn_number *number, char *ret_name)
{
    (void) ctx;
    snprintf(ret_name, ALTPICK_INSN_NAME_MAX, "<%d:%zu-%zu>", number->kind, number->at,
             number->to_end);
    return true;
}

/* Zydis writes sizes of Intel's memory operands, which these samples leave out. */
static void drop_sizes(char *text)
{
    static const char *const sizes[] = {"qword ptr ", "dword ptr ", "word ptr ", "ds:"};

    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        char *at = strstr(text, sizes[i]);

        if (at)
            memmove(at, at + strlen(sizes[i]), strlen(at + strlen(sizes[i])) + 1);
    }
}

static void assert_text(bool is_intel, const struct sample *sample, altpick_insn_name *name,
                        const char *expected)
{
    struct altpick_insn_printer printer = {0};
    char text[ALTPICK_INSN_TEXT_MAX];
    size_t n;

    assert_int_equal(altpick_insn_printer_init(&printer, is_intel), ALTPICK_OK);
    n = altpick_insn_print(&printer, !sample->is_32, (const uint8_t *) sample->code, sample->bytes,
                           ADDRESS, name, NULL, text);
    drop_sizes(text);
    assert_string_equal(text, expected);
    assert_int_equal(n, strcmp(expected, "(bad)") == 0 ? 0 : sample->bytes);
    altpick_insn_printer_fini(&printer);
}

static void instructions_are_written_as_assemblers_take_them(void **state)
{
    (void) state;
    for (size_t i = 0; i < sizeof samples / sizeof *samples; i++) {
        assert_text(false, &samples[i], no_name, samples[i].att);
        assert_text(true, &samples[i], no_name, samples[i].intel);
    }
}

static void a_name_stands_for_each_number(void **state)
{
    static const struct sample call = {.code = "\xe8\0\0\0", .bytes = 5},
                               mov = {.code = "\x48\xc7\x80\0\0\0\0\1\0\0", .bytes = 11},
                               load = {.code = "\x8b\x05\0\0\0", .bytes = 6},
                               jump = {.code = "\xff\x25\0\0\0", .bytes = 6};

    (void) state;
    assert_text(false, &call, any_name, "call <2:1-4>");
    /* A displacement of 0 is none unless it is a name. */
    assert_text(false, &mov, any_name, "movq $<0:7-4>, <1:3-8>(%rax)");
    assert_text(true, &mov, any_name, "mov [rax+<1:3-8>], offset <0:7-4>");
    assert_text(false, &load, any_name, "mov <2:2-4>(%rip), %eax");
    assert_text(false, &jump, any_name, "jmp *<2:2-4>(%rip)");
}

static void bytes_that_are_not_there_are_not_read(void **state)
{
    static const struct sample half = {.code = "\xe8\0\0", .bytes = 4};

    (void) state;
    assert_text(false, &half, no_name, "(bad)");
}

ALTPICK_TEST_MAIN(cmocka_unit_test(instructions_are_written_as_assemblers_take_them),
                  cmocka_unit_test(a_name_stands_for_each_number),
                  cmocka_unit_test(bytes_that_are_not_there_are_not_read))
