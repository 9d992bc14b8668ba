# SPDX-License-Identifier: MIT
"""Stream programs as data: their text (player.cu reads it), who touches what, and which operations CUDA orders.

The order is known twice. What CUDA guarantees (strong=False) is what a program may rely on; strong=True adds what only
may hold the host up, so that what is unordered even then is a race whoever judges it.
"""

LENGTHS = {'copy': 4, 'copy_now': 3, 'copy_2d': 7, 'set': 4, 'set_now': 3, 'kernel': 8, 'function': 4, 'host': 2, 'work': 1,
           'record': 2, 'wait': 2, 'finish': 1, 'finish_event': 1, 'finish_all': 0, 'alloc': 2, 'free': 2, 'prefetch': 3,
           'end': 1, 'launch': 2, 'meet': 0}
LEGACY = 0          # programs with cudaMemcpy or cudaMemset have the legacy stream as their first


class Op:
    def __init__(self, name, *numbers, thread=0, edge=0):
        self.name, self.a, self.thread, self.edge = name, list(numbers), thread, edge

    def __str__(self):
        return ' '.join(map(str, [self.thread, self.name] + self.a))

    def stream(self):
        """The number of its stream; None: it has none."""
        if self.name in ('copy_now', 'set_now'):
            return LEGACY
        where = {'record': 1, 'alloc': 1, 'free': 1, 'launch': 1, 'copy': 0, 'copy_2d': 0, 'set': 0, 'kernel': 0, 'function': 0,
                 'wait': 0, 'finish': 0, 'prefetch': 0}.get(self.name)
        return None if where is None else self.a[where]

    def touches(self):
        """[(buffer, written)]; each touches the buffer's first word."""
        a = self.a
        found = {'copy': lambda: [(a[1], 1), (a[2], 0)], 'copy_now': lambda: [(a[0], 1), (a[1], 0)],
                 'copy_2d': lambda: [(a[1], 1), (a[3], 0)], 'set': lambda: [(a[1], 1)], 'set_now': lambda: [(a[0], 1)],
                 'kernel': lambda: [(a[5], 0), (a[6], 1)], 'function': lambda: [(a[2], 1)], 'host': lambda: [(a[0], 1)],
                 'alloc': lambda: [(a[0], 1)], 'free': lambda: [(a[0], 1)]}.get(self.name, lambda: [])()
        return [(b, w) for b, w in found if b >= 0]


class Program:
    def __init__(self, name, queues=8):
        self.name, self.queues, self.streams, self.buffers, self.ops = name, queues, [], [], []
        self.events = self.edges = 0

    def __str__(self):
        lines = [f'program {self.name}', f'# queues {self.queues}']
        lines += [f'stream {kind} {priority}' for kind, priority in self.streams]
        lines += [f'buffer {place} {size}' for place, size in self.buffers]
        return '\n'.join(lines + [str(op) for op in self.ops]) + '\n'

    def copy(self, ops, name=None):
        other = Program(name or self.name, self.queues)
        other.streams, other.buffers, other.ops = self.streams, self.buffers, ops
        return other


def read(text):
    programs = []
    for line in text.splitlines():
        words = line.split()
        if line.startswith('program'):
            programs.append(Program(words[1]))
        elif line.startswith('# queues'):
            programs[-1].queues = int(words[2])
        elif line.startswith('stream'):
            programs[-1].streams.append((words[1], int(words[2])))
        elif line.startswith('buffer'):
            programs[-1].buffers.append((words[1], int(words[2])))
        elif words and not line.startswith('#'):
            programs[-1].ops.append(Op(words[1], *map(int, words[2:]), thread=int(words[0])))
    return programs


class Instance:
    """An operation that is done: `at` is its number; of a graph, `launch` is the number of the launch."""

    def __init__(self, at, op, before, launch=None):
        self.at, self.op, self.before, self.launch = at, op, before, launch


