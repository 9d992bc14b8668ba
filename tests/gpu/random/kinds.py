#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""kinds.py [--seed N] [--bytes MOST] [--drop] COUNT KIND...: random programs of each kind, the same for the same seed.

No two operations of a program race: where they share memory it has edges (events, waits of the host, meetings of its two
threads) that put them in order. --drop leaves one out that is needed. --bytes: no buffer is larger. KIND may be `all`.
"""
import argparse
import random

from programs import Op, Program, races, without_edge

KIB, MIB, MOST_OPS = 1 << 10, 1 << 20, 220
HOST = ('pinned', 'pageable', 'managed')


def between(rng, least, most):
    """Log-uniform."""
    return int(least * (most / least) ** rng.random())


class Maker:
    def __init__(self, kind, number, seed, most_bytes):
        self.rng = random.Random(f'{seed} {kind} {number}')
        queues = self.rng.choice([8, 8, 8, 1, 2, 4, 16, 32])
        self.p, self.most_bytes = Program(f'{kind}-{number}', queues), most_bytes
        self.host_waits = 0.05

    # ---- what there is ----
    def streams(self, least, most, kinds=('free',), priorities=(0,)):
        for _ in range(between(self.rng, least, most + 0.99)):
            self.p.streams.append((self.rng.choice(kinds), self.rng.choice(priorities)))

    def buffers(self, count, places, least=4, most=8 * MIB):
        for _ in range(count):
            self.buffer(self.rng.choice(places), between(self.rng, least, most))

    def buffer(self, place, size):
        self.p.buffers.append((place, max(8, min(size, self.most_bytes) // 8 * 8)))
        return len(self.p.buffers) - 1

    def some_stream(self):
        return self.rng.randrange(len(self.p.streams))

    def some_buffer(self, places=None):
        """One in `places`; -1: there is none."""
        found = [b for b, (place, _) in enumerate(self.p.buffers) if (place in places if places else place != 'pool')]
        return self.rng.choice(found) if found else -1

    def salt(self):
        return self.rng.randrange(1, 1000)

    # ---- operations ----
    def kernel(self, s, read=-1, write=-1, least=2000, most=150000, waves=True, shared=True):
        rng = self.rng
        threads = rng.choice([32, 64, 128, 256, 256, 512, 1024])
        blocks = rng.choice([1, 1, between(rng, 1, 132), between(rng, 1, 132), 132, between(rng, 100, 4000) if waves else 8])
        blocks = max(1, min(blocks, MIB // threads))
        dynamic = rng.choice([0, 0, 0, between(rng, 1, 48), between(rng, 1, 200)]) * KIB if shared else 0
        at_once = 132 * min(32, 2048 // threads, 227 * KIB // (dynamic + KIB))
        ns = min(between(rng, least, most), 600000 * at_once // max(blocks, at_once))
        if any(b >= 0 and self.p.buffers[b][0] == 'managed' for b in (read, write)):
            ns = 0          # page faults take their time beside nothing
        return Op('kernel', s, blocks, threads, dynamic, ns, read, write, self.salt())

    def some_kernel(self, s, places=('device',), **options):
        read = self.some_buffer(places) if self.rng.random() < 0.5 else -1
        write = self.some_buffer(places) if self.rng.random() < 0.8 else -1
        return self.kernel(s, -1 if read == write or write < 0 else read, write, **options)

    def copied(self, to, source):
        most = min(self.p.buffers[to][1], self.p.buffers[source][1])
        return most if self.rng.random() < 0.7 or most < 16 else between(self.rng, 4, most) // 4 * 4

    def some_copy(self, s, host=('pinned',), now=False):
        way = self.rng.random()
        one, other = self.some_buffer(('device',)), self.some_buffer(host)
        to, source = (one, other) if way < 0.45 else (other, one)
        if way > 0.9:
            to, source = one, self.some_buffer(('device',))
        if to == source or to < 0 or source < 0:
            return None
        return Op('copy_now', to, source, self.copied(to, source)) if now else Op('copy', s, to, source, self.copied(to, source))

    def pitched(self, s, host=('pinned',)):
        one, other = self.some_buffer(('device',)), self.some_buffer(host + ('device',))
        to, source = self.rng.sample([one, other], 2)
        if to == source:
            return None
        width = between(self.rng, 4, 16 * KIB) // 4 * 4
        pitches = [width + self.rng.choice([0, 4, 64, 512]) for _ in range(2)]
        height = min(self.p.buffers[to][1] // pitches[0], self.p.buffers[source][1] // pitches[1], 2000)
        return Op('copy_2d', s, to, pitches[0], source, pitches[1], width, self.rng.randint(1, height)) if height > 0 else None

    def some_set(self, s, places=('device',), now=False):
        b = self.some_buffer(places)
        numbers = b, self.rng.randrange(256), self.p.buffers[b][1]
        return Op('set_now', *numbers) if now else Op('set', s, *numbers)

    # ---- a program grows, and stays ordered ----
    def add(self, *unit, thread=0):
        p, begin = self.p, len(self.p.ops)
        if None in unit or begin > MOST_OPS:
            return
        for op in unit:
            op.thread = thread
        p.ops += unit
        pair = next(races(p, since=begin), None)
        while pair:
            self.order(*pair)
            pair = next(races(p, since=begin), None)

    def order(self, a, b):
        """Makes instance b wait for a."""
        p, rng = self.p, self.rng
        inside = a.launch is not None and a.launch == b.launch
        first, then = (a.at, b.at) if inside else (a.at if a.launch is None else a.launch, b.at if b.launch is None else b.launch)
        p.edges += 1
        one, other, edge = p.ops[first], p.ops[then], p.edges
        s, thread, to = one.stream(), other.thread, other.stream()
        event, meeting = p.events, [Op('meet', edge=edge)] if one.thread != thread else []
        if s is None:                                   # the host's own work: only threads have to meet
            new, early = meeting, []
        elif to is not None and (inside or rng.random() >= self.host_waits):
            early, new = [Op('record', event, s, thread=one.thread, edge=edge)], meeting + [Op('wait', to, event, thread=thread, edge=edge)]
        elif rng.random() < 0.5 or p.streams[s][0] == 'thread':
            early, new = [Op('record', event, s, thread=one.thread, edge=edge)], meeting + [Op('finish_event', event, thread=thread, edge=edge)]
        else:
            early, new = [], meeting + [Op('finish', s, thread=thread, edge=edge) if rng.random() < 0.7 else
                                        Op('finish_all', thread=thread, edge=edge)]
        p.events += len(early)
        p.ops[then:then] = new
        p.ops[first + 1:first + 1] = early


# ---- kinds ----

def mixed(m, host=('pinned',)):
    m.streams(1, 16)
    m.buffers(m.rng.randint(4, 14), ('device',))
    m.buffers(m.rng.randint(2, 8), host)
    for _ in range(m.rng.randint(4, 40)):
        s = m.some_stream()
        m.add(m.rng.choice([m.some_copy, m.some_copy, m.some_kernel, m.some_kernel, m.some_set])(s))


def copies(m):
    m.streams(1, 16)
    m.buffers(m.rng.randint(3, 16), ('device',))
    m.buffers(m.rng.randint(3, 16), ('pinned',))
    for _ in range(m.rng.randint(1, 40)):
        m.add(m.some_copy(m.some_stream()))


def small(m):
    m.streams(3, 16)
    for _ in m.p.streams:
        m.buffers(2, ('device', 'pinned'), 4, 64 * KIB)
    m.buffers(2, ('device',), MIB, 8 * MIB)
    m.buffers(2, ('pinned',), MIB, 8 * MIB)
    for _ in range(m.rng.randint(10, 80)):
        m.add(m.some_copy(m.some_stream()))


def kernels(m):
    m.streams(1, 24)
    m.buffers(m.rng.randint(2, 24), ('device',), 4, 64 * KIB)
    for _ in range(m.rng.randint(1, 50)):
        m.add(m.some_kernel(m.some_stream()))


def pipelines(m, host=('pinned',)):
    m.streams(1, 8)
    chunks, size = m.rng.randint(2, 16), between(m.rng, 4 * KIB, 4 * MIB)
    model, deep, by_stage = m.kernel(0), m.rng.random() < 0.5, m.rng.random() < 0.4
    stages = []
    for c in range(chunks):
        s, t, u = (i % len(m.p.streams) for i in (range(3) if by_stage else (c, c, c)))
        into, device, out = m.buffer(m.rng.choice(host), size), m.buffer('device', size), m.buffer(m.rng.choice(host), size)
        size_now = m.p.buffers[device][1]
        stages.append([Op('copy', s, device, into, size_now), Op('kernel', t, *model.a[1:6], device, m.salt()),
                       Op('copy', u, out, device, size_now)])
    for op in [op for chunk in stages for op in chunk] if deep else [chunk[i] for i in range(3) for chunk in stages]:
        m.add(op)


def queues(m):
    m.p.queues = m.rng.choice([1, 2, 4, 8, 16, 32])
    m.streams(1, 128)
    m.buffers(m.rng.randint(4, 64), ('device',), 4, 256 * KIB)
    m.buffers(4, ('pinned',), 4, 256 * KIB)
    for _ in range(m.rng.randint(4, 130)):
        s = m.some_stream()
        m.add(m.some_kernel(s, waves=False, most=40000) if m.rng.random() < 0.85 else m.some_copy(s))


def pageable(m):
    (pipelines if m.rng.random() < 0.3 else mixed)(m, ('pageable', 'pageable', 'pinned'))
    for _ in range(m.rng.randint(1, 6)):
        m.add(m.some_copy(m.some_stream(), ('pageable',)))


def pitched(m):
    m.streams(1, 8)
    m.buffers(m.rng.randint(3, 8), ('device',), 4 * KIB, 8 * MIB)
    m.buffers(m.rng.randint(2, 6), ('pinned', 'pinned', 'pageable'), 4 * KIB, 8 * MIB)
    for _ in range(m.rng.randint(1, 20)):
        s = m.some_stream()
        m.add(m.rng.choice([m.pitched, m.pitched, m.pitched, m.some_kernel, m.some_copy])(s, **{}))


def memsets(m):
    m.p.streams.append(('legacy', 0))
    m.streams(1, 8, ('free', 'free', 'blocking'))
    m.buffers(m.rng.randint(3, 8), ('device', 'device', 'pinned', 'managed'))
    m.buffers(1, ('device',))
    for _ in range(m.rng.randint(1, 24)):
        s, kind = m.some_stream(), m.rng.random()
        m.add(m.some_kernel(s) if kind < 0.25 else m.some_set(s, ('device', 'pinned', 'managed'), now=kind > 0.85))


def host(m):
    m.streams(1, 8)
    m.host_waits = 0.4
    m.buffers(m.rng.randint(3, 8), ('device',), 4, MIB)
    m.buffers(m.rng.randint(2, 6), ('pinned',), 4, MIB)
    for _ in range(m.rng.randint(2, 24)):
        s, kind = m.some_stream(), m.rng.random()
        if kind < 0.2:
            m.add(Op('function', s, between(m.rng, 1, 50000), m.rng.choice([-1, m.some_buffer(('pinned',))]), m.salt()))
        elif kind < 0.3:
            m.add(Op('host', m.some_buffer(('pinned',)), m.salt()))
        elif kind < 0.4:
            m.add(m.rng.choice([Op('finish', s), Op('finish_all'), Op('work', between(m.rng, 1000, 100000))]))
        else:
            m.add(m.some_kernel(s) if kind < 0.7 else m.some_copy(s))


def pools(m):
    m.streams(1, 6)
    m.buffers(3, ('device',), 4, MIB)
    m.buffers(2, ('pinned',), 4, MIB)
    live = []
    for _ in range(m.rng.randint(2, 12)):
        s, kind = m.some_stream(), m.rng.random()
        if kind < 0.5:
            b = m.buffer('pool', between(m.rng, 256, 24 * MIB))
            m.add(Op('alloc', b, s), Op('set', s, b, m.rng.randrange(256), m.p.buffers[b][1]))
            live.append((b, s))
        if live and m.rng.random() < 0.6:
            b, s = m.rng.choice(live)
            m.add(m.kernel(s if m.rng.random() < 0.7 else m.some_stream(), b, m.some_buffer(('device',))))
        if live and m.rng.random() < 0.4:
            b, s = live.pop(m.rng.randrange(len(live)))
            m.add(Op('free', b, s if m.rng.random() < 0.7 else m.some_stream()))
        m.add(m.some_copy(m.some_stream()))
    for b, s in live:
        m.add(Op('free', b, s))


def graphs(m):
    m.streams(1, 6)
    m.buffers(m.rng.randint(4, 10), ('device',), 4, MIB)
    m.buffers(m.rng.randint(2, 6), ('pinned',), 4, MIB)
    for g in range(m.rng.randint(1, 3)):
        for _ in range(m.rng.randint(0, 4)):
            m.add(m.rng.choice([m.some_copy, m.some_kernel])(m.some_stream()))
        captured = m.rng.sample(range(len(m.p.streams)), m.rng.randint(1, min(4, len(m.p.streams))))
        begin, launched = len(m.p.ops), m.some_stream()
        nodes = [m.rng.choice([m.some_kernel, m.some_kernel, m.some_copy, m.some_set])(m.rng.choice(captured))
                 for _ in range(m.rng.randint(1, 20))]
        m.add(Op('capture', *captured), *[n for n in nodes if n], Op('end', g))
        for _ in range(m.rng.randint(1, 4)):
            m.add(Op('launch', g, launched))


def priorities(m):
    m.streams(2, 12, priorities=(0, 0, -1, -2, -3, -4, -5))
    m.buffers(m.rng.randint(4, 16), ('device',), 4, MIB)
    m.buffers(3, ('pinned',), 4, 2 * MIB)
    for _ in range(m.rng.randint(4, 40)):
        s = m.some_stream()
        m.add(m.some_kernel(s) if m.rng.random() < 0.8 else m.some_copy(s))


def managed(m):
    m.streams(1, 4)
    m.buffers(m.rng.randint(1, 4), ('managed',), 4 * KIB, 8 * MIB)
    m.buffers(2, ('device',), 4, MIB)
    m.buffers(2, ('pinned',), 4, MIB)
    m.host_waits = 0.3
    for _ in range(m.rng.randint(1, 10)):
        s, kind, b = m.some_stream(), m.rng.random(), m.some_buffer(('managed',))
        if kind < 0.3:
            m.add(Op('prefetch', s, b, int(m.rng.random() < 0.3)))
        elif kind < 0.65:
            m.add(m.kernel(s, write=b, waves=False))
        elif kind < 0.75:
            m.add(Op('host', b, m.salt()))
        else:
            m.add(m.some_kernel(s) if kind < 0.9 else m.some_copy(s))


def threads(m):
    """A stream is used by one thread, which orders what it queues there; a thread's default stream is another for each."""
    m.streams(2, 8, ('free', 'free', 'blocking', 'thread'))
    m.buffers(m.rng.randint(6, 16), ('device',), 4, MIB)
    m.buffers(m.rng.randint(4, 8), ('pinned',), 4, MIB)
    for _ in range(m.rng.randint(4, 40)):
        s = m.some_stream()
        m.add(m.some_kernel(s, most=60000) if m.rng.random() < 0.6 else m.some_copy(s),
              thread=(m.rng.randrange(2) if m.p.streams[s][0] == 'thread' else s % 2))


