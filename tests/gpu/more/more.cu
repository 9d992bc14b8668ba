/* SPDX-License-Identifier: MIT */
/*
 * more.cu - what a card does that tools/facts does not ask: more PART [WORDS...]. tests/gpu/more/run compiles it and runs
 * each part in a process of its own.
 *
 *   graphs SHAPE SIZES...    a first graph of its size, a second beside it, a third after both are gone
 *   capture                  what a call costs live and in a capture
 *   edge, chain, chain-graph programmatic dependent launch
 *   values, batch, loop      a stream that waits for a value; copies in a batch; a loop in a graph
 *   urgent, green            a small kernel beside a bulk grid: priorities of streams and launches, SMs set apart
 *   processes                two processes, one card
 *   managed, sets, pageable  by size
 */
#include <algorithm>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "measure.h"

void graphs(int count, char **words);
void capture_calls();
void edge();
void chain();
void chain_graph();
void value_waits();
void batch();
void loop();
void urgent();
void green();
void processes(const char *me);
void other_process(int file);
void managed();
void sets();
void pageable();

static std::string part;

void row(const std::string &what, values v, const char *unit)
{
    if (v.empty())
        return;
    std::sort(v.begin(), v.end());
    printf("%s\t%s\t%.3f\t%.3f\t%.3f\t%s\t%zu\n", part.c_str(), what.c_str(), v[0], v[v.size() / 2], v.back(), unit, v.size());
    fflush(stdout);
}

void row(const std::string &what, double v, const char *unit) { row(what, values(1, v), unit); }

void note(const std::string &what, const char *text)
{
    printf("%s\t%s\t\t%s\t\t\t0\n", part.c_str(), what.c_str(), text);
    fflush(stdout);
}

void *driver_call(const char *name)
{
    void *at = NULL;
    cudaDriverEntryPointQueryResult found;
    CHECK(cudaGetDriverEntryPointByVersion(name, &at, CUDART_VERSION, cudaEnableDefault, &found));
    if (found != cudaDriverEntryPointSuccess || !at) {
        fprintf(stderr, "more: the driver has no %s\n", name);
        exit(1);
    }
    return at;
}

void driver_check(CUresult status, const char *call)
{
    if (status == CUDA_SUCCESS)
        return;
    fflush(stdout);
    fprintf(stderr, "more: %s: error %d\n", call, (int)status);
    exit(1);
}

int main(int count, char **words)
{
    static const struct { const char *name; void (*run)(); } parts[] = {
        { "capture", capture_calls }, { "edge", edge }, { "chain", chain }, { "chain-graph", chain_graph },
        { "values", value_waits }, { "batch", batch }, { "loop", loop }, { "urgent", urgent }, { "green", green },
        { "managed", managed }, { "sets", sets }, { "pageable", pageable },
    };
    part = count > 1 ? words[1] : "";
    if (part == "graphs")
        return graphs(count - 2, words + 2), 0;
    if (part == "processes")
        return processes(words[0]), 0;
    if (part == "other" && count > 2)
        return other_process(atoi(words[2])), 0;
    for (const auto &p : parts)
        if (part == p.name)
            return p.run(), 0;
    fprintf(stderr, "more: no part %s\n", part.c_str());
    return 2;
}
