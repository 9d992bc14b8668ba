/* SPDX-License-Identifier: MIT */
#include "grader/grade/gpu.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

#include "grader/base/environment.h"
#include "grader/base/text.h"
#include "grader/grade/grading.h"
#include "grader/judge/shared/real_card.h"
#include "grader/judge/tally.h"
#include "grader/sandbox/gpu_files.h"
#include "trace/record/memory.h"

#define LOCK "/tmp/streams-workbook-gpu.lock"
#define RECORDS_MOST 3          /* runs whose record is not whole, before the card is given up */
#define POISON 0xca4du

#define WHY(gpu, ...) ((gpu)->why[0] == '\0' ? (void)snprintf((gpu)->why, sizeof (gpu)->why, __VA_ARGS__) : (void)0)
/* The machine's, and not the submission's nor the lesson's. */
#define TROUBLE(gpu, ...) ((gpu)->trouble |= (gpu)->why[0] == '\0', WHY(gpu, __VA_ARGS__))

static char *file_of(const struct lesson *lesson, const char *name)
{
    char in_folder[128];
    snprintf(in_folder, sizeof in_folder, "%s/%s", lesson->folder, name);
    return gpu_path(in_folder);
}

/* Make leaves the reason beside the place of what it could not make. Frees `path`. */
static bool is_made(char *path, char why[GPU_WHY])
{
    char trouble[PATH_MAX], line[300] = "run make, which builds it";
    bool made = access(path, R_OK) == 0;
    snprintf(trouble, sizeof trouble, "%s.trouble", path);
    FILE *in = made ? NULL : fopen(trouble, "re");
    if (in) {
        if (fgets(line, sizeof line, in))
            line[strcspn(line, "\n")] = '\0';
        fclose(in);
    }
    const char *name = strrchr(path, '/');
    char *clean = text_harmless(line, strlen(line));
    if (!made)
        snprintf(why, GPU_WHY, "there is no %.80s: %.300s", name ? name + 1 : path, clean);
    memory_resize(clean, 0);
    free(path);
    return made;
}

bool gpu_is_made(const struct lesson *lesson, char why[GPU_WHY])
{
    return is_made(gpu_recorder(), why) && is_made(gpu_path("card"), why)
           && is_made(gpu_path("streams.o"), why) && is_made(gpu_path("driver.o"), why)
           && is_made(file_of(lesson, "driver.o"), why)
           && is_made(file_of(lesson, "reference"), why);
}

/* ---- building, and a look at the card ---- */

static void start_probe(struct gpu *gpu)
{
    if (!probe_start(&gpu->probe, NULL))
        TROUBLE(gpu, "the check of the GPU cannot be run: %s", strerror(errno));
}

static bool card_is_well(struct gpu *gpu)
{
    char why[PROBE_WHY];
    if (gpu->why[0] != '\0')
        return false;
    bool well = probe_is_well(&gpu->probe, why);
    if (!well)
        TROUBLE(gpu, "%s", why);
    return well;
}

static bool has_devices(struct grading *g)
{
    int there = probe_devices(&g->gpu.probe);
    if (there >= g->lesson->devices)
        return true;
    WHY(&g->gpu, "lesson %02d is about %d GPUs or more, and this machine has %d", g->lesson->number,
        g->lesson->devices, there);
    return false;
}

void gpu_init(struct gpu *gpu)
{
    *gpu = (struct gpu){ .lock = -1, .build.child = CHILD_NONE, .probe = PROBE_NONE };
    exchange_init(&gpu->exchange);
}

void gpu_start(struct grading *g)
{
    struct gpu *gpu = &g->gpu;
    char why[GPU_WHY];
    if (!gpu_is_made(g->lesson, why)) {
        TROUBLE(gpu, "%s", why);
        return;
    }
    build_start_cuda(&gpu->build, g->submission, g->lesson,
                     g->sandbox ? g->sandbox->card->nvcc : g->machine.nvcc, g->sandbox);
    if (!g->sandbox)     /* a stranger's: when the one before has left the card */
        start_probe(gpu);
}

size_t gpu_children(struct gpu *gpu, struct child **children)
{
    struct child *all[] = { &gpu->build.child, &gpu->probe.child, &gpu->yours.child,
                            &gpu->reference.child };
    size_t count = 0;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (all[i]->pid > 0 && !all[i]->gone)
            children[count++] = all[i];
    return count;
}

/* ---- one at a time ---- */

