/* SPDX-License-Identifier: MIT */
#include "grader/run/functions.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "grader/run/lexer.h"
#include "grader/run/walk.h"

enum {
    NAME = 64,
    SAME_NAME = 16,             /* how often a function's name is looked at for its definition */
    CALLS = 24,                 /* calls whose functions are looked at */
    USES = 100,                 /* of a name: a line is counted from the file's beginning */
    BRACKETS = 300,             /* names in front of a bracket that may be definitions */
    LOGGED = 500,               /* calls that the log is asked for */
    NAMED = 4,                  /* functions that are named elsewhere: the file is read for each */
};

/* ---- functions ---- */

/* What a function has between its braces, and where its name stands; a body of 0: it is not defined
 * in the file. */
struct function { size_t name, body, end; };

/* The one whose definition begins with the name at `i`. */
static struct function defined_at(const struct submission *s, size_t i, size_t next)
{
    size_t body = walk_blanks(s, walk_brackets(s, walk_blanks(s, next)));
    if (body >= s->bytes || s->text[body] != '{')
        return (struct function){ 0, 0, 0 };
    return (struct function){ i, body, walk_brackets(s, body) };
}

static struct function find_function(const struct submission *s, const char *name)
{
    struct function f = { 0, 0, 0 };
    int budget = SAME_NAME;
    for (size_t i = 0, next; i < s->bytes && f.body == 0 && budget > 0; i = next) {
        next = walk_token(s, i);
        if (!walk_is_word(s, i, next, name) || !walk_is_called(s, i, next))
            continue;
        budget--;
        f = defined_at(s, i, next);
    }
    return f;
}

/* The function of the file that is called there, and is not the one in which that stands. */
static struct function called_at(const struct submission *s, size_t i, size_t next,
                                 struct function within, int *budget)
{
    char name[NAME];
    if (*budget <= 0 || !walk_is_called(s, i, next) || next - i >= sizeof name
        || walk_is_in(s, i, next, "if while for switch return sizeof CHECK"))
        return (struct function){ 0, 0, 0 };
    --*budget;
    snprintf(name, sizeof name, "%.*s", (int)(next - i), s->text + i);
    struct function called = find_function(s, name);
    return called.body == within.body ? (struct function){ 0, 0, 0 } : called;
}

/* ---- where a name is used ---- */

/* All in capitals: one that is never assigned to. */
static bool is_constant(const char *word)
{
    while (*word != '\0' && !islower((unsigned char)*word))
        word++;
    return *word == '\0';
}

/* Is the word that is followed by the token at `then` used as is wanted? */
static bool is_use(const struct submission *s, size_t then, const char *word, bool adds_to)
{
    if (then + 1 >= s->bytes)
        return false;
    bool equals = s->text[then + 1] == '=';
    if (adds_to)
        return s->text[then] == '+' && equals;
    return is_constant(word) || s->text[then] == '(' || walk_is_launch(s, then)
           || (s->text[then] == '=' && !equals);
}

/* "A:b": the line of the first assignment to b after the one place where A stands. Returns 1 where
 * there is one. */
static size_t use_after(const struct submission *s, struct function f, const char *use,
                        unsigned *line)
{
    char place[NAME];
    const char *word = strchr(use, ':') + 1;
    size_t count = 0, from = f.end;
    snprintf(place, sizeof place, "%.*s", (int)(word - 1 - use), use);
    for (size_t i = f.body, next; i < f.end; i = next) {
        next = walk_token(s, i);
        if (!walk_is_word(s, i, next, place))
            continue;
        count++;
        from = next;
    }
    for (size_t i = from, next; i < f.end && count == 1; i = next) {
        next = walk_token(s, i);
        size_t then = walk_blanks(s, next);
        if (!walk_is_word(s, i, next, word) || then + 1 >= s->bytes || s->text[then] != '='
            || s->text[then + 1] == '=')
            continue;
        *line = walk_line(s, i);
        return 1;
    }
    return 0;
}

/* On how many lines of a function `use` is so used, `most` for more; *line: the last of them. */
static size_t uses_in(const struct submission *s, struct function f, const char *use, size_t most,
                      unsigned *line)
{
    if (strchr(use, ':'))
        return use_after(s, f, use, line);
    size_t count = 0, length = strlen(use);
    bool adds_to = length > 2 && strcmp(use + length - 2, "+=") == 0,
         field = strncmp(use, "->", 2) == 0;
    char word[NAME];
    snprintf(word, sizeof word, "%.*s", (int)(adds_to ? length - 2 : length),
             field ? use + 2 : use);
    int budget = USES;
    for (size_t i = f.body, next; i < f.end && count < most && budget > 0; i = next) {
        next = walk_token(s, i);
        if (!walk_is_word(s, i, next, word))
            continue;
        size_t then = walk_blanks(s, next);
        if (then < s->bytes && s->text[then] == ']')
            then = walk_blanks(s, then + 1);    /* it is the index */
        if (!(field ? walk_is_field(s, i) : is_use(s, then, word, adds_to)))
            continue;
        budget--;
        unsigned found = walk_line(s, i);
        count += count == 0 || found != *line;
        *line = found;
    }
    return count;
}

