/* SPDX-License-Identifier: MIT */
#include "grader/batch/jobs/filter.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <seccomp.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

/* Refused whatever their arguments. Names: not every machine has every call. */
static const char *const refused[] = {
    "socket", "socketpair", "socketcall", "bind", "connect", "listen", "accept", "accept4",
    "keyctl", "add_key", "request_key", "io_uring_setup", "io_uring_enter", "io_uring_register",
    "flock", "msgget", "semget", "shmget", "mq_open", "memfd_create", "memfd_secret",
    "ptrace", "process_vm_readv", "process_vm_writev", "process_madvise", "pidfd_open",
    "pidfd_getfd", "kcmp",
    "unshare", "setns", "mount", "umount2", "pivot_root", "chroot", "open_tree", "move_mount",
    "fsopen", "fsconfig",
    "fsmount", "fspick", "mount_setattr", "name_to_handle_at", "open_by_handle_at", "quotactl",
    "quotactl_fd",
    "bpf", "perf_event_open", "userfaultfd", "fanotify_init", "inotify_init", "inotify_init1",
    "syslog", "acct",
    "swapon", "swapoff", "reboot", "kexec_load", "kexec_file_load", "init_module", "finit_module",
    "delete_module",
    "setuid", "setgid", "setreuid", "setregid", "setresuid", "setresgid", "setgroups", "setfsuid",
    "setfsgid",
    "vhangup", "iopl", "ioperm", "modify_ldt", "lookup_dcookie", "migrate_pages", "move_pages",
    "mbind", "set_mempolicy",
    "clock_settime", "clock_adjtime", "settimeofday", "adjtimex", "sethostname", "setdomainname",
    "personality",
    "fork", "vfork", "landlock_create_ruleset",
};

/* Of these, what a compiler needs, and what a card's driver does. */
static const char *const needed_by_compilers[] = { "fork", "vfork", NULL };
static const char *const needed_by_drivers[] = {
    "socket",  "socketpair",   "bind",  "connect",       "listen", "accept",
    "accept4", "memfd_create", "mbind", "set_mempolicy", NULL,
};
static const char *const *const needed[] = {
    [FILTER_PROGRAM] = (const char *const[]){ NULL }, [FILTER_COMPILER] = needed_by_compilers,
    [FILTER_ON_CARD] = needed_by_drivers,
};

/* Refused where the argument, masked, has the value. */
static const struct { const char *name; unsigned argument; uint64_t mask,
                      value; } refused_with[] = {
    { .name = "clone", .mask = CLONE_NEWUSER, .value = CLONE_NEWUSER },
    { .name = "clone", .mask = CLONE_NEWNS, .value = CLONE_NEWNS },
    { .name = "clone", .mask = CLONE_NEWPID, .value = CLONE_NEWPID },
    { .name = "clone", .mask = CLONE_NEWNET, .value = CLONE_NEWNET },
    { .name = "clone", .mask = CLONE_NEWIPC, .value = CLONE_NEWIPC },
    { .name = "clone", .mask = CLONE_NEWUTS, .value = CLONE_NEWUTS },
    { .name = "clone", .mask = CLONE_NEWCGROUP, .value = CLONE_NEWCGROUP },
    { .name = "ioctl", .argument = 1, .mask = UINT32_MAX, .value = TIOCSTI },
    { .name = "ioctl", .argument = 1, .mask = UINT32_MAX, .value = 0x541c /* TIOCLINUX */ },
    { .name = "fcntl", .argument = 1, .mask = UINT32_MAX, .value = F_SETLK },
    { .name = "fcntl", .argument = 1, .mask = UINT32_MAX, .value = F_SETLKW },
    { .name = "fcntl", .argument = 1, .mask = UINT32_MAX, .value = F_OFD_SETLK },
    { .name = "fcntl", .argument = 1, .mask = UINT32_MAX, .value = F_OFD_SETLKW },
    { .name = "fcntl", .argument = 1, .mask = UINT32_MAX, .value = F_SETLEASE },
    { .name = "fcntl", .argument = 1, .mask = UINT32_MAX, .value = F_NOTIFY },
    { .name = "fcntl", .argument = 1, .mask = UINT32_MAX, .value = F_SETPIPE_SZ },
};

static int number_of(const char *name)
{
    return seccomp_syscall_resolve_name(name);
}

