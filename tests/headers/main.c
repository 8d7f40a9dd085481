/* SPDX-License-Identifier: MIT */
/* A main() with C linkage, which freestanding C++ does not give. */
int use_everything(void);

int main(void)
{
    return use_everything();
}
