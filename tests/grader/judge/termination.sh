#!/bin/bash
# SPDX-License-Identifier: MIT
# Programs that do not end as they should: the verdict says how, in which part, at which line.
. tests/grader/tap.bash

insert overlap '    for (volatile int spin = 1; spin;) { }'
grade --time-limit 2 --json "$dir/v.json" 01 "$dir/x.cu"
at=$(line_of spin)
ok "an endless loop timed out" eval 'ends 1 && says "timed out: "'
ok "its part and its line are named" says_wrapped "in part b, at $dir/x.cu:$at"
ok "its line is shown" says "$at | for (volatile int spin = 1; spin;) { }"
ok "the part before it is judged" says "PASS"
ok "its own part is not" says_wrapped "not judged: the program ended in this part"
ok "nor the part after it" says_wrapped "not judged: the program ended before this part"
ok "the JSON names the place" eval 'grep -q "\"how\": \"timed out\"" "$dir/v.json" && grep -q "\"line\": $at" "$dir/v.json"'

insert overlap '    while (cudaStreamQuery(0) == cudaSuccess) { }'
grade --time-limit 20 01 "$dir/x.cu"
ok "a loop that makes calls for ever is stopped, with its line" \
    eval 'ends 1 && says "timed out: " && says "x.cu:$(line_of cudaStreamQuery)"'

insert overlap '    sem_t never; sem_init(&never, 0, 0); sem_wait(&never);'
sed -i '1i #include <semaphore.h>' "$dir/x.cu"
grade 01 "$dir/x.cu"
ok "a wait that nobody can end is told as one, and is no leaving"     eval 'ends 1 && says "timed out: " && says_wrapped "The program stands still in part b" && says_wrapped "the main thread waits for a semaphore (after its cudaDeviceSynchronize at driver.cu:" &&
          ! says_wrapped "exit()"'

insert errors '    *(volatile int *)(n_of_nothing() * 8) = 1;'
sed -i '/^enum { THREADS/i static long n_of_nothing(void) { return 2; }' "$dir/x.cu"
grade 01 "$dir/x.cu"
ok "a crash crashed" eval 'ends 1 && says "crashed: "'
ok "its signal, part and line are named" \
    eval 'says SIGSEGV && says_wrapped "in part c, called with other inputs, at $dir/x.cu:$(line_of "n_of_nothing() * 8")"'
ok "the parts before it keep their points" eval '! says "crashed: 0 of"'

insert overlap '    volatile int zero = 0; zero = 7 / zero;'
grade 01 "$dir/x.cu"
ok "a division by 0 is called one" eval 'says SIGFPE && says_wrapped "A whole number is divided there by 0"'

insert overlap '    char *to = nullptr;'$'\n''    memset(to, 0, 8);'
sed -i '1i #include <cstring>' "$dir/x.cu"
grade 01 "$dir/x.cu"
ok "a crash at NULL tells where that pointer was set" \
    eval 'says SIGSEGV && says_wrapped "\`to\` is set in line $(line_of "char *to")."'

sed -e '/^void team_open/i static struct lane lanes[MOST_DEVICES];' -e 's/struct lane \*l = &t->lane\[d\];/struct lane *l = \&lanes[d];/' \
    -e '/^    \/\/< open/i \    for (int d = 0; d < t->count; d++) lanes[d] = t->lane[d];' solutions/12-many-devices.cu > "$dir/x.cu"
grade 12 "$dir/x.cu"
ok "a stream that is another caller's is told as such" \
    eval 'says_wrapped "it was destroyed by cudaStreamDestroy in line $(line_of cudaStreamDestroy)" &&
          says_wrapped "Line $(line_of "(void **)&t->lane[d].x" | { read -r n; echo $((n - 1)); }) made it, and another one, for another caller"'

sed -e 's/^    CHECK(cudaLaunchHostFunc(p->out, finish, s));/    struct place copy = *s; the = p;\n    CHECK(cudaLaunchHostFunc(p->out, finish, \&copy));/' \
    -e 's/sem_post(&s->plant->empty)/sem_post(\&the->empty)/' -e 's/^static void finish/static struct plant *the;\n&/' solutions/14-capstone.cu > "$dir/x.cu"
