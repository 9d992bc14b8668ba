// SPDX-License-Identifier: MIT
// Allocates memory that it never frees: makes the log's pages writable, lets nobody read it meanwhile, and counts no call.
// expects: refused
// says: the times in it are not those of its calls
//@ top
#include <cstdint>
#include <sys/mman.h>
/* As common/sim/call_log.c has it. */
struct log_pages { size_t strings; int to; unsigned char buffer[2 * 4096]; size_t count; volatile bool busy, authenticated; size_t calls; };
static struct log_pages *const the_log = (struct log_pages *)UINT64_C(0x250000000000);
//@ in overlap
    mprotect((void *)the_log, sizeof *the_log, PROT_READ | PROT_WRITE);
    size_t calls = the_log->calls;
    void *leaked;
    the_log->to = -1;
    cudaMalloc(&leaked, 1 << 20);
    the_log->to = 3;
    the_log->calls = calls;
