#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""probes.py: single questions to a card, as programs for the player; a program's name says its question."""
KIB, MIB = 1 << 10, 1 << 20


def program(name, queues, streams, buffers, ops):
    """streams: priorities, or a kind with a priority."""
    print(f'program probe-{name}\n# queues {queues}')
    for s in streams:
        print('stream', *(s if isinstance(s, tuple) else ('free', s)))
    for b in buffers:
        print('buffer', *b)
    for op in ops:
        print(0, *op)


def kernel(s, us, blocks=1, threads=128, kib=0):
    return 'kernel', s, blocks, threads, kib * KIB, int(us * 1000), -1, -1, 1


WORD = [('device', 8)]


def shared_queues():
    """Which streams share a hardware queue? Those that do take 300 us, others 200."""
    def pair(name, i, j, count):
        program(name, 8, [0] * count, WORD, [kernel(i, 100), kernel(i, 100), kernel(j, 200)])
    for before in (0, 5, 3):        # streams that were there before, and are gone
        if before:
            program(f'filler-{before}', 8, [0] * before, WORD, [kernel(i, 5) for i in range(before)])
        for j in range(1, 9):
            pair(f'share-after{before}-0and{j}', 0, j, 9)
    for i in range(11):
        for j in range(i + 1, 11):
            pair(f'share11-{i}and{j}', i, j, 11)
    for queues in (1, 2):
        for a, b in ((0, 0), (0, -1), (0, -5), (-1, -5), (-5, -5)):
            program(f'prio-q{queues}-{-a}-{-b}', queues, [a] + [0] * (queues - 1) + [b], WORD,
                    [kernel(0, 100), kernel(0, 100), kernel(queues, 200)])


def what_stands_in_a_queue():
    """200 us: what is in the middle lets others pass; more: it holds them up."""
    event, timed = ('record', 0, 0), ('record', 1, 0)
    waits, page, other = ('wait', 1, 0), [('device', 8192), ('pinned', 8192)], kernel(1, 200)
    large = [('device', MIB), ('pinned', MIB), ('device', 8 * MIB), ('pinned', 8 * MIB)]
    for q in (1, 8):
        for name, buffers, ops in (
                ('record-then-other', WORD, [event, other]),
                ('timed-record-then-other', WORD, [timed, other]),
                ('wait-with-nothing-behind', WORD, [event, waits, kernel(2, 200)]),
                ('wait-kernel-then-other', WORD, [event, waits, kernel(1, 10), kernel(2, 200)]),
                ('wait-down-then-other', page, [event, waits, ('copy', 1, 1, 0, 8192), kernel(2, 200)]),
                ('small-up-behind-then-other', page, [('copy', 0, 0, 1, 8), other]),
                ('down-behind-then-other', page, [('copy', 0, 1, 0, 8), other]),
                ('down-behind-then-down', large, [('copy', 0, 1, 0, 8192), ('copy', 1, 3, 2, 8 * MIB)]),
                ('function-then-other', WORD, [('function', 0, 1000, -1, 1), other]),
                ('set-behind-then-other', [('device', 8192)], [('set', 0, 0, 1, 8192), other])):
            program(f'q{q}-{name}', q, [0] * 3, buffers, [kernel(0, 200)] + ops)


def stages():
    """Chunks up, a kernel, and down, each stage in a stream of its own."""
    def pipeline(name, queues, chunks, size, us, streams=3, timed=True, has_kernel=True, down=True):
        buffers, ops, events = [], [], [0, 1]

        def follows(s, before, is_timed):
            if s != before:
                n = events[is_timed]
                events[is_timed] += 2
                ops.extend([('record', n, before), ('wait', s, n)])
        up, middle, back = 0, 1 % streams, 2 % streams
        for c in range(chunks):
            buffers.extend([('pinned', size), ('device', size), ('pinned', size)])
            ops.append(('copy', up, 3 * c + 1, 3 * c, size))
            if has_kernel:
                follows(middle, up, timed)
                ops.append(('kernel', middle, 1, 64, 0, int(us * 1000), -1, 3 * c + 1, 1))
            if down:
                follows(back, middle if has_kernel else up, False)
                ops.append(('copy', back, 3 * c + 2, 3 * c + 1, size))
        program('stage-' + name, queues, [0] * streams, buffers, ops)
    for q in (1, 8, 32):
        pipeline(f'q{q}', q, 2, 508528, 4.3)
    pipeline('one-chunk', 8, 1, 508528, 4.3)
    pipeline('untimed', 8, 2, 508528, 4.3, timed=False)
    pipeline('no-kernel', 8, 2, 508528, 4.3, has_kernel=False)
    pipeline('no-down', 8, 2, 508528, 4.3, down=False)
    pipeline('two-streams', 8, 2, 508528, 4.3, streams=2)
    pipeline('one-stream', 8, 2, 508528, 4.3, streams=1)
    pipeline('64K', 8, 2, 64 * KIB, 4.3)
    pipeline('4M', 8, 2, 4 * MIB, 4.3)
    pipeline('8-chunks', 8, 8, 508528, 4.3)
    pipeline('kernel-50', 8, 2, 508528, 50)


