/* SPDX-License-Identifier: MIT */
/* scan.h - what the toolkit's header of this name has is all in the one outside. */
#ifndef _CG_SCAN_H_
#define _CG_SCAN_H_

#include "../scan.h"

#endif