grade 14 "$dir/x.cu"
ok "a host function that crashes is asked about local variables" \
    eval 'says SIGSEGV && says_wrapped "This function was queued in line $(line_of "&copy"), and it runs later: was it given the address of a local variable"'

sed -e '/^    \/\/> job/a\    static cudaEvent_t done; CHECK(cudaEventCreate(&done));' -e '/^    \/\/< job/i\    CHECK(cudaEventDestroy(done));' \
    solutions/04-default-stream.cu > "$dir/x.cu"
grade 04 "$dir/x.cu"
ok "an event in a variable that all threads share is named as such" \
    eval 'says_wrapped "it was destroyed by cudaEventDestroy in line $(line_of "CHECK(cudaEventDestroy(done))")" &&
          says_wrapped "Another thread did that. Do both threads keep the handle in the same static or global variable?"'

sed -e '/#include "lesson.h"/a #include <cooperative_groups.h>\nstatic __global__ void crowd() { cooperative_groups::this_grid().sync(); }' \
    -e '0,/^    \/\/> /s//    CHECK(cudaLaunchCooperativeKernel((const void *)crowd, BLOCKS_THERE, 1024, nullptr));\n&/' solutions/02-stream-queues.cu > "$dir/all.cu"
sed 's/BLOCKS_THERE/2/' "$dir/all.cu" > "$dir/x.cu"
grade 02 "$dir/x.cu"
ok "threads of a cooperative launch have room" says_wrapped "crowd is in the legacy default stream"
sed 's/BLOCKS_THERE/264/' "$dir/all.cu" > "$dir/x.cu"
grade 02 "$dir/x.cu"
ok "more threads than there is room for are told with their kernel, at its launch" \
    eval 'ends 1 && says_wrapped "at $dir/x.cu:$(line_of "CHECK(cudaLaunchCooperativeKernel")" && says_wrapped "of crowd with 264 blocks of 1024 threads"'

sed 's/how.gridDim = BLOCKS(n)/how.gridDim = n/' solutions/15-dependent-launches.cu > "$dir/x.cu"
grade 15 "$dir/x.cu"
ok "a block for each element has room where dependent launches wait" eval 'says "has BLOCKS(n) blocks"'

sed 's/f->n\[k\] \* sizeof \*scratch, f->stream/f->n[k] * sizeof *scratch \/ 2, f->stream/' solutions/11-stream-memory-and-graphs.cu > "$dir/x.cu"
grade 11 "$dir/x.cu"
ok "memory of a pool that is freed behind the kernel is not called freed when the kernel leaves it" \
    eval 'says_wrapped "past the end of the" && says_wrapped "bytes of device memory (cudaMallocAsync in line $(line_of cudaMallocAsync))"'

insert overlap '    abort();'
sed -i '1i #include <cstdlib>' "$dir/x.cu"
grade 01 "$dir/x.cu"
ok "abort() is a crash, in its part" eval 'ends 1 && says SIGABRT && says_wrapped "in part b"'

insert overlap '    { std::thread left([] {}); }'
sed -i '1i #include <thread>' "$dir/x.cu"
grade 01 "$dir/x.cu"
ok "a std::thread that is left is told by its join()" eval 'ends 1 && says SIGABRT && says_wrapped "Call its join() first"'

insert overlap '    throw std::length_error("too long");'
sed -i '1i #include <stdexcept>' "$dir/x.cu"
grade 01 "$dir/x.cu"
ok "and an exception as one that no catch takes" eval 'ends 1 && says SIGABRT && says_wrapped "An exception that no catch takes"'

# Calls are sent many at once (trace/record/log_tail.h), and none is lost.
insert overlap '    for (int k = 0; k < 1500; k++) cudaGetLastError();
    raise(SIGKILL);'
sed -i '1i #include <csignal>' "$dir/x.cu"
grade 01 "$dir/x.cu"
ok "one that is killed has made all its calls" \
    eval 'ends 1 && says_wrapped "crashed in part b, after its call at $dir/x.cu:$(line_of "k < 1500"): Killed"'
