/* SPDX-License-Identifier: MIT */
/*
 * residency.h - where the pages of managed memory are, and how they get there.
 *
 * Pages of 64 KiB, counted from where an allocation begins, in blocks of 32 (2
 * MiB). Before its first touch a page is nowhere. Then it is on the host or on a
 * device or, with cudaMemAdviseSetReadMostly, on several. An access to a page
 * that is elsewhere has a fault: it moves the page and, where that makes more
 * than half of a group of 2, 4, … 32 pages of the block be there, the rest of
 * the group too. So a walk through a block faults six times and moves 64, 64,
 * 128, 256, 512 and 1024 KiB, as an H200 does (64 KiB growing to 1 MiB [M]).
 * A host that is the first to touch a page takes it at no cost; a kernel has a
 * fault that moves nothing. What faults and moves take: model.h, cards.
 *
 * A kernel's threads do not wait for each other's pages. So what a block of them
 * touches comes when the block has run, by address, as the driver takes it; blocks
 * come one after the other. On an H200 a block of 32 threads that looks at 814 KiB in 8
 * steps took 172 to 220 us, one of 256 that looks at 709 KiB in one step 200 to 207 [M].
 *
 * Touches are seen by the protection of pages: what is not on the side of
 * whoever runs cannot be touched, in either copy of the program (instrumented.h), so
 * that times are the same with hazards on or off. The first touch of a page in a
 * kernel's life, or between two of the host's calls, counts. The kernel's are
 * told to the model when its body has run, the host's at its next call: host code
 * takes no time between calls. Memsets and copies have a kernel's faults [M]; on cards without
 * faults they touch no page and go where it is (what is nowhere yet becomes the device's).
 *
 * Advice [H]: a read-mostly page is copied by who reads it and the others' copy
 * goes when somebody writes; a page with the host as preferred place is not moved
 * but mapped by a kernel's fault; one accessed by the device is mapped without a
 * fault. What mapped accesses themselves take is not modelled.
 *
 * A prefetch to a device takes its pages from the host when it is queued: what the host touches
 * before it waits has a fault, and is taken again when the prefetch begins. On a card that is luck.
 * A prefetch into an idle stream may be quicker than the faults of a kernel in another: from then
 * on pages come with the prefetch, and the kernel goes on when that has ended [M].
 *
 * The device has room for memory_mib less what was allocated there
 * (SIM_MEMORY_MIB in the environment makes any card smaller): when pages need
 * more, blocks leave it, the one first that came longest ago.
 *
 * A fault of one device takes a page from another, as from the host; that it may travel from device
 * to device is not in its time. Several devices have the first one's room together.
 *
 * Cards without concurrent access (before 6.0) move all of it before a kernel
 * begins, without faults [G].
 */
#ifndef SIM_MEMORY_RESIDENCY_H
#define SIM_MEMORY_RESIDENCY_H

#include "sim/sim.h"

/* Before the program begins: its __managed__ variables are the host's. */
/* Migrations are noted by this function (note.h). */
void residency_begin(size_t (*note)(struct call *c));
/* Managed memory that is there from now on, on no side (`on_host`: it has contents: the host's);
 * that is gone. */
void residency_add(uintptr_t at, size_t bytes, bool on_host);
void residency_drop(uintptr_t at);

/* Who touches memory from now on. The host does unless it is said otherwise. */
/* `device` says whose kernel it is. */
enum toucher { TOUCHER_HOST, TOUCHER_KERNEL, TOUCHER_COPY };
void residency_touched_by(enum toucher who, int device);

/* Somebody touched an address and could not; may be called by a signal's handler. False: it is no
 * page of ours. */
bool residency_fault(uintptr_t address, bool write, const void *pc);
/* The host is about to have the system touch this memory: read(), write(). */
void residency_touch(uintptr_t at, size_t bytes, bool write);

/* Before a kernel begins; after some of it has run: tells of its pages, returns how many ns they
 * take. */
void residency_kernel_begins(void);
int64_t residency_ran(uint32_t node);
#define SIDE_HOST (-1)          /* any other number is a device's */
/* The prefetch `node` to a side begins: returns the bytes that it moves. */
uint64_t residency_prefetch(uint32_t node, uintptr_t at, size_t bytes, int to);
/* That prefetch is queued. */
void residency_leaves(uintptr_t at, size_t bytes, int to, uint32_t node);
/* How many of these bytes are not on that side now. */
uint64_t residency_elsewhere(uintptr_t at, size_t bytes, int to);
/* The host makes a call: tells of its faults. */
void residency_host_calls(void);

/* Is there managed memory? Then it matters who touches what first. */
bool residency_watches(void);
/* Managed memory on the device, bytes. */
size_t residency_on_device(void);

#endif
