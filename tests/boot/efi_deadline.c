/* SPDX-License-Identifier: MIT */
/*
 * A program for UEFI firmware with a candidate that does not end: the timer ends it, the next one
 * is looked at as if nothing had been, and firmware's timer and IDT are as they were.
 */
#include "altpick/err.h"
#include "bytes.h"
#include "console.h"
#include "deadline.h"
#include "pages.h"
#include "port.h"
#include "rate.h"
#include "uefi.h"

enum { N_CANDIDATES = 3, BUDGET_US = 5000000 };

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
};

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

static int probe(struct efi_boot_services *boot, struct altpick_out *out)
{
    const struct altpick_question *const questions[] = {&question};
    struct altpick_boot_options options = {.questions = questions,
                                           .n_questions = 1,
                                           .budget_us = BUDGET_US,
                                           .seed = 1,
                                           .tsc_hz = efi_rate_of_tsc(boot)};
    struct efi_pages memory = {0}, code = {0};
    struct altpick_boot result;
    int r = ALTPICK_ENOMEM;

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
    if (r == ALTPICK_OK || r == ALTPICK_EUNTRUSTED)
        print(&result, out);
    efi_pages_free(boot, &memory);
    efi_pages_free(boot, &code);
    return r;
}

efi_status EFIAPI efi_main(void *image, struct efi_system_table *system);

efi_status EFIAPI efi_main(void *image, struct efi_system_table *system)
{
    struct altpick_out out = efi_console_out(system->console_out);
    struct state before = read_state(), after;
    int r = probe(system->boot, &out);

    (void) image;
    after = read_state();
    altpick_out_text(&out, "deadline: ");
    altpick_out_text(&out, altpick_err_text(r));
    altpick_out_text(&out, "\ndeadline: state is ");
    altpick_out_text(&out,
                     altpick_equal_bytes((uint8_t *) &before, (uint8_t *) &after, sizeof before)
                         ? "the same\n"
                         : "another\n");
    return EFI_SUCCESS;
}