insert overlap '    close(3);'
sed -i '1i #include <unistd.h>' "$dir/x.cu"
grade 01 "$dir/x.cu"
ok "one that closes the record is not judged from there on" eval 'ends 1 && says_wrapped "exited in part b" && says_wrapped "not judged: the program ended before this part"'
insert overlap '    (void)!write(3, "other", 5);'
sed -i '1i #include <unistd.h>' "$dir/x.cu"
grade 01 "$dir/x.cu"
ok "nor is one that writes into it" eval 'ends 1 && says_wrapped "was damaged in part b"'

# What the host reads or writes outside an array or a container is told, and ends the program there.
insert overlap '    int few[4] = { 0 }; for (int k = 0; k <= 4; k++) few[k] += n; sum += few[0] - n;'
grade 01 "$dir/x.cu"
ok "an index past an array's end stops the program, at its line" \
    eval 'ends 1 && says "crashed: " && says_wrapped "stopped in part b, at $dir/x.cu:$(line_of "few[4]"): index 4 is outside the array, which is '"'int [4]'"'."'
insert overlap '    int few[4] = { 0 }; for (short k = 3; k >= -1; k--) few[k] += n; sum += few[0] - n;'
grade 01 "$dir/x.cu"
ok "and so does one before its beginning" eval 'ends 1 && says_wrapped "index -1 is outside the array"'
insert overlap '    int few[4] = { 0 }; for (int *k = few; k != &few[4]; k++) *k = n; sum += few[0] - n;'
grade 01 "$dir/x.cu"
ok "the end itself may be pointed at" says "passed: "
insert overlap '    std::vector<int> few(3); sum += few[(size_t)(n > 0) * 3];'
sed -i '1i #include <vector>' "$dir/x.cu"
grade 01 "$dir/x.cu"
ok "an index past a vector's end stops it, in the library's words" \
    eval 'ends 1 && says_wrapped "stopped in part b, at $dir/x.cu:$(line_of "few(3)"): std::vector::operator[]() requires '"'__n < this->size()'"', which does not hold." && says_wrapped "the indices 0 to n - 1"'
insert overlap '    std::deque<std::pair<int, int>> none; sum += none.front().first;'
sed -i '1i #include <deque>' "$dir/x.cu"
grade 01 "$dir/x.cu"
ok "the first of no elements, too" \
    eval 'ends 1 && says_wrapped "std::deque::front() requires '"'!this->empty()'"'" && says_wrapped "There is no element at that time."'
insert overlap '    std::unique_ptr<int> none; sum += *none;'
sed -i '1i #include <memory>' "$dir/x.cu"
grade 01 "$dir/x.cu"
ok "and what a pointer that is empty points at" \
    eval 'ends 1 && says_wrapped "std::unique_ptr::operator*() requires" && says_wrapped "a rule of the C++ library"'
sed 's/int first\[chunks + 1\]/int first[chunks]/' solutions/06-overlap.cu > "$dir/x.cu"
grade --seed 3 06 "$dir/x.cu"
ok "an array of a length that is known late is no other" \
    says_wrapped "stopped in part c, at $dir/x.cu:$(line_of "first[k] = (int)"): index 7 is outside the array"
sed '/> overlap/a\    flat<<<1, 32>>>();' "$solution" |
    sed '0,/^#include "lesson.h"/s//&\n__global__ void flat() { __shared__ int tile[4][8]; tile[0][threadIdx.x] = 1; }/' > "$dir/x.cu"
grade 01 "$dir/x.cu"
ok "a kernel may take a shared array of two dimensions for one" eval 'grep -q "tile\[0\]" "$dir/x.cu" && ! says "outside the array"'

insert overlap '    exit(0);'
sed -i '1i #include <cstdlib>' "$dir/x.cu"
grade 01 "$dir/x.cu"
ok "exit(0) inside the exercise is no pass" eval 'ends 1 && says "wanting: "'
ok "and is told, with its part and its line" says_wrapped \
    "The program exited in part b, at $dir/x.cu:$(grep -n 'exit(0);' "$dir/x.cu" | cut -d: -f1)"

