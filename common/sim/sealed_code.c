/* SPDX-License-Identifier: MIT */
#include "sim/sealed_code.h"

#include <errno.h>
#include <execinfo.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include "sim/real.h"

#if defined __x86_64__
#define OUR_CALLS AUDIT_ARCH_X86_64
#elif defined __aarch64__
#define OUR_CALLS AUDIT_ARCH_AARCH64
#endif

extern const char __executable_start;

#define LOAD(offset) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (offset))
#define NUMBER offsetof(struct seccomp_data, nr)
#define LOW(n) (offsetof(struct seccomp_data, args) + 8 * (n))      /* little-endian */
#define HIGH(n) (LOW(n) + 4)
#define IF(test, value, yes, no) BPF_JUMP(BPF_JMP | (test) | BPF_K, (uint32_t)(value), (yes), (no))
#define RETURN(what) BPF_STMT(BPF_RET | BPF_K, (what))
#define ALLOW RETURN(SECCOMP_RET_ALLOW)
#define REFUSE RETURN(SECCOMP_RET_ERRNO | EPERM)
/* Refuses where argument n is an address from `begin` on, before `end`; else the next rule decides.
 * The program lies below 4 GiB. */
#define REFUSE_WITHIN(n) LOAD(HIGH(n)), IF(BPF_JEQ, 0, 0, 4), LOAD(LOW(n)), IF(BPF_JGE, begin, 0, 2), IF(BPF_JGE, end, 1, 0), REFUSE

void seal_code(void)
{
#ifdef OUR_CALLS
    uintptr_t begin = (uintptr_t)&__executable_start & ~(uintptr_t)4095,
              end = (uintptr_t)real_end();
    void *frame;
    backtrace(&frame, 1);       /* its library is loaded at the first call */
    if (end > UINT32_MAX)
        return;                 /* position-independent: its addresses are not known */
    /* Jumps count the instructions in between. */
    struct sock_filter filter[] = {
        LOAD(offsetof(struct seccomp_data, arch)),
        IF(BPF_JEQ, OUR_CALLS, 1, 0),
        REFUSE,
        LOAD(NUMBER),
        IF(BPF_JEQ, SYS_mprotect, 6, 0),
        IF(BPF_JEQ, SYS_pkey_mprotect, 5, 0),
        IF(BPF_JEQ, SYS_mmap, 14, 0),
        IF(BPF_JEQ, SYS_munmap, 15, 0),
        IF(BPF_JEQ, SYS_mremap, 21, 0),
        IF(BPF_JEQ, SYS_remap_file_pages, 13, 0),
        ALLOW,
        /* mprotect: executable never, writable not there. */
        LOAD(LOW(2)),
        IF(BPF_JSET, PROT_EXEC, 6, 0),
        IF(BPF_JSET, PROT_WRITE, 0, 6),
        LOAD(HIGH(0)),
        IF(BPF_JEQ, 0, 0, 4),
        LOAD(LOW(0)),
        IF(BPF_JGE, begin, 0, 2),
        IF(BPF_JGE, end, 1, 0),
        REFUSE,
        ALLOW,
        /* mmap: executable never. */
        LOAD(LOW(2)),
        IF(BPF_JSET, PROT_EXEC, 5, 0),
        /* munmap and the like: not there. */
        REFUSE_WITHIN(0),
        ALLOW,
        /* mremap: neither from there nor to it. */
        REFUSE_WITHIN(0),
        REFUSE_WITHIN(4),
        ALLOW,
    };
    struct sock_fprog program = { sizeof filter / sizeof *filter, filter };
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
#endif
}
