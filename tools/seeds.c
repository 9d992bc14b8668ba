/* SPDX-License-Identifier: MIT */
/*
 * build/bin/seeds LESSON FILE FIRST LAST: what the grader says of FILE with each of these seeds, each on one of the lesson's cards in
 * turn. It is built once. A line for each different verdict on each card, by tabs: the verdict as tests/lessons/verdict.c
 * writes it, the card, how often, and the first seed.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "grader/environment.h"
#include "grader/grading.h"
#include "grader/lessons.h"

#define KINDS 256

static struct kind { char text[512]; unsigned long count, seed; const char *card; } kinds[KINDS];
static size_t kind_count;

static void write_verdict(char *text, size_t size, const struct verdict *v)
{
    size_t n = (size_t)snprintf(text, size, "%s:", status_name(v->status));
    for (size_t i = 0; i < v->lesson->check_count && n < size; i++) {
        const struct result *r = &v->results[i];
        const struct finding *f = &r->finding;
        bool explained = f->expected[0] != '\0' && f->seen[0] != '\0' && f->why[0] != '\0';
        if (r->outcome == FAILED)
            n += (size_t)snprintf(text + n, size - n, " %s%s", r->check->id, explained ? "" : "?");
    }
}

static void count(const struct verdict *v, unsigned long seed)
{
    char text[sizeof kinds->text];
    size_t i = 0;
    write_verdict(text, sizeof text, v);
    while (i < kind_count && (strcmp(kinds[i].text, text) != 0 || kinds[i].card != v->card->name))
        i++;
    if (i == KINDS)
        environment("%s: too many different verdicts", v->submission->path);
    if (i == kind_count) {
        kinds[kind_count++] = (struct kind){ .seed = seed, .card = v->card->name };
        memcpy(kinds[i].text, text, sizeof text);
    }
    kinds[i].count++;
}

int main(int argc, char **argv)
{
    descriptors_begin();
    interrupt_init();
    if (argc != 5)
        environment("seeds LESSON FILE FIRST LAST");
    const struct lesson *lesson = lesson_find(argv[1]);
    struct submission starter, submission;
    char problem[1024], *path = project_display_path("exercises/%s.cu", lesson != NULL ? lesson->folder : "");
    if (lesson == NULL || !submission_read(&starter, path, problem, sizeof problem) ||
        !submission_read(&submission, argv[2], problem, sizeof problem))
        environment("%s", lesson == NULL ? "no such lesson" : problem);
    const struct card *cards[64];
    size_t card_total = 0;
    for (size_t i = 0; i < card_count() && card_total < 64; i++)
        if (lesson_runs_on(lesson, card_at(i)))
            cards[card_total++] = card_at(i);
    /* The first one lives as long as all: it has built the program. */
    struct grading *first = NULL;
    for (unsigned long seed = strtoul(argv[3], NULL, 10), last = strtoul(argv[4], NULL, 10); seed <= last; seed++) {
        struct grading *g = calloc(1, sizeof *g);
        *g = (struct grading){ .lesson = lesson, .card = cards[seed % card_total], .seed = seed, .submission = &submission,
                               .starter = &starter, .time_limit_ms = 20000, .machine.backend = SIMULATOR,
                               .program = first != NULL ? first->build.program : NULL };
        grading_begin(g);
        if (interrupt_seen() != 0)
            interrupt_leave();
        count(&g->verdict, seed);
        if (first == NULL) {
            first = g;
            if (!g->build.good)
                break;
        } else {
            grading_end(g);
            free(g);
        }
    }
    for (size_t i = 0; i < kind_count; i++)
        printf("%s\t%s\t%lu\t%lu\n", kinds[i].text, kinds[i].card, kinds[i].count, kinds[i].seed);
    if (first != NULL)
        grading_end(first);
    free(first);
    free(path);
    return 0;
}
