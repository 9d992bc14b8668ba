# SPDX-License-Identifier: MIT
"""numbers_said.py [TABLE]: the numbers in chapters' prose, each beside what it is taken from (numbers.tsv). Speaks TAP.

Every number with a unit of time, a rate or a share, and every one with a decimal point, has to be in the table, for each
lesson that is in it. A line of the table: the lesson, words of its chapter with # for each number, and for each # a source:

  FILE~REGEX        what its first group matches in the file (or in one of FILES)
  here~REGEX        in the blocks of the chapter, which are what runs print (tools/figures)
  spans PROGRAM CARD LABEL~REGEX
                    in what ran between label_push(LABEL) and its label_pop() (*: all): a line `NAME K STREAM START END` for
                    each, NAME being a kernel's or else the engine's, K of that NAME in that stream from 1, times in ms from
                    the first START; of a solution as it is graded
  prints PROGRAM CARD LOADING~REGEX
                    in what it prints, its kernels loaded LAZY or EAGER
  runs PROGRAM WORD~REGEX
                    in what a program of the build prints when it is given the word
  grade CARD FILE~REGEX
                    in what the grader says of the file (of what an edit makes: tests/edit), with seed 1
  a number          one that needs no source but to be said: the exercise's own choice

Terms are joined, from left to right, by ` + `, ` - `, ` * ` and ` / ` between blanks. The chapter's number has to be the value,
rounded to as many digits behind the point as the chapter gives. `[LOW HIGH] source`, after those of the #: no number, but words
that hold as long as the value is in between."""
import operator
import os
import re
import subprocess
import sys
import tempfile

NUMBER = r"\d[\d,]*(?:\.\d+)?"
UNIT = r"(?:ms|µs|us|ns|s|GB/s|%)(?![\w])"
VERSION = r"(?:CUDA|PyTorch|driver) \d+(?:\.\d+)*|\d+(?:\.\d+){2,}[+\w]*"
FILES = {"fidelity": "facts/h200-fidelity.tsv", "json": "facts/h200.json", "pytorch": "facts/h200-pytorch.tsv",
         "dual": "common/model/cards/dual.card", "measured": "book/back/1-measured.md", "chapters": "facts/h200-chapters.tsv", "thrash": "facts/h200-thrash.tsv", "more": "facts/h200b-more.tsv"}
