#!/bin/bash
# SPDX-License-Identifier: MIT
#
# A learner does one part after the other: each gives its points when it is done, the others are not attempted,
# and the report says where to go on.
. tests/tap.bash

# The parts of a lesson: "a moments", "b overlap", … (grader/check.h, struct part).
parts_of() {    # lesson
    sed -n '/^static const struct part parts/,/^};/s/^ *{ "\([a-z]\)", ".*", "\([^"]*\)" },$/\1 \2/p' "lessons/$1/check.c"
}

# The starter with these regions of the solution.
half_done() {   # lesson regions
    awk -v wanted=" $2 " '
        FNR == 1 { solution = NR == 1 }
        $1 == "//<" { inside = "" }
        inside != "" { if (solution) region[inside] = region[inside] $0 "\n"; else next }
        !solution
        $1 == "//>" && index(wanted, " " $2 " ") { inside = $2; if (!solution) printf "%s", region[$2] }
    ' "solutions/$1.cu" "exercises/$1.cu"
}

for folder in lessons/[0-9][0-9]-*/; do
    lesson=$(basename "$folder")
    [ -e "$folder/check.c" ] || continue
    readarray -t parts < <(parts_of "$lesson")
    regions= ids=
    for ((done = 1; done < ${#parts[@]}; done++)); do
        regions+=" ${parts[done - 1]#* }" ids+=" ${parts[done - 1]%% *}" next=${parts[done]%% *} file=$dir/$lesson.cu
        half_done "$lesson" "$regions" > "$file"
        run build/bin/grade --seed "$((tap_count + 1))" --width 200 "$lesson" "$file"
        problems=
        ends 1 || problems+="status $status"$'\n'
        for ((k = 0; k < ${#parts[@]}; k++)); do
            part=${parts[k]%% *}
            if ((k < done)); then
                grep -qE "^  PASS +([0-9]+)/\1  Part $part: " "$dir/out" || problems+="part $part is not passed whole"$'\n'
            elif ((k > done)); then
                grep -qE "^  NOT ATTEMPTED +0/[0-9]+  Part $part: " "$dir/out" || problems+="part $part is not 'not attempted'"$'\n'
            fi
        done
        first=${parts[done]#* }
        at=$(grep -n "//> ${first%% *}\$" "$file" | cut -d: -f1)
        tr -s '\n ' ' ' < "$dir/out" | grep -qF "Next: part $next (" || problems+="it does not go on with part $next"$'\n'
        tr -s '\n ' ' ' < "$dir/out" | grep -qF "do what the TODO at $file:$at says" || problems+="nor with the TODO in line $at"$'\n'
        check "$lesson: who has done$ids has those points and goes on with $next" "${problems:+$problems$(seen)}"
    done
done
done_testing
