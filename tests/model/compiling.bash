# SPDX-License-Identifier: MIT
# For tests that compile all sources. The compiler is given in words: `gcc -fsyntax-only` is one.
. tests/tap.bash

has() { command -v "$1" > /dev/null; }

flags=(-D_GNU_SOURCE '-DWORKBOOK_VERSION="0"' -Wall -Wextra -Werror -Icommon -I.)
includes=(-I"$root/common" -I"$root" -I"$root/common/sim/include" -I"$root/tests/cupti/fake")
# The folders whose sources are compiled, of the programs and of the lessons.
rooms=(common/{cupti,figure,model,model/hosted,trace/{record,order,draw}} grader grader/{base,sandbox,run,judge/termination,judge/shared,judge,learner,report,grade} build)
mapfile -t -O ${#rooms[@]} rooms < <(find common/sim common/simcc -name '*.c' -printf '%h\n' | sort -u)
! tools/setup --has grade || rooms+=(grader/export grader/batch{,/files,/intake,/jobs,/similar,/results})
rooms+=(lessons/[0-9]*)
# A room at a time. With gcc to objects, which compilers.sh looks at further down; with a second compiler as one unit, as
# tools/make/build.mk does: in which groups files are compiled changes when one comes or goes.
compile_room='
room=$1 compiler=$2 made=$3; shift 3
shown=; case $room in common/sim | common/sim/*) shown="-include sim/visible.h" ;; esac
if [ "$compiler" = gcc ]; then
    mkdir -p "$made" && cd "$made" && exec gcc -std=c11 -c $shown "$@" "$root/$room"/*.c
fi
[ "$room" != common/cupti ] || exec $compiler -std=c11 -fsyntax-only "$@" "$room"/*.c    # which a machine with CUPTI compiles file by file
printf "#include \"%s\"\n" $(grep -L "^int main(" "$room"/*.c) | $compiler -std=c11 -fsyntax-only $shown "$@" -x c - || exit
alone=$(grep -l "^int main(" "$room"/*.c) || exit 0
exec $compiler -std=c11 -fsyntax-only "$@" $alone'
compiles() {    # compiler, flags
    printf '%s\n' "${rooms[@]}" | root=$root xargs -P "$(nproc)" -I '{}' sh -c "$compile_room" - '{}' "$1" "$dir/objects/{}" \
        "${flags[@]}" "${includes[@]}" "${@:2}"
}
compiles_tests() {  # compiler, flags
    printf '%s\n' tests/*/*.c tests/{sim,grader}/*/*.c tests/sim/race/family/{known,random,text}.c tools/*.c tools/bench/*.c |
        xargs -P "$(nproc)" -n 16 "$1" -std=c11 -fsyntax-only "${flags[@]}" "${includes[@]}" "${@:2}"
}
