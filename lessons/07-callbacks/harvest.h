/* SPDX-License-Identifier: MIT */
/* harvest.h - part (a) of lesson 07: chunks that are finished as they come home. */
#ifndef HARVEST_H
#define HARVEST_H

#include "grader/check.h"

/* Every chunk ripens and comes home, each to its own place. */
bool judge_harvest_work(const struct evidence *e, struct finding *f, const char *part);
/* The caller waits for nothing before harvest_begin() returns, and finishes no chunk itself. */
bool judge_harvest_caller(const struct evidence *e, struct finding *f, const char *part);
/* Each chunk is finished once: functions find at their addresses what was meant for them. */
bool judge_harvest_numbers(const struct evidence *e, struct finding *f, const char *part);
/* No chunk is finished before something says that it is home. */
bool judge_harvest_arrived(const struct evidence *e, struct finding *f, const char *part);
bool judge_harvest_sums(const struct evidence *e, struct finding *f, const char *part);
/* The device is at work while the host finishes. */
bool judge_harvest_beside(const struct evidence *e, struct finding *f, const char *part);

#endif
