/* SPDX-License-Identifier: MIT */
/*
 * build/bin/seeds JOBS [FOLDER [LIMIT]]: what the grader says of files with many seeds, JOBS at
 * once. On stdin a line for each file: NUMBER LESSON FILE FIRST LAST [CARD,...] It is built once,
 * and judged with each seed from FIRST to LAST, each on one of the lesson's cards in turn; where
 * cards are named, with each of the seeds on each of those. On stdout a line for each different
 * verdict on each card, by tabs: NUMBER, the verdict as tests/lessons/verdict.c writes it, the
 * card, how often, and the first seed. Of a file that cannot be judged stderr says why, and there
 * is no line. Whole verdicts go to FOLDER/NUMBER.SEED.CARD.json, where there is a FOLDER. A program
 * has LIMIT ms (20000).
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "grader/base/environment.h"
#include "grader/grade/grading.h"
#include "grader/lessons.h"
#include "grader/base/options.h"
#include "grader/report/report.h"

#define KINDS 256

static struct kind { char text[512]; unsigned long count, seed; const char *card; } kinds[KINDS];
static size_t kind_count;
static const char *folder_for_json;
static int64_t limit_ms = 20000;

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
        die("%s: too many different verdicts", v->submission->path);
    if (i == kind_count) {
        kinds[kind_count++] = (struct kind){ .seed = seed, .card = v->card->name };
        memcpy(kinds[i].text, text, sizeof text);
    }
    kinds[i].count++;
}

static void keep_json(const char *number, const struct verdict *v, unsigned long seed)
{
    char path[4200];
    if (!folder_for_json)
        return;
    snprintf(path, sizeof path, "%s/%s.%lu.%s.json", folder_for_json, number, seed, v->card->name);
    if (!report_json(path, v))
        die("cannot write %s", path);
}

/* The lesson's cards, or those that are named. */
static size_t find_cards(const struct lesson *lesson, char *named, const struct card *cards[],
                         size_t most)
{
    size_t n = 0;
    if (named[0] != '\0') {
        for (char *name = strtok(named, ","); name && n < most; name = strtok(NULL, ","))
            cards[n++] = option_card(name);
        return n;
    }
    for (size_t i = 0; i < card_count() && n < most; i++)
        if (lesson_runs_on(lesson, card_at(i)))
            cards[n++] = card_at(i);
    return n;
}

static void judge_all(const char *number, const struct lesson *lesson, const char *file,
                      unsigned long from, unsigned long to, char *named)
{
    struct submission starter, submission;
    char problem[1024], *path = project_display_path("exercises/%s.cu", lesson->folder);
    if (!submission_read(&starter, path, problem, sizeof problem)
        || !submission_read(&submission, file, problem, sizeof problem))
        die("%s", problem);
    const struct card *cards[64];
    bool each = named[0] != '\0';
    size_t card_total = find_cards(lesson, named, cards, 64);
    unsigned long runs = (to - from + 1) * (each ? card_total : 1);
    /* The first one lives as long as all: it has built the program. */
    struct grading *first = NULL;
    for (unsigned long run = 0; run < runs; run++) {
        unsigned long seed = each ? from + run / card_total : from + run;
        struct grading *g = calloc(1, sizeof *g);
        *g = (struct grading){ .lesson = lesson, .card = cards[(each ? run : seed) % card_total],
                               .seed = seed, .submission = &submission, .starter = &starter,
                               .time_limit_ms = limit_ms,
                               .machine.backend = SIMULATOR,
                               .program = first ? first->build.program : NULL };
        grading_begin(g);
        if (interrupt_seen() != 0)
            interrupt_leave();
        count(&g->verdict, seed);
        keep_json(number, &g->verdict, seed);
        bool spins = folder_for_json && g->verdict.status == TIMED_OUT;     /* once is enough */
        if (!first) {
            first = g;
        } else {
            grading_end(g);
            free(g);
        }
        if (!first->build.good || spins)
            break;
    }
    if (first)
        grading_end(first);
    free(first);
    free(path);
}

/* One line of stdin, in a process of its own: its words. */
static void answer(const char *number, const char *folder, const char *file, const char *from,
                   const char *to, char *cards)
{
    char *text;
    size_t size;
    const struct lesson *lesson = lesson_find(folder);
    if (!lesson)
        die("there is no lesson %s", folder);
    judge_all(number, lesson, file, strtoul(from, NULL, 10), strtoul(to, NULL, 10), cards);
    FILE *out = open_memstream(&text, &size);
    for (size_t i = 0; i < kind_count; i++)
        fprintf(out, "%s\t%s\t%s\t%lu\t%lu\n", number, kinds[i].text, kinds[i].card, kinds[i].count,
                kinds[i].seed);
    fclose(out);
    if (write(STDOUT_FILENO, text, size)
        != (ssize_t)size) /* all of it at once: others write there too */
        die("cannot write the verdicts");
}

/* exit() sets a file that was read in advance back to where reading has come, for all processes
 * that have it open. */
static void apart_from_stdin(void)
{
    int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
    if (nothing < 0 || dup2(nothing, STDIN_FILENO) < 0)
        die("cannot open /dev/null");
    close(nothing);
}

int main(int argc, char **argv)
{
    long jobs = argc >= 2 && argc <= 4 ? strtol(argv[1], NULL, 10) : 0, running = 0;
    char number[32], lesson[128], file[4096], from[32], to[32], cards[256], *line = NULL;
    size_t size = 0;
    descriptors_begin();
    folder_for_json = argc > 2 ? argv[2] : NULL;
    limit_ms = argc > 3 ? strtol(argv[3], NULL, 10) : limit_ms;
    if (jobs < 1 || limit_ms < 1)
        die("seeds JOBS [FOLDER [LIMIT]] < lines of NUMBER LESSON FILE FIRST LAST [CARD,...]");
    while (getline(&line, &size, stdin) > 0) {
        cards[0] = '\0';
        if (sscanf(line, "%31s %127s %4095s %31s %31s %255s", number, lesson, file, from, to, cards)
            < 5)
            break;
        if (running++ == jobs && wait(NULL) > 0)
            running--;
        pid_t child = fork();
        if (child < 0)
            die("no more processes");
        if (child == 0) {
            apart_from_stdin();
            interrupt_init();
            answer(number, lesson, file, from, to, cards);
            exit(0);
        }
    }
    while (wait(NULL) > 0)
        ;
    free(line);
    return 0;
}
