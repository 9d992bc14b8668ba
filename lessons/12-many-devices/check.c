/* SPDX-License-Identifier: MIT */
/*
 * check.c - lesson 12: does every device work, at once, and does nothing get lost between them?
 *
 * DESIGN
 * What is about several devices is judged on each machine that has them: on one
 * where they reach each other's memory and on one where they do not. The machine
 * with one device has to give the right output, and no more. The answers of part
 * (a) are compared with what the driver tried, as the log of the reference's run
 * has it: which calls were refused, what ran when, whose device a call was.
 */
#include <stdio.h>
#include <string.h>

#include "judges.h"

/* An odd size whose half is far from a multiple of warps and blocks: a share rounded to those is
 * not half of it. Divided by four it leaves `rest`, 1 or 3: who rounds all shares but the last up,
 * or down, is off by more than one element in one of the two. */
static int64_t unaligned_size(struct random *r, uint64_t from, uint64_t to, int64_t rest)
{
    return 256 * (int64_t)random_between(r, from, to) + 4 * (int64_t)random_between(r, 17, 29)
           + rest;
}

static void prepare(struct exchange *x, struct random *r)
{
    struct sizes s = { .team = { unaligned_size(r, 235, 350, 3), unaligned_size(r, 157, 229, 1) },
                       .batch = random_odd(r, 8000, 12000),
                       .batches = (int64_t)random_between(r, 5, 8),
                       .swapped = (int64_t)random_between(r, 0, 1),
                       .few = (int64_t)random_between(r, 3, FEW) };
    *(struct sizes *)exchange_add_input(x, sizeof s) = s;
    exchange_add_elements(x, r, s.team[0]);
    exchange_add_elements(x, r, s.batch * s.batches);
    exchange_add_output(x, sizeof(struct answers));
    exchange_add_output(x, (size_t)(s.team[0] * RUNS) * sizeof(uint32_t));
    exchange_add_output(x, (size_t)(s.batch * s.batches) * sizeof(uint32_t));
    exchange_add_output(x, SMALL_RUNS * FEW * sizeof(uint32_t));
    exchange_add_output(x, SMALL_BATCHES * FEW * sizeof(uint32_t));
}

/* ---- (a) ---- */

enum { RECORD_THERE, WAIT_THERE, ELAPSED_BETWEEN, LAUNCH_THERE, COPY_THERE, STREAM_SYNC_THERE,
       DEVICE_SYNC_THERE, DEFAULT_THERE,
       NEW_THREAD };            /* as in lesson.h */
enum kind { DONE, WAITS, LATER, DEVICE };

static const struct {
    enum kind kind;
    const char *name;           /* in lesson.h */
    const char *call;           /* the call that is asked about; NULL: a launch */
    const char *asked, *yes, *no, *reason;
} questions[QUESTION_COUNT] = {
    { .kind = DONE, .name = "RECORD_THERE", .call = "cudaEventRecord",
      .asked = "an event of device 0 is recorded in a stream of device 1", .yes = "it is done",
      .no = "the call fails",
      .reason = "An event belongs to the device that was current when it was made, and marks places in the queues of that device." },
    { .kind = DONE, .name = "WAIT_THERE", .call = "cudaStreamWaitEvent",
      .asked = "a stream of device 1 is told to wait for an event of device 0", .yes = "it waits",
      .no = "the call fails", .reason = "A stream can wait for an event of any device." },
    { .kind = DONE, .name = "ELAPSED_BETWEEN", .call = "cudaEventElapsedTime",
      .asked = "the time between an event of device 0 and one of device 1",
      .yes = "there is an answer", .no = "the call fails",
      .reason = "A time stamp is taken by the clock of its device, and two devices have two clocks." },
    { .kind = DONE, .name = "LAUNCH_THERE",
      .asked = "device 0 is current, and a kernel is launched into a stream of device 1",
      .yes = "it runs, on device 1", .no = "the launch fails",
      .reason = "Older guides say that such a launch fails. The reference run has tried it on this device, and that result counts." },
    { .kind = DONE, .name = "COPY_THERE", .call = "cudaMemcpyAsync",
      .asked = "device 0 is current, and a copy is queued into a stream of device 1",
      .yes = "it is made", .no = "the call fails",
      .reason = "The addresses of a copy say whose memory is meant: it may be queued with any device current." },
    { .kind = WAITS, .name = "STREAM_SYNC_THERE", .call = "cudaStreamSynchronize",
      .asked = "device 0 is current, and cudaStreamSynchronize() is given a stream of device 1",
      .yes = "it waits", .no = "it does not wait",
      .reason = "The stream identifies its device. The current device does not matter." },
    { .kind = WAITS, .name = "DEVICE_SYNC_THERE", .call = "cudaDeviceSynchronize",
      .asked = "a kernel of device 1 runs, device 0 is current, and cudaDeviceSynchronize() is called",
      .yes = "it waits", .no = "it does not wait",
      .reason = "\"Device\" stands for the current one, and for no other." },
    { .kind = LATER, .name = "DEFAULT_THERE",
      .asked = "a kernel in the default stream of device 0, then one in the default stream of device 1",
      .yes = "it waits", .no = "it does not wait",
      .reason = "Each device has a default stream of its own, and two of them are two queues." },
    { .kind = DEVICE, .name = "NEW_THREAD", .call = "cudaDeviceSynchronize",
      .asked = "device 1 is current, and a new host thread is made",
      .yes = "device 1 is current there", .no = "device 0 is current there",
      .reason = "The current device is a state of the thread, and every thread begins with device 0." },
};

