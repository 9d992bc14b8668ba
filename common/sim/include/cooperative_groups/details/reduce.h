/* SPDX-License-Identifier: MIT */
/* reduce.h - what the toolkit's header of this name has is all in the one outside. */
#ifndef _CG_REDUCE_H_
#define _CG_REDUCE_H_

#include "../reduce.h"

#endif
