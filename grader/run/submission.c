/* SPDX-License-Identifier: MIT */
#include "grader/run/submission.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "grader/base/text.h"
#include "grader/run/lexer.h"
#include "trace/record/memory.h"

#define OPTION_LINES 10         /* build options stand this near to the top */

/* What may be asked of the compiler. */
static const char *const options_allowed[] = {
    "--default-stream per-thread", "--default-stream legacy", "-std=c++11", "-std=c++14",
    "-std=c++17", "-std=c++20",
};

static bool read_all(struct submission *s, int fd, size_t size)
{
    s->text = memory_resize(NULL, size + 1);
    while (s->bytes < size) {
        ssize_t n = read(fd, s->text + s->bytes, size - s->bytes);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return false;
        if (n == 0)
            break;
        s->bytes += (size_t)n;
    }
    s->text[s->bytes] = '\0';
    return true;
}

/* The first byte that is no text, counted in lines; 0: all is well. */
static size_t first_bad_line(const struct submission *s, bool *binary)
{
    size_t line = 1;
    *binary = memchr(s->text, '\0', s->bytes) != NULL;
    for (size_t i = 0; i < s->bytes;) {
        size_t length = utf8_at(s->text + i, s->bytes - i, NULL);
        if (length == 0)
            return line;
        line += s->text[i] == '\n';
        i += length;
    }
    return 0;
}

static bool option_known(struct submission *s, const char *option, size_t length)
{
    for (size_t i = 0; i < sizeof options_allowed / sizeof *options_allowed; i++) {
        const char *known = options_allowed[i];
        if (strlen(known) != length || memcmp(known, option, length) != 0
            || s->option_count + 2 > SUBMISSION_OPTIONS)
            continue;
        const char *space = strchr(known, ' ');
        if (space) {
            snprintf(s->option[s->option_count++], sizeof *s->option, "%.*s", (int)(space - known),
                     known);
            known = space + 1;
        }
        snprintf(s->option[s->option_count++], sizeof *s->option, "%s", known);
        return true;
    }
    return false;
}

/* `list`: what stands after "build:". An option is a word, or two where the first takes a value. */
static bool read_options(struct submission *s, const char *list, size_t n, char *wrong,
                         size_t wrong_size)
{
    size_t i = 0;
    while (true) {
        while (i < n && (list[i] == ' ' || list[i] == '\t'))
            i++;
        if (i == n)
            return true;
        size_t start = i;
        while (i < n && list[i] != ' ' && list[i] != '\t')
            i++;
        char option[96];
        size_t word = i - start;
        if (word == strlen("--default-stream")
            && memcmp(list + start, "--default-stream", word) == 0) {
            while (i < n && (list[i] == ' ' || list[i] == '\t'))
                i++;
            size_t value = i;
            while (i < n && list[i] != ' ' && list[i] != '\t')
                i++;
            snprintf(option, sizeof option, "--default-stream %.*s", (int)(i - value),
                     list + value);
        } else {
            snprintf(option, sizeof option, "%.*s", (int)word, list + start);
            if (strncmp(option, "--default-stream=", 17) == 0)
                option[16] = ' ';
        }
        /* What nvcc makes of the one it does with the other, too. */
        if (strcmp(option, "-DCUDA_API_PER_THREAD_DEFAULT_STREAM=1") == 0
            || strcmp(option, "-DCUDA_API_PER_THREAD_DEFAULT_STREAM") == 0)
            snprintf(option, sizeof option, "--default-stream per-thread");
        if (!option_known(s, option, strlen(option))) {
            text_harmless_to(wrong, wrong_size, option, strlen(option));
            return false;
        }
    }
}

static bool find_options(struct submission *s, char *problem, size_t problem_size)
{
    const char *rest = s->text, *line;
    size_t length;
    for (size_t number = 1; number <= OPTION_LINES; number++) {
        if (!(line = text_next_line(&rest, s->text + s->bytes, &length)))
            break;
        char lead[16] = "", wrong[200];
        int used = 0;
        char copy[200];
        snprintf(copy, sizeof copy, "%.*s", (int)length, line);
        if (sscanf(copy, " // %15[build]:%n", lead, &used) != 1 || used == 0
            || strcmp(lead, "build") != 0)
            continue;
        if (read_options(s, line + used, length - (size_t)used, wrong, sizeof wrong))
            continue;
        int n = snprintf(problem, problem_size, "%s:%zu: unknown build option '%s'; known are",
                         s->path, number, wrong);
        for (size_t i = 0;
             i < sizeof options_allowed / sizeof *options_allowed && n < (int)problem_size; i++)
            n += snprintf(problem + n, problem_size - (size_t)n, "%s %s", i == 0 ? "" : ",",
                          options_allowed[i]);
        return false;
    }
    return true;
}

