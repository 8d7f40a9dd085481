/* SPDX-License-Identifier: MIT */
/* Options as words, from where firmware, a shell or a person put them. */
#include "efi_words.h"

/* Where words go: a blank is owed before the next character of a new word. */
struct line {
    char *text;
    size_t capacity, length;
    bool blank, bad;
};

static void put(struct line *line, uint32_t character)
{
    bool blank = character == ' ' || character == '\t' || character == '\r' || character == '\n';
    size_t needed = line->length + 1 + (line->blank && line->length > 0);

    if (blank) {
        line->blank = true;
        return;
    }
    if (character < ' ' || character > '~' || needed >= line->capacity) {
        line->bad = true;
        return;
    }
    if (line->blank && line->length > 0)
        line->text[line->length++] = ' ';
    line->blank = false;
    line->text[line->length++] = (char) character;
}

static bool finish(struct line *line)
{
    line->text[line->bad ? 0 : line->length] = '\0';
    return !line->bad;
}

bool efi_words_of_shell(const struct efi_shell_parameters *parameters, char *ret_words,
                        size_t capacity)
{
    struct line line = {.text = ret_words, .capacity = capacity};

    for (uint64_t i = 1; i < parameters->n_words; i++) {
        put(&line, ' ');
        for (const uint16_t *at = parameters->words[i]; *at != 0; at++)
            put(&line, *at);
    }
    return finish(&line);
}

static uint16_t unit(const void *options, uint32_t index)
{
    const uint8_t *at = (const uint8_t *) options + 2 * (size_t) index; /* of any alignment */

    return (uint16_t) (at[0] | at[1] << 8);
}

static uint16_t lower(uint16_t character)
{
    return character >= 'A' && character <= 'Z' ? (uint16_t) (character + 32) : character;
}

/* Units that the name of the program takes at the beginning of @n units, 0: it is not there. */
static uint32_t program_units(const void *options, uint32_t n)
{
    static const char suffix[] = {'.', 'e', 'f', 'i'};
    uint32_t end;
    bool quoted = n > 0 && unit(options, 0) == '"', is_path = false, has_suffix = true;

    for (end = quoted; end < n && unit(options, end) != (quoted ? '"' : ' '); end++)
        is_path |= unit(options, end) == '\\';
    if (end < sizeof suffix)
        return 0;
    for (uint32_t i = 0; i < sizeof suffix; i++)
        has_suffix &= lower(unit(options, end - (uint32_t) sizeof suffix + i)) == suffix[i];
    if (!is_path && !has_suffix)
        return 0;
    return end + (quoted && end < n);
}

bool efi_words_of_options(const void *options, uint32_t bytes, char *ret_words, size_t capacity)
{
    struct line line = {.text = ret_words, .capacity = capacity, .bad = bytes % 2 != 0};
    uint32_t n = 0;

    while (n < bytes / 2 && unit(options, n) != 0)
        n++;
    for (uint32_t i = program_units(options, n); i < n; i++)
        put(&line, unit(options, i));
    return finish(&line);
}

bool efi_words_of_file(const char *text, size_t bytes, char *ret_words, size_t capacity)
{
    struct line line = {.text = ret_words, .capacity = capacity};
    bool comment = false;

    for (size_t i = 0; i < bytes; i++) {
        comment = text[i] == '#' || (comment && text[i] != '\n');
        if (!comment)
            put(&line, (uint8_t) text[i]);
    }
    return finish(&line);
}

bool efi_words_directory(const struct efi_path_node *path, uint16_t *ret_directory, size_t capacity)
{
    size_t length = 0, directory = 0;

    if (!path || capacity < 2)
        return false;
    ret_directory[length++] = '\\';
    while (path->type == EFI_PATH_MEDIA && path->subtype == EFI_PATH_MEDIA_FILE) {
        uint32_t bytes = (uint32_t) (path->bytes[0] | path->bytes[1] << 8);

        if (bytes < sizeof *path)
            return false;
        for (uint32_t i = sizeof *path / 2; i < bytes / 2 && unit(path, i) != 0; i++) {
            if (unit(path, i) == '\\' && ret_directory[length - 1] == '\\')
                continue;
            if (length + 1 >= capacity)
                return false;
            ret_directory[length++] = unit(path, i);
        }
        path = (const struct efi_path_node *) ((const uint8_t *) path + bytes);
        if (path->type != EFI_PATH_END && ret_directory[length - 1] != '\\')
            ret_directory[length++] = '\\';
        if (length >= capacity)
            return false;
    }
    if (path->type != EFI_PATH_END)
        return false;
    for (size_t i = 0; i < length; i++)
        directory = ret_directory[i] == '\\' ? i + 1 : directory;
    ret_directory[directory] = 0;
    return true;
}