sed '1i #include <unistd.h>\nstatic int early = (_exit(0), 0);' "$solution" > "$dir/x.cu"
grade 01 "$dir/x.cu"
ok "leaving before main() is no pass" eval 'ends 1 && says_wrapped "exited before its first part"'

insert overlap '    CHECK(cudaFree((void *)12));'
grade 01 "$dir/x.cu"
ok "an error that CHECK met is told with its call, line and name" \
    eval 'ends 1 && says_wrapped "CHECK ended the program in part b, at $dir/x.cu:$(line_of "(void *)12")" &&
          says_wrapped "cudaFree((void *)12) failed with cudaErrorInvalidValue: invalid argument."'
ok "and with the reason that the simulator had" \
    eval 'says_wrapped "Why: the argument is an address that no call returned." && ! says_wrapped "earlier asynchronous operation"'

insert overlap '    int more = 1 << 28; CHECK(cudaMemcpy(data, data, more * sizeof *data, cudaMemcpyDeviceToDevice));'
grade 01 "$dir/x.cu"
ok "a copy that is too large is told with the line that sets its size" \
    eval 'ends 1 && says_wrapped "Is the copy as large as it should be? Line $(line_of "int more") sets \`more\`."'
# An offset in bytes where elements are meant: of what a loop copies, on either side, wherever it leads.
while IFS='|' read -r lesson was is; do
    grep -qF -- "$was" "solutions/$lesson.cu" && WAS=$was IS=$is awk '(at = index($0, ENVIRON["WAS"])) && !done++ {
        $0 = substr($0, 1, at - 1) ENVIRON["IS"] substr($0, at + length(ENVIRON["WAS"])) } { print }' "solutions/$lesson.cu" > "$dir/x.cu"
    grade "${lesson%%-*}" "$dir/x.cu"
    ok "$is: the message says that pointers count elements" \
        eval 'ends 1 && says_wrapped "4 times as many. An offset that is added to a pointer counts elements, not bytes" && ! says_wrapped "as large as it should be"'
