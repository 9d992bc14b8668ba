/* SPDX-License-Identifier: MIT */
#include "sim/crash/crash.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/call_log.h"
#include "sim/crash/arithmetic.h"
#include "sim/host/counters.h"
#include "sim/host/scheduler.h"
#include "sim/visible.h"

enum { PLACES = 4 }; /* of the calls that led there, as many as a struct call has room for */

/* `caller`: the return address of what the program's code has called. */
static _Noreturn void stop(const char *reason, const void *caller)
{
    uint64_t counter[BLOCK_COUNTERS + PLACES] = { 0 };
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
    crash_die(SIGABRT);
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
