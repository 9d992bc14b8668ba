/* SPDX-License-Identifier: MIT */
/*
 * family - random programs about streams, whose hazards are known beforehand.
 *
 *   family SEED COUNT PLAYER     makes COUNT programs in which all that conflicts is ordered, and
 * each once more without one of the edges that it needs; has PLAYER (family/player.cu) do them all,
 *                                and compares what it says with what is known. Status 1: a hazard
 * missed, or a false one. family SEED COUNT            prints the programs as one source file
 *
 * What is known comes from sets alone, one for each stream, event, host thread, lock,
 * flag and semaphore: of the operations that are over when the next one begins there. No code is
 * shared with common/trace/order/happens_before.c or vector_clocks.c. Of two accesses to a byte,
 * one of which a third one follows and stands for, either the pair or that of the third is enough
 * (trace/order/hazard.h).
 */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "exchange.h"
#include "family/program.h"
#include "trace/order/happens_before.h"
#include "trace/record/log.h"

/* ---- what the player says ---- */

static void play(const char *player, FILE *script, struct timeline *t)
{
    int ends[2];
    char buffer[65536], descriptor[20];
    struct log_reader reader;
    if (pipe(ends) != 0)
        exit(2);
    pid_t child = fork();
    if (child == 0) {
        snprintf(descriptor, sizeof descriptor, "%d", ends[1]);
        setenv(EXCHANGE_LOG, descriptor, 1);
        setenv("SIM_HAZARDS", "log", 1);
        close(ends[0]);
        dup2(fileno(script), 0);
        execl(player, player, (char *)NULL);
        _exit(127);
    }
    close(ends[1]);
    log_reader_init(&reader);
    for (ssize_t n; (n = read(ends[0], buffer, sizeof buffer)) > 0;)
        log_read(&reader, t, buffer, (size_t)n);
    log_reader_fini(&reader);
    close(ends[0]);
    int status;
    waitpid(child, &status, 0);
    if (status != 0) {
        printf("# the player ended with status %#x\n", (unsigned)status);
        exit(1);
    }
}

struct place { int program, step; };

/* Of each node, by the label before its call. */
static struct place *places_of(const struct timeline *t, struct place *of_call)
{
    struct happens_before o;
    struct place now = { -1, 0 }, *places = calloc(2 * t->call_count + 1, sizeof *places);
    hb_init(&o);
    for (size_t i = 0; i < t->call_count; i++) {
        const struct call *c = &t->calls[i];
        if (c->kind == CALL_LABEL && c->name != 0)
            sscanf(timeline_string(t, c->name), "%d %d", &now.program, &now.step);
        of_call[i] = now;
        size_t before = o.node_count;
        hb_call(&o, c);
        for (size_t node = before; node < o.node_count; node++)
            places[node] =
                (struct place){ now.program, c->flags & GRAPH_NODE ? (int)c->shared : now.step };
    }
    hb_fini(&o);
    return places;
}

struct pair { int program, a, b; };

/* Is it in memory that steps are about? What the player keeps for itself its threads use in an
 * order that is not shown. */
static bool is_of_steps(const struct timeline *t, uint64_t at)
{
    for (size_t i = 0; i < t->call_count; i++) {
        const struct call *c = &t->calls[i];
        if ((c->kind == CALL_MALLOC || c->kind == CALL_COPY || c->kind == CALL_REGISTER)
            && at - c->dst < c->bytes)
            return true;
        if (c->kind == CALL_COPY && at - c->src < c->bytes)
            return true;
    }
    return false;
}

static int by_pair(const void *left, const void *right)
{
    return memcmp(left, right, sizeof(struct pair));
}

