/* SPDX-License-Identifier: MIT */
/* Turns the serial log of a boot program into a profile file. */
#include "from_serial.h"

#include "diag.h"
#include "file.h"
#include "json_read.h"
#include "machine.h"
#include "probing.h"
#include "profile_read.h"
#include "serial_log.h"

#include <stdlib.h>
#include <string.h>

enum { LOG_BYTES_MAX = 4 * ALTPICK_DOCUMENT_BYTES_MAX };

/* Nothing is measured here, so that what says how is a mistake. */
static int check_options(struct altpick_command_io *io, const struct altpick_options *options)
{
    const struct altpick_probe_options *probe = &options->probe;
    const char *option = options->ring0_kvm        ? "--ring0"
                         : probe->only             ? "--only"
                         : probe->time_limit_ms    ? "--time-limit"
                         : probe->thorough         ? "--thorough"
                         : probe->cpu >= 0         ? "--cpu"
                         : probe->seed             ? "--seed"
                         : probe->samples_path     ? "--samples"
                         : probe->boot_table       ? "--boot-table"
                         : probe->selftest_shuffle ? "--selftest-shuffle"
                                                   : NULL;

    if (option)
        return altpick_fail(&io->diag, ALTPICK_EUSAGE,
                            "--from-serial measures nothing: %s is for measuring", option);
    return ALTPICK_OK;
}

/*
 * Whether the text is a profile.  Lines of the log that come before it are empty ones here, so that
 * messages name its lines.
 */
static int check_profile(const char *name, const struct altpick_serial_profile *found,
                         struct altpick_profile *ret_profile, struct altpick_diag *diag)
{
    size_t before = found->line - 1, bytes = before + found->text.bytes;
    char *text = malloc(bytes + 1);
    int r;

    if (!text)
        return altpick_fail(diag, ALTPICK_ENOMEM, "%s: out of memory", name);
    memset(text, '\n', before);
    memcpy(text + before, found->text.data, found->text.bytes + 1);
    r = altpick_profile_parse(name, text, bytes, ret_profile, diag);
    free(text);
    if (r < 0 || ret_profile->n_machines > 0)
        return r;
    altpick_profile_fini(ret_profile);
    return altpick_fail(diag, ALTPICK_EFORMAT, "%s:%zu: the profile has no machine", name,
                        found->line);
}

/* What a probe here would say of the same machine. */
static int judge(struct altpick_command_io *io, const struct altpick_profile *profile)
{
    for (size_t i = 0; i < profile->n_machines; i++)
        altpick_command_warn_machine(io, &profile->machines[i]);
    for (size_t i = 0; i < profile->n_machines; i++) {
        enum altpick_trust trust = profile->machines[i].trust;

        if (!altpick_trust_is_usable(trust))
            return altpick_fail(&io->diag, ALTPICK_EUNTRUSTED,
                                "timing there was not trustworthy (%s); no cost was measured",
                                altpick_trust_name(trust));
    }
    return ALTPICK_OK;
}

int altpick_from_serial(struct altpick_command_io *io, const struct altpick_options *options)
{
    const char *path = options->from_serial, *name = strcmp(path, "-") == 0 ? "<stdin>" : path;
    struct altpick_serial_profile found = {0};
    struct altpick_profile profile = {0};
    char *log = NULL;
    size_t bytes = 0;
    int r = check_options(io, options);

    if (r == ALTPICK_OK)
        r = altpick_command_check(io, options->output);
    if (r == ALTPICK_OK)
        r = altpick_file_read(path, LOG_BYTES_MAX, &log, &bytes, &io->diag);
    if (r == ALTPICK_OK)
        r = altpick_serial_log_extract(name, log, bytes, &found, &io->diag);
    if (r == ALTPICK_OK)
        r = check_profile(name, &found, &profile, &io->diag);
    if (r == ALTPICK_OK)
        r = altpick_command_output(io, options->output, &found.text);
    if (r == ALTPICK_OK)
        r = judge(io, &profile);
    altpick_serial_profile_fini(&found);
    altpick_profile_fini(&profile);
    free(log);
    return r;
}
