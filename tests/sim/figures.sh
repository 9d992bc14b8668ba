#!/bin/bash
# SPDX-License-Identifier: MIT
# What was measured on an H200, beside what the simulator takes for it.
set -u
source tests/sim/rules.bash
run_rules tests/sim/figures
