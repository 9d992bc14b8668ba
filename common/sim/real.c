/* SPDX-License-Identifier: MIT */
#include "sim/real.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <sys/syscall.h>

const struct real_functions *real(void)
{
    static struct real_functions functions;
    static bool known;
    if (!known) {
#define X(type, name, arguments) functions.name = (type (*) arguments)dlsym(RTLD_NEXT, #name);
        REAL_FUNCTIONS(X)
#undef X
        known = true;
    }
    return &functions;
}

void real_futex(int *word, int operation, int value)
{
    real()->syscall(SYS_futex, word, operation, value, NULL, NULL, 0);
}
