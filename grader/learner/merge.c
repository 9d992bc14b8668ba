/* SPDX-License-Identifier: MIT */
#include "grader/learner/merge.h"

#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "grader/base/environment.h"
#include "grader/base/text.h"
#include "trace/record/memory.h"

#define REGIONS_MOST 32

/* What stands between two marks: whole lines of the text. */
struct region { const char *name; size_t name_length; struct text body; };
struct regions { struct region at[REGIONS_MOST]; size_t count; };

static void append(struct text *t, const char *bytes, size_t count)
{
    t->bytes = memory_resize(t->bytes, t->count + count + 1);
    memcpy(t->bytes + t->count, bytes, count);
    t->count += count;
    t->bytes[t->count] = '\0';
}

/* ---- lines and marks ---- */

static const char *line_end(const char *line, const char *end)
{
    const char *newline = memchr(line, '\n', (size_t)(end - line));
    return !newline ? end : newline + 1;
}

static const char *past_blanks(const char *line, const char *end)
{
    while (line < end && (*line == ' ' || *line == '\t'))
        line++;
    return line;
}

static const struct region *find(const struct regions *r, const char *name, size_t length)
{
    for (size_t k = 0; k < r->count; k++)
        if (r->at[k].name_length == length && memcmp(r->at[k].name, name, length) == 0)
            return &r->at[k];
    return NULL;
}

/* Finds the regions; what is left without their bodies is appended to `rest`. False: the marks do
 * not fit. */
static bool take_apart(const struct text *t, struct regions *r, struct text *rest)
{
    const char *end = t->bytes + t->count, *name, *open = NULL;
    size_t length, open_length = 0;
    struct text body = { NULL, 0 };
    r->count = 0;
    for (const char *line = t->bytes, *next; line < end; line = next) {
        next = line_end(line, end);
        if (open && text_mark(line, (size_t)(next - line), '<', &name, &length)) {
            if (length != open_length || memcmp(name, open, length) != 0)
                return false;
            body.count = (size_t)(line - body.bytes);
            r->at[r->count++] = (struct region){ open, open_length, body };
            open = NULL;
        } else if (text_mark(line, (size_t)(next - line), '>', &name, &length)) {
            if (open || r->count == REGIONS_MOST || find(r, name, length))
                return false;
            append(rest, line, (size_t)(next - line));
            open = name;
            open_length = length;
            body.bytes = (char *)(uintptr_t)next;       /* only read */
            continue;
        }
        if (!open)
            append(rest, line, (size_t)(next - line));
    }
    return !open;
}

/* ---- comments ---- */

/* Is the line blank, or a comment: one of C's, or of Python's (no C text has `# ` at the start of a
 * line)? */
static bool is_comment(const char *line, const char *end)
{
    static const char *const starts[] = { "//", "/*", "* ", "*/", "*\n", "# ", "\n" };
    line = past_blanks(line, end);
    for (size_t k = 0; k < sizeof starts / sizeof *starts; k++)
        if ((size_t)(end - line) >= strlen(starts[k])
            && memcmp(line, starts[k], strlen(starts[k])) == 0)
            return true;
    return line == end;
}

static const char *past_comments(const char *line, const char *end)
{
    while (line < end && is_comment(line, line_end(line, end)))
        line = line_end(line, end);
    return line;
}

/* Are the two the same but for lines that are comments? */
static bool same_code(const struct text *a, const struct text *b)
{
    const char *p = a->bytes, *p_end = p + a->count, *q = b->bytes, *q_end = q + b->count;
    for (;;) {
        p = past_comments(p, p_end);
        q = past_comments(q, q_end);
        if (p == p_end || q == q_end)
            return p == p_end && q == q_end;
        size_t length = (size_t)(line_end(p, p_end) - p);
        if ((size_t)(line_end(q, q_end) - q) != length || memcmp(p, q, length) != 0)
            return false;
        p += length;
        q += length;
    }
}

/* ---- diff3 ---- */

