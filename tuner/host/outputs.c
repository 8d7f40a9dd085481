/* SPDX-License-Identifier: MIT */
/* Compares the files that options name, before anything is done. */
#include "outputs.h"

#include "diag.h"

#include <limits.h>
#include <string.h>
#include <sys/stat.h>

struct named {
    const char *option;
    const char *path; /* NULL: not given */
};

enum { KEEP = 1, PREVIOUS = 1 };

/* Devices and pipes may be read and written. */
static bool is_same_file(const char *a, const char *b)
{
    struct stat left, right;

    return stat(a, &left) == 0 && stat(b, &right) == 0 && S_ISREG(left.st_mode) &&
           left.st_dev == right.st_dev && left.st_ino == right.st_ino;
}

/* The folder of @path, "." where it names none, and the name in it; false where that is too long.
 */
static bool split(const char *path, char ret_folder[PATH_MAX], const char **ret_name)
{
    const char *slash = strrchr(path, '/');
    size_t n = slash ? (size_t) (slash - path) + 1 : 0;

    if (n >= PATH_MAX)
        return false;
    memcpy(ret_folder, path, n);
    memcpy(ret_folder + n, n ? "" : ".", n ? 1 : 2);
    *ret_name = path + n;
    return true;
}

/* Whether both would be the same file once it is there, however they are spelled. */
static bool is_same_name(const char *a, const char *b)
{
    char left[PATH_MAX], right[PATH_MAX];
    const char *left_name, *right_name;
    struct stat left_stat, right_stat;

    return split(a, left, &left_name) && split(b, right, &right_name) &&
           strcmp(left_name, right_name) == 0 && stat(left, &left_stat) == 0 &&
           stat(right, &right_stat) == 0 && left_stat.st_dev == right_stat.st_dev &&
           left_stat.st_ino == right_stat.st_ino;
}

static bool is_given(const struct named *named)
{
    return named->path && strcmp(named->path, "-") != 0;
}

/* One output against all inputs. */
static int check_inputs(const struct named *output, bool is_keep, const struct named *inputs,
                        size_t n, struct altpick_diag *diag)
{
    for (size_t i = 0; i < n; i++) {
        if (is_given(&inputs[i]) && !(is_keep && i == PREVIOUS) &&
            is_same_file(output->path, inputs[i].path))
            return altpick_fail(diag, ALTPICK_EUSAGE, "%s would overwrite %s, which %s reads",
                                output->option, inputs[i].path, inputs[i].option);
    }
    return ALTPICK_OK;
}

int altpick_outputs_check(const struct altpick_options *options, bool operands_are_files,
                          struct altpick_diag *diag)
{
    const struct named outputs[] = {
        {"-o",        options->output            },
        {"--keep",    options->keep              },
        {"--samples", options->probe.samples_path},
    };
    const struct named inputs[] = {
        {"--policy",      options->policy_path  },
        {"--previous",    options->previous_path},
        {"--sites",       options->sites        },
        {"--features",    options->features     },
        {"--diff",        options->diff         },
        {"--cpufeatures", options->cpufeatures  },
        {"--symbols",     options->symbols      },
        {"--from-serial", options->from_serial  },
    };

    for (size_t i = 0; i < sizeof outputs / sizeof *outputs; i++) {
        int r = ALTPICK_OK;

        if (!is_given(&outputs[i]))
            continue;
        r = check_inputs(&outputs[i], i == KEEP, inputs, sizeof inputs / sizeof *inputs, diag);
        for (size_t k = 0; operands_are_files && r == ALTPICK_OK && k < options->n_operands; k++) {
            const struct named operand = {"the command", options->operands[k]};

            r = check_inputs(&outputs[i], false, &operand, 1, diag);
        }
        for (size_t k = 0; r == ALTPICK_OK && k < i; k++) {
            if (is_given(&outputs[k]) && (is_same_name(outputs[i].path, outputs[k].path) ||
                                          is_same_file(outputs[i].path, outputs[k].path)))
                r = altpick_fail(diag, ALTPICK_EUSAGE, "%s and %s name the same file",
                                 outputs[i].option, outputs[k].option);
        }
        if (r < 0)
            return r;
    }
    return ALTPICK_OK;
}
