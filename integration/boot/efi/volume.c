/* SPDX-License-Identifier: MIT */
/* Files of the volume that the program came from. */
#include "volume.h"

static const struct efi_guid file_info_guid = EFI_FILE_INFO_GUID;

efi_status efi_volume_open(struct efi_boot_services *boot, void *device, struct efi_file **ret_root)
{
    static const struct efi_guid guid = EFI_FILE_SYSTEM_GUID;
    struct efi_file *root = NULL;
    void *interface = NULL;
    struct efi_file_system *system;
    efi_status status;

    if (!device || boot->handle_protocol(device, &guid, &interface) != EFI_SUCCESS)
        return EFI_UNSUPPORTED;
    system = interface;
    status = system->open_volume(system, &root);
    if (status == EFI_SUCCESS)
        *ret_root = root;
    return status;
}

efi_status efi_volume_read(struct efi_file *root, const uint16_t *path, void *buffer,
                           size_t capacity, size_t *ret_bytes)
{
    struct efi_file *file = NULL;
    efi_status status = root->open(root, &file, path, EFI_FILE_READ, 0);
    uint8_t more;
    size_t at = 0;
    uint64_t bytes = 1;

    if (status != EFI_SUCCESS)
        return status;
    while (status == EFI_SUCCESS && at < capacity && bytes > 0) {
        bytes = capacity - at;
        status = file->read(file, &bytes, (uint8_t *) buffer + at);
        at += status == EFI_SUCCESS ? bytes : 0;
    }
    if (status == EFI_SUCCESS && bytes > 0) { /* full: is that all? */
        bytes = sizeof more;
        status = file->read(file, &bytes, &more);
        if (status == EFI_SUCCESS && bytes > 0)
            status = EFI_BUFFER_TOO_SMALL;
    }
    file->close(file);
    if (status == EFI_SUCCESS)
        *ret_bytes = at;
    return status;
}

/* Firmware would remove a directory like a file, if it is empty: it is somebody's all the same. */
static bool is_directory(struct efi_file *file)
{
    _Alignas(struct efi_file_info)
        uint8_t buffer[sizeof(struct efi_file_info) + EFI_VOLUME_NAME_MAX * sizeof(uint16_t)];
    struct efi_file_info *info = (struct efi_file_info *) buffer;
    uint64_t bytes = sizeof buffer;

    return file->get_info(file, &file_info_guid, &bytes, info) != EFI_SUCCESS ||
           info->attributes & EFI_FILE_DIRECTORY;
}

/* No such file is as good.  A directory stays. */
static efi_status remove_file(struct efi_file *root, const uint16_t *name)
{
    struct efi_file *file = NULL;
    efi_status status = root->open(root, &file, name, EFI_FILE_READ | EFI_FILE_WRITE, 0);

    if (status == EFI_NOT_FOUND)
        return EFI_SUCCESS;
    if (status != EFI_SUCCESS)
        return status;
    if (is_directory(file)) {
        file->close(file);
        return EFI_ACCESS_DENIED;
    }
    /* A file that was not removed is told by a warning (13.5). */
    return file->remove(file) == EFI_SUCCESS ? EFI_SUCCESS : EFI_ACCESS_DENIED;
}

static efi_status write_all(struct efi_file *file, const char *text, size_t bytes)
{
    for (size_t at = 0; at < bytes;) {
        uint64_t n = bytes - at;
        efi_status status = file->write(file, &n, text + at);

        if (status != EFI_SUCCESS)
            return status;
        if (n == 0)
            return EFI_VOLUME_FULL;
        at += n;
    }
    return file->flush(file);
}

/* Write a new file @name, or leave none. */
static efi_status write_file(struct efi_file *root, const uint16_t *name, const char *text,
                             size_t bytes)
{
    struct efi_file *file = NULL;
    efi_status status = remove_file(root, name);

    if (status == EFI_SUCCESS)
        status = root->open(root, &file, name, EFI_FILE_READ | EFI_FILE_WRITE | EFI_FILE_CREATE, 0);
    if (status != EFI_SUCCESS)
        return status;
    status = write_all(file, text, bytes);
    if (status == EFI_SUCCESS)
        return file->close(file);
    file->remove(file);
    return status;
}

/* Setting a name in a file's information renames it (13.5).  What it holds is flushed before. */
static efi_status rename_file(struct efi_file *root, const uint16_t *from, const uint16_t *to)
{
    _Alignas(struct efi_file_info)
        uint8_t buffer[sizeof(struct efi_file_info) + EFI_VOLUME_NAME_MAX * sizeof(uint16_t)];
    struct efi_file_info *info = (struct efi_file_info *) buffer;
    struct efi_file *file = NULL;
    uint64_t bytes = sizeof buffer;
    efi_status status = root->open(root, &file, from, EFI_FILE_READ | EFI_FILE_WRITE, 0);
    size_t n = 0;

    if (status != EFI_SUCCESS)
        return status;
    status = file->get_info(file, &file_info_guid, &bytes, info);
    if (status == EFI_SUCCESS) {
        do {
            info->name[n] = to[n];
        } while (to[n++] != 0 && n < EFI_VOLUME_NAME_MAX);
        info->bytes = sizeof *info + n * sizeof info->name[0];
        status = file->set_info(file, &file_info_guid, info->bytes, info);
    }
    file->close(file); /* flushes, and never fails (13.5) */
    return status;
}

efi_status efi_volume_replace(struct efi_file *root, const uint16_t *name,
                              const uint16_t *temporary, const char *text, size_t bytes,
                              bool *ret_in_temporary)
{
    efi_status status = write_file(root, temporary, text, bytes);

    *ret_in_temporary = false;
    if (status != EFI_SUCCESS)
        return status;
    status = remove_file(root, name);
    if (status != EFI_SUCCESS) {
        remove_file(root, temporary);
        return status;
    }
    status = rename_file(root, temporary, name);
    *ret_in_temporary = status != EFI_SUCCESS;
    return status;
}