/* Is it a text that can be compiled? */
static bool look_through(struct submission *s, char *problem, size_t problem_size)
{
    bool binary = false;
    size_t line;
    if (strspn(s->text, " \t\r\n") == s->bytes)
        snprintf(problem, problem_size, "%s is empty", s->path);
    else if ((line = first_bad_line(s, &binary)) != 0 || binary)
        snprintf(problem, problem_size, binary ? "%s is not a text file" : "%s:%zu: not UTF-8 text",
                 s->path, line);
    else
        return find_options(s, problem, problem_size);
    return false;
}

bool submission_read(struct submission *s, const char *path, char *problem, size_t problem_size)
{
    *s = (struct submission){ .path = strdup(path) };
    int fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    struct stat status;
    if (fd < 0 || fstat(fd, &status) != 0) {
        snprintf(problem, problem_size, errno == ENOENT ? "%s does not exist" : "%s: %s", path,
                 strerror(errno));
        if (fd >= 0)
            close(fd);
        return false;
    }
    bool good = false;
    if (!S_ISREG(status.st_mode))
        snprintf(problem, problem_size, "%s is not a file but a %s", path,
                 S_ISDIR(status.st_mode) ? "folder" : S_ISFIFO(status.st_mode) ? "pipe" : "device");
    else if (status.st_size > (off_t)SUBMISSION_BYTES_MAX)
        snprintf(problem, problem_size, "%s is too large: %lld bytes; at most %u", path,
                 (long long)status.st_size, SUBMISSION_BYTES_MAX);
    else if (!read_all(s, fd, (size_t)status.st_size))
        snprintf(problem, problem_size, "%s: %s", path, strerror(errno));
    else
        good = look_through(s, problem, problem_size);
    close(fd);
    return good;
}

bool submission_rename(struct submission *s, const char *name, char *problem, size_t problem_size)
{
    free(s->path);
    s->path = strdup(name);
    s->option_count = 0;
    return s->text && look_through(s, problem, problem_size);
}

void submission_fini(struct submission *s)
{
    free(s->path);
    memory_resize(s->text, 0);
}

/* Does this line open ('>') or close ('<') the region `name`? */
static bool is_mark(const char *line, size_t length, char direction, const char *name,
                    size_t name_length)
{
    const char *found;
    size_t found_length;
    return text_mark(line, length, direction, &found, &found_length) && found_length == name_length
           && memcmp(found, name, name_length) == 0;
}

/* Marks and build options, which the grader reads. */
static bool is_for_grader(const char *comment)
{
    const char *word = comment + 2 + strspn(comment + 2, " \t");
    return comment[1] == '/'
           && (comment[2] == '>' || comment[2] == '<' || strncmp(word, "build:", 6) == 0);
}

/* The program alone: without comments, and without white space but for what stands in literals and
 * for the ends of lines. The lines of marks are left as they are. */
static char *program_of(const struct submission *s)
{
    char *out = memory_resize(NULL, s->bytes + 1);
    size_t used = 0;
    for (size_t i = 0, next; i < s->bytes; i = next) {
        next = lexer_past(s->text, s->bytes, i);
        if (strchr(" \t\r\f\v", s->text[i])
            || (lexer_is_comment(s->text, i, next) && !is_for_grader(s->text + i)))
            continue;
        memcpy(out + used, s->text + i, next - i);
        used += next - i;
    }
    out[used] = '\0';
    return out;
}

/* What the regions of that name hold of a program, in one line; NULL when there is none, or one is
 * not closed. */
static char *region(const char *program, const char *name, size_t name_length)
{
    size_t size = strlen(program), used = 0, length;
    char *out = memory_resize(NULL, size + 1);
    bool inside = false, found = false;
    const char *rest = program, *line;
    while ((line = text_next_line(&rest, program + size, &length))) {
        if (is_mark(line, length, '>', name, name_length))
            inside = found = true;
        else if (is_mark(line, length, '<', name, name_length))
            inside = false;
        else if (inside) {
            memcpy(out + used, line, length);
            used += length;
        }
    }
    out[used] = '\0';
    return found && !inside ? out : memory_resize(out, 0);
}

