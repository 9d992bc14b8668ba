#!/bin/bash
# SPDX-License-Identifier: MIT
#
# Lesson 10's program for builds without CUDA is one: a C++ compiler alone, and no header of ours.
. tests/tap.bash
run g++ -Wall -Wextra -DHOST_ONLY -x c++ -o "$dir/without" lessons/10-synced-memory/demos/without.cu
ok "lesson 10's without.cu builds with no CUDA" ends 0
run "$dir/without"
ok "it works on the host, and says where it needs a device" eval 'ends 1 && says "on the host: 1" && says "built without CUDA: cudaMalloc"'
done_testing
