/* SPDX-License-Identifier: MIT */
/* Format json: the decisions as data, without any figure that was measured. */
#include "altpick/json.h"
#include "altpick/err.h"
#include "altpick/generator.h"
#include "body.h"

enum { DECISIONS_VERSION = 1 };

static void put_string(struct altpick_json *json, const char *key,
                       const struct altpick_string *string)
{
    altpick_json_object(json, key);
    altpick_json_u64(json, "bytes", string->bytes);
    altpick_json_code(json, "code", string->code, string->bytes);
    altpick_json_text(json, "rule", string->remark);
    altpick_json_end(json);
}

static void put_number(struct altpick_json *json, const char *key, uint32_t value,
                       const char *remark)
{
    altpick_json_object(json, key);
    altpick_json_u64(json, "value", value);
    altpick_json_text(json, "rule", remark);
    altpick_json_end(json);
}

static void put_tables(struct altpick_json *json, const char *key,
                       const struct altpick_nop_tables *tables)
{
    altpick_json_object(json, key);
    altpick_json_array(json, "nops");
    for (size_t n = 1; n <= ALTPICK_NOP_BYTES_MAX; n++)
        put_string(json, NULL, &tables->nop[n]);
    altpick_json_end(json);
    put_number(json, "longest", tables->longest_nop_bytes, tables->longest_remark);
    put_number(json, "prefix_limit", tables->prefix_limit, tables->prefix_remark);
    put_number(json, "jump_from", tables->jump_from_bytes, tables->jump_remark);
    altpick_json_array(json, "gaps");
    for (size_t i = 0; i < tables->n_gaps; i++)
        put_string(json, NULL, &tables->gap[i]);
    altpick_json_end(json);
    altpick_json_array(json, "text_pokes");
    put_string(json, NULL, &tables->text_poke2);
    put_string(json, NULL, &tables->text_poke5);
    altpick_json_end(json);
    altpick_json_end(json);
}

static void put_body(struct altpick_json *json, const struct altpick_body *body)
{
    uint8_t data[ALTPICK_BODY_DATA_MAX];
    uint32_t bytes = altpick_body_data(body->data, data);

    altpick_json_object(json, NULL);
    altpick_json_text(json, "name", body->name);
    altpick_json_text(json, "candidate", body->candidate);
    altpick_json_u64(json, "bytes", body->bytes);
    altpick_json_code(json, "code", body->code, body->bytes);
    altpick_json_text(json, "rule", body->remark);
    if (bytes)
        altpick_json_code(json, "data", data, bytes);
    altpick_json_end(json);
}

/* For whom code is right: what it needs of a CPU, and what may be enabled. */
static void put_reach(struct altpick_json *json, const char *name, const struct altpick_body *body,
                      uint64_t xcr0)
{
    altpick_json_object(json, name);
    altpick_json_array(json, "needs");
    for (unsigned f = 0; f < ALTPICK_N_CPU_FEATURES; f++) {
        if (body->needs >> f & 1)
            altpick_json_text(json, NULL, altpick_cpu_feature_name(f));
    }
    altpick_json_end(json);
    altpick_json_hex(json, "xcr0", xcr0);
    altpick_json_end(json);
}

/* Those of 64-bit code, those of 32-bit code that are not the same, and those of sites alone. */
static void put_bodies(struct altpick_json *json, const struct altpick_bodies *bodies)
{
    const struct altpick_body *list[ALTPICK_BODIES_MAX];
    size_t n;

    altpick_json_array(json, "bodies");
    for (uint32_t bits = 64; bits >= 32; bits /= 2) {
        n = altpick_body_list(bodies, bits, list);
        for (size_t i = 0; i < n; i++) {
            if (bits == 64 || !altpick_body_counts(list[i]))
                put_body(json, list[i]);
        }
    }
    put_body(json, &bodies->xstate_save);
    put_body(json, &bodies->xstate_restore);
    altpick_json_end(json);
    put_reach(json, "fpu_init", &bodies->fpu_init, bodies->fpu_init_xcr0);
    put_reach(json, "xstate", &bodies->xstate_save, bodies->xstate_xcr0);
}

static void put_machine(struct altpick_json *json, const struct altpick_machine *machine)
{
    altpick_json_object(json, "machine");
    altpick_json_text(json, "name", machine->name);
    altpick_json_text(json, "vendor", machine->cpu.vendor);
    altpick_json_u64(json, "family", machine->cpu.family);
    altpick_json_u64(json, "model", machine->cpu.model);
    altpick_json_u64(json, "stepping", machine->cpu.stepping);
    altpick_json_hex(json, "signature", machine->cpu.signature);
    altpick_json_hex(json, "core_type", machine->cpu.core_type);
    altpick_json_text(json, "brand", machine->cpu.brand);
    altpick_json_end(json);
}

static int emit(const struct altpick_output *output, const char *flavour, struct altpick_out *out)
{
    struct altpick_json json;

    if (flavour)
        return ALTPICK_EUSAGE;
    altpick_json_init(&json, out);
    altpick_json_object(&json, NULL);
    altpick_json_text(&json, "format", "altpick-decisions");
    altpick_json_u64(&json, "version", DECISIONS_VERSION);
    altpick_json_text(&json, "altpick", ALTPICK_VERSION);
    if (output->machine)
        put_machine(&json, output->machine);
    altpick_json_text(&json, "target", altpick_target_name(output->target));
    put_tables(&json, "nops_64", &output->nop64);
    put_tables(&json, "nops_32", &output->nop32);
    put_bodies(&json, &output->bodies);
    altpick_json_end(&json);
    return altpick_json_finish(&json);
}

const struct altpick_generator altpick_generator_json = {
    .name = "json",
    .title = "the decisions as JSON, without any measured figure",
    .emit = emit,
};
