/* SPDX-License-Identifier: MIT */
/* Turns CPUID leaves and XCR0 into identity, usable features and cache sizes of a CPU. */
#include "altpick/cpu.h"
#include "bytes.h"

enum {
    EAX = ALTPICK_CPU_EAX,
    EBX = ALTPICK_CPU_EBX,
    ECX = ALTPICK_CPU_ECX,
    EDX = ALTPICK_CPU_EDX,
};

enum { CACHE_LEAVES_MAX = 16 }; /* an end for a CPUID that never says "no more caches" */

/* A source and how far its leaves reach. */
struct reader {
    const struct altpick_cpuid_source *source;
    uint32_t max_basic;
    uint32_t max_extended; /* 0 without extended leaves */
};

static void cpuid_instruction(void *ctx, uint32_t leaf, uint32_t subleaf, uint32_t ret_regs[4])
{
    (void) ctx;
    __asm__ volatile("cpuid"
                     : "=a"(ret_regs[EAX]), "=b"(ret_regs[EBX]), "=c"(ret_regs[ECX]),
                       "=d"(ret_regs[EDX])
                     : "0"(leaf), "2"(subleaf));
}

static uint64_t xgetbv0_instruction(void *ctx)
{
    uint32_t low, high;

    (void) ctx;
    __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    return (uint64_t) high << 32 | low;
}

const struct altpick_cpuid_source altpick_cpuid_native = {
    .cpuid = cpuid_instruction,
    .xgetbv0 = xgetbv0_instruction,
};

static bool bit_of(uint32_t word, unsigned bit)
{
    return word >> bit & 1;
}

/* Bits @high..@low of @word. */
static uint32_t bits_of(uint32_t word, unsigned high, unsigned low)
{
    return word >> low & (UINT32_MAX >> (31 - (high - low)));
}

static bool has_leaf(const struct reader *reader, uint32_t leaf)
{
    return leaf <= (leaf >= 0x80000000u ? reader->max_extended : reader->max_basic);
}

/* A leaf that does not exist reads as zero: the CPU would answer with another leaf's values. */
static void read_leaf(const struct reader *reader, uint32_t leaf, uint32_t subleaf,
                      uint32_t ret_regs[4])
{
    for (size_t i = 0; i < 4; i++)
        ret_regs[i] = 0;
    if (has_leaf(reader, leaf))
        reader->source->cpuid(reader->source->ctx, leaf, subleaf, ret_regs);
}

/* The text in @n words, up to a NUL; what is not printable ASCII becomes '?'. */
static void text_of(const uint32_t *words, size_t n, char *ret_text)
{
    size_t i;

    for (i = 0; i < 4 * n; i++) {
        uint8_t c = (uint8_t) (words[i / 4] >> 8 * (i % 4));

        if (c == '\0')
            break;
        ret_text[i] = c >= ' ' && c <= '~' ? (char) c : '?';
    }
    ret_text[i] = '\0';
}

/* Drop blanks at both ends, and all but one in a row: BIOSes pad the brand in every way. */
static void collapse_blanks(char *text)
{
    size_t to = 0;

    for (size_t from = 0; text[from]; from++) {
        bool repeated = to == 0 || text[to - 1] == ' ';

        if (text[from] != ' ' || !repeated)
            text[to++] = text[from];
    }
    if (to > 0 && text[to - 1] == ' ')
        to--;
    text[to] = '\0';
}

/* Start @reader and read the vendor.  Without extended leaves 0x80000000 answers with anything. */
static void read_limits(struct reader *reader, struct altpick_cpu *cpu)
{
    const struct altpick_cpuid_source *source = reader->source;
    uint32_t r[4];

    source->cpuid(source->ctx, 0, 0, r);
    reader->max_basic = r[EAX];
    text_of((const uint32_t[]){r[EBX], r[EDX], r[ECX]}, 3, cpu->vendor);

    source->cpuid(source->ctx, 0x80000000u, 0, r);
    reader->max_extended = r[EAX] >> 16 == 0x8000 ? r[EAX] : 0;
}

