#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""compare.py SIMULATOR CARD...: what the player printed of the simulator beside what it printed of a card, several times.

A program's error is how far the simulator's time is outside of the card's least and most, in parts of the card's middle
time. Markdown on standard output: a row for each kind. Status 1: a result is wrong, or an operation failed.
--worst N: names of the N worst alone, a line each.
"""
import sys


def lines(path):
    with open(path) as text:
        return {name: (float(us), word) for name, us, _, word in (line.rstrip('\n').split('\t') for line in text)}


def kind(name):
    return name.rsplit('-', 1)[0]


def compare(simulator, cards):
    """[(error, name, the simulator's time, the card's)]"""
    rows = []
    for name, (us, _) in simulator.items():
        times = sorted(card[name][0] for card in cards if name in card)
        if len(times) < len(cards):
            raise SystemExit(f'compare.py: {name} is not in all of the card\'s')
        middle = times[len(times) // 2]
        rows.append((max(times[0] - us, us - times[-1], 0) / middle, name, us, middle))
    return sorted(rows, reverse=True)


def row(title, rows):
    errors, (worst, name, us, card) = sorted(r[0] for r in rows), rows[0]
    share = lambda limit: 100 * sum(e <= limit for e in errors) / len(errors)
    return (f'| {title} | {len(rows)} | {100 * errors[len(errors) // 2]:.1f} % | {share(0.05):.1f} % | {share(0.2):.1f} % | '
            f'{100 * worst:.1f} % | {name}: {card:.1f} us, simulator {us:.1f} |')


def main():
    count = int(sys.argv[2]) if sys.argv[1] == '--worst' else 0
    files = [lines(path) for path in sys.argv[3 if count else 1:]]
    simulator, cards = files[0], files[1:]
    rows = compare(simulator, cards)
    if count:
        print('\n'.join(name for error, name, _, _ in rows[:count] if error > 0))
        return 0
    print('| kind | programs | median error | within 5 % | within 20 % | worst | which |\n|---|---|---|---|---|---|---|')
    for k in dict.fromkeys(kind(name) for name in simulator):
        print(row(k, [r for r in rows if kind(r[1]) == k]))
    print(row('all', rows))
    print(f'\nBeyond 20 %: {", ".join(r[1] for r in rows if r[0] > 0.2) or "none"}.')
    bad = sorted({f'{name}: {word}{" on the card" if f is not simulator else ""}'
                  for f in files for name, (_, word) in f.items() if word not in ('right', 'unjudged')})
    print('\nResults: ' + ('all right.' if not bad else '; '.join(bad) + '.'))
    return len(bad) > 0


if __name__ == '__main__':
    sys.exit(main())