static const struct span *span_of_call(const struct view *v, size_t call)
{
    for (size_t k = 0; k < v->timeline->span_count; k++)
        if (v->timeline->spans[k].call == call && v->timeline->spans[k].engine != ENGINE_WAIT)
            return &v->timeline->spans[k];
    return NULL;
}

/* A call that was refused has its name left, and may be of no kind. */
static bool is_asked_about(const struct timeline *t, const struct call *c, int question)
{
    const char *call = questions[question].call;
    return !call ? c->kind == CALL_LAUNCH : strcmp(timeline_string(t, c->name), call) == 0;
}

/* What the machine did when the driver tried it: yes or no. */
static bool tried(const struct view *v, int question)
{
    const struct timeline *t = v->timeline;
    const struct span *before = NULL;
    char label[32];
    size_t first, end;
    snprintf(label, sizeof label, "%s%d", QUESTION, question);
    if (!measure_label(t, label, &first, &end))
        return false;
    for (size_t i = first; i < end; i++) {
        const struct call *c = &t->calls[i];
        const struct span *span = span_of_call(v, i);
        if (is_asked_about(t, c, question))
            switch (questions[question].kind) {
            case DONE: return c->status == 0;
            case WAITS: return before && c->end >= before->end;
            case LATER: if (before) return span && span->start >= before->end; break;
            case DEVICE: return c->device == 1;
            }
        before = span ? span : before;
    }
    return false;
}

static bool judge_questions(const struct evidence *e, struct finding *f, int from, int to)
{
    for (size_t view = 0; view < e->views; view++) {
        const int32_t *answer = answers_of(e, view)->across;
        int wrong = -1, right = 0;
        if (devices_of(&e->yours[view]) < 2)
            continue;
        for (int q = from; q <= to; q++) {
            bool is_right = answer[q] == tried(&e->reference[view], q);
            right += is_right;
            wrong = !is_right && wrong < 0 ? q : wrong;
        }
        if (wrong < 0)
            continue;
        bool is = tried(&e->reference[view], wrong);
        f->view = view;
        f->function = "across";
        f->word = questions[wrong].name;
        expected(f, "%s: %s", questions[wrong].asked,
                 is ? questions[wrong].yes : questions[wrong].no);
        if (answer[wrong] == 0 || answer[wrong] == 1)
            seen(f, "your answer is %s; %d of these %d are right", answer[wrong] ? "yes" : "no",
                 right, to - from + 1);
        else
            seen(f, "you give no answer (1 for yes, 0 for no); %d of these %d are right", right,
                 to - from + 1);
        return why(f, "%s", questions[wrong].reason);
    }
    return true;
}

static bool judge_calls(const struct evidence *e, struct finding *f, const char *part)
{
    (void)part;
    return judge_questions(e, f, RECORD_THERE, COPY_THERE);
}

static bool judge_waits(const struct evidence *e, struct finding *f, const char *part)
{
    (void)part;
    return judge_questions(e, f, STREAM_SYNC_THERE, NEW_THREAD);
}

/* ---- the tables ---- */

static const struct part parts[] = {
    { "a", "what goes across?", "across" },
    { "b", "all hands", "open run" },
    { "c", "from hand to hand", "line hands" },
};

#define READ_CURRENT "The current device"
#define READ_ACROSS "What goes across"
#define READ_SHARES "Work shared out"
#define READ_HANDS "From hand to hand"
#define READ_PEERS "Three ways across"
#define READ_CALLS "The calls"

JUDGE(team_work); JUDGE(team_wait); JUDGE(team_output); JUDGE(team_together); JUDGE(team_left);
JUDGE(line_work);
JUDGE(line_way);
JUDGE(line_peers);
JUDGE(line_order);
JUDGE(line_wait);
JUDGE(line_output);
JUDGE(line_together); JUDGE(line_left);

