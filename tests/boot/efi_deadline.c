/* SPDX-License-Identifier: MIT */
/*
 * A program for UEFI firmware with a candidate that does not end: the timer ends it, and the next
 * one is looked at as if nothing had been.  After that, and after a probe of all questions, what
 * firmware counts on is as it was: IDT, timer, control registers, and what its calling convention
 * keeps of x87 and vector state.
 */
#include "altpick/err.h"
#include "bytes.h"
#include "console.h"
#include "deadline.h"
#include "pages.h"
#include "port.h"
#include "rate.h"
#include "uefi.h"

enum {
    N_CANDIDATES = 3,
    LOOP_BUDGET_US = 5000000,
    ALL_BUDGET_US = 500000,
    FX_CONTROL = 0, /* in the image of FXSAVE64 (SDM vol. 1, 10.5.1): FCW, MXCSR, XMM6 to XMM15 */
    FX_MXCSR = 24,
    FX_XMM6 = 256,
    FX_XMM_END = 416,
};

static size_t candidates(const struct altpick_question *question,
                         struct altpick_candidate ret[ALTPICK_CANDIDATES_MAX])
{
    static const struct altpick_candidate all[N_CANDIDATES] = {
        {.name = "before", .code = {0x90},       .code_bytes = 1},
        {.name = "loops",  .code = {0xeb, 0xfe}, .code_bytes = 2}, /* jmp . */
        {.name = "after",  .code = {0x90},       .code_bytes = 1},
    };

    (void) question;
    for (size_t i = 0; i < N_CANDIDATES; i++)
        ret[i] = all[i];
    return N_CANDIDATES;
}

static const struct altpick_question question = {
    .name = "test.loop",
    .title = "a candidate that does not end",
    .bits = 64,
    .conditions = 1u << ALTPICK_HOT,
    .n_candidates = N_CANDIDATES,
    .candidates = candidates,
};

/* What must be the same before and after. */
struct state {
    uint8_t idtr[10];
    uint64_t cr0, cr4;
    uint32_t timer, divide, initial;
    uint8_t fx[FX_XMM_END - FX_XMM6 + 6];
};

static _Alignas(16) uint8_t image_before[512], image[512];

/* Something to lose in XMM6 to XMM15.  They are restored by the state that is saved here. */
static void fill_vectors(void)
{
    __asm__ volatile("fxsave64 %0" : "=m"(image_before));
    altpick_copy_bytes(image, image_before, sizeof image);
    for (unsigned i = FX_XMM6; i < FX_XMM_END; i++)
        image[i] = (uint8_t) (i * 7 + 1);
    __asm__ volatile("fxrstor64 %0" : : "m"(image));
}

static void restore_vectors(void)
{
    __asm__ volatile("fxrstor64 %0" : : "m"(image_before));
}

/* QEMU's local APIC under this firmware is where it is after reset (SDM vol. 3, 10.4.1). */
static uint32_t apic(unsigned reg)
{
    return *(volatile uint32_t *) (uintptr_t) (UINT64_C(0xfee00000) + reg);
}

static struct state read_state(void)
{
    struct state state;

    altpick_zero(&state, sizeof state);
    __asm__ volatile("sidt %0" : "=m"(state.idtr));
    __asm__ volatile("mov %%cr0, %0" : "=r"(state.cr0));
    __asm__ volatile("mov %%cr4, %0" : "=r"(state.cr4));
    state.timer = apic(0x320);
    state.initial = apic(0x380);
    state.divide = apic(0x3e0);
    __asm__ volatile("fxsave64 %0" : "=m"(image));
    altpick_copy_bytes(state.fx, image + FX_XMM6, FX_XMM_END - FX_XMM6);
    altpick_copy_bytes(state.fx + FX_XMM_END - FX_XMM6, image + FX_MXCSR, 4);
    altpick_copy_bytes(state.fx + FX_XMM_END - FX_XMM6 + 4, image + FX_CONTROL, 2);
    return state;
}

static void print(const struct altpick_boot *boot, struct altpick_out *out)
{
    for (size_t i = 0; i < boot->machine->n_results; i++) {
        const struct altpick_result *result = &boot->machine->results[i];

        for (size_t c = 0; c < result->n_candidates; c++) {
            altpick_out_text(out, "deadline: ");
            altpick_out_text(out, result->candidates[c].candidate.name);
            altpick_out_text(out, " ");
            altpick_out_text(out, altpick_status_name(result->candidates[c].status));
            altpick_out_text(out, "\n");
        }
    }
}

/* Probe with @options, less memory and clock; @out NULL: print nothing of it. */
static int probe(struct efi_boot_services *boot, struct altpick_boot_options options,
                 struct altpick_out *out)
{
    struct efi_pages memory = {0}, code = {0};
    struct altpick_boot result;
    int r = ALTPICK_ENOMEM;

    options.seed = 1;
    options.tsc_hz = efi_rate_of_tsc(boot);
    altpick_boot_ask_all(&options);
    options.memory_bytes = altpick_boot_memory_bytes(&options);
    options.code_bytes = altpick_boot_code_bytes(&options);
    if (efi_pages_allocate(boot, EFI_LOADER_DATA, options.memory_bytes, &memory) == EFI_SUCCESS &&
        efi_pages_allocate(boot, EFI_LOADER_CODE, options.code_bytes, &code) == EFI_SUCCESS &&
        efi_deadline_start(boot, &options)) {
        options.memory = memory.memory;
        options.code = code.memory;
        r = altpick_boot_probe(&options, &result);
        efi_deadline_stop();
    }
    if (out && (r == ALTPICK_OK || r == ALTPICK_EUNTRUSTED))
        print(&result, out);
    efi_pages_free(boot, &memory);
    efi_pages_free(boot, &code);
    return r;
}

static void tell(struct altpick_out *out, int r, const struct state *before)
{
    struct state after = read_state();

    altpick_out_text(out, "deadline: ");
    altpick_out_text(out, altpick_err_text(r));
    altpick_out_text(out, "\ndeadline: state is ");
    altpick_out_text(
        out, altpick_equal_bytes((const uint8_t *) before, (const uint8_t *) &after, sizeof after)
                 ? "the same\n"
                 : "another\n");
}

efi_status EFIAPI efi_main(void *program, struct efi_system_table *system);

efi_status EFIAPI efi_main(void *program, struct efi_system_table *system)
{
    const struct altpick_question *const questions[] = {&question};
    const struct altpick_boot_options loop = {
        .questions = questions, .n_questions = 1, .budget_us = LOOP_BUDGET_US};
    const struct altpick_boot_options all = {
        .budget_us = ALL_BUDGET_US, .xcr0 = ALTPICK_BOOT_XCR0_ALL, .rehearse = true};
    struct altpick_out out = efi_console_out(system->console_out);
    struct state before;
    int r;

    (void) program;
    fill_vectors();
    before = read_state();
    r = probe(system->boot, loop, &out);
    tell(&out, r, &before);
    r = probe(system->boot, all, NULL);
    tell(&out, r, &before);
    restore_vectors();
    return EFI_SUCCESS;
}
