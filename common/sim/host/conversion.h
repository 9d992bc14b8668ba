/* SPDX-License-Identifier: MIT */
/* conversion.h - kernels' conversions to integers that have no room for the number. */
#ifndef SIM_HOST_CONVERSION_H
#define SIM_HOST_CONVERSION_H

/* An address just past the first such conversion since the last call; NULL: there was none. */
const void *conversion_without_room(void);

#endif
