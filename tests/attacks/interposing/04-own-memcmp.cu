// SPDX-License-Identifier: MIT
// Brings a memcmp that finds everything equal.
// expects: refused
// says: defines memcmp, which the runtime itself calls
//@ top
#include <cstddef>
extern "C" int memcmp(const void *, const void *, size_t) noexcept { return 0; }
