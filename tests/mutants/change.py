# SPDX-License-Identifier: MIT
"""Mutants of a source: what people get wrong, applied by rule at every place where it applies."""
import difflib
import hashlib
import re

from tables import (CLASSES, CONSTANTS, END_WITH_FLAGS, HOST_WORK, KINDS, NOT_CONSTANTS,
                    OTHER_NOTIFY, SIGNATURES, TEMPLATES)


class Mutant:
    """Edits (at, end, new text) of a source; `places`: tokens first..last of the statements that it changes."""

    def __init__(self, source, operator, edits, places, before, after, statement, calls=()):
        self.source, self.operator, self.edits = source, operator, sorted(edits)
        self.places, self.before, self.after = places, one_line(before), one_line(after)
        self.statement, self.function = statement, statement.function if statement is not None else None
        self.calls = list(calls)        # what is not called any more
        self.others = []                # the other statement of a swap
        self.id = None

    def text(self):
        text, at = [], 0
        for begin, end, new in self.edits:
            text += [self.source.text[at:begin], new]
            at = end
        return "".join(text) + self.source.text[at:]

    def diff(self):
        return difflib.unified_diff(self.source.text.splitlines(True), self.text().splitlines(True), self.source.path,
                                    f"{self.id} ({self.operator})")

    def moved(self, at):
        return at + sum(len(new) - (end - begin) for begin, end, new in self.edits if end <= at and (begin, end) != (at, at))

    def lines(self):
        """The lines of the mutant's text that it is about, as pairs of first and last."""
        text, found = self.text(), []
        spots = [(begin, end) for begin, end, _ in self.edits] + [
            (self.source.tokens[a].at, self.source.tokens[b].end) for a, b in self.places]
        shift = 0
        for begin, end, new in self.edits:
            first = begin + shift
            found.append((text.count("\n", 0, first) + 1, text.count("\n", 0, max(first, first + len(new) - 1)) + 1))
            shift += len(new) - (end - begin)
        for begin, end in spots[len(self.edits):]:
            if any(b < end and begin < e for b, e, n in self.edits if b <= begin and end <= e):
                continue            # it is not there any more, or was written anew
            found.append((text.count("\n", 0, self.moved(begin)) + 1, text.count("\n", 0, self.moved(end)) + 1))
        return sorted(set(found))

    def line(self):
        return self.lines()[0][0]


def one_line(text):
    """To show and to compare: without notes, and one blank for many."""
    return " ".join(re.sub(r"//[^\n]*|/\*.*?\*/", "", text, flags=re.S).split())


def names_in(source, first, last):
    return {t.text for t in source.tokens[first:last + 1] if t.kind == "name"}


def main_call(source, s):
    calls = [c for c in source.calls_in(s.first, s.last)]
    return calls[0].name if calls else ""


def class_of(source, s):
    calls = source.calls_in(s.first, s.last)
    if any(c.configuration for c in calls):
        return "drop-work"
    for c in calls:
        for name, pattern in CLASSES.items():
            if re.fullmatch(pattern, c.name):
                return name
    words = set(source.words(s.first, s.last))
    if words & {"lock_guard", "unique_lock", "scoped_lock"}:
        return "drop-lock"
    if "CHECK" in words and not calls:
        return "drop-check"
    return "drop"


