#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""shrink.py SIMULATOR CARD [--bound 0.1] [--least-us 2] [--seconds 90] < PROGRAMS: the fewest operations that disagree.

SIMULATOR and CARD are players (player.cu): commands, to which arguments are added. A program disagrees while the simulator is further than the bound, in
parts of the card's time, and LEAST-US microseconds from the card. In each round parts of all programs are left out, one
part a candidate, and all candidates are played in one process for each number of hardware queues. Prints the programs
that are left, with both times.
"""
import argparse
import os
import subprocess
import sys
import time

from programs import races, read


def play(command, programs):
    """{name: us}, of those that succeed; a command that ends early loses what comes after."""
    times = {}
    for queues in sorted({p.queues for p in programs}):
        text = ''.join(str(p) for p in programs if p.queues == queues)
        done = subprocess.run(command + ' 5 times', shell=True, input=text, text=True, stdout=subprocess.PIPE,
                              env={**os.environ, 'CUDA_DEVICE_MAX_CONNECTIONS': str(queues)})
        for line in done.stdout.splitlines():
            name, us, _, word = line.split('\t')
            if word == 'unjudged':      # without an edge results may be anything
                times[name] = float(us)
    return times


def mended(p, ops):
    """What of `ops` still means something; None: it would use memory of a pool that is not there."""
    kept, recorded, captured, inside, live = [], set(), set(), False, set()
    ends = {op.a[0] for op in ops if op.name == 'end'}
    for op in ops:
        if op.name == 'capture':
            following = [o for o in p.ops[p.ops.index(op):] if o.name == 'end']
            if following[0] not in ops or following[0].a[0] not in ends:
                continue
            inside = True
        elif op.name == 'end':
            if not inside:
                continue
            inside = False
            captured.add(op.a[0])
        elif op.name == 'launch' and op.a[0] not in captured:
            continue
        elif op.name == 'record':
            recorded.add(op.a[0])
        elif op.name in ('wait', 'finish_event') and op.a[-1] not in recorded:
            continue
        elif op.name == 'alloc':
            live.add(op.a[0])
        elif any(p.buffers[b][0] == 'pool' and b not in live for b, _ in op.touches()):
            return None
        elif op.name == 'free':
            live.discard(op.a[0])
        kept.append(op)
    q = p.copy(kept)
    pool = {b for b, (place, _) in enumerate(p.buffers) if place == 'pool'}
    return None if pool and next(races(q, buffers=pool), None) else q


def without_parts(p):
    """Candidates: each half left out, each quarter, … each operation."""
    seen, size = set(), (len(p.ops) + 1) // 2
    while size > 0 and p.ops:
        for begin in range(0, len(p.ops), size):
            q = mended(p, p.ops[:begin] + p.ops[begin + size:])
            if q and q.ops and len(q.ops) < len(p.ops) and str(q) not in seen:
                seen.add(str(q))
                yield q
        size //= 2


def shrink(programs, arguments, left):
    """[(program, the simulator's time, the card's)]"""
    def differ(name, simulator, card):
        s, c = simulator.get(name), card.get(name)
        return s is not None and c is not None and abs(s - c) > max(arguments.bound * c, arguments.least_us)

    simulator, card = play(arguments.simulator, programs), play(arguments.card, programs)
    found = {p.name: [p, simulator[p.name], card[p.name]] for p in programs if differ(p.name, simulator, card)}
    growing = list(found)
    while growing and left() > 0:
        candidates = {}
        for name in growing:
            for n, q in enumerate(without_parts(found[name][0])):
                candidates[f'{name}.{n}'] = name, q.copy(q.ops, f'{name}.{n}')
        begin = time.monotonic()
        tried = [q for _, q in candidates.values()]
        simulator, card = play(arguments.simulator, tried), play(arguments.card, tried)
        growing = []
        for key, (name, q) in sorted(candidates.items(), key=lambda c: len(c[1][1].ops)):
            if name not in growing and differ(key, simulator, card):
                found[name] = [q.copy(q.ops, name), simulator[key], card[key]]
                growing.append(name)
        print(f'shrink: {len(tried)} candidates in {time.monotonic() - begin:.1f} s, {len(growing)} programs go on',
              file=sys.stderr)
    return list(found.values())


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('simulator')
    parser.add_argument('card')
    parser.add_argument('--bound', type=float, default=0.1)
    parser.add_argument('--least-us', type=float, default=2)
    parser.add_argument('--seconds', type=float, default=90)
    arguments = parser.parse_args()
    end = time.monotonic() + arguments.seconds
    for p, simulator, card in shrink(read(sys.stdin.read()), arguments, lambda: end - time.monotonic()):
        print(f'# {p.name}: {len(p.ops)} operations, {card:.1f} us, simulator {simulator:.1f}\n{p}', end='')


if __name__ == '__main__':
    main()