OPERATIONS = {"+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv}
ENVIRONMENT = dict(os.environ, LC_ALL="C.UTF-8", CUDA_MODULE_LOADING="EAGER", SIM_HAZARDS="0", BACKEND="sim")


def blank(match):
    return " " * len(match.group())


class Chapter:
    def __init__(self, lesson):
        folders = [f for f in sorted(os.listdir("lessons")) if f.startswith(lesson + "-")]
        self.folder = os.path.join("lessons", folders[0])
        self.blocks, prose, fenced = [], [], False
        for line in open(os.path.join(self.folder, "chapter.md"), encoding="utf-8"):
            if line.startswith("```"):
                fenced = not fenced
            elif not line.startswith("<!-- SPDX"):
                (self.blocks if fenced else prose).append(line if fenced else re.sub("^> ", "", line))
        self.blocks = "".join(self.blocks)
        self.prose = re.sub(r"\s+", " ", "".join(prose))
        # What is to be in the table; code, versions and links are not.
        bare = re.sub(r"`[^`]*`|\]\([^)]*\)", blank, self.prose)
        bare = re.sub(VERSION, blank, bare)
        self.wanted = {m.start(): m.group() for m in re.finditer(NUMBER, bare)
                       if "." in m.group() or re.match(rf"(?:,? (?:to|and|or) {NUMBER})? ?{UNIT}", bare[m.end():])}
        self.told = set()

    def numbers(self, phrase):
        """The places and texts of the numbers that stand for the phrase's #."""
        pattern = "(.*?)".join(re.escape(p) for p in phrase.split("#")).replace("(.*?)", f"({NUMBER})")
        found = list(re.finditer(rf"(?<![\w.]){pattern}(?![\w])" if phrase[0] == "#" else pattern, self.prose))
        if len(found) != 1:
            raise ValueError(f"the chapter says this {len(found)} times")
        return [(found[0].start(k + 1), found[0].group(k + 1)) for k in range(phrase.count("#"))]


class Sources:
    def __init__(self, scratch):
        self.scratch, self.texts = scratch, {}

    def built(self, program):
        out = os.path.join(self.scratch, program.replace("/", "_"))
        if not os.path.exists(out):
            folder, name = os.path.split(program)       # as tools/figures does
            subprocess.run([os.path.abspath("build/bin/simcc"), "--hazards", "calls", "-I..", "-I" + os.path.abspath("common"), "-o", out, name], cwd=folder,
                           check=True, capture_output=True)
        return out

    def log_of(self, program, card):
        log = os.path.join(self.scratch, "log")
        if program.startswith("lessons/"):
            with open(log, "wb") as to:
                subprocess.run([self.built(program)], check=True, pass_fds=[to.fileno()], stdout=subprocess.DEVNULL,
                               env=dict(ENVIRONMENT, SIM_PROFILE=card, WORKBOOK_LOG=str(to.fileno())))
        else:
            lesson = re.search(r"\d\d-[a-z0-9-]+", program).group()
            subprocess.run(["build/bin/grade", "--quiet", "--seed", "1", "--card", card, "--log", log, lesson, program],
                           env=ENVIRONMENT, capture_output=True)
        told = subprocess.run(["build/bin/nodes", log], env=dict(ENVIRONMENT, SIM_PROFILE=card), check=True, capture_output=True, text=True)
        return [line.split("\t") for line in told.stdout.splitlines()]

    def spans(self, program, card, label):
        told = self.log_of(program, card)
        first, end, depth = (0 if label == "*" else None), None, 0
        for f in told:
            if f[0] == "label" and f[2] == label and first is None:
                first, depth = int(f[1]), 1
            elif f[0] == "label" and depth:
                depth += 1 if f[2] else -1
                end = int(f[1]) if depth == 0 else None
        ran = [f for f in told if f[0] == "node" and f[3] not in ("wait", "none")
               and first is not None and first <= int(f[2]) and (end is None or int(f[2]) < end)]
        begin, counts, text = min((int(f[7]) for f in ran), default=0), {}, ""
        for f in ran:
            name = f[4] if f[3] == "kernel" else f[3].replace(" ", "-")
            counts[name, f[5]] = counts.get((name, f[5]), 0) + 1
            text += f"{name} {counts[name, f[5]]} {f[5]} {(int(f[7]) - begin) / 1e6:.6f} {(int(f[8]) - begin) / 1e6:.6f}\n"
        return text

    def prints(self, program, card, loading):
        return subprocess.run([self.built(program)], env=dict(ENVIRONMENT, SIM_PROFILE=card, CUDA_MODULE_LOADING=loading), check=True,
                              capture_output=True, text=True).stdout

    def text(self, where, chapter):
        if where == "here":
            return chapter.blocks
        if where not in self.texts:
            kind, *words = where.split(" ", 3)
            if kind == "spans":
                self.texts[where] = self.spans(*words)
            elif kind == "prints":
                self.texts[where] = self.prints(*words)
            elif kind == "runs":
                self.texts[where] = subprocess.run(words, env=ENVIRONMENT, check=True, capture_output=True, text=True).stdout
            elif kind == "grade":
                lesson, file = os.path.basename(chapter.folder), words[1]
                if file.endswith(".diff"):
                    file = os.path.join(self.scratch, "whole.cu")
                    with open(file, "wb") as to:
                        subprocess.run(["tests/edit", "show", words[1]], check=True, stdout=to)
                self.texts[where] = subprocess.run(["build/bin/grade", "--seed", "1", "--width", "200", "--color", "never", "--card",
                                                    words[0], lesson, file], env=ENVIRONMENT, capture_output=True, text=True).stdout
            else:
                self.texts[where] = open(FILES.get(where, where), encoding="utf-8").read()
        return self.texts[where]

    def term(self, term, chapter):
        if "~" not in term:
            return float(term)
        where, pattern = term.split("~", 1)
        found = re.search(pattern, self.text(where, chapter), re.M)
        if not found:
            raise ValueError(f"nothing matches {term}")
        return float(found.group(1).replace(",", ""))

    def value(self, source, chapter):
        first, *rest = re.split(r" ([-+*/]) ", source)
        value = self.term(first, chapter)
        for sign, term in zip(rest[::2], rest[1::2]):
            other = self.term(term, chapter)
            value = OPERATIONS[sign](value, other)
        return value


def said_wrong(chapter, phrase, given, sources):
    numbers = chapter.numbers(phrase)
    chapter.told.update(at for at, _ in numbers)
    plain = [s for s in given if not s.startswith("[")]
    if len(plain) != len(numbers):
        return [f"{len(numbers)} numbers, {len(plain)} sources"]
    wrong = []
    for (_, said), source in zip(numbers, plain):
        value, digits = sources.value(source, chapter), len(said.partition(".")[2])
        if abs(float(said.replace(",", "")) - value) > 0.5 * 10 ** -digits + 1e-9:
            wrong.append(f"the chapter says {said}, its source {value:.6g}: {source}")
    for source in given:
        if source.startswith("["):
            bounds, rest = source[1:].split("] ", 1)
            low, high = map(float, bounds.split())
            value = sources.value(rest, chapter)
            if not low <= value <= high:
                wrong.append(f"{value:.6g} is not from {low:g} to {high:g}: {rest}")
    return wrong


def main():
    table = sys.argv[1] if len(sys.argv) > 1 else "tests/lessons/numbers.tsv"
    chapters, wrong = {}, {}
    with tempfile.TemporaryDirectory() as scratch:
        sources = Sources(scratch)
        for at, line in enumerate(open(table, encoding="utf-8"), 1):
            if line.startswith("#") or not line.strip():
                continue
            lesson, phrase, *given = line.rstrip("\n").split("\t")
            chapter = chapters.setdefault(lesson, None) or Chapter(lesson)
            chapters[lesson] = chapter
            try:
                found = said_wrong(chapter, phrase, given, sources)
            except (ValueError, OSError, subprocess.CalledProcessError) as error:
                found = [str(error)]
            wrong.setdefault(lesson, []).extend(f"line {at}, {phrase}: {w}" for w in found)
    print(f"1..{2 * len(chapters)}")
    count = failed = 0
    for lesson, chapter in chapters.items():
        untold = [f"...{chapter.prose[max(0, at - 50):at + 30]}..." for at in sorted(set(chapter.wanted) - chapter.told)]
        for sentence, problems in ((f"the numbers in lesson {lesson}'s prose are those of their sources", wrong[lesson]),
                                   (f"every number in lesson {lesson}'s prose has a source", untold)):
            count += 1
            failed += bool(problems)
            print(f"{'not ok' if problems else 'ok'} {count} - {sentence}")
            for problem in problems:
                print(f"# {problem}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
