// SPDX-License-Identifier: MIT
// A CHECK of its own that looks at nothing, and a line that is another file's.
// expects: did not build
//@ top
#undef CHECK
#define CHECK(call) (void)(call)
