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
# hand_in STUDENT LESSON FILE
hand_in() { mkdir -p "$class/$1" && cp "$3" "$class/$1/$2.cu"; }
# of STUDENT LESSON EXPRESSION: a Python expression over its entry `e` of results.json.
of() {
    python3 - "$dir/grades/results.json" "$@" <<'PY'
import json, sys
results, student, lesson, expression = sys.argv[1:]
all = json.load(open(results))
e = [l for s in all["students"] if s["id"] == student for l in s["lessons"] if l["lesson"].startswith(lesson)][0]
print(eval(expression))
PY
}
status_of() { of "$1" "$2" 'e["status"]'; }
