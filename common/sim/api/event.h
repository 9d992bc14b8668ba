/* SPDX-License-Identifier: MIT */
/* event.h - handles of events and the numbers behind them. */
#ifndef SIM_API_EVENT_H
#define SIM_API_EVENT_H

#include "sim/api/api_call.h"

/* Destroys all that the program made. */
void events_reset(int device);

#endif
