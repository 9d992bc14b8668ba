/* SPDX-License-Identifier: MIT */
/* event.h - handles of events and the numbers behind them. */
#ifndef SIM_EVENT_H
#define SIM_EVENT_H

#include "entry.h"

/* Destroys all that the program made. */
void events_forget(int device);

#endif
