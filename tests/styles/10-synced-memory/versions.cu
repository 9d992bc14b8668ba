/* SPDX-License-Identifier: MIT */
/* C++: no states but versions, one for each side; a side is stale when its number is the lower one. A graph pushes. */
#include "lesson.h"

#include <cstring>
#include <map>

namespace {

struct side {
    void *memory = nullptr;
    bool own = false;
    unsigned version = 0;
};

struct versions { side host, device; };

std::map<const synced *, versions> kept;

/* What the contract shows of it. */
void *show(synced *m, const side &asked)
{
    const versions &v = kept.at(m);
    m->host = v.host.memory;
    m->device = v.device.memory;
    m->own_host = v.host.own;
    m->own_device = v.device.own;
    m->head = v.host.version > v.device.version ? AT_HOST : v.host.version < v.device.version ? AT_DEVICE
            : v.host.version > 0 ? SYNCED : UNINITIALIZED;
    return asked.memory;
}

void give(const synced *m, side &s)
{
    if (!s.own)
        return;
    s.own = false;
    if (&s == &kept.at(m).device)
        CHECK(cudaFree(s.memory));
    else if (m->pinned)
        CHECK(cudaFreeHost(s.memory));
    else
        CHECK(heap_give(s.memory));
}

void take(const synced *m, side &s)
{
    if (s.memory)
        return;
    s.own = true;
    if (&s == &kept.at(m).device)
        CHECK(cudaMalloc(&s.memory, m->bytes));
    else if (m->pinned)
        CHECK(cudaMallocHost(&s.memory, m->bytes));
    else
        CHECK(heap_take(&s.memory, m->bytes));
}

void *ask(synced *m, side versions::*mine, side versions::*other, bool write)
{
    versions &v = kept.at(m);
    side &s = v.*mine;
    const side &o = v.*other;
    const bool host = &s == &v.host;
    take(m, s);
    if (s.version < o.version) {
        CHECK(cudaMemcpy2D(s.memory, m->bytes, o.memory, m->bytes, m->bytes, 1,
                           host ? cudaMemcpyDeviceToHost : cudaMemcpyHostToDevice));
        s.version = o.version;
    } else if (s.version == 0) {
        if (host)
            std::memset(s.memory, 0, m->bytes);
        else
            CHECK(cudaMemset(s.memory, 0, m->bytes));
        s.version = 1;
    }
    if (write)
        s.version = o.version + 1;
    return show(m, s);
}

void set(synced *m, side versions::*mine, side versions::*other, void *data)
{
    versions &v = kept.at(m);
    give(m, v.*mine);
    v.*mine = { data, false, (v.*other).version + 1 };
    show(m, v.*mine);
}

}

//> states
void synced_init(struct synced *m, size_t bytes, bool pinned)
{
    *m = synced();
    m->bytes = bytes;
    m->pinned = pinned;
    CHECK(cudaGetDevice(&m->on));
    kept[m] = versions();
}

void synced_fini(struct synced *m)
{
    give(m, kept.at(m).host);
    give(m, kept.at(m).device);
    kept.erase(m);
}

const void *synced_read_host(struct synced *m) { return ask(m, &versions::host, &versions::device, false); }
const void *synced_read_device(struct synced *m) { return ask(m, &versions::device, &versions::host, false); }
void *synced_write_host(struct synced *m) { return ask(m, &versions::host, &versions::device, true); }
void *synced_write_device(struct synced *m) { return ask(m, &versions::device, &versions::host, true); }
//< states

//> set
void synced_set_host(struct synced *m, void *data) { set(m, &versions::host, &versions::device, data); }
void synced_set_device(struct synced *m, void *data) { set(m, &versions::device, &versions::host, data); }
//< set

//> push
void synced_push(struct synced *m, cudaStream_t stream)
{
    versions &v = kept.at(m);
    if (v.host.version <= v.device.version)
        return;
    take(m, v.device);
    cudaGraph_t graph;
    cudaGraphNode_t node;
    cudaGraphExec_t ready;
    CHECK(cudaGraphCreate(&graph, 0));
    CHECK(cudaGraphAddMemcpyNode1D(&node, graph, nullptr, 0, v.device.memory, v.host.memory, m->bytes, cudaMemcpyHostToDevice));
    CHECK(cudaGraphInstantiateWithFlags(&ready, graph, 0));
    CHECK(cudaGraphLaunch(ready, stream));
    CHECK(cudaGraphExecDestroy(ready));
    CHECK(cudaGraphDestroy(graph));
    v.device.version = v.host.version;
    show(m, v.device);
}
//< push

//> here
bool synced_here(const struct synced *m)
{
    int current;
    cudaPointerAttributes a{};
    CHECK(cudaGetDevice(&current));
    if (m->device != nullptr)
        CHECK(cudaPointerGetAttributes(&a, m->device));
    return m->on == current && (m->device == nullptr || a.device == m->on);
}
//< here
