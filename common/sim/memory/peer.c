/* SPDX-License-Identifier: MIT */
#include "sim/memory/peer.h"

#include <sys/mman.h>

#include "sim/stream_table.h"

/* [device][peer]: the device may reach the peer's memory. */
static bool enabled[CARD_DEVICES][CARD_DEVICES];

enum cudaMemAccessFlags peer_reach(int device, const struct allocation *a)
{
    bool reached =
        a->kind != MEM_DEVICE || a->device == device || (!a->reach && enabled[device][a->device]);
    return reached    ? cudaMemAccessFlagsProtReadWrite
           : a->reach ? a->reach[device]
                      : cudaMemAccessFlagsProtNone;
}

bool peer_has_open(uint32_t process, const struct allocation *a)
{
    return a->kind != MEM_DEVICE || a->process == process || a->opened[process] > 0;
}

enum memory_kind peer_kind_of(const void *address, size_t bytes)
{
    const struct allocation *a = allocation_find(address);
    return a && !peer_has_open(thread_self()->process, a) ? MEM_NONE
                                                          : memory_kind_of(address, bytes);
}

uint32_t peer_process(uint32_t node)
{
    const struct stream *s = stream_numbered(sim.timeline.spans[node].stream);
    return s ? s->process : 0;
}

bool peer_allows(uint32_t node, const struct allocation *a, bool write)
{
    enum cudaMemAccessFlags needed =
        write ? cudaMemAccessFlagsProtReadWrite : cudaMemAccessFlagsProtRead;
    return peer_has_open(peer_process(node), a)
           && peer_reach((int)sim.timeline.spans[node].device, a) >= needed;
}

/* ---- protection ---- */

static int protected_from = -1;     /* the device that runs a kernel; -1: none does */
static uint32_t protected_process;  /* and the process whose kernel it is */

static void protect_peers(bool on)
{
    static const int protections[] = {
        [cudaMemAccessFlagsProtNone] = PROT_NONE, [cudaMemAccessFlagsProtRead] = PROT_READ,
    };
    for (const struct allocation *a = allocation_first(); a; a = allocation_after(a)) {
        enum cudaMemAccessFlags reach = peer_has_open(protected_process, a)
                                            ? peer_reach(protected_from, a)
                                            : cudaMemAccessFlagsProtNone;
        if (reach != cudaMemAccessFlagsProtReadWrite)
            allocation_protect(a, on ? protections[reach] : PROT_READ | PROT_WRITE);
    }
}

void peer_protect(uint32_t node)
{
    if (sim.card->devices == 1 && !sim.two_processes)
        return;
    int device = (int)sim.timeline.spans[node].device;
    uint32_t process = peer_process(node);
    if (protected_from == device && protected_process == process)
        return;
    peer_unprotect();
    protected_from = device;
    protected_process = process;
    sim.before_host = peer_unprotect;
    protect_peers(true);
}

void peer_unprotect(void)
{
    if (protected_from < 0)
        return;
    protect_peers(false);
    protected_from = -1;
    sim.before_host = NULL;
}

/* ---- copies ---- */

static const struct allocation *memory_at(uint64_t address)
{
    return allocation_find((const void *)(uintptr_t)address);
}

/* Variables of the program are the current device's. */
static uint32_t device_of(uint64_t address, uint32_t kind, const struct call *c)
{
    const struct allocation *a = memory_at(address);
    return kind != MEM_DEVICE ? 0 : a ? (uint32_t)a->device : c->device;
}

static bool reaches(uint32_t device, uint64_t address)
{
    const struct allocation *a = memory_at(address);
    return a && peer_reach((int)device, a) != cudaMemAccessFlagsProtNone;
}

void peer_complete(struct call *c)
{
    c->dst_device = device_of(c->dst, c->dst_kind, c);
    c->src_device = device_of(c->src, c->src_kind, c);
    if (call_between_devices(c)
        && (reaches(c->src_device, c->dst) || reaches(c->dst_device, c->src)))
        c->flags |= COPY_DIRECT;
}

bool peer_may_set(const struct call *c, int device)
{
    const struct allocation *a = memory_at(c->dst);
    return !a || peer_reach(device, a) == cudaMemAccessFlagsProtReadWrite;
}

bool peer_is_enabled(int device, int peer)
{
    return enabled[device][peer];
}

void peer_enable(int device, int peer, bool on)
{
    enabled[device][peer] = on;
}

void peers_reset(int device)
{
    for (int other = 0; other < CARD_DEVICES; other++)
        enabled[device][other] = enabled[other][device] = false;
}
