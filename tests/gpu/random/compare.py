#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""compare.py SIMULATOR CARD...: what the player printed of the simulator beside what it printed of a card, several times.

A CARD may be a table of programs and several times each (facts/h200b-random.tsv); then SIMULATOR may have other programs,
too. A program's error is how far the simulator's time is outside of the card's least and most, in parts of the card's
middle time. Markdown on standard output: a row for each kind, for the six that the generator had first (base), for the
others, and for all. Status 1: a result is wrong, or an operation failed.
--worst N: names of the N worst alone, a line each. --only WORD: programs alone whose names begin so (`s2-`).
"""
import argparse
import sys

BASE = ('mixed', 'copies', 'small', 'kernels', 'pipelines', 'queues')


def lines(path):
    """By name: times, and the word of the last column, if it has one."""
    found = {}
    with open(path) as text:
        for line in text:
            if line.startswith('#'):
                continue
            name, *rest = line.rstrip('\n').split('\t')
            player = len(rest) == 3 and rest[2][0].isalpha()         # time, checksum, word
            found[name] = (rest[:1], rest[2]) if player else (rest, 'unjudged')
    return found


def kind(name):
    return name.rsplit('-', 1)[0]


def is_base(name):
    return kind(name).rsplit('-', 1)[-1] in BASE


def compare(simulator, cards):
    """[(error, name, the simulator's time, the card's)]"""
    rows = []
    for name, ((us,), _) in simulator.items():
        if any(name not in card for card in cards):
            raise SystemExit(f'compare.py: {name} is not in all of the card\'s')
        us, times = float(us), sorted(float(t) for card in cards for t in card[name][0])
        middle = times[len(times) // 2]
        rows.append((max(times[0] - us, us - times[-1], 0) / middle, name, us, middle))
    return sorted(rows, reverse=True)


def row(title, rows):
    errors, (worst, name, us, card) = sorted(r[0] for r in rows), rows[0]
    shares = ' | '.join(f'{100 * sum(e <= limit for e in errors) / len(errors):.1f} %' for limit in (0.05, 0.15, 0.2))
    return (f'| {title} | {len(rows)} | {100 * errors[len(errors) // 2]:.1f} % | {shares} | {sum(e > 0.2 for e in errors)} | '
            f'{100 * worst:.1f} % | {name}: {card:.1f} us, simulator {us:.1f} |')


def main():
    options = argparse.ArgumentParser(usage=__doc__)
    options.add_argument('--worst', type=int, default=0)
    options.add_argument('--only', default='')
    options.add_argument('files', nargs='+')
    options = options.parse_args()
    simulator, *cards = [lines(path) for path in options.files]
    simulator = {name: what for name, what in simulator.items() if name.startswith(options.only)}
    rows = compare(simulator, cards)
    if options.worst:
        print('\n'.join(name for error, name, _, _ in rows[:options.worst] if error > 0))
        return 0
    print('| kind | programs | median error | within 5 % | within 15 % | within 20 % | beyond | worst | which |\n' + '|---' * 9 + '|')
    for k in dict.fromkeys(kind(name) for name in simulator):
        print(row(k, [r for r in rows if kind(r[1]) == k]))
    for title, some in (('base', [r for r in rows if is_base(r[1])]), ('others', [r for r in rows if not is_base(r[1])]), ('all', rows)):
        if some:
            print(row(title, some))
    print(f'\nBeyond 20 %: {", ".join(r[1] for r in rows if r[0] > 0.2) or "none"}.')
    bad = sorted({f'{name}: {word}{" on the card" if f is not simulator else ""}'
                  for f in [simulator] + cards for name, (_, word) in f.items() if word not in ('right', 'unjudged')})
    print('\nResults: ' + ('all right.' if not bad else '; '.join(bad) + '.'))
    return len(bad) > 0


if __name__ == '__main__':
    sys.exit(main())
