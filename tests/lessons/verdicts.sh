#!/bin/bash
# SPDX-License-Identifier: MIT
#
# What the grader says of files whose verdict is known, each on one card, in turn (SEEDS=n: with n seeds, each on one of
# the cards that the lesson runs on, in turn): solutions and other right answers pass, starters do not, a wrong
# answer fails the check that its first line names (`fails: id`) and no
# other; on cards where it is right after all (`passes on: c1060`) it passes.
# LESSONS="06-overlap" tests these lessons only.
set -u

verdict=build/tests/lessons/verdict

# The file to grade of a case that is kept in tests/, an edit or whole (tests/edit).
whole() { # file
    local made=${1%.*}.cu
    case $1 in tests/*) echo "build/${made#tests/}" ;; *) echo "$1" ;; esac
}
# What the first lines of a wrong answer say behind a word: `fails`, `passes on`.
said_of() { # file word
    sed -nE "1,5s,^(// )?$2: *,,p" "$1"
}

# Grades FILE; prints what is not as expected (an extended regular expression).
grade_somewhere() {     # number lesson file expected
    local number=$1 card seed=$(($1 + 1)) said status line cards
    readarray -t cards < <(build/bin/grade --cards "$2")
    card=${cards[number % ${#cards[@]}]}
    said=$(build/bin/grade --json - --seed "$seed" --card "$card" "$2" "$(whole "$3")" 2>&1)
    status=$?
    line=$("$verdict" <<< "$said" 2> /dev/null) || line="status $status: $said"
    look "$3" "$4" "$line" "$card"
    [ "$status" = "$([[ $line = passed: ]]; echo $?)" ] || echo "# $3: status $status and $line"
    [ -z "$unlike" ] || printf '# SEED=%d SIM_PROFILE=%s build/bin/grade %s %s\n%s\n' "$seed" "$card" "$2" "$(whole "$3")" "$unlike"
}

grade_everywhere() {    # number lesson file expected
    local said line card count seed
    said=$(build/bin/seeds "$2" "$(whole "$3")" 1 "$SEEDS" 2>&1) || { printf '# %s\n' "$said"; return; }
    while IFS=$'\t' read -r line card count seed; do
        look "$3" "$4" "$line" "$card"
        [ -z "$unlike" ] || printf '# %d times, first with SEED=%d SIM_PROFILE=%s build/bin/grade %s %s\n%s\n' "$count" "$seed" \
            "$card" "$2" "$(whole "$3")" "$unlike"
    done <<< "$said"
}

# Sets $unlike to what is wrong with the verdict, "" for nothing.
look() {    # file expected line card
    local expected=$2 right
    right=$(said_of "$1" 'passes on')
    [[ " $right " = *" $4 "* ]] && expected='passed:'
    unlike=
    [[ $3 =~ ^$expected$ ]] || unlike=$(printf '#   expected %s\n#   said %s' "$expected" "${3//$'\n'/$'\n'#     }")
}

# A case: its TAP line without a number, then what went wrong.
run_case() {    # number kind lesson file
    local number=$1 kind=$2 lesson=$3 file=$4 sentence expected problems scratch
    case $kind in
    right) sentence="$file passes" expected='passed:' ;;
    untouched) sentence="$file is not attempted" expected='not attempted:' ;;
    touched)
        sentence="$file, touched and not solved, fails a check" expected='(wanting|crashed|timed out): .+'
        scratch=$(mktemp -d)
        sed 's,^\( *\)//> .*,&\n\1/* mine */,' "$file" > "$scratch/touched.cu"
        file=$scratch/touched.cu
        ;;
    wrong)
        local check
        check=$(said_of "$file" fails)
        sentence="$file fails ${check:-a check that it does not name} and nothing else"
        expected="(wanting|crashed|timed out): $check"
        ;;
    esac
    local how=grade_somewhere
    [ -z "${SEEDS-}" ] || how=grade_everywhere
    problems=$($how "$number" "$lesson" "$file" "$expected")
    [ -z "${scratch-}" ] || rm -rf "$scratch"
    if [ -z "$problems" ]; then echo "ok - $sentence"; else printf 'not ok - %s\n%s\n' "$sentence" "$problems"; fi
}

if [ "${1-}" = --case ]; then
    shift
    out=$1; shift
    run_case "$@" > "$out"
    exit
fi

tests/edit all 2>&1 | sed 's/^/# /'      # one that does not fit is not there to be graded
scratch=$(mktemp -d) || exit 2
trap 'rm -rf "$scratch"' EXIT
cases=()
for folder in lessons/[0-9][0-9]-*/; do
    lesson=$(basename "$folder")
    [ -e "$folder/check.c" ] || continue
    [[ -z ${LESSONS-} || " $LESSONS " = *" $lesson "* ]] || continue
    cases+=("right $lesson solutions/$lesson.cu" "untouched $lesson exercises/$lesson.cu" "touched $lesson exercises/$lesson.cu")
    for file in tests/styles/"$lesson"/*.*; do [ -e "$file" ] && cases+=("right $lesson $file"); done
    for file in tests/wrong/"$lesson"/*.*; do [ -e "$file" ] && cases+=("wrong $lesson $file"); done
done

for number in "${!cases[@]}"; do
    echo "$scratch/$number $number ${cases[number]}"
done | xargs -r -P "$(nproc)" -L 1 "$0" --case

failed=0
for number in "${!cases[@]}"; do
    sed "1s/ok -/ok $((number + 1)) -/" "$scratch/$number"
    grep -q '^ok' "$scratch/$number" || failed=1
done
echo "1..${#cases[@]}"
exit $failed
