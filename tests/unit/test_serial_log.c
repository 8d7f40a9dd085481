/* SPDX-License-Identifier: MIT */
/* Profiles in serial logs: whole ones come out as they were sent, all others are refused. */
#include "test.h"

#include "crc32.h"
#include "front.h"
#include "serial_log.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BEGIN   ALTPICK_FRONT_BEGIN "\n"
#define END     ALTPICK_FRONT_END
#define PROFILE "{\n  \"a\": 1\n}\n"
#define TAIL    END " 13 bytes, crc32 "
#define CRC     "c2bf3c0e"

/* zlib.crc32(PROFILE) of Python is CRC. */
static const char whole[] = BEGIN PROFILE TAIL CRC "\n";

static int extract(const char *log, size_t bytes, struct altpick_serial_profile *ret_profile,
                   struct altpick_diag *ret_diag)
{
    ret_diag->text[0] = '\0';
    return altpick_serial_log_extract("com1.log", log, bytes, ret_profile, ret_diag);
}

static void expect(const char *log, size_t bytes, size_t line)
{
    struct altpick_serial_profile profile = {0};
    struct altpick_diag diag;

    assert_int_equal(extract(log, bytes, &profile, &diag), ALTPICK_OK);
    assert_int_equal(profile.text.bytes, strlen(PROFILE));
    assert_memory_equal(profile.text.data, PROFILE, strlen(PROFILE));
    assert_int_equal(profile.line, line);
    altpick_serial_profile_fini(&profile);
}

static void refuse(const char *log, size_t bytes, const char *message)
{
    struct altpick_serial_profile untouched = {.line = 77};
    struct altpick_diag diag;

    assert_int_equal(extract(log, bytes, &untouched, &diag), ALTPICK_EFORMAT);
    assert_string_equal(diag.text, message);
    assert_int_equal(untouched.line, 77);
    assert_null(untouched.text.data);
}

static void refuse_text(const char *log, const char *message)
{
    refuse(log, strlen(log), message);
}

static void crc_is_that_of_zlib(void **state)
{
    uint32_t crc;
    (void) state;

    assert_int_equal(altpick_crc32(0, "123456789", 9),
                     0xcbf43926); /* the check value of ISO 3309 */
    assert_int_equal(altpick_crc32(0, "", 0), 0);
    crc = altpick_crc32(0, "1234", 4);
    assert_int_equal(altpick_crc32(crc, "56789", 5), 0xcbf43926);
    assert_int_equal(altpick_crc32(0, PROFILE, strlen(PROFILE)), 0xc2bf3c0e);
}

static void whole_profile_comes_out(void **state)
{
    static const char crlf[] = "SeaBIOS\r\n" ALTPICK_FRONT_BEGIN
                               "\r\n{\r\n  \"a\": 1\r\n}\r\n" TAIL CRC "\r\naltpick: done\r\n";
    static const char doubled[] = "x\n\n" BEGIN PROFILE TAIL CRC "\nagain\n" BEGIN PROFILE TAIL CRC;
    static const char binary[] = "\0\xff\n" BEGIN PROFILE TAIL CRC;
    (void) state;

    expect(whole, sizeof whole - 1, 2);
    expect(whole, sizeof whole - 2, 2); /* the log ends before the last LF */
    expect(crlf, sizeof crlf - 1, 3);
    expect(doubled, sizeof doubled - 1, 4); /* two boots, one profile */
    expect(binary, sizeof binary - 1, 3);
}

static void log_without_a_profile_is_refused(void **state)
{
    (void) state;
    refuse_text("", "com1.log:1: no profile: there is no line '" ALTPICK_FRONT_BEGIN "'");
    refuse_text("a\nb\n", "com1.log:2: no profile: there is no line '" ALTPICK_FRONT_BEGIN "'");
    refuse_text(BEGIN END " 0 bytes, crc32 00000000\n", "com1.log:2: the profile is empty");
    refuse_text("a\n" PROFILE TAIL CRC, "com1.log:5: a profile ends whose beginning is missing");
    refuse_text("[1.0] " BEGIN PROFILE TAIL CRC,
                "com1.log:1: something else is on the line on which a profile begins");
}

