// SPDX-License-Identifier: MIT
// Asks the compiler for a plugin and for other specs, in pragmas. It heeds neither.
// expects: passed, did not build
//@ top
#pragma GCC optimize("fplugin=/tmp/plugin.so")
#pragma GCC optimize("-specs=/tmp/specs")
#pragma GCC optimize("wrapper=/tmp/wrapper")
