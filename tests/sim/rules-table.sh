#!/bin/bash
# SPDX-License-Identifier: MIT
# RULES.md says which sentence of the tests asks which rule: no rule is without, no sentence is made up.
. tests/tap.bash
table=tests/sim/RULES.md

# Rules are numbered 1 to 85; 48, 51 and 52 went into others.
sed -n 's/^| \([0-9][0-9]*\) | .*/\1/p' "$table" > "$dir/numbers"
check "every rule has a line, in order" "$(seq 85 | grep -vx '48\|51\|52' | diff - "$dir/numbers")"

# Adjacent literals are one sentence.
for folder in rules figures; do
    for file in $(find tests/sim/$folder -name '*.cu'); do
        name=$(basename "$file" .cu)
        [ $folder = rules ] || name=figures/$name
        cat $(sed -n "s,^#include \"\\([a-z./]*\\.h\\)\".*,${file%/*}/\\1,p" "$file" | xargs -r ls 2> /dev/null) "$file" |
            tr '\n' ' ' | sed 's/" *"//g' > "$dir/${name/\//-}.text"
    done
done
lines=0 asked=0 wrong=
while IFS= read -r line; do
    lines=$((lines + 1))
    sentences=${line%' |'}
    sentences=${sentences##*' | '}
    [[ $sentences != 'not asked: '?* ]] || continue
    while IFS= read -r sentence; do
        asked=$((asked + 1))
        file=${sentence%%: *}
        grep -qF -- "\"${sentence#*: }\"" "$dir/${file/\//-}.text" 2> /dev/null || wrong+=$sentence$'\n'
    done <<< "${sentences//<br>/$'\n'}"
done < <(grep '^| ' "$table" | grep -v '^| | rule\|^| figures ')
[ $lines -gt 80 ] && [ $asked -gt 150 ] || wrong+="$lines lines and $asked sentences are too few"
check "every sentence of the table is one of the tests" "$wrong"
check "no file of figures is left out" \
    "$(for file in tests/sim/figures/*.cu; do grep -q "figures/$(basename "$file" .cu): " "$table" || echo "$file"; done)"
done_testing
