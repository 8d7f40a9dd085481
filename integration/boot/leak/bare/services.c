/* SPDX-License-Identifier: MIT */
/* Tells what a service may change from what it must keep. */
#include "services.h"

#include "bytes.h"

enum { XMM_OF_CALLEE = 0x3f };

static bool is_kept(const struct altpick_leak_finding *finding)
{
    const char *part = altpick_leak_parts[finding->part].name;

    if (altpick_equal(part, "xmm"))
        return finding->registers & ~(uint32_t) XMM_OF_CALLEE;
    return altpick_equal(part, "mxcsr") || altpick_equal(part, "x87-control");
}

void altpick_bare_keep_broken(struct altpick_leak_findings *findings, struct altpick_out *out,
                              const char *const names[ALTPICK_LEAK_OWNERS + 1])
{
    uint32_t kept = 0;

    for (uint32_t i = 0; i < findings->n; i++) {
        struct altpick_leak_finding *one = &findings->finding[i];

        /* Another owner's bits are never firmware's own. */
        if (is_kept(one) || (one->whose == ALTPICK_LEAK_IS_OWNER && one->owner != one->holder)) {
            if (kept != i)
                altpick_copy_bytes((uint8_t *) &findings->finding[kept], (const uint8_t *) one,
                                   sizeof *one);
            kept++;
            continue;
        }
        altpick_out_text(out, "CHANGED, as it may, ");
        altpick_leak_say(out, one, names);
    }
    findings->n = kept;
}
