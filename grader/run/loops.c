/* SPDX-License-Identifier: MIT */
#include "grader/run/loops.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "grader/run/lexer.h"
#include "grader/run/walk.h"

enum {
    LOOPS = 200,                /* that may have a line in their body */
    SETTERS = 100,              /* uses of a name, which may set it */
    POINTERS = 4, /* names that may be pointers: what is above each is looked through */
    VARIABLE = 64,
};

/* Past the statement that begins at `i`: a block, or all up to a semicolon that is in no brackets.
 */
static size_t past_statement(const struct submission *s, size_t i)
{
    for (size_t next; i < s->bytes; i = next) {
        next = s->text[i] == '(' || s->text[i] == '{' ? walk_brackets(s, i) : walk_token(s, i);
        if (s->text[i] == '{' || s->text[i] == ';')
            return next;
    }
    return i;
}

/* Where the body begins of the statement whose first word that is, one of `words`; s->bytes: it is
 * none. */
static size_t body_of(const struct submission *s, size_t i, size_t next, const char *words)
{
    size_t head = walk_blanks(s, next);
    if (!walk_is_in(s, i, next, words))
        return s->bytes;
    if (walk_is_in(s, i, next, "do else"))
        return head;
    return head < s->bytes && s->text[head] == '(' ? walk_blanks(s, walk_brackets(s, head))
                                                   : s->bytes;
}

/* The innermost statement of these words that has the line in its body, or the outermost one: where
 * it begins and ends; end 0: there is none. */
