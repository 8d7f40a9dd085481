/* SPDX-License-Identifier: MIT */
/* Starts a 32-bit program that has no library, and ends it with what its test returns. */
int use_everything(void);
void start(void);
void _start(void);

/* At the entry point the stack is aligned; a call expects it so. */
__asm__(".globl _start\n_start:\n\tcall start\n");

__attribute__((used)) void start(void)
{
    __asm__ volatile("int $0x80" : : "a"(1), "b"(use_everything()));
    for (;;)
        ;
}
