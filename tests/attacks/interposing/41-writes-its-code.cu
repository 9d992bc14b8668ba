// SPDX-License-Identifier: MIT
// Makes the code of the simulator writable, maps other pages over it, and writes to it through /proc/self/mem.
// expects: passed
// prints: code stays: mprotect mmap open
//@ top
#include <cstdio>
#include <cstdint>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>
extern "C" char __executable_start, etext;
//@ in overlap
    static bool tried;
    if (!tried) {
        tried = true;
        char *page = (char *)((uintptr_t)&etext & ~(uintptr_t)4095);
        bool made = mprotect(page, 4096, PROT_READ | PROT_WRITE | PROT_EXEC) == 0;
        bool mapped = mmap(page, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) != MAP_FAILED;
        int memory = open("/proc/self/mem", O_RDWR);
        printf("code stays:%s%s%s\n", made ? "" : " mprotect", mapped ? "" : " mmap", memory >= 0 ? "" : " open");
    }