static size_t said(const struct timeline *t, struct pair *pairs)
{
    struct place *of_call = calloc(t->call_count + 1, sizeof *of_call),
                 *of_node = places_of(t, of_call);
    size_t count = 0;
    for (size_t i = 0; i < t->call_count; i++) {
        const struct call *c = &t->calls[i];
        if (c->kind != CALL_HAZARD || !is_of_steps(t, c->dst))
            continue;
        uint64_t host_first = c->node == NO_NODE ? c->src_pitch : (uint64_t)c->cost;
        struct place a = c->src == NO_NODE ? of_call[host_first - 1] : of_node[c->src];
        struct place b = c->node == NO_NODE ? of_call[c->cost - 1] : of_node[c->node];
        pairs[count++] = a.step < b.step ? (struct pair){ b.program, a.step, b.step }
                                         : (struct pair){ a.program, b.step, a.step };
    }
    free(of_call);
    free(of_node);
    qsort(pairs, count, sizeof *pairs, by_pair);
    return count;
}

/* ---- comparing ---- */

struct tally { int programs, pairs, missed, wrong, between_threads; };

static void compare(struct tally *tally, int number, const struct program *p, const struct known *k,
                    const struct pair *pairs, size_t count)
{
    int missed = tally->missed, wrong = tally->wrong;
    tally->programs++;
    for (int b = 0; b < p->count; b++)
        for (int a = 0; a < b; a++) {
            struct pair pair = { number, a, b };
            int known = hazard_between(k, p, a, b);
            bool named = bsearch(&pair, pairs, count, sizeof pair, by_pair);
            tally->pairs += known == 2;
            tally->missed += known == 2 && !named;
            tally->wrong += !known && named;
            if ((known == 2 && !named) || (!known && named))
                printf("# program %d: steps %d and %d are %s\n", number, a, b,
                       named ? "no hazard" : "a hazard");
        }
    for (size_t i = 0; i < count; i++)
        tally->wrong += pairs[i].program == number && pairs[i].b >= p->count;
    if (tally->missed > missed || tally->wrong > wrong)
        print_program(stdout, number, p, &(struct without){ 0 }, false);
}

static bool is_between_threads(const struct program *p, const struct without *w)
{
    for (int i = 0; i < p->count; i++)
        if (w->edge != 0 && p->steps[i].edge == w->edge && p->steps[i].what >= MEET)
            return true;
    return false;
}

int main(int argc, char **argv)
{
    if (argc < 3)
        return 2;
    random_begin(0x9e3779b97f4a7c15u * ((uint64_t)atoll(argv[1]) + 1));
    int count = atoi(argv[2]);
    bool source = argc == 3;
    struct program *programs = calloc((size_t)count, sizeof *programs);
    struct without *without = calloc((size_t)count, sizeof *without);
    static struct known k;
    FILE *script = source ? stdout : tmpfile();
    if (source)
        puts("#include \"operations.h\"\nint main()\n{\n    begin();");
    for (int i = 0; i < count; i++) {
        do
            make(&programs[i]);
        while (!choose_edge(&programs[i], &without[i], &k));
        print_program(script, 2 * i, &programs[i], &(struct without){ 0 }, source);
        print_program(script, 2 * i + 1, &programs[i], &without[i], source);
    }
    if (source) {
        puts("    finish();\n    return 0;\n}");
        return 0;
    }
    rewind(script);

    struct timeline t;
    timeline_init(&t);
    play(argv[3], script, &t);
    struct pair *pairs = calloc(t.call_count + 1, sizeof *pairs);
    size_t pair_count = said(&t, pairs);
    struct tally ordered = { 0 }, broken = { 0 };
    for (int i = 0; i < count; i++) {
        know(&k, &programs[i], &(struct without){ 0 });
        compare(&ordered, 2 * i, &programs[i], &k, pairs, pair_count);
        know(&k, &programs[i], &without[i]);
        broken.between_threads += is_between_threads(&programs[i], &without[i]);
        compare(&broken, 2 * i + 1, &programs[i], &k, pairs, pair_count);
    }
    printf(
        "# %d ordered programs: %d false; %d with an edge too few (%d between threads): %d hazards, %d missed, %d false\n",
        ordered.programs, ordered.wrong, broken.programs, broken.between_threads, broken.pairs,
        broken.missed, broken.wrong);
    return ordered.wrong + broken.missed + broken.wrong > 0 || broken.pairs < broken.programs / 2
           || (count >= 100 && broken.between_threads < broken.programs / 20);
}
