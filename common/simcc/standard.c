/* SPDX-License-Identifier: MIT */
#include "simcc/standard.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "simcc/inputs.h"
#include "simcc/rewrite/space/space.h"
#include "trace/record/memory.h"

bool standard_may_matter(const char *source, const struct bytes *messages)
{
    static const char *const words[] = { "requires", "concept", "consteval", "constinit", "<=>" };
    bool may = memmem(messages->at, messages->count, "std", 3);
    for (size_t i = 0; i < sizeof words / sizeof *words && !may; i++)
        may = file_says(source, words[i]);
    return may && memmem(messages->at, messages->count, "error: ", 7);
}

static const char *const standards[] = { "-std=c++11", "-std=c++14", "-std=c++17", "-std=c++20" };
enum {
    STANDARDS = sizeof standards / sizeof *standards,
    BY_DEFAULT = 2,
    YEAR = sizeof "-std=c++" - 1
};

/* The one that the options ask for; STANDARDS: one that is not here. */
static size_t standard_of(const struct words *options)
{
    size_t found = BY_DEFAULT;
    for (size_t i = 0; i < options->count; i++) {
        if (strncmp(options->list[i], "-std=", 5) != 0)
            continue;
        for (found = 0; found < STANDARDS && strcmp(standards[found], options->list[i]) != 0;
             found++)
            ;
    }
    return found;
}

const char *standard_after(const struct words *options, const char *than)
{
    size_t next = standard_of(options) + 1;
    while (than && next < STANDARDS && strcmp(standards[next - 1], than) != 0)
        next++;
    next = next < BY_DEFAULT ? BY_DEFAULT : next;
    return next < STANDARDS ? standards[next] : NULL;
}

/* The next line from *at on that is an error with a place; *place: how much of it, "FILE:LINE:
 * error: ", says where. */
static const char *next_error(const char **at, const char *end, size_t *place)
{
    static const char word[] = ": error: ";
    while (*at < end) {
        const char *line = *at, *line_end = memchr(line, '\n', (size_t)(end - line));
        line_end = line_end ? line_end : end;
        *at = line_end < end ? line_end + 1 : end;
        const char *found = memmem(line, (size_t)(line_end - line), word, sizeof word - 1);
        if (!found || found == line || !isdigit((unsigned char)found[-1]))
            continue;
        *place = (size_t)(found - line) + sizeof word - 1;
        return line;
    }
    return NULL;
}

static bool has_error_there(const struct bytes *messages, const char *place, size_t length)
{
    const char *at = messages->at, *end = at + messages->count;
    size_t size;
    for (const char *line; (line = next_error(&at, end, &size));)
        if (size == length && memcmp(line, place, length) == 0)
            return true;
    return false;
}

bool standard_tell(const struct words *options, const char *newer, struct bytes *messages,
                   const struct bytes *with_newer)
{
    struct bytes plain = { .at = messages_plain(messages->at, messages->count) }, whole = { 0 };
    plain.count = strlen(plain.at);
    const char *at = with_newer->at, *end = at + with_newer->count, *gone = NULL;
    size_t place, gone_place = 0;
    bool fewer = true;
    for (const char *line; (line = next_error(&at, end, &place));)
        fewer &= has_error_there(&plain, line, place);
    at = plain.at, end = at + plain.count;
    while (fewer && !gone && (gone = next_error(&at, end, &gone_place)))
        if (has_error_there(with_newer, gone, gone_place))
            gone = NULL;
    char *note = NULL;
    int length =
        !gone
            ? -1
            : asprintf(&note,
                       "%.*s: note: this needs C++%s, and the file is compiled as C++%s: compile with %s, or in a lesson write \"// build: %s\" "
                       "among the file's first ten lines\n",
                       (int)(gone_place - strlen(": error: ")), gone, newer + YEAR,
                       standards[standard_of(options)] + YEAR, newer, newer);
    if (length >= 0) {
        bytes_add(&whole, plain.at, (size_t)(at - plain.at));
        bytes_add(&whole, note, (size_t)length);
        bytes_add(&whole, at, (size_t)(end - at));
        free(note);
        memory_resize(messages->at, 0);
        *messages = whole;
    }
    memory_resize(plain.at, 0);
    return length >= 0;
}

/* ---- a header that comes too late ---- */

static bool has(const char *line, size_t length, const char *word)
{
    return memmem(line, length, word, strlen(word)) != NULL;
}

/* "x.cu:7: error: cannot convert 'CUresult' ... to 'cudaError_t' ..." */
static bool is_late(const char *line, size_t length)
{
    return has(line, length, "error: ") && has(line, length, "cannot convert")
           && has(line, length, "CUresult") && has(line, length, "cudaError_t");
}

/* The note goes after the line, and begins with the same place. */
static void add_note(struct bytes *whole, const char *line, size_t length)
{
    char text[1024];
    char *plain = messages_plain(line, length);
    const char *error = strstr(plain, "error: ");
    int n = snprintf(text, sizeof text,
                     "%.*snote: CHECK takes what the driver API returns only where <cuda.h> comes before lesson.h or streams.h. Move "
                     "#include <cuda.h> above that\n",
                     error ? (int)(error - plain) : 0, plain);
    memory_resize(plain, 0);
    if (n > 0 && n < (int)sizeof text)
        bytes_add(whole, text, (size_t)n);
}

void late_header_tell(struct bytes *messages)
{
    const char *at = messages->at, *end = at + messages->count;
    if (!has(at, messages->count, "streams_check("))
        return;
    while (at < end) {
        const char *line = at, *newline = memchr(at, '\n', (size_t)(end - at));
        at = newline ? newline + 1 : end;
        if (!newline || !is_late(line, (size_t)(newline - line)))
            continue;
        struct bytes whole = { 0 };
        bytes_add(&whole, messages->at, (size_t)(at - messages->at));
        add_note(&whole, line, (size_t)(newline - line));
        bytes_add(&whole, at, (size_t)(end - at));
        memory_resize(messages->at, 0);
        *messages = whole;
        return;
    }
}
