# SPDX-License-Identifier: MIT
"""What a learner writes: the regions of a solution, and what stands in their reach."""
import glob
import re

from source import Source
from tables import CONFIGURATION, SIGNATURES, TYPES


class Learner:
    """A source, and what of it a learner wrote: between the marks; of a style also the functions that the starter has not."""

    def __init__(self, source, starter, headers, seen):
        self.source = source
        given = {f.name: frame(starter, f) for f in starter.functions} if starter else None
        self.functions = []
        for f in source.functions:
            whole = given is not None and given.get(f.name) != frame(source, f)
            text = (f.name, tuple(source.words(f.first, f.last)))
            inside = [s for s in source.statements if s.function is f and (whole or source.region_of(s.first, s.last))]
            if inside and text not in seen:
                seen.add(text)
                self.functions.append((f, whole, inside))
        self.signatures = dict(SIGNATURES)
        self.types = {}
        for h in headers + [source]:
            for f in h.functions:
                self._sign(f)
        for h in headers:
            self._declarations(h)
        # Expressions by what they are, from all the file.
        self.known = {}
        for call in source.calls:
            for label, (first, last) in self.labelled(call):
                if label in ("stream", "event", "device", "priority"):
                    self.known.setdefault(label, {}).setdefault(source.between(first, last), None)
        for f in source.functions:
            for type_, name in f.parameters:
                if type_ in TYPES:
                    self.known.setdefault(TYPES[type_], {}).setdefault(name, None)

    def _sign(self, function):
        self.types[function.name] = [re.sub(r"\s+", " ", t) for t, _ in function.parameters]
        self.signatures.setdefault(function.name, [
            TYPES.get(t) or ("cost" if n.endswith("_ns") or n == "ns" else "size" if n in ("n", "bytes", "count") else "-")
            for t, n in function.parameters])

    def _declarations(self, header):
        """Functions that a header declares and does not define."""
        for call in header.calls:
            if header.is_at(call.last + 1, ";") and call.name not in self.types and call.arguments \
                    and header.tokens[call.at - 1].text in ("*", "void", "int", "cudaError_t", "t", "long", "unsigned"):
                parameters = header._parameters(call.at + 1)
                if len(parameters) == len(call.arguments):
                    self.types[call.name] = [t for t, _ in parameters]
                    self.signatures.setdefault(call.name, [TYPES.get(t, "size" if n == "n" else "-") for t, n in parameters])

    def labelled(self, call):
        """(what it is, (first token, last token)) of each argument."""
        found = list(zip(CONFIGURATION, call.configuration))
        labels = self.signatures.get(call.name, [])
        return found + list(zip(labels, call.arguments))

    def others(self, label, text, function):
        """Other expressions of this kind that mean something in this function."""
        words = set(self.source.words(function.first, function.last))
        found = []
        for other in self.known.get(label, {}):
            names = re.findall(r"[A-Za-z_]\w*", other)
            if other != text and all(n in words or n.startswith("cuda") for n in names):
                found.append(other)
        if label in ("stream", "priority", "device") and "0" not in found and text not in ("0", "NULL", "nullptr"):
            found.append("0")
        if label == "device" and text != "1" and "1" not in found:
            found.append("1")
        return found


def frame(source, function):
    """The function without what is between marks."""
    return tuple(t.text for t in source.tokens[function.first:function.last + 1]
                 if not any(a <= t.at < b for _, a, b in source.regions))


def read(path):
    with open(path, encoding="utf-8") as f:
        return Source(path, f.read())


def headers_of(folder):
    return [read(p) for p in sorted(glob.glob(f"lessons/{folder}/*.h"))] + [read("common/streams.h")]


def learners(folder):
    """The right answers of a lesson: its solution, and the styles as tests/edit has left them."""
    starter, headers, seen, solution = read(f"exercises/{folder}.cu"), headers_of(folder), set(), f"solutions/{folder}.cu"
    for path in [solution] + sorted(glob.glob(f"build/styles/{folder}/*.cu")):
        yield Learner(read(path), None if path == solution else starter, headers, seen)
