# SPDX-License-Identifier: MIT
# Rules and figures: what a file says of itself in comments of their own, and running a folder of them.
#   build: OPTION…      options of simcc and nvcc
#   run: NAME=VALUE…    the environment it runs in
rule_says() { # word, file
    sed -n "s,^/\* $1: \(.*\) \*/\$,\1,p" "$2"
}

# Each FOLDER/NAME.cu is compiled by simcc and run; its sentences are the tests (TAP).
# A file that has hazards on purpose says how many: "hazards: N" in a comment.
run_rules() { # folder
    local scratch number=0 source name status line wanted
    scratch=$(mktemp -d) || exit 2
    trap "rm -rf '$scratch'" EXIT
    say() { # ok|not ok, sentence
        number=$((number + 1))
        printf '%s %d - %s\n' "$1" "$number" "$2"
    }
    for source in "$1"/*.cu; do
        name=$(basename "$source" .cu)
        if ! build/bin/simcc -Wall -Wextra -Werror $(rule_says build "$source") "$source" -o "$scratch/rule" 2> "$scratch/errors"; then
            say 'not ok' "$name compiles without a warning"
            sed 's/^/# /' "$scratch/errors"
            continue
        fi
        env $(rule_says run "$source") "$scratch/rule" > "$scratch/out" 2> "$scratch/errors"
        status=$?
        while IFS= read -r line; do
            case $line in
            'ok - '*) say ok "$name: ${line#ok - }" ;;
            'not ok - '*) say 'not ok' "$name: ${line#not ok - }" ;;
            esac
        done < "$scratch/out"
        wanted=$(sed -n 's/.*hazards: \([0-9]*\).*/\1/p' "$source")
        [ "$(grep -c '^hazard: ' "$scratch/errors")" = "${wanted:-0}" ] ||
            say 'not ok' "$name has as many hazards as it is meant to have"
        [ $status -le 1 ] && ! grep -qv '^hazard: ' "$scratch/errors" || say 'not ok' "$name runs to its end"
        [ "$(wc -l < "$scratch/errors")" = "${wanted:-0}" ] || sed 's/^/# /' "$scratch/errors"
    done
    echo "1..$number"
}
