/* SPDX-License-Identifier: MIT */
/* The page of pairs: one file, no script, nothing fetched. What students wrote goes through
 * html_text. */
#include "grader/batch/similar/similar.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "grader/report/html.h"
#include "trace/record/memory.h"

#define PAIRS_ON_PAGE 150u         /* with their texts */
#define COLOURS 6u

static const char style[] =
    ":root{color-scheme:light dark;--ground:#f6f7f9;--card:#fff;--ink:#1c2128;--soft:#545d68;--line:#d5dae0;--link:#0b57d0;"
    "--m0:#ffe3a6;--m1:#c9ecc9;--m2:#cfe0ff;--m3:#f7d0e6;--m4:#d9d3f7;--m5:#c6ecec}\n"
    "@media (prefers-color-scheme:dark){:root{--ground:#12151a;--card:#1b1f26;--ink:#e6e9ee;--soft:#a7b0bb;--line:#3a424d;"
    "--link:#8ab4f8;--m0:#4a3a10;--m1:#1d4327;--m2:#1d3660;--m3:#55213f;--m4:#382f63;--m5:#12474a}}\n"
    "*{box-sizing:border-box}body{margin:0 auto;padding:1rem;max-width:110rem;background:var(--ground);color:var(--ink);"
    "font:16px/1.5 system-ui,sans-serif}h1{font-size:1.5rem}h2{font-size:1.1rem;margin:0}a{color:var(--link)}\n"
    ".word{border-left:5px solid var(--link);background:var(--card);padding:.6rem 1rem}.soft{color:var(--soft)}\n"
    ".scroll{overflow-x:auto}table{border-collapse:collapse;width:100%;background:var(--card)}th,td{text-align:left;"
    "padding:.25rem .7rem;border-bottom:1px solid var(--line);overflow-wrap:anywhere}.number{text-align:right;"
    "font-variant-numeric:tabular-nums;white-space:nowrap}tr.line td{color:var(--soft);text-align:center}\n"
    "section{background:var(--card);border:1px solid var(--line);border-radius:8px;padding:1rem;margin:1rem 0}\n"
    ".sides{display:grid;grid-template-columns:minmax(0,1fr) minmax(0,1fr);gap:1rem}h3{font-size:1rem;margin:.5rem 0;"
    "overflow-wrap:anywhere}pre{margin:0;overflow:auto;max-height:80vh;border:1px solid var(--line);border-radius:6px;"
    "padding:.6rem;font:.8rem/1.4 ui-monospace,monospace;tab-size:4}\n"
    "mark{color:inherit;background:var(--m0)}.c1{background:var(--m1)}.c2{background:var(--m2)}.c3{background:var(--m3)}"
    ".c4{background:var(--m4)}.c5{background:var(--m5)}mark a{font-weight:700;text-decoration:none}mark:target{outline:3px solid var(--link)}\n"
    "@media (max-width:50rem){.sides{grid-template-columns:1fr}}\n";

static void text_part(FILE *out, const char *text, size_t from, size_t end)
{
    char *copy =
        strndup(text + from, end - from); /* a zero among the bytes ends what is shown of them */
    if (copy)
        html_text(out, copy);
    free(copy);
}

struct marked { size_t from, end, number; };

static int by_from(const void *a, const void *b)
{
    const struct marked *left = a, *right = b;
    return left->from < right->from ? -1 : left->from > right->from;
}

/* One text with its stretches marked; each number leads to its counterpart. */
static void put_text(FILE *out, const struct pair *p, size_t pair, bool first)
{
    const struct handed_in *h = first ? p->a : p->b;
    struct marked *marks = memory_resize(NULL, p->similarity.count * sizeof *marks);
    for (size_t i = 0; i < p->similarity.count; i++)
        marks[i] = first ? (struct marked){ p->passages[i].a, p->passages[i].a_end, i + 1 }
                         : (struct marked){ p->passages[i].b, p->passages[i].b_end, i + 1 };
    qsort(marks, p->similarity.count, sizeof *marks, by_from);
    size_t at = 0;
    fputs("<pre tabindex=\"0\">", out);
    for (size_t i = 0; i < p->similarity.count; i++) {
        const struct marked *s = &marks[i];
        text_part(out, h->text, at, s->from);
        fprintf(out, "<mark class=\"c%zu\" id=\"p%zu-%c%zu\"><a href=\"#p%zu-%c%zu\">%zu</a> ",
                s->number % COLOURS, pair, first ? 'a' : 'b', s->number, pair, first ? 'b' : 'a',
                s->number, s->number);
        text_part(out, h->text, s->from, s->end);
        fputs("</mark>", out);
        at = s->end;
    }
    text_part(out, h->text, at, h->bytes);
    fputs("</pre>", out);
    memory_resize(marks, 0);
}

