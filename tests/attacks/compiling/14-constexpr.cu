// SPDX-License-Identifier: MIT
// Lets the compiler count for ever.
// expects: did not build
//@ top
constexpr long count(long n) { long k = 0; for (long i = 0; i < n; i++) k += i * k; return k; }
constexpr long result = count(1l << 60);
static_assert(result != 1, "");
