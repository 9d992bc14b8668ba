/* SPDX-License-Identifier: MIT */
#include "sim/race/seen/open_run.h"

__thread struct open_runs open_runs;
