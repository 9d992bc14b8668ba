/* SPDX-License-Identifier: MIT */
#include "sim/crash/crash.h"

#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>
#include <unwind.h>

#include "sim/call_log.h"
#include "sim/crash/arithmetic.h"
#include "sim/host/counters.h"
#include "sim/host/scheduler.h"
#include "sim/memory/residency.h"
#include "sim/real.h"

/* ---- guards ---- */

struct guard {
    sigjmp_buf back;
    uint64_t address;
};

static __thread struct guard *in_force;

bool guard_run(void (*run)(void *argument), void *argument, uint64_t *address)
{
    struct guard guard;
    if (sigsetjmp(guard.back, 0) != 0) {
        *address = guard.address;
        in_force = NULL;
        return false;
    }
    in_force = &guard;
    run(argument);
    in_force = NULL;
    return true;
}

void guard_leave(uint64_t address)
{
    in_force->address = address;
    siglongjmp(in_force->back, 1);
}

/* ---- where in the program? ---- */

#define CALLERS 3
#define SPOILT_REACH 4096       /* a member of what a freed pointer led to */

struct walk { uint64_t caller[CALLERS]; int callers, frames; bool frees; };

/* Is that a counter in the C library's free() or realloc()? */
static bool gives_back(uintptr_t pc)
{
    uintptr_t function = (uintptr_t)_Unwind_FindEnclosingFunction((void *)pc);
    return function != 0 && (function == (uintptr_t)free || function == (uintptr_t)realloc);
}

/* Frames of our handler come first, then the signal's, then those that called
 * it: kept are the program's own, from the innermost. */
static _Unwind_Reason_Code keep_frame(struct _Unwind_Context *frame, void *argument)
{
    struct walk *walk = argument;
    int before;
    uintptr_t pc = _Unwind_GetIPInfo(frame, &before);
    if (walk->frames > 0) {
        if (counter_in_program(pc))
            walk->caller[walk->callers++] = before ? pc : pc - 1;
        else if (walk->callers == 0)
            walk->frees = walk->frees || gives_back(pc - 1);
        if (walk->callers == CALLERS)
            return _URC_END_OF_STACK;
    } else if (before) {
        walk->frames = 1;               /* the interrupted frame itself is the caller's affair */
    }
    return _URC_NO_REASON;
}

/* Was the access that failed a store? x86-64 says so in bit 1 of the page fault's error code,
 * aarch64 in bit 6 of its syndrome register. */
static bool was_write(const ucontext_t *u)
{
#if defined(__x86_64__)
    return u->uc_mcontext.gregs[REG_ERR] & 2;
#else
    const struct _aarch64_ctx *at = (const struct _aarch64_ctx *)u->uc_mcontext.__reserved;
    while (at->magic != 0 && at->magic != ESR_MAGIC)
        at = (const struct _aarch64_ctx *)((const char *)at + at->size);
    return at->magic == 0 || (((const struct esr_context *)at)->esr & 1 << 6);
#endif
}

/* Does a call of the operating system come back to there? */
static bool in_system(const ucontext_t *u)
{
#if defined(__x86_64__)
    const unsigned char *after = (const unsigned char *)counter_interrupted(u);
    return after[-2] == 0x0f && after[-1] == 0x05;
#else
    return ((const uint32_t *)counter_interrupted(u))[-1] == 0xd4000001;
#endif
}

/* An address that no processor can have is not told, but where it came from is in a register yet: a
 * pointer that was read in freed memory. */
static uint64_t spoilt_pointer(const ucontext_t *u, uint64_t address)
{
#if defined(__x86_64__)
    for (int i = 0; address == 0 && i < REG_RIP; i++)
        if ((uint64_t)u->uc_mcontext.gregs[i] - SPOILT_POINTER < SPOILT_REACH)
            return (uint64_t)u->uc_mcontext.gregs[i];
#else
    (void)u;
#endif
    return address;
}

