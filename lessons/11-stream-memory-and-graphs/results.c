/* SPDX-License-Identifier: MIT */
/* (c), (d): what comes of a pipeline's runs, and which gain each has. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runs.h"

/* The part's first call of that name; ANY: it makes none. */
static uint32_t call_named(const struct view *v, const char *part, const char *name)
{
    struct selection s = in_part(v, part, 0);
    for (size_t i = s.first_call; i < s.end_call; i++)
        if (strcmp(timeline_string(v->timeline, v->timeline->calls[i].name), name) == 0)
            return (uint32_t)i;
    return ANY;
}

/* The call with which the part changes a kernel's parameters; NULL: it makes none. */
static const char *changes(const struct view *v, const char *part)
{
    static const char *const calls[] = { "cudaGraphKernelNodeSetParams",
                                         "cudaGraphExecKernelNodeSetParams" };
    for (size_t k = 0; k < 2; k++)
        if (call_named(v, part, calls[k]) != ANY)
            return calls[k];
    return NULL;
}

/* A run that launches the same executable graph as the one before it, which is another pipeline's;
 * ANY: there is none, or it is not known. */
static uint32_t shares_a_graph(const struct evidence *e, const char *part)
{
    const struct view *v = &e->yours[0];
    uint64_t before = 0;
    for (int64_t k = 0; k < runs_of(e, part); k++) {
        struct selection run = labelled(v, part, RUN, k);
        size_t i = run.first_call;
        while (i < run.end_call && v->timeline->calls[i].kind != CALL_GRAPH_LAUNCH)
            i++;
        if (i == run.end_call)
            continue;
        uint64_t graph = v->timeline->calls[i].src;
        if (graph != 0 && graph == before)
            return (uint32_t)i;
        before = graph;
    }
    return ANY;
}

/* What a pipeline's x is after that many runs, one after the other; those that `changes`: as many
 * with each gain. `x`: as it is at first. */
static void run_all(const struct settings *s, int pipeline, int64_t runs, bool changes, uint32_t *x)
{
    int64_t n = s->work_n[pipeline];
    uint32_t *next = malloc((size_t)n * sizeof *next);
    if (!next)
        abort();
    for (int64_t k = 0; k < runs; k++) {
        uint32_t gain = !changes || k < s->runs ? s->first[pipeline] : s->gain[k / s->runs];
        for (int64_t i = 0; i < n; i++)
            next[i] = gain * (1664525u * (x[i] + 1) + 7) + (22695477u * x[n - 1 - i] + 1);
        memcpy(x, next, (size_t)n * sizeof *x);
    }
    free(next);
}

/* The first launch of a graph that pipeline_gain() makes, or its first update of an executable
 * graph as a whole; ANY: there is none. */
static uint32_t first_in_gain(const struct view *v, const char *part, bool launch)
{
    for (int64_t k = 0; k < GAINS; k++) {
        struct selection gain = labelled(v, part, GAIN, k);
        for (size_t i = gain.first_call; i < gain.end_call; i++) {
            const struct call *c = &v->timeline->calls[i];
            const char *name = timeline_string(v->timeline, c->name);
            if (launch ? c->kind == CALL_GRAPH_LAUNCH
                       : c->status == 0 && strcmp(name, "cudaGraphExecUpdate") == 0)
                return (uint32_t)i;
        }
    }
    return ANY;
}

/* The first change of an executable graph that pipeline_gain() asks for in vain; ANY: none. */
static uint32_t refused_in_gain(const struct view *v, const char *part)
{
    for (int64_t k = 0; k < GAINS; k++) {
        struct selection gain = labelled(v, part, GAIN, k);
        for (size_t i = gain.first_call; i < gain.end_call; i++) {
            const struct call *c = &v->timeline->calls[i];
            if (c->status != 0
                && strncmp(timeline_string(v->timeline, c->name), "cudaGraphExec",
                           strlen("cudaGraphExec")) == 0)
                return (uint32_t)i;
        }
    }
    return ANY;
}

/* The first gain that not each pipeline's executable graph is given; GAINS: each is. *given: how
 * many pipelines' are. */
