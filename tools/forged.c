/* SPDX-License-Identifier: MIT */
/*
 * build/bin/forged COUNT LESSON...: what a lesson's judges make of records and results that no
 * program could leave, and a hostile one might. The solution is run once. Then, COUNT times, calls
 * are left out of its record, doubled or changed, or its outputs are, and all is judged. For each
 * lesson a line on stdout: how many were judged, and how many of them passed. A record with which
 * the judges crash, or do not end, is named on stderr, and the status is 1.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "grader/base/environment.h"
#include "grader/base/options.h"
#include "grader/base/text.h"
#include "grader/grade/grading.h"
#include "grader/lessons.h"

enum {
    FOR_OUTPUTS = 8,            /* in one record of 8 the outputs are forged, and not the calls */
    SECONDS = 20,               /* in which a record is judged */
};

static uint64_t drawn;

static size_t draw(size_t below)
{
    drawn = drawn * 6364136223846793005u + 1442695040888963407u;
    return below == 0 ? 0 : (size_t)(drawn >> 33) % below;
}

/* ---- what is done to a record ---- */

static bool alike(const struct call *a, const struct call *b)
{
    return a->kind == b->kind && a->name == b->name;
}

static void leave_out(struct timeline *t, size_t first, size_t end, const struct call *like)
{
    size_t kept = first;
    for (size_t i = first; i < t->call_count; i++)
        if (i >= end || (like && !alike(&t->calls[i], like)))
            t->calls[kept++] = t->calls[i];
    t->call_count = kept;
}

/* Another call's, or 0, 1, or anything. */
static uint32_t number(uint32_t others)
{
    const uint32_t numbers[] = { others, 0, 1, UINT32_MAX, (uint32_t)draw(1u << 20) };
    return numbers[draw(sizeof numbers / sizeof *numbers)];
}

static void change(struct call *c, const struct call *other)
{
    switch (draw(12)) {
    case 0: c->name = other->name; break;
    case 1: c->stream = number(other->stream); break;
    case 2: c->event = number(other->event); break;
    case 3: c->thread = other->thread + (uint32_t)draw(2); break;
    case 4: c->bytes = number((uint32_t)other->bytes); break;
    case 5: c->dst = draw(2) ? other->dst : number(0); break;
    case 6: c->src = draw(2) ? other->src : number(0); break;
    case 7: c->shared = number(other->shared); break;
    case 8: c->cost = draw(2) ? other->cost : (int64_t)draw(3) - 1; break;
    case 9: c->line = number(other->line); break;
    case 10: c->flags ^= 1u << draw(32); break;
    default: *(draw(2) ? c->grid : c->block) = number(other->grid[0]); break;
    }
}

/* Some calls after the first that prefetches say of its pages that they went to and fro, for a
 * kernel or for nobody, as a card's record says of what has no reason that it knows. */
static void move_pages(struct timeline *t)
{
    size_t first = 0;
    while (first < t->call_count && t->calls[first].kind != CALL_PREFETCH)
        first++;
    for (size_t moves = 64; moves > 0 && first + 1 < t->call_count; moves--) {
        const struct call *at = &t->calls[first], *other = &t->calls[draw(t->call_count)];
        struct call *c = &t->calls[first + 1 + draw(t->call_count - first - 1)];
        if (c->kind == CALL_HOST_WORK || c->kind == CALL_EVENT_QUERY || draw(4) == 0)
            *c = (struct call){ .kind = CALL_MIGRATE, .flags = MIGRATE_FAULT, .dst = at->src,
                                .bytes = at->bytes, .begin = c->begin, .end = c->end,
                                .dst_kind = draw(3) ? MEM_DEVICE : MEM_PAGEABLE,
                                .node = draw(2) ? NO_NODE : other->node };
    }
}

static void forge(struct timeline *t)
{
    struct call like = t->calls[draw(t->call_count)];
    size_t first = draw(t->call_count), end = first + 1 + draw(t->call_count / 4 + 1);
    end = end < t->call_count ? end : t->call_count;
    switch (draw(6)) {
    case 0: leave_out(t, 0, t->call_count, &like); break;
    case 1: leave_out(t, first, end, NULL); break;
    case 2: leave_out(t, first, first + 1, NULL); break;
    case 3: timeline_add_call(t, &like); break;
    case 4: move_pages(t); break;
    default:
        for (size_t k = 1 + draw(4); k > 0; k--)
            change(&t->calls[draw(t->call_count)], &t->calls[draw(t->call_count)]);
    }
}

