# SPDX-License-Identifier: MIT
"""What the grader says of mutants: build/bin/seeds judges them, and its verdicts are read here."""
import json
import os
import re
import shutil
import subprocess

LOOP = 15               # most lines of a loop that a message names by its first and last call
LIMIT = "5000"          # ms for a program; what takes longer spins


class Verdict:
    def __init__(self, said):
        self.status = said["status"]
        self.findings = [c for c in said["checks"] if c["outcome"] == "failed"]
        self.failed = [c["id"] for c in self.findings]
        self.ending = said["ending"]
        ended = f" ({self.ending['how']})" if self.ending and not self.failed else ""
        self.text = self.status + (": " + " ".join(self.failed) if self.failed else "") + ended
        self.passed = self.status == "passed"
        self.built = self.status != "did not build"

    def named(self, name, lines, calls):
        """How the verdict names the change: "line", "call", or ""."""
        places, texts = [], []
        for c in self.findings:
            f = c["finding"]
            said = [f[k] or "" for k in ("expected", "seen", "why")]
            texts += said + [c["hint"] or ""]
            if f["file"] and f["file"].endswith(name):
                places += [f["line"], f["called_from"] or 0]
        if self.ending:
            if self.ending["file"] and self.ending["file"].endswith(name):
                places += [self.ending["line"], self.ending["called_from"] or 0]
            texts += [self.ending["message"] or "", self.ending["hint"] or "", self.ending["call"] or ""]
        # "x.cu:12"; "line 12" alone is a line of the file that the message is about
        places += [int(n) for text in texts for n in re.findall(rf"(?:{re.escape(name)}:|\bline )(\d+)", text)]
        if any(p and first - 2 <= p <= last + 2 for p in places for first, last in lines):
            return "line"
        # an endless loop is named by its calls
        loops = [(int(a), int(b)) for text in texts for a, b in re.findall(r"\bfrom line (\d+) to line (\d+)", text)]
        if any(a <= last + 2 and first <= b + 2 and b - a <= LOOP for a, b in loops for first, last in lines):
            return "line"
        if any(re.search(rf"\b{re.escape(c)}\b", text) for c in calls for text in texts):
            return "call"
        return ""

    def said(self):
        """The first failure, in a line."""
        for c in self.findings:
            f = c["finding"]
            where = f"{f['line']} ({f['call']})" if f["line"] else "no line"
            return f"{c['id']}: {f['seen']} Line: {where}. {f['why']}".replace("\n", " ")
        return self.ending["message"] if self.ending else self.status


def default_card(cards):
    return next((c for c in ("h200", "dual") if c in cards), cards[0])


def cards_of(lesson):
    return subprocess.run(["build/bin/grade", "--cards", lesson], stdout=subprocess.PIPE, check=True, text=True).stdout.split()


def judge(lesson, files, seeds, cards, jobs):
    """{file: {(card, seed): Verdict}} of files, on each of the cards with each seed."""
    scratch = os.path.join("build/mutants", "said", f"{lesson}.{os.getpid()}")
    shutil.rmtree(scratch, ignore_errors=True)
    os.makedirs(scratch)
    asked = "".join(f"{k} {lesson} {path} {seeds[0]} {seeds[-1]} {','.join(cards)}\n" for k, path in enumerate(files))
    done = subprocess.run(["build/bin/seeds", str(jobs), scratch, LIMIT], input=asked, text=True, stdout=subprocess.DEVNULL,
                          stderr=subprocess.PIPE, env=dict(os.environ, BACKEND="sim", LC_ALL="C.UTF-8"))
    verdicts = {path: {} for path in files}
    for name in os.listdir(scratch):
        number, seed, card, _ = name.split(".")
        with open(os.path.join(scratch, name), encoding="utf-8") as f:
            verdicts[files[int(number)]][card, int(seed)] = Verdict(json.load(f))
    shutil.rmtree(scratch)
    missing = [path for path in files if not verdicts[path]]
    if missing:
        raise SystemExit(f"the grader said nothing of {missing[0]} ({len(missing)} files): {done.stderr.strip()[:2000]}")
    return verdicts
