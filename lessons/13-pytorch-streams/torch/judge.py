# SPDX-License-Identifier: MIT
"""Judges a recorded run of lesson 13's exercise in Python, from what build/bin/nodes says of its log: by order and by
shares of what the solution has on the same card. Needs no PyTorch: a run of the C programs will do to test it."""

SHARE = 0.64                    # of the reference's overlap: three quarters of what the simulator's judges ask for
PAIRS_MOST = 5                  # of runs, the solution's and yours
PAIRS_ENOUGH = 2                # that show an overlap: what disturbs a run takes overlap away, and never adds any
OVERLAP = ("a-beside", "b-beside", "c-ahead")


class Run:
    """Nodes, guaranteed edges and labels; `notes`: addresses, by operation."""

    def __init__(self, lines, notes=None):
        self.nodes, self.edges, self.spans_of, self.notes = {}, {}, [], notes or {}
        opened = []
        for line in lines:
            kind, *f = line.rstrip("\n").split("\t")
            if kind == "label":
                if f[1]:
                    self.spans_of.append([f[1], int(f[0]), None])
                    opened.append(self.spans_of[-1])
                elif opened:
                    opened.pop()[2] = int(f[0])
            elif kind == "node":
                self.nodes[int(f[0])] = {"call": int(f[1]), "engine": f[2], "name": f[3], "stream": int(f[4]), "start": int(f[6]),
                                         "end": int(f[7]), "bytes": int(f[8]), "dst": int(f[9]), "from": f[11]}
            elif kind == "edge":
                self.edges.setdefault(int(f[0]), []).append(int(f[1]))

    def labelled(self, name, within=None):
        """Calls (first, end) of each label of that name, in their order."""
        outer = self.labelled(within) if within else None
        return [(first, end) for text, first, end in self.spans_of
                if text == name and end is not None and (not outer or any(a <= first and end <= b for a, b in outer))]

    def inside(self, calls, *engines):
        return [n for n, node in self.nodes.items() if calls[0] <= node["call"] < calls[1] and node["engine"] in engines]

    def work(self, calls):
        return self.inside(calls, "kernel", "memset", "D2D")

    def before(self, first, then):
        """Is node `then` bound to wait for node `first`?"""
        seen, todo = set(), [then]
        while todo:
            for n in self.edges.get(todo.pop(), ()):
                if n == first:
                    return True
                if n > first and n not in seen:
                    seen.add(n)
                    todo.append(n)
        return False

    def all_before(self, first, then):
        return all(self.before(a, b) for a in first for b in then)

    def share_beside(self, a, b):
        """How much of the time of nodes `a` passed beside one of nodes `b`."""
        both = whole = 0
        for n in a:
            start, end = self.nodes[n]["start"], self.nodes[n]["end"]
            if end < 0:
                continue
            whole += end - start
            pieces = sorted((max(start, self.nodes[m]["start"]), min(end, self.nodes[m]["end"])) for m in b if self.nodes[m]["end"] >= 0)
            at = start
            for low, high in pieces:
                both += max(0, high - max(low, at))
                at = max(at, high)
        return both / whole if whole else 0.0


# ---- what the parts ask: each returns None, or what is wrong ----

def waits_of_host(run, part):
    for calls in run.labelled(part):
        # The pool asks of its events whether they have passed: that holds nobody up.
        found = [n for n in run.inside(calls, "wait") if not run.nodes[n]["name"].endswith("Query")]
        if found:
            return f"{run.nodes[found[0]]['name']} holds the host up: a stream can wait for a stream (wait_stream, wait_event)"
    return None


def each_once(run, part, names, count):
    for name in names:
        there = len(run.labelled(name, part))
        if there != count:
            return f"{name}() was called {there} times, and not {count}"
    return None


def pairs(run, part, first, then, why):
    """The k-th `then` waits for the k-th `first`."""
    for k, (a, b) in enumerate(zip(run.labelled(first, part), run.labelled(then, part))):
        if not run.all_before(run.work(a), run.work(b)):
            return f"nothing makes {then}() number {k} wait for {first}() number {k}: {why}"
    return None


def streams(run, part, name):
    return {run.nodes[n]["stream"] for calls in run.labelled(name, part) for n in run.work(calls)}


def own_stream(run, part, name, other):
    if streams(run, part, name) & streams(run, part, other):
        return f"{name}() and {other}() are in one stream: `with torch.cuda.stream(side):`"
    return None


def beside(run, reference, part, a, b, why):
    def share(r):
        return r.share_beside([n for c in r.labelled(a, part) for n in r.work(c)], [n for c in r.labelled(b, part) for n in r.work(c)])
    mine, theirs = share(run), share(reference)
    if mine < SHARE * theirs:
        return f"{mine:.0%} of the time of {a}() passed beside {b}() ({theirs:.0%} in the solution): {why}"
    return None


def reuse(run, part, makers, readers, notes, why):
    """A block that lies where an earlier one lay is written when the earlier one has been read."""
    for k, at in enumerate(notes):
        for j in range(k):
            if notes[j] == at and not run.all_before(readers[j], makers[k]):
                return f"batch {k} lies where batch {j} lay, and nothing makes it wait for whoever reads that: {why}"
    return None


def blocks_reused(run):
    part = "audit_all"
    return reuse(run, part, [run.work(c) for c in run.labelled("fill", part)], [run.work(c) for c in run.labelled("audit", part)],
                 run.notes.get("fill", []), "record_stream(side) before the last name of the block is gone")


def copies(run):
    return [n for calls in run.labelled("run_model") for n in run.inside(calls, "H2D") if run.nodes[n]["bytes"] > 4096]


