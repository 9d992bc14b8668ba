/* SPDX-License-Identifier: MIT */
/* judges.h - lesson 14's judges: of what is done (work.c), of how soon and how fast (pace.c). */
#ifndef JUDGES_H
#define JUDGES_H

#include "grader/check.h"

#include "slots.h"

static inline const struct sizes *sizes_of(const struct evidence *e)
{
    return exchange_input(e->exchange, IN_SIZES, NULL);
}

static inline const struct answers *answers_of(const struct evidence *e)
{
    return exchange_output(e->exchange, OUT_ANSWERS, NULL);
}

/* The calls inside the label `what` with that number; none if it never came. Other threads' calls are among them. */
struct selection calls_in(const struct view *v, const char *what, int number, uint32_t engines);
/* Of the selection's calls the one of this thread that the device held up longest; ANY for none. */
uint32_t longest_wait_of(const struct view *v, struct selection s, uint32_t thread);

bool plant_leaks(const struct evidence *e, struct finding *f, const char *part);

bool plant_work(const struct evidence *e, struct finding *f, const char *part);
bool plant_order(const struct evidence *e, struct finding *f, const char *part);
void plant_explain(const struct evidence *e, const struct check *c, struct finding *f);
bool plant_wait(const struct evidence *e, struct finding *f, const char *part);
bool plant_sealed(const struct evidence *e, struct finding *f, const char *part);
bool plant_pages(const struct evidence *e, struct finding *f, const char *part);
bool plant_answers(const struct evidence *e, struct finding *f, const char *part);

bool plant_latency(const struct evidence *e, struct finding *f, const char *part);
bool plant_begins(const struct evidence *e, struct finding *f, const char *part);
bool plant_keeps_up(const struct evidence *e, struct finding *f, const char *part);

#endif
