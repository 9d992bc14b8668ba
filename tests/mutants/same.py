# SPDX-License-Identifier: MIT
"""Why a mutant passes that may pass: rules for whole classes, and the lists in same/ and open/ for single ones.

A rule stands here only where the class means the same whatever surrounds it. What drops a lock, a wait, a prefetch, an
error check, a change of device or a free is never called the same."""
import os
import re

from change import names_in
from tables import CREATES, GIVES_BACK, HOST_WORK, WAITS

SAME, OPEN = "same", "open"
ASKED_LATER = "The error of the launch is found by a later question."
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
        before = source.tokens[first:call.at]
        if call.last == last and all(t.kind == "name" or t.text in ("->", ".", "::") for t in before):
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


LOCAL_TYPES = {"int", "unsigned", "size_t", "long", "bool", "float", "const", "cudaStream_t", "cudaEvent_t", "struct", "dim3",
               "cudaGraph_t", "cudaGraphExec_t", "cudaGraphNode_t", "uint64_t", "enum", "auto", "cudaMemPool_t", "cudaGraphExecUpdateResultInfo"}


def assignment(source, s):
    """(what it writes, the first token of the value) of `a->b = value;` or a declaration, the value without calls that do
    anything and without a look into memory; or None."""
    if s.kind not in ("simple", "declaration") or s.bodies or any(c.name not in PURE for c in source.calls_in(s.first, s.last)):
        return None
    words = source.words(s.first, s.last - 1)
    at = next((i for i in range(s.first, s.last) if source.is_at(i, "=")), None)
    if set(words) & {"++", "--", "+=", "-=", "&", "new", "<<<"}:
        return None
    value = re.sub(r"sizeof\s*\(?\s*\*?\s*\w+", "", source.between(at, s.last)) if at is not None else ""
    looks_into_memory = re.search(r"\w\s*\[|[=,(]\s*\*", value) is not None
    if s.kind == "declaration":
        constructed = "(" in words and at is None and words[:2] != ["const", "dim3"]
        if not s.declares or words[0] not in LOCAL_TYPES or looks_into_memory or constructed:
            return None
        return [(n,) for n in s.declares], at
    if at is None or words.count("=") != 1 or source.tokens[at - 1].kind != "name" or looks_into_memory or words[0] == "*":
        return None
    return paths(source, s.first, at - 1)[:1], at


def apart(written, other):
    return not any(w[:len(o)] == o or o[:len(w)] == w for w in written for o in other)


def reads_clock(source, s):
    """`m->done = now_ns();`"""
    words = source.words(s.first, s.last)
    return s.kind == "simple" and words[-5:] == ["=", "now_ns", "(", ")", ";"]


def modified(source, s):
    """Roots of what a statement may change by name: what is assigned, or whose address is given away."""
    found = set()
    for i in range(s.first, s.last):
        t = source.tokens[i]
        if t.text == "&" and source.tokens[i + 1].kind == "name":
            found.add(source.tokens[i + 1].text)
        if t.kind == "name" and source.tokens[i + 1].text in ("=", "+=", "-=", "++", "--") or source.tokens[i - 1].text in ("++", "--"):
            chain = i
            while source.tokens[chain - 1].text in ("->", "."):
                chain -= 2
            found.add(source.tokens[chain].text)
    return found


def given_away(source, s):
    """Chains whose address a call gets."""
    return [p for i in range(s.first, s.last) if source.is_at(i, "&") and source.tokens[i + 1].kind == "name"
            for p in paths(source, i + 1, s.last)[:1]]


def is_local(m, name):
    return any(name in s.declares for s in m.source.statements if s.function is m.function)


def sets_apart(m, s, other):
    """Does `s` set locals, from what `other` does not change, that `other` does not name?"""
    source, set_ = m.source, assignment(m.source, s)
    if set_ is None or not all(len(w) == 1 and is_local(m, w[0]) for w in set_[0]):
        return False
    roots = {p[0] for p in paths(source, s.first, s.last)}
    return not {w[0] for w in set_[0]} & names_in(source, other.first, other.last) and not modified(source, other) & roots


def looks_for_error(source, s):
    call = single_call(source, s)
    return call is not None and call.name in ("cudaGetLastError", "cudaPeekAtLastError")


def asked_later(m):
    """The question for a launch's error goes or moves, and the file has others: where the grader passes it, one of them follows."""
    return re.search(r"cuda(Get|PeekAt)LastError", m.before) and len(re.findall(r"cuda(?:Get|PeekAt)LastError", m.source.text)) > 1


