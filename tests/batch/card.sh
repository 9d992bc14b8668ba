#!/bin/bash
# SPDX-License-Identifier: MIT
# A class on a card, in the sandbox, with a toolkit that is made up (tests/grader/toolkit) and device files that are
# /dev/null by other names, in a /dev of our own.
. tests/batch/batch.bash
unset BACKEND

there=(bwrap --dev-bind / / --dev /dev --dev-bind /dev/null /dev/nvidiactl --dev-bind /dev/null /dev/nvidia0 --)
"${there[@]}" bwrap --unshare-all --ro-bind / / --proc /proc --dev /dev true 2> /dev/null || skip_all "no sandbox in a sandbox here"
toolkit=$dir/toolkit
mkdir -p "$toolkit"/{bin,include,build/{bin,lib,tests/grader/run}} "$dir/gpu"
: > "$toolkit/include/cuda_runtime.h"
chmod 755 "$toolkit" "$dir/gpu"
cp build/bin/simcc "$toolkit/build/bin" && cp build/lib/libsim.a "$toolkit/build/lib" && cp -r common "$toolkit"
cp build/tests/grader/run/recorder "$toolkit/build/tests/grader/run"
cp tests/grader/toolkit/nvcc "$toolkit/bin" && echo "$toolkit" > "$toolkit/bin/root"
: > "$dir/recorder.so"
export NVCC=$toolkit/bin/nvcc GPU_FOLDER=$dir/gpu RECORDER=$dir/recorder.so
goals=("$GPU_FOLDER"/{card,streams.o,driver.o,{02-stream-queues,06-overlap}/reference})
made() { make -s BACKEND=both "${goals[@]}" > "$dir/out" 2>&1 && ls "${goals[@]}" > /dev/null; }
wish() { echo "$*" > "$toolkit/bin/wish"; }
here=$root/build/bin/batch
on_card() { # PROGRAM ARGUMENT...: where there is a card
    printf '#!/bin/bash\nexec %s "$@"\n' "${there[*]@Q} '$here'" > "$dir/there" && chmod +x "$dir/there"
    program=$dir/there batch --time-limit 3 "$@"
}

wish files exact
ok "nvcc makes what a GPU needs" made
hand_in anna 02-stream-queues solutions/02-stream-queues.cu
hand_in ben 02-stream-queues "$(wrong 02-stream-queues/blocking-copies)"
# What a program may do there, and what it may not; and what it sees.
MARK=$(grep -o '//> [a-z]*' solutions/02-stream-queues.cu | head -n 1) awk '
    /^#include "lesson.h"/ {
        print
        print "#include <errno.h>\n#include <fcntl.h>\n#include <stdio.h>\n#include <stdlib.h>\n#include <sys/file.h>"
        print "#include <sys/ioctl.h>\n#include <sys/mman.h>\n#include <sys/resource.h>\n#include <sys/socket.h>\n#include <sys/syscall.h>\n#include <unistd.h>"
        print "static void say(const char *what, bool can) { printf(\"%s %s\\n\", what, can ? \"yes\" : \"no\"); }"
        print "static int look() {"
        print "    struct rlimit files, space;"
        print "    getrlimit(RLIMIT_NOFILE, &files), getrlimit(RLIMIT_AS, &space);"
        print "    int device = open(\"/dev/nvidia0\", O_RDWR);"
        print "    say(\"device\", device >= 0);"
        print "    say(\"ioctl\", !(ioctl(device, 0x46c8, 0) < 0 && errno == EPERM));"
        print "    say(\"files\", files.rlim_cur >= 1024);"
        print "    say(\"space\", space.rlim_cur == RLIM_INFINITY);"
        print "    say(\"reserve\", mmap(0, 1ull << 40, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0) != MAP_FAILED);"
        print "    say(\"memfd\", memfd_create(\"x\", 0) >= 0);"
        print "    say(\"shared\", mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0) != MAP_FAILED);"
        print "    say(\"local\", socket(AF_UNIX, SOCK_SEQPACKET, 0) >= 0);"
        print "    say(\"abroad\", socket(AF_INET, SOCK_STREAM, 0) >= 0 || socket(AF_NETLINK, SOCK_RAW, 0) >= 0 || socket(40, SOCK_STREAM, 0) >= 0);"
        print "    say(\"keys\", syscall(SYS_keyctl, 0, 0, 0, 0, 0) >= 0);"
        print "    say(\"lock\", flock(1, LOCK_SH) == 0 || errno != EPERM);"
        print "    say(\"fork\", syscall(SYS_fork) >= 0);"
        print "    say(\"toolkit\", access(getenv(\"CUDA_INJECTION64_PATH\") ? getenv(\"CUDA_INJECTION64_PATH\") : \"\", R_OK) == 0);"
        print "    say(\"writes\", open(\"/out/forged\", O_CREAT | O_WRONLY, 0600) >= 0 || open(\"/workbook/card/forged\", O_CREAT | O_WRONLY, 0600) >= 0);"
        print "    say(\"solutions\", access(\"/workbook/gpu\", F_OK) == 0 || access(\"/workbook/build\", F_OK) == 0);"
        print "    fflush(stdout);"
        print "    if (device >= 0) _exit(3);"        # of two runs, what the one printed that did not end well is kept
        print "    return 0;\n}\nstatic int looked = look();"
        next
    }
    { print }' solutions/02-stream-queues.cu > "$dir/look.cu"
