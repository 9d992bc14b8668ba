/* SPDX-License-Identifier: MIT */
/*
 * facts.h - measures a card: what facts/README.md asks for, and tables of what else can be seen.
 *
 * The same source for a card (nvcc) and the simulator (simcc), which has to find the numbers of its
 * own card again. Each number is the middle one of several, and its source says how far they were
 * apart. Long waits are kept short: all of it takes less than a minute.
 */
#ifndef FACTS_H
#define FACTS_H

#include <initializer_list>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "streams.h"

enum { KIB = 1 << 10, MIB = 1 << 20, SAMPLES = 64 };
static const long long US = 1000, MS = 1000000;     /* ns */

/* ---- report.cu: what was found ---- */

struct figure { double middle, least, most; };

/* A key of facts/README.md, in this unit ("" for counts). `how` it was measured; the spread is
 * added. */
void fact(const char *key, const char *unit, struct figure measured, const char *how);
/* The same, where nothing is spread: `source` is all there is to say. */
void fact_known(const char *key, const char *unit, double value, const char *source);
/* Of a fact that was found before. */
double value_of(const char *key);
/* What no key says: a line of the table `table`. */
void observed(const char *table, const char *what, const char *answer);
void observed_us(const char *table, const char *what, struct figure us);
/* Markdown on standard output; JSON, as facts/README.md says, into `path`. */
void report(const char *path);
/* Progress, on standard error. */
void doing(const char *what);

/* The middle one of `count` values (SAMPLES at most). */
struct figure middle_of(double *values, int count);

/* On the simulator three: there each takes what the others take, and the bytes are moved all the
 * same. */
template <typename F> struct figure several(int times, F one)
{
    double values[SAMPLES];
#ifdef __SIMCC__
    times = times < 3 ? times : 3;
#endif
    for (int i = 0; i < times; i++)
        values[i] = one();
    return middle_of(values, times);
}

/* ---- the parts, in the order in which main calls them ---- */

void measure_properties(void);      /* what the card says of itself */
void measure_speeds(void);          /* bandwidths */
void measure_calls(void);           /* host time of calls */
void measure_graph_calls(void);     /* likewise, of graphs by their size */
void measure_latencies(void);       /* of the device */
void measure_structure(void);       /* what runs at once */
void measure_order(void);           /* what waits for what */
void measure_memory(void);          /* managed memory, pools */
void measure_alone(void);           /* one thing of each size; what goes with the command */
/* Lines `key value`: of a process that has done nothing yet; of memory of the host's. */
void print_first(void);
void print_command(void);
void print_pageable(void);
void print_managed(void);
/* How many hardware queues there are. */
int queues_found(void);

/* ---- shared by the parts ---- */

static __global__ void busy(long long ns)
{
    kernel_cost(ns);
}

struct tools {
    struct cudaDeviceProp card;
    cudaStream_t s[4];              /* non-blocking */
    cudaEvent_t from, to, done[2];
    char *device, *more;            /* BIG each */
    char *pinned, *pinned_too, *pageable;   /* HALF each */
};
extern struct tools t;
static const size_t BIG = 256 * (size_t)MIB, HALF = 128 * (size_t)MIB, CACHED = 16 * (size_t)MIB;

static inline double elapsed_ns(cudaEvent_t from, cudaEvent_t to)
{
    float ms;
    CHECK(cudaEventElapsedTime(&ms, from, to));
    return ms * 1e6;
}

template <typename F> double ns_of(F work)
{
    long long begin = now_ns();
    work();
    return (double)(now_ns() - begin);
}

/* What the device takes for what `queue` puts into stream 0: the host is done before it begins. */
template <typename F> double ns_on_device(F queue)
{
    for (long long hold = 2 * MS;; hold *= 2) {
        busy<<<1, 1, 0, t.s[0]>>>(hold);
        CHECK(cudaEventRecord(t.from, t.s[0]));
        queue();
        CHECK(cudaEventRecord(t.to, t.s[0]));
        bool in_time = cudaEventQuery(t.from) == cudaErrorNotReady;
        CHECK(cudaDeviceSynchronize());
        if (in_time || hold > 50 * MS)
            return elapsed_ns(t.from, t.to);
    }
}

/* One of many in a row, the first few left out. */
template <typename F> double ns_in_a_row(F queue_one, int few = 8, int many = 40)
{
    double ns[2];
    for (int which = 0; which < 2; which++)
        ns[which] = ns_on_device([&] {
            for (int i = 0; i < (which ? many : few); i++)
                queue_one();
        });
    return (ns[1] - ns[0]) / (many - few);
}

#endif
