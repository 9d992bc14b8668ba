// SPDX-License-Identifier: MIT
// Asks the compiler for a plugin, for other specs and for a wrapper, in pragmas. This file is there, and is none of them: a compiler
// that heeded one of the pragmas would say so and build nothing.
// expects: passed
//@ top
#pragma GCC optimize("fplugin=/submission/01-sync-vs-async.cu")
#pragma GCC optimize("-fplugin=/submission/01-sync-vs-async.cu")
#pragma GCC optimize("-specs=/submission/01-sync-vs-async.cu")
#pragma GCC optimize("wrapper=/submission/01-sync-vs-async.cu")
