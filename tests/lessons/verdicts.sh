#!/bin/bash
# SPDX-License-Identifier: MIT
#
# What the grader says of files whose verdict is known, each on one card, in turn (LONG=1: on every card that
# the lesson runs on, with SEEDS=n seeds): solutions and other right answers pass, starters do not, a wrong
# answer fails the check that its first line names (`// fails: id`) and no
# other; on cards where it is right after all (`// passes on: c1060`) it passes.
# LESSONS="06-overlap" tests these lessons only.
set -u

verdict=build/tests/lessons/verdict
seeds=${SEEDS-1}

# Grades FILE; prints what is not as expected (an extended regular expression).
grade_everywhere() {    # number lesson file expected
    local number=$1 seed card said status line cards expected right
    shift
    right=$(sed -n '1,5s,^// passes on: *,,p' "$2")
    readarray -t cards < <(build/bin/grade --cards "$1")
    [ -z "${LONG-}" ] && cards=("${cards[number % ${#cards[@]}]}")
    for card in "${cards[@]}"; do for ((seed = number + 1; seed <= number + seeds; seed++)); do
        said=$(build/bin/grade --json - --seed "$seed" --card "$card" "$1" "$2" 2>&1)
        status=$?
        line=$("$verdict" <<< "$said" 2> /dev/null) || line="status $status: $said"
        expected=$3
        [[ " $right " = *" $card "* ]] && expected='passed:'
        [[ $line =~ ^$expected$ && $status = $([[ $line = passed: ]]; echo $?) ]] ||
            printf '# SEED=%d SIM_PROFILE=%s build/bin/grade %s %s\n#   expected %s\n#   said %s (status %d)\n' \
                "$seed" "$card" "$1" "$2" "$expected" "${line//$'\n'/$'\n'#     }" "$status"
    done; done
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
        check=$(sed -n '1,5s,^// fails: *\([^ ]*\).*,\1,p' "$file")
        sentence="$file fails ${check:-a check that it does not name} and nothing else"
        expected="(wanting|crashed|timed out): $check"
        ;;
    esac
    problems=$(grade_everywhere "$number" "$lesson" "$file" "$expected")
    [ -z "${scratch-}" ] || rm -rf "$scratch"
    if [ -z "$problems" ]; then echo "ok - $sentence"; else printf 'not ok - %s\n%s\n' "$sentence" "$problems"; fi
}

if [ "${1-}" = --case ]; then
    shift
    out=$1; shift
    run_case "$@" > "$out"
    exit
fi

scratch=$(mktemp -d) || exit 2
trap 'rm -rf "$scratch"' EXIT
cases=()
for folder in lessons/[0-9][0-9]-*/; do
    lesson=$(basename "$folder")
    [ -e "$folder/check.c" ] || continue
    [[ -z ${LESSONS-} || " $LESSONS " = *" $lesson "* ]] || continue
    cases+=("right $lesson solutions/$lesson.cu" "untouched $lesson exercises/$lesson.cu" "touched $lesson exercises/$lesson.cu")
    for file in tests/styles/"$lesson"/*.cu; do [ -e "$file" ] && cases+=("right $lesson $file"); done
    for file in tests/wrong/"$lesson"/*.cu; do [ -e "$file" ] && cases+=("wrong $lesson $file"); done
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
