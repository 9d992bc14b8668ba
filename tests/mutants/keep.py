# SPDX-License-Identifier: MIT
"""Changes of a right answer that keep its meaning, applied by rule."""
import re

from change import Mutant, Operators
from tables import CREATES, KINDS, WAITS
from same import first_object, single_call

MY_CHECK = "static void my_check(cudaError_t status) { CHECK(status); }\n"


class Keeping(Operators):
    """Each operator changes all places of a function at once, but for those that would get in each other's way."""

    def all(self):
        for function, _, inside in self.learner.functions:
            simple = [s for s in inside if s.kind == "simple" and self.text_of(s) != ";"]
            calls = [(s, c) for s in simple for c in [single_call(self.source, s)] if c is not None]
            self.together("braces", function, [self.replace(s, "{ " + self.text_of(s) + " }") for s in simple if not s.bodies])
            self.together("do-while-0", function, [self.replace(s, "do { " + self.text_of(s) + " } while (0);") for s in simple
                                                   if not s.bodies and s.block is not None])
            self.rename(function, inside)
            self.lambdas(function, inside)
            self.together("auto", function, [e for s in inside for e in self.auto(s)])
            self.together("error-twice", function, [self.after(s, self.text_of(s)) for s, c in calls
                                                    if c.name == "cudaGetLastError" and s.block is not None])
            kinds = [a for _, c in calls for label, a in self.learner.labelled(c) if label == "kind"]
            self.together("kind-default", function, [self.edit(a, "cudaMemcpyDefault") for a in kinds if self.source.between(*a) in KINDS])
            self.together("clock", function, [self.before(s, "(void)now_ns();") for s in simple if s.block is not None])
            self.own_check(function, inside)
            for s, c in calls:
                self.two_pieces(function, s, c)
                self.wait_by_event(function, s, c)
            for block in self.source.blocks:
                for a, b in zip(block.statements, block.statements[1:]):
                    if any(s is a for s in inside) and any(s is b for s in inside):
                        self.reorder(function, a, b)
            if inside and not function.block.statements[-1].bodies:
                self.wait_again(function, function.block.statements[-1], inside)
        return self.unique()

    def together(self, operator, function, edits, before="", after=""):
        edits = sorted(e for e in edits if e)
        kept = [e for i, e in enumerate(edits) if i == 0 or e[0] >= edits[i - 1][1]]
        if kept:
            text = self.source.text
            m = Mutant(self.source, operator, kept, [], before or text[kept[0][0]:kept[0][1]], after or kept[0][2], None)
            m.function = function
            self.found.append(m)

    def edit(self, tokens, new):
        return (self.source.tokens[tokens[0]].at, self.source.tokens[tokens[1]].end, new)

    def before(self, s, text):
        at = self.source.tokens[s.first].at
        return (at, at, text + "\n" + self.indent(s))

    def after(self, s, text):
        end = self.source.tokens[s.last].end
        return (end, end, "\n" + self.indent(s) + text)

    def rename(self, function, inside):
        source, edits = self.source, []
        declared = {n for s in inside for n in s.declares} | {n for _, n in function.parameters}
        for name in sorted(declared):
            at = [i for i in range(function.first, function.last + 1) if source.is_at(i, name)]
            at = [i for i in at if source.tokens[i - 1].text not in (".", "->", "::")]
            if any(source.tokens[i - 1].text in ("struct", "enum", "union", "class") for i in at):
                continue
            if any(source.tokens[i + 1].text in ("::", "<<<") for i in at):
                continue
            if not any(s.first <= i <= s.last for i in at for s in inside) or sum(name in f.declares for f in inside) > 1:
                continue
            if any(not any(s.first <= i <= s.last for s in inside) for i in at):
                continue        # given code has it, too
            edits += [self.edit((i, i), "my_" + name) for i in at]
        self.together("rename", function, edits)

    def lambdas(self, function, inside):
        """The longest run of statements that declare nothing and jump nowhere, as a function that is called at once."""
        best = []
        for block in self.source.blocks:
            run = []
            for s in block.statements + [None]:
                plain = s is not None and s.kind in ("simple", "for") and any(t is s for t in inside)
                if plain and "return" not in self.source.words(s.first, s.last):
                    run.append(s)
                    continue
                best, run = max(best, run, key=len), []
        if len(best) > 1:
            edits = [self.before(best[0], "[&] {"), self.after(best[-1], "}();")]
            self.together("lambda", function, edits, "a sequence", "[&] { ... }();")

    def auto(self, s):
        words = self.source.words(s.first, s.last)
        if s.kind == "declaration" and words[0] == "size_t" and len(s.declares) == 1 and "=" in words:
            yield self.edit((s.first, s.first), "auto")
        if s.kind == "declaration" and words[0] == "struct" and words[2:3] == ["*"] and len(s.declares) == 1 and "=" in words:
            yield self.edit((s.first, s.first + 1), "auto")

    def own_check(self, function, inside):
        source = self.source
        at = {i for s in inside if s.kind in ("simple", "if", "for") for i in range(s.first, s.last) if source.is_at(i, "CHECK")}
        edits = [self.edit((i, i), "my_check") for i in sorted(at)]
        include = re.search(r'^#include "lesson\.h"\n', source.text, re.M)
        if edits and include:
            edits.insert(0, (include.end(), include.end(), MY_CHECK))
            self.together("own-check", function, edits, "CHECK", "my_check")

    def two_pieces(self, function, s, call):
        if call.name not in ("cudaMemcpyAsync", "cudaMemcpy") or len(call.arguments) < 4 or "<" in self.source.between(s.first, s.last):
            return
        to, from_, size, *rest = (self.source.between(*a) for a in call.arguments)
        rest = "".join(", " + r for r in rest)
        text = (f"{{ size_t half = ({size}) / 8 * 4; CHECK({call.name}({to}, {from_}, half{rest})); "
                f"CHECK({call.name}((char *)({to}) + half, (const char *)({from_}) + half, ({size}) - half{rest})); }}")
        self.together("two-pieces", function, [self.replace(s, text)])

    def wait_by_event(self, function, s, call):
        if call.name == "cudaStreamSynchronize":
            stream = self.source.between(*call.arguments[0])
            text = (f"{{ cudaEvent_t all; CHECK(cudaEventCreate(&all)); CHECK(cudaEventRecord(all, {stream})); "
                    "CHECK(cudaEventSynchronize(all)); CHECK(cudaEventDestroy(all)); }")
            self.together("wait-by-event", function, [self.replace(s, text)])

    def reorder(self, function, a, b):
        one, two = single_call(self.source, a), single_call(self.source, b)
        if not one or not two or not CREATES.match(one.name) or not CREATES.match(two.name):
            return
        if first_object(self.source, one) != first_object(self.source, two):
            (a_at, a_end), (b_at, b_end) = self.source.span(a), self.source.span(b)
            text = self.source.text
            self.together("reorder", function, [(a_at, b_end, text[b_at:b_end] + text[a_end:b_at] + text[a_at:a_end])])

    def wait_again(self, function, s, inside):
        call = single_call(self.source, s)
        if call and call.name in WAITS and any(t is s for t in inside):
            self.together("wait-again", function, [self.after(s, self.text_of(s))])
