/* SPDX-License-Identifier: MIT */
/*
 * altpick as an application of UEFI firmware: measures in ring 0 and writes altpick-profile.json to
 * the volume that it was started from.  docs/boot.md tells how to use it.
 */
#include "altpick/clock.h"
#include "altpick/err.h"
#include "asked.h"
#include "bytes.h"
#include "console.h"
#include "deadline.h"
#include "efi_words.h"
#include "fences.h"
#include "front.h"
#include "lines.h"
#include "pages.h"
#include "rate.h"
#include "serial.h"
#include "uart.h"
#include "uefi.h"
#include "volume.h"

enum {
    WORDS_MAX = 1024,
    DIRECTORY_MAX = 256,
    PROFILE_MAX = 2 << 20,
    CODE_ROOM = 4, /* times what is needed, so that each layout can move */
};

static const uint16_t profile_name[] = u"altpick-profile.json";
static const uint16_t temporary_name[] = u"altpick-profile.tmp";

/* All that the program holds, to be given back. */
struct program {
    struct efi_boot_services *boot;
    struct efi_lines console_lines, serial_lines;
    struct altpick_out console, serial, say; /* say: both */
    struct efi_loaded_image *loaded;
    struct efi_file *root; /* NULL: started from something that is no volume */
    uint16_t directory[DIRECTORY_MAX];
    char words[WORDS_MAX];
    struct efi_pages memory, code, profile;
    size_t profile_bytes;
    uint64_t tsc_hz, told; /* the counter when progress was last told, or at the beginning */
};

static int say_write(void *ctx, const char *text, size_t bytes)
{
    struct program *program = ctx;

    altpick_out_bytes(&program->console, text, bytes);
    altpick_out_bytes(&program->serial, text, bytes);
    return ALTPICK_OK;
}

static int profile_write(void *ctx, const char *text, size_t bytes)
{
    struct program *program = ctx;

    if (bytes > PROFILE_MAX - program->profile_bytes)
        return ALTPICK_ENOSPACE;
    altpick_copy_bytes((uint8_t *) program->profile.memory + program->profile_bytes,
                       (const uint8_t *) text, bytes);
    program->profile_bytes += bytes;
    return ALTPICK_OK;
}

/* At most a line a second, for people: scrolling a large screen takes long. */
static void tell_progress(void *ctx, const char *question, unsigned percent)
{
    struct program *program = ctx;
    uint64_t now = altpick_clock_start();

    if (program->tsc_hz == 0 || now - program->told < program->tsc_hz)
        return;
    program->told = now;
    altpick_out_text(&program->console, "altpick: ");
    altpick_out_u64(&program->console, percent);
    altpick_out_text(&program->console, " %, ");
    altpick_out_text(&program->console, question);
    altpick_out_text(&program->console, "\n");
}

/* Where the image came from and what was asked for. */
static efi_status find(struct program *program, void *image)
{
    static const struct efi_guid guid = EFI_LOADED_IMAGE_GUID;
    struct efi_asked asked = {.boot = program->boot, .image = image, .say = &program->say};
    void *interface = NULL;
    efi_status status = program->boot->handle_protocol(image, &guid, &interface);

    if (status != EFI_SUCCESS)
        return status;
    program->loaded = interface;
    if (efi_volume_open(program->boot, program->loaded->device, &program->root) != EFI_SUCCESS)
        program->root = NULL;
    if (!efi_words_directory(program->loaded->file_path, program->directory, DIRECTORY_MAX))
        program->directory[0] = 0; /* the root is the place to look, then */
    asked.loaded = program->loaded;
    asked.root = program->root;
    asked.directory = program->directory;
    return efi_asked_find(&asked, program->words, WORDS_MAX) ? EFI_SUCCESS : EFI_INVALID_PARAMETER;
}

/* Memory for whatever the options may ask for: they only take questions away. */
static efi_status allocate(struct program *program)
{
    struct altpick_boot_options all = {0};
    struct efi_boot_services *boot = program->boot;
    efi_status status;
    uint64_t code;

    altpick_boot_ask_all(&all);
    code = altpick_boot_code_bytes(&all);
    status = efi_pages_allocate(boot, EFI_LOADER_DATA, altpick_boot_memory_bytes(&all),
                                &program->memory);
    if (status == EFI_SUCCESS)
        status = efi_pages_allocate(boot, EFI_LOADER_DATA, PROFILE_MAX, &program->profile);
    if (status == EFI_SUCCESS)
        status = efi_pages_allocate(boot, EFI_LOADER_CODE, CODE_ROOM * code, &program->code);
    if (status == EFI_OUT_OF_RESOURCES && program->profile.memory)
        status = efi_pages_allocate(boot, EFI_LOADER_CODE, code, &program->code);
    if (status != EFI_SUCCESS)
        altpick_out_text(&program->say, "altpick: firmware has too little memory\n");
    else if (!efi_pages_execute(boot, &program->code)) {
        altpick_out_text(&program->say, "altpick: firmware lets no memory be executed\n");
        status = EFI_ACCESS_DENIED;
    }
    return status;
}

/*
 * At a priority at which firmware's clock goes on but no driver is called back; of what is used
 * there, the console is what allows least (7.1, table of restrictions).
 */