def swap(m):
    source, a, b = m.source, m.statement, m.others[0]
    one, two = single_call(source, a), single_call(source, b)
    for pattern, text in ((CREATES, "Two calls that each make something: neither uses what the other makes."),
                          (GIVES_BACK, "Two things are given back, one after the other: neither needs the other.")):
        if one and two and pattern.match(one.name) and pattern.match(two.name):
            x, y = first_object(source, one), first_object(source, two)
            rest = [w for call in (one, two) for argument in call.arguments[1:] for w in source.words(*argument)]
            if x and y and x != y and x not in rest and y not in rest:
                return text
    x, y = assignment(source, a), assignment(source, b)
    if x and y and apart(x[0], paths(source, b.first, b.last)) and apart(y[0], paths(source, a.first, a.last)):
        return "Two variables of the host's are set, each without the other."
    for set_, other in ((x, b), (y, a)):
        call = single_call(source, other)
        if set_ and call and (call.name.startswith("cuda") or call.name == "memcpy") and "Launch" not in call.name:
            touched = paths(source, other.first, other.last)
            reads = paths(source, set_[1] + 1, (a if other is b else b).last) if set_[1] else []
            if apart(set_[0], touched) and apart(given_away(source, other), reads):
                return "One statement sets a variable that the call does not see, from values that the call does not change."
    if sets_apart(m, a, b) or sets_apart(m, b, a):
        return "One statement sets local variables that the other does not use, from values that the other does not change."
    for one, two in ((a, b), (b, a)):
        call = single_call(source, two)
        is_other = call is not None and not call.configuration and (
            call.name.startswith("cuda") and "Launch" not in call.name or call.name == "host_work")
        if looks_for_error(source, one) and (reads_clock(source, two) or is_other):
            return "The error of the launch is looked for one statement earlier or later, and no launch is between."
    return None


def plain_assignment(source, s):
    """`a->b[k] = value;` or `*a = { ... };`: nothing is called, counted or read that is written."""
    if s is None or s.kind != "simple" or s.bodies or any(c.name not in PURE for c in source.calls_in(s.first, s.last)):
        return False
    words = source.words(s.first, s.last)
    if words.count("=") != 1 or set(words) & {"++", "--", "+=", "-=", "new", "<<<", "CHECK"}:
        return False
    at = s.first + words.index("=")
    return apart(paths(source, s.first, at - 1)[:1], paths(source, at + 1, s.last))


def twice(m):
    call = single_call(m.source, m.statement)
    if call is not None and call.name in ONCE_IS_ENOUGH:
        return f"{call.name}() a second time: {ONCE_IS_ENOUGH[call.name]}."
    if call is not None and re.fullmatch(r"cudaMem(cpy|set)\w*|memcpy|memset|copy|copy_n", call.name):
        return "The same bytes are put into the same place once more, at once: nothing is changed but the time that it takes."
    if m.statement is not None and reads_clock(m.source, m.statement):
        return "The second reading of the clock takes the first one's place."
    if plain_assignment(m.source, m.statement):
        return "The same value is put into the same variable twice."
    return None


def body_of(kernel, headers):
    return next((h.between(f.first, f.last) for h in headers for f in h.functions if f.name == kernel), "")


def strides(kernel, headers):
    """Does the kernel go on by the whole grid until it is through, whatever the grid is?"""
    body = body_of(kernel, headers)
    return "for EACH" in body or "+= gridDim.x * blockDim.x" in body


def guarded(kernel, headers):
    """Does each thread take one element, if there is one for it?"""
    one_each = r"int i = blockIdx\.x \* blockDim\.x \+ threadIdx\.x;\s*if \(i < (x\.)?\w+\)"
    return re.search(one_each, body_of(kernel, headers)) is not None


def grid(m, headers):
    call = next((c for c in m.source.calls if (c.at, c.last) == m.places[0]), None) if m.places else None
    if call is None or not call.configuration:
        return None
    parts = [m.source.between(*c) for c in call.configuration]
    old, begin = m.before.split(": ", 1)[-1], m.edits[0][0]
    where = next((k for k, c in enumerate(call.configuration) if m.source.tokens[c[0]].at == begin), 0)
    swapped = m.before.endswith(">>>")
    if where == 2 and old == "0" and m.after == "1024":
        return "The kernel uses no shared memory of the launch's, and one KiB of it keeps no block from running."
    asked = re.findall(r"\w+_BLOCKS", " ".join(parts[:2]))
    if where > 1 or (where == 0 or swapped) and any(f"{name} blocks" in h.text for name in asked for h in headers):
        return None
    if strides(call.name, headers):
        return "The kernel goes on by the whole grid until it is through: every grid covers every element once."
    fixed = any("blocks of THREADS" in h.text for h in headers)
    if guarded(call.name, headers) and m.after.endswith("+ 1") and not (fixed and where == 1):
        return "Threads for more elements than there are: those beyond the end do nothing."
    if guarded(call.name, headers) and swapped and not fixed:
        return "Blocks and threads of a block change places: as many threads as before, one for each element."
    return None


def rounds_up_more(m):
    """Is a block's size, in the call that counts the blocks, one less?"""
    at, _, new = m.edits[0]
    sizes = [m.source.tokens[c.arguments[-1][0]] for c in m.source.calls if c.name in ("blocks_for", "blocks") and len(c.arguments) > 1]
    return any(t.at == at and t.text.isdigit() and int(new) < int(t.text) for t in sizes)


def returns(source, body):
    """Does it end with a return, and is nothing in it that a loop round it would catch?"""
    last = body.statements[-1] if hasattr(body, "statements") and body.statements else body
    return (getattr(last, "kind", "") == "jump" and source.tokens[last.first].text in ("return", "throw")
            and not set(source.words(body.first, body.last)) & {"break", "continue"})


