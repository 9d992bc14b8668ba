/* SPDX-License-Identifier: MIT */
/* The page of pairs: one file, no script, nothing fetched. */
#include "grader/batch/similar/similar.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "grader/report/template.h"
#include "trace/record/memory.h"

#define PAIRS_ON_PAGE 150u         /* with their texts */
#define COLOURS 6u

/* similar.html and similar.css, embedded. */
extern const char similar_template[], similar_style[];

struct marked { size_t from, end, number; };

static int by_from(const void *a, const void *b)
{
    const struct marked *left = a, *right = b;
    return left->from < right->from ? -1 : left->from > right->from;
}

/* A zero among the bytes ends what is shown of them. */
static void view_piece(json_t *pieces, const char *text, size_t from, size_t end, size_t stretch)
{
    json_t *view = view_more(pieces);
    view_format(view, "text", "%.*s", (int)(end - from), text + from);
    view_number(view, "stretch", stretch);
    view_number(view, "colour", stretch % COLOURS);
}

/* One text with its stretches marked; each number leads to its counterpart. */
static void view_pieces(json_t *pieces, const struct pair *p, bool first)
{
    const struct handed_in *h = first ? p->a : p->b;
    struct marked *marks = memory_resize(NULL, p->similarity.count * sizeof *marks);
    for (size_t i = 0; i < p->similarity.count; i++)
        marks[i] = first ? (struct marked){ p->passages[i].a, p->passages[i].a_end, i + 1 }
                         : (struct marked){ p->passages[i].b, p->passages[i].b_end, i + 1 };
    qsort(marks, p->similarity.count, sizeof *marks, by_from);
    size_t at = 0;
    for (size_t i = 0; i < p->similarity.count; i++) {
        view_piece(pieces, h->text, at, marks[i].from, 0);
        view_piece(pieces, h->text, marks[i].from, marks[i].end, marks[i].number);
        at = marks[i].end;
    }
    view_piece(pieces, h->text, at, h->bytes, 0);
    memory_resize(marks, 0);
}

static void view_side(json_t *view, const struct pair *p, bool first)
{
    view_text(view, "student", (first ? p->a : p->b)->student);
    view_text(view, "side", first ? "a" : "b");
    view_text(view, "other", first ? "b" : "a");
    view_number(view, "share", first ? p->share_a : p->share_b);
    view_number(view, "own", first ? p->own_a : p->own_b);
    view_pieces(view_list(view, "pieces"), p, first);
}

static void view_pair(json_t *view, const struct pair *p, size_t number)
{
    json_t *sides = view_list(view, "sides");
    view_number(view, "pair", number);
    view_number(view, "share", p->share);
    view_format(view, "lesson", "%02d", p->a->lesson->number);
    view_number(view, "lexemes", p->similarity.lexemes);
    view_number(view, "stretches", p->similarity.count);
    view_side(view_more(sides), p, true);
    view_side(view_more(sides), p, false);
}

void similar_page(FILE *out, const struct similar *s)
{
    json_t *view = json_object(), *pairs = view_list(view, "pairs");
    view_text(view, "title", "Similar submissions");
    view_text(view, "word", similar_word);
    view_number(view, "files", s->files);
    view_number(view, "above", s->above);
    view_number(view, "share", SIMILAR_SHARE);
    view_number(view, "lexemes", SIMILAR_LEXEMES);
    view_number(view, "sure", SIMILARITY_SURE);
    view_number(view, "gram", SIMILARITY_GRAM);
    view_number(view, "any", s->count);
    view_number(view, "more", s->count > PAIRS_ON_PAGE ? s->count - PAIRS_ON_PAGE : 0);
    for (size_t i = 0; i < s->count && i < PAIRS_ON_PAGE; i++) {
        json_t *pair = view_more(pairs);
        view_pair(pair, &s->pairs[i], i + 1);
        view_number(pair, "line", i == s->above);
    }
    template_page(out, similar_template, similar_style, view);
}
