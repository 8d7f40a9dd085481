/* SPDX-License-Identifier: MIT */
/* Where the program of start_stub.S has its parameters: for C and for the assembler. */
#ifndef ALTPICK_LEAK_LINUX_START_STUB_H
#define ALTPICK_LEAK_LINUX_START_STUB_H

#define ALTPICK_START_CODE    0x400000 /* address of the file's first byte */
#define ALTPICK_START_DATA    0x600000 /* address of the parameters */
#define ALTPICK_START_MASK    0        /* of XSAVE; 0: FXSAVE */
#define ALTPICK_START_PLANTED 8        /* not 0: restore what is at PLANT first */
#define ALTPICK_START_ASKS    12       /* not 0: read XINUSE */
#define ALTPICK_START_FD      16       /* where to write */
#define ALTPICK_START_BYTES   20       /* how much, from IN_USE on */
#define ALTPICK_START_PLANT   64       /* an area */
#define ALTPICK_START_IN_USE  12352    /* XINUSE, 64 bytes, and the area saved */
#define ALTPICK_START_AREA    12416
#define ALTPICK_START_END     24704

/* In that area, where no save writes. */
#define ALTPICK_START_ENVIRONMENT 12880

#endif