/* Where the program was, and from where it had got there: the simulator's functions are the
 * program's, too. */
static void find_counters(const ucontext_t *u, struct call *c)
{
    uintptr_t pc = counter_interrupted(u);
    struct walk walk = { .frees = gives_back(pc) };
    _Unwind_Backtrace(keep_frame, &walk);
    c->flags = walk.frees ? CRASH_IN_FREE : 0;
    c->src = counter_in_program(pc) || walk.callers == 0 ? pc : walk.caller[0];
    c->bytes = walk.caller[0];
    c->dst_pitch = walk.caller[1];
    c->src_pitch = walk.caller[2];
}

/* ---- handlers ---- */

static int postponed;           /* the signal that came while the log was being written */
static struct call last_words;

void crash_die(int number)
{
    signal(number, SIG_DFL);
    sigset_t just;
    sigemptyset(&just);
    sigaddset(&just, number);
    sigprocmask(SIG_UNBLOCK, &just, NULL);
    raise(number);
}

static void say_and_die(void)
{
    int number = postponed;
    call_log_postponed = NULL;
    call_log_last_words(&last_words);
    crash_die(number);
}

/* The signal that ends the program comes to any of its threads: where it stands says the one whose
 * turn it is. */
static bool passed_on(void)
{
    static bool passed;
    int to = scheduler_running();
    if (passed || to == 0 || to == (int)real()->syscall(SYS_gettid))
        return false;
    passed = true;
    return real()->syscall(SYS_tgkill, getpid(), to, SIGTERM) == 0;
}

static void crashed(int number, siginfo_t *info, void *context)
{
    bool access = number == SIGSEGV || number == SIGBUS;
    if (number == SIGTERM && passed_on())
        return;
    ucontext_t *u = context;
    if (number == SIGFPE && in_force && arithmetic_pass_division(u))
        return;
    if (number == SIGSEGV
        && residency_fault((uintptr_t)info->si_addr, was_write(u),
                           (const void *)(counter_interrupted(u) + 1)))
        return;
    if (access && in_force) {
        in_force->address = (uint64_t)(uintptr_t)info->si_addr;
        sigprocmask(SIG_SETMASK, &u->uc_sigmask, NULL);     /* as it was before the signal */
        siglongjmp(in_force->back, 1);
    }
    const struct thread *thread = thread_self();
    last_words = (struct call){
        .kind = CALL_CRASH, .thread = thread->number, .status = number, .node = NO_NODE
    };
    find_counters(u, &last_words);
    if (access)
        last_words.dst = spoilt_pointer(u, (uint64_t)(uintptr_t)info->si_addr);
    if (thread->in_function && thread->function < sim.timeline.span_count)
        last_words.rows = sim.timeline.calls[sim.timeline.spans[thread->function].call].line;
    if (number == SIGTERM && in_system(u))
        last_words.flags |= CRASH_IN_SYSTEM;
    /* Inside a call of the runtime the program stands where it made the call. */
    if (thread->in_call && !sim.in_effect && thread->site.file && sim.timeline.call_count > 0) {
        const struct call *latest = &sim.timeline.calls[sim.timeline.call_count - 1];
        last_words.file = latest->file;
        last_words.line = latest->line;
        last_words.name = latest->name;
    }
    if (call_log_last_words(&last_words)) {
        crash_die(number);
        return;
    }
    postponed = number;
    call_log_postponed = say_and_die;
}

static void watch_thread(void)
{
    const size_t size = 64 << 10;
    stack_t stack = { .ss_size = size };
    stack.ss_sp = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (stack.ss_sp != MAP_FAILED)
        sigaltstack(&stack, NULL);
}

void crash_begin(void)
{
    static const int numbers[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTERM };
    struct sigaction action = { .sa_sigaction = crashed, .sa_flags = SA_SIGINFO | SA_ONSTACK };
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        sigaction(numbers[i], &action, NULL);
    thread_arrives = watch_thread;
}
