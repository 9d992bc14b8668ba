#!/bin/bash
# SPDX-License-Identifier: MIT
# The same seed gives the same bytes; any seed gives the same verdict.
. tests/grader/tap.bash

same_bytes() {
    for run in 1 2 3 4 5; do
        grade --seed 12345 --json "$dir/v$run.json" --trace "$dir/t$run.json" 01 "$dir/x.cu"
        cp "$dir/out" "$dir/out$run"
    done
    for run in 2 3 4 5; do
        cmp "$dir/out1" "$dir/out$run" && cmp "$dir/v1.json" "$dir/v$run.json" && cmp "$dir/t1.json" "$dir/t$run.json" \
            || return 1
    done
}
cp "$solution" "$dir/x.cu"
ok "a good answer: five runs, report, JSON and trace alike" same_bytes
insert overlap '    CHECK(cudaDeviceSynchronize()); host_work(1000);'
ok "a wrong answer: likewise" same_bytes
insert errors '    *(volatile int *)16 = 1;'
ok "a crash: likewise" same_bytes

verdicts() {
    for seed in 1 2 3 99999999999; do
        grade --seed $seed --json - 01 "$dir/x.cu"
        grep -E '"(id|outcome|status|points)"' "$dir/out" | md5sum
    done | sort -u | wc -l
}
cp "$solution" "$dir/x.cu"
ok "any seed gives a good answer the same verdict" [ "$(verdicts)" = 1 ]
insert overlap '    CHECK(cudaDeviceSynchronize()); host_work(1000);'
ok "and a wrong one" [ "$(verdicts)" = 1 ]

cp "$solution" "$dir/x.cu"
grade --json "$dir/a.json" --seed 77 01 "$dir/x.cu"
SEED=77 grade --json "$dir/b.json" 01 "$dir/x.cu"
ok "SEED= says the same as --seed" cmp "$dir/a.json" "$dir/b.json"
grade 01 "$dir/x.cu"
first=$(grep -o 'SEED=[0-9]*' "$dir/out")
grade 01 "$dir/x.cu"
ok "without a seed each run has a fresh one" [ "$first" != "$(grep -o 'SEED=[0-9]*' "$dir/out")" ]
grade --seed 9223372036854775807 --json - 01 "$dir/x.cu"
ok "the largest seed is written exactly" says '"seed": 9223372036854775807'
# The run in other turns: there the device gets further than in the replay.
grade --card strangers --seed 206 07 tests/styles/07-callbacks/worker.cu
ok "a run in other turns whose times do not come out says nothing" says "passed: 100 of 100 points"
done_testing