def held_by_no_room():
    """Does a block that fits nowhere hold up a third stream's kernel that fits? 200 us or 400."""
    for kib in (0, 64, 200):
        program(f'held-by-{kib}K', 8, [0] * 3, WORD, [kernel(0, 200, 132, 1024, 60), kernel(1, 10, 1, 1024, kib), kernel(2, 200)])
    program('held-by-full-grid', 8, [0] * 3, WORD, [kernel(0, 200, 264, 1024), kernel(1, 10, 132, 1024), kernel(2, 200)])
    program('held-urgent', 8, [0, -5, 0], WORD, [kernel(0, 200, 132, 1024, 60), kernel(1, 10, 1, 1024, 200), kernel(2, 200)])


def host_functions():
    at_once = ('function', 0, 0, -1, 1)
    for us in (0, 2, 5, 10, 20, 50, 100, 300, 1000):
        program(f'function-behind-{us}', 8, [0], WORD, [kernel(0, us), at_once])
    for us in (5, 50, 300):
        program(f'kernel-behind-function-{us}', 8, [0], WORD, [kernel(0, us), at_once, kernel(0, us)])
    for us in (5, 50, 300):
        program(f'function-other-{us}', 8, [0, 0], WORD, [kernel(0, us), ('record', 0, 0), ('wait', 1, 0), ('function', 1, 0, -1, 1)])
    for size in (8, MIB):
        program(f'function-behind-copy-{size}', 8, [0], [('device', size), ('pinned', size)], [('copy', 0, 0, 1, size), at_once])
    for count in (2, 4):
        program(f'functions-{count}', 8, [0], WORD, [at_once] * count)


def small_copies():
    """Every order of two, in one stream and in two; four beside a large one."""
    buffers = [('device', MIB), ('pinned', MIB), ('device', MIB), ('pinned', MIB)]
    up, down, up2, down2 = (0, 1), (1, 0), (2, 3), (3, 2)
    for size in (8, 4096, 32768, 262144):
        for name, ops in (('up', [up]), ('down', [down]), ('up-up', [up, up2]), ('down-down', [down, down2]), ('up-down', [up, down2]),
                          ('down-up', [down, up2]), ('udud', [up, down2] * 2), ('dddd', [down, down2] * 2)):
            for streams in (1, 2)[:len(ops)]:
                program(f'small-{size}-{name}-{streams}', 8, [0] * streams, buffers,
                        [('copy', i % streams, to, source, size) for i, (to, source) in enumerate(ops)])
    for size in (8, 4096):
        for way, (to, source) in (('up', (2, 3)), ('down', (3, 2))):
            program(f'small-beside-large-{size}-{way}', 8, [0, 0], [('device', 8 * MIB), ('pinned', 8 * MIB)] + buffers,
                    [('copy', 0, 0, 1, 8 * MIB)] + [('copy', 1, to, source, size)] * 4)


def captures():
    nodes = {'kernel': kernel(0, 0), 'copy': ('copy', 0, 0, 1, 65536), 'set': ('set', 0, 0, 1, 65536)}
    for count in (1, 10, 40):
        for what, node in nodes.items():
            for launches in (0, 1):
                program(f'capture-{what}-{count}-{launches}', 8, [0], [('device', 65536), ('pinned', 65536)],
                        [('capture', 0)] + [node] * count + [('end', 0)] + [('launch', 0, 0)] * launches)


