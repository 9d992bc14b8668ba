#!/bin/bash
# SPDX-License-Identifier: MIT
# RULES.md says which sentence of the tests asks which rule: no rule is without, no sentence is made up.
set -u
table=tests/sim/RULES.md
scratch=$(mktemp -d) || exit 2
trap 'rm -rf "$scratch"' EXIT
count=0

say() { # condition's status, sentence; what is wrong in $scratch/wrong
    count=$((count + 1))
    if [ "$1" = 0 ]; then
        echo "ok $count - $2"
    else
        echo "not ok $count - $2"
        sed 's/^/# /' "$scratch/wrong"
    fi
}

# Rules are numbered 1 to 74; 48, 51 and 52 went into others.
sed -n 's/^| \([0-9][0-9]*\) | .*/\1/p' "$table" > "$scratch/numbers"
seq 74 | grep -vx '48\|51\|52' | diff - "$scratch/numbers" > "$scratch/wrong"
say $? "every rule has a line, in order"

# Adjacent literals are one sentence.
for folder in rules figures; do
    for file in tests/sim/$folder/*.cu; do
        name=$(basename "$file" .cu)
        [ $folder = rules ] || name=figures/$name
        cat $(sed -n 's,^#include "\([a-z./]*\.h\)".*,tests/sim/'$folder'/\1,p' "$file" | xargs -r ls 2> /dev/null) "$file" |
            tr '\n' ' ' | sed 's/" *"//g' > "$scratch/${name/\//-}.text"
    done
done
: > "$scratch/wrong"
lines=0 asked=0
while IFS= read -r line; do
    lines=$((lines + 1))
    sentences=${line%' |'}
    sentences=${sentences##*' | '}
    [[ $sentences != 'not asked: '?* ]] || continue
    while IFS= read -r sentence; do
        asked=$((asked + 1))
        file=${sentence%%: *}
        grep -qF -- "\"${sentence#*: }\"" "$scratch/${file/\//-}.text" 2> /dev/null || echo "$sentence" >> "$scratch/wrong"
    done <<< "${sentences//<br>/$'\n'}"
done < <(grep '^| ' "$table" | grep -v '^| | rule\|^| figures ')
[ ! -s "$scratch/wrong" ] && [ $lines -gt 80 ] && [ $asked -gt 150 ]
say $? "every sentence of the table is one of the tests"
: > "$scratch/wrong"
for file in tests/sim/figures/*.cu; do
    grep -q "figures/$(basename "$file" .cu): " "$table" || echo "$file" >> "$scratch/wrong"
done
[ ! -s "$scratch/wrong" ]
say $? "no file of figures is left out"
echo "1..$count"
