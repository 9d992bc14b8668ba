#!/bin/bash
# SPDX-License-Identifier: MIT
# Files that the compiler has something to say about.
. tests/grader/tap.bash

insert overlap '    int answer = forty_two;'
grade --json "$dir/v.json" 01 "$dir/x.cu"
at=$(line_of forty_two)
ok "a file that does not compile is found wanting, not trouble" ends 1
ok "the verdict says that it did not build" says "did not build"
ok "the message stands on the learner's own line" says "x.cu:$at: error: "
ok "and that line is shown" says "$at |     int answer = forty_two;"
ok "the next step names the file" says "fix the first error"
ok "the JSON says so too" grep -q '"status": "did not build"' "$dir/v.json"

insert overlap '    int never_used;'
grade 01 "$dir/x.cu"
ok "a warning is shown with its line" says "$(line_of never_used) |     int never_used;"
ok "and does not change the verdict" ends 0

sed 's/work_meanwhile(/work_meanwhere(/' "$solution" > "$dir/x.cu"
grade 01 "$dir/x.cu"
ok "a function that is missing did not build" eval 'ends 1 && says "did not build" && says work_meanwhile'
ok "no temporary name is told" says_not "$TMPDIR"

{ echo '// build: --default-stream per-thread -std=c++17'; cat "$solution"; } > "$dir/x.cu"
grade 01 "$dir/x.cu"
ok "known build options reach the compiler" ends 0
{ printf '#include <semaphore>\nstatic std::binary_semaphore room(1);\n'; cat "$solution"; } > "$dir/x.cu"
grade 01 "$dir/x.cu"
ok "code that needs C++20 is told that it does" eval 'ends 1 && says "x.cu:2: note: this needs C++20, and the file is compiled as C++17" && says "write \"// build: -std=c++20\" among"'
sed -i '1i // build: -std=c++20' "$dir/x.cu"
grade 01 "$dir/x.cu"
ok "and with the line that the message names it is compiled" ends 0
sed 's,^#include "lesson.h"$,&\n#include <cuda.h>,' "$solution" > "$dir/x.cu"
printf 'void asks() { int version; CHECK(cuDriverGetVersion(&version)); }\n' >> "$dir/x.cu"
grade 01 "$dir/x.cu"
ok "who checks the driver API and includes cuda.h too late is told where it belongs" \
    eval 'ends 1 && says "x.cu:$(line_of "void asks"): note: CHECK takes what the driver API returns only where <cuda.h> comes before lesson.h"'
sed -i '/^#include <cuda.h>$/d; s,^#include "lesson.h"$,#include <cuda.h>\n&,' "$dir/x.cu"
grade 01 "$dir/x.cu"
ok "and there it is taken" eval '! says "did not build"'
{ cat "$solution"; printf '#error \033[31mred\n'; } > "$dir/x.cu"
grade 01 "$dir/x.cu"
ok "an escape in a message is made harmless" eval 'ends 1 && ! grep -q $'"'\\033'"' "$dir/out"'
{ cat "$solution"; for i in $(seq 300); do echo "int x$i = nothing_$i;"; done; } > "$dir/x.cu"
grade 01 "$dir/x.cu"
ok "a flood of errors is cut" eval '[ "$(wc -l < "$dir/out")" -lt 70 ] && says "lines more"'

ok "nothing is left behind" left_nothing
done_testing