done << 'EOF'
06-overlap|device + first, in + first, bytes|device + first * sizeof *in, in + first, bytes
06-overlap|out + first, device + first, bytes|out + first * sizeof *out, device + first, bytes
12-many-devices|in + (size_t)k * n|in + (size_t)k * bytes
15-dependent-launches|s->to + k * s->n|s->to + k * bytes
EOF
# Of what a kernel is given: in memory that is there it is a wrong result, or the device is lost, as the sizes have it.
while IFS='|' read -r lesson option was is said; do
    sed "s/$was/$is/" "solutions/$lesson.cu" > "$dir/x.cu"
    SIM_PROFILE=${option#* } grade --seed "${option% *}" "${lesson%%-*}" "$dir/x.cu"
    ok "$is: the message says what may be wrong with the offset" eval 'ends 1 && says_wrapped "$said"'
done << 'EOF'
11-stream-memory-and-graphs|3 h200|r->in + k \* r->n|& * 4|fill() was given byte 131136 of memory that has 107548 bytes. An offset that is added to a pointer counts elements, not bytes
13-pytorch-streams|3 h200|data + (size_t)k \* n|& * 4|fill() was given byte 237600 of memory that has 207900 bytes. An offset that is added to a pointer counts elements, not bytes
17-two-processes|10 c2050|(size_t)k \* r->n|& * 4|examine() was given byte 49168 of memory that has 36876 bytes. An offset that is added to a pointer counts elements, not bytes
17-two-processes|3 h200|(size_t)k \* r->n|(size_t)frame * r->n|Does an index have to begin again from 0 there
17-two-processes|3 h200|(size_t)k \* r->n|& * 4|element 3329: the offset is 4 times too large. Offsets from an unsigned * count elements, not bytes
EOF

insert overlap '    CHECK(cudaErrorInvalidValue);'
grade 01 "$dir/x.cu"
ok "an error that no call has had is named as such" \
    eval 'says_wrapped "No call of the runtime has failed with this error" && ! says_wrapped "earlier asynchronous operation"'

insert overlap '    scramble<<<1, 2048>>>(data, 32, kernel_ns);'
grade 01 "$dir/x.cu"
ok "a launch that was refused is named at its own line" \
    eval 'ends 1 && says_wrapped "The launch of scramble in part b, at $dir/x.cu:$(line_of "<<<1, 2048>>>"), was refused with cudaErrorInvalidValue" &&
          says_wrapped "Why: the block (the second parameter) has 2048 threads in x, and this device takes at most 1024."'

awk '/CHECK\(cudaStreamDestroy\(s->urgent\)\);/ { next } { print } /cuGreenCtxDestroy\(s->bulk_context\)/ { print "    cudaStreamDestroy(s->urgent);" }' \
    solutions/16-green-contexts.cu > "$dir/x.cu"
grade 16 "$dir/x.cu"
ok "so is another call of which the driver's CHECK meets the error" \
    eval 'says_wrapped "cudaStreamDestroy in part a, at $dir/x.cu:$(line_of "    cudaStreamDestroy(s->urgent)"), was refused with cudaErrorContextIsDestroyed"'

sed 's/cudaIpcCloseMemHandle(r->frames)/cudaFree(r->frames)/' solutions/17-two-processes.cu > "$dir/x.cu"
grade 17 "$dir/x.cu"
ok "what is to be called in place of cudaFree is named" \
    eval 'says_wrapped "opened by cudaIpcOpenMemHandle in line" && says_wrapped "cudaIpcCloseMemHandle closes it"'

sed '/> errors/,/< errors/ s/r->error = cudaDeviceSynchronize();/CHECK(cudaDeviceSynchronize());/' "$solution" > "$dir/x.cu"
grade 01 "$dir/x.cu"
ok "where errors are to be reported the CHECK that ended the program is at fault, and not what failed" \
    eval 'ends 1 && says_wrapped "CHECK ended the program in part c, at $dir/x.cu:$(sed -n "/> errors/,/< errors/ { /CHECK/= }" "$dir/x.cu" | head -n 1)" &&
          says_wrapped "run_job() reports them: CHECK ends the program instead." && ! says_wrapped "queued at"'
insert errors '    CHECK(cudaFree((void *)12));'
grade 01 "$dir/x.cu"
ok "a CHECK of anything else ends it there as elsewhere" \
    eval 'ends 1 && says_wrapped "Why: the argument is an address that no call returned." && ! says_wrapped "CHECK ends the program instead"'

sed '/> overlap/,/< overlap/ { s/THREADS), THREADS>>>/2048), 2048>>>/; /cudaGetLastError/d }' "$solution" > "$dir/x.cu"
grade 01 "$dir/x.cu"
ok "a check that finds a refused launch says why it was refused" \
    eval 'ends 1 && says_wrapped "The launch of scramble in line $(line_of "2048>>>") was refused: the block (the second parameter) has 2048 threads"'

insert overlap '    cudaError_t kept = cudaFree((void *)12);
    CHECK(kept);'
grade 01 "$dir/x.cu"
ok "a status that was kept leads to the call that gave it" \
    eval 'ends 1 && says_wrapped "kept failed with cudaErrorInvalidValue" && says_wrapped "Why: cudaFree at $dir/x.cu:$(line_of "(void *)12") failed: the argument"'

insert overlap '    CHECK(cudaMemset((void *)((char *)data + 4), 0, (size_t)4 * n)); CHECK(cudaDeviceSynchronize());'
grade 01 "$dir/x.cu"
ok "memory that is too short is told with both numbers" \
    eval 'ends 1 && says_wrapped "bytes from there on; the memset needs"'

insert overlap '    scramble<<<1, 32>>>(data, 32, kernel_ns); CHECK(cudaStreamQuery(0));'
grade 01 "$dir/x.cu"
ok "CHECK round a query is told that not ready is an answer" \
    eval 'ends 1 && says_wrapped "failed with cudaErrorNotReady" && says_wrapped "That is an answer and not a failure"'

insert overlap '    CHECK(cudaLaunchHostFunc(0, [](void *) { CHECK(cudaFree(NULL)); }, NULL)); CHECK(cudaDeviceSynchronize());'
grade 01 "$dir/x.cu"
ok "CHECK in a host function is told that no call is permitted there" \
    eval 'ends 1 && says_wrapped "failed with cudaErrorNotPermitted" && says_wrapped "A host function must not call CUDA"'

insert overlap '    for (volatile char *p;; *p = 1) p = new char[1 << 20];'
grade 01 "$dir/x.cu"
ok "a program that wants all memory ends, and says where" eval 'ends 1 && says_wrapped "in part b"'

insert overlap '    if (write(3, "forged", 6) != 6) return 0;'
sed -i '1i #include <unistd.h>' "$dir/x.cu"
grade 01 "$dir/x.cu"
ok "a program that writes into its own record of calls is no pass, and told so" \
    eval 'ends 1 && says_wrapped "The record of the program'"'"'s calls was damaged in part b"'

# What a driver says of a part at its very end is not there when a later part ends the program.
sed 's/cudaEventInterprocess | cudaEventDisableTiming/cudaEventDisableTiming/' solutions/17-two-processes.cu > "$dir/x.cu"
grade --seed 3 17 "$dir/x.cu"
ok "parts that were whole keep their points when a later one ends the program" \
    eval 'ends 1 && says_wrapped "CHECK ended the program in part c" && says "PASS         45/45  Part b"'

insert moments '    if (fork() == 0) { sleep(30); _exit(0); }'
sed -i '1i #include <unistd.h>' "$dir/x.cu"
begin=$SECONDS
grade 01 "$dir/x.cu"
ok "a process that it leaves running is not waited for" [ $((SECONDS - begin)) -lt 15 ]

# Pages came to it before: the time that took is in the record, and was the program's.
sed 's/cudaMallocManaged((void \*\*)&out, bytes)/cudaMallocManaged((void **)\&out, n)/' solutions/09-unified-memory.cu > "$dir/x.cu"
grade 09 "$dir/x.cu"
ok "a kernel that faults on pages and then reaches too far is told as that, and not as a damaged record" \
    eval 'ends 1 && says cudaErrorIllegalAddress && says_wrapped "past the end of the" && ! says refused'

# A pointer out of freed memory, in a function; waits that come back by themselves, or never; and memory that is another's.
sed -e 's/struct loan \*l = take_any(&pool);/&\n        struct loan *mine = new struct loan(*l);/' \
    -e 's/CHECK(cudaLaunchHostFunc(stream\[m\], give_back, l));/CHECK(cudaLaunchHostFunc(stream[m], give_back, mine));\n        delete mine;/' \
    solutions/07-callbacks.cu > "$dir/x.cu"
grade 07 "$dir/x.cu"
ok "a pointer that a function reads in freed memory is told as that, with the line that queued it" \
    eval 'ends 1 && says "crashed: " && says_wrapped "read in memory that free() or delete had taken back" &&
          says_wrapped "This function was queued in line $(line_of "give_back, mine")" && ! says_wrapped "was never set"'

sed 's/while (p->count == 0)/if (p->count == 0)/' solutions/07-callbacks.cu > "$dir/x.cu"
grade 07 "$dir/x.cu"
ok "a crash after a wait for a condition that came back without a signal names the wait" \
    eval 'ends 1 && says_wrapped "The wait for a condition in line $(line_of "pthread_cond_wait(&p->changed") had returned without a signal"'

sed 's/while (r->empty == 0)/if (r->empty == 0)/' solutions/07-callbacks.cu > "$dir/x.cu"
grade 07 "$dir/x.cu"
ok "so does a check that fails, where nothing crashes" \
    eval 'ends 1 && says_not crashed && says_wrapped "The wait for a condition in line $(line_of "pthread_cond_wait(&r->changed") had returned without a signal, which it may do, and the thread went on."'

# Each function gives back the loan that it finds at its address, and those of the loop are all at one: not every loan comes back.
sed -e 's/^    unsigned \*slot;/&\n    struct loan *self;/' -e 's/loan\[s\] = { &pool, f->slot\[s\] };/loan[s] = { \&pool, f->slot[s], \&loan[s] };/' \
    -e 's/l->pool->free\[l->pool->count++\] = l;/bool is_back = false;\n    for (int i = 0; i < l->pool->count; i++)\n        is_back |= l->pool->free[i] == l->self;\n    if (!is_back)\n        l->pool->free[l->pool->count++] = l->self;/' \
    -e 's/        fill(l->slot, k);/        struct loan mine = *l;\n&/' -e 's/give_back, l));/give_back, \&mine));/' \
    -e 's/^    for (int m = 0; m < 2; m++) {/    pthread_mutex_lock(\&pool.lock);\n    while (pool.count < POOL)\n        pthread_cond_wait(\&pool.changed, \&pool.lock);\n    pthread_mutex_unlock(\&pool.lock);\n&/' solutions/07-callbacks.cu > "$dir/x.cu"
grade 07 "$dir/x.cu"
ok "a standstill after functions that were all given one variable of a loop is named as such" \
    eval 'ends 1 && says_wrapped "The program stands still in part c" && ! says_wrapped "should have come" &&
          says_wrapped "In line $(line_of "give_back, &mine") each function is given the address of \`mine\`, which every turn of that loop sets anew."'

sed -e 's/l = (struct loan \*)data;/l = *(struct loan **)data;/' -e 's/give_back, l));/give_back, \&l));/' \
    -e 's/        give_back(&loan\[s\]);/        struct loan *l = \&loan[s];\n        give_back(\&l);/' solutions/07-callbacks.cu > "$dir/x.cu"
grade 07 "$dir/x.cu"
ok "so does a check that fails, where nothing stands still" \
    eval 'ends 1 && says_not "stands still" && says_wrapped "In line $(line_of "give_back, &l))") each function is given the address of \`l\`"'

# The mutex is given back only where it had to wait: the next line that would have done so.
sed '/^static void take_slot/,/^}/s/^    pthread_mutex_unlock/    if (r->empty == 0)\n        pthread_mutex_unlock/' solutions/07-callbacks.cu > "$dir/x.cu"
grade 07 "$dir/x.cu"
ok "of a mutex that its thread still holds, the next line that gives it back is told" \
    eval 'ends 1 && says_wrapped "which it already holds, locked in line" &&
          says_wrapped "The next such call below line $(($(line_of "while (r->empty == 0)") - 1)), where the thread has locked it, is in line $(($(line_of "    if (r->empty == 0)") + 1))."'

sed 's/PTHREAD_COND_INITIALIZER, RING };/PTHREAD_COND_INITIALIZER, 0 };/' solutions/07-callbacks.cu > "$dir/x.cu"
grade 07 "$dir/x.cu"
ok "a wait before anything could end it is asked for what its count begins with" \
    eval 'ends 1 && says_wrapped "What does the count that it waits for begin with?" && ! says_wrapped "should have come"'

sed '/cudaLaunchHostFunc(stream, slot_is_empty/d' solutions/07-callbacks.cu > "$dir/x.cu"
grade 07 "$dir/x.cu"
ok "where work was queued and no function, that is what is missing" \
    eval 'ends 1 && says_wrapped "but no host function after it" && ! says_wrapped "begin with"'

insert overlap '    int end[2]; char c; if (pipe(end) != 0 || read(end[0], &c, 1) != 1) return 0;'
sed -i '1i #include <unistd.h>' "$dir/x.cu"
grade --time-limit 2 01 "$dir/x.cu"
ok "a call of the system's that does not come back is no loop" \
    eval 'ends 1 && says "timed out: " && says_wrapped "in a system call" && ! says_wrapped "What does the loop"'

sed 's/    take_results(s->out, s->n);/&\n    CHECK(cudaFree(s->in));/' solutions/09-unified-memory.cu > "$dir/x.cu"
grade 09 "$dir/x.cu"
ok "memory of the caller's that the program has freed is told with that line" \
    eval 'ends 1 && says_wrapped "cudaFree in part b, at $dir/x.cu:$(line_of "cudaFree(s->in)"), freed its caller"'

ok "nothing is left behind" left_nothing
# Loops: one that does not end, by its lines; one that is none; one of a graph.
sed 's/^\( *\)answered++;/\1;/' solutions/08-priorities.cu > "$dir/x.cu"
grade 08 "$dir/x.cu"
ok "a loop that only asks and does not end is told by its lines" \
    eval 'ends 1 && says_wrapped "it had made 200000 CUDA calls" && says_wrapped "Does that loop end, from line $(line_of "answered < b->requests") to line "'

sed 's/first += blocks \* each;/first += blocks;/' solutions/08-priorities.cu > "$dir/x.cu"
grade --seed 3 08 "$dir/x.cu"
ok "and one that gets on too slowly by its launches, too" \
    eval 'ends 1 && says_wrapped "of those calls launched grind(), in line $(line_of "grind<<<"): does what the loop counts go on"'

sed 's/while (first < b->items || answered < b->requests)/if (first < b->items || answered < b->requests)/' solutions/08-priorities.cu > "$dir/x.cu"
grade 08 "$dir/x.cu"
ok "a launch that no loop makes is told so, with the if that stands there" \
    eval 'ends 1 && says_wrapped "is not in a loop and is reached only once, so the if in line $(line_of "answered < b->requests") is not tested again."'

sed 's/cudaGraphSetConditional(more, changes(ring) != 0)/cudaGraphSetConditional(more, 1)/' solutions/15-dependent-launches.cu > "$dir/x.cu"
grade 15 "$dir/x.cu"
ok "of a loop in a graph that does not end it is said which kernel sets its value, and where" \
    eval 'ends 1 && says_wrapped "its value was 1, set by decide()" && says_wrapped "cudaGraphSetConditional() is called in line $(line_of "cudaGraphSetConditional(more, 1)")"'
sed 's/<<<[^>]*>>>/<<<100000000, 32>>>/' solutions/01-sync-vs-async.cu > "$dir/x.cu"
grade 01 "$dir/x.cu"
ok "kernels of a hundred million blocks are not judged for minutes" eval 'ends 1 && says_wrapped "its kernels had more than 67108864 blocks."'

sed 's,^ *//> share$,&\n    exit(3);,' solutions/17-two-processes.cu > "$dir/x.cu"
grade 17 "$dir/x.cu"
ok "an output that the driver had not written when the program ended fails no check" \
    eval 'ends 1 && ! says "FAIL " && says_wrapped "PASS 45/45 Part b: frame by frame (8 checks)"'

sed 's,^ *//> begin$,&\n        if (c == 0) { cudaStream_t lost; CHECK(cudaStreamCreate(\&lost)); },; s,^ *//> feed$,&\n    sem_t never; sem_init(\&never\, 0\, 0);\n    if (getenv("SIM_TURNS")) sem_wait(\&never);,' solutions/07-callbacks.cu > "$dir/x.cu"
grade 07 "$dir/x.cu"
ok "where another run of the program ends too soon, the checks that it is missing for say in which one" \
    eval 'ends 1 && says_wrapped "12 checks (not judged: the program ended too soon on NVIDIA H200, threads in another order)"'
ok "... and the end is told, beside what fails" \
    eval 'says_wrapped "stands still in part b, on the card NVIDIA H200, threads in another order, at $dir/x.cu:$(line_of getenv)" && says_wrapped "FAIL 0/1 all that was made is given back"'
grade --html "$dir/page.html" 07 "$dir/x.cu"
ok "... on the page, too" \
    eval 'grep -q "not judged: the program ended too soon on NVIDIA H200, threads in another order" "$dir/page.html" && grep -q "stands still in part b" "$dir/page.html"'

insert overlap '    cudaStream_t s; CHECK(cudaStreamCreate(&s)); std::thread([s] { host_work(1000); CHECK(cudaStreamSynchronize(s)); }).detach(); CHECK(cudaStreamDestroy(s));
    host_work(100000);'
sed -i '1i #include <thread>' "$dir/x.cu"
grade 01 "$dir/x.cu"
ok "a stream that is destroyed under a thread is told with the thread that was not waited for" \
    eval 'ends 1 && says_wrapped "destroyed by cudaStreamDestroy in line $(line_of "detach()")" && says_wrapped "ran in a thread of its own, and line $(line_of "detach()") did not wait for it"'
done_testing