/* The same of the functions of the file that it calls, and of those that they call. */
static size_t uses_below(const struct submission *s, struct function f, const char *use,
                         unsigned *line, int depth, int *budget)
{
    size_t count = 0;
    for (size_t i = f.body, next; i < f.end && *budget > 0 && count < 2; i = next) {
        next = walk_token(s, i);
        struct function called = called_at(s, i, next, f, budget);
        if (called.body == 0)
            continue;
        unsigned found = *line;
        size_t more = uses_in(s, called, use, 2, &found);
        if (more == 0 && depth > 0)
            more = uses_below(s, called, use, &found, depth - 1, budget);
        count += more > 0 && count > 0 && found == *line ? 0 : more;
        *line = more > 0 ? found : *line;
    }
    return count;
}

static size_t last_return(const struct submission *s, struct function f)
{
    size_t last = f.end - 1;
    for (size_t i = f.body, next; i < f.end; i = next) {
        next = walk_token(s, i);
        last = walk_is_word(s, i, next, "return") ? i : last;
    }
    return last;
}

bool submission_miscalled(const struct submission *s, const char *function, const char *words,
                          char *name, size_t size, unsigned line[2])
{
    struct function f = find_function(s, function);
    int budget = CALLS;
    for (const char *rest = words; f.body != 0 && *rest != '\0'; rest += strspn(rest, " ")) {
        snprintf(name, size, "%.*s", (int)strcspn(rest, " "), rest);
        rest += strcspn(rest, " ");
        line[0] = line[1] = 0;
        size_t uses = uses_in(s, f, name, 2, &line[1]);
        if (uses == 0)
            uses = uses_below(s, f, name, &line[1], 3, &budget);
        else if (uses > 1)
            uses_in(s, f, name, 1, &line[0]);
        if (budget > 0 && (uses == 0 || line[0] != 0))
            return true;
    }
    return false;
}

unsigned submission_function_line(const struct submission *s, const char *function,
                                  const char *words)
{
    struct function f = find_function(s, function);
    unsigned line = 0;
    if (f.body == 0)
        return 0;
    size_t uses = words ? 0 : 2;
    for (const char *rest = words; rest && *rest != '\0' && uses != 1; rest += strspn(rest, " ")) {
        char use[NAME];
        int budget = CALLS;
        snprintf(use, sizeof use, "%.*s", (int)strcspn(rest, " "), rest);
        rest += strcspn(rest, " ");
        uses = uses_in(s, f, use, 2, &line);
        if (uses == 0)
            uses = uses_below(s, f, use, &line, 1, &budget);
    }
    return uses == 1 ? line : uses == 0 ? walk_line(s, last_return(s, f)) : walk_line(s, f.name);
}

/* Does the function end with the statement that begins at `i`? */
static bool is_its_end(const struct submission *s, struct function f, size_t i)
{
    while (i < f.end && s->text[i] != ';')
        i = s->text[i] == '(' || s->text[i] == '{' ? walk_brackets(s, i) : walk_token(s, i);
    return walk_blanks(s, i + 1) + 1 >= f.end;
}

/* One more line for a list of `count` that has room for `most`, each once; returns the new count,
 * which is most + 1 where there are more. Lines come in their order. */
static size_t put_line(unsigned *line, size_t most, size_t count, unsigned found)
{
    if (count > 0 && count <= most && line[count - 1] == found)
        return count;
    if (count < most)
        line[count] = found;
    return count + 1;
}

size_t submission_early_returns(const struct submission *s, const char *function, unsigned *line,
                                size_t most)
{
    struct function f = find_function(s, function);
    size_t count = 0;
    for (size_t i = f.body, next; i < f.end && count <= most; i = next) {
        next = walk_token(s, i);
        if (!walk_is_word(s, i, next, "return") || is_its_end(s, f, i))
            continue;
        count = put_line(line, most, count, walk_line(s, i));
    }
    return count;
}

size_t submission_call_lines(const struct submission *s, const char *names, unsigned *line,
                             size_t most)
{
    size_t count = 0;
    for (size_t i = 0, next; i < s->bytes && count <= most; i = next) {
        next = walk_token(s, i);
        if (!walk_is_in(s, i, next, names) || !walk_is_called(s, i, next))
            continue;
        count = put_line(line, most, count, walk_line(s, i));
    }
    return count;
}

/* ---- who calls whom ---- */

static bool has_line(const struct submission *s, struct function f, unsigned line, int depth,
                     int *budget)
{
    if (line >= walk_line(s, f.body) && line <= walk_line(s, f.end - 1))
        return true;
    for (size_t i = f.body, next; i < f.end && depth > 0 && *budget > 0; i = next) {
        next = walk_token(s, i);
        struct function called = called_at(s, i, next, f, budget);
        if (called.body != 0 && has_line(s, called, line, depth - 1, budget))
            return true;
    }
    return false;
}

