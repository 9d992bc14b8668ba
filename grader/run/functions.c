/* SPDX-License-Identifier: MIT */
#include "grader/run/functions.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "grader/run/lexer.h"

enum {
    NAME = 64,
    PARAMETERS = 4096,          /* bytes of a function's list of them */
    SAME_NAME = 16,             /* how often a function's name is looked at for its definition */
    CALLS = 24,                 /* calls whose functions are looked at */
    USES = 100,                 /* of a name: a line is counted from the file's beginning */
    BRACKETS = 300,             /* names in front of a bracket that may be definitions */
    LOOPS = 200,                /* that may have a line in their body */
    LOGGED = 500,               /* calls that the log is asked for */
};

/* ---- tokens ---- */

static size_t past_token(const struct submission *s, size_t i)
{
    return lexer_past(s->text, s->bytes, i);
}

/* From `i` on the first byte that is neither white space nor in a comment. */
static size_t past_blanks(const struct submission *s, size_t i)
{
    for (size_t next; i < s->bytes; i = next) {
        next = past_token(s, i);
        if (!isspace((unsigned char)s->text[i]) && !lexer_is_comment(s->text, i, next))
            break;
    }
    return i;
}

/* Past the bracket that closes the one at `i`; the end of the text where none does, or a list of
 * parameters is too long. */
