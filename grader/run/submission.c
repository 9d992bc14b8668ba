/* SPDX-License-Identifier: MIT */
#include "grader/run/submission.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "grader/base/text.h"
#include "trace/record/memory.h"

#define OPTION_LINES 10         /* build options stand this near to the top */

/* What may be asked of the compiler. */
static const char *const options_allowed[] = {
    "--default-stream per-thread", "--default-stream legacy", "-std=c++11", "-std=c++14", "-std=c++17", "-std=c++20",
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
        if (strlen(known) != length || memcmp(known, option, length) != 0 || s->option_count + 2 > SUBMISSION_OPTIONS)
            continue;
        const char *space = strchr(known, ' ');
        if (space != NULL) {
            snprintf(s->option[s->option_count++], sizeof *s->option, "%.*s", (int)(space - known), known);
            known = space + 1;
        }
        snprintf(s->option[s->option_count++], sizeof *s->option, "%s", known);
        return true;
    }
    return false;
}

/* `list`: what stands after "build:". An option is a word, or two where the first takes a value. */
static bool read_options(struct submission *s, const char *list, size_t n, char *wrong, size_t wrong_size)
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
        if (word == strlen("--default-stream") && memcmp(list + start, "--default-stream", word) == 0) {
            while (i < n && (list[i] == ' ' || list[i] == '\t'))
                i++;
            size_t value = i;
            while (i < n && list[i] != ' ' && list[i] != '\t')
                i++;
            snprintf(option, sizeof option, "--default-stream %.*s", (int)(i - value), list + value);
        } else {
            snprintf(option, sizeof option, "%.*s", (int)word, list + start);
            if (strncmp(option, "--default-stream=", 17) == 0)
                option[16] = ' ';
        }
        if (!option_known(s, option, strlen(option))) {
            char *shown = text_harmless(option, strlen(option));
            snprintf(wrong, wrong_size, "%s", shown);
            memory_resize(shown, 0);
            return false;
        }
    }
}

