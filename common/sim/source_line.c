/* SPDX-License-Identifier: MIT */
#include "sim/source_line.h"

#include <elf.h>
#include <execinfo.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sim/call_log.h"
#include "sim/program_symbols.h"
#include "trace/record/memory.h"

__thread bool source_frames_wanted;

/* Without the folder that the program runs in, as file names are given to compilers. */
static const char *shortened(const char *file)
{
    char here[4096];
    size_t length = getcwd(here, sizeof here) ? strlen(here) : 0;
    if (file[0] == '.' && file[1] == '/')
        return file + 2;
    return length > 1 && strncmp(file, here, length) == 0 && file[length] == '/' ? file + length + 1
                                                                                 : file;
}

/* "FILE:LINE" or "FILE:LINE (discriminator 3)". */
static bool split(char *text, uint32_t *file, uint32_t *line)
{
    char *colon = strrchr(text, ':');
    if (!colon || text[0] == '?' || atoi(colon + 1) <= 0)
        return false;
    *colon = '\0';
    *file = call_string(shortened(text));
    *line = (uint32_t)atoi(colon + 1);
    return true;
}

/* Is it a file that the program's author has not written? The simulator's headers come with their
 * folder, or without. */
static bool foreign(const char *file)
{
    const char *slash = strrchr(file, '/'), *name = slash ? slash + 1 : file;
    return strncmp(file, "/usr/", 5) == 0 || strstr(file, "common/sim/")
           || strncmp(name, "sim_", 4) == 0 || file[0] == '?';
}

/* Of the program itself: of a library's functions addr2line would know nothing. */
static bool is_in_program(const void *pc)
{
    extern char begin[] __asm__("__executable_start"), end[] __asm__("etext");
    return (uintptr_t)pc >= (uintptr_t)begin && (uintptr_t)pc <= (uintptr_t)end;
}

static bool resolve(void *const *pcs, size_t count, uint32_t *file, uint32_t *line)
{
    char command[1024], text[4096];
    int head = snprintf(command, sizeof command, "addr2line -i -e /proc/%d/exe", (int)getpid()),
        used = head;
    for (size_t i = 0; i < count; i++)
        if (is_in_program(pcs[i]))
            used += snprintf(command + used, sizeof command - (size_t)used, " %#lx",
                             (unsigned long)(uintptr_t)pcs[i] - 1);
    if (used == head)
        return false;
    snprintf(command + used, sizeof command - (size_t)used, " 2> /dev/null");
    FILE *in = popen(command, "re");
    bool found = false;
    while (in && fgets(text, sizeof text, in))
        if (!found && !foreign(text))
            found = split(text, file, line);
    if (in)
        pclose(in);
    return found;
}

/* ---- functions of the C++ library's headers ---- */

/* By address. Those of templates and inline functions that the compiler has not inlined. */
static struct library { uintptr_t from, to; } *functions;
static size_t function_count, function_capacity;

/* _ZNSt6vectorI...: std's, _ZNKSs...: what has a short name of its own, _ZSt4copyI...: functions.
 */
static bool is_of_library(const char *name)
{
    if (strncmp(name, "_Z", 2) != 0)
        return false;
    name += 2;
    name += strspn(name, "Z");
    name += *name == 'N';
    name += strspn(name, "rVKRO");
    return (name[0] == 'S' && name[1] != '\0' && strchr("tabsiod", name[1]))
           || strncmp(name, "9__gnu_cxx", 10) == 0;
}

static void add_function(const ElfW(Sym) *s, const char *name)
{
    if (ELF64_ST_TYPE(s->st_info) != STT_FUNC || s->st_size == 0 || !is_of_library(name))
        return;
    functions = memory_grow(functions, function_count, &function_capacity, sizeof *functions);
    functions[function_count++] = (struct library){ s->st_value, s->st_value + s->st_size };
}

static int by_address(const void *a, const void *b)
{
    const struct library *left = a, *right = b;
    return (left->from > right->from) - (left->from < right->from);
}

