#!/bin/bash
# SPDX-License-Identifier: MIT
# Ctrl-C leaves nothing running and no file.
. tests/grader/tap.bash
set -m

# Its program, for long enough to have come to the line that is inserted.
program_runs() { [ -n "$(find /proc/[0-9]*/exe -maxdepth 0 -lname "$TMPDIR/*/program" 2> /dev/null)" ] && sleep 0.3; }
compiler_runs() { ! left_nothing && sleep 0.1; }
# interrupt SIGNAL WHEN: grades $dir/x.cu and sends the signal as soon as WHEN is so.
interrupt() {
    "$root/build/bin/grade" --time-limit 60 01 "$dir/x.cu" > "$dir/out" 2> "$dir/err" &
    local pid=$!
    for ((tick = 0; tick < 600; tick++)); do "$2" && break; sleep 0.05; done
    kill -0 "$pid" || echo "# it had ended before"
    kill -s "$1" "$pid"
    wait "$pid"
    status=$?
}
# Programs of ours run in, or from, the temporary folder.
nothing_runs() {
    find /proc/[0-9]*/exe /proc/[0-9]*/cwd -maxdepth 0 -lname "$TMPDIR/*" -printf '# %p\n' 2> /dev/null > "$dir/running"
    [ ! -s "$dir/running" ] || { cat "$dir/running"; false; }
}

insert overlap '    for (volatile int spin = 1; spin;) { }'
interrupt INT program_runs
ok "a program that runs is ended by Ctrl-C" ends 130
ok "and nothing of it runs on" nothing_runs
ok "and no file is left" left_nothing

interrupt TERM program_runs
ok "SIGTERM ends it likewise" eval 'ends 143 && nothing_runs && left_nothing'

insert overlap '    for (volatile int spin = 1; spin;) { }'
sed -i '1i #include <signal.h>\nstatic int deaf = (signal(SIGINT, SIG_IGN), signal(SIGTERM, SIG_IGN), 0);' "$dir/x.cu"
interrupt INT program_runs
ok "a program that ignores signals is ended all the same" eval 'ends 130 && nothing_runs && left_nothing'

insert overlap '    for (volatile int spin = 1; spin;) { }'
interrupt INT compiler_runs
ok "Ctrl-C while it compiles leaves no compiler and no file" eval 'ends 130 && nothing_runs && left_nothing'

interrupt KILL program_runs
soon_nothing_runs() { for _ in {1..50}; do nothing_runs > /dev/null && return; sleep 0.1; done; nothing_runs; }
ok "even when the grader is killed its program ends" soon_nothing_runs
done_testing
