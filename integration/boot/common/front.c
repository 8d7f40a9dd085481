/* SPDX-License-Identifier: MIT */
/* Runs a boot program: options, probe, table, profile. */
#include "front.h"

#include "crc32.h"
#include "front_options.h"
#include "report.h"

#include "altpick/err.h"

/* Writes to two sinks, either of which may be NULL. */
struct both {
    struct altpick_out *first, *second;
};

static int write_both(void *ctx, const char *text, size_t bytes)
{
    struct both *both = ctx;

    if (both->first)
        altpick_out_bytes(both->first, text, bytes);
    if (both->second)
        altpick_out_bytes(both->second, text, bytes);
    return ALTPICK_OK;
}

/* Passes a profile on and keeps what the end marker tells of it. */
struct measured {
    struct altpick_out *out;
    uint64_t bytes;
    uint32_t crc;
};

static int write_measured(void *ctx, const char *text, size_t bytes)
{
    struct measured *measured = ctx;

    measured->crc = altpick_crc32(measured->crc, text, bytes);
    measured->bytes += bytes;
    altpick_out_bytes(measured->out, text, bytes);
    return measured->out->err;
}

static int send_profile(const struct altpick_boot *boot, struct altpick_out *serial)
{
    struct measured measured = {.out = serial};
    struct altpick_out out = {.write = write_measured, .ctx = &measured};
    int r;

    altpick_out_text(serial, ALTPICK_FRONT_BEGIN "\n");
    r = altpick_boot_write(boot, &out);
    if (r < 0)
        return r;
    altpick_out_text(serial, ALTPICK_FRONT_END " ");
    altpick_out_u64(serial, measured.bytes);
    altpick_out_text(serial, " bytes, crc32 ");
    altpick_out_hex(serial, measured.crc, 8);
    altpick_out_text(serial, "\n");
    return serial->err;
}

static const char *why_unsupported(const struct altpick_boot_options *options)
{
    return options->xcr0 != ALTPICK_BOOT_XCR0_AS_IS && options->xcr0 != ALTPICK_BOOT_XCR0_ALL
               ? "xcr0= has bits that the CPU has not,\n"
                 "or that do not go together; bit 0, x87, is always among them"
               : altpick_err_text(ALTPICK_EUNSUPPORTED);
}

static void say_failure(int err, const struct altpick_boot_options *options,
                        struct altpick_out *out)
{
    altpick_out_text(out, "altpick: nothing was measured: ");
    altpick_out_text(out, err == ALTPICK_EFAULT ? "code of altpick itself faulted, which is a bug"
                          : err == ALTPICK_ENOSPACE     ? "too little RAM is free below 4 GiB"
                          : err == ALTPICK_EUNSUPPORTED ? why_unsupported(options)
                                                        : altpick_err_text(err));
    altpick_out_text(out, "\n");
    if (err != ALTPICK_ENOSPACE)
        return;
    altpick_out_text(out, "altpick: needed are ");
    altpick_out_u64(out, altpick_boot_memory_bytes(options));
    altpick_out_text(out, " bytes of memory and ");
    altpick_out_u64(out, altpick_boot_code_bytes(options));
    altpick_out_text(out, " of code\n");
}

/* The profile goes to each sink in a pass of its own: nothing here has room for all of it. */
static int write_profiles(const struct altpick_front *front, const struct altpick_boot *boot,
                          struct altpick_out *people)
{
    int r = ALTPICK_OK;

    if (front->profile) {
        r = altpick_boot_write(boot, front->profile);
        if (r < 0) {
            altpick_out_text(people, "altpick: the profile could not be written: ");
            altpick_out_text(people, altpick_err_text(r));
            altpick_out_text(people, "\n");
        }
    }
    if (front->serial) {
        int sent = send_profile(boot, front->serial);

        r = r < 0 ? r : sent;
    }
    return r;
}

int altpick_front_run(const struct altpick_front *front)
{
    const struct altpick_question *questions[ALTPICK_FRONT_QUESTIONS_MAX];
    struct both both = {front->console, front->serial};
    struct altpick_out people = {.write = write_both, .ctx = &both};
    struct altpick_boot_options options = front->boot;
    struct altpick_boot boot;
    int r, written;

    r = altpick_front_options(front->options, questions, &options, &people);
    if (r < 0)
        return r;
    altpick_boot_ask_all(&options);
    r = altpick_boot_probe(&options, &boot);
    if (r < 0 && r != ALTPICK_EUNTRUSTED) {
        say_failure(r, &options, &people);
        return r;
    }
    altpick_report_print(&boot, &options, &people);
    written = write_profiles(front, &boot, &people);
    if (written == ALTPICK_OK && front->console)
        written = front->console->err;
    return written < 0 ? written : r;
}