static void read_brand(const struct reader *reader, struct altpick_cpu *cpu)
{
    uint32_t words[12];

    if (!has_leaf(reader, 0x80000004u))
        return;
    for (uint32_t i = 0; i < 3; i++)
        read_leaf(reader, 0x80000002u + i, 0, words + 4 * i);
    text_of(words, 12, cpu->brand);
    collapse_blanks(cpu->brand);
}

/* Family and model as displayed: SDM vol. 2, CPUID leaf 1; APM vol. 3, E.3.2, agrees. */
static void read_signature(const struct reader *reader, struct altpick_cpu *cpu)
{
    uint32_t r[4], base;

    read_leaf(reader, 1, 0, r);
    cpu->signature = r[EAX];
    base = bits_of(r[EAX], 11, 8);
    cpu->stepping = bits_of(r[EAX], 3, 0);
    cpu->family = base == 0xf ? base + bits_of(r[EAX], 27, 20) : base;
    cpu->model = bits_of(r[EAX], 7, 4);
    if (base == 0x6 || base == 0xf)
        cpu->model |= bits_of(r[EAX], 19, 16) << 4;
}

static void read_features(const struct reader *reader, struct altpick_cpu *cpu)
{
    static const struct {
        uint32_t leaf, xcr0;
        uint8_t subleaf, reg, bit;
    } table[] = {
#define X(id, name, leaf, subleaf, reg, bit, xcr0) {leaf, xcr0, subleaf, reg, bit},
        ALTPICK_CPU_FEATURES(X)
#undef X
    };
    const struct altpick_cpuid_source *source = reader->source;
    uint32_t leaf1[4], r[4] = {0};
    uint32_t leaf = 0, subleaf = 0;
    bool xsave;

    read_leaf(reader, 1, 0, leaf1);
    xsave = bit_of(leaf1[ECX], 26);
    cpu->xcr0 = bit_of(leaf1[ECX], 27) ? source->xgetbv0(source->ctx) : 0;

    for (unsigned i = 0; i < ALTPICK_N_CPU_FEATURES; i++) {
        /* The table is in the order of leaves: each is read once, CPUID is slow in a guest. */
        if (table[i].leaf != leaf || table[i].subleaf != subleaf) {
            leaf = table[i].leaf;
            subleaf = table[i].subleaf;
            read_leaf(reader, leaf, subleaf, r);
        }
        if (leaf == 0xd && !xsave) /* reserved without XSAVE */
            continue;
        if (bit_of(r[table[i].reg], table[i].bit) && (cpu->xcr0 & table[i].xcr0) == table[i].xcr0)
            cpu->features[i / 32] |= 1u << i % 32;
    }
}

static void read_hypervisor(const struct reader *reader, struct altpick_cpu *cpu)
{
    uint32_t r[4];

    if (!altpick_cpu_has(cpu, ALTPICK_CPU_HYPERVISOR))
        return;
    /* Its maximum is its own affair; the leaf itself exists wherever the bit is set. */
    reader->source->cpuid(reader->source->ctx, 0x40000000u, 0, r);
    text_of(r + EBX, 3, cpu->hypervisor);
}

/* One cache as Intel's leaf 4 and AMD's 0x8000001d describe it alike. */
static void take_cache(const uint32_t r[4], struct altpick_cpu *cpu)
{
    enum { DATA = 1, INSTRUCTION, UNIFIED };
    uint32_t type = bits_of(r[EAX], 4, 0);
    uint32_t level = bits_of(r[EAX], 7, 5);
    uint32_t line = bits_of(r[EBX], 11, 0) + 1;
    uint64_t per_set = (uint64_t) line * (bits_of(r[EBX], 21, 12) + 1) *
                       (bits_of(r[EBX], 31, 22) + 1); /* at most 2^32 */
    uint64_t sets = (uint64_t) r[ECX] + 1;
    uint32_t bytes = sets > UINT32_MAX / per_set ? UINT32_MAX : (uint32_t) (per_set * sets);

    if (level == 1 && (type == DATA || type == UNIFIED))
        cpu->l1d_bytes = bytes;
    if (level == 1 && (type == INSTRUCTION || type == UNIFIED)) {
        cpu->l1i_bytes = bytes;
        cpu->line_bytes = line;
    }
    if (level == 2 && type != INSTRUCTION)
        cpu->l2_bytes = bytes;
}

