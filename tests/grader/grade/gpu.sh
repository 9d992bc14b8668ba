#!/bin/bash
# SPDX-License-Identifier: MIT
# Judging on a GPU, with a toolkit that is made up (toolkit/): what the card does is what the simulator says, but for
# what is made to go wrong.
. tests/grader/tap.bash
unset BACKEND NVCC RECORDER GPU_FOLDER

toolkit=$dir/bin
mkdir "$toolkit" "$dir/gpu" && cp tests/grader/toolkit/nvcc "$toolkit" && echo "$root" > "$toolkit/root"
: > "$dir/recorder.so"
export NVCC=$toolkit/nvcc GPU_FOLDER=$dir/gpu RECORDER=$dir/recorder.so
goals=("$GPU_FOLDER"/{card,streams.o,driver.o,02-stream-queues/reference,04-default-stream/reference,06-overlap/reference})
made() { make -s BACKEND=both "${goals[@]}" > "$dir/out" 2>&1 && ls "${goals[@]}" > /dev/null; }
ok "make builds with nvcc what a GPU needs" made
again() { make BACKEND=both "${goals[@]}" 2>&1 | grep -q NVCC; }
ok "and nothing twice" not again

wish() { echo "$*" > "$toolkit/wish"; }
# What is told, and the verdict in $dir/v.json.
on_both() { grade --backend both --seed 1 --json "$dir/v.json" "$@"; }
passes_on_both() { ends 0 && says_wrapped "Judged on the NVIDIA H200 (real) of this machine as well, in 1 pair of runs"; }
falls_back() { ends 0 && says_wrapped "Judged on the simulator alone: $1"; }

wish
on_both --compare "$dir/compared" 06 solutions/06-overlap.cu
ok "a good answer passes on both" passes_on_both
ok "and the report names both" says_wrapped "on NVIDIA H200 (simulator) and NVIDIA H200 (real), seed 1"
ok "what both say can be compared, and how long each part took" eval 'ends 0 && [ "$(grep -c "^a-busy	overlap	passed	passed	-" "$dir/compared")" = 1 ] &&
    [ "$(awk -F "\t" "\$1 == \"part\" && \$3 > 100000 && \$4 == \$7 && \$5 > 300 && \$6 > 100000 && \$8 > 300" "$dir/compared" | wc -l)" = 4 ]'
