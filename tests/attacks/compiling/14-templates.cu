// SPDX-License-Identifier: MIT
// Templates without an end, and wide ones.
// expects: did not build
//@ top
template <int n, int m> struct bomb { enum { value = bomb<n - 1, m>::value + bomb<n - 1, m + 1>::value }; };
template <int m> struct bomb<0, m> { enum { value = m }; };
enum { boom = bomb<800, 0>::value };
