/* SPDX-License-Identifier: MIT */
/*
 * peer.h - which device reaches whose memory, and copies between devices.
 *
 * A device reaches its own memory, all pinned and managed memory, and that of
 * the devices whose peer it was made (cudaDeviceEnablePeerAccess, one way);
 * memory of a pool it reaches as the pool says (cudaMemPoolSetAccess), whoever
 * is whose peer. A process reaches its own memory, and of another's what it has
 * opened (cudaIpcOpenMemHandle). While a kernel runs, what its device does not reach is
 * protected: touching it is an illegal address, as on a card.
 */
#ifndef SIM_MEMORY_PEER_H
#define SIM_MEMORY_PEER_H

#include "sim/memory/allocation.h"
#include "sim/sim.h"

/* How `device` reaches the memory: a cudaMemAccessFlags. */
enum cudaMemAccessFlags peer_reach(int device, const struct allocation *a);
/* Is it the process's own memory, or open in it? Of a device's memory alone. */
bool peer_has_open(uint32_t process, const struct allocation *a);
/* Whose operation is it? */
uint32_t peer_process(uint32_t node);
/* memory_kind_of for a call of this thread's: MEM_NONE also where the memory is another process's
 * and not open. */
enum memory_kind peer_kind_of(const void *address, size_t bytes);

/* May the kernel of this node write to the memory (or read it)? */
bool peer_allows(uint32_t node, const struct allocation *a, bool write);

/* Before what the kernel of this node does. It stays so for kernels of the same device that
 * follow … */
void peer_protect(uint32_t node);
/* … to here: before anything else is done with memory, or the host's code goes on
 * (sim.before_host). */
void peer_unprotect(void);

/* The memory kinds of a copy or memset are known: whose memory it is, and how it goes. Between two
 * devices it need not go through the host where one of them reaches the other side. */
void peer_complete(struct call *c);
/* Does the device that is to do the memset reach the memory? An H200 refuses it at the call where
 * not [M]; where two devices are no peers, a stream of the memory's own device does it. */
bool peer_may_set(const struct call *c, int device);

/* May the device reach what is the peer's? One way. */
bool peer_is_enabled(int device, int peer);
void peer_enable(int device, int peer, bool on);

/* The device was reset. */
void peers_reset(int device);

#endif
