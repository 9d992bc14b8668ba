/* SPDX-License-Identifier: MIT */
/* builtin_types.h - all types of the runtime. */
#ifndef __BUILTIN_TYPES_H__
#define __BUILTIN_TYPES_H__

#include "device_types.h"
#include "driver_types.h"
#include "graph_types.h"
#include "vector_types.h"

#endif
