/* SPDX-License-Identifier: MIT */
/* An operating system in miniature that decides its own code at boot: from start to verdict. */
#include "mini.h"

#include "altpick/xstate.h"
#include "front.h"
#include "leave.h"
#include "screen.h"
#include "serial.h"
#include "timer.h"
#include "xstate.h"

/* What tasks use, and so what is switched: x87, SSE, AVX, AVX-512. */
#define SWITCHED UINT64_C(0xe7)

static int write_both(void *ctx, const char *text, size_t bytes)
{
    (void) ctx;
    boot_serial_write(text, bytes);
    boot_screen_write(text, bytes);
    return 0;
}

struct altpick_out mini_console(void)
{
    return (struct altpick_out){.write = write_both};
}

_Noreturn void mini_fail(const char *why)
{
    struct altpick_out out = mini_console();

    altpick_out_text(&out, "miniature: cannot go on: ");
    altpick_out_text(&out, why);
    altpick_out_text(&out, "\n");
    boot_leave(BOOT_LEAVE_FAILED);
}

_Noreturn void mini_end(const char *failed)
{
    struct altpick_out out = mini_console();

    altpick_out_text(&out, failed ? "miniature: FAILED: " : "miniature: PASSED: ");
    altpick_out_text(&out, failed ? failed : "no task saw another's state");
    altpick_out_text(&out, "\n" ALTPICK_FRONT_DONE "\n");
    boot_leave(failed ? BOOT_LEAVE_FAILED : BOOT_LEAVE_DONE);
}

/* AVX-512 only on a real core: translators enable it in XCR0, and then do not have it. */
static uint32_t choose_vectors(bool is_core)
{
    struct altpick_cpu cpu;

    altpick_cpu_read(&altpick_cpuid_native, &cpu);
    if (is_core && altpick_cpu_has(&cpu, ALTPICK_CPU_AVX512F) &&
        altpick_cpu_has(&cpu, ALTPICK_CPU_AVX512BW))
        return 2;
    return altpick_cpu_has(&cpu, ALTPICK_CPU_AVX) ? 1 : 0;
}

static void show(struct altpick_out *out, const char *before, uint64_t value, const char *after)
{
    altpick_out_text(out, before);
    altpick_out_u64(out, value);
    altpick_out_text(out, after);
}

static void show_run(struct altpick_out *out, const struct mini_options *options)
{
    static const char *const vectors[] = {"x87, xmm", "x87, xmm, ymm", "x87, xmm, ymm, zmm, k"};

    show(out, "miniature: ", mini_counts.switches, " switches, ");
    altpick_out_text(out, options->lazy ? "lazy: " : "eager: ");
    show(out, "", mini_counts.saves, " saves, ");
    show(out, "", mini_counts.restores, " restores, ");
    show(out, "", mini_counts.inits, " initial, ");
    show(out, "", mini_counts.nm, " #NM\n");
    show(out, "miniature: ", mini_counts.traced, " switches traced by a call in place of a NOP\n");
    show(out, "miniature: ", mini_looks, " looks of tasks at their own state and ");
    show(out, "", mini_first_looks, " of new ones, at ");
    altpick_out_text(out, vectors[mini_vectors]);
    altpick_out_text(out, "\n");
}

/* What would make a verdict say nothing, or is wrong without any task noticing. */
static const char *find_fault(void)
{
    if (mini_looks == 0 || mini_first_looks <= MINI_TASKS)
        return "tasks did not come to look";
    if (mini_references() != 1 + MINI_TASKS)
        return "references were lost";
    return mini_counts.traced == MINI_TRACE_TO - MINI_TRACE_FROM ? NULL : "a trace was lost";
}

void boot_main(const struct boot_info *info)
{
    struct altpick_out out = mini_console();
    const struct altpick_output *output;
    struct mini_options options;
    uint64_t xcr0, tsc_hz;
    bool is_core;

    if (!mini_options_read(info->command_line, &out, &options))
        mini_fail("the command line is wrong");
    if (!mini_text_protect())
        mini_fail("the text does not lie in one large page");
    xcr0 = boot_xstate_enable(SWITCHED); /* as it will stay: sites depend on it */
    tsc_hz = boot_timer_tsc_hz();

    output = mini_decide(info, &options, tsc_hz, &out, &is_core);
    if (!output)
        mini_fail("nothing could be decided");
    if (!mini_sites_patch(output, &out))
        mini_fail("sites could not be patched");

    mini_vectors = choose_vectors(is_core);
    if (!mini_tasks_start(info, xcr0))
        mini_fail("no memory for what tasks save");
    if (!mini_switch_run(&options, xcr0 != 0, tsc_hz))
        mini_fail("there is no timer");
    show_run(&out, &options);
    mini_end(find_fault());
}