unsigned submission_call_line(const struct submission *s, const char *function, unsigned line)
{
    struct function f = find_function(s, function);
    int budget = CALLS * CALLS;
    if (f.body == 0 || has_line(s, f, line, 0, &budget))
        return 0;
    for (size_t i = f.body, next; i < f.end && budget > 0; i = next) {
        next = walk_token(s, i);
        struct function called = called_at(s, i, next, f, &budget);
        if (called.body != 0 && has_line(s, called, line, 1, &budget))
            return walk_line(s, i);
    }
    return 0;
}

unsigned submission_caller(const struct submission *s, const char *name, char *caller, size_t size)
{
    int definitions = BRACKETS;
    for (size_t i = 0, next; i < s->bytes && definitions > 0; i = next) {
        next = walk_token(s, i);
        if (!walk_is_called(s, i, next))
            continue;
        definitions--;
        struct function f = defined_at(s, i, next);
        unsigned line;
        if (f.body == 0)
            continue;
        if (uses_in(s, f, name, 1, &line) > 0) {
            snprintf(caller, size, "%.*s", (int)(next - i), s->text + i);
            return line;
        }
        next = f.end;
    }
    return 0;
}

/* ---- what was reached ---- */

/* Is the token from `i` to `next` the name of a call that every log has, or of a kernel that is
 * launched? */
static bool is_logged_call(const struct submission *s, size_t i, size_t next)
{
    static const char *const names[] = { "cudaMemcpy",
                                         "cudaMemset",
                                         "cudaLaunch",
                                         "cudaStream",
                                         "cudaEvent",
                                         "cudaGraphLaunch",
                                         "cudaDeviceSynchronize",
                                         "cudaMalloc",
                                         "cudaFree",
                                         "cudaMemPrefetch",
                                         "cudaDeviceCanAccessPeer",
                                         "cudaDeviceEnablePeerAccess" };
    if (!lexer_in_word(s->text[i]))
        return false;
    bool called = walk_is_called(s, i, next);
    for (size_t k = 0; k < sizeof names / sizeof *names && called; k++)
        if (next - i >= strlen(names[k]) && memcmp(s->text + i, names[k], strlen(names[k])) == 0)
            return true;
    return walk_is_launch(s, walk_blanks(s, next));
}

/* The first such call of a function that was not reached, an index of the text; 0: there is none.
 * *any: was another? */
static size_t unreached_in(const struct submission *s, struct function f,
                           const struct reached *reached, bool *any, int *budget)
{
    size_t first = 0;
    *any = false;
    for (size_t i = f.body, next; i < f.end && *budget > 0; i = next) {
        next = walk_token(s, i);
        if (!is_logged_call(s, i, next))
            continue;
        --*budget;
        bool was = reached->line(reached->log, walk_line(s, i));
        *any |= was;
        first = first == 0 && !was ? i : first;
    }
    return first;
}

static unsigned name_at(const struct submission *s, size_t i, char *name, size_t size)
{
    snprintf(name, size, "%.*s", (int)(walk_token(s, i) - i), s->text + i);
    return walk_line(s, i);
}

unsigned submission_unreached(const struct submission *s, const char *function,
                              const struct reached *reached, char *name, size_t size)
{
    bool any;
    int budget = LOGGED;
    struct function f = find_function(s, function);
    size_t first = f.body != 0 ? unreached_in(s, f, reached, &any, &budget) : 0;
    return first != 0 ? name_at(s, first, name, size) : 0;
}

static bool is_statement(const struct submission *s, size_t i, size_t next)
{
    static const char *const words[] = { "if", "for", "while", "switch" };
    for (size_t k = 0; k < sizeof words / sizeof *words; k++)
        if (walk_is_word(s, i, next, words[k]))
            return true;
    return false;
}

/* Is the function's name anywhere but in front of its body? Then something may call it, on a way
 * that leaves out the calls of the log. */
static bool is_named_elsewhere(const struct submission *s, struct function f)
{
    size_t length = walk_token(s, f.name) - f.name;
    for (size_t i = 0, next; i < s->bytes; i = next) {
        next = walk_token(s, i);
        if (i == f.name)
            next = f.end;
        else if (next - i == length && memcmp(s->text + i, s->text + f.name, length) == 0)
            return true;
    }
    return false;
}

unsigned submission_uncalled(const struct submission *s, const struct reached *reached, char *name,
                             size_t size)
{
    int definitions = BRACKETS, budget = LOGGED, named = NAMED;
    for (size_t i = 0, next; i < s->bytes && definitions > 0 && named > 0; i = next) {
        bool any;
        next = walk_token(s, i);
        if (!walk_is_called(s, i, next))
            continue;
        definitions--;
        struct function f = defined_at(s, i, next);
        if (f.body == 0)
            continue;
        if (!is_statement(s, i, next) && unreached_in(s, f, reached, &any, &budget) != 0 && !any) {
            if (!is_named_elsewhere(s, f))
                return name_at(s, i, name, size);
            named--;
        }
        next = f.end;
    }
    return 0;
}
