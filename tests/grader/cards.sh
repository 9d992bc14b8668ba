#!/bin/bash
# SPDX-License-Identifier: MIT
# A card from a file: taken by programs, grade and timeline; a mistake in it is refused with its line.
source tests/grader/tap.bash

cat > "$dir/x.cu" <<'EOF'
#include <stdio.h>
#include <cuda_runtime.h>
int main()
{
    struct cudaDeviceProp p;
    cudaGetDeviceProperties(&p, 0);
    printf("%s, %d SMs\n", p.name, p.multiProcessorCount);
}
EOF
build/bin/simcc "$dir/x.cu" -o "$dir/x" || exit 2
runs() { # SIM_PROFILE, program…
    SIM_PROFILE=$1 "${@:2}" > "$dir/out" 2> "$dir/err"
    status=$?
}

cp common/model/cards/h200.card "$dir/mine.card"
sed -i 's/^name .*/name mine/; s/^title .*/title a card of mine/; s/^sms .*/sms 7/' "$dir/mine.card"
runs "$dir/mine.card" "$dir/x"
ok "a program runs on a card from a file" eval 'ends 0 && says "a card of mine, 7 SMs"'
cd "$dir" || exit 2
runs mine.card ./x
ok "what ends in .card is a file of this folder" eval 'ends 0 && says "7 SMs"'
printf 'like h200\nname short\nsms 8\n' > short
runs ./short ./x
ok "what has a slash in it is a file; it may be like another card" eval 'ends 0 && says "NVIDIA H200, 8 SMs"'
cd "$root" || exit 2
runs "$dir/mine.card" build/bin/timeline "$dir/x"
ok "timeline takes it, and gives it to the program" eval 'ends 0 && says "7 SMs"'
build/bin/timeline --card "$dir/mine.card" "$dir/x" > "$dir/out" 2> "$dir/err"
status=$?
ok "so it does with --card" eval 'ends 0 && says "7 SMs"'
(cd "$dir" && grade --card mine.card 01 "$root/$solution" && exit "$status")
status=$?
ok "grade judges on it, from a folder of any name" eval 'ends 0 && says "a card of mine"'
SIM_PROFILE=$dir/mine.card grade 06 solutions/06-overlap.cu
ok "lessons that look at several cards look at it, too" eval 'ends 0 && says "a card of mine"'
runs voodoo2 "$dir/x"
ok "a name that no card has is answered with those that there are" trouble "there is no card 'voodoo2'; there are h200, "

# SENTENCE, what is wrong at that place, a sed script for the card.
at() { grep -n "^$1" "$dir/mine.card" | cut -d: -f1; }
refuses() {
    local sentence=$1 wanted=$2
    shift 2
    sed "$@" "$dir/mine.card" > "$dir/bad.card"
    runs "$dir/bad.card" "$dir/x"
    ok "$sentence: a program" trouble "$dir/bad.card:$wanted"
    grade --card "$dir/bad.card" 01 "$solution"
    ok "$sentence: grade" trouble "$dir/bad.card:$wanted"
    runs "$dir/bad.card" build/bin/timeline "$dir/x"
    ok "$sentence: timeline" trouble "$dir/bad.card:$wanted"
}
sms=$(at 'sms ') h2d=$(at 'h2d_pinned ') duplex=$(at 'duplex_permille ') last=$(wc -l < "$dir/mine.card")
refuses "a key that no card has" "$sms: no card has such a key" 's/^sms /streaming_multiprocessors /'
refuses "a key in capitals" "$sms: no card has such a key" 's/^sms /SMS /'
refuses "a missing key" "$((last - 1)): no line for 'sms'" '/^sms /d'
refuses "a value that is no number" "$sms: the value is not a whole number with no unit" 's/^sms .*/sms many/'
refuses "a value with a unit" "$h2d: the value is not a whole number with no unit" 's,^h2d_pinned .*,h2d_pinned 55 GB/s,'
refuses "a value with a point" "$h2d: the value is not a whole number with no unit" 's/^h2d_pinned .*/h2d_pinned 55.4/'
refuses "no value" "$sms: the value is not a whole number with no unit" 's/^sms .*/sms/'
refuses "a negative bandwidth" "$h2d: the value is not between 1 and 1000000000" 's/^h2d_pinned .*/h2d_pinned -55400/'
refuses "none" "$h2d: the value is not between 1 and 1000000000" 's/^h2d_pinned .*/h2d_pinned 0/'
refuses "a number out of all reason" "$sms: the value is not between 1 and 100000" 's/^sms .*/sms 999999999/'
refuses "copies that help each other" "$duplex: the value is not between 1000 and 10000" 's/^duplex_permille .*/duplex_permille 900/'
refuses "a key given twice" "$((sms + 1)): this key was given before" '/^sms /p'
refuses "more queues than the most" "$(at 'max_queues '): queues is above max_queues" 's/^queues .*/queues 64/'
refuses "two lines in one" "$sms: the value is not a whole number with no unit" '/^sms /N; s/\n/ /'
refuses "like in the middle" "$sms: 'like' comes first" 's/^sms .*/like c1060/'
refuses "something that is no card" "1: no card has such a key" '1s/.*/int main() { return 0; }/'

file() { # SENTENCE, FILE, what is wrong
    runs "$2" "$dir/x"
    ok "$1" trouble "$2$3"
}
: > "$dir/empty.card"
head -c 3000 /dev/zero > "$dir/zeros.card"
head -c 70000 /dev/zero | tr '\0' '\n' > "$dir/long.card"
mkfifo "$dir/pipe.card"
mkdir "$dir/folder.card"
file "an empty file" "$dir/empty.card" ":1: no line for 'name'"
file "a file of zeros" "$dir/zeros.card" ":1: no card has such a key"
file "a file of any length" "$dir/long.card" ": too long for a card"
file "a pipe that nobody writes to" "$dir/pipe.card" ":1: no line for 'name'"
file "a folder" "$dir/folder.card" ": Is a directory"
file "no file" "$dir/none.card" ": No such file or directory"
done_testing
