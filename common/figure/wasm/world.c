/* SPDX-License-Identifier: MIT */
/*
 * world.c - what the timeline, the model and the drawing ask of the world,
 * where that is a page: memory from WebAssembly, text into memory.
 *
 * DESIGN
 * Blocks are powers of two with their size in front, so that one that is freed
 * fits the next of its size: a list of free ones for each. Lists double as they
 * grow, and nothing is given back to the page.
 */
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trace/record/memory.h"

/* ---- memory ---- */

enum { SMALLEST = 5, KINDS = 32, PAGE = 65536 };

struct header {
    size_t kind, padding;
    struct header *next;
};   /* `next` lies in the block's own bytes */
enum { HEADER = offsetof(struct header, next) };

static struct header *spare[KINDS];
extern unsigned char __heap_base;
static uintptr_t top;

/* Never used bytes, from the end of what there is. */
static struct header *fresh(size_t kind)
{
    if (top == 0)
        top = ((uintptr_t)&__heap_base + 15) & ~(uintptr_t)15;
    uintptr_t block = top;
    uintptr_t end = (uintptr_t)__builtin_wasm_memory_size(0) * PAGE;
    if (UINTPTR_MAX - block < (size_t)1 << kind)
        __builtin_trap();
    top += (size_t)1 << kind;
    if (top > end && __builtin_wasm_memory_grow(0, (top - end + PAGE - 1) / PAGE) == SIZE_MAX)
        __builtin_trap();
    return (struct header *)block;
}

static struct header *of(void *block)
{
    return (struct header *)((char *)block - HEADER);
}

void free(void *block)
{
    if (!block)
        return;
    struct header *h = of(block);
    h->next = spare[h->kind];
    spare[h->kind] = h;
}

void *memory_resize(void *block, size_t size)
{
    if (size == 0) {
        free(block);
        return NULL;
    }
    size_t kind = SMALLEST;
    while (kind < KINDS - 1 && ((size_t)1 << kind) - HEADER < size)
        kind++;
    if (((size_t)1 << kind) - HEADER < size)
        __builtin_trap();
    if (block && of(block)->kind >= kind)
        return block;
    struct header *h = spare[kind];
    if (h)
        spare[kind] = h->next;
    else
        h = fresh(kind);
    h->kind = kind;
    char *bytes = (char *)h + HEADER;
    if (block) {
        memcpy(bytes, block, ((size_t)1 << of(block)->kind) - HEADER);
        free(block);
    }
    return bytes;
}

void *memcpy(void *to, const void *from, size_t count)
{
    for (size_t i = 0; i < count; i++)
        ((char *)to)[i] = ((const char *)from)[i];
    return to;
}

void *memset(void *block, int byte, size_t count)
{
    for (size_t i = 0; i < count; i++)
        ((char *)block)[i] = (char)byte;
    return block;
}

void memory_copy(void *to, const void *from, size_t bytes) { memcpy(to, from, bytes); }
void memory_zero(void *block, size_t bytes) { memset(block, 0, bytes); }

/* ---- strings, order ---- */

size_t strlen(const char *text)
{
    size_t length = 0;
    while (text[length])
        length++;
    return length;
}

int strcmp(const char *a, const char *b)
{
    while (*a && *a == *b)
        a++, b++;
    return (unsigned char)*a - (unsigned char)*b;
}

static void swap(char *a, char *b, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        char c = a[i];
        a[i] = b[i];
        b[i] = c;
    }
}

/* A heap's: no room of its own, no bad cases. */
void qsort(void *list, size_t count, size_t size, int (*compare)(const void *, const void *))
{
    char *item = list;
    for (size_t begin = count / 2, end = count; end > 1;) {
        if (begin > 0) {
            begin--;
        } else {
            end--;
            swap(item, item + end * size, size);
        }
        for (size_t at = begin, below; (below = 2 * at + 1) < end; at = below) {
            if (below + 1 < end && compare(item + below * size, item + (below + 1) * size) < 0)
                below++;
            if (compare(item + at * size, item + below * size) >= 0)
                break;
            swap(item + at * size, item + below * size, size);
        }
    }
}

/* ---- text ---- */

struct world_file {
    char *text;                 /* zero-terminated */
    size_t length, capacity;    /* capacity counts the zero */
    bool fixed;                 /* a caller's array: what does not fit is counted, not kept */
    char **given_text;
    size_t *given_length;
};

int fputc(int c, FILE *file)
{
    if (!file->fixed)
        MEMORY_GROW(file->text, file->length + 1, file->capacity);
    if (file->length + 1 < file->capacity) {
        file->text[file->length] = (char)c;
        file->text[file->length + 1] = '\0';
    }
    file->length++;
    return (unsigned char)c;
}

int fputs(const char *text, FILE *file)
{
    for (; *text; text++)
        fputc(*text, file);
    return 0;
}

FILE *open_memstream(char **text, size_t *length)
{
    FILE *file = memory_resize(NULL, sizeof *file);
    *file = (FILE){ .given_text = text, .given_length = length };
    MEMORY_GROW(file->text, 0, file->capacity);
    file->text[0] = '\0';
    return file;
}

int fclose(FILE *file)
{
    *file->given_text = file->text;
    *file->given_length = file->length;
    free(file);
    return 0;
}

static void put_number(FILE *file, unsigned long long number, bool negative, unsigned base,
                       int width, bool zeros)
{
    char digits[24];
    int count = 0;
    do
        digits[count++] = "0123456789abcdef"[number % base];
    while ((number /= base) > 0);
    int pad = width - count - negative;
    for (; !zeros && pad > 0; pad--)
        fputc(' ', file);
    if (negative)
        fputc('-', file);
    for (; pad > 0; pad--)
        fputc('0', file);
    while (count > 0)
        fputc(digits[--count], file);
}

static void put(FILE *file, const char *format, va_list list)
{
    for (; *format; format++) {
        if (*format != '%') {
            fputc(*format, file);
            continue;
        }
        bool zeros = *++format == '0';
        int width = 0, wide = 0;
        for (; *format >= '0' && *format <= '9'; format++)
            width = 10 * width + (*format - '0');
        if (*format == '*') {
            width = va_arg(list, int);
            format++;
        }
        for (; *format == 'l' || *format == 'z'; format++)
            wide += *format == 'l';
        switch (*format) {
        case '%': fputc('%', file); break;
        case 'c': fputc(va_arg(list, int), file); break;
        case 's': fputs(va_arg(list, const char *), file); break;
        case 'd': {
            long long number = wide == 2 ? va_arg(list, long long) : va_arg(list, int);
            put_number(file,
                       number < 0 ? 0 - (unsigned long long)number : (unsigned long long)number,
                       number < 0, 10, width, zeros);
            break;
        }
        case 'u': case 'x':
            put_number(file, wide == 2 ? va_arg(list, unsigned long long) : va_arg(list, unsigned),
                       false, *format == 'x' ? 16 : 10, width, zeros);
            break;
        default: __builtin_trap();
        }
    }
}

int fprintf(FILE *file, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    put(file, format, list);
    va_end(list);
    return 0;
}

int snprintf(char *out, size_t size, const char *format, ...)
{
    FILE file = { .text = out, .capacity = size, .fixed = true };
    if (size > 0)
        out[0] = '\0';
    va_list list;
    va_start(list, format);
    put(&file, format, list);
    va_end(list);
    return (int)file.length;
}
