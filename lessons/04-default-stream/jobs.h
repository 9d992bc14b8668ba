/* SPDX-License-Identifier: MIT */
/* jobs.h - the judges of part (c) (grader/check.h): four jobs, each in a host thread of its own. */
#ifndef JOBS_H
#define JOBS_H

#include "grader/check.h"

/* Did every job's elements travel, and both kernels run? */
bool judge_job_work(const struct evidence *e, struct finding *f, const char *part);
/* Copy in, wash, rinse, copy out: in an order that is guaranteed? */
bool judge_job_order(const struct evidence *e, struct finding *f, const char *part);
/* Has each job's thread waited for its job when do_job() returns? */
bool judge_job_wait(const struct evidence *e, struct finding *f, const char *part);
/* Does each job keep to its own memory? */
bool judge_job_output(const struct evidence *e, struct finding *f, const char *part);
/* As many kernels at once as in the reference? */
bool judge_job_overlap(const struct evidence *e, struct finding *f, const char *part);

#endif
