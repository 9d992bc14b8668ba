/* SPDX-License-Identifier: MIT */
/* driver.cu - tries the questions of part (a), and gives the team of part (b) and the line of part (c) their work. */
#include <stdio.h>
#include <string.h>
#include <thread>

#include "driver.h"
#include "lesson.h"
#include "slots.h"

static_assert(QUESTIONS == QUESTION_COUNT, "slots.h knows how many there are");

enum {
    BUSY_NS = 400000,           /* the team's work on all devices takes less */
    BUSY_THREADS = 1024,
};
static struct answers answers;

static inline __attribute__((always_inline)) void note(const char *what, int number)
{
    char text[32];
    snprintf(text, sizeof text, "%s%d", what, number);
    label_push(text);
}

/* What is known so far: the program may end early. */
static void hand_over(void)
{
    memcpy(driver_output(OUT_ANSWERS, NULL), &answers, sizeof answers);
}

static int device_count(void)
{
    int count;
    CHECK(cudaGetDeviceCount(&count));
    return count;
}

static void use(int device)
{
    CHECK(cudaSetDevice(device));
}

static int current(void)
{
    int device;
    CHECK(cudaGetDevice(&device));
    return device;
}

static unsigned *pinned(const void *from, size_t bytes)
{
    unsigned *p;
    CHECK(cudaMallocHost((void **)&p, bytes));
    if (from)
        memcpy(p, from, bytes);
    else
        memset(p, (unsigned char)UNWRITTEN, bytes);
    return p;
}

/* Every device knows every kernel: nothing in the parts happens for the first time. */
static void warm_up(void)
{
    unsigned *x;
    for (int device = 0; device < device_count(); device++) {
        use(device);
        CHECK(cudaMalloc((void **)&x, sizeof *x));
        CHECK(cudaMemset(x, 0, sizeof *x));
        scramble<<<1, 1>>>(x, 1);
        press<<<1, 1>>>(x, 1);
        polish<<<1, 1>>>(x, x, 1);
        CHECK(cudaGetLastError());
        CHECK(cudaDeviceSynchronize());
        CHECK(cudaFree(x));
    }
    use(0);
}

/* ---- (a) ---- */

static __global__ void busy(long long ns)
{
    kernel_cost(ns);
}

#define LONG 200000

struct across {
    cudaStream_t stream[2];
    cudaEvent_t event[2];
    unsigned *x, *host;
};

/* What is refused is noted in the log, and no more. */
static void ask(const struct across *a, int question)
{
    float ms;
    switch (question) {
    case RECORD_THERE: cudaEventRecord(a->event[0], a->stream[1]); break;
    case WAIT_THERE: cudaStreamWaitEvent(a->stream[1], a->event[0], 0); break;
    case ELAPSED_BETWEEN: cudaEventElapsedTime(&ms, a->event[0], a->event[1]); break;
    case LAUNCH_THERE: busy<<<1, 1, 0, a->stream[1]>>>(0); break;
    case COPY_THERE: cudaMemcpyAsync(a->host, a->x, sizeof *a->x, cudaMemcpyDeviceToHost, a->stream[1]); break;
    case STREAM_SYNC_THERE:
    case DEVICE_SYNC_THERE:
        use(1);
        busy<<<1, 1, 0, a->stream[1]>>>(LONG);
        use(0);
        CHECK(question == STREAM_SYNC_THERE ? cudaStreamSynchronize(a->stream[1]) : cudaDeviceSynchronize());
        break;
    case DEFAULT_THERE:
        busy<<<1, 1>>>(LONG);
        use(1);
        busy<<<1, 1>>>(0);
        use(0);
        break;
    case NEW_THREAD:
        use(1);
        std::thread([] { CHECK(cudaDeviceSynchronize()); }).join();     /* the log has whose device it is */
        use(0);
        break;
    }
    cudaGetLastError();
}

static void questions(void)
{
    struct across a = {};
    for (int device = 0; device < 2; device++) {
        use(device);
        CHECK(cudaStreamCreateWithFlags(&a.stream[device], cudaStreamNonBlocking));
        CHECK(cudaEventCreate(&a.event[device]));
        busy<<<1, 1>>>(0);
        CHECK(cudaEventRecord(a.event[device], a.stream[device]));
        CHECK(cudaDeviceSynchronize());
    }
    CHECK(cudaMalloc((void **)&a.x, sizeof *a.x));
    CHECK(cudaMemset(a.x, 0, sizeof *a.x));
    CHECK(cudaDeviceSynchronize());
    use(0);
    a.host = pinned(NULL, sizeof *a.host);
    for (int question = 0; question < QUESTIONS; question++) {
        note(QUESTION, question);
        ask(&a, question);
        label_pop();
        for (int device = 1; device >= 0; device--) {
            use(device);
            CHECK(cudaDeviceSynchronize());
        }
    }
    for (int device = 0; device < 2; device++) {
        CHECK(cudaStreamDestroy(a.stream[device]));
        CHECK(cudaEventDestroy(a.event[device]));
    }
    CHECK(cudaFree(a.x));
    CHECK(cudaFreeHost(a.host));
}

