/* SPDX-License-Identifier: MIT */
#include "grader/judge/termination/stray.h"

#include <stdio.h>
#include <string.h>

#include "grader/base/text.h"
#include "trace/record/memory.h"

#define NEAR (64u << 10)        /* an access that many bytes past the end of memory is taken for an index past it */

struct location { char text[400]; };

/* "cudaMalloc in line 12", "cudaMalloc in driver.cu:93". */
static struct location location_of(const struct timeline *log, const struct call *c,
                                   const char *path)
{
    struct location location;
    const char *file = timeline_string(log, c->file), *slash = strrchr(file, '/'),
               *name = timeline_string(log, c->name);
    char *clean[] = { text_harmless(name, strlen(name)),
                      text_harmless(slash ? slash + 1 : file, strlen(slash ? slash + 1 : file)) };
    if (strcmp(file, path) == 0)
        snprintf(location.text, sizeof location.text, "%.120s in line %u", clean[0], c->line);
    else
        snprintf(location.text, sizeof location.text, "%.120s in %.200s:%u", clean[0], clean[1],
                 c->line);
    memory_resize(clean[0], 0);
    memory_resize(clean[1], 0);
    return location;
}

/* The memory that begins next after the address and is still there; NULL: none. */
static const struct call *next_memory(const struct timeline *log, uint64_t address)
{
    const struct call *next = NULL;
    for (size_t i = 0; i < log->call_count; i++) {
        const struct call *c = &log->calls[i];
        if (c->status == 0 && c->kind == CALL_MALLOC && c->dst > address && c->line != 0
            && (!next || c->dst <= next->dst))
            next = c;
        else if (c->status == 0 && c->kind == CALL_FREE && next && c->dst == next->dst)
            next = NULL;
    }
    return next;
}

bool stray_say(char *text, size_t size, const struct timeline *log, uint64_t address,
               const char *path)
{
    const struct call *made = NULL, *freed = NULL, *next = next_memory(log, address);
    for (size_t i = 0; i < log->call_count; i++) {
        const struct call *c = &log->calls[i];
        if (c->status != 0 || c->dst == 0)
            continue;
        if (c->kind == CALL_MALLOC && address >= c->dst && address - c->dst < c->bytes + NEAR
            && (!made || c->dst >= made->dst)) {
            made = c;
            freed = NULL;
        } else if (c->kind == CALL_FREE && made && c->dst == made->dst) {
            freed = c;
        }
    }
    /* Inside `made`, or nearer to its end, the access belongs to that. */
    bool belongs = next && made
                   && (address - made->dst < made->bytes
                       || address - made->dst - made->bytes <= next->dst - address);
    if (next && !belongs && next->dst - address < NEAR) {
        snprintf(text, size,
                 "That is %llu bytes before the memory of %s. Is an index there below 0?",
                 (unsigned long long)(next->dst - address), location_of(log, next, path).text);
        return true;
    }
    if (!made || made->line == 0)
        return false;
    uint64_t at = address - made->dst;
    struct location maker = location_of(log, made, path);
    if (freed && at < made->bytes)
        snprintf(text, size,
                 "That is memory of %s, and %s has given it back. Use it before that, or give it back later.",
                 maker.text, location_of(log, freed, path).text);
    else if (!freed && at >= made->bytes)
        snprintf(text, size,
                 "That is %llu bytes past the end of the %llu bytes of %s. Are its bytes counted right there, and is the index in "
                 "range here?",
                 (unsigned long long)(at - made->bytes), (unsigned long long)made->bytes,
                 maker.text);
    else if (!freed && made->dst_kind == MEM_DEVICE)
        snprintf(text, size,
                 "That is device memory (%s), which the host cannot touch. Copy it first, with cudaMemcpy().",
                 maker.text);
    else
        return false;
    return true;
}

#define HEADER (2 * sizeof(size_t))     /* bytes before its memory in which the C library keeps what free() reads */

void stray_say_free(char *text, size_t size, const struct timeline *log, uint64_t address,
                    const char *path)
{
    static const char *const answers[][2] = {
        { "cudaMallocAsync", "cudaFreeAsync()" }, { "cudaMallocFromPoolAsync", "cudaFreeAsync()" },
        { "cudaMallocHost", "cudaFreeHost()" }, { "cudaHostAlloc", "cudaFreeHost()" },
        { "", "cudaFree()" },
    };
    const struct call *made = next_memory(log, address);
    if (!made || made->dst - address > HEADER) {
        snprintf(text, size,
                 "free(), realloc() or delete was given an address that malloc() and new have not returned, or one that was given "
                 "back already.");
        return;
    }
    size_t i = 0;
    while (strncmp(timeline_string(log, made->name), answers[i][0], strlen(answers[i][0])) != 0)
        i++;
    snprintf(text, size,
             "free(), realloc() and delete take what malloc() and new have returned, and this is memory of %s. %s gives it back.",
             location_of(log, made, path).text, answers[i][1]);
}
