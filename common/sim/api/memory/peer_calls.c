/* SPDX-License-Identifier: MIT */
#include "sim/api/api_call.h"
#include "sim/memory/because.h"
#include "sim/memory/peer.h"

/* A device is no peer of its own. */
static bool can_reach(int device, int peer)
{
    return device != peer && sim.card->peer_access;
}

cudaError_t cudaDeviceCanAccessPeer(int *can, int device, int peer)
{
    struct api_call e;
    cudaError_t status = api_open(&e, CALL_OTHER, "cudaDeviceCanAccessPeer");
    status = refuse_device(&e, status, device, "second argument, device");
    status = refuse_device(&e, status, peer, "third argument, peerDevice");
    status = refuse_null(&e, status, can, "first argument, canAccessPeer");
    if (status == cudaSuccess)
        *can = can_reach(device, peer);
    return api_finish(&e, status);
}

cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned int flags)
{
    struct api_call e;
    cudaError_t status = api_open(&e, CALL_OTHER, "cudaDeviceEnablePeerAccess");
    int device = e.thread->device;
    status = REFUSE(&e, status, flags != 0, cudaErrorInvalidValue,
                    "the second argument, flags, is %#x and must be 0", flags);
    status = refuse_device(&e, status, peer, "first argument, peerDevice");
    status = REFUSE(
        &e, status, !can_reach(device, peer),
        cudaErrorPeerAccessUnsupported,    /* [M] the header has cudaErrorInvalidDevice */
        device == peer
            ? "device %d is current%s, and is not its own peer"
            : "device %d, which is current%s, cannot reach device %d (cudaDeviceCanAccessPeer)",
        device, words_of_current().text, peer);
    status = REFUSE(&e, status, peer_is_enabled(device, peer), cudaErrorPeerAccessAlreadyEnabled,
                    "device %d, which is current, may reach device %d already", device, peer);
    if (status == cudaSuccess)
        peer_enable(device, peer, true);
    return api_finish(&e, status);
}

cudaError_t cudaDeviceDisablePeerAccess(int peer)
{
    struct api_call e;
    cudaError_t status = api_open(&e, CALL_OTHER, "cudaDeviceDisablePeerAccess");
    status = refuse_device(&e, status, peer, "argument, peerDevice");
    status = REFUSE(
        &e, status, !peer_is_enabled(e.thread->device, peer), cudaErrorPeerAccessNotEnabled,
        "device %d, which is current, was not allowed to reach device %d", e.thread->device, peer);
    if (status == cudaSuccess)
        peer_enable(e.thread->device, peer, false);
    return api_finish(&e, status);
}

/* Of two different devices; the rank 0 is the best [H]. */
cudaError_t cudaDeviceGetP2PAttribute(int *value, enum cudaDeviceP2PAttr attribute, int device,
                                      int peer)
{
    struct api_call e;
    cudaError_t status = api_open(&e, CALL_OTHER, "cudaDeviceGetP2PAttribute");
    status = refuse_device(&e, status, device, "third argument, srcDevice");
    status = refuse_device(&e, status, peer, "fourth argument, dstDevice");
    status = REFUSE(&e, status, device == peer, cudaErrorInvalidDevice,
                    "both devices are number %d", peer);
    bool known = attribute >= cudaDevP2PAttrPerformanceRank
                 && attribute <= cudaDevP2PAttrOnlyPartialNativeAtomicSupported;
    status = refuse_null(&e, status, value, "first argument, value");
    status = REFUSE(&e, status, !known, cudaErrorInvalidValue,
                    "the second argument, attr, is %d, which is not an attribute", (int)attribute);
    if (status == cudaSuccess)
        *value = attribute == cudaDevP2PAttrPerformanceRank
                         || attribute == cudaDevP2PAttrOnlyPartialNativeAtomicSupported
                     ? 0
                 : attribute == cudaDevP2PAttrNativeAtomicSupported ? (int)sim.card->peer_atomics
                                                                    : (int)sim.card->peer_access;
    return api_finish(&e, status);
}
