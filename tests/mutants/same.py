# SPDX-License-Identifier: MIT
"""Why a mutant passes that may pass: rules for whole classes, and the lists in same/ and open/ for single ones.

A rule stands here only where the class means the same whatever surrounds it. What drops a lock, a wait, a prefetch, an
error check, a change of device or a free is never called the same."""
import os
import re

from change import CREATES, GIVES_BACK, HOST_WORK, WAITS, names_in

SAME, OPEN = "same", "open"
PURE = {"blocks_for", "chunk_size", "chunk_count", "min", "max", "sizeof", "blocks"}
ONCE_IS_ENOUGH = {
    "cudaGetLastError": "there is no second error to find", "cudaPeekAtLastError": "it changes nothing",
    "cudaSetDevice": "the device is current already", "cudaGetDevice": "it gives the same answer",
    "cudaStreamQuery": "it only asks", "cudaEventQuery": "it only asks",
    "cudaGetDeviceCount": "it gives the same answer", "cudaDeviceGetStreamPriorityRange": "it gives the same answer",
    "cudaStreamGetPriority": "it gives the same answer", "cudaPointerGetAttributes": "it gives the same answer",
    "cudaEventElapsedTime": "it gives the same answer",
    "cudaStreamSynchronize": "the first has waited for all of it", "cudaDeviceSynchronize": "the first has waited for all of it",
    "cudaEventSynchronize": "the first has waited for it", "cudaEventRecord": "the second marks the same place",
    "cudaEventRecordWithFlags": "the second marks the same place", "cudaStreamWaitEvent": "the second waits for the same record",
    "prefetch": "the pages are there, or under way, already", "cudaMemAdvise": "the advice is given already",
    "cudaDeviceCanAccessPeer": "it gives the same answer", "cudaDeviceGetAttribute": "it gives the same answer",
    "cudaMemPoolSetAttribute": "it sets what is set", "cudaMemPoolGetAttribute": "it gives the same answer",
    "cudaDeviceGetMemPool": "it gives the same answer", "cudaDeviceGetDefaultMemPool": "it gives the same answer",
    "pthread_cond_signal": "a thread that is woken for nothing looks at its condition, and sleeps on",
    "pthread_cond_broadcast": "a thread that is woken for nothing looks at its condition, and sleeps on",
    "notify_one": "a thread that is woken for nothing looks at its condition, and sleeps on",
    "notify_all": "a thread that is woken for nothing looks at its condition, and sleeps on",
}


def single_call(source, s):
    """The call that the statement is, CHECK() round it or not; None when it is more than that."""
    if s is None or s.kind != "simple" or s.bodies:
        return None
    first, last = s.first, s.last - 1
    if source.is_at(first, "CHECK") and source.pairs.get(first + 1) == last:
        first, last = first + 2, last - 1
    for call in source.calls_in(first, last):
        if call.last == last and all(source.tokens[i].kind == "name" or source.tokens[i].text in ("->", ".", "::") for i in range(first, call.at)):
            return call
    return None


def first_object(source, call):
    """What the call makes or gives back: its first argument without & and casts."""
    text = source.between(*call.arguments[0]) if call.arguments else ""
    return re.sub(r"\(void \*\*\)|&|\s", "", text)


def paths(source, first, last):
    """All member chains (a->b.c) in these tokens."""
    found, i = [], first
    while i <= last:
        if source.tokens[i].kind == "name":
            chain = [source.tokens[i].text]
            while i + 2 <= last and source.tokens[i + 1].text in ("->", ".", "::") and source.tokens[i + 2].kind == "name":
                chain.append(source.tokens[i + 2].text)
                i += 2
            found.append(tuple(chain))
        i += 1
    return found


def assignment(source, s):
    """(what it writes, the first token of the value) of `a->b = value;`, the value without calls that do anything; or None."""
    if s.kind not in ("simple", "declaration") or s.bodies:
        return None
    at = next((i for i in range(s.first, s.last) if source.is_at(i, "=")), None)
    if any(c.name not in PURE for c in source.calls_in(s.first, s.last)) or any(source.tokens[i].text in ("++", "--", "+=", "-=", "&") for i in range(s.first, s.last)):
        return None
    if s.kind == "declaration":
        if not s.declares or source.tokens[s.first].text not in ("int", "unsigned", "size_t", "long", "bool", "float", "const", "cudaStream_t",
                                                                 "cudaEvent_t", "struct", "dim3", "cudaGraph_t", "cudaGraphExec_t", "uint64_t"):
            return None
        return [(n,) for n in s.declares], at
    if at is None or sum(source.is_at(i, "=") for i in range(s.first, s.last)) != 1 or source.tokens[at - 1].kind != "name":
        return None
    return paths(source, s.first, at - 1)[:1], at


def apart(written, other):
    return not any(w[:len(o)] == o or o[:len(w)] == w for w in written for o in other)


