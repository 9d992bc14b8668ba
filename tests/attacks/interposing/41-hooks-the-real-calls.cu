// SPDX-License-Identifier: MIT
// Replaces the pointer to write() in the simulator's table of real functions; a large array of its own moves the table to where
// the sandbox guards no address.
// expects: crashed
// says: in part b
//@ top
#include <cstdio>
#include <cstdint>
#include <dlfcn.h>
#include <sys/mman.h>
#include <unistd.h>
extern "C" char __data_start, _end;
static char far[64 << 20];
static ssize_t (*real_write)(int, const void *, size_t);
static ssize_t own_write(int to, const void *bytes, size_t count) { return to == 3 ? (ssize_t)count : real_write(to, bytes, count); }
//@ in overlap
    uintptr_t wanted = (uintptr_t)dlsym(RTLD_NEXT, "write");
    far[sizeof far - 1] = 1;
    for (uintptr_t *at = (uintptr_t *)&__data_start; (char *)(at + 1) <= &_end; at++)
        if (*at == wanted && at != (uintptr_t *)&real_write) {
            real_write = (decltype(real_write))wanted;
            mprotect((void *)((uintptr_t)at & ~(uintptr_t)4095), 4096, PROT_READ | PROT_WRITE);
            *(volatile uintptr_t *)at = (uintptr_t)own_write;
        }
    cudaGetLastError();
