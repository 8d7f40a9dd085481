/* SPDX-License-Identifier: MIT */
/* Files are read and replaced through a file system that fails when it is told to. */
#include "test.h"
#include "volume.h"

#include <string.h>

enum { FILES = 4, ROOM = 64, PIECE = 5 };

/* What goes wrong: the call that many calls on. */
static struct {
    unsigned calls_left; /* 0: nothing goes wrong */
    efi_status status;
} plan;

struct stored {
    char name[EFI_VOLUME_NAME_MAX]; /* "": no file */
    char text[ROOM];
    size_t bytes;
    bool is_directory;
};

static struct stored files[FILES];
static int open_handles;

struct handle {
    struct efi_file file; /* first */
    struct stored *stored;
    size_t at;
};

static struct handle handles[FILES];
static struct efi_file root;

static efi_status next(void)
{
    if (plan.calls_left > 0 && --plan.calls_left == 0)
        return plan.status;
    return EFI_SUCCESS;
}

static void narrow(const uint16_t *name, char *ret_name)
{
    do {
        *ret_name++ = (char) *name;
    } while (*name++ != 0);
}

static struct stored *find(const char *name)
{
    for (size_t i = 0; i < FILES; i++) {
        if (strcmp(files[i].name, name) == 0)
            return &files[i];
    }
    return NULL;
}

static efi_status EFIAPI do_close(struct efi_file *self)
{
    (void) self;
    open_handles--;
    return EFI_SUCCESS;
}

static efi_status EFIAPI do_remove(struct efi_file *self)
{
    struct handle *handle = (struct handle *) self;

    open_handles--;
    if (next() != EFI_SUCCESS)
        return 2; /* a warning: the file is still there */
    memset(handle->stored, 0, sizeof *handle->stored);
    return EFI_SUCCESS;
}

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static efi_status EFIAPI do_read(struct efi_file *self, uint64_t *bytes, void *buffer)
{
    struct handle *handle = (struct handle *) self;

    *bytes = least(least(*bytes, PIECE), handle->stored->bytes - handle->at);
    memcpy(buffer, handle->stored->text + handle->at, *bytes);
    handle->at += *bytes;
    return next();
}

static efi_status EFIAPI do_write(struct efi_file *self, uint64_t *bytes, const void *buffer)
{
    struct handle *handle = (struct handle *) self;
    efi_status status = next();

    if (status != EFI_SUCCESS)
        return status;
    *bytes = least(least(*bytes, PIECE), ROOM - handle->at);
    memcpy(handle->stored->text + handle->at, buffer, *bytes);
    handle->at += *bytes;
    handle->stored->bytes = handle->at > handle->stored->bytes ? handle->at : handle->stored->bytes;
    return EFI_SUCCESS;
}

static efi_status EFIAPI do_get_info(struct efi_file *self, const struct efi_guid *type,
                                     uint64_t *bytes, void *buffer)
{
    struct efi_file_info *info = buffer;

    (void) type;
    assert_true(*bytes >= sizeof(struct efi_file_info) + 2 * (uint64_t) EFI_VOLUME_NAME_MAX);
    memset(buffer, 0, *bytes);
    if (((struct handle *) self)->stored->is_directory)
        info->attributes = EFI_FILE_DIRECTORY;
    return next();
}

static efi_status EFIAPI do_set_info(struct efi_file *self, const struct efi_guid *type,
                                     uint64_t bytes, const void *buffer)
{
    struct handle *handle = (struct handle *) self;
    const struct efi_file_info *info = buffer;
    efi_status status = next();
    char name[EFI_VOLUME_NAME_MAX];

    (void) type;
    if (status != EFI_SUCCESS)
        return status;
    assert_int_equal(bytes, info->bytes);
    narrow(info->name, name);
    assert_int_equal(bytes, sizeof *info + 2 * (strlen(name) + 1));
    if (find(name))
        return EFI_ACCESS_DENIED;
    strcpy(handle->stored->name, name);
    return EFI_SUCCESS;
}

static efi_status EFIAPI do_flush(struct efi_file *self)
{
    (void) self;
    return next();
}

static efi_status EFIAPI do_open(struct efi_file *self, struct efi_file **ret_file,
                                 const uint16_t *wide, uint64_t mode, uint64_t attributes)
{
    char name[EFI_VOLUME_NAME_MAX];
    struct handle *handle = &handles[open_handles];
    efi_status status = next();
    struct stored *stored;

    (void) attributes;
    assert_ptr_equal(self, &root);
    assert_true(open_handles < FILES);
    if (status != EFI_SUCCESS)
        return status;
    narrow(wide, name);
    stored = find(name);
    if (!stored && !(mode & EFI_FILE_CREATE))
        return EFI_NOT_FOUND;
    if (!stored) {
        stored = find("");
        assert_non_null(stored);
        strcpy(stored->name, name);
    }
    *handle = (struct handle){
        .stored = stored,
        .file = {.open = do_open,
                 .close = do_close,
                 .remove = do_remove,
                 .read = do_read,
                 .write = do_write,
                 .get_info = do_get_info,
                 .set_info = do_set_info,
                 .flush = do_flush}
    };
    open_handles++;
    *ret_file = &handle->file;
    return EFI_SUCCESS;
}

static int set_up(void **state)
{
    (void) state;
    memset(files, 0, sizeof files);
    memset(&plan, 0, sizeof plan);
    open_handles = 0;
    root.open = do_open;
    return 0;
}

