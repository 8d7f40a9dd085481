/* SPDX-License-Identifier: MIT */
/*
 * Marks places in code whose instructions altpick decides.  Macros only, for C99, C++11 and
 * assembler files, and for code of 64 and 32 bit (not for -m16); it includes nothing.
 *
 *     __asm__ volatile(ALTPICK_SITE("fpu.init.body", "fninit", 96)
 *                      : "+a"(has_xsave)
 *                      : "D"(data)
 *                      : "rdx", "cc", "memory" ...);
 *
 * A site is `room` bytes, 1 to 255: the default, padded with NOPs, until integration/runtime or
 * `altpick patch` puts what was decided in its place.  `room` is digits without a suffix, or a
 * macro of such; an assembler refuses a default that is longer.  The default is in the compiler's
 * dialect of assembly.  `item`, of which `altpick list items` names all, is what is decided:
 * "nop.fill.64" and "nop.fill.32" (the whole room is a gap), "nop.text-poke.2" and ".5" (the room
 * is just that), "fpu.init.body", "kernel-fpu.begin.sse" (in 32-bit code
 * "kernel-fpu.begin.sse-32"), "refcount.inc", "xstate.save" and so on: docs/formats.md, Bodies,
 * tells what each is given and may change.  The constraints have to allow all of that whatever the
 * default does.  An unknown item keeps its default.
 *
 * Each site adds 12 bytes to section altpick_sites and its name to altpick_names; linkers provide
 * the bounds of both without a script.  Where --gc-sections keeps the code it keeps the record.  In
 * 64-bit objects a relocation that changes nothing ties the record to the code, and where the code
 * is dropped the record may be, too: by lld, and by GNU ld with -z start-stop-gc.  In 32-bit
 * objects (where `ld -r` stumbles over such relocations) the record keeps the code.  SHF_LINK_ORDER
 * would not do: `ld -r` merges records of many functions into a section that belongs to one of
 * them, and all are lost with that one.
 *
 * Tested with binutils 2.40 and LLVM 14; binutils before 2.36 do not know the section flag R of
 * 32-bit objects.  Only in assembly with operands, if none then `: :`; one site in one statement.
 */
#ifndef ALTPICK_SITE_H
#define ALTPICK_SITE_H

/* Padding of a default in units of 8 and 4 bytes: CPUs before the Pentium Pro have no 0F 1F. */
#if defined(__x86_64__)
#define ALTPICK_SITE_KEEP_  "a?" /* of the group of an inline function of C++, too */
#define ALTPICK_SITE_FLAGS_ 0
#define ALTPICK_SITE_GAP_   "nop.fill.64"
#define ALTPICK_SITE_UNIT8_ 8, 0x841f0f
#define ALTPICK_SITE_UNIT4_ 4, 0x401f0f
#define ALTPICK_SITE_UNITS_ 1
#else
#define ALTPICK_SITE_KEEP_  "aR?" /* SHF_GNU_RETAIN */
#define ALTPICK_SITE_FLAGS_ 1     /* 32-bit code */
#define ALTPICK_SITE_GAP_   "nop.fill.32"
#define ALTPICK_SITE_UNIT8_ 4, 0x90669066
#define ALTPICK_SITE_UNIT4_ 4, 0x90669066
#define ALTPICK_SITE_UNITS_ 2 /* of the first to make 8 bytes */
#endif

#ifdef __ASSEMBLER__

/*
 *     altpick_site_begin
 *         lock incl (%rdi)
 *     altpick_site_end "refcount.inc", 40
 *
 * The labels 771 to 774 are these macros' own.  flags: 1 where .code32 stands in a 64-bit object.
 */
.macro altpick_site_begin
771:
.endm

.macro altpick_site_end item:req, room:req, flags=ALTPICK_SITE_FLAGS_
772:
    .fill (\room - (772b - 771b)) / 8 * ALTPICK_SITE_UNITS_, ALTPICK_SITE_UNIT8_
    .fill ((\room - (772b - 771b)) / 4) & 1, ALTPICK_SITE_UNIT4_
    .fill ((\room - (772b - 771b)) / 2) & 1, 2, 0x9066
    .fill (\room - (772b - 771b)) & 1, 1, 0x90
    .org 771b + \room
    .if \room < 1
    .error "a site needs room"
    .endif
    .if \room > 255
    .error "a site has 255 bytes at most"
    .endif
    .pushsection altpick_names, "aMS", @progbits, 1
773:
    .asciz "\item"
    .popsection
    .pushsection altpick_sites, ALTPICK_SITE_KEEP_, @progbits, unique, \@
    .balign 4
774:
    .long 771b - .
    .long 773b - .
    .byte \room, 772b - 771b, \flags, 1
    .popsection
#if defined(__x86_64__)
    .reloc 771b, R_X86_64_NONE, 774b
#endif
.endm

/* A gap of `room` bytes that execution runs through. */
.macro altpick_site_gap room:req
    altpick_site_begin
    altpick_site_end ALTPICK_SITE_GAP_, \room
.endm

#else /* C and C++ */

#define ALTPICK_SITE_TEXT_2_(...)      #__VA_ARGS__
#define ALTPICK_SITE_TEXT_(...)        ALTPICK_SITE_TEXT_2_(__VA_ARGS__)

/* The template of a site: a string.  `item` and `code` are string literals. */
#define ALTPICK_SITE(item, code, room) ALTPICK_SITE_FLAGGED(item, code, room, ALTPICK_SITE_FLAGS_)

/* The same with its flags: 1 for code between .code32 and .code64. */
#define ALTPICK_SITE_FLAGGED(item, code, room, flags)                                              \
    ALTPICK_SITE_STRING_(item, code, ALTPICK_SITE_TEXT_(room), ALTPICK_SITE_TEXT_(flags))

