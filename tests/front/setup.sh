#!/bin/bash
# SPDX-License-Identifier: MIT
# tools/setup on machines that lack this and that: made-up ones, on a PATH of our own.
. tests/tap.bash
scratch=$dir/scratch
mkdir "$scratch"

# A machine: the commands of the arguments, besides what every machine has.
machine() {
    rm -rf "$scratch/bin"
    mkdir "$scratch/bin"
    for command in sh cat tail sed "$@"; do
        [ -e "$scratch/bin/$command" ] || ln -s "$(command -v "$command")" "$scratch/bin/$command"
    done
}
fake() {    # command, its script
    rm -f "$scratch/bin/$1"
    printf '#!/bin/sh\n%s\n' "$2" > "$scratch/bin/$1"
    chmod +x "$scratch/bin/$1"
}

# Runs the setup with no terminal, as user number $1, for $what. Sets $said and $status.
what=lesson
setup() {
    local user=$1
    shift
    fake id "echo $user"
    said=$(cd "$scratch" && mkdir -p build &&
        setsid -w env -i PATH="$scratch/bin" "$@" "$OLDPWD/tools/setup" $what 2>&1 < /dev/null)
    status=$?
}
# What a compiler makes of __clang__ and __GNUC__.
gnu='echo __clang__ 12' clang='echo 1 4'

silent_success() { [ "$status" = 0 ] && [ -z "$said" ]; }
one_line_with() { [ "$status" = 2 ] && [ "$(wc -l <<< "$said")" = 1 ] && [[ $said == *"$1"* ]]; }
asked_apt_for() { [ "$(cat "$scratch/apt" 2> /dev/null)" = "$1" ]; }

apt="shift 3; echo \"\$@\" >> $scratch/apt"     # after its options

machine
fake gcc 'cat > /dev/null'
fake g++ "$gnu"
fake ar ''
setup 1000
ok "where nothing is missing it says nothing" silent_success

machine
fake apt-get "$apt"
setup 1000
ok "an ordinary user with no terminal gets one line to type" one_line_with 'apt-get install gcc g++'
ok "and nothing is installed" asked_apt_for ''

machine
fake gcc 'grep -q jansson && exit 1; exit 0'
fake g++ "$gnu"
fake ar ''
ln -sf "$(command -v grep)" "$scratch/bin/grep"
fake apt-get "$apt"
setup 1000
ok "only what is missing is named" one_line_with 'apt-get install libjansson-dev'

what=check
machine grep
fake gcc 'cat > /dev/null'
fake g++ "$gnu"
fake ar ''
fake apt-get "$apt"
setup 1000
ok "the tests need python3, too" one_line_with 'apt-get install python3'
fake python3 'exit 1'
setup 1000
ok "and one with its library" one_line_with 'apt-get install python3'
fake gcc 'grep -q "jansson\|cmocka" && exit 1; exit 0'
what='lesson check'
setup 1000
ok "what several need is asked for at once, and each once" \
    eval 'one_line_with "apt-get install libjansson-dev libcmocka-dev python3" && [[ $said != *python3*python3* ]]'
what='--has grade'
machine grep
fake gcc 'grep -q "jansson\|cmocka" && exit 1; exit 0'
fake bwrap ''
setup 1000
ok "what the tests install themselves is not missed when they ask for more" silent_success
fake gcc 'grep -q archive && exit 1; exit 0'
setup 1000
ok "but the rest is" [ "$status" = 1 ]
what=lesson

machine
fake gcc 'cat > /dev/null'
fake ar ''
fake clang++ "$clang"
fake clang 'cat > /dev/null'
fake g++-9 'echo __clang__ 9'
fake g++-13 'echo __clang__ 13'
fake apt-get "$apt"
setup 1000 CXX=clang++
ok "a CXX that is no GNU g++ gets one line: simcc needs one" one_line_with 'CXX=clang++ is no GNU g++ 11 or newer, and simcc needs one'
setup 1000 CXX=g++-9
ok "and so does one that is too old" one_line_with 'CXX=g++-9 is no GNU g++ 11 or newer'
setup 1000 CXX=g++-13
ok "one by another name will do" silent_success
setup 1000 CC=clang
ok "clang alone lacks g++" one_line_with 'apt-get install g++'
fake g++ "$gnu"
setup 1000 CC=clang
ok "clang will do for CC" silent_success

machine
setup 0
ok "where there is no apt-get one line says what is needed" one_line_with 'Missing here'

machine
fake apt-get "$apt"
setup 0
ok "root gets the packages installed with no question" asked_apt_for $'update\ninstall -y --no-install-recommends '"$(sed -n 's/.*packages: //p' <<< "$said")"
ok "the packages are named before they are installed" \
    [ "$(head -n 1 <<< "$said" | grep -c '^The workbook needs these Debian packages: gcc g++')" = 1 ]
ok "what is still not there after that is said, with status 2" [ "$status" = 2 ]

rm -f "$scratch/apt"
machine
fake apt-get "$apt"
# shellcheck disable=SC2016
fake sudo '[ "$1" = -n ] && shift; exec "$@"'
setup 1000 YES=1
ok "YES=1 goes ahead by sudo, which must not ask" asked_apt_for $'update\ninstall -y --no-install-recommends '"$(sed -n 's/.*packages: //p' <<< "$said")"

machine
fake apt-get 'echo no network; exit 1'
setup 0
ok "an installation that fails says so, and why" [ "$status" = 2 -a "$(grep -c 'no network' <<< "$said")" = 1 ]

done_testing
