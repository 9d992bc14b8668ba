/* SPDX-License-Identifier: MIT */
/* What the filters of system calls refuse: a process puts one on and makes the calls. Arguments are
 * such that a call which is let through does nothing, or fails with another error. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <asm/termbits.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/sched.h>
#include <linux/seccomp.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "grader/batch/jobs/filter.h"

struct row { const char *name; long number, arguments[6]; int error; };

#define NOWHERE (-4096L)        /* an address that nothing has */
#define CODE 0x400000L          /* where simcc's programs have theirs */

static const struct row of_programs[] = {
    { "socket", SYS_socket, { AF_INET, -1, 0 }, EPERM }, { "ptrace", SYS_ptrace, { -1 }, EPERM },
    { "pidfd_open", SYS_pidfd_open, { -1, -1 }, EPERM },
    { "memfd_create", SYS_memfd_create, { NOWHERE }, EPERM },
    { "mount", SYS_mount, { NOWHERE, NOWHERE }, EPERM }, { "unshare", SYS_unshare, { 0 }, EPERM },
    { "keyctl", SYS_keyctl, { -1 }, EPERM }, { "bpf", SYS_bpf, { -1 }, EPERM },
    { "setuid", SYS_setuid, { -1 }, EPERM },
    { "io_uring_setup", SYS_io_uring_setup, { 0, NOWHERE }, EPERM },
    { "flock", SYS_flock, { -1, 0 }, EPERM },
    { "personality", SYS_personality, { 0xffffffff }, EPERM },
    { "clone into a user namespace", SYS_clone, { CLONE_VM | CLONE_SIGHAND | CLONE_NEWUSER },
      EPERM },
    { "clone into a mount namespace", SYS_clone, { CLONE_VM | CLONE_FS | CLONE_NEWNS }, EPERM },
    { "clone into a PID namespace", SYS_clone, { CLONE_VM | CLONE_THREAD | CLONE_NEWPID }, EPERM },
    { "clone into a network namespace", SYS_clone, { CLONE_VM | CLONE_THREAD | CLONE_NEWNET },
      EPERM },
    { "clone into an IPC namespace", SYS_clone, { CLONE_VM | CLONE_THREAD | CLONE_NEWIPC }, EPERM },
    { "clone into a UTS namespace", SYS_clone, { CLONE_VM | CLONE_THREAD | CLONE_NEWUTS }, EPERM },
    { "clone into a control group namespace", SYS_clone,
      { CLONE_VM | CLONE_THREAD | CLONE_NEWCGROUP }, EPERM },
    { "clone as a fork", SYS_clone, { CLONE_SIGHAND }, EPERM },
    { "clone3", SYS_clone3, { NOWHERE, 0 }, ENOSYS },
    { "typing for others", SYS_ioctl, { -1, TIOCSTI, NOWHERE }, EPERM },
    { "the console's commands", SYS_ioctl, { -1, 0x541c, NOWHERE }, EPERM },
    { "a lock on a file", SYS_fcntl, { -1, F_SETLK, NOWHERE }, EPERM },
    { "waiting for one", SYS_fcntl, { -1, F_SETLKW, NOWHERE }, EPERM },
    { "a lease", SYS_fcntl, { -1, F_SETLEASE, 0 }, EPERM },
    { "a larger pipe", SYS_fcntl, { -1, F_SETPIPE_SZ, 0 }, EPERM },
    { "shared memory with no name", SYS_mmap,
      { 0, 0, PROT_READ, MAP_SHARED | MAP_ANONYMOUS, -1, 0 }, EPERM },
    { "making code writable", SYS_mprotect, { CODE, 0, PROT_READ | PROT_WRITE }, EPERM },
    { "memory in the place of code", SYS_mmap,
      { CODE, 0, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0 }, EPERM },
    { "moving memory there", SYS_mremap, { NOWHERE, 0, 0, MREMAP_MAYMOVE | MREMAP_FIXED, CODE },
      EPERM },
    { "the same at its end", SYS_mremap,
      { NOWHERE, 0, 0, MREMAP_MAYMOVE | MREMAP_FIXED, 0x1fff000 }, EPERM },
    { "reading", SYS_read, { -1, NOWHERE, 0 }, EBADF },
    { "own memory", SYS_mprotect, { 0x10000000, 1, PROT_READ | PROT_WRITE }, ENOMEM },
};

