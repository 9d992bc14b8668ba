/* SPDX-License-Identifier: MIT */
/* Graphs: the first of its size in a process against later ones; calls in a capture against live ones. */
#include <functional>
#include <stdlib.h>

#include "measure.h"

static __global__ void nothing() {}

static char *device, *pinned;
enum { BYTES = 65536, FORKS = 4 };

struct one { cudaGraph_t graph; cudaGraphExec_t executable; };

/* chain: in one stream; wide: in four; copies: to the card, in one stream. */
static struct one make(const std::string &shape, int nodes, const cudaStream_t *s, const cudaEvent_t *e, values *us)
{
    struct one g;
    int streams = shape == "wide" && nodes >= FORKS ? FORKS : 1;
    us->push_back(us_of([&] {
        CHECK(cudaStreamBeginCapture(s[0], cudaStreamCaptureModeRelaxed));
        CHECK(cudaEventRecord(e[0], s[0]));
        for (int i = 1; i < streams; i++)
            CHECK(cudaStreamWaitEvent(s[i], e[0], 0));
        for (int i = 0; i < nodes; i++) {
            if (shape == "copies")
                CHECK(cudaMemcpyAsync(device, pinned, BYTES, cudaMemcpyHostToDevice, s[0]));
            else
                nothing<<<1, 32, 0, s[i % streams]>>>();
        }
        for (int i = 1; i < streams; i++) {
            CHECK(cudaEventRecord(e[i], s[i]));
            CHECK(cudaStreamWaitEvent(s[0], e[i], 0));
        }
        CHECK(cudaStreamEndCapture(s[0], &g.graph));
    }));
    us->push_back(us_of([&] { CHECK(cudaGraphInstantiate(&g.executable, g.graph, 0)); }));
    for (int i = 0; i < 3; i++) {
        long long begin = now_ns();
        CHECK(cudaGraphLaunch(g.executable, s[0]));
        us->push_back((double)(now_ns() - begin) / 1e3);
        CHECK(cudaStreamSynchronize(s[0]));
        us->push_back((double)(now_ns() - begin) / 1e3);
    }
    return g;
}

static void drop(struct one g)
{
    CHECK(cudaGraphExecDestroy(g.executable));
    CHECK(cudaGraphDestroy(g.graph));
}

void graphs(int count, char **words)
{
    static const char *const columns[] = { "capture", "instantiate", "launch 1 call", "launch 1 over", "launch 2 call", "launch 2 over",
                                           "launch 3 call", "launch 3 over" };
    std::string shape = count ? words[0] : "chain", order;
    cudaStream_t s[FORKS];
    cudaEvent_t e[FORKS];
    for (int i = 0; i < FORKS; i++) {
        s[i] = new_stream();
        CHECK(cudaEventCreateWithFlags(&e[i], cudaEventDisableTiming));
    }
    CHECK(cudaMalloc((void **)&device, BYTES));
    CHECK(cudaMallocHost((void **)&pinned, BYTES));
    warm_up();
    for (int i = 0; i < 50; i++) {      /* the kernel and the copy are no first ones */
        nothing<<<1, 32, 0, s[i % FORKS]>>>();
        CHECK(cudaMemcpyAsync(device, pinned, BYTES, cudaMemcpyHostToDevice, s[i % FORKS]));
    }
    CHECK(cudaDeviceSynchronize());
    for (int i = 1; i < count; i++)
        order += std::string(i > 1 ? " " : "") + words[i];
    for (int i = 1; i < count; i++) {
        int nodes = atoi(words[i]);
        values us[3];
        struct one first = make(shape, nodes, s, e, &us[0]), second = make(shape, nodes, s, e, &us[1]);
        drop(first);
        drop(second);
        drop(make(shape, nodes, s, e, &us[2]));
        for (int g = 0; g < 3; g++)
            for (size_t c = 0; c < us[g].size(); c++)
                row(shape + " of " + words[i] + " (" + order + "): graph " + std::to_string(g + 1) + ": " + columns[c], us[g][c], "us");
    }
}

static void CUDART_CB function(void *) {}

void capture_calls()
{
    enum { CALLS = 60, TIMES = 5 };
    cudaStream_t s = new_stream(), t = new_stream();
    cudaEvent_t e, back, timed;
    CHECK(cudaMalloc((void **)&device, BYTES));
    CHECK(cudaMallocHost((void **)&pinned, BYTES));
    CHECK(cudaEventCreateWithFlags(&e, cudaEventDisableTiming));
    CHECK(cudaEventCreateWithFlags(&back, cudaEventDisableTiming));
    CHECK(cudaEventCreate(&timed));
    warm_up();
    const struct { const char *name; std::function<void()> call; } calls[] = {
        { "nothing", [] {} },
        { "kernel", [&] { nothing<<<1, 32, 0, s>>>(); } },
        { "copy up 64 KiB", [&] { CHECK(cudaMemcpyAsync(device, pinned, BYTES, cudaMemcpyHostToDevice, s)); } },
        { "copy down 64 KiB", [&] { CHECK(cudaMemcpyAsync(pinned, device, BYTES, cudaMemcpyDeviceToHost, s)); } },
        { "copy inside 64 KiB", [&] { CHECK(cudaMemcpyAsync(device + BYTES / 2, device, BYTES / 2, cudaMemcpyDeviceToDevice, s)); } },
        { "memset 64 KiB", [&] { CHECK(cudaMemsetAsync(device, 0, BYTES, s)); } },
        { "record", [&] { CHECK(cudaEventRecord(back, s)); } },
        { "record, timed", [&] { CHECK(cudaEventRecord(timed, s)); } },
        { "wait", [&] { CHECK(cudaStreamWaitEvent(t, e, 0)); } },
        { "function", [&] { CHECK(cudaLaunchHostFunc(s, function, NULL)); } },
        { "query if captured", [&] { cudaStreamCaptureStatus is; CHECK(cudaStreamIsCapturing(s, &is)); } },
    };
    for (const auto &c : calls)
        for (int captured = 0; captured < 2; captured++) {
            values us, whole, ends, begins;
            for (int i = -1; i < TIMES; i++) {
                cudaGraph_t graph;
                double begin_us = captured ? us_of([&] { CHECK(cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed)); }) : 0;
                CHECK(cudaEventRecord(e, s));
                CHECK(cudaStreamWaitEvent(t, e, 0));
                long long begin = now_ns();
                for (int n = 0; n < CALLS; n++) {
                    double one = us_of(c.call);
                    if (i >= 0)
                        us.push_back(one);
                }
                if (i >= 0)
                    whole.push_back((double)(now_ns() - begin) / 1e3 / CALLS), begins.push_back(begin_us);
                if (captured) {
                    CHECK(cudaEventRecord(back, t));
                    CHECK(cudaStreamWaitEvent(s, back, 0));
                    double end_us = us_of([&] { CHECK(cudaStreamEndCapture(s, &graph)); });
                    CHECK(cudaGraphDestroy(graph));
                    if (i >= 0)
                        ends.push_back(end_us);
                }
                CHECK(cudaDeviceSynchronize());
            }
            std::string name = std::string(c.name) + (captured ? ", captured" : ", live");
            row(name, us, "us");
            row(name + ", mean of 60", whole, "us");
            if (captured) {
                row(name + ": begin", begins, "us");
                row(name + ": end", ends, "us");
            }
        }
}
