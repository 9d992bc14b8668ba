/* SPDX-License-Identifier: MIT */
/*
 * Two processes on one device: who computes when, how an event of one reaches a stream of the
 * other, and a ring of buffers between them. Prints lines; judges nothing. An H100's are in
 * facts/h100-processes.txt. With MPS: the same behind `nvidia-cuda-mps-control -d`.
 *
 *   nvcc -O2 -arch=native tests/gpu/processes/turns.cu -o build/turns -lpthread && build/turns
 */
#include "processes.h"

static void share_stamps(int n)
{
    CHECK(cudaMemcpy(s->stamps[me], stamps, n * 16, cudaMemcpyDeviceToHost));
    s->count[me] = n;
}

/* Writes whose kernels began one after another: process:kernels@ms. Returns how many turns. */
static int turns(char *text, size_t size, unsigned long long first)
{
    int changes = 0, i[2] = { 0, 0 }, previous = -1, kernels = 0;
    unsigned long long since = 0;
    text[0] = '\0';
    while (i[0] < s->count[0] || i[1] < s->count[1]) {
        bool second = i[0] == s->count[0] ||
                      (i[1] < s->count[1] && s->stamps[1][i[1]][0] < s->stamps[0][i[0]][0]);
        if (second != previous) {
            size_t n = strlen(text);
            if (previous >= 0 && n < 150)
                snprintf(text + n, size - n, " %d:%d@%.1f", previous, kernels,
                         (since - first) / 1e6);
            changes++;
            previous = second;
            since = s->stamps[second][i[second]][0];
            kernels = 0;
        }
        kernels++;
        i[second]++;
    }
    return changes;
}

/* How much of the time both ran, and how often who ran changed. */
static void compare(const char *what)
{
    meet();
    if (me == 0) {
        unsigned long long first = ~0ull, last = 0, busy[2] = { 0, 0 }, both = 0;
        for (int p = 0; p < 2; p++)
            for (int k = 0; k < s->count[p]; k++) {
                if (s->stamps[p][k][0] < first)
                    first = s->stamps[p][k][0];
                if (s->stamps[p][k][1] > last)
                    last = s->stamps[p][k][1];
                busy[p] += s->stamps[p][k][1] - s->stamps[p][k][0];
            }
        for (int a = 0; a < s->count[0]; a++)
            for (int b = 0; b < s->count[1]; b++) {
                unsigned long long x = s->stamps[0][a][0] > s->stamps[1][b][0] ? s->stamps[0][a][0]
                                                                               : s->stamps[1][b][0];
                unsigned long long y = s->stamps[0][a][1] < s->stamps[1][b][1] ? s->stamps[0][a][1]
                                                                               : s->stamps[1][b][1];
                if (x < y)
                    both += y - x;
            }
        char order[256];
        int changes = turns(order, sizeof order, first);
        say("%s: from first to last %.3f ms; kernels of P0 %.3f ms, of P1 %.3f ms, both at once "
            "%.3f ms; %d turns; process:kernels@ms%s",
            what, (last - first) / 1e6, busy[0] / 1e6, busy[1] / 1e6, both / 1e6, changes, order);
    }
    meet();
}

static void launches(const char *what, int kernels, int blocks, unsigned long long ns)
{
    clear_stamps(kernels);
    cudaStream_t st;
    CHECK(cudaStreamCreateWithFlags(&st, cudaStreamNonBlocking));
    spin<<<1, 1, 0, st>>>(1000, stamps + 2 * (STAMPS - 1));
    CHECK(cudaDeviceSynchronize());
    meet();
    double b = now_us();
    for (int k = 0; k < kernels; k++)
        spin<<<blocks, 64, 0, st>>>(ns, stamps + 2 * k);
    CHECK(cudaGetLastError());
    CHECK(cudaStreamSynchronize(st));
    double l = now_us() - b;
    share_stamps(kernels);
    say("%s: the host had its answer after %.3f ms", what, l / 1e3);
    compare(what);
    CHECK(cudaStreamDestroy(st));
}

static void time_slices(void)
{
    launches("1 kernel each, 66 blocks, 5 ms", 1, 66, 5000000);
    launches("1 kernel each, 4 blocks, 5 ms", 1, 4, 5000000);
    launches("20 kernels each, 66 blocks, 1 ms", 20, 66, 1000000);
    launches("200 kernels each, 4 blocks, 0.1 ms", 200, 4, 100000);
    launches("1000 kernels each, 4 blocks, 0.01 ms", 1000, 4, 10000);
    launches("1 kernel each, 132 x 256 blocks, 0.5 ms", 1, 132 * 256, 500000);
    launches("1 kernel each, 66 blocks, 50 ms", 1, 66, 50000000);
}

