/* SPDX-License-Identifier: MIT */
/* Turns a block into machine code. */
#include "code.h"

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

size_t altpick_code_body(const struct altpick_block *block, const uint8_t **ret_body)
{
    switch (block->kind) {
    case ALTPICK_BLOCK_CHAIN:
        *ret_body = chain;
        return sizeof chain;
    case ALTPICK_BLOCK_CANARY:
        *ret_body = canary;
        return sizeof canary;
    case ALTPICK_BLOCK_FILL:
        break;
    }
    *ret_body = block->candidate->code;
    return block->candidate->code_bytes;
}

size_t altpick_code_bytes(const struct altpick_block *block)
{
    const uint8_t *body;

    return block->copies * altpick_code_body(block, &body) + ALTPICK_LOOP_TAIL_BYTES;
}

void altpick_code_emit(uint8_t *at, const struct altpick_block *block, bool far_return)
{
    const uint8_t *body;
    size_t one = altpick_code_body(block, &body);
    size_t total = one * block->copies;
    size_t done = one;

    /* One copy, then double what is there: blocks are up to 100 KiB and are written often. */
    __builtin_memcpy(at, body, one);
    while (done < total) {
        size_t n = done < total - done ? done : total - done;

        __builtin_memcpy(at + done, at, n);
        done += n;
    }

    uint8_t *p = at + total;
    uint32_t back = (uint32_t) - (int32_t) (total + 8);

    *p++ = 0xff; /* dec edx */
    *p++ = 0xca;
    *p++ = 0x0f; /* jnz rel32 */
    *p++ = 0x85;
    for (unsigned i = 0; i < 4; i++)
        *p++ = (uint8_t) (back >> (8 * i));
    *p = far_return ? 0xcb : 0xc3; /* retf, ret */
}
