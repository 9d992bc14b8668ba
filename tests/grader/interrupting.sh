#!/bin/bash
# SPDX-License-Identifier: MIT
# Ctrl-C leaves nothing running and no file.
. tests/grader/tap.bash
set -m

# interrupt SIGNAL SECONDS: grades $dir/x.cu and sends the signal after so long.
interrupt() {
    "$root/build/bin/grade" --time-limit 60 01 "$dir/x.cu" > "$dir/out" 2> "$dir/err" &
    local pid=$!
    sleep "$2"
    kill -0 "$pid" || echo "# it had ended before"
    kill -s "$1" "$pid"
    wait "$pid"
    status=$?
}
# Programs of ours run in, or from, the temporary folder.
nothing_runs() {
    local link
    for link in /proc/[0-9]*/exe /proc/[0-9]*/cwd; do
        case $(readlink "$link" 2> /dev/null) in "$TMPDIR"/*) echo "# $link"; return 1 ;; esac
    done
}

insert overlap '    for (volatile int spin = 1; spin;) { }'
interrupt INT 3
ok "a program that runs is ended by Ctrl-C" ends 130
ok "and nothing of it runs on" nothing_runs
ok "and no file is left" left_nothing

interrupt TERM 3
ok "SIGTERM ends it likewise" eval 'ends 143 && nothing_runs && left_nothing'

insert overlap '    for (volatile int spin = 1; spin;) { }'
sed -i '1i #include <signal.h>\nstatic int deaf = (signal(SIGINT, SIG_IGN), signal(SIGTERM, SIG_IGN), 0);' "$dir/x.cu"
interrupt INT 3
ok "a program that ignores signals is ended all the same" eval 'ends 130 && nothing_runs && left_nothing'

insert overlap '    for (volatile int spin = 1; spin;) { }'
interrupt INT 0.15
ok "Ctrl-C while it compiles leaves no compiler and no file" eval 'ends 130 && nothing_runs && left_nothing'

interrupt KILL 3
soon_nothing_runs() { for _ in {1..50}; do nothing_runs > /dev/null && return; sleep 0.1; done; nothing_runs; }
ok "even when the grader is killed its program ends" soon_nothing_runs
done_testing
