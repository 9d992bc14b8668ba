/* SPDX-License-Identifier: MIT */
/*
 * engine [MOST [STAGE [SHAPE]]]: how long the engine takes for programs of 10^3,
 * 10^4 … MOST operations (10^6), and how much memory; all stages and shapes, or
 * those with these words in their names. A line each, tab between:
 *
 *     STAGE SHAPE OPERATIONS SECONDS BYTES
 *
 * SECONDS is processor time (user and system) of the best of several runs,
 * BYTES what the peak of resident memory grew by; each run is a process.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "model/model.h"
#include "model/replay.h"
#include "programs.h"
#include "stopwatch.h"
#include "trace/order/vector_clocks.h"
#include "trace/record/log.h"
#include "trace/record/measure.h"

/* Peak of resident memory of this process, bytes. */
static double peak(void)
{
    struct rusage u;
    getrusage(RUSAGE_SELF, &u);
    return (double)u.ru_maxrss * 1024;
}

/* What one run works on. */
struct bench {
    const struct shape *shape;
    uint32_t operations;
    struct timeline t, again;
    struct happens_before order, order_again;
    struct model model;
    struct vector_clocks clocks;
    struct log_writer writer;
    struct log_reader reader;
    FILE *file;
};

static void to_model(void *context, const struct call *c)
{
    model_call(&((struct bench *)context)->model, c);
}

static void to_order(void *context, const struct call *c)
{
    hb_call(&((struct bench *)context)->order, c);
}

static void to_timeline(void *context, const struct call *c)
{
    timeline_add_call(&((struct bench *)context)->t, c);
}

static void to_log(void *context, const struct call *c)
{
    struct bench *b = context;
    log_write(&b->writer, &b->t, c);
}

static void feed(struct bench *b, void (*give)(void *context, const struct call *c))
{
    struct program p = { .give = give, .context = b };
    program_make(&p, b->shape, b->operations);
}

static void put(void *context, const void *bytes, size_t count)
{
    fwrite(bytes, 1, count, context);
}

/* ---- stages: what has to be there, and what is measured ---- */

static void nothing(struct bench *b)
{
    (void)b;
}

static void engine(struct bench *b)
{
    model_init(&b->model, card_find("h200"), 0, &b->t, &b->order, NULL);
    feed(b, to_model);
    model_fini(&b->model);
}

static void order(struct bench *b)
{
    feed(b, to_order);
}

static void clocks(struct bench *b)
{
    vector_clocks_follow(&b->clocks);
}

static void calls(struct bench *b)
{
    feed(b, to_timeline);
}

static void replay(struct bench *b)
{
    model_replay(&b->t, card_find("h200"), &b->again, &b->order_again);
}

/* With a wait for the device every thousandth call, but not inside a graph; the log is replayed as
 * it is written. */
static void to_pieces(void *context, const struct call *c)
{
    static size_t since;
    struct bench *b = context;
    log_write(&b->writer, &b->t, c);
    bool inside =
        c->kind == CALL_GRAPH_LAUNCH || c->kind == CALL_GRAPH_EDGE || c->flags & GRAPH_NODE;
    if (++since < 1000 || inside)
        return;
    since = 0;
    log_write(&b->writer, &b->t, &(struct call){ .kind = CALL_DEVICE_SYNC, .node = NO_NODE });
    log_write(&b->writer, &b->t, &(struct call){ .kind = CALL_OTHER, .node = NO_NODE });
}

static volatile int64_t result;
static void look(void *context, const struct replay_piece *p)
{
    (void)context;
    for (size_t i = p->first_span; i < p->t->span_count; i++)
        result += (int64_t)p->t->spans[i].bytes;
}

static void read_pieces(void *context, const void *bytes, size_t count)
{
    replay_read(context, bytes, count);
}

static void pieces(struct bench *b)
{
    struct replay *r = replay_new(card_find("h200"), look, NULL);
    b->writer = (struct log_writer){ .put = read_pieces, .context = r };
    log_begin(&b->writer);
    feed(b, to_pieces);
    replay_end(r);
}


