/* SPDX-License-Identifier: MIT */
/* hazards.h - does a lesson look for hazards? Its submissions are then built and run so that they are seen. */
#ifndef GRADER_HAZARDS_H
#define GRADER_HAZARDS_H

#include "grader/check.h"

bool lesson_seeks_hazards(const struct lesson *lesson);

#endif
