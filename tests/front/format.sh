#!/bin/bash
# SPDX-License-Identifier: MIT
# C is indented as .clang-format says, and no line is longer than 100 columns that could be broken: tools/format, which leaves some
# files out, each with a reason.
. tests/tap.bash
command -v clang-format-19 > /dev/null || skip_all "no clang-format-19 here"
command -v git > /dev/null && git rev-parse --is-inside-work-tree > /dev/null 2>&1 || skip_all "no git here, or no clone"
command -v python3 > /dev/null || skip_all "no python3 here"

run tools/format --check
ok "all sources are as .clang-format says (make format does it)" ends 0

# What it would change it names, and it changes that and nothing else.
mkdir -p "$dir/tree/tools" "$dir/tree/common" && cp .clang-format "$dir/tree" && cp tools/format "$dir/tree/tools"
printf '%s\n' 'enum { A, B };' 'static struct { int a, b; } c;' 'int f(int a, int b)' '{' '  return a' '    + b;' '}' > "$dir/tree/common/x.c"
sed 's/^  return/    return/; s/^    +/           +/' "$dir/tree/common/x.c" > "$dir/wanted"
run "$dir/tree/tools/format" --check common/x.c
ok "a line that is indented otherwise is named" eval 'ends 1 && grep -q "^common/x.c:5: " "$dir/out"'
run "$dir/tree/tools/format" common/x.c
ok "it is put right, and lines stay lines" cmp "$dir/wanted" "$dir/tree/common/x.c"

printf '%s\n' 'static int sum(int first_of_these_numbers, int second_of_these_numbers, int third_of_these_numbers, int last)' \
    '{' '    return first_of_these_numbers + second_of_these_numbers;' '}' > "$dir/tree/common/x.c"
run "$dir/tree/tools/format" --check common/x.c
ok "a line of more than 100 columns is named" eval 'ends 1 && grep -q "^common/x.c:1: " "$dir/out"'
run "$dir/tree/tools/format" common/x.c
ok "it is broken, and nothing else is" eval 'ends 0 && [ "$(wc -l < "$dir/tree/common/x.c")" -eq 5 ] && [ "$(wc -L < "$dir/tree/common/x.c")" -le 100 ]'
done_testing
