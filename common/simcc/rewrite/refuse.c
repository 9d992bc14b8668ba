/* SPDX-License-Identifier: MIT */
/*
 * DESIGN
 * What runs on the device is what stands in a kernel or in a function that is
 * __device__ and not __host__, too. g++ would take anything there. nvcc does
 * not: few calls of the runtime, little of C's library, none of the standard
 * library's containers. A name is refused only where it can be nothing else.
 * Functions of the program: space/space.h.
 */
#include "simcc/rewrite/edit.h"

#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "simcc/rewrite/declaration.h"
#include "trace/record/memory.h"

/* ---- an error, at its line ---- */

void refuse(struct rewriter *r, size_t token, const char *format, ...)
{
    struct marker marker;
    long line = token_place(&r->tokens, token, &marker);
    char *sentence, *whole, path[PATH_MAX];
    marker_path(&marker, path, sizeof path);
    va_list arguments;
    va_start(arguments, format);
    int length = vasprintf(&sentence, format, arguments);
    va_end(arguments);
    if (length < 0 || asprintf(&whole, "%s:%ld: error: %s\n", path, line, sentence) < 0)
        abort();
    size_t more = strlen(whole);
    bool known = r->refused.at && strstr(r->refused.at, whole);
    if (!known) {
        r->refused.at = memory_resize(r->refused.at, r->refused.length + more + 1);
        memcpy(r->refused.at + r->refused.length, whole, more + 1);
        r->refused.length += more;
    }
    free(sentence);
    free(whole);
}

/* ---- where the device's code is ---- */

bool is_in_device_code(const struct rewriter *r, size_t token)
{
    return token > r->device_from && token < r->device_until;
}

void refuse_from_word(struct rewriter *r, size_t word)
{
    const struct tokens *t = &r->tokens;
    struct device_function f = device_function(t, word);
    if (f.open == t->count)
        return;
    if (token_is_name(t, f.open - 1))
        learn_name(r, &r->device_functions, f.open - 1);
    if (is_in_device_code(r, word) || f.for_host || f.body == t->count)
        return;
    r->device_from = word;
    r->device_until = token_close(t, f.body);
}

/* ---- names ---- */

static bool is_in(const struct tokens *t, size_t token, const char *const *list)
{
    for (; *list; list++)
        if (token_is(t, token, *list))
            return true;
    return false;
}

/* Functions of C's library that a GPU has not, as far as programs call them there. */
static const char *const host_library[] = {
    "rand", "srand", "random", "drand48", "puts", "fopen", "fclose", "fprintf", "fputs", "fflush",
    "fread", "fwrite", "scanf",
    "sprintf", "snprintf", "exit", "getenv", "system", "sleep", "usleep", "gettimeofday",
    "clock_gettime", "qsort", "strlen", "strcmp",
    "realloc", "calloc", NULL
};

static const char *const host_classes[] = {
    "string", "to_string", "vector", "map", "set", "unordered_map", "unordered_set", "list",
    "deque", "queue", "stack", "cout", "cerr",
    "endl", "ostringstream", "stringstream", "thread", "mutex", "lock_guard", "shared_ptr",
    "unique_ptr", "make_shared", "make_unique",
    "sort", "random_device", "mt19937", "function", NULL
};

/* Has the device's function a parameter or a variable of this name? Then it stands there without a
 * call. */
static bool is_its_own(const struct rewriter *r, size_t name)
{
    const struct tokens *t = &r->tokens;
    char spelling[128];
    snprintf(spelling, sizeof spelling, "%.*s", (int)t->list[name].length,
             t->text + start_of(r, name));
    for (size_t i = r->device_from; i < name; i++)
        if (token_is(t, i, spelling) && !token_is(t, i + 1, "("))
            return true;
    return false;
}

void refuse_name(struct rewriter *r, size_t name)
{
    const struct tokens *t = &r->tokens;
    bool called = token_is(t, name + 1, "(");
    if (!is_in_device_code(r, name))
        return;
    const char *spelling = t->text + start_of(r, name);
    int length = (int)t->list[name].length;
    size_t last = token_before(t, name);
    if (token_is(t, name, "throw") || token_is(t, name, "try"))
        refuse(r, name, "%.*s is for host code, and this is device code, which has no exceptions",
               length, spelling);
    if (token_is(t, last, "::") && token_is(t, last - 1, "std") && is_in(t, name, host_classes))
        refuse(
            r, name,
            "std::%.*s is host code, and this is device code: nvcc refuses it, and so does simcc",
            length, spelling);
    if (!called || token_is(t, last, ".") || token_is(t, last, "->") || token_is(t, last, "::")
        || token_is_name(t, last) || is_one_of(r, &r->device_functions, name)
        || is_its_own(r, name))
        return;
    if (is_in(t, name, host_library))
        refuse(
            r, name,
            "%.*s is a host function, and this is device code, which can call only __device__ functions",
            length, spelling);
}

void refuse_result(struct rewriter *r, size_t word, size_t name)
{
    static const char *const results[] = { "bool",   "char",     "short",  "int",
                                           "long",   "unsigned", "signed", "float",
                                           "double", "size_t",   NULL };
    const struct tokens *t = &r->tokens;
    for (size_t i = word + 1; i < name; i++)
        if (token_is(t, i, "("))
            i = token_close(t, i);
        else if (token_is(t, i, "<"))
            return;                     /* typename std::enable_if<…>::type may be void */
        else if (is_in(t, i, results))
            refuse(r, name, "a kernel must return void");
}
