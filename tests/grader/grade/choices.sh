#!/bin/bash
# SPDX-License-Identifier: MIT
# The options, and the ways to name a lesson.
. tests/grader/tap.bash

cp "$solution" "$dir/x.cu"
for name in 1 01 01-sync-vs-async; do
    grade --quiet $name "$dir/x.cu"
    ok "a lesson can be called $name" ends 0
done
ok "--quiet prints nothing" eval '[ ! -s "$dir/out" ] && [ ! -s "$dir/err" ]'

( cd "$dir" && "$root/build/bin/grade" 01 x.cu > out 2> err )
status=$?
ok "it works from any folder" eval 'ends 0 && says "x.cu on "'

grade --start 01 "$dir/x.cu"
ok "--start is for the learner's own copy" trouble "leave $dir/x.cu out"
grade 01 exercises/01-sync-vs-async.cu
ok "an untouched starter was not attempted" eval 'ends 1 && says "not attempted: 0 of"'
ok "and is shown with its picture" says "What the device did in part a"

grade --seed 2 --width 200 02 "$(wrong 02-stream-queues/asks-and-goes-on)"
ok "checks that wait for the same one are one line" eval '[ "$(grep -c WITHHELD "$dir/out")" = 1 ] &&
    says "WITHHELD       0/9  3 checks (not judged: they wait for \"the trip is waited for\")"'

grade --json - 01 "$dir/x.cu"
ok "--json - writes the verdict to stdout, alone" [ "$(build/tests/lessons/verdict < "$dir/out")" = passed: ]
grade --quiet --json "$dir/v.json" --trace "$dir/t.json" --svg "$dir/t.svg" 01 "$dir/x.cu"
ok "--trace writes a trace" grep -q '"traceEvents"' "$dir/t.json"
ok "--svg writes a picture" eval 'grep -q "<svg" "$dir/t.svg" && tail -n 1 "$dir/t.svg" | grep -q "</svg>"'

grade --run 01 "$dir/x.cu"
ok "--run judges nothing" eval 'ends 0 && says_not PASS && says_not points'
insert overlap '    exit(3);'
sed -i '1i #include <cstdlib>' "$dir/x.cu"
grade --run 01 "$dir/x.cu"
ok "--run of a program that does not end well says so" eval 'ends 1 && says_wrapped "exit status 3"'

cp "$solution" "$dir/x.cu"
grade --color=always 01 "$dir/x.cu"
ok "--color=always colours" grep -q $'\033\\[32mPASS' "$dir/out"
NO_COLOR=1 CLICOLOR_FORCE=1 grade 01 "$dir/x.cu"
ok "NO_COLOR wins over CLICOLOR_FORCE" eval '! grep -q $'"'\\033'"' "$dir/out"'
CLICOLOR_FORCE=1 grade 01 "$dir/x.cu"
ok "CLICOLOR_FORCE colours where there is no terminal" grep -q $'\033' "$dir/out"
grade --ascii 01 "$dir/x.cu"
ok "--ascii keeps to ASCII" eval '! LC_ALL=C grep -q "[^ -~]" "$dir/out"'
grade --width 60 01 "$dir/x.cu"
widest() { local line most=0; while IFS= read -r line; do [ ${#line} -le $most ] || most=${#line}; done; echo $most; }
ok "--width is kept" [ "$(widest < "$dir/out")" -le 60 ]

grade --card c2050 01 "$dir/x.cu"
ok "--card chooses the device" eval 'ends 0 && says C2050'
SIM_PROFILE=k20c grade 01 "$dir/x.cu"
ok "so does SIM_PROFILE" eval 'ends 0 && says K20c'
grade --cards 01
ok "--cards names the cards that a lesson runs on" eval 'ends 0 && says k20c && says h200'
grade --cards 09
ok "not those that lack what it is about" eval 'ends 0 && says_not k20c && says h200'
grade --card k20c 09 solutions/09-unified-memory.cu
ok "and such a card is refused with a reason" trouble "lesson 09 needs a card where host and device may use managed memory"
SIM_PROFILE=rtx3090 grade 15 solutions/15-dependent-launches.cu
ok "likewise one from before dependent launches" trouble "lesson 15 needs a card that begins dependent launches early (compute capability 9.0 or later)"
SIM_PROFILE=c1060 grade 17 solutions/17-two-processes.cu
ok "and one whose memory no other process can open" trouble "lesson 17 needs a card whose memory another process can open (compute capability 2.0 or later)"
grade --version
ok "--version tells the version" eval 'ends 0 && grep -q "^grade [0-9]" "$dir/out"'
"$root/build/bin/grade" 01 "$dir/x.cu" 2> "$dir/err" | true
status=${PIPESTATUS[0]}
ok "a reader that goes away is no trouble" eval 'ends 0 && [ ! -s "$dir/err" ]'
ok "nothing is left behind" left_nothing
done_testing
