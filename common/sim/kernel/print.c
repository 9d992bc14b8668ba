/* SPDX-License-Identifier: MIT */
#include "sim/kernel/print.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/kernel/block.h"
#include "sim/kernel/kernel.h"
#include "trace/record/memory.h"

struct print {
    char *text;
    size_t used, capacity;
    struct piece {              /* of the text, up to the next one's; by number, rising */
        uint64_t number;        /* of the block that printed it */
        bool wrong;
        size_t from;
    } *pieces;
    size_t count, pieces_capacity;
    size_t shown;               /* pieces */
};

void print_keep(struct print **print)
{
    if (!*print) {
        *print = memory_resize(NULL, sizeof **print);
        **print = (struct print){ 0 };
    }
    (*print)->used = (*print)->count = (*print)->shown = 0;
}

static void begin_piece(struct print *p, bool wrong)
{
    if (p->count > 0 && p->pieces[p->count - 1].number == block->number
        && p->pieces[p->count - 1].wrong == wrong)
        return;
    p->pieces = memory_grow(p->pieces, p->count, &p->pieces_capacity, sizeof *p->pieces);
    p->pieces[p->count++] = (struct piece){ block->number, wrong, p->used };
}

static char *room_for(struct print *p, size_t bytes)
{
    if (p->capacity - p->used < bytes)
        p->text = memory_resize(p->text, p->capacity = 2 * (p->used + bytes));
    return p->text + p->used;
}

static int keep(struct print *p, bool wrong, const char *format, va_list arguments)
{
    va_list again;
    va_copy(again, arguments);
    int length = vsnprintf(NULL, 0, format, arguments);
    if (length >= 0) {
        begin_piece(p, wrong);
        vsnprintf(room_for(p, (size_t)length + 1), (size_t)length + 1, format, again);
        p->used += (size_t)length;
    }
    va_end(again);
    return length;
}

static void show_piece(struct print *p)
{
    const struct piece *piece = &p->pieces[p->shown++];
    size_t to = p->shown < p->count ? piece[1].from : p->used;
    fwrite(p->text + piece->from, 1, to - piece->from, piece->wrong ? stderr : stdout);
}

/* The one whose next piece comes first; NULL: none is left. */
static struct print *first_print(struct print *const *prints, unsigned count, uint64_t last)
{
    struct print *first = NULL;
    for (unsigned i = 0; i < count; i++)
        if (prints[i]->shown < prints[i]->count
            && prints[i]->pieces[prints[i]->shown].number <= last) {
            last = prints[i]->pieces[prints[i]->shown].number;
            first = prints[i];
        }
    return first;
}

void print_out(struct print *const *prints, unsigned count, uint64_t last)
{
    for (struct print *p; (p = first_print(prints, count, last));)
        show_piece(p);
}

void print_wrong(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    if (block->print)
        keep(block->print, true, format, arguments);
    else
        vfprintf(stderr, format, arguments);
    va_end(arguments);
}

/* ---- the C library's names ---- */

static int keep_bytes(struct print *p, const char *bytes, size_t count)
{
    begin_piece(p, false);
    memcpy(room_for(p, count), bytes, count);
    p->used += count;
    return 1;
}

/* A card hands over what was printed when the host waits, and no wait comes any more. */
static bool is_lost(void)
{
    return sim.leaving && kernel_runs();
}

int printf(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int length = is_lost()      ? vsnprintf(NULL, 0, format, arguments)
                 : block->print ? keep(block->print, false, format, arguments)
                                : vprintf(format, arguments);
    va_end(arguments);
    return length;
}

int puts(const char *text)
{
    if (is_lost())
        return 1;
    if (block->print)
        return keep_bytes(block->print, text, strlen(text)) + keep_bytes(block->print, "\n", 1);
    return fputs(text, stdout) == EOF ? EOF : fputc('\n', stdout);
}

int putchar(int c)
{
    char byte = (char)c;
    return is_lost() ? c : block->print ? keep_bytes(block->print, &byte, 1) : fputc(c, stdout);
}

/* A kernel's body is a lambda to the compiler: "void k(int)::<lambda()>". */
static int function_length(const char *function)
{
    const char *lambda = strstr(function, "::<lambda");
    return lambda ? (int)(lambda - function) : (int)strlen(function);
}

/* assert() calls it: defined here, it wins over the C library's. In a kernel it says where, as a
 * card does, and the device is lost; elsewhere it says and does what the C library's would. */
_Noreturn void __assert_fail(const char *assertion, const char *file, unsigned int line,
                             const char *function)
{
    if (kernel_runs()) {
        print_wrong("%s:%u: %.*s: block: [%u,%u,%u], thread: [%u,%u,%u] Assertion `%s` failed.\n",
                    file, line, function_length(function), function, blockIdx.x, blockIdx.y,
                    blockIdx.z, threadIdx.x, threadIdx.y, threadIdx.z, assertion);
        kernel_fail(cudaErrorAssert);
    }
    sim_lock();
    sim_unlock();
    fprintf(stderr, "%s: %s:%u: %s: Assertion `%s' failed.\n", program_invocation_short_name, file,
            line, function, assertion);
    abort();
}
