/* SPDX-License-Identifier: MIT */
/*
 * What altpick uses of UEFI's interfaces, written down from the UEFI Specification 2.10; numbers of
 * sections are of that.  Members that are not used are void pointers that keep their places.
 */
#ifndef ALTPICK_BOOT_UEFI_H
#define ALTPICK_BOOT_UEFI_H

#include <stddef.h>
#include <stdint.h>

/* 2.3.4.2: the calling convention of x64 firmware is Microsoft's. */
#if defined(_WIN32)
#define EFIAPI
#else
#define EFIAPI __attribute__((ms_abi)) /* unit tests */
#endif

/* Appendix D.  UINTN is 64 bits here (2.3.1). */
typedef uint64_t efi_status;

#define EFI_ERROR(n)          ((UINT64_C(1) << 63) | (n))
#define EFI_SUCCESS           UINT64_C(0)
#define EFI_INVALID_PARAMETER EFI_ERROR(2)
#define EFI_UNSUPPORTED       EFI_ERROR(3)
#define EFI_BUFFER_TOO_SMALL  EFI_ERROR(5)
#define EFI_DEVICE_ERROR      EFI_ERROR(7)
#define EFI_WRITE_PROTECTED   EFI_ERROR(8)
#define EFI_OUT_OF_RESOURCES  EFI_ERROR(9)
#define EFI_VOLUME_FULL       EFI_ERROR(11)
#define EFI_NOT_FOUND         EFI_ERROR(14)
#define EFI_ACCESS_DENIED     EFI_ERROR(15)
#define EFI_ABORTED           EFI_ERROR(21)

/* 2.3.1 and Appendix A */
struct efi_guid {
    uint32_t a;
    uint16_t b, c;
    uint8_t d[8];
};

/* 4.2 */
struct efi_table_header {
    uint64_t signature;
    uint32_t revision, header_bytes, crc32, reserved;
};

/* 12.4: text as UTF-16 with a NUL. */
struct efi_text_output {
    void *reset;
    efi_status(EFIAPI *output_string)(struct efi_text_output *self, const uint16_t *text);
};

/* 7.2 */
enum { EFI_ALLOCATE_ANY_PAGES = 0 };
enum { EFI_LOADER_CODE = 1, EFI_LOADER_DATA = 2 };
enum { EFI_PAGE_BYTES = 4096 };

#define EFI_MEMORY_XP UINT64_C(0x4000)
#define EFI_MEMORY_RO UINT64_C(0x20000)

/* 7.1.8 */
enum { EFI_TPL_CALLBACK = 8, EFI_TPL_NOTIFY = 16 };

/* 7.1.1 and 7.1.7; times are in units of 100 ns. */
#define EFI_EVENT_TIMER         0x80000000u
#define EFI_EVENT_NOTIFY_SIGNAL 0x200u
enum { EFI_TIMER_CANCEL = 0, EFI_TIMER_PERIODIC = 1, EFI_TIMER_RELATIVE = 2 };

typedef void(EFIAPI efi_notify)(void *event, void *ctx);

/* 4.4 */
struct efi_boot_services {
    struct efi_table_header header;
    uint64_t(EFIAPI *raise_tpl)(uint64_t tpl);
    void(EFIAPI *restore_tpl)(uint64_t tpl);
    efi_status(EFIAPI *allocate_pages)(int how, int type, uint64_t pages, uint64_t *address);
    efi_status(EFIAPI *free_pages)(uint64_t address, uint64_t pages);
    void *get_memory_map, *allocate_pool, *free_pool;
    efi_status(EFIAPI *create_event)(uint32_t type, uint64_t tpl, efi_notify *notify, void *ctx,
                                     void **ret_event);
    efi_status(EFIAPI *set_timer)(void *event, int how, uint64_t time);
    efi_status(EFIAPI *wait_for_event)(uint64_t n_events, void **events, uint64_t *ret_index);
    void *signal_event;
    efi_status(EFIAPI *close_event)(void *event);
    void *check_event;
    void *install_protocol[3];
    efi_status(EFIAPI *handle_protocol)(void *handle, const struct efi_guid *protocol,
                                        void **ret_interface);
    void *reserved, *register_protocol_notify, *locate_handle, *locate_device_path;
    void *install_configuration_table;
    void *images[4];
    void *exit_boot_services, *get_next_monotonic_count;
    efi_status(EFIAPI *stall)(uint64_t microseconds);
    efi_status(EFIAPI *set_watchdog_timer)(uint64_t seconds, uint64_t code, uint64_t bytes,
                                           const uint16_t *data);
    void *connect_controller, *disconnect_controller;
    void *open_protocol, *close_protocol, *open_protocol_information;
    void *protocols_per_handle, *locate_handle_buffer;
    efi_status(EFIAPI *locate_protocol)(const struct efi_guid *protocol, void *registration,
                                        void **ret_interface);
    void *install_protocols, *uninstall_protocols;
    efi_status(EFIAPI *calculate_crc32)(const void *data, uint64_t bytes, uint32_t *ret_crc32);
    void(EFIAPI *copy_mem)(void *to, const void *from, uint64_t bytes);
    void(EFIAPI *set_mem)(void *to, uint64_t bytes, uint8_t value);
};

_Static_assert(offsetof(struct efi_boot_services, handle_protocol) == 0x98, "4.4");
_Static_assert(offsetof(struct efi_boot_services, stall) == 0xf8, "4.4");
_Static_assert(offsetof(struct efi_boot_services, locate_protocol) == 0x140, "4.4");
_Static_assert(offsetof(struct efi_boot_services, set_mem) == 0x168, "4.4");