/* Eight copies, one way or the other: how many us they take. */
static double copies(char *d, char *h, bool home)
{
    double begun = now_us();
    for (int k = 0; k < 8; k++)
        if (home)
            CHECK(cudaMemcpyAsync(h, d, 64 << 20, cudaMemcpyDeviceToHost, 0));
        else
            CHECK(cudaMemcpyAsync(d, h, 64 << 20, cudaMemcpyHostToDevice, 0));
    CHECK(cudaStreamSynchronize(0));
    return now_us() - begun;
}

/* Copies of P1 beside a kernel of P0. */
static void copies_beside(void)
{
    char *h = NULL, *d = NULL;
    if (me == 1) {
        CHECK(cudaMallocHost((void **)&h, 64 << 20));
        CHECK(cudaMalloc((void **)&d, 64 << 20));
        copies(d, h, false);
    }
    for (int home = 0; home < 2; home++) {
        double alone = me == 1 ? copies(d, h, home) : 0;
        meet();
        if (me == 0) {
            spin<<<66, 64>>>(60000000ull, stamps);
            CHECK(cudaDeviceSynchronize());
        } else {
            usleep(2000);
            say("8 copies of 64 MiB %s: alone %.3f ms, beside a kernel of P0 of 60 ms %.3f ms",
                home ? "to the host" : "to the device", alone / 1e3, copies(d, h, home) / 1e3);
        }
        meet();
    }
}

/* P0's event for P1's stream: how long after P0's kernel P1's begins. Then to and fro. */
static void events(void)
{
    cudaEvent_t mine, theirs;
    cudaStream_t st;
    CHECK(cudaStreamCreateWithFlags(&st, cudaStreamNonBlocking));
    CHECK(cudaEventCreateWithFlags(&mine, cudaEventInterprocess | cudaEventDisableTiming));
    CHECK(cudaIpcGetEventHandle(&s->event[me], mine));
    meet();
    CHECK(cudaIpcOpenEventHandle(&theirs, s->event[1 - me]));
    for (int order = 0; order < 3; order++) {
        clear_stamps(64);
        CHECK(cudaDeviceSynchronize());
        meet();
        const char *what = order == 0   ? "P0 records after 5 ms of kernel, P1 waits a ms later"
                           : order == 1 ? "P1 waits first, P0 records later"
                                        : "P1 waits for what was recorded twice";
        if (order != 1 && me == 0) {
            if (order == 2) {
                CHECK(cudaEventRecord(mine, st));
                CHECK(cudaStreamSynchronize(st));
            }
            spin<<<4, 64, 0, st>>>(5000000, stamps);
            CHECK(cudaEventRecord(mine, st));
            meet();
        } else if (order != 1) {
            meet();
            usleep(1000);
            CHECK(cudaStreamWaitEvent(st, theirs, 0));
            spin<<<4, 64, 0, st>>>(100000, stamps);
        } else if (me == 1) {
            CHECK(cudaStreamWaitEvent(st, theirs, 0));
            spin<<<4, 64, 0, st>>>(100000, stamps);
            meet();
        } else {
            meet();
            spin<<<4, 64, 0, st>>>(5000000, stamps);
            CHECK(cudaEventRecord(mine, st));
        }
        CHECK(cudaStreamSynchronize(st));
        share_stamps(1);
        meet();
        if (me == 0)
            say("%s: P1's kernel begins %.1f us after the end of P0's", what,
                ((double)s->stamps[1][0][0] - (double)s->stamps[0][0][1]) / 1e3);
        meet();
    }
    /* P0's kernel, P1's, P0's ...: each waits for the other's event. The barrier tells the hosts
       when one is recorded. */
    for (int ns = 10000; ns <= 1000000; ns *= 10) {
        clear_stamps(64);
        CHECK(cudaDeviceSynchronize());
        meet();
        double b = now_us();
        for (int k = 0; k < 32; k++) {
            if (me == 0) {
                if (k > 0)
                    CHECK(cudaStreamWaitEvent(st, theirs, 0));
                spin<<<4, 64, 0, st>>>(ns, stamps + 2 * k);
                CHECK(cudaEventRecord(mine, st));
                meet();
                meet();
            } else {
                meet();
                CHECK(cudaStreamWaitEvent(st, theirs, 0));
                spin<<<4, 64, 0, st>>>(ns, stamps + 2 * k);
                CHECK(cudaEventRecord(mine, st));
                meet();
            }
        }
        double queued = now_us() - b;
        CHECK(cudaStreamSynchronize(st));
        double all = now_us() - b;
        share_stamps(32);
        meet();
        if (me == 0) {
            double gap = 0, back = 0;
            int wrong = 0;
            for (int k = 0; k < 32; k++) {
                gap += (double)s->stamps[1][k][0] - (double)s->stamps[0][k][1];
                wrong += s->stamps[1][k][0] < s->stamps[0][k][1];
                if (k)
                    back += (double)s->stamps[0][k][0] - (double)s->stamps[1][k - 1][1],
                        wrong += s->stamps[0][k][0] < s->stamps[1][k - 1][1];
            }
            say("32 rounds of two kernels of %d us, each after the other's: queued in %.0f us, all "
                "%.0f us; from P0's to P1's %.1f us, back %.1f us; %d out of order",
                ns / 1000, queued, all, gap / 32e3, back / 31e3, wrong);
        }
        meet();
    }
    meet();
    CHECK(cudaEventDestroy(theirs));
    CHECK(cudaEventDestroy(mine));
    CHECK(cudaStreamDestroy(st));
}

