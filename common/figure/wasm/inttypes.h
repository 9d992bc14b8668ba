/* SPDX-License-Identifier: MIT */
/* inttypes.h - see stdio.h. */
#ifndef FIGURE_WASM_INTTYPES_H
#define FIGURE_WASM_INTTYPES_H

#include <stdint.h>

#define PRIu32 "u"
#define PRIx32 "x"
#define PRIu64 "llu"

#endif
