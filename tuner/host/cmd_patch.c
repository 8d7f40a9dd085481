/* SPDX-License-Identifier: MIT */
/* altpick patch: decided code into the sites of a linked image. */
#include "command.h"
#include "emit.h"

#include "diag.h"
#include "elf/patch.h"
#include "file.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The copy gets the mode of the image. */
static int check_paths(const struct altpick_options *options, mode_t *ret_mode,
                       struct altpick_diag *diag)
{
    struct stat image;

    if (!options->output || strcmp(options->output, "-") == 0)
        return altpick_fail(diag, ALTPICK_EUSAGE, "-o FILE is needed: the patched copy");
    if (stat(options->operands[0], &image) != 0)
        return altpick_fail(diag, ALTPICK_EIO, "%s: %s", options->operands[0], strerror(errno));
    /* The copy is whose this process is: what it must not lend to others is not kept. */
    *ret_mode = image.st_mode & 01777;
    if (image.st_uid == geteuid())
        *ret_mode |= image.st_mode & S_ISUID;
    if (image.st_gid == getegid())
        *ret_mode |= image.st_mode & S_ISGID;
    return ALTPICK_OK;
}

/* Decide as emit does: the operands behind the image are profiles. */
static int decide(struct altpick_command_io *io, const struct altpick_options *options,
                  struct altpick_text *ret_table)
{
    const struct altpick_emit_form form = {.generator = &altpick_generator_patches};
    struct altpick_options profiles = *options;
    struct altpick_wishes wishes;
    int r;

    profiles.operands++;
    profiles.n_operands--;
    r = altpick_wishes_read(&profiles, &wishes, &io->diag);
    if (r < 0)
        return r;
    r = altpick_command_check_policy(io, &wishes.policy);
    if (r == ALTPICK_OK)
        r = altpick_emit_text(io, &profiles, &wishes.policy, &form, ret_table);
    altpick_wishes_fini(&wishes);
    return r;
}

static void tell(struct altpick_command_io *io, const struct altpick_image *image,
                 const struct altpick_patch_plan *plan)
{
    if (plan->n_unknown)
        altpick_command_warn(io,
                             "%s: %zu of %zu sites keep what they hold: nothing is decided for "
                             "%s",
                             image->path, plan->n_unknown, plan->n_sites, plan->unknown);
    if (plan->keeps_needs)
        altpick_command_warn(io,
                             "%s: it was patched before, and what those sites may hold from "
                             "then is still required of a CPU",
                             image->path);
    if (altpick_patch_has_build_id(image))
        altpick_command_warn(io,
                             "%s: the build-id of the copy is that of the image before it was "
                             "patched",
                             image->path);
    if (altpick_patch_has_signature(image))
        altpick_command_warn(io,
                             "%s: the signature at its end does not hold for the copy; sign it "
                             "again",
                             image->path);
    altpick_printf(&io->out, "%zu of %zu sites patched; required of a CPU: %zu features\n",
                   plan->n_sites - plan->n_unknown, plan->n_sites, plan->n_needs);
}

static int patch(struct altpick_command_io *io, const struct altpick_options *options)
{
    struct altpick_image image = {.path = NULL};
    struct altpick_patch_plan plan = {.changes = NULL};
    struct altpick_text table = {0};
    mode_t mode = 0;
    int r;

    r = check_paths(options, &mode, &io->diag);
    if (r == ALTPICK_OK)
        r = altpick_image_open(options->operands[0], &image, &io->diag);
    if (r == ALTPICK_OK)
        r = decide(io, options, &table);
    if (r == ALTPICK_OK)
        r = altpick_patch_plan(&image, (const uint8_t *) table.data, table.bytes, &plan, &io->diag);
    if (r == ALTPICK_OK)
        r = altpick_file_write_changed(options->output, (const char *) image.map, image.map_bytes,
                                       mode, plan.changes, plan.n_changes, &io->diag);
    if (r == ALTPICK_OK)
        tell(io, &image, &plan);
    altpick_patch_plan_fini(&plan);
    altpick_text_fini(&table);
    altpick_image_close(&image);
    return r;
}

const struct altpick_command altpick_command_patch = {
    .name = "patch",
    .operands = "IMAGE [PROFILE]...",
    .title = "put what is decided into the sites of a linked image that cannot patch itself",
    .groups = ALTPICK_OPTIONS_COPY | ALTPICK_OPTIONS_MACHINE | ALTPICK_OPTIONS_POLICY,
    .min_operands = 1,
    .max_operands = 65,
    .run = patch,
};
