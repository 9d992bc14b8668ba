/* SPDX-License-Identifier: MIT */
/* launch_attributes.h - what launches and streams are given beside their shape. */
#ifndef SIM_API_LAUNCH_ATTRIBUTES_H
#define SIM_API_LAUNCH_ATTRIBUTES_H

#include <stdbool.h>
#include <stdint.h>

/* The stream's priority; true if it is another than the stream was made with, perhaps: launches have to name it. */
bool stream_has_own_priority(uint32_t stream, int *priority);

#endif
