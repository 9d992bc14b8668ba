/* SPDX-License-Identifier: MIT */
/* chains.h - judges of lesson 06's part d: 32 chains of three kernels. */
#ifndef CHAINS_H
#define CHAINS_H

#include "grader/check.h"

bool chains_order(const struct evidence *e, struct finding *f, const char *part);
bool chains_wait(const struct evidence *e, struct finding *f, const char *part);
bool chains_output(const struct evidence *e, struct finding *f, const char *part);
bool chains_work(const struct evidence *e, struct finding *f, const char *part);
bool chains_width(const struct evidence *e, struct finding *f, const char *part);

#endif
