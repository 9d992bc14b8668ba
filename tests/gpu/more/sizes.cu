/* SPDX-License-Identifier: MIT */
/* By size: the first touch of managed memory, memsets of all kinds of memory, copies of pageable memory. */
#include <stdlib.h>
#include <string.h>

#include "measure.h"

enum { KIB = 1024, MIB = 1024 * KIB, PAGE = 4096 };

/* One word of each page of 4 KiB, all threads of the grid in turn. */
static __global__ void touch(unsigned *at, size_t pages)
{
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < pages; i += (size_t)gridDim.x * blockDim.x)
        at[i * (PAGE / 4)] += 1;
}

static std::string name_of(size_t bytes)
{
    return bytes < MIB ? std::to_string(bytes / KIB) + " KiB" : std::to_string(bytes / MIB) + " MiB";
}

void managed()
{
    enum { TIMES = 4 };
    cudaStream_t s = new_stream();
    unsigned *wake;
    CHECK(cudaMallocManaged((void **)&wake, PAGE));
    warm_up();
    for (unsigned blocks : { 1u, 132u })
        for (size_t bytes = 64 * KIB; bytes <= 64 * MIB; bytes *= 4) {
            values from_host, again, back, never, prefetch_call, prefetched, after, set_on_host, set_on_card, taken;
            for (int i = 0; i < TIMES; i++) {
                unsigned *p;
                size_t pages = bytes / PAGE;
                auto on_card = [&] {
                    return us_of([&] {
                        touch<<<blocks, 256, 0, s>>>(p, pages);
                        CHECK(cudaStreamSynchronize(s));
                    });
                };
                auto wake_up = [&] {        /* the first fault after a pause takes twice as long */
                    CHECK(cudaDeviceSynchronize());
                    host_work(2000000);
                    for (int n = 0; n < 2; n++) {
                        wake[0] = 1;
                        touch<<<1, 1, 0, s>>>(wake, 1);
                        CHECK(cudaStreamSynchronize(s));
                    }
                };
                taken.push_back(us_of([&] { CHECK(cudaMallocManaged((void **)&p, bytes)); }));
                wake_up();
                never.push_back(on_card());
                memset(p, 1, bytes);
                wake_up();
                from_host.push_back(on_card());
                again.push_back(on_card());
                host_work(2000000);
                back.push_back(us_of([&] {
                    for (size_t n = 0; n < pages; n++)
                        p[n * (PAGE / 4)] += 1;
                }));
                memset(p, 1, bytes);
                wake_up();
                long long begin = now_ns();
                CHECK(prefetch(p, bytes, 0, s));
                prefetch_call.push_back((double)(now_ns() - begin) / 1e3);
                CHECK(cudaStreamSynchronize(s));
                prefetched.push_back((double)(now_ns() - begin) / 1e3);
                after.push_back(on_card());
                set_on_card.push_back(us_of([&] { CHECK(cudaMemset(p, 0, bytes)); CHECK(cudaDeviceSynchronize()); }));
                memset(p, 1, bytes);
                wake_up();
                set_on_host.push_back(us_of([&] { CHECK(cudaMemset(p, 0, bytes)); CHECK(cudaDeviceSynchronize()); }));
                CHECK(cudaFree(p));
            }
            std::string name = name_of(bytes) + ", " + std::to_string(blocks) + " blocks: ";
            row(name + "cudaMallocManaged", taken, "us");
            row(name + "kernel touches pages that nobody had", never, "us");
            row(name + "kernel touches pages of the host", from_host, "us");
            row(name + "kernel touches its own pages", again, "us");
            row(name + "host touches pages of the card", back, "us");
            row(name + "prefetch of pages of the host: call", prefetch_call, "us");
            row(name + "prefetch of pages of the host: over", prefetched, "us");
            row(name + "kernel after the prefetch", after, "us");
            row(name + "cudaMemset of pages of the card", set_on_card, "us");
            row(name + "cudaMemset of pages of the host", set_on_host, "us");
        }
}

void sets()
{
    enum { TIMES = 7 };
    cudaStream_t s = new_stream();
    unsigned char *p[2];
    static const char *const places[] = { "device", "pinned" };
    CHECK(cudaMalloc((void **)&p[0], 64 * MIB));
    CHECK(cudaMallocHost((void **)&p[1], 64 * MIB));
    memset(p[1], 1, 64 * MIB);
    warm_up();
    for (int place = 0; place < 2; place++)
        for (size_t bytes = 4 * KIB; bytes <= 64 * MIB; bytes *= 4)
            for (int now = 0; now < 2; now++) {
                values call, whole, behind;
                for (int i = -1; i < TIMES; i++) {
                    CHECK(cudaDeviceSynchronize());
                    long long begin = now_ns();
                    CHECK(now ? cudaMemset(p[place], 0, bytes) : cudaMemsetAsync(p[place], 0, bytes, s));
                    double one = (double)(now_ns() - begin) / 1e3;
                    CHECK(cudaDeviceSynchronize());
                    double two = (double)(now_ns() - begin) / 1e3;
                    last<<<1, 32, 0, s>>>(300000);
                    begin = now_ns();
                    CHECK(now ? cudaMemset(p[place], 0, bytes) : cudaMemsetAsync(p[place], 0, bytes, s));
                    double three = (double)(now_ns() - begin) / 1e3;
                    CHECK(cudaDeviceSynchronize());
                    if (i >= 0)
                        call.push_back(one), whole.push_back(two), behind.push_back(three);
                }
                std::string name = std::string(now ? "cudaMemset" : "cudaMemsetAsync") + ", " + places[place] + ", " + name_of(bytes) + ": ";
                row(name + "call", call, "us");
                row(name + "over", whole, "us");
                row(name + (now ? "call, a free stream's kernel of 300 us runs" : "call behind a kernel of 300 us"), behind, "us");
            }
}

void pageable()
{
    enum { TIMES = 4 };
    cudaStream_t s = new_stream();
    unsigned char *device, *pinned;
    CHECK(cudaMalloc((void **)&device, 128 * MIB));
    CHECK(cudaMallocHost((void **)&pinned, 128 * MIB));
    memset(pinned, 1, 128 * MIB);
    warm_up();
    for (size_t bytes = 4 * MIB; bytes <= 128 * MIB; bytes *= 2)
        for (int up = 0; up < 2; up++) {
            values fresh, warm, call, fixed;
            for (int i = 0; i < TIMES; i++) {
                unsigned char *host = (unsigned char *)malloc(bytes);
                auto copy = [&](unsigned char *h) {
                    long long begin = now_ns();
                    CHECK(cudaMemcpyAsync(up ? device : h, up ? h : device, bytes, cudaMemcpyDefault, s));
                    call.push_back((double)(now_ns() - begin) / 1e3);
                    CHECK(cudaStreamSynchronize(s));
                    return (double)(now_ns() - begin) / 1e3;
                };
                memset(host, 1, bytes);
                fresh.push_back(copy(host));
                for (int n = 0; n < 3; n++)
                    warm.push_back(copy(host));
                fixed.push_back(us_of([&] {
                    CHECK(cudaMemcpyAsync(up ? device : pinned, up ? pinned : device, bytes, cudaMemcpyDefault, s));
                    CHECK(cudaStreamSynchronize(s));
                }));
                free(host);
            }
            std::string name = name_of(bytes) + (up ? " up: " : " down: ");
            row(name + "pageable, first copy of the buffer", fresh, "us");
            row(name + "pageable, the same buffer again", warm, "us");
            row(name + "pageable, host's call", call, "us");
            row(name + "pinned", fixed, "us");
        }
}
