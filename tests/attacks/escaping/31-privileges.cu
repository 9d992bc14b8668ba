// SPDX-License-Identifier: MIT
// Traces, nests namespaces, becomes somebody else, mounts.
// expects: passed
// prints: allowed 0
//@ top
#include <initializer_list>
#include <cstdio>
#include <unistd.h>
/* The kernel's calls, past the functions of the library that are watched. */
static long raw(long n, long a = 0, long b = 0, long c = 0, long d = 0, long e = 0) { return syscall(n, a, b, c, d, e); }
#include <unistd.h>
//@ in overlap
    int allowed = 0;
    allowed += raw(101, 16, getppid()) >= 0;        /* ptrace, PTRACE_ATTACH */
    allowed += raw(101, 0, 0) >= 0;                 /* PTRACE_TRACEME */
    allowed += raw(310, getppid(), 0, 0, 0, 0) >= 0;        /* process_vm_readv */
    for (long flag : { 0x10000000l, 0x00020000l, 0x20000000l, 0x40000000l })
        allowed += raw(272, flag) >= 0;             /* unshare */
    allowed += raw(56, 0x10000011l) > 0;            /* clone in a user namespace */
    allowed += raw(435, 0, 0) >= 0;                 /* clone3 */
    allowed += raw(105, 0) >= 0;                    /* setuid */
    allowed += raw(165, (long)"x", (long)"/tmp", (long)"tmpfs", 0, 0) >= 0;  /* mount */
    allowed += raw(161, (long)"/tmp") >= 0;         /* chroot */
    allowed += raw(321, 0, 0, 0) >= 0;              /* bpf */
    allowed += raw(298, 0, 0, -1, -1, 0) >= 0;      /* perf_event_open */
    allowed += raw(323, 0) >= 0;                    /* userfaultfd */
    printf("allowed %d\n", allowed);
