// SPDX-License-Identifier: MIT
// Ends the part that is judged, to go on unwatched.
// expects: refused
// says: calls driver_part, which is not an exercise's to call
//@ top
extern "C" void driver_part(const char *);
//@ in overlap
    driver_part(nullptr);