static size_t past_brackets(const struct submission *s, size_t i)
{
    char open = s->text[i], close = open == '(' ? ')' : '}';
    size_t depth = 0, end = open == '(' && s->bytes - i > PARAMETERS ? i + PARAMETERS : s->bytes;
    for (; i < end; i = past_token(s, i)) {
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

/* Does a name stand there, and a bracket after it? */
static bool is_called(const struct submission *s, size_t i, size_t next)
{
    size_t then = past_blanks(s, next);
    return lexer_in_word(s->text[i]) && !isdigit((unsigned char)s->text[i]) && then < s->bytes
           && s->text[then] == '(';
}

static bool is_launch(const struct submission *s, size_t i)
{
    return i + 3 < s->bytes && memcmp(s->text + i, "<<<", 3) == 0;
}

static unsigned line_at(const struct submission *s, size_t i)
{
    unsigned line = 1;
    while (i-- > 0)
        line += s->text[i] == '\n';
    return line;
}

/* ---- functions ---- */

/* What a function has between its braces, and where its name stands; a body of 0: it is not defined
 * in the file. */
struct function { size_t name, body, end; };

/* The one whose definition begins with the name at `i`. */
static struct function defined_at(const struct submission *s, size_t i, size_t next)
{
    size_t body = past_blanks(s, past_brackets(s, past_blanks(s, next)));
    if (body >= s->bytes || s->text[body] != '{')
        return (struct function){ 0, 0, 0 };
    return (struct function){ i, body, past_brackets(s, body) };
}

static struct function find_function(const struct submission *s, const char *name)
{
    struct function f = { 0, 0, 0 };
    int budget = SAME_NAME;
    for (size_t i = 0, next; i < s->bytes && f.body == 0 && budget > 0; i = next) {
        next = past_token(s, i);
        if (!is_word(s, i, next, name) || !is_called(s, i, next))
            continue;
        budget--;
        f = defined_at(s, i, next);
    }
    return f;
}

static bool is_in_names(const struct submission *s, size_t i, size_t next, const char *names)
{
    for (const char *rest = names; *rest != '\0'; rest += strspn(rest, " ")) {
        size_t length = strcspn(rest, " ");
        if (next - i == length && memcmp(s->text + i, rest, length) == 0)
            return true;
        rest += length;
    }
    return false;
}

/* The function of the file that is called there, and is not the one in which that stands. */
static struct function called_at(const struct submission *s, size_t i, size_t next,
                                 struct function within, int *budget)
{
    char name[NAME];
    if (*budget <= 0 || !is_called(s, i, next) || next - i >= sizeof name
        || is_in_names(s, i, next, "if while for switch return sizeof CHECK"))
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

/* Is the name at `i` that of a field, after `->` or a dot? */
static bool is_field(const struct submission *s, size_t i)
{
    while (i > 0 && isspace((unsigned char)s->text[i - 1]))
        i--;
    return (i > 0 && s->text[i - 1] == '.')
           || (i > 1 && s->text[i - 2] == '-' && s->text[i - 1] == '>');
}

/* Is the word that is followed by the token at `then` used as is wanted? */
static bool is_use(const struct submission *s, size_t then, const char *word, bool adds_to)
{
    if (then + 1 >= s->bytes)
        return false;
    bool equals = s->text[then + 1] == '=';
    if (adds_to)
        return s->text[then] == '+' && equals;
    return is_constant(word) || s->text[then] == '(' || is_launch(s, then)
           || (s->text[then] == '=' && !equals);
}

/* On how many lines of a function `use` is so used, `most` for more; *line: the last of them. */
static size_t uses_in(const struct submission *s, struct function f, const char *use, size_t most,
                      unsigned *line)
{
    size_t count = 0, length = strlen(use);
    bool adds_to = length > 2 && strcmp(use + length - 2, "+=") == 0,
         field = strncmp(use, "->", 2) == 0;
    char word[NAME];
    snprintf(word, sizeof word, "%.*s", (int)(adds_to ? length - 2 : length),
             field ? use + 2 : use);
    int budget = USES;
    for (size_t i = f.body, next; i < f.end && count < most && budget > 0; i = next) {
        next = past_token(s, i);
        if (!is_word(s, i, next, word))
            continue;
        size_t then = past_blanks(s, next);
        if (then < s->bytes && s->text[then] == ']')
            then = past_blanks(s, then + 1);    /* it is the index */
        if (!(field ? is_field(s, i) : is_use(s, then, word, adds_to)))
            continue;
        budget--;
        unsigned found = line_at(s, i);
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
        next = past_token(s, i);
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
        next = past_token(s, i);
        last = is_word(s, i, next, "return") ? i : last;
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
    return uses == 1 ? line : uses == 0 ? line_at(s, last_return(s, f)) : line_at(s, f.name);
}

size_t submission_call_lines(const struct submission *s, const char *names, unsigned *line,
                             size_t most)
{
    size_t count = 0;
    unsigned last = 0;
    for (size_t i = 0, next; i < s->bytes && count <= most; i = next) {
        next = past_token(s, i);
        if (!is_in_names(s, i, next, names) || !is_called(s, i, next))
            continue;
        unsigned found = line_at(s, i);
        if (found != last && count < most)
            line[count] = found;
        count += found != last;
        last = found;
    }
    return count;
}

/* ---- loops ---- */

/* Past the statement that begins at `i`: a block, or all up to a semicolon that is in no brackets.
 */
static size_t past_statement(const struct submission *s, size_t i)
{
    for (size_t next; i < s->bytes; i = next) {
        next = s->text[i] == '(' || s->text[i] == '{' ? past_brackets(s, i) : past_token(s, i);
        if (s->text[i] == '{' || s->text[i] == ';')
            return next;
    }
    return i;
}

/* Past the blanks that a line begins with. */
static size_t start_of_line(const struct submission *s, unsigned line)
{
    size_t begin = 0;
    for (unsigned at = 1; begin < s->bytes && at < line; begin++)
        at += s->text[begin] == '\n';
    while (begin < s->bytes && isspace((unsigned char)s->text[begin]))
        begin++;
    return begin;
}

/* Where the body begins of the statement whose first word that is, one of `words`; s->bytes: it is
 * none. */
static size_t body_of(const struct submission *s, size_t i, size_t next, const char *words)
{
    size_t head = past_blanks(s, next);
    if (!is_in_names(s, i, next, words))
        return s->bytes;
    if (is_word(s, i, next, "do"))
        return head;
    return head < s->bytes && s->text[head] == '(' ? past_blanks(s, past_brackets(s, head))
                                                   : s->bytes;
}

/* The innermost statement of these words that has the line in its body, or the outermost one: where
 * it begins and ends; end 0: there is none. */
struct around { size_t begin, end; };
static struct around find_around(const struct submission *s, unsigned line, const char *words,
                                 bool innermost)
{
    struct around found = { 0, 0 };
    size_t at = start_of_line(s, line);
    int budget = LOOPS;
    for (size_t i = 0, next; i < at && budget > 0 && (innermost || found.end == 0); i = next) {
        next = past_token(s, i);
        size_t body = body_of(s, i, next, words);
        if (body >= s->bytes)
            continue;
        budget--;
        size_t past = body <= at ? past_statement(s, body) : 0;
        if (at < past)
            found = (struct around){ i, past };
    }
    return found;
}

unsigned submission_loop_line(const struct submission *s, unsigned line, unsigned *last)
{
    struct around loop = find_around(s, line, "for while do", true);
    if (last && loop.end > 0)
        *last = line_at(s, loop.end - 1);
    return loop.end > 0 ? line_at(s, loop.begin) : 0;
}

unsigned submission_if_line(const struct submission *s, unsigned line)
{
    struct around choice = find_around(s, line, "if", false);
    return choice.end > 0 ? line_at(s, choice.begin) : 0;
}

/* ---- who calls whom ---- */

static bool has_line(const struct submission *s, struct function f, unsigned line, int depth,
                     int *budget)
{
    if (line >= line_at(s, f.body) && line <= line_at(s, f.end - 1))
        return true;
    for (size_t i = f.body, next; i < f.end && depth > 0 && *budget > 0; i = next) {
        next = past_token(s, i);
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
        next = past_token(s, i);
        struct function called = called_at(s, i, next, f, &budget);
        if (called.body != 0 && has_line(s, called, line, 1, &budget))
            return line_at(s, i);
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
                                         "cudaMemPrefetch" };
    if (!lexer_in_word(s->text[i]))
        return false;
    bool called = is_called(s, i, next);
    for (size_t k = 0; k < sizeof names / sizeof *names && called; k++)
        if (next - i >= strlen(names[k]) && memcmp(s->text + i, names[k], strlen(names[k])) == 0)
            return true;
    return is_launch(s, past_blanks(s, next));
}

/* The first such call of a function that was not reached, an index of the text; 0: there is none.
 * *any: was another? */
static size_t unreached_in(const struct submission *s, struct function f,
                           const struct reached *reached, bool *any, int *budget)
{
    size_t first = 0;
    *any = false;
    for (size_t i = f.body, next; i < f.end && *budget > 0; i = next) {
        next = past_token(s, i);
        if (!is_logged_call(s, i, next))
            continue;
        --*budget;
        bool was = reached->line(reached->log, line_at(s, i));
        *any |= was;
        first = first == 0 && !was ? i : first;
    }
    return first;
}

static unsigned name_at(const struct submission *s, size_t i, char *name, size_t size)
{
    snprintf(name, size, "%.*s", (int)(past_token(s, i) - i), s->text + i);
    return line_at(s, i);
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
        if (is_word(s, i, next, words[k]))
            return true;
    return false;
}

unsigned submission_uncalled(const struct submission *s, const struct reached *reached, char *name,
                             size_t size)
{
    int definitions = BRACKETS, budget = LOGGED;
    for (size_t i = 0, next; i < s->bytes && definitions > 0; i = next) {
        bool any;
        next = past_token(s, i);
        if (!is_called(s, i, next))
            continue;
        definitions--;
        struct function f = defined_at(s, i, next);
        if (f.body == 0)
            continue;
        if (!is_statement(s, i, next) && unreached_in(s, f, reached, &any, &budget) != 0 && !any)
            return name_at(s, i, name, size);
        next = f.end;
    }
    return 0;
}
