/* SPDX-License-Identifier: MIT */
/*
 * build/bin/seeds JOBS: what the grader says of files with many seeds, so many at once. On stdin a line for each file:
 *     NUMBER LESSON FILE FIRST LAST
 * It is built once, and judged with each seed from FIRST to LAST, each on one of the lesson's cards in turn. On stdout a line
 * for each different verdict on each card, by tabs: NUMBER, the verdict as tests/lessons/verdict.c writes it, the card,
 * how often, and the first seed. Of a file that cannot be judged stderr says why, and there is no line.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

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

static void judge_all(const struct lesson *lesson, const char *file, unsigned long from, unsigned long to)
{
    struct submission starter, submission;
    char problem[1024], *path = project_display_path("exercises/%s.cu", lesson->folder);
    if (!submission_read(&starter, path, problem, sizeof problem) || !submission_read(&submission, file, problem, sizeof problem))
        environment("%s", problem);
    const struct card *cards[64];
    size_t card_total = 0;
    for (size_t i = 0; i < card_count() && card_total < 64; i++)
        if (lesson_runs_on(lesson, card_at(i)))
            cards[card_total++] = card_at(i);
    /* The first one lives as long as all: it has built the program. */
    struct grading *first = NULL;
    for (unsigned long seed = from; seed <= to; seed++) {
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
    if (first != NULL)
        grading_end(first);
    free(first);
    free(path);
}

/* One line of stdin, in a process of its own: its words. */
static void answer(const char *number, const char *folder, const char *file, const char *from, const char *to)
{
    char *text;
    size_t size;
    const struct lesson *lesson = lesson_find(folder);
    if (lesson == NULL)
        environment("there is no lesson %s", folder);
    judge_all(lesson, file, strtoul(from, NULL, 10), strtoul(to, NULL, 10));
    FILE *out = open_memstream(&text, &size);
    for (size_t i = 0; i < kind_count; i++)
        fprintf(out, "%s\t%s\t%s\t%lu\t%lu\n", number, kinds[i].text, kinds[i].card, kinds[i].count, kinds[i].seed);
    fclose(out);
    if (write(STDOUT_FILENO, text, size) != (ssize_t)size)     /* all of it at once: others write there too */
        environment("cannot write the verdicts");
}

int main(int argc, char **argv)
{
    long jobs = argc == 2 ? strtol(argv[1], NULL, 10) : 0, running = 0;
    char number[32], lesson[128], file[4096], from[32], to[32];
    descriptors_begin();
    if (jobs < 1)
        environment("seeds JOBS < lines of NUMBER LESSON FILE FIRST LAST");
    while (scanf("%31s %127s %4095s %31s %31s", number, lesson, file, from, to) == 5) {
        if (running++ == jobs && wait(NULL) > 0)
            running--;
        pid_t child = fork();
        if (child < 0)
            environment("no more processes");
        if (child == 0) {
            interrupt_init();
            answer(number, lesson, file, from, to);
            exit(0);
        }
    }
    while (wait(NULL) > 0)
        ;
    return 0;
}