static void store(const char *name, const char *text)
{
    struct stored *stored = find("");

    assert_non_null(stored);
    if (!stored)
        return; /* for compilers, that do not know assertions of cmocka */
    strcpy(stored->name, name);
    strcpy(stored->text, text);
    stored->bytes = strlen(text);
}

static void assert_stored(const char *name, const char *text)
{
    const struct stored *stored = find(name);

    if (!text) {
        assert_null(stored);
        return;
    }
    assert_non_null(stored);
    assert_int_equal(stored->bytes, strlen(text));
    assert_memory_equal(stored->text, text, strlen(text));
}

static bool in_temporary;

static efi_status replace(const char *text)
{
    return efi_volume_replace(&root, u"p.json", u"p.tmp", text, strlen(text), &in_temporary);
}

static void a_new_file_gets_its_name(void **state)
{
    (void) state;
    assert_int_equal(replace("twelve bytes"), EFI_SUCCESS);
    assert_stored("p.json", "twelve bytes");
    assert_stored("p.tmp", NULL);
    assert_int_equal(open_handles, 0);
}

static void older_files_are_replaced(void **state)
{
    (void) state;
    store("p.json", "what is there, and longer");
    store("p.tmp", "what a run that was cut off has left");
    assert_int_equal(replace("new"), EFI_SUCCESS);
    assert_stored("p.json", "new");
    assert_stored("p.tmp", NULL);
    assert_int_equal(open_handles, 0);
}

/* Somebody's, empty or not. */
static void a_directory_of_that_name_stays(void **state)
{
    static const char *const names[] = {"p.json", "p.tmp"};

    (void) state;
    for (size_t i = 0; i < 2; i++) {
        store(names[i], "");
        find(names[i])->is_directory = true;
        assert_int_equal(replace("new"), EFI_ACCESS_DENIED);
        assert_true(find(names[i])->is_directory);
        assert_stored(names[!i], NULL);
        assert_int_equal(open_handles, 0);
        memset(find(names[i]), 0, sizeof(struct stored));
    }
}

static void a_full_volume_keeps_the_older_file(void **state)
{
    char long_text[ROOM + 2];

    (void) state;
    memset(long_text, 'x', sizeof long_text - 1);
    long_text[sizeof long_text - 1] = '\0';
    store("p.json", "old");
    assert_int_equal(replace(long_text), EFI_VOLUME_FULL);
    assert_false(in_temporary);
    assert_stored("p.json", "old");
    assert_stored("p.tmp", NULL);
    assert_int_equal(open_handles, 0);
}

/* Each call in turn fails: there is a whole file under one of the names, and it is known which. */
static void any_failure_leaves_a_whole_file(void **state)
{
    unsigned failures = 0;

    for (unsigned call = 1;; call++) {
        efi_status status;

        set_up(state);
        store("p.json", "old");
        plan.calls_left = call;
        plan.status = EFI_WRITE_PROTECTED;
        status = replace("new one");
        assert_int_equal(open_handles, 0);
        if (plan.calls_left > 0)
            break;
        failures += status != EFI_SUCCESS;
        if (status == EFI_SUCCESS)
            assert_stored("p.json", "new one");
        else
            assert_stored(in_temporary ? "p.tmp" : "p.json", in_temporary ? "new one" : "old");
    }
    assert_true(failures > 8);
}

static void a_volume_that_cannot_be_written_says_why(void **state)
{
    (void) state;
    plan.calls_left = 2; /* the first looks for an older temporary */
    plan.status = EFI_WRITE_PROTECTED;
    assert_int_equal(replace("new"), EFI_WRITE_PROTECTED);
    assert_false(in_temporary);
}

static void a_file_is_read_whole_or_not_at_all(void **state)
{
    char buffer[12];
    size_t bytes = 99;

    (void) state;
    store("c", "twelve bytes");
    assert_int_equal(efi_volume_read(&root, u"d", buffer, 12, &bytes), EFI_NOT_FOUND);
    assert_int_equal(efi_volume_read(&root, u"c", buffer, 11, &bytes), EFI_BUFFER_TOO_SMALL);
    plan.calls_left = 3;
    plan.status = EFI_DEVICE_ERROR;
    assert_int_equal(efi_volume_read(&root, u"c", buffer, 12, &bytes), EFI_DEVICE_ERROR);
    assert_int_equal(bytes, 99);
    assert_int_equal(efi_volume_read(&root, u"c", buffer, 12, &bytes), EFI_SUCCESS);
    assert_int_equal(bytes, 12);
    assert_memory_equal(buffer, "twelve bytes", 12);
    assert_int_equal(open_handles, 0);
}

ALTPICK_TEST_MAIN(cmocka_unit_test_setup(a_new_file_gets_its_name, set_up),
                  cmocka_unit_test_setup(older_files_are_replaced, set_up),
                  cmocka_unit_test_setup(a_directory_of_that_name_stays, set_up),
                  cmocka_unit_test_setup(a_full_volume_keeps_the_older_file, set_up),
                  cmocka_unit_test_setup(any_failure_leaves_a_whole_file, set_up),
                  cmocka_unit_test_setup(a_volume_that_cannot_be_written_says_why, set_up),
                  cmocka_unit_test_setup(a_file_is_read_whole_or_not_at_all, set_up))
