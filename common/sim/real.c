/* SPDX-License-Identifier: MIT */
#include "sim/real.h"

#include <dlfcn.h>
#include <sys/mman.h>
#include <sys/syscall.h>

/* On pages of its own, read-only once it is filled: otherwise an untrusted program could redirect
 * the simulator's calls. */
#define PAGE 4096u
static union {
    struct real_functions functions;
    char pages[(sizeof(struct real_functions) + PAGE - 1) / PAGE * PAGE];
} table __attribute__((aligned(PAGE)));

const struct real_functions *real(void)
{
    if (!table.functions.syscall) {
#define X(type, name, arguments) table.functions.name = (type (*) arguments)dlsym(RTLD_NEXT, #name);
        REAL_FUNCTIONS(X)
#undef X
        mprotect(&table, sizeof table, PROT_READ); /* where pages are larger it stays as it is */
    }
    return &table.functions;
}

const void *real_end(void)
{
    return &table + 1;
}

void real_futex(int *word, int operation, int value)
{
    real()->syscall(SYS_futex, word, operation, value, NULL, NULL, 0);
}
