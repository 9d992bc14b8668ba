/* SPDX-License-Identifier: MIT */
/* judges.h - lesson 03's judges: of the timed kernel (a), of the diamond (b), of the slices (c). */
#ifndef JUDGES_H
#define JUDGES_H

#include "grader/check.h"
#include "slots.h"

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

bool timing_order(const struct evidence *e, struct finding *f, const char *part);
bool timing_wait(const struct evidence *e, struct finding *f, const char *part);
bool timing_output(const struct evidence *e, struct finding *f, const char *part);
bool timing_time(const struct evidence *e, struct finding *f, const char *part);
bool timing_host(const struct evidence *e, struct finding *f, const char *part);

bool diamond_work(const struct evidence *e, struct finding *f, const char *part);
bool diamond_fork(const struct evidence *e, struct finding *f, const char *part);
bool diamond_join(const struct evidence *e, struct finding *f, const char *part);
bool diamond_host(const struct evidence *e, struct finding *f, const char *part);
bool diamond_output(const struct evidence *e, struct finding *f, const char *part);
bool diamond_overlap(const struct evidence *e, struct finding *f, const char *part);

bool slices_order(const struct evidence *e, struct finding *f, const char *part);
bool slices_known(const struct evidence *e, struct finding *f, const char *part);
bool slices_output(const struct evidence *e, struct finding *f, const char *part);
bool slices_part(const struct evidence *e, struct finding *f, const char *part);
bool slices_overlap(const struct evidence *e, struct finding *f, const char *part);
bool slices_stop(const struct evidence *e, struct finding *f, const char *part);
bool slices_count(const struct evidence *e, struct finding *f, const char *part);

#endif