static int measure(struct program *program)
{
    struct altpick_out profile = {.write = profile_write, .ctx = program};
    struct altpick_front front = {
        .options = program->words,
        .console = &program->console,
        .serial = &program->serial,
        .profile = &profile,
        .boot = {.memory = program->memory.memory,
                 .memory_bytes = program->memory.pages * EFI_PAGE_BYTES,
                 .code = program->code.memory,
                 .code_bytes = program->code.pages * EFI_PAGE_BYTES,
                 .xcr0 = ALTPICK_BOOT_XCR0_ALL,
                 .ctx = program,
                 .progress = tell_progress},
    };
    uint64_t tpl = program->boot->raise_tpl(EFI_TPL_NOTIFY);
    int r;

    program->tsc_hz = front.boot.tsc_hz = efi_rate_of_tsc(program->boot);
    program->told = altpick_clock_start();
    if (!efi_deadline_start(program->boot, &front.boot))
        altpick_out_text(&program->say, "altpick: no local APIC: candidates have no deadline\n");
    r = altpick_front_run(&front);
    efi_deadline_stop();
    program->boot->restore_tpl(tpl);
    return r;
}

static const char *reason_of(efi_status status)
{
    switch (status) {
    case EFI_WRITE_PROTECTED:
        return "it is write-protected";
    case EFI_ACCESS_DENIED:
        return "access denied (a directory or a read-only file has its name, or that of the .tmp?)";
    case EFI_VOLUME_FULL:
        return "it is full";
    default:
        return "device error";
    }
}

/* Write the file.  COM1 has the profile whatever comes of this. */
static efi_status save(struct program *program)
{
    struct altpick_out *out = &program->say;
    bool in_temporary = false;
    efi_status status;

    if (!program->root) {
        altpick_out_text(out, "altpick: no file is written: this was not started from a volume\n");
        return EFI_SUCCESS;
    }
    status = efi_volume_replace(program->root, profile_name, temporary_name,
                                program->profile.memory, program->profile_bytes, &in_temporary);
    if (status == EFI_SUCCESS) {
        altpick_out_text(out, "altpick: wrote \\altpick-profile.json, ");
        altpick_out_u64(out, program->profile_bytes);
        altpick_out_text(out, " bytes, to its volume\n");
    } else if (in_temporary) {
        altpick_out_text(out,
                         "altpick: the profile is \\altpick-profile.tmp: it was not renamed\n");
    } else {
        altpick_out_text(out, "altpick: no file is written to the volume: ");
        altpick_out_text(out, reason_of(status));
        altpick_out_text(out, "\n");
    }
    return status;
}

/* The status of the command `altpick` is 2 and 3 in the first two cases, too. */
static efi_status status_of(int r)
{
    switch (r) {
    case ALTPICK_OK:
        return EFI_SUCCESS;
    case ALTPICK_EUSAGE:
        return EFI_INVALID_PARAMETER;
    case ALTPICK_EUNTRUSTED:
    case ALTPICK_EUNSUPPORTED:
        return EFI_UNSUPPORTED;
    case ALTPICK_ENOSPACE:
        return EFI_OUT_OF_RESOURCES;
    default:
        return EFI_ABORTED;
    }
}

static efi_status run(struct program *program, void *image)
{
    efi_status status = find(program, image);
    struct boot_fences fences;
    int r;

    if (status == EFI_SUCCESS)
        status = allocate(program);
    if (status != EFI_SUCCESS)
        return status;
    fences = boot_fences_start();
    r = measure(program);
    boot_fences_stop(&fences);
    status = status_of(r);
    if (r == ALTPICK_OK || r == ALTPICK_EUNTRUSTED) {
        efi_status saved = save(program);

        status = saved == EFI_SUCCESS ? status : saved;
    }
    return status;
}

efi_status EFIAPI efi_main(void *image, struct efi_system_table *system);

efi_status EFIAPI efi_main(void *image, struct efi_system_table *system)
{
    struct program program = {.boot = system->boot};
    struct efi_uart uart = efi_uart_read();
    efi_status status;
    bool has_uart;

    /*
     * Firmware starts a boot option with five minutes on its watchdog, and switches that off when
     * the option returns (7.5.1); under a shell it is off already.
     */
    program.boot->set_watchdog_timer(0, 0, 0, NULL);
    boot_serial_start(false);
    has_uart = boot_serial_present(); /* it may stall later, and is given back all the same */
    program.console_lines.to = efi_console_out(system->console_out);
    program.serial_lines.to = boot_serial_out();
    program.console = efi_lines_out(&program.console_lines);
    program.serial = efi_lines_out(&program.serial_lines);
    program.say = (struct altpick_out){.write = say_write, .ctx = &program};

    status = run(&program, image);
    altpick_out_text(&program.say, ALTPICK_FRONT_DONE "\n");

    if (program.root)
        program.root->close(program.root);
    efi_pages_free(program.boot, &program.code);
    efi_pages_free(program.boot, &program.profile);
    efi_pages_free(program.boot, &program.memory);
    if (has_uart)
        efi_uart_restore(&uart);
    return status;
}
