/* SPDX-License-Identifier: MIT */
/* abandoned.h - work of the device that nothing had waited for when the program ended. */
#ifndef SIM_RACE_ABANDONED_H
#define SIM_RACE_ABANDONED_H

#include <stdbool.h>

/* A host function is queued or runs. */
bool abandoned_functions(void);
/* Says which operation was the first of those, and of how many. */
void abandoned_tell(void);

#endif