/* The file may be another user's: nobody writes into it. */
static void take_card(struct gpu *gpu, bool quietly)
{
    gpu->lock = open(LOCK, O_RDONLY | O_CLOEXEC);
    if (gpu->lock < 0)
        gpu->lock = open(LOCK, O_RDONLY | O_CREAT | O_CLOEXEC, 0644);
    if (gpu->lock < 0)
        return;                 /* then there is nobody to wait for */
    for (bool warned = false; flock(gpu->lock, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
         warned = true) {
        if (!warned && !quietly)
            fprintf(stderr, "%s: waiting for the GPU, which another submission is on\n",
                    program_invocation_short_name);
        nanosleep(&(struct timespec){ 0, 100000000 }, NULL);
        if (interrupt_seen() != 0)
            interrupt_leave();
    }
}

static void leave_card(struct gpu *gpu)
{
    if (gpu->lock >= 0)
        close(gpu->lock);
    gpu->lock = -1;
}

/* ---- runs ---- */

static void run_one(struct grading *g, struct run *r, const char *program, uint64_t seed,
                    const struct sandbox *sandbox)
{
    if (r->program)
        run_fini(r);
    char *recorder = sandbox ? sandbox_path(sandbox, false, SANDBOX_TOOLCHAIN, SANDBOX_RECORDER)
                             : gpu_recorder();
    if (!run_start_on_card(r, program, recorder, g->machine.cupti, &g->gpu.exchange, seed,
                           g->time_limit_ms, private_folder(), sandbox))
        die("cannot run %s: %s", program, strerror(errno));
    free(recorder);
    grading_watch(g, &r->child);
}

/* A kernel that never ends is ended with its process; is the card well then? */
static void look_after_card(struct grading *g)
{
    struct gpu *gpu = &g->gpu;
    probe_fini(&gpu->probe);
    start_probe(gpu);
    grading_watch(g, &gpu->probe.child);
    if (!card_is_well(gpu))
        fprintf(stderr, "%s: after this run %s\n", program_invocation_short_name, gpu->why);
    gpu->why[0] = '\0';
    gpu->trouble = false;
}

/* A fresh little program says so, whatever the one before left. */
static bool card_takes_another(struct grading *g)
{
    start_probe(&g->gpu);
    grading_watch(g, &g->gpu.probe.child);
    return card_is_well(&g->gpu) && has_devices(g);
}

static bool reference_is_whole(struct grading *g)
{
    struct gpu *gpu = &g->gpu;
    struct termination e;
    termination_find(&e, &gpu->reference, NULL, NULL, g->time_limit_ms);
    if (e.how == ENDED_WHOLE)
        return true;
    /* It is ours, and so is its driver, which says what it cannot do. */
    char *said = text_harmless(gpu->reference.child.output, gpu->reference.child.output_count);
    const char *own = probe_advice(said), *what = own ? own : probe_advice(e.message);
    memory_resize(said, 0);
    size_t length = strlen(e.message);
    if (length > 0 && e.message[length - 1] == '.')     /* the sentence goes on, and has its own */
        e.message[length - 1] = '\0';
    if (what)
        TROUBLE(gpu, "%s", what);
    else
        TROUBLE(gpu, "the reference solution failed there: %.300s", e.message);
    return false;
}

static bool run_reference(struct grading *g, uint64_t seed)
{
    char *reference = file_of(g->lesson, "reference");
    run_one(g, &g->gpu.reference, reference, seed, NULL);
    free(reference);
    return reference_is_whole(g);
}

/* The reference, unless nothing is to be judged, then the submission: *v is the verdict. False:
 * gpu->why says why there is none. */
static bool run_pair(struct grading *g, struct verdict *v, const struct verdict *simulated,
                     unsigned number)
{
    struct gpu *gpu = &g->gpu;
    uint64_t seed = g->seed ^ POISON ^ (uint64_t)number << 32;
    if (!g->run_only && !run_reference(g, ~seed))
        return false;
    run_one(g, &gpu->yours, gpu->build.program, seed, g->sandbox);
    run_need_sandbox(&gpu->yours);
    run_finish(&gpu->yours, &gpu->exchange, 0);
    real_card(&gpu->card, &gpu->yours.log);
    *v = (struct verdict){ .lesson = g->lesson, .submission = g->submission, .seed = g->seed,
                           .card = &gpu->card, .backend = backend_name(CUDA), .compiler = "",
                           .simulated = simulated, .real_views = 1 };
    find_attempts(v, g->submission, g->starter);
    termination_find(&v->termination, &gpu->yours, g->submission, gpu->card.title,
                     g->time_limit_ms);
    v->output = text_harmless(gpu->yours.child.output, gpu->yours.child.output_count);
    v->output_cut = gpu->yours.child.output_cut;
    run_cut_unended(&gpu->yours.log);
    struct logs logs = { &gpu->card, &gpu->yours.log, g->run_only ? NULL : &gpu->reference.log };
    char trouble[RECORDED_TROUBLE];
    bool whole = judge_recorded(v, &logs, trouble);
    if (v->termination.how == ENDED_TIMED_OUT && !g->sandbox)
        look_after_card(g);
    if (!whole && v->termination.how == ENDED_WHOLE) {
        WHY(gpu, "the card's record cannot be judged: %s", trouble);
        verdict_fini(v);
        return false;
    }
    if (g->run_only)
        return true;
    judge(v, &gpu->exchange);
    if (!whole)                 /* what is not known is not judged */
        for (size_t i = 0; i < g->lesson->check_count; i++)
            v->results[i] = (struct result){ .check = &g->lesson->checks[i], .outcome = WITHHELD };
    return true;
}

/* ---- as many pairs as it takes ---- */

/* Does it show a failure that the one before did not? */
static bool shows_more(const struct verdict *v, const struct verdict *before)
{
    for (size_t i = 0; i < v->lesson->check_count; i++)
        if (v->results[i].outcome == FAILED && before->results[i].outcome != FAILED)
            return true;
    return false;
}

static void run_pairs(struct grading *g, const struct verdict *simulated)
{
    struct gpu *gpu = &g->gpu;
    struct tally *tally = calloc(g->lesson->check_count + 1, sizeof *tally);
    unsigned bad_records = 0;
    for (unsigned number = 0; gpu->pairs < PAIRS_MOST; number++) {
        struct verdict v;
        if (!run_pair(g, &v, simulated, number)) {
            if (++bad_records == RECORDS_MOST)
                break;
            gpu->why[0] = '\0';
            gpu->trouble = false;
            continue;
        }
        bool first = gpu->pairs++ == 0;
        tally_add(tally, &v);
        bool keep = first || shows_more(&v, &gpu->verdict),
             goes_on = v.termination.how == ENDED_WHOLE && tally_is_open(tally, &v);
        if (keep && !first)
            verdict_fini(&gpu->verdict);
        if (keep)
            gpu->verdict = v;
        else
            verdict_fini(&v);
        if (!goes_on)
            break;
    }
    if (gpu->pairs > 0) {
        gpu->why[0] = '\0';
        gpu->trouble = false;
        tally_settle(tally, &gpu->verdict);
    }
    free(tally);
}

/* Nothing is judged, so once is enough. */
static void run_alone(struct grading *g)
{
    g->gpu.pairs = run_pair(g, &g->gpu.verdict, NULL, 0);
}

void gpu_judge(struct grading *g, const struct verdict *simulated)
{
    struct gpu *gpu = &g->gpu;
    if (gpu->why[0] != '\0')
        return;
    grading_watch(g, &gpu->build.child);
    if (!g->sandbox) {
        grading_watch(g, &gpu->probe.child);
        if (!card_is_well(gpu) || !has_devices(g))
            return;
    }
    build_finish(&gpu->build, g->submission);
    gpu->not_built = !gpu->build.good;
    if (gpu->not_built)
        return;
    struct random r = { g->seed };
    g->lesson->prepare(&gpu->exchange, &r);
    if (!exchange_seal(&gpu->exchange))
        die("cannot make the inputs: %s", strerror(errno));
    take_card(gpu, g->sandbox != NULL);
    if (g->run_only)
        run_alone(g);
    else if (!g->sandbox || card_takes_another(g))
        run_pairs(g, simulated);
    leave_card(gpu);
}

void gpu_end(struct gpu *gpu)
{
    build_fini(&gpu->build);
    probe_fini(&gpu->probe);
    if (gpu->yours.program)
        run_fini(&gpu->yours);
    if (gpu->reference.program)
        run_fini(&gpu->reference);
    exchange_fini(&gpu->exchange);
    leave_card(gpu);
}

static bool has_failed(const struct verdict *v)
{
    for (size_t i = 0; i < v->lesson->check_count; i++)
        if (v->results[i].outcome == FAILED)
            return true;
    return false;
}

void gpu_explain_crash(struct gpu *gpu, const struct verdict *simulated)
{
    if (gpu->pairs == 0 || gpu->verdict.termination.how == ENDED_WHOLE || !has_failed(simulated))
        return;
    snprintf(gpu->why, sizeof gpu->why,
             "on the %s of this machine the program %s, and what failed here may be why",
             gpu->card.title,
             gpu->verdict.termination.how == ENDED_TIMED_OUT ? "does not end"
                                                             : "does not finish");
    gpu->explained = true;
    verdict_fini(&gpu->verdict);
    gpu->pairs = 0;
}
