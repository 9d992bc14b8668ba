/* SPDX-License-Identifier: MIT */
/* Two processes and one card, without MPS: an event and memory of one used by the other, and whether kernels run beside
 * each other or take turns. The first process starts itself again; they meet in a page of shared memory. */
#include <atomic>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "measure.h"

enum { TIMES = 12, GAPS = 64 };

struct page {
    std::atomic<int> first, second;     /* how far each of the two has come */
    cudaIpcMemHandle_t memory;
    cudaIpcEventHandle_t event;
    double open_memory_us, open_event_us;
    double wait_call_us[TIMES];
};

/* What is on the card, seen by both. */
struct on_card {
    unsigned long long end, begin;      /* of the first one's kernel, of the second one's that waits for it */
    unsigned word, seen;
    struct { unsigned long long begin, end; unsigned gaps; unsigned long long at[GAPS], ns[GAPS]; } long_ones[2];
};

static void reach(std::atomic<int> *mine, int step) { *mine = step; }

static void await(const std::atomic<int> *other, int step)
{
    for (long long end = now_ns() + 10000000000LL; *other < step;)
        if (now_ns() > end) {
            fprintf(stderr, "more: the other process has not come to step %d\n", step);
            exit(1);
        }
}

static __global__ void first_kernel(long long ns, struct on_card *c, unsigned word)
{
    kernel_cost(ns);
    c->word = word;
    c->end = device_ns();
}

static __global__ void second_kernel(struct on_card *c)
{
    c->begin = device_ns();
    c->seen = c->word;
}

/* Runs until it has run for `ns`: a time in which it did not look at the clock for 10 us does not count, and is kept. */
static __global__ void long_kernel(long long ns, struct on_card *c, int who)
{
    auto *mine = &c->long_ones[who];
    unsigned long long begin = device_ns(), before = begin, done = 0;
    unsigned gaps = 0;
    while (done < (unsigned long long)ns) {
        unsigned long long now = device_ns(), passed = now - before;
        if (passed < 10000) {
            done += passed;
        } else if (gaps < GAPS) {
            mine->at[gaps] = before - begin;
            mine->ns[gaps++] = passed;
        }
        before = now;
    }
    mine->begin = begin, mine->end = before, mine->gaps = gaps;
}

static void tell_long(const struct on_card *c, const char *name)
{
    double begin = (double)c->long_ones[0].begin;
    for (int who = 0; who < 2; who++) {
        auto &l = c->long_ones[who];
        if (!l.end)
            continue;
        std::string which = std::string(name) + (who ? ", second process: " : ", first process: ");
        values gaps, slices;
        unsigned long long before = 0;
        for (unsigned i = 0; i < l.gaps; i++) {
            gaps.push_back((double)l.ns[i] / 1e3);
            slices.push_back((double)(l.at[i] - before) / 1e3);
            before = l.at[i] + l.ns[i];
        }
        row(which + "begins after the first's begin", ((double)l.begin - begin) / 1e3, "us");
        row(which + "begin to end", ((double)l.end - (double)l.begin) / 1e3, "us");
        row(which + "times it stood still", l.gaps, "times");
        row(which + "stood still for", gaps, "us");
        row(which + "ran at a stretch for", slices, "us");
    }
}

