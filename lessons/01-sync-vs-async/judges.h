/* SPDX-License-Identifier: MIT */
/*
 * judges.h - lesson 01's judges: of a launch and what came of it (a, b), of the moments (a), of the work meanwhile
 * (b), of the jobs (c), of the day (d).
 */
#ifndef JUDGES_H
#define JUDGES_H

#include "grader/check.h"
#include "slots.h"

#define BAD_THREADS 2048        /* a block: more than any card takes */
#define ILLEGAL_ADDRESS 700     /* cudaErrorIllegalAddress */

static inline const struct task *task_of(const struct evidence *e)
{
    return exchange_input(e->exchange, 0, NULL);
}

static inline const struct answer *answer_of(const struct evidence *e)
{
    return exchange_output(e->exchange, 0, NULL);
}

/* What scramble() makes of an element. */
static inline uint32_t scrambled(uint32_t x)
{
    return 1664525u * x + 1013904223u;
}

/* Everything in ns of the timeline. A part with no finished kernel has kernel_busy 0. */
struct scene {
    const struct timeline *t;
    size_t first, end;          /* the part's calls */
    uint32_t launch;            /* its first launch that succeeded, ANY for none */
    struct interval kernel;     /* first start to last end */
    int64_t kernel_busy;
    int64_t device_end;         /* of the last kernel or copy */
};

struct scene launch_scene(const struct view *v, const char *part);
/* The call among [first, end) that held the host up longest; ANY when none did. *ns is how long. */
uint32_t scene_wait(const struct scene *s, size_t first, size_t end, int64_t *ns);
const char *scene_name(const struct scene *s, uint32_t call);
int scene_percent(int64_t part, int64_t whole);
const char *launch_error(int32_t error);

/* The kernel ran once, over every element. */
bool launch_output(const struct evidence *e, struct finding *f, const char *part);
/* Every kernel and copy of the part is waited for, by a rule, before the part ends. */
bool launch_waited(const struct evidence *e, struct finding *f, const char *part);

/* The readings of (a) are readings of that part. */
bool moments_read(const struct evidence *e, struct finding *f, const char *part);
bool moments_returned(const struct evidence *e, struct finding *f, const char *part);
bool moments_done(const struct evidence *e, struct finding *f, const char *part);

bool meanwhile_work(const struct evidence *e, struct finding *f, const char *part);
bool meanwhile_overlap(const struct evidence *e, struct finding *f, const char *part);
bool meanwhile_sum(const struct evidence *e, struct finding *f, const char *part);

bool jobs_launched(const struct evidence *e, struct finding *f, const char *part);
bool jobs_refused(const struct evidence *e, struct finding *f, const char *part);
bool jobs_fine(const struct evidence *e, struct finding *f, const char *part);
bool jobs_fault(const struct evidence *e, struct finding *f, const char *part);
bool jobs_place(const struct evidence *e, struct finding *f, const char *part);

bool day_work(const struct evidence *e, struct finding *f, const char *part);
bool day_key(const struct evidence *e, struct finding *f, const char *part);
bool day_results(const struct evidence *e, struct finding *f, const char *part);
bool day_pace(const struct evidence *e, struct finding *f, const char *part);

#endif