struct around { size_t begin, end; };
static struct around find_around(const struct submission *s, unsigned line, const char *words,
                                 bool innermost)
{
    struct around found = { 0, 0 };
    size_t at = walk_line_start(s, line);
    int budget = LOOPS;
    for (size_t i = 0, next; i < at && budget > 0 && (innermost || found.end == 0); i = next) {
        next = walk_token(s, i);
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
        *last = walk_line(s, loop.end - 1);
    return loop.end > 0 ? walk_line(s, loop.begin) : 0;
}

/* The variable whose address is the last argument of the call that is named at `i`: "&x)"; a length
 * of 0: it is something else. */
struct word { size_t begin, end; };
static struct word address_given(const struct submission *s, size_t next)
{
    size_t open = walk_blanks(s, next), close = walk_brackets(s, open), last = s->bytes;
    for (size_t i = open + 1, then; i + 1 < close; i = then) {
        then = s->text[i] == '(' ? walk_brackets(s, i) : walk_token(s, i);
        last = s->text[i] == ',' ? walk_blanks(s, then) : last;
    }
    if (last < close && s->text[last] == '(')
        last = walk_blanks(s, walk_brackets(s, last));      /* a cast */
    if (close >= s->bytes || last >= close || s->text[last] != '&')
        return (struct word){ 0, 0 };
    size_t begin = walk_blanks(s, last + 1), end = walk_token(s, begin);
    bool alone = lexer_in_word(s->text[begin]) && walk_blanks(s, end) == close - 1;
    return alone ? (struct word){ begin, end } : (struct word){ 0, 0 };
}

/* Is the name, at `i`, declared there, or assigned as a whole? */
static bool is_set(const struct submission *s, size_t i, size_t next, bool declared)
{
    size_t then = walk_blanks(s, next);
    bool assigned = then + 1 < s->bytes && s->text[then] == '=' && s->text[then + 1] != '=';
    return !walk_is_field(s, i) && then < s->bytes
           && (assigned || (declared && strchr(";,{[", s->text[then])));
}

/* Does a loop declare the variable, or assign it as a whole? */
static bool sets(const struct submission *s, struct around loop, struct word variable)
{
    bool after_type = false;
    int budget = SETTERS;
    for (size_t i = loop.begin, next; i < loop.end && budget > 0; i = next) {
        next = walk_token(s, i);
        if (isspace((unsigned char)s->text[i]) || lexer_is_comment(s->text, i, next))
            continue;
        bool same = next - i == variable.end - variable.begin
                    && memcmp(s->text + i, s->text + variable.begin, next - i) == 0;
        if (same && is_set(s, i, next, after_type))
            return true;
        budget -= same;
        after_type = lexer_in_word(s->text[i]) && !walk_is_in(s, i, next, "return else do");
    }
    return false;
}

unsigned submission_turn_variable(const struct submission *s, const char *names,
                                  const struct reached *reached, char *name, size_t size)
{
    int budget = LOOPS;
    for (size_t i = 0, next; i < s->bytes && budget > 0; i = next) {
        next = walk_token(s, i);
        if (!walk_is_in(s, i, next, names) || !walk_is_called(s, i, next))
            continue;
        budget--;
        unsigned line = walk_line(s, i);
        struct around loop = find_around(s, line, "for while do", true);
        struct word variable = address_given(s, next);
        if (variable.end == 0 || loop.end <= i || !sets(s, loop, variable)
            || !reached->line(reached->log, line))
            continue;
        snprintf(name, size, "%.*s", (int)(variable.end - variable.begin),
                 s->text + variable.begin);
        return line;
    }
    return 0;
}

unsigned submission_condition_line(const struct submission *s, unsigned line)
{
    struct around choice = find_around(s, line, "if else", true);
    return choice.end > 0 ? walk_line(s, choice.begin) : 0;
}

unsigned submission_if_line(const struct submission *s, unsigned line)
{
    struct around choice = find_around(s, line, "if", false);
    return choice.end > 0 ? walk_line(s, choice.begin) : 0;
}

/* ---- what a line uses ---- */

struct range { size_t begin, end; };

/* The argument of that number, from 1, of the call or launch whose name ends at `i`; empty: none.
 */
static struct range argument_of(const struct submission *s, size_t i, unsigned number)
{
    for (i = walk_blanks(s, i); walk_is_launch(s, i) || s->text[i] == '<'; i = walk_blanks(s, i)) {
        while (i + 3 < s->bytes && memcmp(s->text + i, ">>>", 3) != 0)
            i++;
        i += 3;
        if (i >= s->bytes)
            return (struct range){ 0, 0 };
    }
    if (i >= s->bytes || s->text[i] != '(')
        return (struct range){ 0, 0 };
    size_t end = walk_brackets(s, i) - 1, begin = i + 1;
    for (i = begin; i < end; ) {
        bool opens = strchr("([{", s->text[i]) != NULL;
        size_t next = opens ? walk_brackets(s, i) : walk_token(s, i);
        if (s->text[i] == ',' && --number == 0)
            return (struct range){ begin, i };
        begin = s->text[i] == ',' ? next : begin;
        i = next;
    }
    return number == 1 ? (struct range){ begin, end } : (struct range){ 0, 0 };
}

/* The line of the last assignment to the variable or field at `i`, or, if an element of it stands
 * there, to an element, before that; 0: none since the beginning of the function, which is where a
 * line begins with a brace that closes the one before. */
static unsigned set_before(const struct submission *s, size_t i, size_t next)
{
    size_t found = 0, length = next - i, used = walk_blanks(s, next);
    bool field = walk_is_field(s, i), element = used < s->bytes && s->text[used] == '[';
    for (size_t k = 0, then; k < i; k = then) {
        then = walk_token(s, k);
        if (s->text[k] == '}' && k > 0 && s->text[k - 1] == '\n')
            found = 0;
        size_t after = walk_blanks(s, then);
        if (element && after < s->bytes && s->text[after] == '[')
            after = walk_blanks(s, walk_brackets(s, after));
        if (then - k == length && memcmp(s->text + k, s->text + i, length) == 0
            && walk_is_field(s, k) == field && after + 1 < s->bytes && s->text[after] == '='
            && s->text[after + 1] != '=')
            found = k;
    }
    return found != 0 ? walk_line(s, found) : 0;
}

unsigned submission_set_line(const struct submission *s, unsigned line, const char *name,
                             unsigned number, char *variable, size_t size)
{
    struct range a = { 0, 0 };
    for (size_t i = 0, next; i < s->bytes && a.end == 0; i = next) {
        next = walk_token(s, i);
        if (walk_is_word(s, i, next, name) && walk_line(s, i) == line)
            a = argument_of(s, next, number);
    }
    unsigned found = 0;
    for (size_t i = a.begin, next; i < a.end && found == 0; i = next) {
        next = walk_token(s, i);
        if (!lexer_in_word(s->text[i]) || isdigit((unsigned char)s->text[i])
            || walk_is_called(s, i, next))
            continue;
        found = set_before(s, i, next);
        snprintf(variable, size, "%.*s", (int)(next - i), s->text + i);
    }
    return found;
}

/* One more variable that is set on line `set` (0: it is not set): false where it is another than
 * the one that was found. */
static bool put_pointer(unsigned set, const char *name, unsigned *found, char *variable,
                        size_t size)
{
    if (set == 0)
        return true;
    if (*found != 0)
        return strcmp(name, variable) == 0;
    *found = set;
    snprintf(variable, size, "%s", name);
    return true;
}

unsigned submission_pointer_line(const struct submission *s, unsigned line, char *variable,
                                 size_t size)
{
    static const struct { const char *call; unsigned argument; } given[] = {
        { "memset", 1 }, { "memcpy", 1 }, { "memcpy", 2 }, { "memmove", 1 }, { "memmove", 2 },
    };
    unsigned found = 0;
    bool one = true;
    int budget = POINTERS;
    char name[VARIABLE];
    for (size_t i = 0; i < sizeof given / sizeof *given && one; i++) {
        unsigned set = submission_set_line(s, line, given[i].call, given[i].argument, name,
                                           sizeof name);
        one = put_pointer(set, name, &found, variable, size);
    }
    for (size_t i = walk_line_start(s, line), next;
         one && budget > 0 && i < s->bytes && s->text[i] != '\n'; i = next) {
        next = walk_token(s, i);
        size_t then = walk_blanks(s, next);
        bool pointer = lexer_in_word(s->text[i]) && !isdigit((unsigned char)s->text[i])
                       && !walk_is_field(s, i) && then + 1 < s->bytes
                       && (s->text[then] == '[' || memcmp(s->text + then, "->", 2) == 0);
        budget -= pointer;
        snprintf(name, sizeof name, "%.*s", (int)(next - i), s->text + i);
        one = put_pointer(pointer ? set_before(s, i, next) : 0, name, &found, variable, size);
    }
    return one ? found : 0;
}