def swap(m):
    source, a, b = m.source, m.statement, m.others[0]
    one, two = single_call(source, a), single_call(source, b)
    for pattern, text in ((CREATES, "Two calls that each make something of its own: neither uses what the other makes."),
                          (GIVES_BACK, "Two things of their own are given back, one after the other: neither needs the other.")):
        if one and two and pattern.match(one.name) and pattern.match(two.name):
            x, y = first_object(source, one), first_object(source, two)
            rest = [w for call in (one, two) for argument in call.arguments[1:] for w in source.words(*argument)]
            if x and y and x != y and x not in rest and y not in rest:
                return text
    x, y = assignment(source, a), assignment(source, b)
    if x and y and apart(x[0], paths(source, b.first, b.last)) and apart(y[0], paths(source, a.first, a.last)):
        return "Two variables of the host's are set, each without the other."
    for written, other in ((x, b), (y, a)):
        if written and single_call(source, other) and apart(written[0], paths(source, other.first, other.last)):
            if len(written[0]) and not source.between(other.first, other.last).startswith(("pthread", "sem", "guard", "lock")) \
                    and all(len(w) == 1 and m.function and is_local(m, w[0]) for w in written[0]) and not now(source, a, b):
                return "A local variable is set that the call has no part in, from values that it does not change."
    return None


def now(source, a, b):
    """Does one of them read what the other call may change: another path than locals?"""
    setter = a if assignment(source, a) else b
    other = b if setter is a else a
    shared = names_in(source, setter.first, setter.last) & names_in(source, other.first, other.last)
    return any(source.tokens[i].text in ("*", "->", "[") for i in range(setter.first, setter.last)) or "&" in source.words(other.first, other.last) and shared


def is_local(m, name):
    return any(name in s.declares for s in m.source.statements if s.function is m.function)


def twice(m):
    call = single_call(m.source, m.statement)
    if call is not None and call.name in ONCE_IS_ENOUGH:
        return f"{call.name}() a second time: {ONCE_IS_ENOUGH[call.name]}."
    written = assignment(m.source, m.statement)
    if written and written[1] is not None and apart(written[0], paths(m.source, written[1] + 1, m.statement.last)):
        return "The same value is put into the same variable twice."
    return None


def strides(kernel, headers):
    """Does the kernel go on by the whole grid until it is through, whatever the grid is?"""
    for h in headers:
        for f in h.functions:
            if f.name == kernel:
                body = h.between(f.first, f.last)
                return "for EACH" in body or "+= gridDim.x * blockDim.x" in body
    return False


def rule(m, headers):
    """(SAME or OPEN, reason), or None."""
    if m.operator == "swap":
        text = swap(m)
        return (SAME, text) if text else None
    if m.operator == "twice":
        text = twice(m)
        return (SAME, text) if text else None
    if m.operator == "kind" and m.after == "cudaMemcpyDefault":
        return SAME, "cudaMemcpyDefault: the runtime finds the direction by itself, from the two addresses."
    if m.operator == "flags" and m.before.startswith("cudaEventDisableTiming") and m.after == "cudaEventDefault":
        return SAME, "An event that could be timed as well marks the same place."
    if m.operator == "host-work" and HOST_WORK in m.after:
        return SAME, "The host computes for a millisecond in between: it queues the same, in the same order, and waits for the same."
    if m.operator == "launch" and m.places:
        call = next((c for c in m.source.calls if (c.at, c.last) == m.places[0]), None)
        if call is not None and call.configuration and strides(call.name, headers):
            configured = " ".join(m.source.between(*c) for c in call.configuration[:2])
            if "_BLOCKS" not in configured and "shared" not in m.before:
                parts = {m.source.between(*c) for c in call.configuration[2:3]}
                if not (m.before == f"{call.name}: {next(iter(parts), '')}" and m.after in ("0", "1024")):
                    return SAME, "The kernel goes on by the whole grid until it is through: every grid covers every element once."
    if m.operator == "notify" and "broadcast" in m.after or m.operator == "notify" and "all" in m.after:
        return SAME, "Who is woken for nothing looks at its condition, and sleeps on."
    if m.operator in ("bare", "drop-check"):
        return OPEN, "An error that a call tells of is not looked at. No call fails in these runs, so no check can see it."
    return None


class Lists:
    """same/NN-slug.tsv and open/NN-slug.tsv: ID, operator and change, reason."""

    def __init__(self, folder, lesson):
        self.entries = {}
        for kind in (SAME, OPEN):
            path = os.path.join(folder, kind, lesson + ".tsv")
            if os.path.exists(path):
                for number, line in enumerate(open(path, encoding="utf-8"), 1):
                    if line.strip() and not line.startswith("#"):
                        fields = line.rstrip("\n").split("\t")
                        if len(fields) != 3 or not all(fields):
                            raise SystemExit(f"{path}:{number}: an ID, what is changed and a reason, by tabs")
                        self.entries[fields[0]] = (kind, fields[2], path)