static const struct row of_compilers[] = {
    { "socket", SYS_socket, { AF_INET, -1, 0 }, EPERM }, { "ptrace", SYS_ptrace, { -1 }, EPERM },
    { "clone3", SYS_clone3, { NOWHERE, 0 }, ENOSYS },
    { "clone as a fork", SYS_clone, { CLONE_SIGHAND }, EINVAL },
};

static const struct row on_cards[] = {
    { "a socket of the machine", SYS_socket, { AF_UNIX, -1, 0 }, EINVAL },
    { "one of the network", SYS_socket, { AF_INET, -1, 0 }, EPERM },
    { "clone as a fork", SYS_clone, { CLONE_SIGHAND }, EPERM },
    { "ptrace", SYS_ptrace, { -1 }, EPERM },
};

/* Becomes a process behind the filter; the number of the first row that goes another way, `count`
 * for none. */
static int first_wrong(enum filter_for who, const struct row *rows, int count, int *error)
{
    struct sock_filter code[4096];
    int answer[2], wrong[2] = { -1, 0 };
    assert_true(pipe(answer) == 0);
    pid_t child = fork();
    if (child == 0) {
        int filter = filter_new(who);
        ssize_t n =
            filter >= 0 && lseek(filter, 0, SEEK_SET) == 0 ? read(filter, code, sizeof code) : -1;
        struct sock_fprog program = { .len = (unsigned short)(n / (ssize_t)sizeof *code),
                                      .filter = code };
        if (n <= 0 || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0
            || syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program) != 0)
            _exit(1);
        for (wrong[0] = 0; wrong[0] < count; wrong[0]++) {
            const long *a = rows[wrong[0]].arguments;
            errno = 0;
            long result = syscall(rows[wrong[0]].number, a[0], a[1], a[2], a[3], a[4], a[5]);
            wrong[1] = result < 0 ? errno : 0;
            if (wrong[1] != rows[wrong[0]].error)
                break;
        }
        _exit(write(answer[1], wrong, sizeof wrong) != sizeof wrong);
    }
    close(answer[1]);
    if (read(answer[0], wrong, sizeof wrong) != sizeof wrong)
        wrong[0] = -1;
    close(answer[0]);
    waitpid(child, NULL, 0);
    *error = wrong[1];
    return wrong[0];
}

static void refuses(enum filter_for who, const struct row *rows, int count)
{
    int error, wrong = first_wrong(who, rows, count, &error);
    if (wrong < 0)
        fail_msg("the filter cannot be put on");
    if (wrong < count)
        fail_msg("%s: error %d, and not %d", rows[wrong].name, error, rows[wrong].error);
}

static void a_program_reaches_nobody_and_keeps_its_code(void **state)
{
    (void)state;
    refuses(FILTER_PROGRAM, of_programs, sizeof of_programs / sizeof *of_programs);
}

static void a_compiler_may_start_others(void **state)
{
    (void)state;
    refuses(FILTER_COMPILER, of_compilers, sizeof of_compilers / sizeof *of_compilers);
}

static void a_card_s_driver_has_sockets_of_the_machine(void **state)
{
    (void)state;
    refuses(FILTER_ON_CARD, on_cards, sizeof on_cards / sizeof *on_cards);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_program_reaches_nobody_and_keeps_its_code),
        cmocka_unit_test(a_compiler_may_start_others),
        cmocka_unit_test(a_card_s_driver_has_sockets_of_the_machine),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