def know(p, strong=False):
    """The instances of all operations that touch memory, each with the set (bits) of those that are over before it."""
    at_stream, at_event, host, done, regions = {}, {}, [0, 0], [], {}
    place = lambda b: p.buffers[b][0]

    def key(s, thread):
        return 'legacy' if p.streams[s][0] == 'legacy' else ('thread', thread) if p.streams[s][0] == 'thread' else s

    def start(s, thread):
        before = at_stream.get(key(s, thread), 0) | host[thread]
        if p.streams[s][0] == 'legacy':
            for k, v in at_stream.items():
                if isinstance(k, tuple) or k == 'legacy' or p.streams[k][0] != 'free':
                    before |= v
        elif p.streams[s][0] != 'free':
            before |= at_stream.get('legacy', 0)
        return before

    def add(i, op, before, launch=None):
        done.append(Instance(i, op, before, launch))
        return before | 1 << len(done) - 1

    def holds_host(op):
        if op.name == 'copy_now':
            places = [place(b) for b, _ in op.touches()]
            return strong or places[0] in ('pinned', 'pageable') or places[1] == 'pinned'
        pageable = any(place(b) in ('pageable', 'managed') for b, _ in op.touches())
        return strong and (op.name == 'set_now' or (op.name in ('copy', 'copy_2d') and pageable))

    i = 0
    while i < len(p.ops):
        op = p.ops[i]
        t, s = op.thread, op.stream()
        if op.name == 'capture':
            begin = i
            while p.ops[i].name != 'end':
                i += 1
            regions[p.ops[i].a[0]] = begin, i
        elif op.name == 'launch':
            begin, end = regions[op.a[0]]
            first = start(s, t)
            inner, marks, after = {n: first for n in p.ops[begin].a}, {}, first
            for j in range(begin + 1, end):
                node = p.ops[j]
                n = node.stream()
                if node.name == 'record':
                    marks[node.a[0]] = inner[n]
                elif node.name == 'wait':
                    inner[n] |= marks.get(node.a[1], 0)
                elif node.touches():
                    inner[n] = add(j, node, inner[n], i)
                after |= inner[n]
            at_stream[key(s, t)] = after
        elif op.name == 'record':
            at_event[op.a[0]] = at_stream[key(s, t)] = start(s, t)
        elif op.name == 'wait':
            at_stream[key(s, t)] = start(s, t) | at_event.get(op.a[1], 0)
        elif op.name == 'finish':
            host[t] |= start(s, t)
        elif op.name == 'finish_event':
            host[t] |= at_event.get(op.a[0], 0)
        elif op.name == 'finish_all':
            for v in at_stream.values():
                host[t] |= v
        elif op.name == 'meet':
            host = [host[0] | host[1]] * 2
        elif op.name == 'host':
            host[t] = add(i, op, host[t])
        elif s is not None:             # a kernel that touches nothing orders what is before and after it, too
            at_stream[key(s, t)] = add(i, op, start(s, t)) if op.touches() else start(s, t)
            if holds_host(op):
                host[t] |= at_stream[key(s, t)]
        i += 1
    return done


def races(p, strong=False, since=0, buffers=None):
    """Pairs of instances that touch a buffer, one of them writing, in no order; the later one from operation `since` on."""
    done = know(p, strong)
    users = {}
    for n, b in enumerate(done):
        mine = b.op.touches()
        if max(b.at, b.launch or 0) >= since:
            for buffer, written in mine:
                for m, wrote in users.get(buffer, []):
                    if (written or wrote) and not b.before >> m & 1 and (buffers is None or buffer in buffers):
                        yield done[m], b
        for buffer, written in mine:
            users.setdefault(buffer, []).append((n, written))


def without_edge(p, rng):
    """The program without one edge that it needs; None: it needs none."""
    edges = sorted({op.edge for op in p.ops if op.edge})
    rng.shuffle(edges)
    for edge in edges:
        q = p.copy([op for op in p.ops if op.edge != edge])
        if next(races(q, strong=True), None):
            return q
    return None
