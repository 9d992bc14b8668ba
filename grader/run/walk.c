/* SPDX-License-Identifier: MIT */
#include "grader/run/walk.h"

#include <ctype.h>
#include <string.h>

#include "grader/run/lexer.h"

enum { PARAMETERS = 4096 };     /* bytes of a function's list of them */

size_t walk_line_start(const struct submission *s, unsigned line)
{
    size_t begin = 0;
    for (unsigned at = 1; begin < s->bytes && at < line; begin++)
        at += s->text[begin] == '\n';
    while (begin < s->bytes && isspace((unsigned char)s->text[begin]))
        begin++;
    return begin;
}

size_t walk_token(const struct submission *s, size_t i)
{
    return lexer_past(s->text, s->bytes, i);
}

size_t walk_blanks(const struct submission *s, size_t i)
{
    for (size_t next; i < s->bytes; i = next) {
        next = walk_token(s, i);
        if (!isspace((unsigned char)s->text[i]) && !lexer_is_comment(s->text, i, next))
            break;
    }
    return i;
}

size_t walk_brackets(const struct submission *s, size_t i)
{
    char open = s->text[i], close = open == '(' ? ')' : open == '[' ? ']' : '}';
    size_t depth = 0, end = open == '(' && s->bytes - i > PARAMETERS ? i + PARAMETERS : s->bytes;
    for (; i < end; i = walk_token(s, i)) {
        depth += s->text[i] == open;
        if (s->text[i] == close && --depth == 0)
            return i + 1;
    }
    return s->bytes;
}

bool walk_is_word(const struct submission *s, size_t i, size_t next, const char *word)
{
    return next - i == strlen(word) && memcmp(s->text + i, word, next - i) == 0;
}

bool walk_is_launch(const struct submission *s, size_t i)
{
    return i + 3 < s->bytes && memcmp(s->text + i, "<<<", 3) == 0;
}

bool walk_is_called(const struct submission *s, size_t i, size_t next)
{
    size_t then = walk_blanks(s, next);
    return lexer_in_word(s->text[i]) && !isdigit((unsigned char)s->text[i]) && then < s->bytes
           && s->text[then] == '(';
}

bool walk_is_in(const struct submission *s, size_t i, size_t next, const char *names)
{
    for (const char *rest = names; *rest != '\0'; rest += strspn(rest, " ")) {
        size_t length = strcspn(rest, " ");
        if (next - i == length && memcmp(s->text + i, rest, length) == 0)
            return true;
        rest += length;
    }
    return false;
}

bool walk_is_field(const struct submission *s, size_t i)
{
    while (i > 0 && isspace((unsigned char)s->text[i - 1]))
        i--;
    return (i > 0 && s->text[i - 1] == '.')
           || (i > 1 && s->text[i - 2] == '-' && s->text[i - 1] == '>');
}

unsigned walk_line(const struct submission *s, size_t i)
{
    unsigned line = 1;
    while (i-- > 0)
        line += s->text[i] == '\n';
    return line;
}
