// SPDX-License-Identifier: MIT
// Calls the simulator's own log.
// expects: refused
// says: calls log_write, which is not an exercise's to call
//@ top
extern "C" void log_write(void *, const void *, const void *);
//@ in overlap
    if (n < 0) log_write(nullptr, nullptr, nullptr);
