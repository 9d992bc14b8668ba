/* SPDX-License-Identifier: MIT */
/* rewriting.h - what the rewriter makes of a text, asserted. */
#ifndef TESTS_SIMCC_REWRITING_H
#define TESTS_SIMCC_REWRITING_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "simcc/rewrite/rewrite.h"

#define SITE "(::sim_at(__builtin_FILE(),__builtin_LINE()),"
#define UNREAD "(::sim_unread(__builtin_FILE(),__builtin_LINE()),"
#define HALF_READ "(::sim_half_read(__builtin_FILE(),__builtin_LINE()),"
#define DECLARED "int cudaFree(void *p); int cudaLaunchKernel(); int host_work(long n); int cudaStreamQuery(void *s); int cudaDeviceSynchronize(void); int cudaGetLastError(void);\n"
#define HEADER "# 1 \"/home/me/include/cuda_runtime_api.h\" 1 3\n" DECLARED \
               "# 1 \"x.cu\" 2\n"
#define HEADER_AFTER "# 1 \"cuda_runtime_api.h\" 1 3\n" DECLARED "# 1 \"x.cu\" 2\n"

static const char *const own[] = { "/home/me/include/", NULL };

/* What a kernel of these parameters says of itself, with the arguments of its template. */
#define NAMES_ITSELF(parameters, k) "(void)&::__sim::__known<void(*)(" parameters ")," k ">::__is;"

static inline void becomes_with(bool one_core, const char *before, const char *after)
{
    size_t length;
    char *refused, *text = rewrite(before, strlen(before), own, "",
                                   (struct rewrite_how){ .one_core = one_core }, &length, &refused);
    assert_string_equal(text, after);
    assert_int_equal(length, strlen(after));
    assert_null(refused);
    free(text);
}

/* x.cu, after the header, has this wrong with it ("": nothing). */
static inline void is_refused_with(bool judged, const char *program, const char *why)
{
    size_t length;
    char text[1024], *refused;
    snprintf(text, sizeof text, HEADER "%s", program);
    free(rewrite(text, strlen(text), own, "", (struct rewrite_how){ .judged = judged }, &length,
                 &refused));
    assert_string_equal(refused ? refused : "", why);
    free(refused);
}

static inline void is_refused(const char *program, const char *why)
{
    is_refused_with(false, program, why);
}

static inline void becomes(const char *before, const char *after)
{
    becomes_with(false, before, after);
}

/* After the header that declares what a call of the runtime is. */
static inline void becomes_in_program(const char *before, const char *after)
{
    char a[1024], b[1024];
    snprintf(a, sizeof a, HEADER "%s", before);
    snprintf(b, sizeof b, HEADER_AFTER "%s", after);
    becomes(a, b);
}

static inline void unchanged(const char *text)
{
    becomes(text, text);
}

#endif
