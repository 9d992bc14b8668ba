/* SPDX-License-Identifier: MIT */
#include "simcc/rewrite/unread.h"

#include <stdint.h>
#include <string.h>

/* May a statement begin here: after ; { } else do if (…)? */
static bool begins_statement(const struct tokens *t, size_t token)
{
    static const char *const words[] = { ";", "{", "}", "else", "do" };
    size_t last = token_before(t, token);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (last == t->count || token_is(t, last, words[i]))
            return true;
    size_t open = token_is(t, last, ")") ? token_open(t, last) : SIZE_MAX;
    size_t word = open != SIZE_MAX ? token_before(t, open) : t->count;
    return token_is(t, word, "if") || token_is(t, word, "for") || token_is(t, word, "while");
}

/* Is it CHECK(query(s)), by which a program ends that was told "not yet"? */
static bool is_checked_query(const struct tokens *t, size_t name, size_t first, size_t close)
{
    size_t last = token_before(t, first), second = token_before(t, last),
           third = token_before(t, second);
    return (token_is(t, name, "cudaStreamQuery") || token_is(t, name, "cudaEventQuery"))
           && token_is(t, third, "streams_check") && token_is(t, second, "(")
           && token_is(t, last, "(") && token_is(t, token_behind(t, close), ")");
}

/* Is it (void)name; ? */
static bool is_cast_away(const struct tokens *t, size_t name)
{
    size_t last = token_before(t, name), second = token_before(t, last),
           third = token_before(t, second);
    return token_is(t, last, ")") && token_is(t, second, "void") && token_is(t, third, "(")
           && begins_statement(t, third) && token_is(t, token_behind(t, name), ";");
}

static bool same_name(const struct tokens *t, size_t a, size_t b)
{
    return t->list[a].kind == TOKEN_NAME && t->list[a].length == t->list[b].length
           && memcmp(t->text + t->list[a].at, t->text + t->list[b].at, t->list[b].length) == 0;
}

/* Is it name = …; a statement that does not name it on the right? */
static bool is_overwritten(const struct tokens *t, size_t name)
{
    size_t equals = token_behind(t, name), last = token_before(t, name);
    if (!token_is(t, equals, "=") || token_is(t, token_behind(t, equals), "=")
        || !(token_is(t, last, ";") || token_is(t, last, "}") || token_is(t, last, "{")))
        return false;
    for (size_t i = equals; i < t->count && !token_is(t, i, ";"); i++)
        if (same_name(t, i, name))
            return false;
    return true;
}

/* The value that initialises a variable ends at token `close`. Does the block end, or overwrite the
 * variable, before it is read? */
static bool is_lost(const struct tokens *t, size_t variable, size_t close)
{
    int depth = 0;
    for (size_t i = token_behind(t, close); i < t->count && depth >= 0; i++) {
        depth += token_is(t, i, "{") ? 1 : token_is(t, i, "}") ? -1 : 0;
        if (!same_name(t, i, variable) || is_cast_away(t, i))
            continue;
        return depth == 0 && is_overwritten(t, i);
    }
    return true;
}

/* Does it initialise a variable that is never read afterwards, as in cudaError_t e = call(…);? */
static bool is_kept_unread(const struct tokens *t, size_t first, size_t close)
{
    size_t equals = token_before(t, first), variable = token_before(t, equals),
           type = token_before(t, variable);
    if (!token_is(t, token_behind(t, close), ";") || !token_is(t, equals, "=")
        || !token_is_name(t, variable)
        || !(token_is(t, type, "cudaError_t") || token_is(t, type, "auto")))
        return false;
    size_t before = token_before(t, type);
    return begins_statement(t, token_is(t, before, "const") ? before : type)
           && is_lost(t, variable, close);
}

static bool is_value(const struct tokens *t, size_t token)
{
    static const char *const words[] = { "return", "throw", "case", "co_return", NULL };
    return token < t->count && !token_is_any(t, token, words)
           && (token_is_name(t, token) || t->list[token].kind == TOKEN_NUMBER);
}

