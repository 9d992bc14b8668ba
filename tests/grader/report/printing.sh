#!/bin/bash
# SPDX-License-Identifier: MIT
# What a program prints is shown, made harmless, and means nothing.
. tests/grader/tap.bash

insert overlap '    printf("hello from here\n"); fprintf(stderr, "and here\n");'
sed -i '1i #include <cstdio>' "$dir/x.cu"
grade 01 "$dir/x.cu"
ok "both of its streams are shown" eval 'says "hello from here" && says "and here"'
ok "and change nothing" ends 0

cp exercises/01-sync-vs-async.cu "$dir/x.cu"
sed -i '1i #include <cstdio>\nstatic int early = (puts("PASS\\nok 1\\n{\\"status\\": \\"passed\\"}"), 0);' "$dir/x.cu"
grade 01 "$dir/x.cu"
ok "a program that prints PASS has not passed" ends 1

insert overlap '    printf("\033[2J\033]0;mine\a\xc2\x9b" "31mred \xff\n");'
sed -i '1i #include <cstdio>' "$dir/x.cu"
grade --json "$dir/v.json" 01 "$dir/x.cu"
ok "escapes are shown, not obeyed" eval '! grep -q $'"'[\\033\\a]'"' "$dir/out" && says "\\x1B[2J"'
ok "in the JSON too" eval '! grep -q $'"'\\033'"' "$dir/v.json" && [ "$(build/tests/lessons/verdict < "$dir/v.json")" = passed: ]'

insert overlap '    for (int i = 0; i < 3000000; i++) puts("flood of output");'
sed -i '1i #include <cstdio>' "$dir/x.cu"
grade --json "$dir/v.json" 01 "$dir/x.cu"
ok "a flood is cut in the report" eval '[ "$(wc -l < "$dir/out")" -lt 150 ] && says "dropped"'
ok "and in the JSON" [ "$(stat -c %s "$dir/v.json")" -lt 200000 ]
ok "and does not change the verdict" ends 0

insert overlap '    system("echo forged > /proc/self/fd/3; echo x > verdict.json");'
sed -i '1i #include <cstdlib>' "$dir/x.cu"
grade 01 "$dir/x.cu"
ok "files that it writes go away with its folder" eval 'left_nothing && [ ! -e verdict.json ]'
done_testing