/* A ring of slots: P0 copies to the device and sends, P1 works; how much of it is at once. */
static void ring(void)
{
    enum { SLOTS = 3, ROUNDS = 24, BYTES = 16 << 20 };
    cudaEvent_t full[SLOTS], empty[SLOTS];
    static cudaIpcEventHandle_t *handles;
    char *d[SLOTS], *h;
    cudaStream_t st;
    handles = (cudaIpcEventHandle_t *)s->stamps[0];
    CHECK(cudaStreamCreateWithFlags(&st, cudaStreamNonBlocking));
    CHECK(cudaMallocHost((void **)&h, BYTES));
    for (int i = 0; i < SLOTS; i++) {
        cudaEvent_t *mine = me ? &empty[i] : &full[i];
        CHECK(cudaEventCreateWithFlags(mine, cudaEventInterprocess | cudaEventDisableTiming));
        CHECK(cudaIpcGetEventHandle(&handles[i + me * SLOTS], *mine));
        if (me == 0) {
            CHECK(cudaMalloc((void **)&d[i], BYTES));
            CHECK(cudaIpcGetMemHandle(&s->memory[i], d[i]));
        }
    }
    meet();
    for (int i = 0; i < SLOTS; i++) {
        CHECK(cudaIpcOpenEventHandle(me ? &full[i] : &empty[i], handles[i + (1 - me) * SLOTS]));
        if (me == 1)
            CHECK(
                cudaIpcOpenMemHandle((void **)&d[i], s->memory[i], cudaIpcMemLazyEnablePeerAccess));
    }
    meet();
    for (int slots = 1; slots <= SLOTS; slots += 2) {
        clear_stamps(64);
        meet();
        double b = now_us();
        for (int k = 0; k < ROUNDS + slots; k++) {
            if (me == 0 && k < ROUNDS) {
                if (k >= slots)
                    CHECK(cudaStreamWaitEvent(st, empty[k % slots], 0));
                CHECK(cudaMemcpyAsync(d[k % slots], h, BYTES, cudaMemcpyHostToDevice, st));
                CHECK(cudaEventRecord(full[k % slots], st));
            }
            meet();
            if (me == 1 && k < ROUNDS) {
                CHECK(cudaStreamWaitEvent(st, full[k % slots], 0));
                spin<<<66, 64, 0, st>>>(400000, stamps + 2 * k);
                CHECK(cudaEventRecord(empty[k % slots], st));
            }
            meet();
        }
        CHECK(cudaStreamSynchronize(st));
        say("ring of %d: %d copies of 16 MiB in P0, %d kernels of 0.4 ms in P1: %.3f ms", slots,
            ROUNDS, ROUNDS, (now_us() - b) / 1e3);
        meet();
    }
    for (int i = 0; i < SLOTS; i++)
        if (me == 1)
            TELL(cudaIpcCloseMemHandle(d[i]));
    meet();
    for (int i = 0; i < SLOTS; i++) {
        if (me == 0)
            TELL(cudaFree(d[i]));
        CHECK(cudaEventDestroy(full[i]));
        CHECK(cudaEventDestroy(empty[i]));
    }
    meet();
}

int main(void)
{
    void (*const all[])(void) = { time_slices, copies_beside, events, ring };
    return run_both(all, 4);
}
