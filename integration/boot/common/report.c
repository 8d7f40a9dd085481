/* SPDX-License-Identifier: MIT */
/* Prints what altpick_boot_probe() found as a table for people. */
#include "report.h"

enum { COLUMNS = 80, ITEM_COLUMNS = 25, CANDIDATE_COLUMNS = 20, VERDICT_COLUMNS = 14 };
enum { CYCLES_COLUMNS = 12, NOTE_COLUMNS = 5, NOTES_MAX = 32, INDENT = 4 };

/* Reasons that choices share, each printed once below the table. */
struct notes {
    const char *text[NOTES_MAX];
    size_t n;
};

static size_t length_of(const char *text)
{
    size_t n = 0;

    while (text[n])
        n++;
    return n;
}

static bool is_equal(const char *a, const char *b)
{
    while (*a && *a == *b)
        a++, b++;
    return *a == *b;
}

static void spaces(struct altpick_out *out, size_t n)
{
    while (n-- > 0)
        altpick_out_text(out, " ");
}

/* @text and at least one space, @columns in all. */
static void cell(struct altpick_out *out, const char *text, size_t columns)
{
    size_t n = length_of(text);

    altpick_out_text(out, text);
    spaces(out, n < columns ? columns - n : 1);
}

static size_t digits_of(uint64_t value)
{
    size_t n = 1;

    while (value /= 10)
        n++;
    return n;
}

/* @value in @columns, to the right. */
static void number(struct altpick_out *out, uint64_t value, size_t columns)
{
    size_t n = digits_of(value);

    spaces(out, n < columns ? columns - n : 0);
    altpick_out_u64(out, value);
}

/* Millionths with two decimals, rounded. */
static void hundredths(struct altpick_out *out, uint64_t micro, size_t columns)
{
    uint64_t rounded = micro / 10000 + (micro % 10000 >= 5000);

    number(out, rounded / 100, columns - 3);
    altpick_out_text(out, rounded % 100 < 10 ? ".0" : ".");
    altpick_out_u64(out, rounded % 100);
}

/* @text in lines that begin in column INDENT, where the first is already; ends the last. */
static void wrapped(struct altpick_out *out, const char *text)
{
    size_t used = INDENT;

    while (*text) {
        size_t word = 0;

        while (text[word] && text[word] != ' ')
            word++;
        if (used > INDENT && used + 1 + word >= COLUMNS) {
            altpick_out_text(out, "\n");
            spaces(out, INDENT);
            used = INDENT;
        } else if (used > INDENT) {
            altpick_out_text(out, " ");
            used++;
        }
        altpick_out_bytes(out, text, word);
        used += word;
        text += word;
        while (*text == ' ')
            text++;
    }
    altpick_out_text(out, "\n");
}

static void print_cpu(const struct altpick_boot *boot, struct altpick_out *out)
{
    const struct altpick_machine *machine = boot->machine;
    const struct altpick_cpu *cpu = &machine->cpu;

    altpick_out_text(out, "altpick ");
    altpick_out_text(out, machine->altpick_version);
    altpick_out_text(out, " in ring ");
    altpick_out_u64(out, boot->ring);
    altpick_out_text(out, "\nCPU: ");
    altpick_out_text(out, machine->name);
    if (cpu->brand[0]) {
        altpick_out_text(out, ", ");
        altpick_out_text(out, cpu->brand);
    }
    altpick_out_text(out, "\n    XCR0 0x");
    altpick_out_hex(out, cpu->xcr0, 1);
    if (machine->tsc_hz) {
        altpick_out_text(out, ", time-stamp counter of ");
        altpick_out_u64(out, (machine->tsc_hz + 500000) / 1000000);
        altpick_out_text(out, " MHz");
    } else {
        altpick_out_text(out, ", time-stamp counter of unknown rate");
    }
    if (cpu->hypervisor[0]) {
        altpick_out_text(out, ", hypervisor ");
        altpick_out_text(out, cpu->hypervisor);
    }
    altpick_out_text(out, "\n");
}

static void print_trust(const struct altpick_trust_verdict *trust, struct altpick_out *out)
{
    altpick_out_text(out, "trust: ");
    altpick_out_text(out, altpick_trust_name(trust->trust));
    altpick_out_text(out, "\n");
    for (size_t i = 0; i < trust->n_reasons; i++) {
        altpick_out_text(out, "  - ");
        wrapped(out, trust->reason[i]);
    }
    if (!altpick_trust_is_usable(trust->trust))
        altpick_out_text(out,
                         "timing here says nothing about a CPU: there are no costs, and every\n"
                         "decision is the default\n");
}