static const struct check checks[] = {
    { .id = "a-calls",
      .part = "a",
      .kind = OUTPUT,
      .points = 10,
      .name = "which calls are taken with a stream or an event of another device",
      .judge = judge_calls,
      .read = READ_ACROSS,
      .hints = { "Which of these calls names its device by its arguments, and which needs the two devices to be the same?",
                 "mark belongs to the event's device",
                 "yes[WAIT_THERE] = 1 and yes[RECORD_THERE] = 0: cudaStreamWaitEvent() goes across, cudaEventRecord() does not." } },
    { .id = "a-waits",
      .part = "a",
      .kind = OUTPUT,
      .points = 8,
      .name = "which calls wait for another device, and where a new thread begins",
      .judge = judge_waits,
      .read = READ_CURRENT,
      .hints = { "Which of these concern the current device, and what does the current device belong to?",
                 "Each host thread",
                 "yes[DEVICE_SYNC_THERE] = 0: cudaDeviceSynchronize() waits for the current device; cudaStreamSynchronize() for the stream it is given." } },
    { RACES("a", 1, "*", READ_CURRENT, "Each host thread") },
    { ERRORS("a", 1, "*") },

    { .id = "b-work",
      .part = "b",
      .kind = OUTPUT,
      .points = 6,
      .name = "every device computes, in equal shares, each element once",
      .judge = team_work,
      .read = READ_SHARES,
      .hints = { "To which device does a new stream belong, and where does a kernel in that stream run?",
                 "Make everything with its own device current",
                 "cudaGetDeviceCount(&t->count), and cudaSetDevice(d) before cudaStreamCreateWithFlags() and cudaMalloc()." } },
    { .id = "b-wait", .part = "b", .kind = ORDER, .points = 6, .name = "every device is waited for",
      .needs = "b-work", .judge = team_wait, .read = READ_SHARES,
      .hints = { "After which call is the last share complete?", "There must be two loops",
                 "cudaStreamSynchronize(t->lane[d].stream) for each d, after the loop that gives out the shares." } },
    { .id = "b-hazard", .part = "b", .kind = HAZARD, .points = 5,
      .name = "no two accesses to the same bytes without an order", .needs = "b-wait",
      .judge = judge_hazards, .read = READ_SHARES,
      .hints = { "What makes each step of a share wait for the one before?",
                 "One stream for each device",
                 "One stream a lane in all three: cudaMemcpyAsync(…, l->stream), scramble<<<…, l->stream>>>(), cudaMemcpyAsync(…, l->stream)." } },
    { .id = "b-output", .part = "b", .kind = OUTPUT, .points = 6,
      .name = "every element is right, with one device or several", .needs = "b-hazard",
      .judge = team_output, .read = READ_SHARES,
      .hints = { "Where does the share of device 1 begin, and where does the last share end?",
                 "Then sizes differ by one element",
                 "first = n * d / count and end = n * (d + 1) / count, in long long; cudaMemcpyAsync(out + first, …)." } },
    { .id = "b-current", .part = "b", .kind = HYGIENE, .points = 4,
      .name = "the caller's current device is left as it was", .judge = team_left,
      .read = READ_CURRENT, .hints = { "Which device is current when your function returns?",
                                       "Leave it as you found it",
                 "cudaGetDevice(&before) at the beginning, cudaSetDevice(before) at the end of each function." } },
    { .id = "b-together",
      .part = "b", .kind = OVERLAP, .points = 9, .name = "all devices work at the same time",
      .needs = "b-wait", .judge = team_together, .read = READ_SHARES,
      .hints = { "What does the host do between the first device's share and the second's?",
                 "There must be two loops",
                 "First the loop with cudaMemcpyAsync() and scramble<<<>>>() for all devices, then the loop with cudaStreamSynchronize()." } },
    { .id = "b-leaks",
      .part = "b",
      .kind = HYGIENE,
      .points = 3,
      .name = "part (b) gives back what it made, on every device",
      .judge = judge_leaks,
      .read = READ_CALLS,
      .hints = { "How many streams and buffers did you make, and how many does team_close() give back?",
                 "`cudaFree`",
                 "cudaStreamDestroy(t->lane[d].stream) and cudaFree(t->lane[d].x) for each d in team_close()." } },
    { ERRORS("b", 1, "*") },

    { .id = "c-work", .part = "c", .kind = OUTPUT, .points = 5,
      .name = "each batch is pressed by the one device and polished by the other",
      .judge = line_work, .read = READ_HANDS,
      .hints = { "Which device is current when each of the two streams is made?",
                 "Each device has one stream, and two",
                 "cudaSetDevice(l->device[k]) before cudaStreamCreateWithFlags(&l->stream[k], cudaStreamNonBlocking)." } },
    { .id = "c-way", .part = "c", .kind = OUTPUT, .points = 3,
      .name = "a batch goes across without a detour through the host's memory", .needs = "c-work",
      .judge = line_way, .read = READ_PEERS,
      .hints = { "Which call copies from one device's memory to another's?",
                 "takes both devices by number",
                 "cudaMemcpyPeerAsync(l->x[1], l->device[1], l->x[0], l->device[0], bytes, l->stream[1])." } },
    { .id = "c-peers", .part = "c", .kind = HYGIENE, .points = 4,
      .name = "where devices can reach each other, the copy goes directly", .needs = "c-work",
      .judge = line_peers, .read = READ_PEERS,
      .hints = { "Which call allows one device to reach the memory of the other?",
                 "No device is a peer by default",
                 "cudaDeviceCanAccessPeer(&can, l->device[1], l->device[0]); if it can, cudaSetDevice(l->device[1]) and cudaDeviceEnablePeerAccess(l->device[0], 0)." } },
    { .id = "c-order",
      .part = "c", .kind = ORDER, .points = 6, .name = "polish() waits for press() of its batch",
      .needs = "c-work", .judge = line_order, .read = READ_HANDS,
      .hints = { "How does a stream of one device learn that a kernel of the other is done?",
                 "The first event says",
                 "cudaEventRecord(l->full, l->stream[0]) after press(), cudaStreamWaitEvent(l->stream[1], l->full, 0) before the copy." } },
    { .id = "c-wait", .part = "c", .kind = ORDER, .points = 3, .name = "the line is waited for",
      .needs = "c-order", .judge = line_wait, .read = READ_HANDS,
      .hints = { "Which stream is the last to be done?", "waits once",
                 "cudaStreamSynchronize(l->stream[1]) at the end of line_run()." } },
    { .id = "c-hazard", .part = "c", .kind = HAZARD, .points = 4,
      .name = "no batch is overwritten before it has been copied away", .needs = "c-wait",
      .judge = judge_hazards, .read = READ_HANDS,
      .hints = { "When may the next batch be written over this one?", "The second event says",
                 "cudaEventRecord(l->empty, l->stream[1]) after the copy, cudaStreamWaitEvent(l->stream[0], l->empty, 0) before the next batch's copy." } },
    { .id = "c-output", .part = "c", .kind = OUTPUT, .points = 3,
      .name = "every element is right, with one device or two", .needs = "c-hazard",
      .judge = line_output, .read = READ_HANDS,
      .hints = { "Does each of the five steps of a batch cover all n elements?",
                 "Each device has one stream, and two",
                 "n * sizeof(unsigned) bytes in each cudaMemcpyAsync(), n in press<<<>>>() and polish<<<>>>()." } },
    { .id = "c-current", .part = "c", .kind = HYGIENE, .points = 2,
      .name = "the caller's current device is left as it was", .judge = line_left,
      .read = READ_CURRENT, .hints = { "Which device is current when your function returns?",
                                       "Leave it as you found it",
                 "cudaGetDevice(&before) at the beginning, cudaSetDevice(before) at the end of each function." } },
    { .id = "c-together", .part = "c", .kind = OVERLAP, .points = 7,
      .name = "one device presses while the other polishes", .needs = "c-wait",
      .judge = line_together, .read = READ_HANDS,
      .hints = { "How long does the first device wait before it may begin the next batch?",
                 "The second event says",
                 "cudaEventRecord(l->empty, l->stream[1]) right after the copy, and no cudaStreamSynchronize() in the loop." } },
    { .id = "c-leaks",
      .part = "c",
      .kind = HYGIENE,
      .points = 2,
      .name = "part (c) gives back what it made",
      .judge = judge_leaks,
      .read = READ_CALLS,
      .hints = { "How many streams, events and buffers did you make, and how many does line_close() give back?",
                 "`cudaFree`",
                 "cudaStreamDestroy(), cudaEventDestroy() and cudaFree() for each in line_close()." } },
    { ERRORS("c", 1, "*") },
};

/* What one host thread knows of another's waits the simulator alone says. */
static const char simulated[] = "b-wait c-wait";
/* Two devices that reach each other, two that do not, one alone, and four. */
static const char *const run_on[] = { "dual", "strangers", "h200", "quad", NULL };

const struct lesson lesson_12 = {
    .number = 12,
    .folder = "12-many-devices",
    .title = "Many devices",
    .parts = parts, .part_count = sizeof parts / sizeof *parts,
    .checks = checks, .check_count = sizeof checks / sizeof *checks,
    .prepare = prepare, .divided = "scramble", .run_on = run_on, .simulated = simulated,
    .devices = 2,
};