/* What a run left becomes a copy, in which some outputs have the same byte all over. */
static void forge_outputs(struct exchange *x, size_t run)
{
    unsigned char *left = x->taken[run].at, *copy = malloc(x->taken[run].size);
    memcpy(copy, left, x->taken[run].size);
    for (uint32_t slot = 0; slot < x->output.count; slot++) {
        const unsigned char value[] = { 0, 255, (unsigned char)draw(256) };
        if (draw(2))
            memset(copy + x->output.slot[slot].offset, value[draw(3)], x->output.slot[slot].bytes);
    }
    x->taken[run].at = copy;
}

/* ---- judging it ---- */

static void copy_calls(struct timeline *to, const struct timeline *from)
{
    timeline_init(to);
    timeline_take_strings(to, from);
    for (size_t i = 0; i < from->call_count; i++)
        timeline_add_call(to, &from->calls[i]);
}

/* Number `n` of a lesson: true if it passes. */
static bool judge_forged(struct grading *g, size_t n)
{
    struct timeline forged[CARDS_RUN];
    struct logs logs[CARDS_RUN];
    struct verdict v = { .lesson = g->lesson, .submission = g->submission, .seed = g->seed,
                         .card = g->card, .backend = "simulator", .output = text_harmless("", 0),
                         .compiler = "", .termination = { .how = ENDED_WHOLE } };
    struct exchange x = g->exchange;
    bool many = false;
    drawn = n + 1;
    for (size_t i = 0; i < g->runs; i++) {
        copy_calls(&forged[i], &g->yours[i].log);
        if (n % FOR_OUTPUTS != 0)
            forge(&forged[i]);
        else
            forge_outputs(&x, i);
        many |= run_has_too_many_blocks(&forged[i], &(struct block_count){ 0 });
        logs[i] = (struct logs){ g->cards[i], &forged[i], &g->reference[i].log };
    }
    find_attempts(&v, g->submission, g->starter);
    if (!many) {                /* else it was stopped when that came */
        judge_replay(&v, logs, g->runs);
        judge(&v, &x);
    }
    bool passed = v.status == ALL_PASSED;
    verdict_fini(&v);
    for (size_t i = 0; i < g->runs; i++) {
        timeline_fini(&forged[i]);
        if (x.taken[i].at != g->exchange.taken[i].at)
            free(x.taken[i].at);
    }
    return passed;
}

/* What a process of its own has come to. */
struct progress { size_t judged, passed; };

static bool judge_lesson(const char *folder, size_t count, struct progress *p)
{
    char problem[1024], *path = project_display_path("exercises/%s.cu", folder),
                        *own = project_display_path("solutions/%s.cu", folder);
    const struct lesson *lesson = lesson_find(folder);
    struct submission starter, submission;
    if (!lesson)
        die("there is no lesson %s", folder);
    if (!submission_read(&starter, path, problem, sizeof problem)
        || !submission_read(&submission, own, problem, sizeof problem))
        die("%s", problem);
    struct grading *g = calloc(1, sizeof *g);
    *g = (struct grading){ .lesson = lesson, .card = option_card("h200"), .seed = 1,
                           .submission = &submission, .starter = &starter, .time_limit_ms = 20000,
                           .machine.backend = SIMULATOR };
    grading_begin(g);
    if (g->verdict.status != ALL_PASSED)
        die("the solution of %s does not pass", folder);
    bool good = true;
    *p = (struct progress){ 0, 0 };
    while (p->judged < count) {
        int status;
        pid_t child = fork();
        if (child == 0) {
            for (; p->judged < count; p->judged++) {
                alarm(SECONDS);
                p->passed += judge_forged(g, p->judged);
            }
            _exit(0);
        }
        if (child < 0 || waitpid(child, &status, 0) != child)
            die("no more processes");
        if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
            break;
        good = false;
        fprintf(stderr, "%s: record %zu: %s\n", folder, p->judged,
                WIFSIGNALED(status) ? strsignal(WTERMSIG(status)) : "the judges ended");
        p->judged++;
    }
    printf("%s\t%zu\t%zu\n", folder, p->judged, p->passed);
    fflush(stdout);
    grading_end(g);
    free(g);
    free(path);
    free(own);
    submission_fini(&starter);
    submission_fini(&submission);
    return good;
}

int main(int argc, char **argv)
{
    struct progress *p =
        mmap(NULL, sizeof *p, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    bool good = true;
    descriptors_begin();
    interrupt_init();
    if (argc < 3 || p == MAP_FAILED)
        die("forged COUNT LESSON...");
    for (int i = 2; i < argc; i++)
        good = judge_lesson(argv[i], (size_t)strtoul(argv[1], NULL, 10), p) && good;
    return !good;
}
