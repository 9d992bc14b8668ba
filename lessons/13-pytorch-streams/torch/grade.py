#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""grade.py [FILE]: judges lesson 13's exercise in Python (work/13-pytorch-streams.py) on this machine's GPU, under the
recorder, beside the solution; where an overlap is not seen, in up to five pairs of runs. Where that cannot be it says so in
one line, with status 0: the exercise in C is graded all the same.

Status 0: passed, or not judged; 1: found wanting; 2: trouble with the environment."""
import os
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(HERE)))
NAME = "13-pytorch-streams.py"


def not_judged(why):
    print(f"The Python part is not judged here, the C part alone: {why}.")
    sys.exit(0)


def trouble(why):
    print(f"grade.py: {why}", file=sys.stderr)
    sys.exit(2)


def recorded(path, seed, folder, recorder, nodes):
    """Runs the file under the recorder: its outputs, the lines of `nodes`; or why there are none."""
    import torch
    log, out = os.path.join(folder, "log"), os.path.join(folder, "outputs")
    with open(log, "wb") as to:
        env = dict(os.environ, CUDA_INJECTION64_PATH=recorder, WORKBOOK_LOG=str(to.fileno()), PYTHONDONTWRITEBYTECODE="1")
        try:
            ran = subprocess.run([sys.executable, os.path.join(HERE, "driver.py"), path, str(seed), out], env=env,
                                 pass_fds=[to.fileno()], capture_output=True, text=True, timeout=300)
        except subprocess.TimeoutExpired:
            return None, None, "it did not end within five minutes"
    if ran.returncode != 0:
        return None, None, ran.stderr.strip() or f"it ended with status {ran.returncode}"
    told = subprocess.run([nodes, log], capture_output=True, text=True)
    if told.returncode != 0:
        return None, None, told.stderr.strip()
    return torch.load(out), told.stdout.splitlines(), None


def first_wrong(what, got, wanted):
    import torch
    wrong = torch.nonzero(got != wanted)
    return None if len(wrong) == 0 else (f"{len(wrong)} elements of {what} are wrong, the first is number {int(wrong[0])}: "
                                         f"{int(got[wrong[0]])}, and not {int(wanted[wrong[0]])}")


def outputs_wrong(given, out):
    """What is wrong with the outputs, by part."""
    import torch
    x = given["x"] * 3 + 1
    state = torch.zeros_like(given["batches"][0])
    for b in given["batches"]:
        state = state * 3 + b
    sums = [int((b * 7).sum()) for b in given["data"]]
    wrong = [k for k, s in enumerate(sums) if k >= len(out["sums"]) or out["sums"][k] != s]
    return {"a": first_wrong("x", out["x"], x + x.sum()) or first_wrong("y", out["y"], given["y"] * 5 + 1),
            "b": f"{len(wrong)} sums are wrong, the first is that of batch {wrong[0]}" if wrong else None,
            "c": first_wrong("the state", out["state"], state), "blocks": len(sums), "batches": len(given["batches"])}


def your_copy():
    """Where the learner's copy is; made, on any machine, if there is none."""
    mine = os.path.join(ROOT, "work", NAME)
    if not os.path.exists(mine):
        try:
            os.makedirs(os.path.dirname(mine), exist_ok=True)
            shutil.copyfile(os.path.join(ROOT, "exercises", NAME), mine)
        except OSError as error:
            not_judged(f"work/{NAME} cannot be made: {error.strerror}")
    return mine


def main():
    mine = sys.argv[1] if len(sys.argv) > 1 else your_copy()
    try:
        import torch
    except ImportError:
        not_judged("PyTorch is not installed")
    if not torch.cuda.is_available():
        not_judged("PyTorch sees no GPU")
    recorder = os.path.abspath(os.environ.get("RECORDER") or os.path.join(ROOT, "build/lib/librecorder.so"))
    nodes = os.path.join(ROOT, "build/bin/nodes")
    for needed in (recorder, nodes):
        if not os.path.exists(needed):
            not_judged(f"{os.path.relpath(needed, ROOT)} is missing")
    sys.path.insert(0, HERE)
    import judge
    import lesson
    seed = int(os.environ.get("SEED") or int.from_bytes(os.urandom(2), "big"))
    given = lesson.inputs(seed)
    pairs = []
    while not pairs or judge.open_still(pairs):
        with tempfile.TemporaryDirectory() as folder:
            out, lines, why = recorded(os.path.join(ROOT, "solutions", NAME), seed, folder, recorder, nodes)
            if why:
                trouble(f"the solution does not run here: {why}")
            reference = judge.Run(lines, out["notes"])
            out, lines, why = recorded(mine, seed, folder, recorder, nodes)
        if why:
            break
        pairs.append(judge.judge(judge.Run(lines, out["notes"]), reference, outputs_wrong(given, out)))
    print(f"Lesson 13 in Python: {os.path.relpath(mine, ROOT)} on {torch.cuda.get_device_name()}, PyTorch {torch.__version__}, "
          f"seed {seed}, {len(pairs)} {'pair' if len(pairs) == 1 else 'pairs'} of runs")
    if why:
        print(f"  FAIL      it does not run to its end: {why}")
        return 1
    said = judge.settled(pairs)
    for name, sentence, verdict, reason in said:
        print(f"  {verdict:9} {name:9} {sentence}" + (f"\n{'':22}{reason}" if reason else ""))
    passed = sum(verdict == "PASS" for _, _, verdict, _ in said)
    print(f"{'passed' if passed == len(said) else 'wanting'}: {passed} of {len(said)} checks (the same again: SEED={seed})")
    return 0 if passed == len(said) else 1


if __name__ == "__main__":
    sys.exit(main())
