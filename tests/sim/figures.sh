#!/bin/bash
# SPDX-License-Identifier: MIT
# What was measured on an H200, beside what the simulator takes for it.
. tests/sim/sim.bash
. tests/sim/rules.bash
run_rules tests/sim/figures --hazards calls