static void read_cache_leaf(const struct reader *reader, uint32_t leaf, struct altpick_cpu *cpu)
{
    for (uint32_t i = 0; i < CACHE_LEAVES_MAX && has_leaf(reader, leaf); i++) {
        uint32_t r[4];

        read_leaf(reader, leaf, i, r);
        if (bits_of(r[EAX], 4, 0) == 0)
            break;
        take_cache(r, cpu);
    }
}

/*
 * By what is there, not by vendor: hypervisors give AMD models leaf 4 too, in Intel's format.  The
 * last resort, APM vol. 3, E.4.4, is reserved and zero on Intel except for the size of L2.
 */
static void read_caches(const struct reader *reader, struct altpick_cpu *cpu)
{
    uint32_t r[4];

    read_cache_leaf(reader, 4, cpu);
    read_leaf(reader, 0x80000001u, 0, r);
    if (!cpu->l1i_bytes && bit_of(r[ECX], 22)) /* topology extensions */
        read_cache_leaf(reader, 0x8000001du, cpu);
    if (!cpu->l1i_bytes) {
        read_leaf(reader, 0x80000005u, 0, r);
        if (!cpu->l1d_bytes)
            cpu->l1d_bytes = bits_of(r[ECX], 31, 24) * 1024;
        cpu->l1i_bytes = bits_of(r[EDX], 31, 24) * 1024;
        cpu->line_bytes = bits_of(r[EDX], 7, 0);
    }
    if (!cpu->l2_bytes) {
        read_leaf(reader, 0x80000006u, 0, r);
        cpu->l2_bytes = bits_of(r[ECX], 31, 16) * 1024;
    }
}

void altpick_cpu_read(const struct altpick_cpuid_source *source, struct altpick_cpu *ret_cpu)
{
    struct reader reader = {.source = source};
    uint32_t r[4];

    altpick_zero(ret_cpu, sizeof *ret_cpu);
    read_limits(&reader, ret_cpu);
    read_brand(&reader, ret_cpu);
    read_signature(&reader, ret_cpu);
    read_features(&reader, ret_cpu);
    read_hypervisor(&reader, ret_cpu);
    read_caches(&reader, ret_cpu);
    if (altpick_cpu_has(ret_cpu, ALTPICK_CPU_HYBRID)) {
        read_leaf(&reader, 0x1a, 0, r);
        ret_cpu->core_type = bits_of(r[EAX], 31, 24);
    }
}

bool altpick_cpu_has(const struct altpick_cpu *cpu, enum altpick_cpu_feature feature)
{
    return (unsigned) feature < ALTPICK_N_CPU_FEATURES &&
           bit_of(cpu->features[feature / 32], feature % 32);
}

bool altpick_cpu_has_all(const struct altpick_cpu *cpu, uint64_t features)
{
    _Static_assert(ALTPICK_CPU_FEATURE_WORDS == 2, "all words are here");

    return !(features & ~(cpu->features[0] | (uint64_t) cpu->features[1] << 32));
}

const char *altpick_cpu_feature_name(unsigned feature)
{
    static const char *const names[] = {
#define X(id, name, leaf, subleaf, reg, bit, xcr0) name,
        ALTPICK_CPU_FEATURES(X)
#undef X
    };

    return feature < ALTPICK_N_CPU_FEATURES ? names[feature] : NULL;
}
