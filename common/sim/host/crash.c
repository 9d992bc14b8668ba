/* SPDX-License-Identifier: MIT */
/* Guards are left from other stacks: the C library's check of longjmp would not have it. */
#undef _FORTIFY_SOURCE
#include "sim/host/crash.h"

#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>
#include <unwind.h>

#include "sim/call_log.h"
#include "sim/host/arithmetic.h"
#include "sim/host/counters.h"
#include "sim/host/scheduler.h"
#include "sim/memory/residency.h"
#include "sim/real.h"
#include "sim/visible.h"

/* ---- guards ---- */

struct guard {
    sigjmp_buf back;
    uint64_t address;
};

static __thread struct guard *in_force;

bool guard_run(void (*run)(void *argument), void *argument, uint64_t *address)
{
    struct guard guard;
    if (sigsetjmp(guard.back, 1) != 0) {
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

static uintptr_t own_counter(const ucontext_t *u)
{
#if defined(__x86_64__)
    return (uintptr_t)u->uc_mcontext.gregs[REG_RIP];
#elif defined(__aarch64__)
    return (uintptr_t)u->uc_mcontext.pc;
#else
#error "where does this machine keep the program counter?"
#endif
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
    const unsigned char *after = (const unsigned char *)own_counter(u);
    return after[-2] == 0x0f && after[-1] == 0x05;
#else
    return ((const uint32_t *)own_counter(u))[-1] == 0xd4000001;
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
    uintptr_t pc = own_counter(u);
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

static void die(int number)
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
    die(number);
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
                           (const void *)(own_counter(u) + 1)))
        return;
    if (access && in_force) {
        in_force->address = (uint64_t)(uintptr_t)info->si_addr;
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
        die(number);
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

/* ---- checks of the program's own code ---- */

/* `caller`: the return address of what the program's code has called. */
static _Noreturn void stop(const char *reason, const void *caller)
{
    uint64_t counter[BLOCK_COUNTERS + CALLERS + 1] = { 0 };
    int count = counters_here(counter, BLOCK_COUNTERS), first = 0;
    while (first < count && counter[first] != (uint64_t)(uintptr_t)caller - 1)
        first++;
    const uint64_t *from = counter + (first < count ? first : 0);
    sim_lock();
    call_log_add(&(struct call){ .kind = CALL_CRASH,
                                 .status = SIGABRT,
                                 .message = call_string(reason),
                                 .src = from[0],
                                 .bytes = from[1],
                                 .dst_pitch = from[2],
                                 .src_pitch = from[3],
                                 .node = NO_NODE });
    sim_unlock();
    die(SIGABRT);
    abort();
}

/* What g++ hands over at each check of -fsanitize=bounds. */
struct checked_index {
    const char *file;
    uint32_t line, column;
    const struct checked_type *array, *index;
};

/* An integer that has a register's room is the value itself, a larger one lies there. */
static long long value_of(const struct checked_type *type, uintptr_t value)
{
    unsigned bits = 1u << (type->form >> 1), unused = 8 * sizeof value - bits;
    if (bits > 8 * sizeof value)
        return *(const long long *)value;
    return type->form & 1 ? (long long)(intptr_t)(value << unused) >> unused : (long long)value;
}

VISIBLE void __ubsan_handle_out_of_bounds(const struct checked_index *at, uintptr_t index)
{
    char reason[200];
    if (sim.kernel_now != NO_NODE)
        return;
    snprintf(reason, sizeof reason, "index %lld is outside the array, which is %s",
             value_of(at->index, index), at->array->name);
    fprintf(stderr, "%s:%u: %s\n", at->file, at->line, reason);
    if (call_log_is_authenticated())
        stop(reason, __builtin_return_address(0));
}

/* Where the arguments end that begin at the < of `at`. */
static const char *skip_arguments(const char *at)
{
    int depth = 0;
    for (; *at != '\0'; at++) {
        depth += (*at == '<') - (*at == '>');
        if (depth == 0)
            return at + 1;
    }
    return at;
}

/* The name of the function that __PRETTY_FUNCTION__ is `signature` of, without its class's
 * arguments: std::vector::operator[]. */
static void name_function(char *name, size_t size, const char *signature)
{
    static const char operator[] = "operator";
    size_t used = 0;
    name[0] = '\0';
    for (const char *at = signature; *at != '\0' && used + 1 < size;) {
        size_t word = strncmp(at, operator, sizeof operator - 1) == 0 ? sizeof operator - 1 : 0;
        if (word > 0) {         /* operator()(), operator<(), operator->() */
            word += at[word] != '\0' ? strcspn(at + word + 1, "(") + 1 : 0;
            used += (size_t)snprintf(name + used, size - used, "%.*s", (int)word, at);
            return;
        }
        if (*at == '<') {
            at = skip_arguments(at);
            continue;
        }
        if (*at == '(')
            return;
        if (*at == ' ' || *at == '&' || *at == '*')
            used = 0;           /* its type ends there */
        else
            name[used++] = *at;
        name[used] = '\0';
        at++;
    }
}

/* std::__glibcxx_assert_fail(), which a function of the library calls where its caller has not kept
 * to what it requires, with -D_GLIBCXX_ASSERTIONS. g++ 11 has none: it prints and calls abort(). */
_Noreturn VISIBLE void library_assertion_failed(const char *file, int line, const char *signature,
                                                const char *condition)
    __asm__("_ZSt21__glibcxx_assert_failPKciS0_S0_");

void library_assertion_failed(const char *file, int line, const char *signature,
                              const char *condition)
{
    char name[120], reason[300];
    fprintf(stderr, "%s:%d: %s: Assertion '%s' failed.\n", file, line, signature, condition);
    name_function(name, sizeof name, signature);
    snprintf(reason, sizeof reason, "%s() requires '%s', which does not hold", name, condition);
    if (call_log_is_authenticated())
        stop(reason, __builtin_return_address(0));
    abort();
}
