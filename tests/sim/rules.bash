# SPDX-License-Identifier: MIT
# Rules and figures: what a file says of itself in comments of their own, and running a folder of them.
#   build: OPTION…      options of simcc and nvcc
#   run: NAME=VALUE…    the environment it runs in
# RULES="pools graphs": these alone.
rule_says() { # word, file
    sed -n "s,^/\* $1: \(.*\) \*/\$,\1,p" "$2"
}

# Each NAME.cu in FOLDER and its rooms is compiled by simcc and run; its sentences are the tests (tests/sim/sim.bash).
# A file that has hazards on purpose, or notes of the simulator's, says how many: "hazards: N", "notes: N" in a comment.
run_rules() { # folder simcc-option...
    local source name line wanted
    for source in $(find "$1" -name '*.cu' | sort); do
        name=$(basename "$source" .cu)
        [[ -z ${RULES-} || " $RULES " = *" $name "* ]] || continue
        run build/bin/simcc -Wall -Wextra -Werror "${@:2}" $(rule_says build "$source") "$source" -o "$dir/rule"
        ends 0 || { say 1 "$name compiles without a warning"; continue; }
        run env $(rule_says run "$source") "$dir/rule"
        while IFS= read -r line; do
            case $line in
            'ok - '*) say 0 "$name: ${line#ok - }" ;;
            'not ok - '*) say 1 "$name: ${line#not ok - }" ;;
            esac
        done < "$dir/out"
        wanted=$(sed -n 's/.*hazards: \([0-9]*\).*/\1/p' "$source")
        [ "$(hazards)" = "${wanted:-0}" ] || say 1 "$name has as many hazards as it is meant to have"
        wanted=$(sed -n 's/.*notes: \([0-9]*\).*/\1/p' "$source")
        [ "$(grep -c '^note: ' "$dir/err")" = "${wanted:-0}" ] || say 1 "$name has as many notes as it is meant to have"
        [ "$status" -le 1 ] && ! grep -qv '^\(hazard\|note\): ' "$dir/err" || say 1 "$name runs to its end"
    done
    done_testing
}