/* == or !=, which are two tokens */
static bool is_comparison(const struct tokens *t, size_t first, size_t second)
{
    return (token_is(t, first, "=") || token_is(t, first, "!")) && token_is(t, second, "=");
}

/* Behind a call's `close`: is the rest of the statement operators and calls that ask for nothing of
 * it? && and || ask the call on their left. */
static bool leads_on(const struct tokens *t, size_t close, size_t *end)
{
    static const char *const joins[] = { "|", "+", "&", "^", "::", ")", NULL };
    size_t i = token_behind(t, close);
    for (; i < t->count && !token_is(t, i, ";"); *end = i, i = token_behind(t, i)) {
        size_t next = token_behind(t, i);
        bool asks = (token_is(t, i, "|") && token_is(t, next, "|"))
                    || (token_is(t, i, "&") && token_is(t, next, "&"));
        if (token_is(t, i, "("))
            i = token_close(t, i);
        else if (is_comparison(t, i, next))
            i = next;
        else if (asks || (!token_is_any(t, i, joins) && !is_value(t, i)))
            return false;
    }
    return i < t->count;
}

/* Does it stand between the parentheses of a for, where a semicolon ends no statement? */
static bool is_in_header(const struct tokens *t, size_t first)
{
    for (size_t i = token_before(t, first); i < t->count; i = token_before(t, i)) {
        if (token_is(t, i, "(") && token_is(t, token_before(t, i), "for"))
            return true;
        if (token_is(t, i, "{") || token_is(t, i, "}"))
            return false;
        if (token_is(t, i, ")") && (i = token_open(t, i)) == SIZE_MAX)
            return false;
    }
    return false;
}

/* Is it one of several in an expression that is a statement by itself, or initialises a variable
 * that is never read: cudaError_t e = call(…) | other(…);? */
static bool is_joined_unread(const struct tokens *t, size_t first, size_t close)
{
    static const char *const joins[] = { "|", "+", "&", "^", "!", "::", NULL };
    static const char *const types[] = { "cudaError_t", "auto", "int", "unsigned", "bool", NULL };
    size_t last = close;
    if (!leads_on(t, close, &last) || is_in_header(t, first))
        return false;
    for (size_t i; !begins_statement(t, first); first = i) {
        i = token_before(t, first);
        if (is_comparison(t, token_before(t, i), i)) {
            i = token_before(t, i);
        } else if (token_is(t, i, "=")) {
            size_t variable = token_before(t, i), type = token_before(t, variable),
                   before = token_before(t, type);
            return token_is_name(t, variable) && token_is_any(t, type, types)
                   && begins_statement(t, token_is(t, before, "const") ? before : type)
                   && is_lost(t, variable, last);
        } else if (token_is(t, i, "(")) {
            if (token_is_name(t, token_before(t, i)))
                return false;           /* what it is given to looks at it */
        } else if (token_is(t, i, ")")) {
            if ((i = token_open(t, i)) == SIZE_MAX)
                return false;
        } else if (!is_value(t, i) && !token_is_any(t, i, joins)) {
            return false;
        }
    }
    return true;
}

/* Before token `comma`: the beginning of the statement that it is in; t->count where it is in
 * parentheses or brackets, or where the statement hands a value on. */
static size_t statement_of(const struct tokens *t, size_t comma)
{
    static const char *const values[] = { "return", "throw", "co_return", "case", NULL };
    size_t i = comma;
    do {
        i = token_before(t, i);
        if (token_is(t, i, ")") || token_is(t, i, "]") || token_is(t, i, "}"))
            i = token_open(t, i);
        else if (token_opens(t, i))
            return t->count;
        if (i >= t->count)
            return t->count;
    } while (!begins_statement(t, i));
    return token_is_any(t, i, values) ? t->count : i;
}

/* Is it left, or last, of a comma in an expression that is a statement: call(…), other(…);? What
 * such a comma joins is no list that something is given. */