static void foretell(void)
{
    int yes[QUESTIONS];
    if (device_count() > 1)
        questions();
    memset(yes, 0x7f, sizeof yes);
    driver_part("a");
    across(yes);
    driver_part(NULL);
    for (int question = 0; question < QUESTIONS; question++)
        answers.across[question] = yes[question];
}

/* Work that was not waited for is done before anything is given back: the grader says so. */
static void wait_for_all(void)
{
    int before = current();
    for (int device = 0; device < device_count(); device++) {
        use(device);
        CHECK(cudaDeviceSynchronize());
    }
    use(before);
}

/* ---- (b) ---- */

/* Which device was left current? */
static void look(int32_t *left, int before, int bit)
{
    if (current() != before)
        *left |= bit;
    use(before);
}

/* Do the first device and the last one? */
static bool reach_each_other(int last)
{
    int can = 0;
    if (last > 0)
        CHECK(cudaDeviceCanAccessPeer(&can, 0, last));
    return can;
}

static void run(struct team *t, int k, const struct sizes *sizes, unsigned *out, const unsigned *in, int32_t *left)
{
    int before = current();
    note(RUN, k);
    team_run(t, out, in, (int)sizes->team[k]);
    label_pop();
    look(left, before, LEFT_BY_RUN);
    wait_for_all();
    memcpy((unsigned *)driver_output(OUT_TEAM, NULL) + k * sizes->team[0], out, sizes->team[0] * sizeof *out);
}

/* Device 0 is full: no other block fits beside these. */
static void keep_busy(void)
{
    int before = current(), sms, fit;
    use(0);
    CHECK(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0));
    CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&fit, busy, BUSY_THREADS, 0));
    busy<<<sms * fit, BUSY_THREADS>>>(BUSY_NS);
    CHECK(cudaGetLastError());
    use(before);
}

/* One of the small team's runs. The caller has its results when it returns. */
static void run_few(struct team *t, int k, int n, unsigned *out, const unsigned *in, int32_t *left)
{
    int before = current();
    note(SMALL, k);
    team_run(t, out + k * FEW, in, n);
    label_pop();
    look(left, before, LEFT_BY_RUN);
    memcpy((unsigned *)driver_output(OUT_SMALL_TEAM, NULL) + k * FEW, out + k * FEW, FEW * sizeof *out);
    wait_for_all();
}

static void work_as_team(const struct sizes *sizes)
{
    size_t bytes = sizes->team[0] * sizeof(unsigned);
    unsigned *in = pinned(driver_input(IN_TEAM, NULL), bytes), *out[RUNS + 1];
    for (unsigned *&one : out)
        one = pinned(NULL, bytes);
    struct team t = {}, small = {};
    int few = (int)sizes->few, last = device_count() - 1, before = reach_each_other(last) ? 0 : last;
    driver_part("b");
    use(last - before);
    label_push(SMALL_TEAM);
    team_open(&small, few);
    label_pop();
    look(&answers.team_left, last - before, LEFT_BY_OPEN);
    run_few(&small, 0, 1, out[RUNS], in, &answers.team_left);
    use(before);
    team_open(&t, (int)sizes->team[0]);
    look(&answers.team_left, before, LEFT_BY_OPEN);
    std::thread([&] { run(&t, 0, sizes, out[0], in, &answers.team_left); }).join();
    use(last);
    run(&t, 1, sizes, out[1], in, &answers.team_left);
    use(before);
    team_close(&t);
    look(&answers.team_left, before, LEFT_BY_CLOSE);
    use(last - before);
    if (last > 0)
        keep_busy();
    run_few(&small, 1, few, out[RUNS], in, &answers.team_left);
    team_close(&small);
    look(&answers.team_left, last - before, LEFT_BY_CLOSE);
    driver_part(NULL);
    wait_for_all();
    use(0);
    CHECK(cudaFreeHost(in));
    for (unsigned *one : out)
        CHECK(cudaFreeHost(one));
}

/* ---- (c) ---- */

