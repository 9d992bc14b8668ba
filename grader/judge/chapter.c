/* SPDX-License-Identifier: MIT */
#include "grader/judge/chapter.h"

#include <stdbool.h>
#include <string.h>

#include "grader/base/text.h"

static bool is_blank(const char *line, size_t length)
{
    return strspn(line, " \t\r") >= length;
}

static bool is_row(const char *line, size_t length)
{
    return length > 0 && line[0] == '|';
}

/* "## Chunks": 2, and where the words are; 0 for a line that is no heading. */
static size_t heading_level(const char *line, size_t length, const char **words)
{
    size_t level = strspn(line, "#");
    if (level == 0 || level >= length || line[level] != ' ')
        return 0;
    *words = line + level + strspn(line + level, " ");
    return level;
}

struct passage chapter_section(const char *text, const char *heading)
{
    struct passage p = { .text = NULL };
    const char *rest = text, *end = text + strlen(text), *line, *words;
    size_t length, level = 0, wanted = strlen(heading);
    bool fenced = false;
    for (unsigned number = 1; (line = text_next_line(&rest, end, &length)); number++) {
        if (length >= 3 && memcmp(line, "```", 3) == 0)
            fenced = !fenced;
        size_t here = fenced ? 0 : heading_level(line, length, &words);
        if (here == 0)
            continue;
        if (level != 0 && here <= level) {
            p.length = (size_t)(line - p.text);
            return p;
        }
        if (level == 0 && (size_t)(line + length - words) == wanted
            && memcmp(words, heading, wanted) == 0) {
            level = here;
            p = (struct passage){ .text = line, .length = (size_t)(end - line), .line = number };
        }
    }
    return p;
}

/* Do `words` begin at `at`, any white space for any? */
static bool begin_with(const char *at, const char *end, const char *words)
{
    while (*words != '\0') {
        if (*words == ' ') {
            if (at == end || !strchr(" \t\r\n", *at))
                return false;
            while (at < end && strchr(" \t\r\n", *at))
                at++;
            words += strspn(words, " ");
        } else if (at == end || *at++ != *words++) {
            return false;
        }
    }
    return true;
}

static bool has_words(const struct passage *p, const char *words)
{
    for (const char *at = p->text; at < p->text + p->length; at++)
        if (begin_with(at, p->text + p->length, words))
            return true;
    return false;
}

struct reader {
    const char *rest, *end;
    unsigned line;              /* of what comes next */
    const char *columns;        /* the first line of the table that we are in */
    size_t columns_length;
};

static bool next_paragraph(struct reader *r, struct passage *p)
{
    const char *line;
    size_t length;
    *p = (struct passage){ .text = NULL };
    while ((line = text_next_line(&r->rest, r->end, &length))) {
        bool blank = is_blank(line, length), row = is_row(line, length);
        if (p->text && (blank || row)) {
            r->rest = line;
            break;
        }
        if (blank || !row)
            r->columns = NULL;
        if (row && !r->columns) {
            r->columns = line;
            r->columns_length = length;
        }
        if (!blank && !p->text)
            *p = (struct passage){ .text = line, .line = r->line, .columns = r->columns,
                                   .columns_length = r->columns_length };
        r->line++;
        if (p->text)
            p->length = (size_t)(r->rest - p->text);
        if (row)
            break;
    }
    return p->text;
}

size_t chapter_find(const char *text, const char *heading, const char *words, struct passage *p)
{
    struct passage section = chapter_section(text, heading), here;
    struct reader r = { .rest = section.text,
                        .end = section.text + section.length,
                        .line = section.line };
    size_t found = 0;
    while (section.line != 0 && next_paragraph(&r, &here))
        if (has_words(&here, words) && found++ == 0 && p)
            *p = here;
    return found;
}
