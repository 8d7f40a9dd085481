/* SPDX-License-Identifier: MIT */
/*
 * Lets an engine patch the consumer's code for every set of features, and prints what the sites
 * hold and what the code does then.  Needs no library.
 */
#include "sites.h"
#include "system.h"

#include <stdint.h>

#define LAYOUT ALTPICK_TEST_LAYOUT

static uint8_t saved[4096];

#define SITES(X)                                                                                   \
    X(site_inc, 40)                                                                                \
    X(site_nest, 48)                                                                               \
    X(site_dec, 48) X(site_gap, 24) X(site_long, 100) X(site_poke, 5) X(site_begin, 16)
#define X(name, bytes) extern uint8_t name[];
SITES(X)
#ifdef __x86_64__
extern uint8_t site_fpu[];
#endif
#undef X

unsigned count_inc(unsigned *counter), count_nest(unsigned *counter), count_dec(unsigned *counter);
unsigned pass_gaps(void *unused), begin_fpu(const unsigned *mxcsr),
    init_fpu(const void *, unsigned);
unsigned before_all(void *unused), after_all(void *unused), call_direct(void *unused);
int use_everything(void);

static void print_sites(unsigned set)
{
#define X(name, bytes) print_bytes(set, #name, name, bytes);
    SITES(X)
#undef X
#ifdef __x86_64__
    print_bytes(set, "site_fpu", site_fpu, 230);
#endif
}

static unsigned count(unsigned (*function)(unsigned *counter), unsigned from)
{
    unsigned counter = from;

    function(&counter);
    return counter;
}

static void run(unsigned set)
{
    static const unsigned mxcsr = 0x1f80;

    print_result(set, "count_inc", count(count_inc, 0x7fffffff));
    print_result(set, "count_nest", count(count_nest, 5));
    print_result(set, "count_dec", count(count_dec, 5));
    print_result(set, "pass_gaps", pass_gaps(0));
    print_result(set, "begin_fpu", begin_fpu(&mxcsr));
#if defined(__x86_64__) && defined(RUN_FPU)
    {
        static const struct {
            _Alignas(64) uint8_t bytes[576];
        } image = {
            .bytes = {[0] = 0x7f, [1] = 0x03, [24] = 0x80, [25] = 0x1f}
        };
        unsigned a = 1, b, c = 0, d;

        __asm__ volatile("cpuid" : "+a"(a), "=b"(b), "+c"(c), "=d"(d));
        print_result(set, "init_fpu", init_fpu(&image, c >> 27 & 1));
    }
#endif
#if LAYOUT != LAYOUT_altpick
    print_result(set, "before_all", before_all(0));
    print_result(set, "after_all", after_all(0));
#endif
#if LAYOUT == LAYOUT_linux14
    print_result(set, "call_direct", call_direct(0));
#endif
}

int use_everything(void)
{
    uint32_t bytes = (uint32_t) (__stop_sites_text - __start_sites_text);

    stop_unless(bytes <= sizeof saved, "more code than can be saved");
    make_writable(__start_sites_text, bytes);
    for (uint32_t i = 0; i < bytes; i++)
        saved[i] = __start_sites_text[i];
    print_sites(~0u);
    for (unsigned set = 0; set < 1u << N_FEATURES; set++) {
        apply(set);
        print_sites(set);
        run(set);
        for (uint32_t i = 0; i < bytes; i++)
            __start_sites_text[i] = saved[i];
    }
    return 0;
}