hand_in carl 02-stream-queues "$dir/look.cu"

on_card --backend cuda --lessons 2
ok "a class is judged on the card" eval 'ends 0 && says "judged on this machine'\''s GPU"'
ok "right and wrong are told apart there" eval 'is "$(status_of anna 02) $(status_of ben 02)" "passed wrong"'
ok "by the card, and by the simulator what it alone can say" is \
    "$(of anna 02 'e["verdict"]["backend"], e["verdict"]["real_card"]')" "('both', 'NVIDIA H200 (real)')"
cat > "$dir/expected" <<'END'
device yes
ioctl yes
files yes
space yes
reserve yes
memfd yes
shared yes
local yes
abroad no
keys no
lock no
fork no
toolkit yes
writes no
solutions no
END
of carl 02 'e["verdict"]["output"]' | grep -E '^[a-z]+ (yes|no)$' > "$dir/seen"
ok "a program there can do what a driver needs, and nothing else" diff "$dir/expected" "$dir/seen"
ok "and no trace of it is left where it ran" left_nothing
find "$dir/grades/attempts" -type f -printf '%p %T@\n' | sort > "$dir/before"
on_card --backend cuda --lessons 2
find "$dir/grades/attempts" -type f -printf '%p %T@\n' | sort > "$dir/after"
ok "the same again is not graded again" cmp -s "$dir/before" "$dir/after"
keys=$(find "$dir/grades/attempts/anna" -name '*.json' | wc -l)
echo >> "$RECORDER"
on_card --backend cuda --lessons 2
ok "with another recorder it is, as the same attempt" is "$(find "$dir/grades/attempts/anna" -name '*.json' | wc -l), $(of anna 02 'e["attempts"]')" "$((keys + 1)), 1"
: > "$RECORDER"

on_card --backend both --lessons 2
ok "on both it is another grading" is "$(of anna 02 'e["attempts"], e["current"], e["verdict"]["backend"]')" "(2, True, 'both')"
ok "the class page says so" grep -q "card h200 and a GPU, workbook" "$dir/grades/class.html"
ok "results say where" eval 'grep -q "\"backend\": \"both\"" "$dir/grades/results.json" && grep -q "\"backend\": \"both\"" "$dir/grades/batch/plan.json"'
batch --time-limit 3 --lessons 2
ok "the simulator alone is the default, and needs no card" eval 'ends 0 && is "$(of anna 02 "e[\"verdict\"][\"backend\"]")" simulator'
of carl 02 'e["verdict"]["output"]' | grep -E '^[a-z]+ (yes|no)$' > "$dir/seen"
ok "the simulator's sandbox stays as it is" eval \
    'grep -qx "device no" "$dir/seen" && grep -qx "memfd no" "$dir/seen" && grep -qx "shared no" "$dir/seen" && grep -qx "local no" "$dir/seen"'

# What is missing is one line, and nothing is graded.
cp "$dir/grades/results.json" "$dir/kept.json"
echo '// anew' >> "$class/anna/02-stream-queues.cu"
: > "$dir/out"
batch --backend cuda --lessons 2
ok "no card: one line that says so, and status 2" eval 'ends 2 && [ "$(wc -l < "$dir/err")" = 1 ] &&
    complains "no GPU can be seen: does CUDA_VISIBLE_DEVICES hide it? (no CUDA-capable device is detected)"'
NVCC=/nowhere/nvcc on_card --backend both --lessons 2
ok "no nvcc: the same" trouble "there is no nvcc: put the CUDA toolkit's bin folder into PATH"
printf '#!/bin/sh\nexec %s "$@"\n' "$NVCC" > "$dir/nvcc" && chmod +x "$dir/nvcc"
NVCC=$dir/nvcc on_card --backend both --lessons 2
ok "an nvcc that cannot work in the sandbox: the same" eval 'ends 2 && complains "nvcc does not work in the sandbox"'
mv "$GPU_FOLDER/02-stream-queues/reference" "$dir/reference"
on_card --backend both --lessons 2
ok "something that nvcc has not made: the same" trouble "the class cannot be judged on a GPU: there is no reference: run make, which builds it"
mv "$dir/reference" "$GPU_FOLDER/02-stream-queues/reference"
batch --backend cheese --lessons 2
ok "what is no backend is refused" trouble "--backend wants sim, cuda or both, not 'cheese'"
ok "and what was there is there" cmp "$dir/kept.json" "$dir/grades/results.json"
wish files sys
on_card --backend both --lessons 2
ok "a driver that looks into /sys can" eval 'ends 0 && is "$(status_of anna 02)" passed'