/* Appends what diff3 makes of the three; false when two changed the same lines. */
static bool diff3(struct text *out, const char *folder, const struct text *mine,
                  const struct text *base, const struct text *theirs)
{
    static const char *const names[] = { "mine", "base", "theirs" };
    const struct text *const texts[] = { mine, base, theirs };
    char *path[3];
    int from[2], status;
    for (int k = 0; k < 3; k++) {
        path[k] = formatted("%s/%s", folder, names[k]);
        text_write(path[k], texts[k]);
    }
    if (pipe2(from, O_CLOEXEC) != 0)
        die("cannot make a pipe");
    pid_t child = fork();
    if (child == 0) {
        signal(SIGPIPE, SIG_DFL);
        if (dup2(from[1], STDOUT_FILENO) < 0)
            _exit(126);
        execlp("diff3", "diff3", "-m", "-E", "-L", "yours", "-L", "before", "-L", "new", "--",
               path[0], path[1], path[2], NULL);
        _exit(127);
    }
    close(from[1]);
    char buffer[4096];
    for (ssize_t n; child > 0 && (n = read(from[0], buffer, sizeof buffer)) > 0;)
        append(out, buffer, (size_t)n);
    close(from[0]);
    if (child < 0 || waitpid(child, &status, 0) != child || !WIFEXITED(status)
        || WEXITSTATUS(status) > 1)
        die("cannot merge with diff3 (of the package diffutils)");
    for (int k = 0; k < 3; k++)
        unlink(path[k]), free(path[k]);
    return WEXITSTATUS(status) == 0;
}

/* ---- the merge ---- */

static void note(char *list, size_t size, const struct region *r)
{
    size_t used = strlen(list);
    snprintf(list + used, size - used, "%s%.*s", used > 0 ? ", " : "", (int)r->name_length,
             r->name);
}

static void merge_region(struct merged *m, const char *folder, const struct region *mine,
                         const struct region *base, const struct region *theirs)
{
    if (!theirs || text_same(&base->body, &theirs->body)) {
        append(&m->text, mine->body.bytes, mine->body.count);
    } else if (text_same(&mine->body, &base->body)) {
        append(&m->text, theirs->body.bytes, theirs->body.count);
    } else if (same_code(&base->body, &theirs->body)) {
        append(&m->text, mine->body.bytes, mine->body.count);
        note(m->comments, sizeof m->comments, mine);
    } else if (!diff3(&m->text, folder, &mine->body, &base->body, &theirs->body)) {
        m->clean = false;
    }
}

/* Puts the regions back into what diff3 has made of the rest. */
static void put_together(struct merged *m, const char *folder, const struct text *rest,
                         const struct regions *mine, const struct regions *base,
                         const struct regions *theirs)
{
    const char *end = rest->bytes + rest->count, *name;
    size_t length;
    bool there[REGIONS_MOST] = { false };
    for (const char *line = rest->bytes, *next; line < end; line = next) {
        next = line_end(line, end);
        append(&m->text, line, (size_t)(next - line));
        if (!text_mark(line, (size_t)(next - line), '>', &name, &length))
            continue;
        const struct region *old = find(base, name, length), *yours = find(mine, name, length),
                            *new = find(theirs, name, length);
        if (yours && old)
            merge_region(m, folder, yours, old, new);
        else if (yours || new)
            append(&m->text, (yours ? yours : new)->body.bytes, (yours ? yours : new)->body.count);
        if (yours)
            there[yours - mine->at] = true;
    }
    for (size_t k = 0; k < mine->count; k++) {
        const struct region *old = find(base, mine->at[k].name, mine->at[k].name_length);
        if (!there[k] && (!old || !text_same(&mine->at[k].body, &old->body)))
            note(m->gone, sizeof m->gone, &mine->at[k]);
    }
}

void merge_texts(struct merged *m, const char *folder, const struct text *mine,
                 const struct text *base, const struct text *theirs)
{
    const struct text *const texts[] = { mine, base, theirs };
    struct regions regions[3];
    struct text rest[3] = { { NULL, 0 }, { NULL, 0 }, { NULL, 0 } }, all = { NULL, 0 };
    bool fit = true;
    *m = (struct merged){ .clean = true };
    for (int k = 0; k < 3; k++)
        fit = take_apart(texts[k], &regions[k], &rest[k]) && fit;
    for (size_t k = 0; fit && k < regions[1].count; k++)
        fit = find(&regions[0], regions[1].at[k].name, regions[1].at[k].name_length);
    if (fit) {
        m->clean = diff3(&all, folder, &rest[0], &rest[1], &rest[2]);
        put_together(m, folder, &all, &regions[0], &regions[1], &regions[2]);
    } else {
        m->clean = diff3(&m->text, folder, mine, base, theirs);
    }
    for (int k = 0; k < 3; k++)
        memory_resize(rest[k].bytes, 0);
    memory_resize(all.bytes, 0);
}