static bool is_after_or_before_comma(const struct tokens *t, size_t first, size_t close)
{
    size_t last = token_before(t, first), next = token_behind(t, close);
    bool after = token_is(t, last, ",") && statement_of(t, last) < t->count;
    if (!(token_is(t, next, ",") || (after && token_is(t, next, ";")))
        || !(after || begins_statement(t, first)) || is_in_header(t, first))
        return false;
    while (next < t->count && !token_is(t, next, ";")) {
        if (token_opens(t, next))
            next = token_close(t, next);
        else if (token_is(t, next, "}") || token_is(t, next, ")") || token_is(t, next, "]"))
            return false;       /* the end of a list */
        next = next < t->count ? token_behind(t, next) : t->count;
    }
    return next < t->count;
}

/* The body of the function that token `at` is in, or what is around that: from `*begin` to the
 * token returned. */
static size_t around(const struct tokens *t, size_t at, size_t *begin)
{
    int depth = 0;
    *begin = at;
    for (size_t i = at; i-- > 0;) {
        depth += token_is(t, i, "}") ? 1 : token_is(t, i, "{") ? -1 : 0;
        if (depth < 0) {
            *begin = i;
            depth = 0;
        }
    }
    return *begin == at ? at : token_close(t, *begin);
}

/* Is it a local variable that no reference, pointer or lambda can reach? */
static bool is_alone(const struct tokens *t, size_t variable)
{
    static const char *const types[] = { "cudaError_t", "auto", "int", NULL };
    size_t begin, end = around(t, variable, &begin);
    bool declared = false;
    for (size_t i = begin; i < end; i++) {
        size_t last = token_before(t, i);
        if (token_is(t, i, "[") && (token_is(t, token_behind(t, i), "&")))
            return false;
        if (!same_name(t, i, variable))
            continue;
        if (token_is(t, last, "&"))
            return false;
        declared = declared || token_is_any(t, last, types);
    }
    return declared;
}

/* Is it put into a variable that the same block overwrites before anything reads it, and before
 * the block can be left: e = call(…); e = other(…);? */
static bool is_overwritten_unread(const struct tokens *t, size_t first, size_t close)
{
    static const char *const leaves[] = { "return", "break", "continue", "goto", "throw",
                                          "case", "default", NULL };
    size_t equals = token_before(t, first), variable = token_before(t, equals);
    if (!token_is(t, equals, "=") || !token_is_name(t, variable) || !begins_statement(t, variable)
        || !token_is(t, token_behind(t, close), ";") || !is_alone(t, variable))
        return false;
    int depth = 0;
    for (size_t i = token_behind(t, close); i < t->count && depth >= 0; i++) {
        depth += token_is(t, i, "{") ? 1 : token_is(t, i, "}") ? -1 : 0;
        if (token_is_any(t, i, leaves))
            return false;
        if (same_name(t, i, variable) && !is_cast_away(t, i))
            return depth == 0 && is_overwritten(t, i);
    }
    return false;
}

bool is_unread(const struct tokens *t, size_t name, size_t first, size_t close)
{
    if (is_after_or_before_comma(t, first, close))
        return true;
    if (is_checked_query(t, name, first, close) || is_kept_unread(t, first, close)
        || is_overwritten_unread(t, first, close) || is_joined_unread(t, first, close))
        return true;
    for (bool more = true; more;) {
        size_t last = token_before(t, first), second = token_before(t, last),
               third = token_before(t, second);
        bool cast =
            token_is(t, last, ")") && token_is(t, second, "void") && token_is(t, third, "(");
        bool brackets = token_is(t, last, "(") && token_is(t, token_behind(t, close), ")")
                        && !token_is_name(t, second);
        if (cast)
            first = third;
        else if (brackets)
            first = last, close = token_behind(t, close);
        more = cast || brackets;
    }
    return token_is(t, token_behind(t, close), ";") && begins_statement(t, first);
}

