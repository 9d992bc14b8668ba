/* SPDX-License-Identifier: MIT */
#include "sim/source_line.h"

#include <execinfo.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sim/call_log.h"
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
        k.found = resolve(&(void *){ (void *)(uintptr_t)pc }, 1, &k.file, &k.line);
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
