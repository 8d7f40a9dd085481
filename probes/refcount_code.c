/* SPDX-License-Identifier: MIT */
/*
 * Reference counters as machine code, valid with the same meaning in 64-bit and in 32-bit code: no
 * REX prefix, and rdi, which is edi there, is the only address.  (Comments name the registers of
 * 64-bit code.)
 *
 * On entry rdi points to the counter, esi is the amount (1 to 2^29: the sign alone tells fast of
 * more), ecx is 0.  On return eax is what the operation returns, if anything, and ecx is enum
 * altpick_report.  eax, ecx, edx and flags may change.  What misuse needs follows the usual path
 * and is skipped by one branch forward, so that all that is shipped is what was checked.
 */
#include "code_bytes.h"
#include "refcount.h"

#define SATURATES     GUARANTEE(SATURATES_ON_OVERFLOW)
#define SAFE          GUARANTEE(SAFE_ON_UNDERFLOW)
#define BLOCKS        GUARANTEE(BLOCKS_INC_FROM_ZERO)
#define REPORTS       GUARANTEE(REPORTS_MISUSE)
#define COUNTER(text) .name = text, .data = ALTPICK_DATA_COUNTER

/* clang-format off */
const struct altpick_code altpick_refcount_code[ALTPICK_REFCOUNT_CANDIDATES] = {
    /* atomic: counts, and that is all */
    {COUNTER("atomic.add"),
        BYTES(0xf0, 0x01, 0x37)},                   /* lock add [rdi], esi */
    {COUNTER("atomic.inc"),
        BYTES(0xf0, 0xff, 0x07)},                   /* lock inc dword [rdi] */
    {COUNTER("atomic.inc_not_zero"), .guarantees = BLOCKS,
        BYTES(0x8b, 0x07,                           /* mov eax, [rdi] */
              0x85, 0xc0,                           /* 1: test eax, eax */
              0x74, 0x0e,                           /* je end */
              0x8d, 0x50, 0x01,                     /* lea edx, [rax+1] */
              0xf0, 0x0f, 0xb1, 0x17,               /* lock cmpxchg [rdi], edx */
              0x75, 0xf3,                           /* jne 1 */
              0xb8, 0x01, 0x00, 0x00, 0x00)},       /* mov eax, 1 */
    {COUNTER("atomic.dec"),
        BYTES(0xf0, 0xff, 0x0f)},                   /* lock dec dword [rdi] */
    {COUNTER("atomic.dec_and_test"),
        BYTES(0x31, 0xc0,                           /* xor eax, eax */
              0xf0, 0xff, 0x0f,                     /* lock dec dword [rdi] */
              0x0f, 0x94, 0xc0)},                   /* sete al */
    {COUNTER("atomic.sub_and_test"),
        BYTES(0x31, 0xc0,                           /* xor eax, eax */
              0xf0, 0x29, 0x37,                     /* lock sub [rdi], esi */
              0x0f, 0x94, 0xc0)},                   /* sete al */
    /* fast: a negative result sticks, whatever led to it */
    {COUNTER("fast.add"), .guarantees = SATURATES, .branches = true,
        BYTES(0xf0, 0x01, 0x37,                     /* lock add [rdi], esi */
              0x79, 0x0b,                           /* jns end */
              0xc7, 0x07, 0x00, 0x00, 0x00, 0xc0,   /* mov dword [rdi], 0xc0000000 */
              0x0f, 0x90, 0xc1,                     /* seto cl */
              0xff, 0xc1)},                         /* inc ecx */
    {COUNTER("fast.inc"), .guarantees = SATURATES, .branches = true,
        BYTES(0xf0, 0xff, 0x07,                     /* lock inc dword [rdi] */
              0x79, 0x0b,                           /* jns end */
              0xc7, 0x07, 0x00, 0x00, 0x00, 0xc0,   /* mov dword [rdi], 0xc0000000 */
              0x0f, 0x90, 0xc1,                     /* seto cl */
              0xff, 0xc1)},                         /* inc ecx */
    {COUNTER("fast.inc_not_zero"), .guarantees = SATURATES | BLOCKS | REPORTS, .branches = true,
        BYTES(0x8b, 0x07,                           /* mov eax, [rdi] */
              0x8d, 0x50, 0x01,                     /* 1: lea edx, [rax+1] */
              0x83, 0xfa, 0x01,                     /* cmp edx, 1 */
              0x7e, 0x08,                           /* jle 2 */
              0xf0, 0x0f, 0xb1, 0x17,               /* lock cmpxchg [rdi], edx */
              0x74, 0x0f,                           /* je 3 */
              0xeb, 0xf0,                           /* jmp 1 */
              0x74, 0x10,                           /* 2: je end */
              0xc7, 0x07, 0x00, 0x00, 0x00, 0xc0,   /* mov dword [rdi], 0xc0000000 */
              0x0f, 0x90, 0xc1,                     /* seto cl */
              0xff, 0xc1,                           /* inc ecx */
              0xb8, 0x01, 0x00, 0x00, 0x00)},       /* 3: mov eax, 1 */
    {COUNTER("fast.dec"), .guarantees = SATURATES | SAFE | REPORTS, .branches = true,
        BYTES(0xf0, 0xff, 0x0f,                     /* lock dec dword [rdi] */
              0x7f, 0x16,                           /* jg end */
              0xba, 0x00, 0x00, 0x00, 0xc0,         /* mov edx, 0xc0000000 */
              0x87, 0x17,                           /* xchg [rdi], edx */
              0xb1, 0x05,                           /* mov cl, 5 */
              0x85, 0xd2,                           /* test edx, edx */
              0x74, 0x09,                           /* je end */
              0xff, 0xc2,                           /* inc edx */
              0x0f, 0x94, 0xc1,                     /* sete cl */
              0x8d, 0x4c, 0x09, 0x01)},             /* lea ecx, [rcx+rcx+1] */
    {COUNTER("fast.dec_and_test"), .guarantees = SATURATES | SAFE | REPORTS, .branches = true,
        BYTES(0x31, 0xc0,                           /* xor eax, eax */
              0xf0, 0xff, 0x0f,                     /* lock dec dword [rdi] */
              0x79, 0x12,                           /* jns 1 */
              0xba, 0x00, 0x00, 0x00, 0xc0,         /* mov edx, 0xc0000000 */
              0x87, 0x17,                           /* xchg [rdi], edx */
              0xff, 0xc2,                           /* inc edx */
              0x0f, 0x94, 0xc1,                     /* sete cl */
              0x8d, 0x4c, 0x09, 0x01,               /* lea ecx, [rcx+rcx+1] */
              0x85, 0xc9,                           /* test ecx, ecx */
              0x0f, 0x94, 0xc0)},                   /* 1: sete al */
    {COUNTER("fast.sub_and_test"), .guarantees = SATURATES | SAFE | REPORTS, .branches = true,
        BYTES(0x31, 0xc0,                           /* xor eax, eax */
              0xf0, 0x29, 0x37,                     /* lock sub [rdi], esi */
              0x79, 0x12,                           /* jns 1 */
              0xba, 0x00, 0x00, 0x00, 0xc0,         /* mov edx, 0xc0000000 */
              0x87, 0x17,                           /* xchg [rdi], edx */
              0x01, 0xf2,                           /* add edx, esi */
              0x0f, 0x99, 0xc1,                     /* setns cl */
              0x8d, 0x4c, 0x09, 0x01,               /* lea ecx, [rcx+rcx+1] */
              0x85, 0xc9,                           /* test ecx, ecx */
              0x0f, 0x94, 0xc0)},                   /* 1: sete al */
    /* full: every step is a compare and exchange, of unsigned values */
    {COUNTER("full.add"), .guarantees = SATURATES | BLOCKS | REPORTS, .branches = true,
        BYTES(0x8b, 0x07,                           /* mov eax, [rdi] */
              0x8d, 0x50, 0xff,                     /* 1: lea edx, [rax-1] */
              0x83, 0xfa, 0xfe,                     /* cmp edx, -2 */
              0x73, 0x19,                           /* jae 4 */
              0x89, 0xc2,                           /* mov edx, eax */
              0x01, 0xf2,                           /* add edx, esi */
              0x72, 0x0e,                           /* jb 3 */
              0xf0, 0x0f, 0xb1, 0x17,               /* 2: lock cmpxchg [rdi], edx */
              0x75, 0xec,                           /* jne 1 */
              0xff, 0xc2,                           /* inc edx */
              0x75, 0x0d,                           /* jne end */
              0xff, 0xc1,                           /* inc ecx */
              0xeb, 0x09,                           /* jmp end */
              0x83, 0xca, 0xff,                     /* 3: or edx, -1 */
              0xeb, 0xed,                           /* jmp 2 */
              0x74, 0x02,                           /* 4: je end */
              0xb1, 0x04)},                         /* mov cl, 4 */
    {COUNTER("full.inc"), .guarantees = SATURATES | BLOCKS | REPORTS, .branches = true,
        BYTES(0x8b, 0x07,                           /* mov eax, [rdi] */
              0x8d, 0x50, 0x01,                     /* 1: lea edx, [rax+1] */
              0x83, 0xfa, 0x01,                     /* cmp edx, 1 */
              0x76, 0x0e,                           /* jbe 2 */
              0xf0, 0x0f, 0xb1, 0x17,               /* lock cmpxchg [rdi], edx */
              0x75, 0xf2,                           /* jne 1 */
              0xff, 0xc2,                           /* inc edx */
              0x75, 0x08,                           /* jne end */
              0xff, 0xc1,                           /* inc ecx */
              0xeb, 0x04,                           /* jmp end */
              0x72, 0x02,                           /* 2: jb end */
              0xb1, 0x04)},                         /* mov cl, 4 */
    {COUNTER("full.inc_not_zero"), .guarantees = SATURATES | BLOCKS | REPORTS, .branches = true,
        BYTES(0x8b, 0x07,                           /* mov eax, [rdi] */
              0x8d, 0x50, 0x01,                     /* 1: lea edx, [rax+1] */
              0x83, 0xfa, 0x01,                     /* cmp edx, 1 */
              0x76, 0x13,                           /* jbe 2 */
              0xf0, 0x0f, 0xb1, 0x17,               /* lock cmpxchg [rdi], edx */
              0x75, 0xf2,                           /* jne 1 */
              0xff, 0xc2,                           /* inc edx */
              0xb8, 0x01, 0x00, 0x00, 0x00,         /* mov eax, 1 */
              0x75, 0x07,                           /* jne end */
              0xff, 0xc1,                           /* inc ecx */
              0xeb, 0x03,                           /* jmp end */
              0x83, 0xe0, 0x01)},                   /* 2: and eax, 1 */
    {COUNTER("full.dec"), .guarantees = SATURATES | SAFE | REPORTS, .branches = true,
        BYTES(0x8b, 0x07,                           /* mov eax, [rdi] */
              0x8d, 0x50, 0xff,                     /* 1: lea edx, [rax-1] */
              0x83, 0xfa, 0xfe,                     /* cmp edx, -2 */
              0x73, 0x0e,                           /* jae 2 */
              0xf0, 0x0f, 0xb1, 0x17,               /* lock cmpxchg [rdi], edx */
              0x75, 0xf2,                           /* jne 1 */
              0x85, 0xd2,                           /* test edx, edx */
              0x75, 0x08,                           /* jne end */
              0xb1, 0x05,                           /* mov cl, 5 */
              0xeb, 0x04,                           /* jmp end */
              0x74, 0x02,                           /* 2: je end */
              0xb1, 0x03)},                         /* mov cl, 3 */
    {COUNTER("full.dec_and_test"), .guarantees = SATURATES | SAFE | REPORTS, .branches = true,
        BYTES(0x8b, 0x07,                           /* mov eax, [rdi] */
              0x8d, 0x50, 0xff,                     /* 1: lea edx, [rax-1] */
              0x83, 0xfa, 0xfe,                     /* cmp edx, -2 */
              0x73, 0x08,                           /* jae 2 */
              0xf0, 0x0f, 0xb1, 0x17,               /* lock cmpxchg [rdi], edx */
              0x74, 0x06,                           /* je 3 */
              0xeb, 0xf0,                           /* jmp 1 */
              0x74, 0x02,                           /* 2: je 3 */
              0xb1, 0x03,                           /* mov cl, 3 */
              0x31, 0xc0,                           /* 3: xor eax, eax */
              0x85, 0xd2,                           /* test edx, edx */
              0x0f, 0x94, 0xc0)},                   /* sete al */
    {COUNTER("full.sub_and_test"), .guarantees = SATURATES | SAFE | REPORTS, .branches = true,
        BYTES(0x8b, 0x07,                           /* mov eax, [rdi] */
              0x83, 0xf8, 0xff,                     /* 1: cmp eax, -1 */
              0x74, 0x10,                           /* je 3 */
              0x89, 0xc2,                           /* mov edx, eax */
              0x29, 0xf2,                           /* sub edx, esi */
              0x72, 0x08,                           /* jb 2 */
              0xf0, 0x0f, 0xb1, 0x17,               /* lock cmpxchg [rdi], edx */
              0x74, 0x07,                           /* je 4 */
              0xeb, 0xed,                           /* jmp 1 */
              0xb1, 0x03,                           /* 2: mov cl, 3 */
              0x83, 0xca, 0xff,                     /* 3: or edx, -1 */
              0x31, 0xc0,                           /* 4: xor eax, eax */
              0x85, 0xd2,                           /* test edx, edx */
              0x0f, 0x94, 0xc0)},                   /* sete al */
    /* xadd: what was there before decides */
    {COUNTER("xadd.add"), .guarantees = SATURATES | BLOCKS | REPORTS, .branches = true,
        BYTES(0x89, 0xf0,                           /* mov eax, esi */
              0xf0, 0x0f, 0xc1, 0x07,               /* lock xadd [rdi], eax */
              0x01, 0xf0,                           /* add eax, esi */
              0x39, 0xf0,                           /* cmp eax, esi */
              0x7f, 0x11,                           /* jg end */
              0xc7, 0x07, 0x00, 0x00, 0x00, 0xc0,   /* mov dword [rdi], 0xc0000000 */
              0x74, 0x07,                           /* je 1 */
              0x0f, 0x90, 0xc1,                     /* seto cl */
              0xff, 0xc1,                           /* inc ecx */
              0xeb, 0x02,                           /* jmp end */
              0xb1, 0x04)},                         /* 1: mov cl, 4 */
    {COUNTER("xadd.inc"), .guarantees = SATURATES | BLOCKS | REPORTS, .branches = true,
        BYTES(0xb8, 0x01, 0x00, 0x00, 0x00,         /* mov eax, 1 */
              0xf0, 0x0f, 0xc1, 0x07,               /* lock xadd [rdi], eax */
              0xff, 0xc0,                           /* inc eax */
              0x83, 0xf8, 0x01,                     /* cmp eax, 1 */
              0x7f, 0x11,                           /* jg end */
              0xc7, 0x07, 0x00, 0x00, 0x00, 0xc0,   /* mov dword [rdi], 0xc0000000 */
              0x74, 0x07,                           /* je 1 */
              0x0f, 0x90, 0xc1,                     /* seto cl */
              0xff, 0xc1,                           /* inc ecx */
              0xeb, 0x02,                           /* jmp end */
              0xb1, 0x04)},                         /* 1: mov cl, 4 */
    {COUNTER("xadd.inc_not_zero"), .guarantees = SATURATES | BLOCKS | REPORTS, .branches = true,
        BYTES(0x8b, 0x07,                           /* mov eax, [rdi] */
              0x85, 0xc0,                           /* 1: test eax, eax */
              0x74, 0x1d,                           /* je end */
              0x8d, 0x50, 0x01,                     /* lea edx, [rax+1] */
              0xf0, 0x0f, 0xb1, 0x17,               /* lock cmpxchg [rdi], edx */
              0x75, 0xf3,                           /* jne 1 */
              0xb8, 0x01, 0x00, 0x00, 0x00,         /* mov eax, 1 */
              0x39, 0xc2,                           /* cmp edx, eax */
              0x7f, 0x0b,                           /* jg end */
              0xc7, 0x07, 0x00, 0x00, 0x00, 0xc0,   /* mov dword [rdi], 0xc0000000 */
              0x0f, 0x90, 0xc1,                     /* seto cl */
              0xff, 0xc1)},                         /* inc ecx */
    {COUNTER("xadd.dec"), .guarantees = SATURATES | SAFE | REPORTS, .branches = true,
        BYTES(0xb8, 0xff, 0xff, 0xff, 0xff,         /* mov eax, -1 */
              0xf0, 0x0f, 0xc1, 0x07,               /* lock xadd [rdi], eax */
              0x83, 0xf8, 0x01,                     /* cmp eax, 1 */
              0x7f, 0x13,                           /* jg end */
              0xc7, 0x07, 0x00, 0x00, 0x00, 0xc0,   /* mov dword [rdi], 0xc0000000 */
              0xb1, 0x05,                           /* mov cl, 5 */
              0x74, 0x09,                           /* je end */
              0x85, 0xc0,                           /* test eax, eax */
              0x0f, 0x94, 0xc1,                     /* sete cl */
              0x8d, 0x4c, 0x09, 0x01)},             /* lea ecx, [rcx+rcx+1] */
    {COUNTER("xadd.dec_and_test"), .guarantees = SATURATES | SAFE | REPORTS, .branches = true,
        BYTES(0xb8, 0xff, 0xff, 0xff, 0xff,         /* mov eax, -1 */
              0xf0, 0x0f, 0xc1, 0x07,               /* lock xadd [rdi], eax */
              0xff, 0xc8,                           /* dec eax */
              0x7d, 0x11,                           /* jge 1 */
              0xc7, 0x07, 0x00, 0x00, 0x00, 0xc0,   /* mov dword [rdi], 0xc0000000 */
              0xff, 0xc0,                           /* inc eax */
              0x0f, 0x94, 0xc1,                     /* sete cl */
              0x8d, 0x4c, 0x09, 0x01,               /* lea ecx, [rcx+rcx+1] */
              0x85, 0xc9,                           /* test ecx, ecx */
              0xb8, 0x00, 0x00, 0x00, 0x00,         /* 1: mov eax, 0 */
              0x0f, 0x94, 0xc0)},                   /* sete al */
    {COUNTER("xadd.sub_and_test"), .guarantees = SATURATES | SAFE | REPORTS, .branches = true,
        BYTES(0x89, 0xf0,                           /* mov eax, esi */
              0xf7, 0xd8,                           /* neg eax */
              0xf0, 0x0f, 0xc1, 0x07,               /* lock xadd [rdi], eax */
              0x29, 0xf0,                           /* sub eax, esi */
              0x7d, 0x11,                           /* jge 1 */
              0xc7, 0x07, 0x00, 0x00, 0x00, 0xc0,   /* mov dword [rdi], 0xc0000000 */
              0x01, 0xf0,                           /* add eax, esi */
              0x0f, 0x99, 0xc1,                     /* setns cl */
              0x8d, 0x4c, 0x09, 0x01,               /* lea ecx, [rcx+rcx+1] */
              0x85, 0xc9,                           /* test ecx, ecx */
              0xb8, 0x00, 0x00, 0x00, 0x00,         /* 1: mov eax, 0 */
              0x0f, 0x94, 0xc0)},                   /* sete al */
};
/* clang-format on */