/* ---- an error taken for "done" ---- */

/* What stands from token `first` to `last`: is it compared with cudaErrorNotReady? */
static bool is_compared(const struct tokens *t, size_t first, size_t last)
{
    size_t one = token_behind(t, last), two = token_behind(t, one);
    if (is_comparison(t, one, two) && token_is(t, token_behind(t, two), "cudaErrorNotReady"))
        return true;
    two = token_before(t, first), one = token_before(t, two);
    return is_comparison(t, one, two) && token_is(t, token_before(t, one), "cudaErrorNotReady");
}

/* Is a value put into the variable that is named there, or is it declared, or cast to void, or
 * compared with cudaErrorNotReady? */
static bool tells_no_more(const struct tokens *t, size_t name)
{
    static const char *const types[] = { "cudaError_t", "auto", "int", NULL };
    size_t behind = token_behind(t, name);
    if ((token_is(t, behind, "=") && !token_is(t, token_behind(t, behind), "="))
        || is_cast_away(t, name))
        return true;
    return (token_is(t, behind, ";") && token_is_any(t, token_before(t, name), types))
           || is_compared(t, name, name);
}

/* The ( in which the token stands; t->count: it stands in none. */
static size_t bracket_of(const struct tokens *t, size_t token)
{
    for (size_t i = token_before(t, token); i < t->count; i = token_before(t, i)) {
        if (token_is(t, i, "("))
            return i;
        if (token_is(t, i, ";") || token_is(t, i, "{") || token_is(t, i, "}"))
            return t->count;
        if ((token_is(t, i, ")") || token_is(t, i, "]")) && (i = token_open(t, i)) == SIZE_MAX)
            return t->count;
    }
    return t->count;
}

static bool is_print(const struct tokens *t, size_t name)
{
    static const char *const prints[] = { "fprintf", "printf", "fputs", "puts", "perror", NULL };
    return token_is_any(t, name, prints);
}

/* The last token of the statement that begins at `token`: its ; or its }. */
static size_t statement_end(const struct tokens *t, size_t token)
{
    if (token_is(t, token, "{"))
        return token_close(t, token);
    while (token < t->count && !token_is(t, token, ";"))
        token = token_behind(t, token_is(t, token, "(") ? token_close(t, token) : token);
    return token;
}

/* Does the statement at `token`, a block perhaps, nothing but print? */
static bool only_prints(const struct tokens *t, size_t token)
{
    bool block = token_is(t, token, "{");
    size_t end = statement_end(t, token);
    for (size_t i = block ? token_behind(t, token) : token; i < end;
         i = token_behind(t, statement_end(t, i))) {
        size_t name = token_is(t, i, "std") ? token_behind(t, token_behind(t, i)) : i;
        if (!is_print(t, name))
            return false;
        if (!block)
            break;
    }
    return end < t->count;
}

/* Is it printed, and nothing more, or asked for by an if that only prints? The program goes on. */
static bool is_only_printed(const struct tokens *t, size_t name)
{
    static const char *const texts[] = { "cudaGetErrorString", "cudaGetErrorName", NULL };
    size_t open = bracket_of(t, name);
    while (token_is_any(t, token_before(t, open), texts))
        open = bracket_of(t, token_before(t, open));
    if (open >= t->count)
        return false;
    if (!token_is(t, token_before(t, open), "if"))
        return is_print(t, token_before(t, open));
    size_t body = token_behind(t, token_close(t, open));
    return only_prints(t, body) && !token_is(t, token_behind(t, statement_end(t, body)), "else");
}

/* Does it stand in an if that asks for one error alone, if (status == cudaErrorLaunchFailure) …? Of
 * every other error nothing tells. */