DEFAULTS = {"0", "NULL", "nullptr", "cudaStreamLegacy", ""}


def same_stream(m):
    if "default-stream per-thread" in m.source.text or m.operator != "stream":
        return None
    old = m.before.split(": ", 1)[-1]
    configured = re.fullmatch(r"\w+<<<(.*)>>>", m.before)
    if configured:
        was = configured[1].rsplit(", ", 1)[-1] if m.after.count(",") < configured[1].count(",") else ""
        new = m.after[3:-3].rsplit(", ", 1)[-1] if m.after.count(",") > configured[1].count(",") else ""
        if was in DEFAULTS and new in DEFAULTS:
            return "Both are the default stream, the legacy one."
    elif old in DEFAULTS and m.after in DEFAULTS:
        return "Both are the default stream, the legacy one."
    return None


def nothing_in_default(source, headers):
    """Is nothing of this file or its caller's in the legacy default stream?"""
    with open(os.path.join(os.path.dirname(headers[0].path), "driver.cu"), encoding="utf-8") as f:
        if re.search(r"cudaStreamLegacy|<<<[^,>]*,[^,>]*>>>", f.read()):
            return False
    blocking = re.search(r"\bcuda(Memcpy|Memset|MemcpyToSymbol|Memcpy2D)\s*\(|cudaStreamLegacy|vendor_blur", source.text)
    bare_launch = any(c.configuration and len(c.configuration) < 4 for c in source.calls)
    zero = re.search(r",\s*(0|NULL|nullptr)\s*>>>|\b(Async|EventRecord)\([^;]*,\s*(0|NULL|nullptr)\)\)?;", source.text)
    return not blocking and not bare_launch and not zero


def rule(m, headers):
    """(SAME or OPEN, reason), or None."""
    if m.operator == "swap":
        text = swap(m) or (ASKED_LATER if asked_later(m) else None)
        return (SAME, text) if text else None
    if m.operator == "twice":
        text = twice(m)
        return (SAME, text) if text else None
    if m.operator == "kind" and m.after == "cudaMemcpyDefault":
        return SAME, "cudaMemcpyDefault: the runtime finds the direction by itself, from the two addresses."
    if m.operator == "flags" and m.before.startswith("cudaEventDisableTiming") and m.after == "cudaEventDefault":
        return SAME, "An event that could be timed as well marks the same place."
    if m.operator == "host-work" and HOST_WORK in m.after:
        return SAME, "The host computes for a millisecond in between: it queues the same and waits for the same, in the same order."
    if m.operator == "launch":
        text = grid(m, headers)
        return (SAME, text) if text else None
    if m.operator == "size" and m.after.endswith("* sizeof(unsigned)") and m.before.startswith("blocks_for"):
        return SAME, "Blocks for more elements than there are: those beyond the end do nothing."
    if m.operator == "constant" and m.edits[0][2].isdigit() and rounds_up_more(m):
        return SAME, "Blocks for more elements than there are: those beyond the end do nothing."
    if m.operator == "if-while" and m.statement.kind == "if" and returns(m.source, m.statement.bodies[0]):
        return SAME, "What is repeated leaves at its end: it is done once, at most, either way."
    if m.operator in ("into-loop", "out-after") and looks_for_error(m.source, m.statement):
        return SAME, "The error of a launch is looked for more often, or a few statements later: it is found all the same."
    if m.operator == "cost" and m.before.startswith("host_work: ") and m.before[11:].isdigit():
        return SAME, "How long the host naps between two questions is its own affair."
    if m.operator == "stream":
        text = same_stream(m)
        return (SAME, text) if text else None
    if m.operator == "wait-for-query":
        return SAME, "The host waits in one call where it asked again and again, and goes on at the same moment."
    if m.operator == "wider":
        return SAME, "Who waits for the whole device has waited for this part of it, too."
    if m.operator == "bare" and re.match(r"CHECK\(cuda(Free\w*|\w*Destroy|HostUnregister)\(", m.before):
        return SAME, "What gives something back may have nobody to tell: no check asks for its error."
    if m.operator in ("bare", "drop-check", "out-before") and asked_later(m):
        return SAME, ASKED_LATER
    if m.operator == "drop-check" and re.match(r"(if \(status|CHECK\(status\))", m.before):
        return OPEN, "The error is kept in a variable, which nobody looks at. A check would have to follow the variable."
    plain = m.operator == "create" and m.after.startswith("cudaStreamCreate(") and "NonBlocking" in m.before
    if plain or m.operator == "flags" and m.after in ("cudaStreamDefault", "cudaStreamNonBlocking"):
        if nothing_in_default(m.source, headers):
            return SAME, "Whether the default stream holds it up: neither this file nor its caller puts anything there."
    if m.operator == "notify" and "broadcast" in m.after or m.operator == "notify" and "all" in m.after:
        return SAME, "Who is woken for nothing looks at its condition, and sleeps on."
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
