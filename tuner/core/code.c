/* SPDX-License-Identifier: MIT */
/* Turns a block into machine code. */
#include "code.h"

#include "setup.h"

/*
 * add rax, rbx.  Never an immediate add, which newer cores remove at rename, nor a 64-bit multiply,
 * whose latency varies between cores: neither would be a ruler.
 */
static const uint8_t chain[] = {0x48, 0x01, 0xd8};

/*
 * Single-byte NOPs: nothing but fetch and dispatch slots, which a sibling thread takes first. (Adds
 * leave slots free that a sibling may use unseen.)
 */
static const uint8_t canary[] = {0x90};

/* A block is a lead that runs once, and a body that is copied. */
struct parts {
    const uint8_t *lead, *body, *work; /* work follows the body in each copy */
    size_t lead_bytes, body_bytes, work_bytes;
    bool loops;
};

static struct parts parts_of(const struct altpick_block *block)
{
    struct parts parts = {.loops = true};
    const struct altpick_setup *setup;

    switch (block->kind) {
    case ALTPICK_BLOCK_CHAIN:
        parts.body = chain;
        parts.body_bytes = sizeof chain;
        return parts;
    case ALTPICK_BLOCK_CANARY:
        parts.body = canary;
        parts.body_bytes = sizeof canary;
        return parts;
    case ALTPICK_BLOCK_EMPTY:
        parts.loops = false;
        return parts;
    case ALTPICK_BLOCK_FILL:
        break;
    }
    setup = altpick_setup_of(block->condition);
    parts.loops = !setup->shot;
    parts.body = block->candidate->code;
    parts.body_bytes = block->candidate->code_bytes;
    parts.work_bytes = altpick_setup_work(setup->work, &parts.work);
    if (setup->lead) {
        parts.lead = parts.body;
        parts.lead_bytes = parts.body_bytes;
        parts.body_bytes = 0;
    }
    return parts;
}

size_t altpick_code_bytes(const struct altpick_block *block)
{
    struct parts parts = parts_of(block);

    return parts.lead_bytes + block->copies * (parts.body_bytes + parts.work_bytes) +
           (parts.loops ? ALTPICK_LOOP_TAIL_BYTES : ALTPICK_RETURN_BYTES);
}

/* One copy, then double what is there: blocks are up to 100 KiB and are written often. */
static uint8_t *emit_copies(uint8_t *at, const struct parts *parts, uint32_t copies)
{
    size_t one = parts->body_bytes + parts->work_bytes;
    size_t total = one * copies, done = one;

    __builtin_memcpy(at, parts->body, parts->body_bytes);
    if (parts->work_bytes)
        __builtin_memcpy(at + parts->body_bytes, parts->work, parts->work_bytes);
    while (done < total) {
        size_t n = done < total - done ? done : total - done;

        __builtin_memcpy(at + done, at, n);
        done += n;
    }
    return at + total;
}

void altpick_code_emit(uint8_t *at, const struct altpick_block *block, bool far_return)
{
    struct parts parts = parts_of(block);
    uint8_t *first = at + parts.lead_bytes, *p = first;
    uint32_t back;

    if (parts.lead_bytes)
        __builtin_memcpy(at, parts.lead, parts.lead_bytes);
    if (block->copies)
        p = emit_copies(first, &parts, block->copies);
    if (parts.loops) {
        back = (uint32_t) - (int32_t) (p - first + 8);
        *p++ = 0xff; /* dec ebp */
        *p++ = 0xcd;
        *p++ = 0x0f; /* jnz rel32 */
        *p++ = 0x85;
        for (unsigned i = 0; i < 4; i++)
            *p++ = (uint8_t) (back >> (8 * i));
    }
    *p = far_return ? 0xcb : 0xc3; /* retf, ret */
}
