/* SPDX-License-Identifier: MIT */
/*
 * driver.h - for a lesson's driver.cu alone: takes inputs, hands outputs back.
 *
 * A driver calls driver_part("a"), the exercise, driver_part("b"), … It holds
 * no expected value and no verdict. Started without the grader it says so and
 * ends with status 2. Inputs cannot be written; a missing or short slot is our
 * bug and stops the program.
 */
#ifndef DRIVER_H
#define DRIVER_H

#include <stddef.h>

#include "exchange.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Slot number `slot`, from 0; *bytes (may be NULL) gets its size. Pageable memory. */
const void *driver_input(int slot, size_t *bytes);
void *driver_output(int slot, size_t *bytes);

/* For lessons of two processes: driver_other() runs in a process of its own, from before main() on.
 * In the simulator that is a host thread whose streams, events and memory are another process's;
 * it begins with driver_other_begins(). Both see the driver_shared() bytes of memory, 0 at first.
 */
void driver_other(void) __attribute__((weak));
enum { DRIVER_SHARED = 16384 };
void *driver_shared(void);
void driver_other_begins(void);
/* Waits until driver_other() has returned. */
void driver_other_ends(void);

/* The part that begins now; NULL after the last one. A part begins with no error for cudaGetLastError(). */
void driver_part(const char *part);

/* The calling thread loses the processor for so long when it next asks a stream or an event whether
 * it is done, as any thread may: its question comes late. A real card's threads go on. */
void driver_delays_question(long long ns);

/* The device is to make what comes to these bytes: where the program's host code writes some of
 * them the log says so, from now on. NULL: no longer. */
void driver_device_makes(const void *at, size_t bytes);

/* Copies what the program may be writing at that moment; no hazard is seen in it. */
void driver_peek(void *to, const void *from, size_t bytes);

#ifdef __cplusplus
}
#endif
#endif