#define ALTPICK_SITE_STRING_(item, code, room, flags)                                              \
    ALTPICK_SITE_CODE_(code)                                                                       \
    ALTPICK_SITE_PAD_("(" room " - " ALTPICK_SITE_DEFAULT_ ")")                                    \
    ALTPICK_SITE_CHECK_(room)                                                                      \
    ALTPICK_SITE_NAME_(item)                                                                       \
    ALTPICK_SITE_RECORD_(room, flags)                                                              \
    ALTPICK_SITE_TIE_

/* A line of assembly. */
#define ALTPICK_SITE_LINE_(text) text "\n\t"

/* The site from its label to that behind its default, and the length of that. */
#define ALTPICK_SITE_CODE_(code)                                                                   \
    ALTPICK_SITE_LINE_(".Laltpick_site%=:")                                                        \
    ALTPICK_SITE_LINE_(code)                                                                       \
    ALTPICK_SITE_LINE_(".Laltpick_end%=:")
#define ALTPICK_SITE_DEFAULT_ "(.Laltpick_end%= - .Laltpick_site%=)"

/* `left` bytes of NOPs: units of 8, one of 4, one of 2 and one byte. */
#define ALTPICK_SITE_PAD_(left)                                                                    \
    ALTPICK_SITE_FILL_(left " / 8 * " ALTPICK_SITE_TEXT_(ALTPICK_SITE_UNITS_),                     \
                       ALTPICK_SITE_UNIT8_)                                                        \
    ALTPICK_SITE_FILL_("(" left " / 4) & 1", ALTPICK_SITE_UNIT4_)                                  \
    ALTPICK_SITE_FILL_("(" left " / 2) & 1", 2, 0x9066)                                            \
    ALTPICK_SITE_FILL_(left " & 1", 1, 0x90)
#define ALTPICK_SITE_FILL_(times, ...)                                                             \
    ALTPICK_SITE_LINE_(".fill " times ", " ALTPICK_SITE_TEXT_(__VA_ARGS__))

#define ALTPICK_SITE_CHECK_(room)                                                                  \
    ALTPICK_SITE_LINE_(".org .Laltpick_site%= + " room)                                            \
    ALTPICK_SITE_LINE_(".if " room " < 1\n\t.error \"a site needs room\"\n\t.endif")               \
    ALTPICK_SITE_LINE_(".if " room " > 255\n\t.error \"a site has 255 bytes at most\"\n\t.endif")

#define ALTPICK_SITE_NAME_(item)                                                                   \
    ALTPICK_SITE_LINE_(".pushsection altpick_names, \"aMS\", @progbits, 1")                        \
    ALTPICK_SITE_LINE_(".Laltpick_name%=:")                                                        \
    ALTPICK_SITE_LINE_(".asciz \"" item "\"")                                                      \
    ALTPICK_SITE_LINE_(".popsection")

/* docs/formats.md, Sites, has its fields. */
#define ALTPICK_SITE_RECORD_(room, flags)                                                          \
    ALTPICK_SITE_LINE_(".pushsection altpick_sites, " ALTPICK_SITE_OWN_SECTION_)                   \
    ALTPICK_SITE_LINE_(".balign 4")                                                                \
    ALTPICK_SITE_LINE_(".Laltpick_record%=:")                                                      \
    ALTPICK_SITE_LINE_(".long .Laltpick_site%= - .")                                               \
    ALTPICK_SITE_LINE_(".long .Laltpick_name%= - .")                                               \
    ALTPICK_SITE_LINE_(".byte " room ", " ALTPICK_SITE_DEFAULT_ ", " flags ", 1")                  \
    ALTPICK_SITE_LINE_(".popsection")
#define ALTPICK_SITE_OWN_SECTION_ ALTPICK_SITE_TEXT_(ALTPICK_SITE_KEEP_) ", @progbits, unique, %="

#if defined(__x86_64__)
#define ALTPICK_SITE_TIE_                                                                          \
    ALTPICK_SITE_LINE_(".reloc .Laltpick_site%=, R_X86_64_NONE, .Laltpick_record%=")
#else
#define ALTPICK_SITE_TIE_ ""
#endif

/* Statements.  A gap of `room` bytes that execution runs through. */
#define ALTPICK_SITE_GAP(room) __asm__ volatile(ALTPICK_SITE(ALTPICK_SITE_GAP_, "", room) : :)

/* One NOP of 2 or 5 bytes in text that is replaced while it may run. */
#define ALTPICK_SITE_TEXT_POKE2()                                                                  \
    __asm__ volatile(ALTPICK_SITE("nop.text-poke.2", ".byte 0x66, 0x90", 2) : :)
#define ALTPICK_SITE_TEXT_POKE5()                                                                  \
    __asm__ volatile(ALTPICK_SITE("nop.text-poke.5", ".byte 0x0f, 0x1f, 0x44, 0, 0", 5) : :)

/*
 * An operation on a reference counter: "refcount.inc" and so on, with a default of at most `room`
 * bytes that finds the same registers.  counter: unsigned *; amount: unsigned, 1 where the
 * operation takes none; result and report: unsigned variables, what is in eax and ecx after it.
 */
#define ALTPICK_SITE_COUNT(item, code, room, counter, amount, result, report)                      \
    do {                                                                                           \
        (report) = 0;                                                                              \
        __asm__ volatile(ALTPICK_SITE(item, code, room)                                            \
                         : "=a"(result), "+c"(report)                                              \
                         : "D"(counter), "S"(amount)                                               \
                         : "edx", "cc", "memory");                                                 \
    } while (0)

#endif
#endif
