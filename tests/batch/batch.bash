# SPDX-License-Identifier: MIT
# For the tests of batch: tap.bash, and a class in $dir/class. Skips all where batch is not built.
. tests/grader/tap.bash
[ -x build/bin/batch ] || skip_all "no libarchive, libseccomp, libelf, libmd or bubblewrap here"
chmod 711 "$dir" "$dir/tmp"     # root's sandboxes are nobody's
class=$dir/class
mkdir "$class"

# batch ARGUMENT...: on $class into $dir/out; what it says in $dir/out.txt as grade's in $dir/out.
batch() {
    run "${program:-$root/build/bin/batch}" --seed 7 -o "$dir/grades" "$@" "${submissions:-$class}"
}
# copy_program LESSON...: in $copy all that a batch needs of these lessons, to be changed.
copy=$dir/copy
copy_program() {
    mkdir -p "$copy/build/lessons" && cp -r lessons common exercises "$copy" && cp -r build/bin build/lib "$copy/build" || exit 2
    local lesson
    for lesson in "$@"; do cp -r build/lessons/"$lesson"-* "$copy/build/lessons"; done
}
# hand_in STUDENT LESSON FILE
hand_in() { mkdir -p "$class/$1" && cp "$3" "$class/$1/$2.cu"; }
# Two who tell what they should not: anna is wrong and prints a number of her inputs, ben crashes at an address made of his.
hand_in_leaks() {
    insert overlap '    printf("input %u seed?\n", result[0]); sum++;'
    sed -i '1i #include <cstdio>' "$dir/x.cu"
    sed 's|    return sum;|    return sum + 1;|' "$dir/x.cu" > "$dir/y.cu"
    hand_in anna 01-sync-vs-async "$dir/y.cu"
    insert overlap '    *(volatile int *)(size_t)(0xdead0000u + (result[0] & 0xfff)) = 1;'
    hand_in ben 01-sync-vs-async "$dir/x.cu"
}
# of STUDENT LESSON EXPRESSION: a Python expression over its entry `e` of results.json. One reader answers all that a
# script asks, since it takes longer to start than to answer. It ends with the script, when nobody can ask any more.
coproc reader { exec python3 -u -c '
import json, os, sys, traceback
stamp = None
for results, answer, student, lesson, expression in zip(*[map(lambda line: line[:-1], sys.stdin)] * 5):
    try:
        now = os.stat(results)
        if stamp != (now.st_ino, now.st_mtime_ns, now.st_size):
            with open(results) as file: all = json.load(file)
            stamp = now.st_ino, now.st_mtime_ns, now.st_size
        e = [l for s in all["students"] if s["id"] == student for l in s["lessons"] if l["lesson"].startswith(lesson)][0]
        with open(answer, "w") as file: print(eval(expression), file=file)
        print(0)
    except Exception:
        traceback.print_exc()
        print(1)
'; }
exec {ask}>&"${reader[1]}" {answered}<&"${reader[0]}"       # subshells ask, too
of() {
    local status=1
    printf '%s\n' "$dir/grades/results.json" "$dir/answer" "$@" >&"$ask"
    read -r status <&"$answered" && [ "$status" = 0 ] && cat "$dir/answer"
}
status_of() { of "$1" "$2" 'e["status"]'; }
