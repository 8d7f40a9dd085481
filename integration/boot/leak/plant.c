/* SPDX-License-Identifier: MIT */
/* Leaks made on purpose: another owner's registers put where they should not be. */
#include "leak.h"

#include "bytes.h"
#include "look_run.h"

enum { HEADER_AT = 512, DECIMAL = 10 };

/* @text behind @start, or NULL where it does not begin so. */
static const char *behind(const char *text, const char *start)
{
    while (*start) {
        if (*text++ != *start++)
            return NULL;
    }
    return text;
}

/* A number of at most two digits that ends @text. */
static bool take_number(const char *text, unsigned *ret_number)
{
    unsigned number = 0, digits = 0;

    for (; *text >= '0' && *text <= '9' && digits < 3; text++, digits++)
        number = number * DECIMAL + (unsigned) (*text - '0');
    if (*text || digits == 0 || digits > 2)
        return false;
    *ret_number = number;
    return true;
}

static uint32_t all_of(const struct altpick_leak_part *part)
{
    return (uint32_t) ((UINT64_C(1) << part->registers) - 1);
}

/* Which registers of @part are called @name. */
static uint32_t named(const struct altpick_leak_part *part, const char *name)
{
    const char *number_text = behind(name, part->register_name);
    unsigned number;

    if (altpick_equal(name, "all") || altpick_equal(name, part->name) ||
        (part->bit == 0 && altpick_equal(name, "x87")))
        return all_of(part);
    if (!number_text)
        return 0;
    if (part->registers == 1)
        return *number_text ? 0 : 1;
    if (!take_number(number_text, &number) || number < part->first_register ||
        number >= (unsigned) part->first_register + part->registers)
        return 0;
    return UINT32_C(1) << (number - part->first_register);
}

bool altpick_leak_plant_parse(const char *text, struct altpick_leak_plant *ret_plant)
{
    static const struct {
        const char *start;
        enum altpick_leak_where where;
    } places[] = {
        {"switch:",  ALTPICK_LEAK_SWITCH },
        {"handler:", ALTPICK_LEAK_HANDLER},
        {"entry:",   ALTPICK_LEAK_ENTRY  }
    };
    struct altpick_leak_plant plant = {.where = ALTPICK_LEAK_NOWHERE};
    const char *what = NULL;
    bool any = false;

    for (size_t i = 0; i < sizeof places / sizeof places[0] && !what; i++) {
        what = behind(text, places[i].start);
        plant.where = places[i].where;
    }
    if (!what)
        return false;
    plant.lazy = plant.where == ALTPICK_LEAK_SWITCH && altpick_equal(what, "lazy");
    for (unsigned i = 0; i < ALTPICK_LEAK_PARTS; i++) {
        const struct altpick_leak_part *part = &altpick_leak_parts[i];

        plant.registers[i] = plant.lazy ? all_of(part) : named(part, what);
        any = any || plant.registers[i];
    }
    if (any)
        *ret_plant = plant;
    return any;
}

bool altpick_leak_plant_shows(const struct altpick_leak *leak,
                              const struct altpick_leak_plant *plant)
{
    for (unsigned i = 0; i < ALTPICK_LEAK_PARTS; i++) {
        if (plant->registers[i] && leak->visible >> i & 1)
            return true;
    }
    return false;
}

uint64_t altpick_leak_plant_components(const struct altpick_leak_plant *plant)
{
    uint64_t whole = 0, cut = 0;

    for (unsigned i = 0; i < ALTPICK_LEAK_PARTS; i++) {
        const struct altpick_leak_part *part = &altpick_leak_parts[i];

        if (plant->registers[i] == all_of(part))
            whole |= UINT64_C(1) << part->bit;
        else
            cut |= UINT64_C(1) << part->bit;
    }
    return whole & ~cut;
}

/* Copy the registers of @part that are planted from leak->wanted; returns whether there are any. */
static bool copy_part(const struct altpick_leak *leak, unsigned number, bool is_image,
                      uint8_t *area)
{
    const struct altpick_leak_part *part = &altpick_leak_parts[number];
    bool any = false;

    for (unsigned k = 0; k < part->registers && altpick_leak_has(leak->xstate, part); k++) {
        uint32_t at = altpick_leak_at(leak->xstate, part, k);

        if (!(leak->plant->registers[number] >> k & 1))
            continue;
        if (is_image && part->shows)
            at = part->shows;
        altpick_copy_bytes(area + at, leak->wanted + at, part->bytes);
        any = true;
    }
    return any;
}

static void splice(struct altpick_leak *leak, enum altpick_leak_where where,
                   struct altpick_leak_state other, bool is_image, uint8_t *area)
{
    uint64_t header = 0;

    if (!leak->plant || leak->plant->where != where)
        return;
    altpick_leak_make(leak->xstate, other, leak->wanted);
    for (unsigned i = 0; i < ALTPICK_LEAK_PARTS; i++) {
        if (copy_part(leak, i, is_image, area))
            header |= UINT64_C(1) << altpick_leak_parts[i].bit;
    }
    for (unsigned i = 0; leak->xstate->has_xsave && i < sizeof header; i++)
        area[HEADER_AT + i] = (uint8_t) (area[HEADER_AT + i] | header >> 8 * i);
}

void altpick_leak_plant_splice(struct altpick_leak *leak, enum altpick_leak_where where,
                               struct altpick_leak_state other, uint8_t *image)
{
    splice(leak, where, other, true, image);
}

void altpick_leak_plant_splice_seen(struct altpick_leak *leak, enum altpick_leak_where where,
                                    struct altpick_leak_state other, uint8_t *area)
{
    splice(leak, where, other, false, area);
}

void altpick_leak_plant_apply(struct altpick_leak *leak, enum altpick_leak_where where,
                              struct altpick_leak_state held, struct altpick_leak_state other)
{
    const struct altpick_leak_plant *plant = leak->plant;

    if (!plant || plant->where != where || (plant->lazy && held.owner != ALTPICK_LEAK_NOBODY))
        return;
    altpick_leak_save(leak->xstate, leak->scratch);
    altpick_look_normalise(leak->xstate, leak->scratch);
    altpick_leak_plant_splice(leak, where, other, leak->scratch);
    altpick_xstate_restore(leak->xstate, leak->scratch);
}
