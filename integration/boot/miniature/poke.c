/* SPDX-License-Identifier: MIT */
/* Makes the program's text read-only, and writes it all the same where code is patched. */
#include "mini.h"

enum { PAGE = 4096, LARGE_PAGE = 2 << 20, ENTRIES = 512 };

#define CR0_WP   (UINT64_C(1) << 16)
#define PRESENT  UINT64_C(1)
#define WRITABLE UINT64_C(2)
#define LARGE    UINT64_C(0x80)
#define ADDRESS  UINT64_C(0x000ffffffffff000)

/* In place of the one large page that holds the text. */
static uint64_t small_pages[ENTRIES] __attribute__((aligned(PAGE)));

static uint64_t *table_at(uint64_t entry)
{
    return (uint64_t *) (uintptr_t) (entry & ADDRESS); /* memory is mapped to itself */
}

bool mini_text_protect(void)
{
    uintptr_t start = (uintptr_t) boot_image_start, end = (uintptr_t) boot_text_end;
    uintptr_t large = start / LARGE_PAGE * LARGE_PAGE;
    uint64_t cr3, *directory;

    __asm__ volatile("movq %%cr3, %0" : "=r"(cr3));
    directory = table_at(table_at(table_at(cr3)[0])[0]);
    if (end > large + LARGE_PAGE || !(directory[large / LARGE_PAGE] & LARGE))
        return false;
    for (size_t i = 0; i < ENTRIES; i++) {
        uintptr_t page = large + i * PAGE;
        bool is_text = page + PAGE > start && page < end;

        small_pages[i] = page | PRESENT | (is_text ? 0 : WRITABLE);
    }
    directory[large / LARGE_PAGE] = (uintptr_t) small_pages | PRESENT | WRITABLE;
    __asm__ volatile("movq %0, %%cr3" : : "r"(cr3) : "memory"); /* what was cached goes */
    return true;
}

/*
 * With CR0.WP clear ring 0 writes read-only pages (SDM vol. 3A, 2.5).  One CPU, and interrupts are
 * off: nobody executes what is half written, and altpick_patch_apply() serialises at its end.
 */
int mini_text_poke(void *ctx, void *address, const uint8_t *bytes, size_t n)
{
    volatile uint8_t *to = address;
    uint64_t cr0;

    (void) ctx;
    __asm__ volatile("movq %%cr0, %0" : "=r"(cr0));
    __asm__ volatile("movq %0, %%cr0" : : "r"(cr0 & ~CR0_WP) : "memory");
    for (size_t i = 0; i < n; i++)
        to[i] = bytes[i];
    __asm__ volatile("movq %0, %%cr0" : : "r"(cr0) : "memory");
    return 0;
}
