#!/bin/bash
# SPDX-License-Identifier: MIT
#
# The judge of lesson 13's exercise in Python, fed with what C programs did on the simulator that do as PyTorch does: each
# mistake fails its own check. And where there is no PyTorch one line says so.
set -u
export CUDA_MODULE_LOADING=EAGER SIM_HAZARDS=0 PYTHONDONTWRITEBYTECODE=1
scratch=$(mktemp -d) || exit 2
trap 'rm -rf "$scratch"' EXIT
torch=lessons/13-pytorch-streams/torch

count=0 failed=0
check() {   # sentence problems
    count=$((count + 1))
    if [ -z "$2" ]; then
        echo "ok $count - $1"
    else
        failed=1
        printf 'not ok %d - %s\n' "$count" "$1"
        printf '%s\n' "$2" | sed 's/^/# /'
    fi
}

# Runs the program with a mistake, leaves its nodes and notes.
run() {
    WORKBOOK_LOG=9 "$scratch/program" $1 9> "$scratch/log" > "$scratch/notes$1" && build/bin/nodes "$scratch/log" > "$scratch/nodes$1"
}

cat > "$scratch/said.py" << 'END'
import json, sys
sys.path.insert(0, sys.argv[1])
import judge
def read(which):
    return judge.Run(open(f"{sys.argv[2]}/nodes{which}"), json.load(open(f"{sys.argv[2]}/notes{which}")))
said = judge.judge(read(sys.argv[3]), read(""), {p: "wrong" if p == sys.argv[4] else None for p in "abc"} | {"blocks": 5, "batches": 5})
print(" ".join(name for name, _, verdict, _ in said if verdict == "FAIL"))
END
# The checks that fail with a mistake, and with wrong outputs of a part.
said() { python3 "$scratch/said.py" "$torch" "$scratch" "$1" "${2-}" 2>&1; }

build/bin/simcc -Icommon -o "$scratch/program" tests/lessons/pytorch.cu || exit 2
run ''
check "a right program fails nothing" "$(said '')"
for mistake in a-work a-side a-input a-back a-host a-beside b-work b-made b-reuse b-host b-beside c-work c-pinned c-order c-reuse c-host c-ahead; do
    run $mistake
    got=$(said $mistake)
    check "the mistake $mistake fails this check alone" "$([ "$got" = $mistake ] || echo "it fails: $got")"
done

for part in a b c; do
    got=$(said '' $part)
    check "wrong output of part $part fails $part-output alone" "$([ "$got" = $part-output ] || echo "it fails: $got")"
done

# Pairs of runs: p passes, f fails b-beside and a-order in each; o fails b-beside alone.
cat > "$scratch/pairs.py" << 'END'
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
    got=$(python3 "$scratch/pairs.py" "$torch" "$runs" 2>&1)
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
mkdir "$scratch/torch"
echo 'raise ImportError("none")' > "$scratch/torch/__init__.py"
got=$(PYTHONPATH=$scratch python3 "$torch/grade.py")
status=$?
check "without PyTorch one line says that the part is not judged, and that is no failure" \
    "$([ $status = 0 ] && [ "$got" = "The Python part is not judged here, the C part alone: PyTorch is not installed." ] || echo "status $status: $got")"

frame() { sed '/#> /,/#< /{/#[<>] /!d}' "$1"; }
check "starter and solution in Python differ only between the marks" \
    "$(diff <(frame exercises/13-pytorch-streams.py) <(frame solutions/13-pytorch-streams.py))"

echo "1..$count"
exit $failed