/* What comes before `pc`, as the address of a call's return. */
static bool is_in_library(uintptr_t pc)
{
    static bool known;
    if (!known) {
        program_symbols_each(add_function);
        qsort(functions, function_count, sizeof *functions, by_address);
        known = true;
    }
    size_t from = 0, to = function_count;
    while (from < to) {
        size_t middle = (from + to) / 2;
        if (functions[middle].to < pc)
            from = middle + 1;
        else
            to = middle;
    }
    return from < function_count && pc > functions[from].from;
}

/* Instructions, and who called them. Where the table is full, the caller is not known. */
enum { PLACES = 1 << 12 };
static struct place { const void *pc, *caller; } places[PLACES];
static size_t place_count;

static const void *place_of(const void *pc, const void *caller)
{
    size_t i = ((uintptr_t)pc ^ (uintptr_t)caller << 8) * UINT64_C(0x9e3779b97f4a7c15) >> 52;
    while (places[i].pc && (places[i].pc != pc || places[i].caller != caller))
        i = (i + 1) % PLACES;
    if (!places[i].pc && place_count >= PLACES / 2)
        return pc;
    place_count += !places[i].pc;
    places[i] = (struct place){ pc, caller };
    return &places[i];
}

/* The first line of the program's above the library's functions, or NULL. */
static const void *caller_of_library(void)
{
    void *frames[32];
    source_frames_wanted = true;    /* as in source_frames_now */
    int count = backtrace(frames, sizeof frames / sizeof *frames), i = 0;
    source_frames_wanted = false;
    while (i < count && !is_in_library((uintptr_t)frames[i]))
        i++;
    while (i < count && is_in_library((uintptr_t)frames[i]))
        i++;
    return i < count && is_in_program(frames[i]) ? frames[i] : NULL;
}

const void *source_here(const void *pc)
{
    enum { REMEMBERED = 1 << 10 };
    static struct { const void *pc; bool in_library; } remembered[REMEMBERED];
    size_t i = (uintptr_t)pc % REMEMBERED;
    if (remembered[i].pc != pc) {
        remembered[i].in_library = is_in_library((uintptr_t)pc);
        remembered[i].pc = pc;
    }
    const void *caller = remembered[i].in_library ? caller_of_library() : NULL;
    return caller ? place_of(pc, caller) : pc;
}

/* addr2line comes with the linker. Functions that were inlined come before those that they
 * were inlined into. */
bool source_line(const void *pc, uint32_t *file, uint32_t *line)
{
    static struct known { const void *pc; bool found; uint32_t file, line; } *list;
    static size_t count, capacity;
    size_t i = 0;
    while (i < count && list[i].pc != pc)
        i++;
    if (i == count) {
        struct known k = { .pc = pc };
        const struct place *p = pc;
        bool has_caller = p >= places && p < places + PLACES;
        k.found = has_caller ? resolve((void *[]){ (void *)(uintptr_t)p->pc,
                                                   (void *)(uintptr_t)p->caller },
                                       2, &k.file, &k.line)
                             : resolve(&(void *){ (void *)(uintptr_t)pc }, 1, &k.file, &k.line);
        list = memory_grow(list, count, &capacity, sizeof *list);
        list[count++] = k;
    }
    if (list[i].found) {
        *file = list[i].file;
        *line = list[i].line;
    }
    return list[i].found;
}

struct source_frames source_frames_now(void)
{
    struct source_frames f;
    source_frames_wanted = true; /* backtrace() takes locks, which order nothing of the program's */
    int count = backtrace(f.frames, sizeof f.frames / sizeof *f.frames);
    source_frames_wanted = false;
    f.count = count > 0 ? (size_t)count : 0;
    return f;
}

bool source_line_of(const struct source_frames *f, uint32_t *file, uint32_t *line)
{
    return f->count > 0 && resolve((void **)f->frames, f->count, file, line);
}

bool source_line_now(uint32_t *file, uint32_t *line)
{
    struct source_frames here = source_frames_now();
    return source_line_of(&here, file, line);
}