class Operators:
    def __init__(self, learner):
        self.learner, self.source = learner, learner.source
        self.found = []

    def add(self, operator, edits, statement, before, after, calls=(), others=(), places=None):
        places = [(s.first, s.last) for s in (statement, *others) if s is not None] if places is None else places
        m = Mutant(self.source, operator, edits, places, before, after, statement, calls)
        m.others = list(others)
        self.found.append(m)

    def all(self):
        for function, _, inside in self.learner.functions:
            chosen = set(map(id, inside))
            for s in inside:
                self.one_statement(s)
            for block in self.source.blocks:
                here = [s for s in block.statements if id(s) in chosen]
                for a, b in zip(here, here[1:]):
                    self.swap(a, b)
                for s in here:
                    if s.kind in ("for", "while", "do"):
                        self.round_loop(s, here)
                if here and here[-1] is block.statements[-1] and here[-1].kind != "jump":
                    self.host_work_at_end(here[-1])
            for first, last in self.pieces(inside):
                self.tokens(function, first, last)
                for call in self.source.calls_in(first, last):
                    if call.last <= last:
                        self.call(function, call)
        for a, b in self.volatile_places():
            self.volatile(a, b)
        return self.unique()

    def pieces(self, inside):
        """Token ranges that the statements cover, none twice."""
        ranges = sorted((s.first, s.last) for s in inside)
        merged = []
        for a, b in ranges:
            if merged and a <= merged[-1][1]:
                merged[-1][1] = max(merged[-1][1], b)
            else:
                merged.append([a, b])
        return merged

    def unique(self):
        seen, kept, counts = {one_line(self.source.text)}, [], {}
        for m in self.found:
            text = one_line(m.text())
            if text not in seen:
                seen.add(text)
                kept.append(m)
        for m in kept:
            s = m.statement
            words = " ".join(self.source.words(s.first, min(s.last, s.first + 40))) if s is not None else ""
            path = re.sub("^(build|tests)/", "", self.source.path)
            key = "|".join((path, m.operator, m.before, m.after, m.function.name if m.function else "", words))
            counts[key] = counts.get(key, 0) + 1
            m.id = hashlib.sha1(f"{key}|{counts[key]}".encode()).hexdigest()[:8]
        return kept

    # ---- statements ----

    def text_of(self, s):
        return self.source.between(s.first, s.last)

    def replace(self, s, text):
        return (self.source.tokens[s.first].at, self.source.tokens[s.last].end, text)

    def indent(self, s):
        at = self.source.tokens[s.first].at
        line = self.source.text.rfind("\n", 0, at) + 1
        return re.match(r"[ \t]*", self.source.text[line:])[0]

    def one_statement(self, s):
        text = self.text_of(s)
        simple = s.kind == "simple" and text != ";"
        bare_jump = s.kind == "jump" and len(self.source.words(s.first, s.last)) < 3
        if s.kind in ("simple", "for", "while", "do", "if") and text != ";" or bare_jump:
            self.drop(s)
        elif s.kind == "declaration" and s.declares and not s.bodies:
            rest = names_in(self.source, s.last + 1, s.function.last)
            if not rest & set(s.declares) and "(" in text:
                self.drop(s)
        if simple:
            self.twice(s)
        if s.block is not None:
            self.insert_before(s, HOST_WORK, "host-work")
        elif simple:
            self.add("host-work", [self.replace(s, "{ " + HOST_WORK + " " + text + " }")], s, text, HOST_WORK + " " + text)
        if s.kind in ("if", "while"):
            self.other_head(s)
        if simple and s.block is not None:
            self.out_of_loop(s)

    def drop(self, s):
        text = self.text_of(s)
        at, end = self.source.span(s)
        edit = (at, end, "") if s.block is not None else self.replace(s, ";")
        calls = [c.name for c in self.source.calls_in(s.first, s.last)]
        self.add(class_of(self.source, s), [edit], s, text, "", calls, places=[])

    def twice(self, s):
        text = self.text_of(s)
        if s.block is None:
            edit = self.replace(s, "{ " + text + " " + text + " }")
        else:
            end = self.source.tokens[s.last].end
            edit = (end, end, "\n" + self.indent(s) + text)
        self.add("twice", [edit], s, text, text + " " + text)

    def insert_before(self, s, text, operator):
        at = self.source.tokens[s.first].at
        self.add(operator, [(at, at, text + "\n" + self.indent(s))], s, self.text_of(s), text + " " + self.text_of(s))

    def host_work_at_end(self, s):
        end = self.source.tokens[s.last].end
        text = self.text_of(s)
        self.add("host-work", [(end, end, "\n" + self.indent(s) + HOST_WORK)], s, text, text + " " + HOST_WORK)

    def other_head(self, s):
        has_else = s.kind == "if" and len(s.bodies) > 1
        word = self.source.tokens[s.first]
        other = {"if": "while", "while": "if"}[s.kind]
        if not has_else:
            self.add(f"{s.kind}-{other}", [(word.at, word.end, other)], s, s.kind, other, places=[(s.first, s.first)])
        body = s.bodies[0]
        head = (self.source.tokens[s.first].at, self.source.tokens[body.first].at, "")
        condition = self.source.between(*s.head)
        if has_else:
            second = s.bodies[1]
            calls = [c.name for c in self.source.calls_in(second.first, second.last)]
            edit = (self.source.tokens[body.last].end, self.source.tokens[second.last].end, "")
            self.add("unguard", [edit], s, "else " + self.text_of(second), "", calls)
        elif s.kind == "if":
            self.add("unguard", [head], s, f"if ({condition})", "", [c.name for c in self.source.calls_in(*s.head)],
                     places=[(body.first, body.last)])

    def may_pass(self, a, b):
        """May statement a stand after b, which stands after it now, for all that declarations say?"""
        return not (set(a.declares) & names_in(self.source, b.first, b.last)
                    or set(b.declares) & names_in(self.source, a.first, a.last))

    def swap(self, a, b):
        if a.kind in ("jump", "label") or b.kind in ("jump", "label") or not self.may_pass(a, b):
            return
        (a_at, a_end), (b_at, b_end) = self.source.span(a), self.source.span(b)
        text = self.source.text
        new = text[b_at:b_end] + text[a_end:b_at] + text[a_at:a_end]
        one, two = self.text_of(a), self.text_of(b)
        self.add("swap", [(a_at, b_end, new)], a, one + " " + two, two + " " + one, others=[b])

    def lift(self, s, at, operator, where):
        begin, end = self.source.span(s)
        text = self.text_of(s)
        there = at[1] + text + "\n" if at[2] else "\n" + at[1] + text
        self.add(operator, [(begin, end, ""), (at[0], at[0], there)], s, text, f"{where} {text}", places=[])

    def out_of_loop(self, s):
        loop = next(iter(self.source.loops_around(s)), None)
        body = loop.bodies[0] if loop is not None else None
        if body is None or s.block is not body or loop.block is None:
            return
        if self.source.region_of(loop.first, loop.last) != self.source.region_of(s.first, s.last):
            return
        used = names_in(self.source, s.first, s.last)
        declared = set(loop.declares) | {n for t in body.statements for n in t.declares}
        if used & declared:
            return
        begin = self.source.tokens[loop.first].at
        self.lift(s, (begin, "", True), "out-before", "before the loop:")
        self.lift(s, (self.source.tokens[loop.last].end, self.indent(loop), False), "out-after", "after the loop:")

    def round_loop(self, loop, here):
        body = loop.bodies[0]
        if not hasattr(body, "statements"):
            return
        i = here.index(loop)
        if i > 0 and here[i - 1].kind == "simple":
            begin = self.source.tokens[body.first].end
            self.lift(here[i - 1], (begin, self.indent(loop) + "    ", False), "into-loop", "at the loop's beginning:")
        if i + 1 < len(here) and here[i + 1].kind == "simple":
            close = self.source.tokens[body.last].at
            self.lift(here[i + 1], (close, "    ", True), "into-loop", "at the loop's end:")

    # ---- calls ----

    def argument(self, operator, call, first, last, new, what=""):
        s = self.source.statement_of(call.at)
        old = self.source.between(first, last)
        self.add(operator, [(self.source.tokens[first].at, self.source.tokens[last].end, new)], s,
                 f"{what or call.name}: {old}", f"{new}", places=[(call.at, call.last)])

    def call(self, function, call):
        labelled = self.learner.labelled(call)
        for label, (first, last) in labelled:
            text = self.source.between(first, last)
            if label in ("stream", "event", "device", "priority"):
                for other in self.learner.others(label, text, function):
                    self.argument(label, call, first, last, other)
            elif label == "kind":
                for other in KINDS:
                    if other != text:
                        self.argument("kind", call, first, last, other)
            elif label == "size":
                self.size(function, call, first, last, text)
            elif label in ("grid", "block"):
                for other in (["1"] if text != "1" else []) + [f"({text}) / 2", f"({text}) + 1"]:
                    self.argument("launch", call, first, last, other)
            elif label == "shared":
                self.argument("launch", call, first, last, "0" if text != "0" else "1024")
            elif label == "cost":
                for other in ("0", f"({text}) / 2", f"2 * ({text})"):
                    self.argument("cost", call, first, last, other)
        if call.configuration:
            self.launch(function, call)
        self.swap_arguments(call, labelled)
        self.other_call(call)

    def launch(self, function, call):
        parts = [self.source.between(*c) for c in call.configuration]
        begin, end = self.source.tokens[call.configuration[0][0]].at, self.source.tokens[call.configuration[-1][1]].end
        s = self.source.statement_of(call.at)
        old = ", ".join(parts)

        def configure(operator, new):
            self.add(operator, [(begin, end, ", ".join(new))], s, f"{call.name}<<<{old}>>>", f"<<<{', '.join(new)}>>>",
                     places=[(call.at, call.last)])
        configure("launch", [parts[1], parts[0], *parts[2:]])
        if len(parts) == 4:
            configure("stream", parts[:2])
            if parts[2] != parts[3]:
                configure("stream", [parts[0], parts[1], parts[3]])     # the third parameter is none of streams
        else:
            for other in self.learner.others("stream", "0", function):
                configure("stream", [*parts[:2], "0", other])

    def size(self, function, call, first, last, text):
        for other in (f"({text}) - 1", f"({text}) / 2"):
            self.argument("size", call, first, last, other)
        factor = re.sub(r"\s*\*\s*sizeof\s*(\([^()]*\)|[*\w>.\[\]-]+)$|^sizeof\s*(\([^()]*\)|[*\w>.\[\]-]+)\s*\*\s*", "", text)
        if factor != text:
            self.argument("size", call, first, last, factor)
        elif re.fullmatch(r"\w*bytes", text):
            declared = re.search(rf"\b{text}\s*=\s*([^,;]*?)\s*\*\s*sizeof", self.source.between(function.first, function.last))
            if declared:
                self.argument("size", call, first, last, declared[1])
        elif text == "n" and call.name not in SIGNATURES:
            self.argument("size", call, first, last, "n * sizeof(unsigned)")

    def swap_arguments(self, call, labelled):
        if call.configuration:
            labelled = labelled[len(call.configuration):]
        types = self.learner.types.get(call.name)
        if call.name in SIGNATURES:
            types = ["to" if t in ("to", "from") else t for t in SIGNATURES[call.name]]
        if not types:
            return
        arguments = call.arguments
        for i in range(min(len(types), len(arguments))):
            for k in range(i + 1, min(len(types), len(arguments))):
                a, b = arguments[i], arguments[k]
                if types[i] != types[k] or types[i] == "-" or self.source.between(*a) == self.source.between(*b):
                    continue
                tokens, s = self.source.tokens, self.source.statement_of(call.at)
                text = [self.source.between(*a), self.source.between(*b)]
                edits = [(tokens[a[0]].at, tokens[a[1]].end, text[1]), (tokens[b[0]].at, tokens[b[1]].end, text[0])]
                self.add("arguments", edits, s, f"{call.name}: {text[0]}, {text[1]}", f"{text[1]}, {text[0]}",
                         places=[(call.at, call.last)])

    def other_call(self, call):
        """The call that one reaches for instead."""
        source, name = self.source, call.name
        s = source.statement_of(call.at)
        arguments = [source.between(*a) for a in call.arguments]
        wrapped = (source.is_at(call.at - 1, "(") and source.is_at(call.at - 2, "CHECK")
                   and source.is_at(call.last + 1, ")"))
        begin = source.tokens[call.at - 2 if wrapped else call.at].at
        end = source.tokens[call.last + 1 if wrapped else call.last].end
        call_at, call_end = source.tokens[call.at].at, source.tokens[call.last].end

        def become(operator, text, whole=False):
            at, stop = (begin, end) if whole else (call_at, call_end)
            self.add(operator, [(at, stop, text)], s, source.text[at:stop], text, [name], places=[])
        if wrapped:
            become("bare", source.text[call_at:call_end], True)
        if name == "cudaStreamSynchronize":
            become("query", f"cudaStreamQuery({arguments[0]})", True)
            become("wider", "cudaDeviceSynchronize()")
        elif name == "cudaEventSynchronize":
            become("query", f"cudaEventQuery({arguments[0]})", True)
            become("wider", "cudaDeviceSynchronize()")
        elif name == "cudaStreamQuery":
            become("wait-for-query", f"cudaStreamSynchronize({arguments[0]})")
        elif name == "cudaEventQuery":
            become("wait-for-query", f"cudaEventSynchronize({arguments[0]})")
        elif name == "cudaMemcpyAsync":
            become("blocking", f"cudaMemcpy({', '.join(arguments[:4])})")
        elif name == "cudaMemsetAsync":
            become("blocking", f"cudaMemset({', '.join(arguments[:3])})")
        elif name == "cudaMallocAsync":
            become("blocking", f"cudaMalloc({', '.join(arguments[:2])})")
        elif name == "cudaFreeAsync":
            become("blocking", f"cudaFree({arguments[0]})")
        elif name == "cudaStreamWaitEvent" and len(arguments) > 1:
            become("blocking", f"cudaEventSynchronize({arguments[1]})")
        elif name in OTHER_NOTIFY:
            become("notify", f"{OTHER_NOTIFY[name]}({', '.join(arguments)})")
        elif name == "cudaStreamCreateWithFlags":
            become("create", f"cudaStreamCreate({arguments[0]})")
        elif name == "cudaStreamCreateWithPriority":
            become("create", f"cudaStreamCreateWithFlags({arguments[0]}, {arguments[1]})")
        elif name == "cudaMallocManaged":
            become("create", f"cudaMalloc({', '.join(arguments[:2])})")
        elif name in ("cudaMallocHost", "cudaHostAlloc") and len(arguments) > 1:
            pointer = arguments[0].replace("(void **)", "")
            become("create", f"*({pointer}) = (decltype(+*({pointer})))malloc({arguments[1]})", True)

    # ---- tokens ----

    def tokens(self, function, first, last):
        source = self.source
        calls = source.calls_in(first, last)
        labels = {i: label for call in calls for label, (a, b) in self.learner.labelled(call) for i in range(a, b + 1)}
        flags = {i for call in calls if call.name in END_WITH_FLAGS for a, b in call.arguments[-1:] for i in range(a, b + 1)}
        for i in range(first, last + 1):
            token = source.tokens[i]
            new = list(CONSTANTS.get(token.text, []))
            if token.text == "==" and source.is_at(i + 1, "cudaErrorNotReady"):
                new = ["!="]
            if token.text == "<" and self.is_template(i):
                new = []
            if token.kind == "number" and token.text.isdigit() and i not in flags and labels.get(i) not in NOT_CONSTANTS:
                value = int(token.text)
                is_size = source.is_at(i - 1, "[") and source.statement_of(i).kind == "declaration"
                new = ([] if is_size else [str(value + 1)]) + ([str(value - 1)] if value > 0 else [])
            operator = "constant"
            if token.text in ("cudaStreamNonBlocking", "cudaStreamDefault", "cudaEventDisableTiming", "cudaEventDefault"):
                operator = "flags"
            for text in new:
                if not (labels.get(i) == "device" and token.text == "cudaCpuDeviceId"):
                    self.token(operator, i, text)
            if self.is_subscript(i):
                self.token("index", i + 1, "0")
                self.token("index", i + 1, source.tokens[i + 1].text + " + 1")

    def is_subscript(self, i):
        """`a[k]`, of one name that is no constant."""
        tokens = self.source.tokens
        return (tokens[i].text == "[" and self.source.pairs.get(i) == i + 2 and tokens[i - 1].kind == "name"
                and tokens[i + 1].kind == "name" and not tokens[i + 1].text.isupper()
                and self.source.statement_of(i).kind != "declaration")

    def is_template(self, i):
        words = [t.text for t in self.source.tokens[i - 1:i + 8]]
        closed = ">" in words and not set(words) & {";", "&&", "||", "?"}
        return self.source.tokens[i - 1].kind == "name" and (words[0] in TEMPLATES or closed)

    def token(self, operator, i, text):
        t, s = self.source.tokens[i], self.source.statement_of(i)
        near = self.source.between(max(i - 3, s.first), min(i + 3, s.last))
        if s.kind in ("for", "while", "if", "do"):
            places = [(s.first, s.head[1])]
        else:
            places = [(s.first, s.last)] if not s.bodies else [(i, i)]
        self.add(operator, [(t.at, t.end, text)], s, f"{t.text} in {near}", text, places=places)

    def volatile_places(self):
        """volatile and std::atomic in what the learner wrote, also outside of functions."""
        source = self.source
        inside = [(f.first, f.last) for f, _, _ in self.learner.functions]
        for i, t in enumerate(source.tokens):
            if t.text not in ("volatile", "atomic"):
                continue
            if source.region_of(i, i) or any(a <= i <= b for a, b in inside) or not source.function_of(i):
                yield i, source.statement_of(i)

    def volatile(self, i, statement):
        source = self.source
        if source.tokens[i].text == "volatile":
            edit = (source.tokens[i].at, source.tokens[i + 1].at, "")
            before, after = source.between(i, i + 2), source.between(i + 1, i + 2)
        else:
            first = i - 2 if source.is_at(i - 1, "::") else i
            if not source.is_at(i + 1, "<"):
                return
            close = next(k for k in range(i, len(source.tokens)) if source.is_at(k, ">"))
            after = source.between(i + 2, close - 1)
            edit, before = (source.tokens[first].at, source.tokens[close].end, after), source.between(first, close)
        self.add("no-volatile", [edit], statement, before, after, places=[])
