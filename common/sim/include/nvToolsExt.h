/* SPDX-License-Identifier: MIT */
/* nvToolsExt.h - where NVTX lay before its third version. */
#include "nvtx3/nvToolsExt.h"
