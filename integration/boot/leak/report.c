/* SPDX-License-Identifier: MIT */
/* Findings, and what cannot be found, in words. */
#include "leak.h"

/* "ymm3"; "mxcsr" where there is only one. */
static void say_register(struct altpick_out *out, const struct altpick_leak_part *part,
                         unsigned index)
{
    altpick_out_text(out, part->register_name);
    if (part->registers > 1)
        altpick_out_u64(out, part->first_register + index);
}

void altpick_leak_say_registers(struct altpick_out *out, const struct altpick_leak_finding *finding)
{
    const struct altpick_leak_part *part = &altpick_leak_parts[finding->part];
    const char *between = "";

    for (unsigned i = 0; i < part->registers; i++) {
        unsigned last = i;

        if (!(finding->registers >> i & 1))
            continue;
        while (last + 1 < part->registers && finding->registers >> (last + 1) & 1)
            last++;
        altpick_out_text(out, between);
        say_register(out, part, i);
        if (last > i) {
            altpick_out_text(out, "-");
            say_register(out, part, last);
        }
        between = " ";
        i = last;
    }
}

static void say_bytes(struct altpick_out *out, const uint8_t *bytes, unsigned n)
{
    for (unsigned i = 0; i < n; i++) {
        altpick_out_text(out, i ? " " : "");
        altpick_out_hex(out, bytes[i], 2);
    }
}

/* Whose bits were found. */
static void say_whose(struct altpick_out *out, const struct altpick_leak_finding *finding,
                      const char *const names[ALTPICK_LEAK_OWNERS + 1])
{
    if (finding->whose == ALTPICK_LEAK_IS_INITIAL)
        altpick_out_text(out, "the initial value");
    else if (finding->whose == ALTPICK_LEAK_IS_UNKNOWN)
        altpick_out_text(out, "bits of an unknown owner");
    else if (finding->owner == finding->expected) {
        altpick_out_text(out, "other bits of its own");
    } else {
        altpick_out_text(out, "bits of ");
        altpick_out_text(out, names[finding->owner]);
    }
}

void altpick_leak_say(struct altpick_out *out, const struct altpick_leak_finding *finding,
                      const char *const names[ALTPICK_LEAK_OWNERS + 1])
{
    const struct altpick_leak_part *part = &altpick_leak_parts[finding->part];

    altpick_out_text(out, finding->scene);
    altpick_out_text(out, ": ");
    altpick_out_text(out, names[finding->holder]);
    altpick_out_text(out, " saw in ");
    altpick_out_text(out, part->name);
    altpick_out_text(out, " (");
    altpick_leak_say_registers(out, finding);
    altpick_out_text(out, ", bytes ");
    altpick_out_u64(out, part->from + (unsigned) finding->first);
    altpick_out_text(out, "-");
    altpick_out_u64(out, part->from + (unsigned) finding->last);
    altpick_out_text(out, ")\n      ");
    say_whose(out, finding, names);
    altpick_out_text(out, " instead of ");
    altpick_out_text(out, finding->expected ? "those of " : "");
    altpick_out_text(out, finding->expected ? names[finding->expected] : "the initial value");
    altpick_out_text(out, ", in ");
    altpick_out_u64(out, finding->count);
    altpick_out_text(out, finding->count == 1 ? " look\n" : " looks\n");
    altpick_out_text(out, "      byte ");
    altpick_out_u64(out, part->from + (unsigned) finding->sample_at);
    altpick_out_text(out, " of ");
    say_register(out, part, (unsigned) (finding->sample_register - part->first_register));
    altpick_out_text(out, " on: ");
    say_bytes(out, finding->seen, finding->n_sample);
    altpick_out_text(out, "\n      should be: ");
    say_bytes(out, finding->wanted, finding->n_sample);
    altpick_out_text(out, "\n");
}

const char *altpick_leak_why_not(const struct altpick_leak *leak, unsigned part)
{
    if (leak->visible >> part & 1)
        return NULL;
    if (!altpick_leak_has(leak->xstate, &altpick_leak_parts[part]))
        return "not enabled here, or the CPU has none";
    if (altpick_leak_parts[part].shows)
        return "FNSTENV does not show it";
    return altpick_leak_parts[part].bit == 0 ? "a save leaves it out while no exception is pending"
                                             : "a restore and a save do not bring all of it back";
}

/* The first part behind @first with another name: parts of one name lie side by side. */
static unsigned end_of_name(unsigned first)
{
    unsigned end = first + 1;

    while (end < ALTPICK_LEAK_PARTS &&
           altpick_leak_parts[end].name == altpick_leak_parts[first].name)
        end++;
    return end;
}

/* The registers from @first on that share a name and a reason; returns which is the first that does
 * not. */
static unsigned say_not(struct altpick_out *out, const struct altpick_leak *leak, unsigned first)
{
    const char *why = altpick_leak_why_not(leak, first);
    unsigned end = first;

    altpick_out_text(out, "not looked at: ");
    altpick_out_text(out, altpick_leak_parts[first].name);
    altpick_out_text(out, " (");
    for (; end < end_of_name(first) && altpick_leak_why_not(leak, end) == why; end++) {
        altpick_out_text(out, end > first ? " " : "");
        altpick_out_text(out, altpick_leak_parts[end].register_name);
    }
    altpick_out_text(out, "): ");
    altpick_out_text(out, why);
    altpick_out_text(out, "\n");
    return end;
}

void altpick_leak_say_parts(struct altpick_out *out, const struct altpick_leak *leak)
{
    altpick_out_text(out, "looked at:");
    for (unsigned i = 0; i < ALTPICK_LEAK_PARTS; i = end_of_name(i)) {
        bool any = false;

        for (unsigned k = i; k < end_of_name(i); k++)
            any = any || !altpick_leak_why_not(leak, k);
        if (any) {
            altpick_out_text(out, " ");
            altpick_out_text(out, altpick_leak_parts[i].name);
        }
    }
    altpick_out_text(out, "\n");
    for (unsigned i = 0; i < ALTPICK_LEAK_PARTS;)
        i = altpick_leak_why_not(leak, i) ? say_not(out, leak, i) : i + 1;
    if (!leak->xstate->has_xgetbv1) {
        altpick_out_text(out, "not looked at: XINUSE: this CPU does not tell it\n");
    } else if (leak->always_used) {
        altpick_out_text(out, "not looked at: XINUSE of 0x");
        altpick_out_hex(out, leak->always_used, 1);
        altpick_out_text(out, ": set right after a restore of the initial state\n");
    }
}