# One that writes into the record.
wish exact
awk '{ print } /^#include "lesson.h"/ {
    print "#include <stdlib.h>\n#include <unistd.h>"
    print "static bool forge() { return getenv(\"CUDA_INJECTION64_PATH\") && write(3, \"a call that was never made\", 26) == 26; }\nstatic bool forged = forge();" }' \
    solutions/02-stream-queues.cu > "$dir/x.cu"
hand_in gina 02-stream-queues "$dir/x.cu"
batch --time-limit 3 --backend both --lessons 2
ok "what a program writes into the card's record is no call, and is told" eval \
    'ends 0 && is "$(status_of gina 02)" refused && of gina 02 "e[\"reason\"]" | grep -q "on the card NVIDIA\|on the card GPU"'

# One that does not end on the card: killed, and the card is asked before the next.
wish exact
rm -f "$toolkit/bin/asked"
hand_in dora 02-stream-queues <(awk '{ print } /^#include "lesson.h"/ {
    print "#include <stdlib.h>\nstatic int endless() { for (volatile bool on = getenv(\"CUDA_INJECTION64_PATH\"); on;) { } return 0; }\nstatic int ends = endless();" }' \
    solutions/02-stream-queues.cu)
cat solutions/02-stream-queues.cu - <<< '// last' > "$dir/x.cu"
hand_in emil 02-stream-queues "$dir/x.cu"
batch --time-limit 3 --jobs 1 --backend both --lessons 2
ok "what does not end on the card is killed there" eval 'ends 0 && is "$(status_of dora 02)" "timed out"'
ok "and the next one finds the card well" is "$(of emil 02 'e["status"], e["verdict"]["backend"]')" "('passed', 'both')"
ok "the card was asked before the first, and before each" is "$(wc -l < "$toolkit/bin/asked")" 3
wish dies
rm -f "$toolkit/bin/asked"
for student in dora emil; do echo '// again' >> "$class/$student/02-stream-queues.cu"; done
batch --time-limit 3 --jobs 1 --backend both --lessons 2
ok "on a card that is no longer well nobody is graded" eval 'ends 1 && is "$(of emil 02 "e[\"current\"], e[\"attempts\"]")" "(False, 1)" &&
    grep -q "the GPU has a fault: nvidia-smi -q says more" "$dir"/grades/attempts/emil/*/*.trouble'

# One at a time has the card: who has it is waited for, and others are built meanwhile.
wish exact
lock=/tmp/streams-workbook-gpu.lock
{ [ -e "$lock" ] || : > "$lock"; } 2> /dev/null
for student in hanna ivan; do
    { cat solutions/02-stream-queues.cu; echo "// $student"; } > "$dir/x.cu"
    hand_in "$student" 02-stream-queues "$dir/x.cu"
done
until_so() { for ((tick = 0; tick < 3000; tick++)); do "$@" && return; sleep 0.1; done; false; }
( exec 8< "$lock"; flock 8; : > "$dir/held"; until_so [ -e "$dir/release" ] ) & holder=$!
until_so [ -e "$dir/held" ]
of_two() { [ "$(find "$dir"/tmp/workbook-batch-*/tmp -name "$1" -path '*/out/*' 2> /dev/null | wc -l)" = 2 ]; }
both_built() { of_two program && of_two program-cuda; }
graded() { find "$dir/grades/attempts" -name '*.json' | wc -l; }
before=$(graded)
none_graded() { is "$(graded)" "$before"; }
batch --time-limit 3 --jobs 2 --backend both --lessons 2 & graders=$!
ok "while somebody has the card, others are built" eval 'until_so both_built && none_graded'
: > "$dir/release"
wait "$holder" "$graders"
ok "and take their turn" is "$(status_of hanna 02), $(of ivan 02 'e["status"], e["verdict"]["backend"]')" "passed, ('passed', 'both')"

# What whoever has a card runs (tests/gpu/class/run), with ours.
wish exact
TIME_LIMIT=3 run tests/gpu/class/run
ok "the script for a machine with a card goes through" eval 'ends 0 && says "All of it is as it should be."'
wish serial
hand_in finn 06-overlap solutions/06-overlap.cu
batch --time-limit 3 --backend both --lessons 6
ok "what fails on the card alone has failed" eval 'is "$(status_of finn 06)" wrong && of finn 06 "[c for c in e[\"verdict\"][\"checks\"] if c[\"outcome\"] == \"failed\"][0][\"seen_on\"]" | grep -q cuda'
done_testing