static int64_t gain_not_given(const struct view *v, const char *part, int *given)
{
    for (int64_t k = 1; k < GAINS; k++) {
        struct selection gain = labelled(v, part, GAIN, k);
        *given = 0;
        for (size_t i = gain.first_call; i < gain.end_call; i++) {
            const char *name = timeline_string(v->timeline, v->timeline->calls[i].name);
            *given += strncmp(name, "cudaGraphExec", strlen("cudaGraphExec")) == 0
                      || strncmp(name, "cudaGraphInst", strlen("cudaGraphInst")) == 0;
        }
        if (*given < PIPELINES)
            return k;
    }
    return GAINS;
}

/* Is that pipeline's x what that many runs with the first gain leave? */
static bool is_of_first_gain(const struct evidence *e, int pipeline, int64_t runs,
                             const uint32_t *got)
{
    const struct settings *s = settings_of(e);
    const uint32_t *in = exchange_input(e->exchange, IN_UPDATE, NULL);
    int64_t n = s->work_n[pipeline], same = 0;
    uint32_t *x = malloc((size_t)n * sizeof *x);
    if (!x)
        abort();
    for (int k = 0; k < pipeline; k++)
        in += s->work_n[k];
    memcpy(x, in, (size_t)n * sizeof *x);
    run_all(s, pipeline, runs, false, x);
    while (same < n && got[same] == x[same])
        same++;
    free(x);
    return same == n;
}

/* An element is wrong: why that may be. */
static bool why_wrong(const struct evidence *e, struct finding *f, const char *part,
                      bool first_only)
{
    bool update = part[0] == 'd';
    const char *named = update ? changes(&e->yours[0], part) : NULL;
    uint32_t shared = shares_a_graph(e, part);
    if (shared != ANY) {
        f->call = shared;
        f->function = NULL;
        return why(f,
                   "Two pipelines are open, and their runs launch the same executable graph. A static or global variable exists only once, for all "
                   "pipelines. Keep what belongs to a pipeline in `*p`.");
    }
    uint32_t launch = update ? first_in_gain(&e->yours[0], part, true) : ANY,
             taken = update ? first_in_gain(&e->yours[0], part, false) : ANY;
    if (launch != ANY) {
        f->call = launch;
        return why(f,
                   "pipeline_gain() launches the graph here, and that is a run that its caller has not asked for. It changes what later runs do, and "
                   "pipeline_run() launches them.");
    }
    uint32_t refused = update ? refused_in_gain(&e->yours[0], part) : ANY;
    if (refused != ANY) {
        f->call = refused;
        return why(f,
                   "This call returns an error, and the executable graph keeps its parameters: later runs use the old gain.");
    }
    if (named && strcmp(named, "cudaGraphKernelNodeSetParams") == 0) {
        f->call = call_named(&e->yours[0], part, named);
        return why(f,
                   "cudaGraphKernelNodeSetParams() changes the graph, but the executable graph, which runs, was made from it before. "
                   "cudaGraphExecKernelNodeSetParams() changes that one.");
    }
    int given = 0;
    int64_t idle =
        update && (named || taken != ANY) ? gain_not_given(&e->yours[0], part, &given) : GAINS;
    if (idle < GAINS) {
        f->returns = true;
        return why(f,
                   "%s() is called for gain %u, and changes the executable graph of %d of the %d pipelines. Any gain may come, 0 too, and "
                   "each pipeline has its own: what one was given last says nothing of another.",
                   f->function, settings_of(e)->gain[idle], given, PIPELINES);
    }
    if (named && first_only) {
        bool listed = false;
        const struct timeline *t = e->yours[0].timeline;
        for (size_t i = 0; i < t->call_count; i++)
            listed |= strcmp(timeline_string(t, t->calls[i].name), "cudaGraphGetNodes") == 0;
        f->call = call_named(&e->yours[0], part, named);
        return why(f,
                   "Each run of that pipeline has had the first gain. merge() alone uses it: this sets the parameters of another kernel's node, or those that the "
                   "node had.%s",
                   listed
                       ? " CUDA promises no order of the nodes that cudaGraphGetNodes() lists: cudaGraphKernelNodeGetParams() tells which "
                         "kernel a node has, in `func`."
                       : "");
    }
    if (named)
        return why(f,
                   "%s() changes what runs. Does it name the node of the kernel that uses the gain, and does each run get its gain before it is "
                   "launched?",
                   named);
    if (taken != ANY) {
        f->call = taken;
        return why(f,
                   "cudaGraphExecUpdate() takes over the parameters of the graph that it is given, and those were copied when that graph was made. Is it "
                   "a graph that was made after p->w had got the new gain, whenever there is one? Each pipeline has its own, and any number may come "
                   "again, 0 too.");
    }
    if (update)
        return why(f,
                   "Which gain did each run have? Each pipeline has its own, and any number may come again, 0 too. The parameters of the kernels were "
                   "copied when the graph was made, and a later change of p->w does not reach them. Memory that a run reads may hold a later gain by "
                   "then. Give later runs other parameters with cudaGraphExecKernelNodeSetParams() or cudaGraphExecUpdate().");
    return why(f,
               "Does each kernel get all of w as pipeline_open() was given it, with any gain, and does each element have a thread?");
}

