#!/bin/bash
# SPDX-License-Identifier: MIT
#
# What some wrong answers are told, and at which line: the mistake's, and not that of what came of it.
. tests/grader/tap.bash

# line ANSWER (NN-name/NAME) SOURCE SAYS: the verdict with seed 3 looks at a line that has SOURCE in it, and says SAYS.
line() {
    local file=${1//\//-}.cu source=$2 said=$3 where
    wrong "$1" > /dev/null
    grade --seed 3 "${1%%-*}" "$dir/$file"
    where=$(tr -s '\n ' ' ' < "$dir/out" | grep -oP "where \S*\Q$file\E:\K[0-9]+" | head -1)
    ok "$1: $2" eval '[ "$where" ] && sed -n "${where}p" "$dir/$file" | grep -qF -- "$source" && says_wrapped "$said"'
}

line 05-implicit-sync/answers-from-a-table 'SUBJECTS' "make_call() makes the call, once for each subject"
line 06-overlap/b-kernel-in-the-next-stream '[(k + 1) % STREAMS]' "but in another stream, which does not wait for that copy"
line 06-overlap/c-waits-for-the-kernels-stream 'cudaStreamSynchronize(' "which nothing waits for here: each stream needs"
line 06-overlap/c-one-chunk-without-a-kernel 'brighten<<<' "For 7 copies in there are 6 launches of brighten()"
line 06-overlap/chains-depth-first 'chain_step<<<' "32 streams share 8 hardware queues"
line 06-overlap/lost-tail 'for (' "has to take what is left. Line"
line 06-overlap/depth-in-pipeline 'cudaMemcpyAsync(device + first' "waits for its kernel, and holds up this copy in"
line 06-overlap/host-mends 'out[first[k] - 1] =' "the host has nothing to compute"
line 06-overlap/many-chunks 'pipeline(' "Take fewer and larger chunks"
line 07-callbacks/one-too-many 'fill(' "So the count of empty slots began at 4 or more"
line 07-callbacks/c-one-inbox 'cudaMemcpyAsync' "Batch k goes to f->inbox[f->to[k]]"
line 07-callbacks/waits-in-begin 'Synchronize' "let its stream wait for the event, with cudaStreamWaitEvent(), and not the host"
line 07-callbacks/frees-before-it-reads 'finish(*' "Read the number first, and free its memory after that"
line 07-callbacks/waits-for-work-alone 'cudaStreamSynchronize(' "which nothing waits for here: each stream needs"
line 07-callbacks/c-copies-first 'cudaMemcpyAsync' "queue the copy of the same slot after it"
line 07-callbacks/worker-one-too-early 'finish(c)' "A function is queued that can wake it"
line 07-callbacks/absorbs-the-slot 'absorb<<<' "Pass the inbox"
line 07-callbacks/function-works 'host_work(' "this one works or sleeps"
line 08-priorities/counts-of-one-card 'count = 6' "6 is no such number here"
line 08-priorities/returns-the-wish 'cudaStreamGetPriority' 'and not `wish`'
line 08-priorities/hands-out-first 'hand_out(&r)' "was handed out before the copy of its answer was queued"
line 08-priorities/answers-twice 'cudaMemcpyAsync(r->out' "had come home before"
line 08-priorities/ends-with-the-requests 'while (' "Does the loop end when all requests are answered?"
line 08-priorities/whole-patience-twice 'b->item_ns' "two launches of the batch were queued but not done, and each takes"
line 08-priorities/no-setup 'b->item_ns' "Is the set-up taken off half of b->patience_ns"
line 08-priorities/ends-with-the-batch 'while (first < b->items)' "Does the loop end when the last item is queued?"
line 08-priorities/leaves-the-question-to-answer 'grind<<<' "on card Tesla K20c"
line 09-unified-memory/reads-the-readings 'take_results(in' "the array that put_readings() got"
line 09-unified-memory/last-steer-left-out 'gain = steer(' "steer() is called once in each round"
line 09-unified-memory/forgets-the-gain 'steer(' "All 4 rounds had the gain of the first"
line 09-unified-memory/plate-home-at-the-end 'cudaCpuDeviceId' "Leave this prefetch out"
line 09-unified-memory/pinned-instead 'cudaMallocHost' "is pinned host memory"
line 09-unified-memory/works-on-a-copy 'cudaMemcpy(plate, p->cell' "prefetch p->cell, and give it to step() and collect()"
line 14-capstone/copies-elements 'room, n, cuda' "A size is in bytes"
line 14-capstone/b-passes-less 'pass<<<' "Each call of archive_retouch()"
line 15-dependent-launches/if-in-place-of-while 'add_graph_node(' "An If runs its body once"
line 14-capstone/one-x-for-all 'cudaMemcpyAsync(s->x, room' "to the place to which frame 0 was brought"
line 14-capstone/b-shows-the-old 'cudaGraphLaunch' "no copy brings it there in between"
line 14-capstone/b-sends-the-edited-too-late 'return s->host' "the newest version is at the host alone"
line 15-dependent-launches/audits-the-next-row 'tap + 1, tally' "which layer"
line 15-dependent-launches/takes-before-it-offers 'merge<<<' "Launch the one that calls offer() first"
line 16-green-contexts/looks-at-the-request-alone 'l->request_due_ns' "Return a count only if both promises hold"
line 17-two-processes/examines-in-the-default-stream 'examine<<<' "examine() is in the default stream"
line 17-two-processes/full-for-both '&r->empty[k], o->full[k]' 'makes r->empty[k] stand for the event'
done_testing
