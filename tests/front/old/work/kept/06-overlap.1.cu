// SPDX-License-Identifier: MIT
// The first attempt, put aside by make reset06.