static bool is_needed(const char *name, enum filter_for who)
{
    for (const char *const *one = needed[who]; *one; one++)
        if (strcmp(*one, name) == 0)
            return true;
    return false;
}

static int refuse_with(scmp_filter_ctx filter, const char *name, struct scmp_arg_cmp when)
{
    return seccomp_rule_add_array(filter, SCMP_ACT_ERRNO(EPERM), number_of(name), 1, &when);
}

/* simcc's programs lie where they are linked to (-no-pie). Their code stays as it is: none of it
 * becomes writable, and nothing else takes its place. Their tables are read-only by then, and their
 * data is writable as it is. */
static int keep_code(scmp_filter_ctx filter)
{
    static const struct { const char *name; unsigned argument; bool only_writable; } calls[] = {
        { "mprotect", 0, true }, { "pkey_mprotect", 0, true }, { "mmap", 0, false },
        { "mremap", 4, false }, { "remap_file_pages", 0, false },
    };
    static const uint64_t ranges[] = { 0x400000, 0x800000,
                                       0x1000000 }; /* each up to its double: 32 MiB in all */
    int problem = 0;
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
        for (size_t k = 0; k < sizeof ranges / sizeof *ranges; k++) {
            struct scmp_arg_cmp when[2] = {
                { calls[i].argument, SCMP_CMP_MASKED_EQ, ~(ranges[k] - 1), ranges[k] },
                { 2, SCMP_CMP_MASKED_EQ, PROT_WRITE, PROT_WRITE },
            };
            if (number_of(calls[i].name) >= 0)
                problem |=
                    seccomp_rule_add_array(filter, SCMP_ACT_ERRNO(EPERM), number_of(calls[i].name),
                                           calls[i].only_writable ? 2 : 1, when);
        }
    return problem;
}

/* What differs from one to the other by its arguments. */
static int add_own_rules(scmp_filter_ctx filter, enum filter_for who)
{
    int problem = 0;
    if (who == FILTER_ON_CARD) {
        struct scmp_arg_cmp abroad = { 0, SCMP_CMP_NE, AF_UNIX, 0 };
        problem |=
            refuse_with(filter, "socket", abroad) | refuse_with(filter, "socketpair", abroad);
    } else {
        struct scmp_arg_cmp shared = { 3, SCMP_CMP_MASKED_EQ, MAP_TYPE | MAP_ANONYMOUS,
                                       MAP_SHARED | MAP_ANONYMOUS };
        problem |= refuse_with(filter, "mmap", shared);
    }
    /* A copy of oneself is a fork; what shares memory is a thread, or posix_spawn. */
    if (who != FILTER_COMPILER)
        problem |= refuse_with(filter, "clone",
                               (struct scmp_arg_cmp){ 0, SCMP_CMP_MASKED_EQ, CLONE_VM, 0 });
    if (who == FILTER_PROGRAM)
        problem |= keep_code(filter);
    return problem;
}

static int add_rules(scmp_filter_ctx filter, enum filter_for who)
{
    int problem = 0;
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
        if (number_of(refused[i]) >= 0 && !is_needed(refused[i], who))
            problem |= seccomp_rule_add(filter, SCMP_ACT_ERRNO(EPERM), number_of(refused[i]), 0);
    for (size_t i = 0; i < sizeof refused_with / sizeof *refused_with; i++) {
        struct scmp_arg_cmp when = { refused_with[i].argument, SCMP_CMP_MASKED_EQ,
                                     refused_with[i].mask, refused_with[i].value };
        problem |= refuse_with(filter, refused_with[i].name, when);
    }
    /* Its flags lie in memory, where no filter sees them: the C library goes on with clone. */
    problem |= seccomp_rule_add(filter, SCMP_ACT_ERRNO(ENOSYS), number_of("clone3"), 0);
    return problem | add_own_rules(filter, who);
}

int filter_new(enum filter_for who)
{
    scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ALLOW);
    int file = memfd_create("filter", MFD_CLOEXEC);
    int problem = !filter || file < 0 ? -ENOMEM : add_rules(filter, who);
    if (problem == 0)
        problem = seccomp_export_bpf(filter, file);
    if (filter)
        seccomp_release(filter);
    if (problem == 0)
        return file;
    if (file >= 0)
        close(file);
    errno = -problem;
    return -1;
}
