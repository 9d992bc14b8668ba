// SPDX-License-Identifier: MIT
// Brings functions and variables that are called as the simulator's inner ones: they are its own, and nothing else.
// expects: passed
//@ top
extern "C" __attribute__((used)) void note(const void *) { __builtin_trap(); }
extern "C" __attribute__((used)) void log_write(void *, const void *, const void *) { __builtin_trap(); }
__attribute__((used)) int real, block, graphs;
