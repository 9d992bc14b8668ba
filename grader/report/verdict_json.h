/* SPDX-License-Identifier: MIT */
/* verdict_json.h - the object of report.h, for programs that put it into another one. */
#ifndef GRADER_REPORT_VERDICT_JSON_H
#define GRADER_REPORT_VERDICT_JSON_H

#include <jansson.h>

#include "grader/judge/judge.h"

json_t *verdict_json(const struct verdict *v);

#endif