/* Leaves peer access as it finds it. */
static void look_at_peers(const int *device, int32_t *can_reach, int32_t *reaches)
{
    int before = current();
    for (int way = 0; way < 2 && device[0] != device[1]; way++) {
        int from = device[way], to = device[1 - way];
        CHECK(cudaDeviceCanAccessPeer(&can_reach[way], from, to));
        if (!can_reach[way])
            continue;
        use(from);
        reaches[way] = cudaDeviceEnablePeerAccess(to, 0) == cudaErrorPeerAccessAlreadyEnabled;
        cudaGetLastError();
        if (!reaches[way])
            CHECK(cudaDeviceDisablePeerAccess(to));
    }
    use(before);
}

/* Peer access begins anew for the next line. */
static void forget_peers(const int *device)
{
    for (int way = 0; way < 2 && device[0] != device[1]; way++) {
        use(device[way]);
        cudaDeviceDisablePeerAccess(device[1 - way]);
        cudaGetLastError();
    }
}

static void look_for_error(void)
{
    cudaError_t error = cudaGetLastError();
    if (answers.error == 0)
        answers.error = error;
}

/* A line the other way round, of one batch and then of many. */
static void work_in_small_line(const struct sizes *sizes, const int *device, int before, unsigned *out, const unsigned *in)
{
    struct line l = {};
    int n = (int)sizes->few;
    l.device[0] = device[1];
    l.device[1] = device[0];
    use(before);
    label_push(SMALL_LINE);
    line_open(&l, n);
    label_pop();
    look(&answers.line_left, before, LEFT_BY_OPEN);
    look_for_error();
    for (int k = 0; k < SMALL_RUNS; k++) {
        note(SMALL, k);
        line_run(&l, out + k * n, in + k * n, n, batches_of_small(k));
        label_pop();
        look(&answers.line_left, before, LEFT_BY_RUN);
        look_for_error();
        wait_for_all();
    }
    memcpy(driver_output(OUT_SMALL_LINE, NULL), out, SMALL_BATCHES * FEW * sizeof *out);
    int32_t can_reach[2];
    look_at_peers(l.device, can_reach, answers.small_reaches);
    line_close(&l);
    look(&answers.line_left, before, LEFT_BY_CLOSE);
}

/* A line the other way round comes and goes while one is open: each has what is its own. Not between peers, whose access one of the two
 * may have enabled in both directions. */
static void come_and_go(const struct sizes *sizes, const int *device)
{
    struct line l = {};
    l.device[0] = device[1];
    l.device[1] = device[0];
    line_open(&l, (int)sizes->few);
    line_close(&l);
    look_for_error();
}

static void work_in_line(const struct sizes *sizes)
{
    size_t bytes = sizes->batch * sizes->batches * sizeof(unsigned);
    unsigned *in = pinned(driver_input(IN_LINE, NULL), bytes), *out = pinned(NULL, bytes);
    unsigned *small_out = pinned(NULL, SMALL_BATCHES * FEW * sizeof *small_out);
    struct line l = {};
    int last = device_count() - 1;
    int device[2] = { sizes->swapped ? last : 0, sizes->swapped ? 0 : last };
    l.device[0] = device[0];
    l.device[1] = device[1];
    int before = device[reach_each_other(last) ? 0 : 1];
    use(before);
    driver_part("c");
    line_open(&l, (int)sizes->batch);
    look(&answers.line_left, before, LEFT_BY_OPEN);
    look_for_error();
    if (last == 0 || !reach_each_other(last))
        come_and_go(sizes, device);
    label_push(LINE);
    line_run(&l, out, in, (int)sizes->batch, (int)sizes->batches);
    label_pop();
    look(&answers.line_left, before, LEFT_BY_RUN);
    look_for_error();
    wait_for_all();
    memcpy(driver_output(OUT_LINE, NULL), out, bytes);
    look_at_peers(device, answers.can_reach, answers.reaches);
    line_close(&l);
    look(&answers.line_left, before, LEFT_BY_CLOSE);
    forget_peers(device);
    work_in_small_line(sizes, device, device[before == device[0]], small_out, in);
    driver_part(NULL);
    wait_for_all();
    CHECK(cudaFreeHost(in));
    CHECK(cudaFreeHost(out));
    CHECK(cudaFreeHost(small_out));
}

int main(void)
{
    const struct sizes *sizes = (const struct sizes *)driver_input(IN_SIZES, NULL);
    warm_up();
    foretell();
    hand_over();
    work_as_team(sizes);
    hand_over();
    work_in_line(sizes);
    hand_over();
    return 0;
}