static struct page *page_of(int file)
{
    void *at = mmap(NULL, 65536, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (at == MAP_FAILED) {
        perror("mmap");
        exit(1);
    }
    return (struct page *)at;
}

void other_process(int file)
{
    struct page *p = page_of(file);
    struct on_card *c;
    cudaEvent_t e;
    int step = 0;
    cudaStream_t s = new_stream();
    warm_up();
    await(&p->first, ++step);
    p->open_memory_us = us_of([&] { CHECK(cudaIpcOpenMemHandle((void **)&c, p->memory, cudaIpcMemLazyEnablePeerAccess)); });
    p->open_event_us = us_of([&] { CHECK(cudaIpcOpenEventHandle(&e, p->event)); });
    reach(&p->second, step);
    for (int i = 0; i < TIMES; i++) {           /* the event is recorded: wait for it */
        await(&p->first, ++step);
        p->wait_call_us[i] = us_of([&] { CHECK(cudaStreamWaitEvent(s, e, 0)); });
        second_kernel<<<1, 1, 0, s>>>(c);
        CHECK(cudaStreamSynchronize(s));
        reach(&p->second, step);
    }
    for (int i = 0; i < 3; i++) {               /* both have a long kernel */
        await(&p->first, ++step);
        long_kernel<<<1, 1, 0, s>>>(20000000, c, 1);
        CHECK(cudaStreamSynchronize(s));
        reach(&p->second, step);
    }
    for (int i = 0; i < TIMES; i++) {           /* a small one, while the first process has a long one */
        await(&p->first, ++step);
        p->wait_call_us[i] = us_of([&] {
            second_kernel<<<1, 1, 0, s>>>(c);
            CHECK(cudaStreamSynchronize(s));
        });
        reach(&p->second, step);
    }
}

void processes(const char *me)
{
    int file = memfd_create("page", 0), step = 0, status = 0;
    char number[16], other[] = "other";
    pid_t child;
    if (file < 0 || ftruncate(file, 65536) != 0) {
        perror("memfd_create");
        exit(1);
    }
    struct page *p = page_of(file);
    snprintf(number, sizeof number, "%d", file);
    char *words[] = { const_cast<char *>(me), other, number, NULL };
    if (posix_spawn(&child, "/proc/self/exe", NULL, NULL, words, environ) != 0) {
        perror("posix_spawn");
        exit(1);
    }
    struct on_card *c, host;
    cudaEvent_t e;
    CHECK(cudaMalloc((void **)&c, 2 << 20));
    CHECK(cudaMemset(c, 0, sizeof *c));
    CHECK(cudaEventCreateWithFlags(&e, cudaEventDisableTiming | cudaEventInterprocess));
    cudaStream_t s = new_stream();
    warm_up();
    row("cudaIpcGetMemHandle", us_of([&] { CHECK(cudaIpcGetMemHandle(&p->memory, c)); }), "us");
    row("cudaIpcGetEventHandle", us_of([&] { CHECK(cudaIpcGetEventHandle(&p->event, e)); }), "us");
    reach(&p->first, ++step);
    await(&p->second, step);
    row("cudaIpcOpenMemHandle", p->open_memory_us, "us");
    row("cudaIpcOpenEventHandle", p->open_event_us, "us");
    values across, within, calls;
    int right = 0;
    for (int i = 0; i < TIMES; i++) {
        first_kernel<<<1, 1, 0, s>>>(3000000, c, (unsigned)i + 1);
        calls.push_back(us_of([&] { CHECK(cudaEventRecord(e, s)); }));
        reach(&p->first, ++step);
        await(&p->second, step);
        CHECK(cudaMemcpy(&host, c, sizeof host, cudaMemcpyDefault));
        across.push_back(((double)host.begin - (double)host.end) / 1e3);
        right += host.seen == (unsigned)i + 1;
    }
    row("end of a kernel of one process to begin of one of the other, by an event", across, "us");
    row("of them the other process read what the kernel had written", right, "of 12");
    row("record of such an event", calls, "us");
    row("wait for it in the other process", values(p->wait_call_us, p->wait_call_us + TIMES), "us");
    cudaStream_t t = new_stream();
    for (int i = 0; i < TIMES; i++) {
        first_kernel<<<1, 1, 0, s>>>(3000000, c, 0);
        CHECK(cudaEventRecord(e, s));
        CHECK(cudaStreamWaitEvent(t, e, 0));
        second_kernel<<<1, 1, 0, t>>>(c);
        CHECK(cudaDeviceSynchronize());
        CHECK(cudaMemcpy(&host, c, sizeof host, cudaMemcpyDefault));
        within.push_back(((double)host.begin - (double)host.end) / 1e3);
    }
    row("the same event between two streams of one process", within, "us");
    CHECK(cudaMemset(c, 0, sizeof *c));
    long_kernel<<<1, 1, 0, s>>>(20000000, c, 0);
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaMemcpy(&host, c, sizeof host, cudaMemcpyDefault));
    tell_long(&host, "kernel of 20 ms alone");
    for (int i = 0; i < 3; i++) {
        CHECK(cudaMemset(c, 0, sizeof *c));
        CHECK(cudaDeviceSynchronize());
        reach(&p->first, ++step);
        long_kernel<<<1, 1, 0, s>>>(20000000, c, 0);
        CHECK(cudaStreamSynchronize(s));
        await(&p->second, step);
        CHECK(cudaMemcpy(&host, c, sizeof host, cudaMemcpyDefault));
        tell_long(&host, "two of 20 ms, one in each process");
    }
    for (int i = 0; i < TIMES; i++) {
        last<<<1, 1, 0, s>>>(20000000);
        host_work(3000000);
        reach(&p->first, ++step);
        await(&p->second, step);
        CHECK(cudaStreamSynchronize(s));
    }
    row("launch and wait for an empty kernel, while the other process has one of 20 ms", values(p->wait_call_us, p->wait_call_us + TIMES),
        "us");
    if (waitpid(child, &status, 0) != child || status != 0)
        fprintf(stderr, "more: the other process ends with status %d\n", status);
}