static bool is_for_one_error(const struct tokens *t, size_t name)
{
    size_t begin, end = around(t, name, &begin);
    for (size_t i = begin; i < end && i < name; i++) {
        size_t open = token_behind(t, i), variable = token_behind(t, open),
               one = token_behind(t, variable), two = token_behind(t, one),
               error = token_behind(t, two), close = token_behind(t, error);
        if (!token_is(t, i, "if") || !token_is(t, open, "(") || !same_name(t, variable, name)
            || !token_is(t, one, "=") || !token_is(t, two, "=")
            || !token_starts(t, error, "cudaError") || !token_is(t, close, ")"))
            continue;
        size_t last = statement_end(t, token_behind(t, close));
        if (name <= last && !token_is(t, token_behind(t, last), "else"))
            return true;
    }
    return false;
}

/* A variable that an assignment, or an initialiser, puts the answer into. */
static bool is_kept_half_read(const struct tokens *t, size_t variable)
{
    size_t begin, end = around(t, variable, &begin);
    for (size_t i = begin; i < end; i++)
        if (same_name(t, i, variable) && !tells_no_more(t, i) && !is_only_printed(t, i)
            && !is_for_one_error(t, i))
            return false;
    return begin < end;
}

/* ---- an error that is not reported ---- */

/* Is it return; or { return; } that stands after the ) of an if, without an else? */
static bool returns_quietly(const struct tokens *t, size_t close)
{
    size_t body = token_behind(t, close), word = body;
    if (token_is(t, body, "{"))
        word = token_behind(t, body);
    size_t stop = token_behind(t, word), end = stop;
    if (word != body)
        end = token_behind(t, stop);
    return token_is(t, word, "return") && token_is(t, stop, ";")
           && (word == body || token_is(t, end, "}"))
           && !token_is(t, token_behind(t, end), "else");
}

/* Is it if (… ) return; where the value that ends at token `last` is all that is asked for, or is
 * compared with cudaSuccess? */
static bool is_asked_quietly(const struct tokens *t, size_t first, size_t last)
{
    size_t open = token_before(t, first), one = token_behind(t, last), two = token_behind(t, one),
           success = token_behind(t, two);
    if (!token_is(t, open, "(") || !token_is(t, token_before(t, open), "if"))
        return false;
    bool compared = token_is(t, one, "!") && token_is(t, two, "=")
                    && token_is(t, success, "cudaSuccess");
    size_t close = compared ? token_behind(t, success) : one;
    return token_is(t, close, ")") && returns_quietly(t, close);
}

bool is_swallowed(const struct tokens *t, size_t name, size_t first, size_t close)
{
    static const char *const asks[] = { "cudaGetLastError", "cudaPeekAtLastError", NULL };
    if (!token_is_any(t, name, asks))
        return false;
    if (is_asked_quietly(t, first, close))
        return true;
    size_t equals = token_before(t, first), variable = token_before(t, equals), begin,
           end = around(t, name, &begin);
    if (!token_is(t, equals, "=") || !token_is_name(t, variable)
        || !token_is(t, token_behind(t, close), ";") || !is_alone(t, variable))
        return false;
    bool asked = false;
    for (size_t i = close; i < end; i++)
        if (same_name(t, i, variable)) {
            if (asked || !is_asked_quietly(t, i, i))
                return false;
            asked = true;
        }
    return asked;
}

bool is_half_read(const struct tokens *t, size_t name, size_t first, size_t close)
{
    if (!token_is(t, name, "cudaStreamQuery") && !token_is(t, name, "cudaEventQuery"))
        return false;
    size_t before = token_before(t, first), behind = token_behind(t, close);
    while (token_is(t, before, "(") && token_is(t, behind, ")")
           && (!token_is_name(t, token_before(t, before))
               || token_is(t, token_before(t, before), "return"))) {
        first = before, close = behind;
        before = token_before(t, first), behind = token_behind(t, close);
    }
    if (is_compared(t, first, close))
        return true;
    size_t variable = token_before(t, before);
    return token_is(t, before, "=") && token_is_name(t, variable)
           && !token_is(t, token_before(t, variable), "->")
           && !token_is(t, token_before(t, variable), ".") && is_kept_half_read(t, variable);
}
