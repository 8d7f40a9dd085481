/* SPDX-License-Identifier: MIT */
/* Finds the options: what a person typed, stored in firmware, or put in a file beside the image. */
#include "asked.h"

#include "efi_words.h"
#include "volume.h"

enum { PATH_MAX = 256 };

static bool refuse(const struct efi_asked *asked, const char *what, const char *why)
{
    altpick_out_text(asked->say, "altpick: ");
    altpick_out_text(asked->say, what);
    altpick_out_text(asked->say, why);
    return false;
}

static bool ask_file(const struct efi_asked *asked, char *ret_words, size_t capacity)
{
    static const char name[] = EFI_ASKED_FILE;
    char text[EFI_ASKED_FILE_MAX];
    uint16_t path[PATH_MAX + sizeof name];
    size_t n = 0, bytes = 0;
    efi_status status;

    ret_words[0] = '\0';
    if (!asked->root)
        return true;
    while (n < PATH_MAX && asked->directory[n] != 0) {
        path[n] = asked->directory[n];
        n++;
    }
    for (size_t i = 0; i < sizeof name; i++)
        path[n++] = (uint8_t) name[i];
    status = efi_volume_read(asked->root, path, text, sizeof text, &bytes);
    if (status == EFI_NOT_FOUND)
        return true;
    if (status == EFI_BUFFER_TOO_SMALL)
        return refuse(asked, name, ": more than 4096 bytes\n");
    if (status != EFI_SUCCESS)
        return refuse(asked, name, ": could not be read\n");
    if (!efi_words_of_file(text, bytes, ret_words, capacity))
        return refuse(asked, name,
                      ": not plain ASCII, which `echo ... >a " EFI_ASKED_FILE "` writes in a shell "
                      "(> alone writes UTF-16), or over 1023 characters of words\n");
    return true;
}

/* What the shell made of a command line, where one started the image. */
static const struct efi_shell_parameters *shell_of(const struct efi_asked *asked)
{
    static const struct efi_guid guid = EFI_SHELL_PARAMETERS_GUID;
    void *interface = NULL;

    if (asked->boot->handle_protocol(asked->image, &guid, &interface) != EFI_SUCCESS)
        return NULL;
    return interface;
}

bool efi_asked_find(const struct efi_asked *asked, char *ret_words, size_t capacity)
{
    const struct efi_shell_parameters *shell = shell_of(asked);

    if (shell && !efi_words_of_shell(shell, ret_words, capacity))
        return refuse(asked, "command line", ": too long, or not plain ASCII\n");
    if (!shell && !efi_words_of_options(asked->loaded->load_options,
                                        asked->loaded->load_options_bytes, ret_words, capacity))
        refuse(asked, "load options", " are too long or no plain text: passed over\n");
    return ret_words[0] != '\0' || ask_file(asked, ret_words, capacity);
}
