// SPDX-License-Identifier: MIT
// A write() of its own, which the simulator would call instead of the C library's.
// expects: refused
// says: write
//@ top
#include <sys/types.h>
#include <cstddef>
extern "C" ssize_t write(int, const void *, size_t count) { return (ssize_t)count; }
