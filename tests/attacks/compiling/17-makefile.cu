// SPDX-License-Identifier: MIT
// Hands in makefiles beside a solution: the test puts them there.
// expects: passed
