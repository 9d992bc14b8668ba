// SPDX-License-Identifier: MIT
// Makes code of the C library's writable, its own stack executable, and maps new code.
// expects: passed
// prints: code stays: mprotect stack mmap remap
//@ top
#include <cstdio>
#include <cstdint>
#include <dlfcn.h>
#include <sys/mman.h>
#include <unistd.h>
//@ in overlap
    static bool tried;
    if (!tried) {
        tried = true;
        char *page = (char *)((uintptr_t)dlsym(RTLD_DEFAULT, "getppid") & ~(uintptr_t)4095);
        char *stack = (char *)((uintptr_t)&page & ~(uintptr_t)4095);
        bool made = mprotect(page, 4096, PROT_READ | PROT_WRITE | PROT_EXEC) == 0 || mprotect(page, 4096, PROT_READ | PROT_EXEC) == 0;
        bool on_stack = mprotect(stack, 4096, PROT_READ | PROT_WRITE | PROT_EXEC) == 0;
        void *own = mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        bool mapped = mmap(nullptr, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) != MAP_FAILED;
        bool moved = mremap(own, 4096, 4096, MREMAP_MAYMOVE | MREMAP_FIXED, (void *)0x401000) != MAP_FAILED;
        printf("code stays:%s%s%s%s\n", made ? "" : " mprotect", on_stack ? "" : " stack", mapped ? "" : " mmap", moved ? "" : " remap");
    }
