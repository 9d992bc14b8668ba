#!/bin/bash
# SPDX-License-Identifier: MIT
#
# What the grader says of files whose verdict is known, each with one seed, its own, which says on which card (SEEDS=n: with n
# seeds, each on one of the cards that the lesson runs on, in turn): solutions and other right answers pass, starters do not, a
# wrong answer fails the check that its first line names (`fails: id`) and no
# other; on cards where it is right after all (`passes on: c1060`) it passes. What is said of it has the words of its line `says:`, or of
# one of them where there are several.
# Solutions and starters are tried always; of the rest, one in TURNS has its turn, by the day of the newest commit (DAY=n: that
# day's). All are tried with LONG=1, with SEEDS, or with LESSONS="06-overlap", which tests these lessons only
# (LESSONS="06-overlap" SAMPLE=1: of the wrong answers that fail the same check the first, one with words before others).
. tests/tap.bash

# The file to grade of a case that is kept in tests/, an edit or whole (tests/edit).
whole() { # file
    local made=${1%.*}.cu
    case $1 in tests/*) echo "build/${made#tests/}" ;; *) echo "$1" ;; esac
}
# What the first lines of wrong answers say behind a word, `fails`, `passes on` or `says`: by file and word, read at once.
declare -A told=()
while IFS=$'\t' read -r key text; do
    told[$key]+=${told[$key]+$'\n'}$text
done < <(awk 'FNR <= 5 && match($0, /^(\/\/ )?(fails|passes on|says): */) {
    word = substr($0, 1, RLENGTH)
    gsub(/^\/\/ |: *$/, "", word)
    print FILENAME " " word "\t" substr($0, RLENGTH + 1) }' tests/wrong/*/*.*)

tests/edit all 2>&1 | sed 's/^/# /'      # one that does not fit is not there to be graded

# Cases: what is tested, the lesson, the file as it is kept, the file that is graded.
kinds=() lessons=() files=() graded=()
all=${LONG-}${SEEDS-}${LESSONS-}
[ -z "${SAMPLE-}" ] || all=
readonly TURNS=8
day=$(tests/day) others=0
turn() { [ -n "$all" ] || (((others++ + day) % TURNS == 0)); }
declare -A tried=()
add() { # kind lesson file [graded]
    kinds+=("$1") lessons+=("$2") files+=("$3") graded+=("${4-$(whole "$3")}")
}
for folder in lessons/[0-9][0-9]-*/; do
    lesson=$(basename "$folder")
    [ -e "$folder/check.c" ] || continue
    [[ -z ${LESSONS-} || " $LESSONS " = *" $lesson "* ]] || continue
    add right "$lesson" "solutions/$lesson.cu"
    add untouched "$lesson" "exercises/$lesson.cu"
    sed 's,^\( *\)//> .*,&\n#undef MINE,' "exercises/$lesson.cu" > "$dir/$lesson.cu"
    add touched "$lesson" "exercises/$lesson.cu" "$dir/$lesson.cu"
    for file in tests/styles/"$lesson"/*.*; do [ -e "$file" ] && turn && add right "$lesson" "$file"; done
    for file in $(grep -ls '^\(// \)\?says:' tests/wrong/"$lesson"/*.*; grep -Ls '^\(// \)\?says:' tests/wrong/"$lesson"/*.*); do
        check=${told[$file fails]-}
        if [ -n "${SAMPLE-}" ]; then [ -z "${tried[$lesson $check]-}" ]; else turn; fi || continue
        tried[$lesson $check]=yes
        add wrong "$lesson" "$file"
    done
done

# All are graded, with SEEDS, or with a seed each, which the file's text gives: it stays the same while others come and go.
words=()
mapfile -t sums < <(cksum "${files[@]}" | cut -d ' ' -f 1)
for number in "${!kinds[@]}"; do
    seeds=$((sums[number] % 1000 + 1)) to=rest
    seeds+=" $seeds"
    [ -z "${SEEDS-}" ] || seeds="1 $SEEDS"
    [ "${kinds[number]}" != wrong ] || words[number]=${told[${files[number]} says]-}
    [ -z "${words[number]-}" ] || to=worded
    echo "$number ${lessons[number]} ${graded[number]} $seeds" >> "$dir/$to"
done
mkdir "$dir/json"
build/bin/seeds "${JOBS:-$(nproc)}" < "$dir/rest" > "$dir/verdicts" 2> "$dir/errors"
[ ! -e "$dir/worded" ] || build/bin/seeds "${JOBS:-$(nproc)}" "$dir/json" < "$dir/worded" >> "$dir/verdicts" 2>> "$dir/errors"
declare -A said=()
while IFS=$'\t' read -r number line card count seed; do
    said[$number]+="$line"$'\t'"$card"$'\t'"$count"$'\t'"$seed"$'\n'
done < "$dir/verdicts"

for number in "${!kinds[@]}"; do
    lesson=${lessons[number]} file=${files[number]} right= problems=
    case ${kinds[number]} in
    right) sentence="$file passes" expected='passed:' ;;
    untouched) sentence="$file is not attempted" expected='not attempted:' ;;
    touched) sentence="$file, touched and not solved, fails a check" expected='(wanting|crashed|timed out): .+' ;;
    wrong)
        check=${told[$file fails]-} right=${told[$file passes on]-}
        sentence="$file fails ${check:-a check that it does not name} and nothing else"
        expected="(wanting|crashed|timed out): ${check%% *}"
        ;;
    esac
    if [ -z "${said[$number]-}" ]; then
        check "$sentence" "it was not judged: $(cat "$dir/errors")"
        continue
    fi
    while IFS=$'\t' read -r line card count seed; do
        wanted=$expected
        [[ " $right " = *" $card "* ]] && wanted='passed:'
        [[ $line =~ ^$wanted$ ]] || problems+=$(printf 'SEED=%d SIM_PROFILE=%s build/bin/grade %s %s (%d times)\n  expected %s\n  said %s' \
            "$seed" "$card" "$lesson" "${graded[number]}" "$count" "$wanted" "$line")$'\n'
    done <<< "${said[$number]%$'\n'}"
    [ -z "${words[number]-}" ] || while read -r silent; do
        problems+="says nothing of \"${words[number]}\": seed and card ${silent##*/}"$'\n'
    done < <(for json in "$dir/json/$number".*.json; do
        card=${json%.json}
        [[ " $right " = *" ${card##*.} "* ]] || grep -LF -- "${words[number]}" "$json"
    done)
    check "$sentence" "${problems%$'\n'}"
done
done_testing
