/* SPDX-License-Identifier: MIT */
/* nvToolsExtCuda.h - names of streams and events, which timelines here number. */
#include "nvToolsExt.h"
