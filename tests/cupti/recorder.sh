#!/bin/bash
# SPDX-License-Identifier: MIT
# The recorder with a driver and a CUPTI that are made up (fake/), compiled with headers alone.
. tests/tap.bash
here=tests/cupti/fake
cc="${CC:-gcc} -std=c11 -D_GNU_SOURCE -Wall -Wextra -Werror -O1 -g -Icommon -Icommon/sim/include -I$here"

trace=(common/trace/record/{call,log,authenticated_log,timeline,memory,memory_hosted}.c)
build() {
    $cc -fPIC -shared -fvisibility=hidden -Wl,-z,defs -o "$dir/librecorder.so" common/cupti/*.c "${trace[@]}" -ldl -lpthread &&
        $cc -fPIC -shared -Wl,-soname,libcuda.so.1 -o "$dir/libcuda.so.1" $here/fake.c &&
        $cc -o "$dir/program" $here/{program,read_log}.c -Wl,--no-as-needed "$dir/libcuda.so.1" build/lib/libtrace.a -lstdc++ -ldl -lpthread
}
run build
ok "the recorder is built with headers alone" ends 0

export LD_LIBRARY_PATH=$dir CUDA_INJECTION64_PATH=$dir/librecorder.so WORKBOOK_CUPTI=$dir/libcuda.so.1
# play SCENE: what its log says is in $dir/out; status in $status.
play() {
    { WORKBOOK_LOG=3 "$dir/program" "$1" 3> "$dir/log" 2> "$dir/err"; } 2> /dev/null
    status=$?
    "$dir/program" read < "$dir/log" > "$dir/out"
    cat "$dir/err" >> "$dir/out"
}
has_line() { grep -qxF -- "$1" "$dir/out"; }
no_line() { ! grep -qF -- "$1" "$dir/out"; }
# Lines stand in this order, others between them or not.
in_order() {
    local line at=0 next
    for line; do
        next=$(tail -n +$((at + 1)) "$dir/out" | grep -nxF -m 1 -- "$line" | cut -d: -f1)
        [ -n "$next" ] || return 1
        at=$((at + next))
    done
}

WORKBOOK_INPUT=9 WORKBOOK_OUTPUT=9 play pipeline
ok "the program ends as it would" [ "$status" = 3 ]
ok "calls are in the order in which they were made" in_order "part a" "allocate cudaMalloc 1000 bytes no to device" \
    "stream create cudaStreamCreateWithFlags" "event create cudaEventCreateWithFlags" "event record cudaEventRecord in 1" \
    "stream wait cudaStreamWaitEvent in 2" "host function cudaLaunchHostFunc in 2" \
    "stream synchronize cudaStreamSynchronize in 2" "free cudaFree 1000 bytes no to device" "part" "exit status 3"
ok "a call stands where the program said" has_line "copy cudaMemcpyAsync at work/06.cu:12 in 1 1000 bytes pinned to device"
ok "a launch stands where its errors are asked for, by its own name" has_line "launch work at work/06.cu:14 in 1"
ok "stream 0 is the thread's own where the program was built so" has_line "copy cudaMemcpyAsync in 3 1000 bytes device to pageable"
ok "what the device did belongs to its call" in_order "ran of 7 1000 bytes pinned to device" "ran of 8" "ran of 14 1000 bytes pinned to device"
ok "a host function ran" has_line "ran of 12"
ok "what no call caused is left out" [ "$(grep -c ^ran "$dir/out")" = 4 ]
ok "the log is whole" has_line "whole"

play graph
ok "what a stream captures is no work" no_line "launch work"
ok "whatever it is" in_order "call cudaMemset2DAsync 64 bytes no to device" "call cudaStreamEndCapture graph 0x8000"
ok "a graph's nodes come after those that they wait for" in_order "graph launch cudaGraphLaunch in 1" "launch in_graph in 1" \
    "graph edge in 1" "memset cudaMemsetAsync in 1 400 bytes no to pageable" "graph edge in 1" \
    "host function cudaLaunchHostFunc in 1" "graph end cudaGraphLaunch in 1"
ok "after an update its nodes are those of the newer graph" in_order "memset cudaMemsetAsync in 1 400 bytes no to pageable" \
    "call cudaGraphExecUpdate" "graph launch cudaGraphLaunch in 1" "memset cudaMemsetAsync in 1 200 bytes no to pageable"
ok "a graph that is made and given back is known by its handle" in_order "call cudaStreamEndCapture graph 0x8000" \
    "call cudaGraphInstantiate graph 0x7000" "call cudaGraphExecDestroy graph 0x7000" "call cudaGraphDestroy graph 0x8000"
ok "each launch's nodes ran when they did" [ "$(grep -c '^ran' "$dir/out")" = 6 ]
ok "and the log is whole" has_line "whole"

play graph_in_graph
ok "a graph inside a graph runs where its node is" in_order "graph launch cudaGraphLaunch in 1" "launch in_graph in 1" \
    "graph edge in 1" "launch in_graph in 1" "graph edge in 1" "memset cudaMemsetAsync in 1 400 bytes no to pageable" \
    "graph edge in 1" "host function cudaLaunchHostFunc in 1" "empty node in 1" "graph edge in 1" "launch in_graph in 1" \
    "graph end cudaGraphLaunch in 1"
ok "and what ran of it is known" [ "$(grep -c '^ran of' "$dir/out")" = 5 ]
ok "and nothing is lost" has_line "whole"

play lent_again
ok "what is given back is so before another thread is lent it" in_order "allocate cudaMallocAsync 1000 bytes no to device" \
    "free cudaFreeAsync 1000 bytes no to device" "allocate cudaMallocAsync 64 bytes no to device by 1" \
    "call cudaFreeAsync 64 bytes no to device status 1" "free cudaFreeAsync 64 bytes no to device"

play threads
ok "a wait is before what another thread queues meanwhile" in_order "stream synchronize cudaStreamSynchronize in 1" \
    "launch work in 1 by 1" "whole"

# By the clock: a flush may lose the processor, two in a row hardly do.
flushes() { sed -n 's/^flushes: //p' "$dir/out"; }
play quick_flushes
ok "what the device did is taken at each wait" [ "$(flushes)" -ge 25 ]
play slow_flushes
ok "where that takes long it is put off" [ "$(flushes)" -le 2 ]

play busy_flushes
ok "and where work is under way" [ "$(flushes)" -le 2 ]
play event_flushes
ok "but not where an event was the last of it" [ "$(flushes)" -ge 25 ]

play polling
ok "who asks again and again asks once for long, and is told once" [ "$(grep -c '^stream query' "$dir/out")" = 3 ]
ok "and works in between" in_order "stream query cudaStreamQuery status 600" "host work host_work" \
    "stream query cudaStreamQuery status 600" "stream query cudaStreamQuery" "whole"

play peers
ok "copies between devices are asked for when there are some" [ "$(grep -c '^ran of .* 1000 bytes' "$dir/out")" = 1 ]
play managed_peers
ok "but not where there is managed memory" [ "$(grep -c '^ran of' "$dir/out")" = 0 ]

play pages
ok "a prefetch's pages are its own" in_order "ran of 4 4096 bytes managed to device" "whole"
ok "those that the driver moves for others are not" [ "$(grep -c '^ran of 4' "$dir/out")" = 1 ]
ok "faults of a kernel are told batch by batch, also where they move nothing" [ "$(grep -c '^migration no to device$' "$dir/out")" = 2 ]

play fault
ok "what the driver moves for one fault of a kernel is one move, what comes by itself another" \
    in_order "migration 8192 bytes no to device" "migration 65536 bytes no to device" "migration no to device" "whole"
ok "and so for the host's" in_order "migration 65536 bytes no to pageable" "migration 4096 bytes no to pageable" "whole"
ok "and that is all" [ "$(grep -c '^migration' "$dir/out")" = 5 ]

play reset
ok "what ran before a reset is told" in_order "ran of 4" "whole"

play faulting
ok "a device that is lost takes nothing with it that ran before" in_order "ran of 4" "exit status 3" "whole"

play failing
ok "a call that failed is told with its status, and reported" in_order "call cudaMalloc status 2" \
    "report cudaMalloc(&p, 1) at work/06.cu:3 status 2: cudaErrorMemoryAllocation: out of memory" "exit status 1"

for scene in dropped timeless missing leaving killed; do
    play $scene 2> /dev/null
    ok "$scene: not whole, and it says why" eval '! has_line whole && [ -n "$(tail -n 1 "$dir/out")" ]'
done
play dropped
ok "dropped records are counted" has_line "lost: CUPTI dropped 3 records of what the device did"

FAKE_TAKEN=1 play nothing
ok "another profiler has CUPTI: the program runs, and the log says so" in_order \
    "lost: CUPTI is not to be had (another profiler?): CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED" "exit status 3"
WORKBOOK_CUPTI=/nowhere LD_LIBRARY_PATH=$dir play nothing
if ldconfig -p 2> /dev/null | grep -q libcupti; then
    skip "no CUPTI" "there is one"
else
    ok "no CUPTI: the program runs, and the log says so" in_order "lost: the recorder lacks libcupti.so" "exit status 3"
fi
export WORKBOOK_KEY=00112233445566778899aabbccddeeff
WORKBOOK_INPUT=9 WORKBOOK_OUTPUT=9 play pipeline
ok "with a key the log is sealed, and can be read with it" in_order "launch work at work/06.cu:14 in 1" "ran of 8" "whole"
ok "the key is gone from the environment of the program" in_order "key: gone"
cp "$dir/log" "$dir/sealed"
WORKBOOK_KEY= "$dir/program" read < "$dir/sealed" > "$dir/out"
ok "without it nothing can be read" eval '! has_line whole && no_line "launch"'
WORKBOOK_KEY=10112233445566778899aabbccddeeff "$dir/program" read < "$dir/sealed" > "$dir/out"
ok "nor with another" eval 'has_line "something else wrote into it" && no_line "launch"'
WORKBOOK_INPUT=9 WORKBOOK_OUTPUT=9 play meddling
ok "what the program writes there itself is no call, and is seen" eval 'has_line "something else wrote into it" && no_line "forged"'
unset WORKBOOK_KEY
unset WORKBOOK_LOG
run "$dir/program" nothing
ok "where nobody reads, nothing is written" ends 3
done_testing
