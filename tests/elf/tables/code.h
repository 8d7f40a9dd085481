/* SPDX-License-Identifier: MIT */
/* What the sources here share: for 64- and 32-bit code. */
#ifdef __x86_64__
#define ADDRESS .quad
#define MEMORY(symbol) symbol(%rip)
#else
#define ADDRESS .long
#define MEMORY(symbol) symbol
#endif

/* A place relative to the field that holds it. */
#define RELATIVE(place) .long place - .