def defaults(m):
    m.p.streams += [('legacy', 0), ('thread', 0)]
    m.streams(1, 8, ('free', 'blocking', 'blocking'))
    m.buffers(m.rng.randint(4, 10), ('device',), 4, 2 * MIB)
    m.buffers(m.rng.randint(2, 6), ('pinned', 'pinned', 'pageable'), 4, 2 * MIB)
    for _ in range(m.rng.randint(2, 30)):
        s, kind = m.some_stream(), m.rng.random()
        if kind < 0.5:
            m.add(m.some_kernel(s))
        else:
            m.add(m.some_set(s) if kind < 0.6 else m.some_copy(s, ('pinned', 'pageable'), now=kind > 0.88))


BASE = [mixed, copies, small, kernels, pipelines, queues]
ADDED = [pageable, pitched, memsets, host, pools, graphs, priorities, managed, threads, defaults]
KINDS = {k.__name__: k for k in BASE + ADDED}


def make(kind, number, seed, most_bytes):
    m = Maker(kind, number, seed, most_bytes)
    KINDS[kind](m)
    return m


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--seed', default='1')
    parser.add_argument('--bytes', type=int, default=1 << 30)
    parser.add_argument('--drop', action='store_true')
    parser.add_argument('count', type=int)
    parser.add_argument('kind', nargs='+', choices=[*KINDS, 'all'])
    wanted = parser.parse_args()
    for kind in KINDS if wanted.kind == ['all'] else wanted.kind:
        made = number = 0
        while made < wanted.count:
            number += 1
            if number > 20 * wanted.count + 100:
                raise SystemExit(f'kinds.py: of {number} programs of kind {kind} only {made} need an edge')
            m = make(kind, number, wanted.seed, wanted.bytes)
            p = without_edge(m.p, m.rng) if wanted.drop else m.p
            if p and p.ops:
                print(p, end='')
                made += 1


if __name__ == '__main__':
    main()
