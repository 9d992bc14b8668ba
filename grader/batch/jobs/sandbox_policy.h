/* SPDX-License-Identifier: MIT */
/* sandbox_policy.h - a sandbox (grader/sandbox/sandbox.h) as strangers' submissions get it:
 * filters, user, object rules. */
#ifndef GRADER_BATCH_JOBS_SANDBOX_POLICY_H
#define GRADER_BATCH_JOBS_SANDBOX_POLICY_H

#include "grader/sandbox/sandbox.h"

/* `stage`: the folder of stage.h. Unconfined it is a way of laying files out, and nothing more.
 * `card`: of the GPU that programs may use, and which lives as long; NULL: none. */
void sandbox_policy_open(struct sandbox *s, const char *stage, bool confined, uint64_t memory,
                         const struct card_access *card);
void sandbox_policy_close(struct sandbox *s);
/* Makes its folders (sandbox_begin) and starts something harmless in it. False: `why` is what
 * bubblewrap says. */
bool sandbox_policy_holds(const struct sandbox *s, char *why, size_t size);

#endif
