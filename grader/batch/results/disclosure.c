/* SPDX-License-Identifier: MIT */
#include "grader/batch/results/disclosure.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "grader/base/environment.h"
#include "grader/base/text.h"
#include "grader/batch/results/field.h"
#include "grader/lessons.h"
#include "trace/record/memory.h"

static const char *const names[] = { [DISCLOSURE_ALL] = "all", [DISCLOSURE_FAILURES] = "failures",
                                     [DISCLOSURE_SCORE] = "score" };

enum disclosure disclosure_level(const json_t *results)
{
    enum disclosure level = DISCLOSURE_ALL;
    while (level < DISCLOSURE_SCORE && strcmp(names[level], field_text(results, "feedback")) != 0)
        level++;
    return level;
}

const char *disclosure_level_name(enum disclosure level)
{
    return names[level];
}

/* ---- a text in the making ---- */

struct text { FILE *out; char *bytes; size_t count; };

static void text_begin(struct text *t)
{
    t->out = open_text(&t->bytes, &t->count);
}

static char *text_end(struct text *t)
{
    fclose(t->out);
    char *clean = text_harmless(t->bytes, t->count), *own = strdup(clean);
    memory_resize(clean, 0);
    free(t->bytes);
    if (!own)
        die("no memory left");
    return own;
}

/* ---- checks ---- */

/* Where nothing was run, checks are withheld, all of them: nobody wants to read that. */
static bool was_judged(const json_t *entry)
{
    return !field_is(entry, "status", "did not build") && !field_is(entry, "status", "refused");
}

bool disclosure_check(const json_t *entry, const json_t *check, enum disclosure level)
{
    return was_judged(entry)
           && (level == DISCLOSURE_ALL
               || (level == DISCLOSURE_FAILURES && !field_is(check, "outcome", "passed")));
}

/* A check's own words: they are the lesson's. */
static void put_advice(FILE *out, const json_t *check, const char *indent)
{
    json_int_t line =
        json_integer_value(json_object_get(json_object_get(check, "finding"), "line"));
    if (!field_is(check, "outcome", "failed"))
        return;
    if (line > 0)
        fprintf(out, "%slook at line %lld\n", indent, (long long)line);
    if (field_text(check, "hint")[0] != '\0')
        fprintf(out, "%s%s\n", indent, field_text(check, "hint"));
    if (field_text(check, "read")[0] != '\0')
        fprintf(out, "%sRead \"%s\" in the chapter%s%s.\n", indent, field_text(check, "read"),
                field_text(check, "chapter")[0] != '\0' ? " of " : "",
                field_text(check, "chapter"));
}

char *disclosure_advice(const json_t *check)
{
    struct text t;
    text_begin(&t);
    put_advice(t.out, check, "");
    return text_end(&t);
}

/* part NULL: of all. */
static void put_checks(FILE *out, const json_t *entry, const char *part, enum disclosure level)
{
    size_t i;
    json_t *check;
    json_array_foreach(json_object_get(json_object_get(entry, "verdict"), "checks"), i, check) {
        if (!disclosure_check(entry, check, level) || (part && !field_is(check, "part", part)))
            continue;
        if (!part)
            fprintf(out, "  %-14s part %s: %s\n", field_text(check, "outcome"),
                    field_text(check, "part"), field_text(check, "name"));
        else
            fprintf(out, "%s: %s\n", field_text(check, "outcome"), field_text(check, "name"));
        put_advice(out, check, !part ? "                 " : "  ");
    }
}

char *disclosure_part(const json_t *entry, const char *part, enum disclosure level)
{
    struct text t;
    text_begin(&t);
    put_checks(t.out, entry, part, level);
    return text_end(&t);
}

/* ---- a lesson ---- */

/* Is what the verdict says of the end known from the file alone, or only where it was? */
static void put_end(FILE *out, const json_t *entry)
{
    const json_t *verdict = json_object_get(entry, "verdict"),
                 *termination = json_object_get(verdict, "ending");
    if (field_is(entry, "status", "did not build"))
        fprintf(out, "\n%s\n", field_text(verdict, "compiler"));
    else if (field_is(entry, "status", "refused") && !json_is_object(termination))
        fprintf(out, "Why: %s\n", field_text(entry, "reason"));
    else if (field_is(entry, "status", "not run"))
        fputs("It could not be graded yet; that is not your fault.\n", out);
    else if (field_is(entry, "status", "not attempted") && !json_is_object(verdict))
        fprintf(out, "%s\n", field_text(entry, "reason"));
    if (!json_is_object(termination))
        return;
    fprintf(out, "It ended %s",
            field_is(termination, "how", "timed out") ? "because it was stopped: it took too long"
                                                      : "too early");
    const char *part = field_text(termination, "part");
    json_int_t line = json_integer_value(json_object_get(termination, "line"));
    char words[64];
    part_words(words, sizeof words, part);
    if (strlen(part) == 1 || strcmp(words, part) != 0)
        fprintf(out, ", in part %s", words);
    if (line > 0)
        fprintf(out, ", at or after line %lld", (long long)line);
    fputs(".\n", out);
}

static void put_title(FILE *out, const json_t *entry)
{
    const struct lesson *lesson = lesson_find(field_text(entry, "lesson"));
    if (lesson)
        fprintf(out, "Lesson %02d: %s\n", lesson->number, lesson->title);
    fprintf(out, "%s: %.12g of %.12g points", field_text(entry, "status"),
            field_number(entry, "score"), field_number(entry, "max"));
    if (field_number(entry, "late_percent") > 0)
        fprintf(out, " (%.12g %% off: handed in late)", field_number(entry, "late_percent"));
    fputc('\n', out);
    if (field_text(entry, "encoding")[0] != '\0')
        fprintf(out, "Your file is not UTF-8. It was read as %s, which is a guess.\n",
                field_text(entry, "encoding"));
}

static void put_rest(FILE *out, const json_t *entry, enum disclosure level)
{
    size_t i;
    json_t *part;
    if (level == DISCLOSURE_SCORE)
        return;
    json_array_foreach(json_object_get(entry, "parts"), i, part)
        fprintf(out, "  part %s: %.12g of %.12g\n", field_text(part, "id"),
                field_number(part, "points"), field_number(part, "max"));
    put_end(out, entry);
    put_checks(out, entry, NULL, level);
}

char *disclosure_lesson(const json_t *entry, enum disclosure level)
{
    struct text t;
    text_begin(&t);
    put_title(t.out, entry);
    put_rest(t.out, entry, level);
    return text_end(&t);
}

char *disclosure_rest(const json_t *entry, enum disclosure level)
{
    struct text t;
    text_begin(&t);
    put_rest(t.out, entry, level);
    return text_end(&t);
}

char *disclosure_end(const json_t *entry, enum disclosure level)
{
    struct text t;
    text_begin(&t);
    if (level != DISCLOSURE_SCORE)
        put_end(t.out, entry);
    return text_end(&t);
}