static void measure(struct bench *b)
{
    struct selection device = { ENGINES_DEVICE, ANY, ANY, 0, b->t.call_count }, kernels = device,
                     copies = device;
    kernels.engines = ENGINE_BIT(ENGINE_KERNEL);
    copies.engines = ENGINE_BIT(ENGINE_H2D);
    result += measure_overlap(&b->t, kernels, copies) + measure_peak(&b->t, device)
              + measure_busy_share(&b->t, device, NULL)
              + measure_longest_wait(&b->t, 0, b->t.call_count);
}

static void write_log(struct bench *b)
{
    b->writer = (struct log_writer){ .put = put, .context = b->file };
    log_begin(&b->writer);
    feed(b, to_log);
    fflush(b->file);
}

static void read_log(struct bench *b)
{
    static char bytes[1 << 16];
    rewind(b->file);
    for (size_t n; (n = fread(bytes, 1, sizeof bytes, b->file)) > 0;)
        log_read(&b->reader, &b->t, bytes, n);
}

static const struct stage {
    const char *name;
    void (*before)(struct bench *b);
    void (*measured)(struct bench *b);
} stages[] = {
    { "engine", nothing, engine },
    { "order", nothing, order },
    { "clocks", order, clocks },
    { "replay", calls, replay },
    { "pieces", nothing, pieces },
    { "measure", engine, measure },
    { "write log", nothing, write_log },
    { "read log", write_log, read_log },
};

/* ---- runs, each in a process of its own ---- */

struct figures { double seconds, bytes; };

static struct figures run_here(const struct stage *stage, const struct shape *shape,
                               uint32_t operations)
{
    static struct bench b;
    b.shape = shape;
    b.operations = operations;
    b.file = tmpfile();
    if (!b.file)
        exit(2);
    timeline_init(&b.t);
    timeline_init(&b.again);
    hb_init(&b.order);
    hb_init(&b.order_again);
    vector_clocks_init(&b.clocks, &b.order);
    log_reader_init(&b.reader);
    stage->before(&b);
    double bytes = peak(), begin = seconds_now();
    stage->measured(&b);
    struct figures f = { seconds_now() - begin, 0 };
    f.bytes = peak() - bytes;
    return f;
}

static struct figures run(const struct stage *stage, const struct shape *shape, uint32_t operations)
{
    int pipes[2];
    struct figures f;
    if (pipe(pipes) != 0)
        exit(2);
    pid_t child = fork();
    if (child == 0) {
        f = run_here(stage, shape, operations);
        _exit(write(pipes[1], &f, sizeof f) != sizeof f);
    }
    close(pipes[1]);
    if (child < 0 || read(pipes[0], &f, sizeof f) != sizeof f) {
        fprintf(stderr, "%s, %s, %u: it failed\n", stage->name, shape->name, operations);
        exit(2);
    }
    close(pipes[0]);
    waitpid(child, NULL, 0);
    return f;
}

int main(int argc, char **argv)
{
    uint32_t most = argc > 1 ? (uint32_t)atoi(argv[1]) : 1000000;
    const char *stage = argc > 2 ? argv[2] : "", *shape = argc > 3 ? argv[3] : "";
    for (size_t s = 0; s < sizeof stages / sizeof *stages; s++) {
        if (!strstr(stages[s].name, stage))
            continue;
        for (unsigned i = 0; i < shape_count; i++) {
            if (!strstr(shapes[i].name, shape))
                continue;
            for (uint32_t n = 1000; n <= most; n *= 10) {
                struct figures best = run(&stages[s], &shapes[i], n);
                for (int again = n < 1000000 ? 4 : 2; again > 0; again--) {
                    struct figures f = run(&stages[s], &shapes[i], n);
                    best.seconds = f.seconds < best.seconds ? f.seconds : best.seconds;
                }
                printf("%s\t%s\t%u\t%.6f\t%.0f\n", stages[s].name, shapes[i].name, n, best.seconds,
                       best.bytes);
                fflush(stdout);
            }
        }
    }
}