/* 4.3 */
struct efi_system_table {
    struct efi_table_header header;
    const uint16_t *vendor;
    uint32_t vendor_revision;
    void *console_in_handle, *console_in;
    void *console_out_handle;
    struct efi_text_output *console_out;
    void *error_handle;
    struct efi_text_output *error;
    void *runtime;
    struct efi_boot_services *boot;
};

_Static_assert(offsetof(struct efi_system_table, console_out) == 0x40, "4.3");
_Static_assert(offsetof(struct efi_system_table, boot) == 0x60, "4.3");

/* 10.2: then come `bytes` - 4 bytes, and the next node. */
struct efi_path_node {
    uint8_t type, subtype;
    uint8_t bytes[2]; /* little-endian, of this node with its header */
};

/* 10.3.1 and 10.3.5.4 */
enum { EFI_PATH_END = 0x7f, EFI_PATH_MEDIA = 4, EFI_PATH_MEDIA_FILE = 4 };

/* 9.1 */
#define EFI_LOADED_IMAGE_GUID                                                                      \
    {                                                                                              \
        0x5b1b31a1, 0x9562, 0x11d2,                                                                \
        {                                                                                          \
            0x8e, 0x3f, 0x00, 0xa0, 0xc9, 0x69, 0x72, 0x3b                                         \
        }                                                                                          \
    }

struct efi_loaded_image {
    uint32_t revision;
    void *parent;
    struct efi_system_table *system;
    void *device;
    const struct efi_path_node *file_path;
    void *reserved;
    uint32_t load_options_bytes;
    const void *load_options;
};

_Static_assert(offsetof(struct efi_loaded_image, load_options) == 0x38, "9.1.1");

/* 13.4 */
#define EFI_FILE_SYSTEM_GUID                                                                       \
    {                                                                                              \
        0x964e5b22, 0x6459, 0x11d2,                                                                \
        {                                                                                          \
            0x8e, 0x39, 0x00, 0xa0, 0xc9, 0x69, 0x72, 0x3b                                         \
        }                                                                                          \
    }

struct efi_file;

struct efi_file_system {
    uint64_t revision;
    efi_status(EFIAPI *open_volume)(struct efi_file_system *self, struct efi_file **ret_root);
};

/* 13.5 */
#define EFI_FILE_READ      UINT64_C(1)
#define EFI_FILE_WRITE     UINT64_C(2)
#define EFI_FILE_CREATE    (UINT64_C(1) << 63)
#define EFI_FILE_DIRECTORY UINT64_C(0x10) /* of struct efi_file_info.attributes */

struct efi_file {
    uint64_t revision;
    efi_status(EFIAPI *open)(struct efi_file *self, struct efi_file **ret_file,
                             const uint16_t *name, uint64_t mode, uint64_t attributes);
    efi_status(EFIAPI *close)(struct efi_file *self);
    efi_status(EFIAPI *remove)(struct efi_file *self); /* closes it, too */
    efi_status(EFIAPI *read)(struct efi_file *self, uint64_t *bytes, void *buffer);
    efi_status(EFIAPI *write)(struct efi_file *self, uint64_t *bytes, const void *buffer);
    void *get_position, *set_position;
    efi_status(EFIAPI *get_info)(struct efi_file *self, const struct efi_guid *type,
                                 uint64_t *bytes, void *buffer);
    efi_status(EFIAPI *set_info)(struct efi_file *self, const struct efi_guid *type, uint64_t bytes,
                                 const void *buffer);
    efi_status(EFIAPI *flush)(struct efi_file *self);
};

/* 13.5, EFI_FILE_INFO */
#define EFI_FILE_INFO_GUID                                                                         \
    {                                                                                              \
        0x09576e92, 0x6d3f, 0x11d2,                                                                \
        {                                                                                          \
            0x8e, 0x39, 0x00, 0xa0, 0xc9, 0x69, 0x72, 0x3b                                         \
        }                                                                                          \
    }

struct efi_file_info {
    uint64_t bytes; /* of this, with the name */
    uint64_t file_bytes, physical_bytes;
    uint8_t times[3][16];
    uint64_t attributes;
    uint16_t name[]; /* with a NUL */
};

_Static_assert(offsetof(struct efi_file_info, name) == 80, "13.5");

/* The memory attribute protocol, new in 2.10: who may do what with pages. */
#define EFI_MEMORY_ATTRIBUTE_GUID                                                                  \
    {                                                                                              \
        0xf4560cf6, 0x40ec, 0x4b4a,                                                                \
        {                                                                                          \
            0xa1, 0x92, 0xbf, 0x1d, 0x57, 0xd0, 0xb1, 0x89                                         \
        }                                                                                          \
    }

struct efi_memory_attribute {
    efi_status(EFIAPI *get)(struct efi_memory_attribute *self, uint64_t address, uint64_t bytes,
                            uint64_t *ret_attributes);
    efi_status(EFIAPI *set)(struct efi_memory_attribute *self, uint64_t address, uint64_t bytes,
                            uint64_t attributes);
    efi_status(EFIAPI *clear)(struct efi_memory_attribute *self, uint64_t address, uint64_t bytes,
                              uint64_t attributes);
};

/* UEFI Shell Specification 2.2, EFI_SHELL_PARAMETERS_PROTOCOL: words as the shell has them. */
#define EFI_SHELL_PARAMETERS_GUID                                                                  \
    {                                                                                              \
        0x752f3136, 0x4e16, 0x4fdc,                                                                \
        {                                                                                          \
            0xa2, 0x2a, 0xe5, 0xf4, 0x68, 0x12, 0xf4, 0xca                                         \
        }                                                                                          \
    }

struct efi_shell_parameters {
    const uint16_t *const *words; /* the first is the program */
    uint64_t n_words;
};

#endif
