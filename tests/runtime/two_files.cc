/* SPDX-License-Identifier: MIT */
/* Two files of a C++ program, by OTHER, that share inline functions with sites. */
#include "two_files.h"

#ifdef OTHER

unsigned in_the_other_file(counter *c)
{
    gap('c');
    return c->get();
}

#else

int main()
{
    counter c = {1};

    gap('c');
    gap(1);
    c.get();
    in_the_other_file(&c);
    return c.n == 3 ? 0 : 1;
}

#endif