/* The first pipeline whose x is what it was; PIPELINES: there is none. */
static int untouched(const struct settings *s, const uint32_t *in, const uint32_t *got)
{
    for (int pipeline = 0; pipeline < PIPELINES; pipeline++) {
        size_t n = (size_t)s->work_n[pipeline];
        if (memcmp(in, got, n * sizeof *in) == 0)
            return pipeline;
        in += n, got += n;
    }
    return PIPELINES;
}

bool judge_result(const struct evidence *e, struct finding *f, const char *part)
{
    const struct settings *s = settings_of(e);
    bool update = part[0] == 'd';
    const uint32_t *in = exchange_input(e->exchange, update ? IN_UPDATE : IN_REPLAY, NULL);
    const uint32_t *got = exchange_output(e->exchange, update ? OUT_UPDATE : OUT_REPLAY, NULL);
    int idle = update ? PIPELINES : untouched(s, in, got);
    for (int pipeline = 0; pipeline < PIPELINES;
         in += s->work_n[pipeline], got += s->work_n[pipeline], pipeline++) {
        int64_t n = s->work_n[pipeline], wrong = 0;
        uint32_t *x = malloc((size_t)n * sizeof *x), right;
        if (!x)
            abort();
        memcpy(x, in, (size_t)n * sizeof *x);
        run_all(s, pipeline, s->runs * (update ? GAINS : 1), update, x);
        while (wrong < n && got[wrong] == x[wrong])
            wrong++;
        right = wrong < n ? x[wrong] : 0;
        free(x);
        if (wrong == n)
            continue;
        expected(f, "after %lld runs%s element %lld of x of pipeline %d is %u",
                 (long long)runs_of(e, part) / PIPELINES, update ? ", each with its own gain," : "",
                 (long long)wrong, pipeline, right);
        seen(f, "it is %u", got[wrong]);
        f->function = update ? "pipeline_gain" : "pipeline_run";
        if (idle < PIPELINES && idle != pipeline && shares_a_graph(e, part) == ANY) {
            f->function = "pipeline_open";
            f->word = "graph";
            return why(f,
                       "No run has changed x of pipeline %d: the runs that were asked of it have worked on another pipeline's memory. Each has a "
                       "graph of its own, with its own p->w in all kernels. Is a graph, or what it is made of, in a static or global variable, or made only once?",
                       idle);
        }
        /* After the first gain's runs nothing has changed it: the later ones have worked on other
         * memory. */
        if (update && is_of_first_gain(e, pipeline, s->runs, got)) {
            f->word = "w";
            return why(f,
                       "No run since the first %s() has changed this pipeline's x: they work on other memory, or not at all. p->w has the "
                       "pipeline's memory and n. Is it set anew there from `*w`? That is the caller's, and may have changed.",
                       f->function);
        }
        bool first_only = update && is_of_first_gain(e, pipeline, s->runs * GAINS, got);
        return why_wrong(e, f, part, first_only);
    }
    return true;
}