static void every_cut_is_refused(void **state)
{
    size_t least = sizeof whole - 2; /* without the last LF it is whole */
    (void) state;

    for (size_t n = 0; n < least; n++) {
        struct altpick_serial_profile profile = {0};
        struct altpick_diag diag;

        assert_int_equal(extract(whole, n, &profile, &diag), ALTPICK_EFORMAT);
    }
    refuse(whole, strlen(BEGIN PROFILE),
           "com1.log:1: the profile that begins here is cut off in line 4");
    refuse(whole, strlen(BEGIN PROFILE) + 10,
           "com1.log:1: the profile that begins here is cut off in line 5");
    refuse(whole, strlen(BEGIN PROFILE END),
           "com1.log:5: the line on which the profile ends is damaged");
    refuse_text("a\n" BEGIN "{\n" BEGIN PROFILE TAIL CRC,
                "com1.log:2: the profile that begins here is cut off in line 4");
}

static void every_flipped_bit_is_refused(void **state)
{
    (void) state;
    for (size_t i = 0; i < sizeof whole - 2; i++) {
        for (unsigned bit = 0; bit < 8; bit++) {
            struct altpick_serial_profile profile = {0};
            struct altpick_diag diag;
            char log[sizeof whole];

            memcpy(log, whole, sizeof whole);
            log[i] = (char) (log[i] ^ 1 << bit);
            assert_int_equal(extract(log, sizeof whole - 1, &profile, &diag), ALTPICK_EFORMAT);
        }
    }
    refuse_text(BEGIN "{\n  \"a\": 2\n}\n" TAIL CRC,
                "com1.log:5: the profile since line 1 is damaged: its CRC-32 was " CRC
                ", and is d00a93e0");
}

static void lost_and_doubled_bytes_are_refused(void **state)
{
    (void) state;
    refuse_text(BEGIN "{\n  \"a\":1\n}\n" TAIL CRC,
                "com1.log:5: 13 bytes were sent, but 12 arrived since line 1");
    refuse_text(BEGIN PROFILE PROFILE TAIL CRC,
                "com1.log:8: 13 bytes were sent, but 26 arrived since line 1");
    refuse_text(BEGIN PROFILE TAIL CRC "\n" TAIL CRC,
                "com1.log:6: a profile ends whose beginning is missing");
}

static void malformed_end_is_refused(void **state)
{
    static const char *const ends[] = {
        "",
        " 13 bytes",
        " 13 bytes, crc32 ",
        " 013 bytes, crc32 " CRC,
        " +13 bytes, crc32 " CRC,
        " 0x13 bytes, crc32 " CRC,
        " 13  bytes, crc32 " CRC,
        " 13 bytes, crc32 C2BF3C0E",
        " 13 bytes, crc32 0x" CRC,
        " 13 bytes, crc32 " CRC " more",
        " 13 bytes, crc32 " CRC CRC CRC CRC CRC CRC CRC CRC CRC,
        " 99999999999999999999999999 bytes, crc32 " CRC,
    };
    (void) state;

    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        char log[256];

        snprintf(log, sizeof log, "%s%s", BEGIN PROFILE END, ends[i]);
        refuse_text(log, "com1.log:5: the line on which the profile ends is damaged");
    }
}

static void profiles_that_differ_are_refused(void **state)
{
    char log[512];
    (void) state;

    snprintf(log, sizeof log, "%s%s%s%s %d bytes, crc32 %08" PRIx32 "\n", whole, BEGIN, "{}\n", END,
             3, altpick_crc32(0, "{}\n", 3));
    refuse_text(log, "com1.log:6: another profile begins here, and differs from the one in line 1: "
                     "keep one of them");
    snprintf(log, sizeof log, "%s%s", whole, BEGIN "{\n");
    refuse_text(log, "com1.log:6: the profile that begins here is cut off in line 7");
}

ALTPICK_TEST_MAIN(cmocka_unit_test(crc_is_that_of_zlib), cmocka_unit_test(whole_profile_comes_out),
                  cmocka_unit_test(log_without_a_profile_is_refused),
                  cmocka_unit_test(every_cut_is_refused),
                  cmocka_unit_test(every_flipped_bit_is_refused),
                  cmocka_unit_test(lost_and_doubled_bytes_are_refused),
                  cmocka_unit_test(malformed_end_is_refused),
                  cmocka_unit_test(profiles_that_differ_are_refused))
