/* SPDX-License-Identifier: MIT */
/*
 * probe.h - is the GPU of this machine well?
 *
 * tools/card.cu, as make has built it, is run: a small program of ours that copies, launches a
 * kernel and looks at what came of it. Each probe is a fresh process: after a program that had to
 * be killed it says whether the card takes another.
 *
 * 1. probe_start   2. child_wait (child.h) for its child   3. probe_is_well; then the rest   4.
 * probe_fini
 */
#ifndef GRADER_RUN_PROBE_H
#define GRADER_RUN_PROBE_H

#include <stdbool.h>
#include <stddef.h>

#include "grader/sandbox/child.h"
#include "grader/sandbox/sandbox.h"

struct probe { struct child child; };

#define PROBE_NONE { .child = CHILD_NONE }
#define PROBE_LIMIT_MS 30000
#define PROBE_WHY 400

/* `sandbox`: from inside, as submissions see the card (its `card` is set); NULL: from where we are.
 * False: it could not be started; errno says why. */
bool probe_start(struct probe *p, const struct sandbox *sandbox);
/* False: `why` is a sentence without its end, and what to do. */
bool probe_is_well(const struct probe *p, char why[PROBE_WHY]);
/* What a well card says: how many there are, 1 where it says nothing; "sm_90", "" where it does
 * not. */
int probe_devices(const struct probe *p);
void probe_architecture(const struct probe *p, char *text, size_t size);
void probe_fini(struct probe *p);

/* What the card's own words mean, and what to do; NULL: we know no more than they say. */
const char *probe_advice(const char *words);

#endif