/* The number of @why in @notes, from 1; 0 where there is nothing to say. */
static size_t note_of(struct notes *notes, const char *why)
{
    if (!why || !*why)
        return 0;
    for (size_t i = 0; i < notes->n; i++) {
        if (is_equal(notes->text[i], why))
            return i + 1;
    }
    if (notes->n == NOTES_MAX)
        return 0;
    notes->text[notes->n++] = why;
    return notes->n;
}

static void print_choice(const struct altpick_boot_choice *choice, bool has_costs,
                         struct notes *notes, struct altpick_out *out)
{
    size_t note = note_of(notes, choice->why);

    cell(out, choice->item, ITEM_COLUMNS);
    cell(out, choice->candidate[0] ? choice->candidate : "-", CANDIDATE_COLUMNS); /* none fits */
    cell(out, altpick_verdict_name(choice->verdict), VERDICT_COLUMNS);
    if (has_costs && choice->cycles_micro) {
        hundredths(out, choice->cycles_micro, CYCLES_COLUMNS);
    } else {
        spaces(out, CYCLES_COLUMNS - 1);
        altpick_out_text(out, "-");
    }
    if (note)
        number(out, note, NOTE_COLUMNS);
    altpick_out_text(out, "\n");
}

static void print_choices(const struct altpick_boot *boot, bool has_costs, struct altpick_out *out)
{
    struct notes notes = {.n = 0};
    size_t displaced = 0;

    altpick_out_text(out, "\n");
    if (boot->n_choices == 0) {
        altpick_out_text(out,
                         "the budget was over before anything could be decided: every item has\n"
                         "its default\n");
        return;
    }
    cell(out, "ITEM", ITEM_COLUMNS);
    cell(out, "CANDIDATE", CANDIDATE_COLUMNS);
    cell(out, "VERDICT", VERDICT_COLUMNS);
    altpick_out_text(out, "      CYCLES  WHY\n");
    for (size_t i = 0; i < boot->n_choices; i++) {
        print_choice(&boot->choices[i], has_costs, &notes, out);
        displaced += boot->choices[i].displaced;
    }
    altpick_out_text(out, "\n");
    for (size_t i = 0; i < notes.n; i++) {
        number(out, i + 1, 2);
        altpick_out_text(out, "  ");
        wrapped(out, notes.text[i]);
    }
    altpick_out_u64(out, displaced);
    altpick_out_text(out, displaced == 1 ? " decision displaced its default, "
                                         : " decisions displaced their default, ");
    altpick_out_u64(out, boot->n_choices - displaced);
    altpick_out_text(out, " kept it\n");
}

/* Microseconds where the counter's rate is known, else ticks. */
static void print_time(const struct altpick_boot *boot, const struct altpick_boot_options *options,
                       struct altpick_out *out)
{
    bool known = boot->machine->tsc_hz >= 1000000;

    altpick_out_text(out, "time: ");
    altpick_out_u64(out,
                    known ? boot->spent_ticks * 1000 / (boot->tsc_hz / 1000) : boot->spent_ticks);
    altpick_out_text(out, known ? " us" : " ticks");
    if (options->budget_us) {
        altpick_out_text(out, " of a budget of ");
        altpick_out_u64(out, options->budget_us);
        altpick_out_text(out, " us");
        if (!known) {
            altpick_out_text(out, ", kept as if each had ");
            altpick_out_u64(out, boot->tsc_hz / 1000000);
        }
        altpick_out_text(out, "\n");
    } else {
        altpick_out_text(out, ", without a budget\n");
    }
}

void altpick_report_print(const struct altpick_boot *boot,
                          const struct altpick_boot_options *options, struct altpick_out *out)
{
    bool has_costs = altpick_trust_is_usable(boot->trust.trust) && !options->rehearse;

    print_cpu(boot, out);
    print_trust(&boot->trust, out);
    if (options->rehearse)
        altpick_out_text(out,
                         "this was a rehearsal: candidates were timed, and the figures dropped\n");
    print_choices(boot, has_costs, out);
    altpick_out_u64(out, boot->faults);
    altpick_out_text(out, boot->faults == 1 ? " fault of a candidate, survived\n"
                                            : " faults of candidates, survived\n");
    print_time(boot, options, out);
}
