#!/bin/bash
# SPDX-License-Identifier: MIT
# What is true of CUDA: on the simulator here, on a real card with `make check-gpu`.
. tests/sim/sim.bash
. tests/sim/rules.bash
run_rules tests/sim/rules --hazards instrumented -Og -g1 -D_GLIBCXX_ASSERTIONS