static void put_pair(FILE *out, const struct pair *p, size_t number)
{
    fprintf(out, "<section id=\"p%zu\"><h2>", number);
    html_format(out, "%u %% alike, lesson %02d: %zu lexemes in %zu stretches", p->share,
                p->a->lesson->number, p->similarity.lexemes, p->similarity.count);
    fputs("</h2><div class=\"sides\">", out);
    for (int side = 0; side < 2; side++) {
        const struct handed_in *h = side == 0 ? p->a : p->b;
        fputs("<div><h3>", out);
        html_text(out, h->student);
        fputs(" <span class=\"soft\">", out);
        html_format(out, "%u %% of its %zu own lexemes", side == 0 ? p->share_a : p->share_b,
                    side == 0 ? p->own_a : p->own_b);
        fputs("</span></h3>", out);
        put_text(out, p, number, side == 0);
        fputs("</div>", out);
    }
    fputs("</div></section>\n", out);
}

static void put_table(FILE *out, const struct similar *s)
{
    fputs(
        "<div class=\"scroll\"><table><thead><tr><th class=\"number\">Alike</th><th>Lesson</th><th>One</th><th>Other</th>"
        "<th class=\"number\">Lexemes</th></tr></thead><tbody>\n",
        out);
    for (size_t i = 0; i < s->count && i < PAIRS_ON_PAGE; i++) {
        const struct pair *p = &s->pairs[i];
        if (i == s->above)
            fputs(
                "<tr class=\"line\"><td colspan=\"5\">the line: what is below is listed to compare with</td></tr>\n",
                out);
        fprintf(out, "<tr><td class=\"number\"><a href=\"#p%zu\">%u %%</a></td><td>%02d</td><td>",
                i + 1, p->share, p->a->lesson->number);
        html_text(out, p->a->student);
        fputs("</td><td>", out);
        html_text(out, p->b->student);
        fprintf(out, "</td><td class=\"number\">%zu</td></tr>\n", p->similarity.lexemes);
    }
    fputs("</tbody></table></div>\n", out);
}

void similar_page(FILE *out, const struct similar *s)
{
    html_begin(out, "Similar submissions", style, NULL);
    fputs("<h1>Similar submissions</h1><p class=\"word\">", out);
    html_text(out, similar_word);
    fputs("</p><p>", out);
    html_format(
        out,
        "%zu files, %zu pairs above the line: %u %% of their own lexemes alike, and %u of them or more. Names, numbers, "
        "strings, comments and white space are not compared; what starter, contract and solution have, and what more than a tenth of the class "
        "has, does not count. A stretch of %u lexemes that two files share is found wherever it stands; one of fewer than %u is "
        "not taken for one.",
        s->files, s->above, SIMILAR_SHARE, SIMILAR_LEXEMES, SIMILARITY_SURE, SIMILARITY_GRAM);
    fputs("</p>\n", out);
    if (s->count == 0)
        fputs("<p>No two files are alike.</p>\n", out);
    else
        put_table(out, s);
    if (s->count > PAIRS_ON_PAGE) {
        fputs("<p class=\"soft\">", out);
        html_format(out, "%zu pairs more are in similar.json.", s->count - PAIRS_ON_PAGE);
        fputs("</p>\n", out);
    }
    for (size_t i = 0; i < s->count && i < PAIRS_ON_PAGE; i++)
        put_pair(out, &s->pairs[i], i + 1);
    html_end(out);
}
