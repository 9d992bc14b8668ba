/* SPDX-License-Identifier: MIT */
/*
 * warp.h - threads of a warp that do something together.
 *
 * An operation is complete when every thread that its mask names has come to
 * the same one, with the same mask, or has ended [G]; the lanes go on in their
 * order then, as those of a card that print do. What a thread reads from one that
 * takes no part is undefined on a card: here it is 0, and told.
 */
#ifndef SIM_KERNEL_WARP_H
#define SIM_KERNEL_WARP_H

#include <stdbool.h>
#include <stdint.h>

/* The block has been promoted, its device threads are as they are. */
void warps_begin(void);
/* A thread ended: operations that waited for it may be complete. */
void warp_ended(unsigned thread);
/* When no thread of the warp can go on: answers those that asked for __activemask at one place. */
bool warp_release_active(unsigned warp);
const char *warp_operation_name(uint32_t kind);

#endif