def copied_from_pinned(run):
    for n in copies(run):
        if run.nodes[n]["from"] == "pageable":
            return "a batch is copied from pageable memory: the host stages it, non_blocking or not; pin_memory() in pinned()"
    return None if copies(run) else "no batch is copied to the device in run_model()"


def copied_before_model(run):
    models = run.labelled("model", "run_model")
    for k, (copy, calls) in enumerate(zip(copies(run), models)):
        if not run.all_before([copy], run.work(calls)):
            return f"nothing makes model() number {k} wait for the copy of its batch: current.wait_stream(side)"
    return None


def batches_reused(run):
    models = [run.work(c) for c in run.labelled("model", "run_model")]
    return reuse(run, "run_model", [[n] for n in copies(run)], models, run.notes.get("model", []),
                 "x.record_stream(current), where x was made in side")


def copied_ahead(run, reference):
    def share(r):
        return r.share_beside(copies(r), [n for c in r.labelled("model", "run_model") for n in r.work(c)])
    mine, theirs = share(run), share(reference)
    if mine < SHARE * theirs:
        return f"{mine:.0%} of the time of the copies passed beside model() ({theirs:.0%} in the solution): copy in side, one batch ahead"
    return None


# What depends on a failed check is withheld. (id, part, name, needs, judge of run, reference and outputs)
CHECKS = (
    ("a-work", "a", "each operation is called once", (),
     lambda r, f, o: each_once(r, "sum_beside", ("produce", "total", "other_work", "settle"), 1)),
    ("a-side", "a", "total() has a stream of its own", ("a-work",), lambda r, f, o: own_stream(r, "sum_beside", "total", "other_work")),
    ("a-input", "a", "total() waits for its input", ("a-work",),
     lambda r, f, o: pairs(r, "sum_beside", "produce", "total", "side.wait_stream(current) before it")),
    ("a-back", "a", "settle() waits for the sum", ("a-work",),
     lambda r, f, o: pairs(r, "sum_beside", "total", "settle", "current.wait_stream(side) before it")),
    ("a-host", "a", "the host waits for nothing", (), lambda r, f, o: waits_of_host(r, "sum_beside")),
    ("a-output", "a", "x and y are right", ("a-input", "a-back"), lambda r, f, o: o["a"]),
    ("a-beside", "a", "the sum runs beside the other work", ("a-side", "a-input", "a-back", "a-host"),
     lambda r, f, o: beside(r, f, "sum_beside", "total", "other_work", "let current wait as late as it can")),
    ("b-work", "b", "each batch is filled and audited", (), lambda r, f, o: each_once(r, "audit_all", ("fill", "audit"), o["blocks"])),
    ("b-made", "b", "audit() waits for fill()", ("b-work",),
     lambda r, f, o: pairs(r, "audit_all", "fill", "audit", "side.wait_stream(current) before it")),
    ("b-reuse", "b", "no block is used again before it was audited", ("b-made",), lambda r, f, o: blocks_reused(r)),
    ("b-host", "b", "the host waits for nothing", (), lambda r, f, o: waits_of_host(r, "audit_all")),
    ("b-output", "b", "every sum is right", ("b-reuse",), lambda r, f, o: o["b"]),
    ("b-beside", "b", "the next block is filled while this one is audited", ("b-made", "b-host"),
     lambda r, f, o: beside(r, f, "audit_all", "fill", "audit", "record_stream() holds the memory back, and not the stream")),
    ("c-work", "c", "each batch goes through the model", (), lambda r, f, o: each_once(r, "run_model", ("model",), o["batches"])),
    ("c-pinned", "c", "batches are copied from pinned memory", (), lambda r, f, o: copied_from_pinned(r)),
    ("c-order", "c", "the model waits for its batch", ("c-work",), lambda r, f, o: copied_before_model(r)),
    ("c-reuse", "c", "no batch is overwritten while the model reads it", ("c-order",), lambda r, f, o: batches_reused(r)),
    ("c-host", "c", "the host waits for nothing", ("c-pinned",), lambda r, f, o: waits_of_host(r, "run_model")),
    ("c-output", "c", "the state is right", ("c-reuse",), lambda r, f, o: o["c"]),
    ("c-ahead", "c", "the next batch is copied while the model works", ("c-pinned", "c-order", "c-host"), lambda r, f, o: copied_ahead(r, f)),
)


def judge(run, reference, outputs):
    """[(id, name, "PASS" | "FAIL" | "WITHHELD", why)]; outputs: what is wrong with them by part, and how many there are."""
    said, passed = [], set()
    for name, _, sentence, needs, look in CHECKS:
        missing = [n for n in needs if n not in passed]
        if missing:
            said.append((name, sentence, "WITHHELD", f"not judged: waits for {missing[0]}"))
            continue
        wrong = look(run, reference, outputs)
        said.append((name, sentence, "FAIL" if wrong else "PASS", wrong))
        if not wrong:
            passed.add(name)
    return said


def open_still(pairs):
    """Of what judge() said of each pair of runs: is there an overlap that was not seen often enough, and might yet be?"""
    verdicts = [{name: verdict for name, _, verdict, _ in said} for said in pairs]
    for name in OVERLAP:
        seen = sum(v[name] == "PASS" for v in verdicts)
        if verdicts[0][name] == "FAIL" and seen < PAIRS_ENOUGH and seen + PAIRS_MOST - len(pairs) >= PAIRS_ENOUGH:
            return True
    return False


def settled(pairs):
    """What the first pair says, but for an overlap that enough of the others show."""
    return [(name, sentence, "PASS", None)
            if verdict == "FAIL" and name in OVERLAP
            and sum(other[k][2] == "PASS" for other in pairs) >= PAIRS_ENOUGH else (name, sentence, verdict, why)
            for k, (name, sentence, verdict, why) in enumerate(pairs[0])]
