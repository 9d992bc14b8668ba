#!/bin/bash
# SPDX-License-Identifier: MIT
#
# Every lesson is whole: starter and solution are one file but for what stands
# between the marks, the starter is short, compiles without a warning and says
# what is wanted; each file names its licence. LESSONS="06-overlap" tests these lessons only.
. tests/tap.bash

# The file without what its marks enclose.
frame() { sed '\,//> ,,\,//< ,{\,//[<>] ,!d}' "$1"; }

# Each mark closed before the next opens, and under its own name.
marks_problems() {
    sed -n 's,.*//\([<>]\) *\([^ ]*\).*,\1 \2,p' "$1" | {
        open=
        while read -r side name; do
            if [ "$side" = '>' ]; then
                [ -z "$open" ] || echo "$1: $name opens within $open"
                open=$name
            else
                [ "$open" = "$name" ] || echo "$1: $name closes, open is ${open:-none}"
                open=
            fi
        done
        [ -z "$open" ] || echo "$1: $open is never closed"
    }
    grep -q '//> ' "$1" || echo "$1: no marks"
}

# Regions of the starter that have no TODO with bullets.
todo_problems() {
    awk '/\/\/> / { name = $2; todo = bullets = 0 }
         /TODO/ { todo = 1 }
         /^ *\*? *- [A-Z]/ { bullets++ }
         /\/\/< / && !(todo && bullets) { print FILENAME ": no TODO bullets in " name }' "$1"
}

warnings() { # lesson file [option]
    build/bin/simcc --hazards calls -Og -g1 -D_GLIBCXX_ASSERTIONS -Wall -Wextra ${3-} -Icommon -Ilessons/"$1" -c -o "$dir/x.o" "$2" 2>&1 || echo "$2 does not compile"
}

# Less than 120 lines, and where there are more than two parts less than 60 a part; the capstone's parts are programs of their own,
# of up to 150.
long() { # lesson file
    lines=$(wc -l < "$2")
    parts=$(grep -c 'driver_part(\([a-z]* ? [A-Z_]* : \)\?"' lessons/"$1"/driver.cu)
    most=$((parts > 2 ? 60 * parts : 120))
    [ "$1" != 14-capstone ] || most=$((150 * parts + 1))
    [ "$lines" -lt "$most" ] || echo "$2 has $lines lines, and $most are too many"
}

# Sections that a judge sends the reader to, and the chapter does not have.
sections_missing() { # folder
    sed -n 's/.*f->read = "\([^"]*\)".*/\1/p' "$1"*.c | while IFS= read -r section; do
        grep -qxF "## $section" "$1chapter.md" || echo "$1chapter.md has no section \"$section\""
    done
}

# The sections of every chapter.
every_chapter=("## Predict" "## What the machine did" "## Mistakes that everybody makes" "## The exercise" "## Where to read on")

# A driver calls the exercise: the contract's kernels are none of its affair.
for folder in lessons/[0-9][0-9]-*/; do
    lesson=$(basename "$folder")
    [ -e "$folder/check.c" ] || continue
    [[ -z ${LESSONS-} || " $LESSONS " = *" $lesson "* ]] || continue
    starter=exercises/$lesson.cu solution=solutions/$lesson.cu missing=
    for file in "$starter" "$solution" "$folder"{chapter.md,lesson.h,driver.cu}; do
        [ -s "$file" ] || missing+="$file is missing"$'\n'
    done
    check "$lesson has chapter, contract, driver, starter and solution" "$missing"
    [ -z "$missing" ] || continue
    check "$lesson: starter and solution differ only between the marks" \
        "$(marks_problems "$starter"; marks_problems "$solution"; diff <(frame "$starter") <(frame "$solution"))"
    check "$lesson: starter and solution are short" "$(long "$lesson" "$starter"; long "$lesson" "$solution")"
    check "$lesson: starter, solution and driver compile without a warning" \
        "$(warnings "$lesson" "$starter"; warnings "$lesson" "$solution"; warnings "$lesson" "${folder}driver.cu" -Wno-unused-function)"
    check "$lesson: every region of the starter says in bullets what is wanted" "$(todo_problems "$starter")"
    check "$lesson: nothing is left to do in the solution" "$(grep -n TODO "$solution")"
    check "$lesson: what a judge says to read is there" "$(sections_missing "$folder")"
    check "$lesson: the chapter has all that every chapter has, in order" \
        "$(diff <(printf '%s\n' "${every_chapter[@]}") <(grep -xF "$(printf '%s\n' "${every_chapter[@]}")" "${folder}chapter.md"))"
    check "$lesson: nothing that tools/new-lesson leaves to its author is left" \
        "$(grep -rn 'FILL IN' "$folder" "$starter" "$solution" "tests/wrong/$lesson")"
    check "$lesson: the driver as it is built names no folder of this machine" \
        "$(grep -cF "$PWD" "build/lessons/$lesson/driver.o" | grep -vx 0)"
    check "$lesson has wrong answers, and each names the check that it fails" \
        "$(found=; for file in tests/wrong/"$lesson"/*.*; do
               [ -e "$file" ] || continue
               found=1
               head -n 5 "$file" | grep -qE '^(// )?fails: ' || echo "$file"
           done; [ -n "$found" ] || echo none)"
done

# Tracked or not, but for what is made and what belongs to learners.
sources() {
    find . \( -path ./.git -o -path ./build -o -path ./work \) -prune -o -type f \
        \( -name '*.[ch]' -o -name '*.cu' -o -name '*.cpp' -o -name '*.md' -o -name '*.sh' -o -name '*.card' -o -name Makefile \
           -o -path './tools/*' -o -path ./tests/run -o -path ./.ci/run \) -print | sort
}
unlicensed() {
    sources > "$dir/sources"
    xargs -d '\n' grep -nHm 1 'SPDX-License-Identifier: \(MIT\|CC-BY-4.0\)' < "$dir/sources" | sed -n 's/^\([^:]*\):[1-5]:.*/\1/p' | sort | comm -23 "$dir/sources" -
}
check "every source names its licence in its first lines" "$(unlicensed)"

done_testing
