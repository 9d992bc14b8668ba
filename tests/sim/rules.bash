# SPDX-License-Identifier: MIT
# Rules and figures: what a file says of itself in comments of their own, and running a folder of them.
#   build: OPTION…      options of simcc and nvcc
#   run: NAME=VALUE…    the environment it runs in
rule_says() { # word, file
    sed -n "s,^/\* $1: \(.*\) \*/\$,\1,p" "$2"
}

# Each FOLDER/NAME.cu is compiled by simcc and run; its sentences are the tests (tests/sim/sim.bash).
# A file that has hazards on purpose says how many: "hazards: N" in a comment.
run_rules() { # folder
    local source name line wanted
    for source in "$1"/*.cu; do
        name=$(basename "$source" .cu)
        run build/bin/simcc -Wall -Wextra -Werror $(rule_says build "$source") "$source" -o "$dir/rule"
        if ! ends 0; then
            check "$name compiles without a warning" "$(cat "$dir/err")"
            continue
        fi
        run env $(rule_says run "$source") "$dir/rule"
        while IFS= read -r line; do
            case $line in
            'ok - '*) check "$name: ${line#ok - }" '' ;;
            'not ok - '*) check "$name: ${line#not ok - }" "$(seen)" ;;
            esac
        done < "$dir/out"
        wanted=$(sed -n 's/.*hazards: \([0-9]*\).*/\1/p' "$source")
        [ "$(hazards)" = "${wanted:-0}" ] || check "$name has as many hazards as it is meant to have" "$(seen)"
        [ "$status" -le 1 ] && ! grep -qv '^hazard: ' "$dir/err" || check "$name runs to its end" "$(seen)"
    done
    done_testing
}