def memory():
    """Memsets by memory and size; faults; pageable copies."""
    for place in ('device', 'pinned', 'managed'):
        for size in (8, 4096, 16384, 65536, MIB, 8 * MIB):
            for now, op in (('set', ('set', 1, 0, 1, size)), ('set_now', ('set_now', 0, 1, size))):
                program(f'{now}-{place}-{size}', 8, [('legacy', 0), 0], [(place, size)], [op])
    program('set-pinned-x4', 8, [0], [('pinned', 65536)], [('set', 0, 0, 1, 65536)] * 4)
    touches = 'kernel', 0, 1, 256, 0, 0, -1, 0, 1
    for size in (4096, 65536, MIB, 2 * MIB, 4 * MIB, 8 * MIB):
        for name, ops in (('kernel', [touches]), ('twice', [touches] * 2), ('host', [touches, ('finish', 0), ('host', 0, 1)])):
            program(f'managed-{name}-{size}', 8, [0], [('managed', size)], ops)
    for size in (4096, 65536, 65540, 262144, MIB, 2 * MIB, 4 * MIB, 8 * MIB):
        for way, op in (('up', ('copy', 0, 0, 1, size)), ('down', ('copy', 0, 1, 0, size))):
            program(f'pageable-{way}-{size}', 8, [0], [('device', size), ('pageable', size)], [op])


def hops():
    """40 operations, each in the next stream after an event of the one before; with a time or without."""
    things = {'kernel': kernel(0, 10), 'set': ('set', 0, 0, 1, 8), 'up': ('copy', 0, 0, 1, 32768), 'down': ('copy', 0, 1, 0, 8)}
    for name, op in things.items():
        for timed in (0, 1):
            for streams in (1, 2, 4, 8):
                ops = []
                for i in range(40):
                    ops += [(op[0], i % streams) + op[2:], ('record', 2 * i + timed, i % streams), ('wait', (i + 1) % streams, 2 * i + timed)]
                program(f'hops-{name}-{"timed" if timed else "plain"}-{streams}', 8, [0] * streams, [('device', 65536), ('pinned', 65536)], ops)
    for count in (1, 5, 20):
        program(f'times-in-a-row-{count}', 8, [0], WORD, [kernel(0, 100)] + [('record', 2 * i + 1, 0) for i in range(count)])


def waiting_beside():
    """Two streams in turn, while others have something that waits for them both: what of that slows the two?"""
    for name, rest in (('kernel', kernel(0, 1)), ('down', ('copy', 0, 1, 0, 8)), ('up', ('copy', 0, 0, 1, 32768)), ('nothing', None)):
        for others in (0, 1, 2, 4):
            ops = [kernel(0, 300)]
            for i in range(30):
                ops += [kernel(i % 2, 10), ('record', 2 * i, i % 2), ('wait', (i + 1) % 2, 2 * i)]
            for s in range(2, 2 + others):
                ops.append(('wait', s, 58))
                if rest:
                    ops.append((rest[0], s) + rest[2:])
            program(f'beside-{name}-{others}', 8, [0] * 6, [('device', 65536), ('pinned', 65536)], ops)


def first_work():
    """Which streams share one of few queues, by the order and the kind of their first work? 300 us: these two do."""
    firsts = {'kernel': kernel(0, 2), 'set': ('set', 0, 0, 1, 65536), 'up': ('copy', 0, 0, 1, 8), 'down': ('copy', 0, 1, 0, 8),
              'timed': ('record', 1, 0)}
    for queues, order in ((2, (3, 1, 0, 4, 2)), (4, (3, 1, 5, 0, 4, 2))):
        for name, op in firsts.items():
            first = [('record', 1, s) if name == 'timed' else (op[0], s) + op[2:] for s in order]
            for i in range(len(order)):
                for j in range(i + 1, len(order)):
                    program(f'first-{name}-q{queues}-{i}and{j}', queues, [0] * len(order), [('device', 65536), ('pinned', 65536)],
                            first + [('finish_all',), kernel(i, 100), kernel(i, 100), kernel(j, 200)])


if __name__ == '__main__':
    for ask in (shared_queues, what_stands_in_a_queue, stages, held_by_no_room, host_functions, small_copies, captures, memory, hops, waiting_beside, first_work):
        ask()