static bool find_options(struct submission *s, char *problem, size_t problem_size)
{
    const char *rest = s->text, *line;
    size_t length;
    for (size_t number = 1; number <= OPTION_LINES; number++) {
        if ((line = text_next_line(&rest, s->text + s->bytes, &length)) == NULL)
            break;
        char lead[16] = "", wrong[200];
        int used = 0;
        char copy[200];
        snprintf(copy, sizeof copy, "%.*s", (int)length, line);
        if (sscanf(copy, " // %15[build]:%n", lead, &used) != 1 || used == 0 || strcmp(lead, "build") != 0)
            continue;
        if (read_options(s, line + used, length - (size_t)used, wrong, sizeof wrong))
            continue;
        int n = snprintf(problem, problem_size, "%s:%zu: unknown build option '%s'; known are", s->path, number, wrong);
        for (size_t i = 0; i < sizeof options_allowed / sizeof *options_allowed && n < (int)problem_size; i++)
            n += snprintf(problem + n, problem_size - (size_t)n, "%s %s", i == 0 ? "" : ",", options_allowed[i]);
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
        snprintf(problem, problem_size, binary ? "%s is not a text file" : "%s:%zu: not UTF-8 text", s->path, line);
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
        snprintf(problem, problem_size, errno == ENOENT ? "%s does not exist" : "%s: %s", path, strerror(errno));
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
    return s->text != NULL && look_through(s, problem, problem_size);
}

void submission_fini(struct submission *s)
{
    free(s->path);
    memory_resize(s->text, 0);
}

/* Does this line open ('>') or close ('<') the region `name`? */
static bool is_mark(const char *line, size_t length, char direction, const char *name, size_t name_length)
{
    while (length > 0 && (*line == ' ' || *line == '\t'))
        line++, length--;
    if (length < 4 || line[0] != '/' || line[1] != '/' || line[2] != direction)
        return false;
    line += 3, length -= 3;
    while (length > 0 && *line == ' ')
        line++, length--;
    while (length > 0 && (line[length - 1] == ' ' || line[length - 1] == '\t'))
        length--;
    return length == name_length && memcmp(line, name, length) == 0;
}

/* Where the comment that begins at `i` ends; `i` if none does. The grader reads two kinds of comments: marks and build options. */
static size_t past_comment(const char *text, size_t size, size_t i)
{
    if (size - i < 2 || text[i] != '/')
        return i;
    if (text[i + 1] == '*') {
        const char *end = memmem(text + i + 2, size - i - 2, "*/", 2);
        return end == NULL ? size : (size_t)(end + 2 - text);
    }
    const char *word = text + i + 2;
    if (text[i + 1] != '/' || *word == '>' || *word == '<')
        return i;
    word += strspn(word, " \t");
    if (strncmp(word, "build:", 6) == 0)
        return i;
    while (i < size && (text[i] != '\n' || text[i - 1] == '\\'))
        i++;
    return i;
}

/* Where the literal that begins at `i` ends; `i` if none does. */
static size_t past_literal(const char *text, size_t size, size_t i)
{
    char quote = text[i];
    if (quote != '"' && (quote != '\'' || (i > 0 && isalnum((unsigned char)text[i - 1]))))
        return i;
    for (i++; i < size && text[i] != quote && text[i] != '\n'; i++)
        i += text[i] == '\\' && i + 1 < size && text[i + 1] != '\n';
    return i < size && text[i] == quote ? i + 1 : i;
}

/* The program alone: without comments, and without white space but for what stands in literals and for the ends of lines.
 * The lines of marks are left as they are. */
static char *program_of(const struct submission *s)
{
    char *out = memory_resize(NULL, s->bytes + 1);
    size_t used = 0;
    for (size_t i = 0, next; i < s->bytes; i = next) {
        if ((next = past_comment(s->text, s->bytes, i)) > i)
            continue;
        if (s->text[i] == '/' && s->bytes - i > 1 && s->text[i + 1] == '/')
            next = i + strcspn(s->text + i, "\n");
        else if ((next = past_literal(s->text, s->bytes, i)) == i) {
            next = i + 1;
            if (strchr(" \t\r\f\v", s->text[i]) != NULL)
                continue;
        }
        memcpy(out + used, s->text + i, next - i);
        used += next - i;
    }
    out[used] = '\0';
    return out;
}

/* What the regions of that name hold of a program, in one line; NULL when there is none, or one is not closed. */
static char *region(const char *program, const char *name, size_t name_length)
{
    size_t size = strlen(program), used = 0, length;
    char *out = memory_resize(NULL, size + 1);
    bool inside = false, found = false;
    const char *rest = program, *line;
    while ((line = text_next_line(&rest, program + size, &length)) != NULL) {
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

bool submission_attempted(const struct submission *yours, const struct submission *starter, const char *marks)
{
    char *my_program = program_of(yours), *their_program = program_of(starter);
    bool whole = marks == NULL || marks[strspn(marks, " ")] == '\0', differs = whole && !same_program(my_program, their_program);
    for (const char *name = whole ? "" : marks + strspn(marks, " "); *name != '\0' && !differs; name += strspn(name, " ")) {
        size_t length = strcspn(name, " ");
        char *mine = region(my_program, name, length), *theirs = region(their_program, name, length);
        differs = mine == NULL || theirs == NULL || strcmp(mine, theirs) != 0;
        memory_resize(mine, 0);
        memory_resize(theirs, 0);
        name += length;
    }
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

unsigned submission_mark_line(const struct submission *s, const char *marks)
{
    const char *rest = s->text, *line;
    size_t length, name_length;
    if (marks == NULL)
        return 1;
    marks += strspn(marks, " ");
    name_length = strcspn(marks, " ");
    for (unsigned number = 1; (line = text_next_line(&rest, s->text + s->bytes, &length)) != NULL; number++)
        if (is_mark(line, length, '>', marks, name_length))
            return number;
    return 1;
}

/* ---- functions ---- */

static bool in_name(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* From `i` on the first byte that is neither white space nor in a comment. */
static size_t past_blanks(const struct submission *s, size_t i)
{
    for (size_t next; i < s->bytes; i = next)
        if ((next = past_comment(s->text, s->bytes, i)) == i) {
            if (!isspace((unsigned char)s->text[i]))
                break;
            next = i + 1;
        }
    return i;
}

/* What follows the token that begins at `i`: a comment, a literal, a name or number, or one byte. */
static size_t past_token(const struct submission *s, size_t i)
{
    size_t next = past_comment(s->text, s->bytes, i);
    if (next == i)
        next = past_literal(s->text, s->bytes, i);
    while (next < s->bytes && in_name(s->text[i]) && in_name(s->text[next]))
        next++;
    return next > i ? next : i + 1;
}

/* Past the bracket that closes the one at `i`; the end of the text where none does. */
static size_t past_brackets(const struct submission *s, size_t i)
{
    char open = s->text[i], close = open == '(' ? ')' : '}';
    size_t depth = 0;
    for (; i < s->bytes; i = past_token(s, i)) {
        depth += s->text[i] == open;
        if (s->text[i] == close && --depth == 0)
            return i + 1;
    }
    return s->bytes;
}

static bool is_word(const struct submission *s, size_t i, size_t next, const char *word)
{
    return next - i == strlen(word) && memcmp(s->text + i, word, next - i) == 0;
}

static unsigned line_at(const struct submission *s, size_t i)
{
    unsigned line = 1;
    while (i-- > 0)
        line += s->text[i] == '\n';
    return line;
}

/* What a function has between its braces, and where its name stands; a body of 0: it is not defined in the file. */
struct function { size_t name, body, end; };

static struct function find_function(const struct submission *s, const char *name)
{
    for (size_t i = 0, next; i < s->bytes; i = next) {
        next = past_token(s, i);
        size_t at = past_blanks(s, next);
        if (!is_word(s, i, next, name) || at >= s->bytes || s->text[at] != '(')
            continue;
        size_t body = past_blanks(s, past_brackets(s, at));
        if (body < s->bytes && s->text[body] == '{')
            return (struct function){ i, body, past_brackets(s, body) };
    }
    return (struct function){ 0, 0, 0 };
}

/* All in capitals: one that is never assigned to. */
static bool is_constant(const char *word)
{
    while (*word != '\0' && !islower((unsigned char)*word))
        word++;
    return *word == '\0';
}

static bool is_launch(const struct submission *s, size_t i)
{
    return i + 3 < s->bytes && memcmp(s->text + i, "<<<", 3) == 0;
}

/* How many lines of a function assign to `word` or call it, 2 for more; *line: the last of them. */
static size_t uses_in(const struct submission *s, struct function f, const char *word, unsigned *line)
{
    size_t count = 0, length = strlen(word);
    bool adds_to = length > 2 && strcmp(word + length - 2, "+=") == 0;
    char name[64];
    snprintf(name, sizeof name, "%.*s", (int)(adds_to ? length - 2 : length), word);
    int most = 100;                             /* of uses: a line is counted from the file's beginning */
    for (size_t i = f.body, next; i < f.end && count < 2 && most > 0; i = next) {
        next = past_token(s, i);
        size_t then = past_blanks(s, next);
        if (then < s->bytes && s->text[then] == ']')
            then = past_blanks(s, then + 1);    /* it is the index */
        bool adds = then + 1 < s->bytes && s->text[then] == '+' && s->text[then + 1] == '=';
        if (adds_to && is_word(s, i, next, name) && adds)
            ;
        else if (adds_to || !is_word(s, i, next, word) || then + 1 >= s->bytes
            || !(is_constant(word) || s->text[then] == '(' || is_launch(s, then) || (s->text[then] == '=' && s->text[then + 1] != '=')))
            continue;
        most--;
        unsigned found = line_at(s, i);
        count += count == 0 || found != *line;
        *line = found;
    }
    return count;
}

/* The same of the functions of the file that it calls, and of those that they call; *looks: how many may still be looked at. */
static size_t uses_below(const struct submission *s, struct function f, const char *word, unsigned *line, int depth, int *looks)
{
    size_t count = 0;
    for (size_t i = f.body, next; i < f.end && *looks > 0 && count < 2; i = next) {
        char name[64];
        next = past_token(s, i);
        size_t then = past_blanks(s, next), length = next - i;
        if (!in_name(s->text[i]) || isdigit((unsigned char)s->text[i]) || length >= sizeof name || then >= s->bytes || s->text[then] != '(')
            continue;
        memcpy(name, s->text + i, length);
        name[length] = '\0';
        --*looks;
        struct function called = find_function(s, name);
        unsigned found = *line;
        size_t more = called.body == 0 || called.body == f.body ? 0 : uses_in(s, called, word, &found);
        if (more == 0 && called.body != 0 && called.body != f.body && depth > 0)
            more = uses_below(s, called, word, &found, depth - 1, looks);
        count += more > 0 && count > 0 && found == *line ? 0 : more;
        *line = more > 0 ? found : *line;
    }
    return count;
}

static size_t last_return(const struct submission *s, struct function f)
{
    size_t last = f.end - 1;
    for (size_t i = f.body, next; i < f.end; i = next) {
        next = past_token(s, i);
        last = is_word(s, i, next, "return") ? i : last;
    }
    return last;
}

unsigned submission_function_line(const struct submission *s, const char *function, const char *word)
{
    struct function f = find_function(s, function);
    unsigned line = 0;
    int looks = 24;
    if (f.body == 0)
        return 0;
    size_t uses = word != NULL ? 0 : 2;
    for (const char *rest = word; rest != NULL && *rest != '\0' && uses != 1; rest += strspn(rest, " ")) {
        char one[64];
        snprintf(one, sizeof one, "%.*s", (int)strcspn(rest, " "), rest);
        rest += strcspn(rest, " ");
        uses = uses_in(s, f, one, &line);
        if (uses == 0)
            uses = uses_below(s, f, one, &line, 1, &looks);
    }
    return uses == 1 ? line : uses == 0 ? line_at(s, last_return(s, f)) : line_at(s, f.name);
}

/* ---- what was reached ---- */

/* Is the token from `i` to `next` the name of a call that every log has, or of a kernel that is launched? */
static bool is_logged_call(const struct submission *s, size_t i, size_t next)
{
    static const char *const names[] = { "cudaMemcpy", "cudaMemset", "cudaLaunch", "cudaStream", "cudaEvent", "cudaGraphLaunch",
                                         "cudaDeviceSynchronize", "cudaMalloc", "cudaFree", "cudaMemPrefetch" };
    size_t then = past_blanks(s, next);
    if (!in_name(s->text[i]) || then >= s->bytes)
        return false;
    for (size_t k = 0; k < sizeof names / sizeof *names && s->text[then] == '('; k++)
        if (next - i >= strlen(names[k]) && memcmp(s->text + i, names[k], strlen(names[k])) == 0)
            return true;
    return is_launch(s, then);
}

/* The first such call of a function that was not reached, an index of the text; 0: there is none. *made: how many were. */
static size_t unreached_in(const struct submission *s, struct function f, const struct reached *reached, size_t *made)
{
    size_t first = 0;
    *made = 0;
    for (size_t i = f.body, next; i < f.end; i = next) {
        next = past_token(s, i);
        if (!is_logged_call(s, i, next))
            continue;
        bool was = reached->line(reached->log, line_at(s, i));
        *made += was;
        first = first == 0 && !was ? i : first;
    }
    return first;
}

static unsigned say_call(const struct submission *s, size_t i, char *name, size_t size)
{
    if (i == 0)
        return 0;
    snprintf(name, size, "%.*s", (int)(past_token(s, i) - i), s->text + i);
    return line_at(s, i);
}

unsigned submission_unreached(const struct submission *s, const char *function, const struct reached *reached, char *name, size_t size)
{
    size_t made;
    struct function f = find_function(s, function);
    return f.body == 0 ? 0 : say_call(s, unreached_in(s, f, reached, &made), name, size);
}

unsigned submission_uncalled(const struct submission *s, const struct reached *reached, char *name, size_t size)
{
    for (size_t i = 0, next; i < s->bytes; i = next) {
        next = past_token(s, i);
        size_t at = past_blanks(s, next), made;
        if (!in_name(s->text[i]) || isdigit((unsigned char)s->text[i]) || at >= s->bytes || s->text[at] != '(')
            continue;
        size_t body = past_blanks(s, past_brackets(s, at));
        if (body >= s->bytes || s->text[body] != '{')
            continue;
        struct function f = { i, body, past_brackets(s, body) };
        bool uncalled = unreached_in(s, f, reached, &made) != 0 && made == 0;
        if (uncalled && !is_word(s, i, next, "if") && !is_word(s, i, next, "for") && !is_word(s, i, next, "while") && !is_word(s, i, next, "switch"))
            return say_call(s, i, name, size);
        next = f.end;
    }
    return 0;
}

static bool has_line(const struct submission *s, struct function f, unsigned line, int depth)
{
    if (line >= line_at(s, f.body) && line <= line_at(s, f.end - 1))
        return true;
    for (size_t i = f.body, next; i < f.end && depth > 0; i = next) {
        char name[64];
        next = past_token(s, i);
        size_t then = past_blanks(s, next), length = next - i;
        if (!in_name(s->text[i]) || isdigit((unsigned char)s->text[i]) || length >= sizeof name || then >= s->bytes || s->text[then] != '(')
            continue;
        memcpy(name, s->text + i, length);
        name[length] = '\0';
        struct function called = find_function(s, name);
        if (called.body != 0 && called.body != f.body && has_line(s, called, line, depth - 1))
            return true;
    }
    return false;
}

unsigned submission_call_line(const struct submission *s, const char *function, unsigned line)
{
    struct function f = find_function(s, function);
    int looks = 24;
    if (f.body == 0 || has_line(s, f, line, 0))
        return 0;
    for (size_t i = f.body, next; i < f.end && looks > 0; i = next) {
        char name[64];
        next = past_token(s, i);
        size_t then = past_blanks(s, next), length = next - i;
        if (!in_name(s->text[i]) || isdigit((unsigned char)s->text[i]) || length >= sizeof name || then >= s->bytes || s->text[then] != '(')
            continue;
        memcpy(name, s->text + i, length);
        name[length] = '\0';
        looks--;
        struct function called = find_function(s, name);
        if (called.body != 0 && called.body != f.body && has_line(s, called, line, 1))
            return line_at(s, i);
    }
    return 0;
}
