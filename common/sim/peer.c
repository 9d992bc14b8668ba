/* SPDX-License-Identifier: MIT */
#include "peer.h"

#include <sys/mman.h>

#include "because.h"

/* [device][peer]: the device may reach the peer's memory. */
static bool enabled[CARD_DEVICES][CARD_DEVICES];

enum cudaMemAccessFlags peer_reach(int device, const struct allocation *a)
{
    bool reached = a->kind != MEM_DEVICE || a->device == device || (!a->reach && enabled[device][a->device]);
    return reached ? cudaMemAccessFlagsProtReadWrite : a->reach ? a->reach[device] : cudaMemAccessFlagsProtNone;
}

bool peer_allows(uint32_t node, const struct allocation *a, bool write)
{
    enum cudaMemAccessFlags needed = write ? cudaMemAccessFlagsProtReadWrite : cudaMemAccessFlagsProtRead;
    return peer_reach((int)sim.timeline.spans[node].device, a) >= needed;
}

/* ---- protection ---- */

static int protected_from = -1;     /* the device that runs a kernel; -1: none does */

static void protect_peers(bool on)
{
    static const int protections[] = {
        [cudaMemAccessFlagsProtNone] = PROT_NONE, [cudaMemAccessFlagsProtRead] = PROT_READ,
    };
    for (const struct allocation *a = allocation_first(); a; a = allocation_after(a)) {
        enum cudaMemAccessFlags reach = peer_reach(protected_from, a);
        if (reach != cudaMemAccessFlagsProtReadWrite)
            allocation_protect(a, on ? protections[reach] : PROT_READ | PROT_WRITE);
    }
}

void peer_protect(int device)
{
    if (sim.card->devices == 1)
        return;
    protected_from = device;
    protect_peers(true);
}

void peer_unprotect(void)
{
    if (protected_from < 0)
        return;
    protect_peers(false);
    protected_from = -1;
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
    if (call_between_devices(c) && (reaches(c->src_device, c->dst) || reaches(c->dst_device, c->src)))
        c->flags |= COPY_DIRECT;
}

bool peer_may_set(const struct call *c, int device)
{
    const struct allocation *a = memory_at(c->dst);
    return !a || peer_reach(device, a) == cudaMemAccessFlagsProtReadWrite;
}

void peers_forget(int device)
{
    for (int other = 0; other < CARD_DEVICES; other++)
        enabled[device][other] = enabled[other][device] = false;
}

/* ---- what programs ask and say; a device is no peer of its own ---- */

static bool can_reach(int device, int peer)
{
    return device != peer && sim.card->peer_access;
}

cudaError_t cudaDeviceCanAccessPeer(int *can, int device, int peer)
{
    struct entry e;
    cudaError_t status = entry_open(&e, CALL_OTHER, "cudaDeviceCanAccessPeer");
    status = refuse_device(&e, status, device, "second argument, device");
    status = refuse_device(&e, status, peer, "third argument, peerDevice");
    status = refuse_null(&e, status, can, "first argument, canAccessPeer");
    if (status == cudaSuccess)
        *can = can_reach(device, peer);
    return entry_finish(&e, status);
}

cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned int flags)
{
    struct entry e;
    cudaError_t status = entry_open(&e, CALL_OTHER, "cudaDeviceEnablePeerAccess");
    int device = e.thread->device;
    status = REFUSE(&e, status, flags != 0, cudaErrorInvalidValue, "the second argument, flags, is %#x and must be 0", flags);
    status = refuse_device(&e, status, peer, "first argument, peerDevice");
    status = REFUSE(&e, status, !can_reach(device, peer), cudaErrorPeerAccessUnsupported,    /* [M] the header has cudaErrorInvalidDevice */
                    device == peer ? "device %d is current, and is no peer of its own"
                                   : "device %d, which is current, cannot reach device %d (cudaDeviceCanAccessPeer)", device, peer);
    status = REFUSE(&e, status, enabled[device][peer], cudaErrorPeerAccessAlreadyEnabled,
                    "device %d, which is current, may reach device %d already", device, peer);
    if (status == cudaSuccess)
        enabled[device][peer] = true;
    return entry_finish(&e, status);
}

cudaError_t cudaDeviceDisablePeerAccess(int peer)
{
    struct entry e;
    cudaError_t status = entry_open(&e, CALL_OTHER, "cudaDeviceDisablePeerAccess");
    status = refuse_device(&e, status, peer, "argument, peerDevice");
    status = REFUSE(&e, status, !enabled[e.thread->device][peer], cudaErrorPeerAccessNotEnabled,
                    "device %d, which is current, was not allowed to reach device %d", e.thread->device, peer);
    if (status == cudaSuccess)
        enabled[e.thread->device][peer] = false;
    return entry_finish(&e, status);
}

/* Of two different devices; the rank 0 is the best [H]. */
cudaError_t cudaDeviceGetP2PAttribute(int *value, enum cudaDeviceP2PAttr attribute, int device, int peer)
{
    struct entry e;
    cudaError_t status = entry_open(&e, CALL_OTHER, "cudaDeviceGetP2PAttribute");
    status = refuse_device(&e, status, device, "third argument, srcDevice");
    status = refuse_device(&e, status, peer, "fourth argument, dstDevice");
    status = REFUSE(&e, status, device == peer, cudaErrorInvalidDevice, "both devices are number %d", peer);
    bool known = attribute >= cudaDevP2PAttrPerformanceRank && attribute <= cudaDevP2PAttrCudaArrayAccessSupported;
    status = refuse_null(&e, status, value, "first argument, value");
    status = REFUSE(&e, status, !known, cudaErrorInvalidValue, "the second argument, attr, is %d, which is no attribute", (int)attribute);
    if (status == cudaSuccess)
        *value = attribute == cudaDevP2PAttrPerformanceRank           ? 0
                 : attribute == cudaDevP2PAttrNativeAtomicSupported ? (int)sim.card->peer_atomics
                                                                    : (int)sim.card->peer_access;
    return entry_finish(&e, status);
}
