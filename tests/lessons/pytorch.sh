#!/bin/bash
# SPDX-License-Identifier: MIT
#
# The judge of lesson 13's exercise in Python, fed with what C programs did on the simulator that do as PyTorch does: each
# mistake fails its own check. And where there is no PyTorch one line says so.
. tests/tap.bash
export CUDA_MODULE_LOADING=EAGER SIM_HAZARDS=0 PYTHONDONTWRITEBYTECODE=1
torch=lessons/13-pytorch-streams/torch

# Runs the program with a mistake, leaves its nodes and notes.
record() {
    WORKBOOK_LOG=9 "$dir/program" $1 9> "$dir/log" > "$dir/notes$1" && build/bin/nodes "$dir/log" > "$dir/nodes$1"
}

cat > "$dir/said.py" << 'END'
import json, sys
sys.path.insert(0, sys.argv[1])
import judge
def read(which):
    return judge.Run(open(f"{sys.argv[2]}/nodes{which}"), json.load(open(f"{sys.argv[2]}/notes{which}")))
said = judge.judge(read(sys.argv[3]), read(""), {p: "wrong" if p == sys.argv[4] else None for p in "abc"} | {"blocks": 5, "batches": 5})
print(" ".join(name for name, _, verdict, _ in said if verdict == "FAIL"))
END
# The checks that fail with a mistake, and with wrong outputs of a part.
said() { python3 "$dir/said.py" "$torch" "$dir" "$1" "${2-}" 2>&1; }

build/bin/simcc --hazards calls -Icommon -o "$dir/program" tests/lessons/pytorch.cu || exit 2
record ''
check "a right program fails nothing" "$(said '')"
for mistake in a-work a-side a-input a-back a-host a-beside b-work b-made b-reuse b-host b-beside c-work c-pinned c-order c-reuse c-host c-ahead; do
    record $mistake
    got=$(said $mistake)
    check "the mistake $mistake fails this check alone" "$([ "$got" = $mistake ] || echo "it fails: $got")"
done

for part in a b c; do
    got=$(said '' $part)
    check "wrong output of part $part fails $part-output alone" "$([ "$got" = $part-output ] || echo "it fails: $got")"
done

# Pairs of runs: p passes, f fails b-beside and a-order in each; o fails b-beside alone.
cat > "$dir/pairs.py" << 'END'
import sys
sys.path.insert(0, sys.argv[1])
import judge
def said(letter):
    failing = {"p": (), "o": ("b-beside",), "f": ("b-beside", "a-input")}[letter]
    return [(name, sentence, "FAIL" if name in failing else "PASS", None) for name, _, sentence, _, _ in judge.CHECKS]
pairs = []
for letter in sys.argv[2]:
    if pairs and not judge.open_still(pairs):
        break
    pairs.append(said(letter))
print(len(pairs), *(name for name, _, verdict, _ in judge.settled(pairs) if verdict == "FAIL"))
END
while read -r runs wanted; do
    got=$(python3 "$dir/pairs.py" "$torch" "$runs" 2>&1)
    check "pairs of runs that say $runs: $wanted" "$([ "$got" = "$wanted" ] || echo "they come to: $got")"
done << 'END'
ppppp 1
opppp 3
oopop 5
ooopo 5 b-beside
ooooo 4 b-beside
fpppp 3 a-input
END

# A package of that name that cannot be imported stands for none.
mkdir "$dir/torch"
echo 'raise ImportError("none")' > "$dir/torch/__init__.py"
tree=$dir/tree
mkdir -p "$tree/lessons/13-pytorch-streams" "$tree/exercises"
cp -R "$torch" "$tree/$torch"
cp exercises/13-pytorch-streams.py "$tree/exercises"
got=$(PYTHONPATH=$dir python3 "$tree/$torch/grade.py")
status=$?
check "without PyTorch one line says that the part is not judged, and that is no failure" \
    "$([ $status = 0 ] && [ "$got" = "The Python part is not judged here, the C part alone: PyTorch is not installed." ] || echo "status $status: $got")"
copy=13-pytorch-streams.py mine=$tree/work
check "without PyTorch the starter in Python reaches work/ all the same" \
    "$(diff "exercises/$copy" "$mine/$copy" 2>&1)"
echo '# mine' >> "$mine/$copy"
PYTHONPATH=$dir python3 "$tree/$torch/grade.py" > /dev/null
check "a copy that is there is left alone" "$(tail -n 1 "$mine/$copy" | grep -qx '# mine' || echo "it was written anew")"

frame() { sed '/#> /,/#< /{/#[<>] /!d}' "$1"; }
check "starter and solution in Python differ only between the marks" \
    "$(diff <(frame exercises/13-pytorch-streams.py) <(frame solutions/13-pytorch-streams.py))"

done_testing
