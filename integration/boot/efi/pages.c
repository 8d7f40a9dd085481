/* SPDX-License-Identifier: MIT */
/* Memory from firmware, to be written and to be executed. */
#include "pages.h"

efi_status efi_pages_allocate(struct efi_boot_services *boot, int type, uint64_t bytes,
                              struct efi_pages *ret_pages)
{
    uint64_t address = 0, pages = (bytes + EFI_PAGE_BYTES - 1) / EFI_PAGE_BYTES;
    efi_status status = boot->allocate_pages(EFI_ALLOCATE_ANY_PAGES, type, pages, &address);

    if (status == EFI_SUCCESS)
        *ret_pages = (struct efi_pages){(void *) (uintptr_t) address, pages};
    return status;
}

void efi_pages_free(struct efi_boot_services *boot, struct efi_pages *pages)
{
    if (pages->memory)
        boot->free_pages((uint64_t) (uintptr_t) pages->memory, pages->pages);
    pages->memory = NULL;
}

bool efi_pages_execute(struct efi_boot_services *boot, const struct efi_pages *pages)
{
    static const struct efi_guid guid = EFI_MEMORY_ATTRIBUTE_GUID;
    uint64_t address = (uint64_t) (uintptr_t) pages->memory;
    uint64_t bytes = pages->pages * EFI_PAGE_BYTES, closed = 0;
    void *interface = NULL;
    struct efi_memory_attribute *attribute;

    if (boot->locate_protocol(&guid, NULL, &interface) != EFI_SUCCESS)
        return true;
    attribute = interface;
    /* Pages that differ among each other have no common answer: then they are opened, too. */
    if (attribute->get(attribute, address, bytes, &closed) == EFI_SUCCESS &&
        !(closed & (EFI_MEMORY_XP | EFI_MEMORY_RO)))
        return true;
    return attribute->clear(attribute, address, bytes, EFI_MEMORY_XP | EFI_MEMORY_RO) ==
           EFI_SUCCESS;
}
