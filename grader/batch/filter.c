/* SPDX-License-Identifier: MIT */
#include "grader/batch/filter.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <seccomp.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

/* Refused whatever their arguments. Names: not every machine has every call. */
static const char *const refused[] = {
    "socket", "socketpair", "socketcall", "bind", "connect", "listen", "accept", "accept4",
    "keyctl", "add_key", "request_key", "io_uring_setup", "io_uring_enter", "io_uring_register",
    "flock", "msgget", "semget", "shmget", "mq_open", "memfd_create", "memfd_secret",
    "ptrace", "process_vm_readv", "process_vm_writev", "process_madvise", "pidfd_open", "pidfd_getfd", "kcmp",
    "unshare", "setns", "mount", "umount2", "pivot_root", "chroot", "open_tree", "move_mount", "fsopen", "fsconfig",
    "fsmount", "fspick", "mount_setattr", "name_to_handle_at", "open_by_handle_at", "quotactl", "quotactl_fd",
    "bpf", "perf_event_open", "userfaultfd", "fanotify_init", "inotify_init", "inotify_init1", "syslog", "acct",
    "swapon", "swapoff", "reboot", "kexec_load", "kexec_file_load", "init_module", "finit_module", "delete_module",
    "setuid", "setgid", "setreuid", "setregid", "setresuid", "setresgid", "setgroups", "setfsuid", "setfsgid",
    "vhangup", "iopl", "ioperm", "modify_ldt", "lookup_dcookie", "migrate_pages", "move_pages", "mbind", "set_mempolicy",
    "clock_settime", "clock_adjtime", "settimeofday", "adjtimex", "sethostname", "setdomainname", "personality",
    "fork", "vfork", "landlock_create_ruleset",
};

/* Refused where the argument, masked, has the value. */
static const struct { const char *name; unsigned argument; uint64_t mask, value; } refused_with[] = {
    { "clone", 0, CLONE_NEWUSER, CLONE_NEWUSER }, { "clone", 0, CLONE_NEWNS, CLONE_NEWNS },
    { "clone", 0, CLONE_NEWPID, CLONE_NEWPID }, { "clone", 0, CLONE_NEWNET, CLONE_NEWNET },
    { "clone", 0, CLONE_NEWIPC, CLONE_NEWIPC }, { "clone", 0, CLONE_NEWUTS, CLONE_NEWUTS },
    { "clone", 0, CLONE_NEWCGROUP, CLONE_NEWCGROUP },
    { "ioctl", 1, UINT32_MAX, TIOCSTI }, { "ioctl", 1, UINT32_MAX, 0x541c /* TIOCLINUX */ },
    { "fcntl", 1, UINT32_MAX, F_SETLK }, { "fcntl", 1, UINT32_MAX, F_SETLKW }, { "fcntl", 1, UINT32_MAX, F_OFD_SETLK },
    { "fcntl", 1, UINT32_MAX, F_OFD_SETLKW }, { "fcntl", 1, UINT32_MAX, F_SETLEASE }, { "fcntl", 1, UINT32_MAX, F_NOTIFY },
    { "fcntl", 1, UINT32_MAX, F_SETPIPE_SZ },
    { "mmap", 3, MAP_TYPE | MAP_ANONYMOUS, MAP_SHARED | MAP_ANONYMOUS },
};

static int number_of(const char *name)
{
    return seccomp_syscall_resolve_name(name);
}

static bool may_be_left_out(const char *name, bool forks)
{
    return forks && (name[0] == 'f' || name[0] == 'v') && (number_of(name) == SCMP_SYS(fork) || number_of(name) == SCMP_SYS(vfork));
}

static int add_rules(scmp_filter_ctx filter, bool forks)
{
    int problem = 0;
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
        if (number_of(refused[i]) >= 0 && !may_be_left_out(refused[i], forks))
            problem |= seccomp_rule_add(filter, SCMP_ACT_ERRNO(EPERM), number_of(refused[i]), 0);
    for (size_t i = 0; i < sizeof refused_with / sizeof *refused_with; i++) {
        struct scmp_arg_cmp when = { refused_with[i].argument, SCMP_CMP_MASKED_EQ, refused_with[i].mask, refused_with[i].value };
        problem |= seccomp_rule_add_array(filter, SCMP_ACT_ERRNO(EPERM), number_of(refused_with[i].name), 1, &when);
    }
    /* Its flags lie in memory, where no filter sees them: the C library goes on with clone. */
    problem |= seccomp_rule_add(filter, SCMP_ACT_ERRNO(ENOSYS), number_of("clone3"), 0);
    /* A copy of oneself is a fork; what shares memory is a thread, or posix_spawn. */
    struct scmp_arg_cmp copies = { 0, SCMP_CMP_MASKED_EQ, CLONE_VM, 0 };
    if (!forks)
        problem |= seccomp_rule_add_array(filter, SCMP_ACT_ERRNO(EPERM), number_of("clone"), 1, &copies);
    return problem;
}

int filter_new(bool forks)
{
    scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ALLOW);
    int file = memfd_create("filter", MFD_CLOEXEC);
    int problem = filter == NULL || file < 0 ? -ENOMEM : add_rules(filter, forks);
    if (problem == 0)
        problem = seccomp_export_bpf(filter, file);
    if (filter != NULL)
        seccomp_release(filter);
    if (problem == 0)
        return file;
    if (file >= 0)
        close(file);
    errno = -problem;
    return -1;
}