seen_on() { python3 -c 'import json, sys
v = json.load(open(sys.argv[1]))
c = {c["id"]: c for c in v["checks"]}[sys.argv[2]]
sys.exit(not (v["backend"] == sys.argv[3] and c["outcome"] == sys.argv[4] and ",".join(c["seen_on"]) == sys.argv[5]))' "$dir/v.json" "$@"; }
ok "JSON says of each check where it was seen" seen_on a-busy both passed simulator,cuda
ok "and of one that is the simulator's that it is" seen_on a-hazard both passed simulator
BACKEND=cuda grade --seed 1 --json "$dir/v.json" 06 solutions/06-overlap.cu
ok "the card judges what it can be asked, the simulator the rest" seen_on a-hazard both passed simulator
grade --backend sim --seed 1 06 solutions/06-overlap.cu
ok "the simulator alone, too" says_not "(real)"
on_both 06 "$(wrong 06-overlap/missing-wait)"
ok "a wrong answer is found wanting on both" python3 -c 'import json, sys
v = json.load(open(sys.argv[1]))
failed = [c for c in v["checks"] if c["outcome"] == "failed"]
sys.exit(not (failed and all(c["kind"] == "hazard" or c["seen_on"] == ["simulator", "cuda"] for c in failed)))' "$dir/v.json"

{ echo '#include <cuda.h>'; sed 's,cudaStreamSynchronize(t->stream),cuCtxSynchronize(),' solutions/02-stream-queues.cu; } > "$dir/driver-api.cu"
on_both 02 "$dir/driver-api.cu"
ok "what the driver API waits for is in no record, and the order for the simulator to judge" passes_on_both
sed -e '/#include "lesson.h"/a #include <thread>' -e 's,CHECK(cudaStreamSynchronize(t->stream));,std::thread([t] { CHECK(cudaStreamSynchronize(t->stream)); }).join();,' \
    solutions/02-stream-queues.cu > "$dir/thread.cu"
on_both 02 "$dir/thread.cu"
ok "nor is what one thread knows from another" passes_on_both
ok "which is for the simulator to judge, too" seen_on a-order both passed simulator
on_both 04 solutions/04-default-stream.cu
ok "what ends is the driver's own thread where the program makes none: then the card is asked" seen_on b-wait both passed simulator,cuda
tests/edit show tests/styles/04-default-stream/joins-a-thread.diff > "$dir/joins.cu"
on_both 04 "$dir/joins.cu"
ok "and where it makes some, the simulator alone" seen_on b-wait both passed simulator
makes_threads() { grep -E 'std::(j?thread|async)|pthread_create' solutions/*.cu; }
ok "no solution makes any (judge.c counts on it)" not makes_threads
wish serial
on_both 06 solutions/06-overlap.cu
ok "what fails on the card alone is looked at again and says where it was seen" \
    eval 'ends 1 && says "on card   NVIDIA H200 (real)" && says_wrapped "in 3 pairs of runs"'
ok "JSON, too" seen_on d-order both failed cuda

wish lost
on_both 06 solutions/06-overlap.cu
ok "nothing is judged on a record that lost something" falls_back "the card's record cannot be judged: the recorder lost something: some records."
wish gap
on_both 06 solutions/06-overlap.cu
ok "or that has gaps" falls_back "the card's record cannot be judged: the record has no times for"
wish unended
on_both 06 solutions/06-overlap.cu
ok "or that breaks off" falls_back "the card's record cannot be judged: the record breaks off before the program's end."
wish other
on_both 06 solutions/06-overlap.cu
ok "another card is judged by its own reference" says_wrapped "and NVIDIA Some Card (real)"

wish crash
on_both 06 solutions/06-overlap.cu
ok "a crash on the card alone is a crash" eval 'ends 1 && says "crashed" && says "on the card NVIDIA H200 (real)"'
on_both 06 "$(wrong 06-overlap/missing-wait)"
ok "where the simulator found the mistake, that is told" eval \
    'ends 1 && says_not "crashed" && says_wrapped "the program does not finish, and what failed here may be why" && says FAIL'

wish "card:CUDA driver version is insufficient for CUDA runtime version"
on_both 06 solutions/06-overlap.cu
ok "a driver that is too old: a sentence, and the simulator" falls_back "the driver is missing, or older than the CUDA toolkit"
wish "card:out of memory"
on_both 06 solutions/06-overlap.cu
ok "a card with no memory left" falls_back "the GPU has no memory left"
wish "card:CUDA-capable device(s) is/are busy or unavailable"
on_both 06 solutions/06-overlap.cu
ok "a card that somebody has to himself" falls_back "another process has the GPU to itself"
wish "card:something new"
on_both 06 solutions/06-overlap.cu
ok "what we know nothing of is told as it is" falls_back "the GPU cannot be used: something new."
BACKEND=cuda grade 06 solutions/06-overlap.cu
ok "where the card alone was asked for, it is the environment's trouble" trouble "the GPU cannot be used: something new (BACKEND=sim judges on the simulator)"
wish silent
on_both 06 solutions/06-overlap.cu
ok "a look at it that ends without a word is told" falls_back "the GPU cannot be used: asking it ends with signal 11, without a message."
NV_TPS_LAUNCH_TOKEN=1 on_both 06 solutions/06-overlap.cu
ok "and under another profiler, who that is" falls_back "another profiler is attached (NV_TPS_LAUNCH_TOKEN), and keeps the GPU from being recorded: start this without it."
wish strict
cp solutions/06-overlap.cu "$dir/mine.cu"
on_both 06 "$dir/mine.cu"
ok "what nvcc does not take did not build" eval 'ends 1 && says "nvcc knows better" && says "did not build"'

wish
mv "$GPU_FOLDER/06-overlap/reference" "$dir/aside"
printf '#!/bin/sh\nexit 5\n' > "$GPU_FOLDER/06-overlap/reference" && chmod +x "$GPU_FOLDER/06-overlap/reference"
on_both 06 solutions/06-overlap.cu
ok "a reference that fails there is told, in one sentence" \
    falls_back "the reference solution failed there: The program exited before its first part, with exit status 5. "
says_of_sharing="Two processes cannot share the GPU's memory: cudaIpcOpenMemHandle: OS call failed or operation not supported on this OS"
printf '#!/bin/sh\necho "%s" >&2\nexit 2\n' "$says_of_sharing" > "$GPU_FOLDER/06-overlap/reference"
on_both 06 solutions/06-overlap.cu
ok "so is a machine whose processes cannot share memory" falls_back "two processes cannot share the GPU's memory here: a container may forbid it"
mv -f "$dir/aside" "$GPU_FOLDER/06-overlap/reference"

grade --run --backend both --seed 1 06 solutions/06-overlap.cu
ok "where nothing is to be judged it runs on the card" eval \
    'ends 0 && says_wrapped "Run on the NVIDIA H200 (real) of this machine (BACKEND=sim: on the simulator)." && says "D2H copy" && says_not points'
grade --run --backend sim --seed 1 06 solutions/06-overlap.cu
ok "or not, if one says so" eval 'ends 0 && says "(simulator)" && says_not "(real)"'
wish crash
BACKEND=cuda grade --run 06 solutions/06-overlap.cu
ok "and its crash there is told" eval 'ends 1 && says "crashed"'
wish "card:out of memory"
grade --run --backend both 06 solutions/06-overlap.cu
ok "what stands in the way is a sentence there, too, and the simulator runs it" eval \
    'ends 0 && says_wrapped "Run on the simulator alone: the GPU has no memory left" && says "D2H copy"'
BACKEND=cuda grade --run 06 solutions/06-overlap.cu
ok "or the environment's trouble, if the card alone was asked for" trouble "(BACKEND=sim runs it on the simulator)"
wish strict
grade --run --backend both 06 "$dir/mine.cu"
ok "and what nvcc does not take is not run" eval 'ends 1 && says "nvcc knows better" && says_not "D2H copy"'

wish
awk '{ print } /^void pipeline/ { infn = 1 } infn && /^\{/ { print "    for (volatile int i = 0; ; i = i) ;"; infn = 0 }' \
    solutions/06-overlap.cu > "$dir/endless.cu"
on_both --time-limit 1 06 "$dir/endless.cu"
ok "what does not end on the simulator is not tried on the card" eval 'ends 1 && says_wrapped "It was not run on this machine"'

wish broken
rm -rf "${GPU_FOLDER:?}"/*
goes_on() { make -s BACKEND=both "${goals[@]}" > "$dir/out" 2>&1 && [ -e "$GPU_FOLDER/card.trouble" ]; }
ok "make goes on without what nvcc cannot make" goes_on
on_both 06 solutions/06-overlap.cu
ok "and the report says why" falls_back "there is no card: nvcc fatal"
NVCC=/nowhere/nvcc on_both 06 solutions/06-overlap.cu
ok "no nvcc: how to get one" falls_back "there is no nvcc. Put the CUDA toolkit's bin folder into PATH"
NVCC=/nowhere/nvcc grade --backend cuda 06 solutions/06-overlap.cu
ok "which is the environment's trouble where there has to be one" trouble "there is no nvcc"
grade --backend cheese 06 solutions/06-overlap.cu
ok "what is no backend is refused" trouble "BACKEND wants sim, cuda or both, not 'cheese'"
ok "nothing is left behind" left_nothing
done_testing