static bool same_program(const char *p, const char *q)
{
    while (true) {
        p += strspn(p, "\n");
        q += strspn(q, "\n");
        if (*p != *q)
            return false;
        if (*p == '\0')
            return true;
        p++, q++;
    }
}

/* A program, or [from, end) of it, in one line. */
static char *joined(const char *from, const char *end)
{
    char *out = memory_resize(NULL, (size_t)(end - from) + 1), *to = out;
    for (; from < end; from++)
        if (*from != '\n')
            *to++ = *from;
    *to = '\0';
    return out;
}

/* Has `mine` all pieces of `rest`, each up to a brace that closes one? What comes after the last is
 * the beginning of another function. */
static bool has_pieces(const char *mine, char *rest)
{
    int depth = 0;
    for (char *piece = rest, *c = rest; *c != '\0'; c++) {
        depth += *c == '{' ? 1 : *c == '}' ? -1 : 0;
        if (*c != '}' || depth > 0)
            continue;
        char behind = c[1];
        depth = 0;
        c[1] = '\0';
        if (!strstr(mine, piece))
            return false;
        c[1] = behind;
        piece = c + 1;
    }
    return true;
}

/* The starter's functions from the end of a region of that name up to the next region: are they in
 * `mine`, which is in one line, as they are there? */
static bool keeps_rest(const char *mine, const char *starter, const char *name, size_t name_length)
{
    const char *rest = starter, *end = starter + strlen(starter), *line, *from = NULL, *found;
    size_t length, found_length;
    bool keeps = true;
    while (keeps && (line = text_next_line(&rest, end, &length))) {
        bool opens = text_mark(line, length, '>', &found, &found_length);
        if (from && (opens || rest >= end)) {
            char *text = joined(from, opens ? line : end);
            keeps = has_pieces(mine, text);
            memory_resize(text, 0);
            from = NULL;
        }
        if (is_mark(line, length, '<', name, name_length))
            from = line + length;
    }
    return keeps;
}

bool submission_attempted(const struct submission *yours, const struct submission *starter,
                          const char *marks)
{
    char *my_program = program_of(yours), *their_program = program_of(starter),
         *my_line = joined(my_program, my_program + strlen(my_program));
    bool whole = !marks || marks[strspn(marks, " ")] == '\0',
         differs = whole && !same_program(my_program, their_program);
    for (const char *name = whole ? "" : marks + strspn(marks, " "); *name != '\0' && !differs;
         name += strspn(name, " ")) {
        size_t length = strcspn(name, " ");
        char *mine = region(my_program, name, length),
             *theirs = region(their_program, name, length);
        differs = mine && theirs ? strcmp(mine, theirs) != 0 : mine != theirs;
        differs = differs || !keeps_rest(my_line, their_program, name, length);
        memory_resize(mine, 0);
        memory_resize(theirs, 0);
        name += length;
    }
    memory_resize(my_line, 0);
    memory_resize(my_program, 0);
    memory_resize(their_program, 0);
    return differs;
}

size_t submission_regions(const struct submission *s, const char *marks, size_t *count)
{
    size_t found = 0;
    char *program = program_of(s);
    *count = 0;
    for (const char *name = marks + strspn(marks, " "); *name != '\0'; name += strspn(name, " ")) {
        size_t length = strcspn(name, " ");
        char *text = region(program, name, length);
        found += text != NULL;
        ++*count;
        memory_resize(text, 0);
        name += length;
    }
    memory_resize(program, 0);
    return found;
}

char *submission_marks(const struct submission *s)
{
    char *marks = memory_resize(NULL, s->bytes + 1);
    const char *rest = s->text, *line, *name;
    size_t length, name_length, used = 0;
    while ((line = text_next_line(&rest, s->text + s->bytes, &length)))
        if (text_mark(line, length, '>', &name, &name_length))
            used += (size_t)sprintf(marks + used, "%.*s ", (int)name_length, name);
    marks[used] = '\0';
    return marks;
}

unsigned submission_mark_line(const struct submission *s, const char *marks)
{
    const char *rest = s->text, *line;
    size_t length, name_length;
    if (!marks)
        return 1;
    marks += strspn(marks, " ");
    name_length = strcspn(marks, " ");
    for (unsigned number = 1; (line = text_next_line(&rest, s->text + s->bytes, &length)); number++)
        if (is_mark(line, length, '>', marks, name_length))
            return number;
    return 1;
}
