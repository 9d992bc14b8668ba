/* SPDX-License-Identifier: MIT */
#include "grader/batch/similar/similar.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "grader/base/environment.h"
#include "grader/batch/files/ledger.h"

#define PAIRS_SHOWN 20u         /* in the table, of those below the line */

/* ---- JSON ---- */

/* The lines of a passage, [first, last]. */
static json_t *lines_of(const struct handed_in *h, size_t from, size_t end)
{
    json_int_t first = 1, last;
    for (size_t i = 0; i < from; i++)
        first += h->text[i] == '\n';
    last = first;
    for (size_t i = from; i < end; i++)
        last += h->text[i] == '\n';
    return json_pack("[I, I]", first, last);
}

static json_t *side(const struct handed_in *h, size_t own, unsigned share)
{
    return json_pack("{s:s s:s s:I s:i}", "student", h->student, "path", h->path, "own",
                     (json_int_t)own, "share", (int)share);
}

static json_t *pair_json(const struct pair *p)
{
    json_t *stretches = json_array();
    for (size_t i = 0; i < p->similarity.count; i++)
        json_array_append_new(stretches,
                              json_pack("{s:I s:o s:o}", "lexemes",
                                        (json_int_t)p->similarity.list[i].length, "a",
                                        lines_of(p->a, p->passages[i].a, p->passages[i].a_end), "b",
                                        lines_of(p->b, p->passages[i].b, p->passages[i].b_end)));
    return json_pack("{s:s s:b s:i s:I s:o s:o s:o}", "lesson", p->a->lesson->folder,
                     "above_the_line", p->above, "share", (int)p->share, "lexemes",
                     (json_int_t)p->similarity.lexemes, "a", side(p->a, p->own_a, p->share_a), "b",
                     side(p->b, p->own_b, p->share_b), "stretches", stretches);
}

static void write_json(const struct similar *s, const char *out)
{
    json_t *pairs = json_array();
    for (size_t i = 0; i < s->count; i++)
        json_array_append_new(pairs, pair_json(&s->pairs[i]));
    json_t *all = json_pack("{s:s s:s s:I s:{s:i s:i s:i} s:{s:i s:i} s:o}", "workbook",
                            WORKBOOK_VERSION, "note", similar_word, "files", (json_int_t)s->files,
                            "fingerprints", "gram", (int)SIMILARITY_GRAM, "window",
                            (int)SIMILARITY_WINDOW, "sure", (int)SIMILARITY_SURE, "line", "share",
                            (int)SIMILAR_SHARE, "lexemes", (int)SIMILAR_LEXEMES, "pairs", pairs);
    char *path = ledger_path(out, "similar.json");
    ledger_write_json(path, all);
    json_decref(all);
    free(path);
}

/* ---- the page ---- */

static void write_page(const struct similar *s, const char *out)
{
    char *bytes = NULL, *path = ledger_path(out, "similar.html");
    size_t count = 0;
    FILE *page = open_text(&bytes, &count);
    similar_page(page, s);
    fclose(page);
    ledger_write(path, bytes, count);
    free(bytes), free(path);
}

/* ---- the table ---- */

static void print_row(const struct pair *p)
{
    char a[31], b[31];
    snprintf(a, sizeof a, "%.*s", (int)strcspn(p->a->student, "\n"), p->a->student);
    snprintf(b, sizeof b, "%.*s", (int)strcspn(p->b->student, "\n"), p->b->student);
    printf("  %02d     %3u %%  %6zu  %-30s  %s\n", p->a->lesson->number, p->share,
           p->similarity.lexemes, a, b);
}

void similar_report(const struct similar *s, const char *out, const char *shown)
{
    write_json(s, out);
    write_page(s, out);
    printf(
        "%zu files compared; %zu pairs above the line (%u %% of what is their own, %u lexemes)\n",
        s->files, s->above, SIMILAR_SHARE, SIMILAR_LEXEMES);
    if (s->count > 0)
        printf("  lesson  alike  lexemes  %-30s  %s\n", "one", "other");
    for (size_t i = 0; i < s->count && i < s->above + PAIRS_SHOWN; i++) {
        if (i == s->above)
            printf("  ---- the line ----\n");
        print_row(&s->pairs[i]);
    }
    printf("%s\n", similar_word);
    printf("Side by side: %s/similar.html; as data: %s/similar.json\n", shown, shown);
}
