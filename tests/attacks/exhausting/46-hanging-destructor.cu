// SPDX-License-Identifier: MIT
// Hangs in a destructor when all is done: that costs no point.
// expects: passed
// says: all parts were done, and all checks passed; then
//@ top
struct hangs { ~hangs() { for (volatile int spin = 1; spin;) { } } };
static hangs at_the_end;
