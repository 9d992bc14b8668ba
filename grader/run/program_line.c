/* SPDX-License-Identifier: MIT */
#include "grader/run/program_line.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "grader/base/text.h"

static bool same_file(const char *seen, size_t length, const char *path)
{
    size_t n = strlen(path);
    return length >= n && memcmp(seen + length - n, path, n) == 0
           && (length == n || seen[length - n - 1] == '/');
}

/* addr2line's answer: for each address a line with it, then the places, the innermost first. */
static void read_answer(const char *answer, const char *path, unsigned last, size_t count,
                        unsigned *found)
{
    const char *rest = answer, *line;
    size_t length, next = 0;
    while ((line = text_next_line(&rest, answer + strlen(answer), &length))) {
        const char *colon = memrchr(line, ':', length);
        int number =
            colon ? atoi(colon + 1)
                  : 0; /* more than there are: a header's, which the compiler took for the file's */
        if (length > 2 && line[0] == '0' && line[1] == 'x')
            next++;
        else if (next > 0 && next <= count && found[next - 1] == 0 && colon
                 && same_file(line, (size_t)(colon - line), path) && number > 0
                 && (unsigned)number <= last)
            found[next - 1] = (unsigned)number;
    }
}

void program_lines(const struct run *r, const struct submission *s, const uint64_t *address,
                   size_t count, unsigned *line)
{
    static const char *const tools[] = { "/usr/bin/addr2line", "/usr/local/bin/addr2line" };
    char number[PROGRAM_LINES][32];
    const char *argv[PROGRAM_LINES + 6] = { "", "-a", "-i", "-e", r->program };
    bool answered = false;
    unsigned last = 1;
    for (size_t i = 0; i < s->bytes; i++)
        last += s->text[i] == '\n';
    memset(line, 0, count * sizeof *line);
    for (size_t i = 0; i < count; i++) {
        snprintf(number[i], sizeof *number, "0x%llx", (unsigned long long)address[i]);
        argv[5 + i] = number[i];
    }
    for (size_t i = 0; i < sizeof tools / sizeof *tools && count > 0 && !answered; i++) {
        argv[0] = tools[i];
        struct child tool;
        struct child_plan plan = {
            .argv = argv, .environment = (const char *const[]){ "LC_ALL=C.UTF-8", NULL },
            .wall_ms = 5000, .output_cap = 65536, .input = -1, .output = -1,
        };
        struct sandbox_entry entry;
        if (r->sandbox)
            sandbox_enter(r->sandbox, &entry, &plan, SANDBOX_PROGRAM);
        answered = child_start(&tool, &plan) && child_wait((struct child *[]){ &tool }, 1, NULL)
                   && tool.output_count > 0;
        if (answered)
            read_answer(tool.output, s->path, last, count, line);
        child_fini(&tool);
    }
}

unsigned program_line_listed(const struct run *r, const struct submission *s,
                             const char *counters)
{
    uint64_t address[PROGRAM_LINES];
    unsigned line[PROGRAM_LINES];
    size_t count = 0;
    for (char *end; count < PROGRAM_LINES; counters = end, count++) {
        address[count] = strtoull(counters, &end, 16);
        if (end == counters)
            break;
    }
    program_lines(r, s, address, count, line);
    for (size_t i = 0; i < count; i++)
        if (line[i] != 0)
            return line[i];
    return 0;
}
