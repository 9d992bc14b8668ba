// SPDX-License-Identifier: MIT
// The figures that can be played with. Each begins as the run that the chapter shows (`program`, `label`, `card`: a test
// holds it to that), has `controls`, makes calls on the device `d` (machine.js) as the program would, and says what came
// of them. No page is needed here: tests run these without one.
(function (global) {
    'use strict';

    var CARDS = [['h200', 'NVIDIA H200'], ['rtx2070s', 'GeForce RTX 2070 SUPER'], ['k20c', 'Tesla K20c'],
        ['c2050', 'Tesla C2050'], ['c1060', 'Tesla C1060'], ['older-guide', 'as older guides describe one']];
    var QUEUES = [[0, 'as the card has'], [1, '1'], [2, '2'], [4, '4'], [8, '8'], [32, '32']];
    var KINDS = [['blocking', 'cudaStreamCreate()'], ['non-blocking', 'cudaStreamNonBlocking'], ['default', 'the default stream']];

    function range(id, label, value, min, max, step, unit) {
        return { id: id, label: label, value: value, min: min, max: max, step: step || 1, unit: unit || '' };
    }
    function choice(id, label, value, choices) {
        return { id: id, label: label, value: value, choices: choices };
    }
    function ms(ns) {
        return ns < 1e6 ? (ns / 1e3).toFixed(ns < 1e4 ? 1 : 0) + ' µs' : (ns / 1e6).toFixed(2) + ' ms';
    }

    var figures = {};

    // ---- 06: an image in chunks ----
    figures.pipeline = {
        program: 'lessons/06-overlap/demo.cu', label: 'in four chunks', card: 'h200',
        about: 'An image goes to the device, is brightened and comes back, in chunks.',
        controls: [
            range('chunks', 'Chunks', 4, 1, 64), range('streams', 'Streams', 4, 1, 16),
            choice('order', 'Queued', 'depth', [['depth', 'chunk by chunk: depth first (V1)'], ['breadth', 'step by step: breadth first (V2)'],
                ['ahead', 'one copy in ahead']]),
            range('kernel', 'A block of the kernel takes', 20, 1, 200, 1, 'µs'),
            choice('card', 'Card', 'h200', CARDS),
            choice('engines', 'Copy engines', 0, [[0, 'as the card has'], [1, '1'], [2, '2']]),
            choice('queues', 'Hardware queues', 0, QUEUES)],
        run: function (d, v) {
            var n = 1000003, streams = [], k;
            d.begin(v.card, v.engines, v.queues);
            for (k = 0; k < v.streams; k++) streams.push(d.stream());
            d.sync();
            function first(c) { return Math.floor(c * n / v.chunks); }
            function count(c) { return first(c + 1) - first(c); }
            function copyIn(c) { d.copy(streams[c % v.streams], d.DEVICE, d.PINNED, 4 * count(c), true); }
            function kernel(c) { d.launch('brighten', streams[c % v.streams], Math.ceil(count(c) / 256), 256, v.kernel * 1000); }
            function copyOut(c) { d.copy(streams[c % v.streams], d.PINNED, d.DEVICE, 4 * count(c), true); }
            function each(step) { for (var c = 0; c < v.chunks; c++) step(c); }
            d.show(v.chunks === 1 ? 'in one go' : 'in chunks');
            if (v.order === 'depth')
                each(function (c) { copyIn(c); kernel(c); copyOut(c); });
            else if (v.order === 'breadth')
                [copyIn, kernel, copyOut].forEach(each);
            else {
                copyIn(0);
                each(function (c) { if (c + 1 < v.chunks) copyIn(c + 1); kernel(c); copyOut(c); });
            }
            d.sync();
        },
        says: function (d) {
            var work = d.length() * d.busyPermille() / 1000;
            return ms(d.length()) + '. Busiest are the ' + d.busyEngine() + ', for ' + ms(work) + ' of it; for the other '
                + ms(d.length() - work) + ' they wait.';
        }
    };

    // ---- 04: who waits for the default stream ----
    figures['default-stream'] = {
        program: 'lessons/04-default-stream/predict.cu', label: 'predict', card: 'h200',
        about: 'Five launches, in this order: 2 ms in the first stream, 3 ms in the third, 1 ms in the fourth, 1 ms in the second, '
            + '2 ms in the third again.',
        controls: [
            choice('a', 'First stream', 'blocking', KINDS), choice('b', 'Second stream', 'blocking', KINDS),
            choice('free', 'Third stream', 'non-blocking', KINDS), choice('zero', 'Fourth stream', 'default', KINDS)],
        run: function (d, v) {
            d.begin('h200', 0, 0);
            var kinds = {};
            ['a', 'b', 'free', 'zero'].forEach(function (id) {
                kinds[id] = v[id] === 'default' ? 0 : d.stream(v[id] === 'non-blocking' ? d.NON_BLOCKING : 0);
            });
            d.sync();
            d.show('predict');
            [['a', 2], ['free', 3], ['zero', 1], ['b', 1], ['free', 2]].forEach(function (l) {
                d.launch('busy', kinds[l[0]], 1, 1, l[1] * 1e6);
            });
            d.syncStream(0);
            d.sync();
        },
        says: function (d) {
            return ms(d.length()) + ' from the first kernel to the last. Alone, the five would take ' + ms(9e6)
                + '; with nobody waiting for the default stream, ' + ms(5e6) + '.';
        }
    };

    // ---- 05: which call serialises ----
    var BYTES = 80000;
    var calls = {
        'cudaMalloc, cudaFree': [function (d) { d.allocate(d.DEVICE, BYTES); }, function (d) { d.free(d.DEVICE, BYTES); }],
        'cudaMallocHost, cudaFreeHost': [function (d) { d.allocate(d.PINNED, BYTES); }, function (d) { d.free(d.PINNED, BYTES); }],
        'cudaMalloc': [function (d) { d.allocate(d.DEVICE, BYTES); }],
        'cudaMallocHost': [function (d) { d.allocate(d.PINNED, BYTES); }],
        'cudaMemset': [function (d) { d.set(0, BYTES, false); }],
        'cudaMemsetAsync': [function (d, s) { d.set(s, BYTES, true); }],
        'cudaMemcpyAsync, pinned': [function (d, s) { d.copy(s, d.DEVICE, d.PINNED, BYTES, true); }],
        'cudaMemcpyAsync, pageable': [function (d, s) { d.copy(s, d.DEVICE, d.PAGEABLE, BYTES, true); }],
        'cudaMemcpy, pageable': [function (d) { d.copy(0, d.DEVICE, d.PAGEABLE, BYTES, false); }],
        'cudaDeviceSynchronize': [function (d) { d.sync(); }],
        'nothing': []
    };
    figures.serialises = {
        program: 'lessons/05-implicit-sync/loop.cu', label: 'in the loop', card: 'h200',
        about: 'Six kernels of half a millisecond in two streams, in turn. Between them the host makes the call; of two, the first '
            + 'before each launch, the second after it.',
        controls: [
            choice('call', 'Call', 'cudaMalloc, cudaFree', Object.keys(calls).map(function (c) { return [c, c]; })),
            choice('card', 'Card', 'h200', CARDS)],
        run: function (d, v) {
            function loop(call) {
                d.begin(v.card, 0, 0);
                var stream = [d.stream(), d.stream()];
                d.sync();
                d.show('in the loop');
                for (var k = 0; k < 6; k++) {
                    if (call[0]) call[0](d, stream[(k + 1) % 2]);
                    d.launch('grind', stream[k % 2], 8, 256, 500000);
                    if (call[1]) call[1](d, stream[k % 2]);
                }
                d.sync();
                return d.length();
            }
            this.without = loop(calls.nothing);
            loop(calls[v.call]);
        },
        says: function (d, v) {
            var length = d.length(), without = ms(this.without);
            if (this.without > 2.5e6) return ms(length) + ': this card has one kernel at a time, whatever the host does.';
            if (v.call === 'nothing') return ms(length) + ': two kernels at a time.';
            return ms(length) + ', and ' + without + ' without the call' + (length > 1.8 * this.without ? ': it lets one kernel run after the other.'
                : length > 1.2 * this.without ? ': it takes time in which less is queued.' : ': it holds up neither stream.');
        }
    };

    // ---- 08: priorities ----
    figures.priorities = {
        program: 'lessons/08-priorities/urgent.cu', label: 'greatest', card: 'h200',
        about: 'A long kernel of many waves is at work when an urgent one comes, in a stream of its own.',
        controls: [
            range('priority', 'Priority of the urgent stream', -5, -5, 0), range('bulk', 'Waves of the long kernel', 20, 1, 40),
            range('urgent', 'Waves of the urgent one', 1, 1, 8), range('block', 'A block takes', 500, 50, 2000, 50, 'µs'),
            range('arrival', 'The urgent one comes after', 2, 0, 10, 0.5, 'ms')],
        run: function (d, v) {
            d.begin('h200', 0, 0);
            var bulk = d.stream(d.NON_BLOCKING, 0), urgent = d.stream(d.NON_BLOCKING, v.priority), wave = d.wave(64);
            d.sync();
            d.show('greatest');
            d.record(bulk);
            d.launch('work', bulk, v.bulk * wave, 64, v.block * 1000);
            d.record(bulk);
            d.work(v.arrival * 1e6);
            d.launch('work', urgent, v.urgent * wave, 64, v.block * 1000);
            d.record(urgent);
            d.sync();
        },
        says: function (d) {
            var kernels = d.spans().filter(function (s) { return s.engine === d.KERNEL; }), u = kernels[1], b = kernels[0];
            return 'The urgent kernel waits ' + ms(u.start - u.queued) + ' and is done ' + ms(u.end - u.queued)
                + ' after it was queued; the long one takes ' + ms(b.end - b.start) + '.';
        }
    };

    // ---- 09: pages ----
    figures.pages = {
        program: 'lessons/09-unified-memory/add.cu', label: 'touch', card: 'h200',
        about: 'The host has filled managed memory; kernels go through it, then the host reads it.',
        controls: [
            range('size', 'Size', 4, 2, 64, 2, 'MiB'), range('kernels', 'Kernels', 2, 1, 6), range('rounds', 'Rounds of both', 1, 1, 6),
            choice('there', 'Before the kernels', 'faults', [['faults', 'nothing'], ['prefetch', 'cudaMemPrefetchAsync to the device']]),
            choice('home', 'After them', 'faults', [['faults', 'nothing'], ['prefetch', 'cudaMemPrefetchAsync to the host']])],
        run: function (d, v) {
            d.begin('h200', 0, 0);
            d.managed(v.size / 2);
            d.show('touch');
            for (var r = 0; r < v.rounds; r++) {
                if (v.there === 'prefetch') d.prefetch(0, false);
                for (var k = 0; k < v.kernels; k++) d.managedLaunch('add_one', 0, v.size * 1024, 256, -1);
                if (v.home === 'prefetch') d.prefetch(0, true);
                d.sync();
                d.touch();
            }
        },
        says: function (d, v) {
            var pieces = (v.there === 'faults' ? 1 : 0) + (v.home === 'faults' ? 1 : 0), faults = pieces * v.rounds * v.size / 2 * 6;
            return ms(d.length()) + ' on the device, ' + ms(d.now()) + ' in all, ' + faults + ' faults. The same bytes in one pinned copy each way take '
                + ms(2 * v.rounds * v.size * 1048576 / 55.4) + '.';
        }
    };

    global.bookFigures = figures;
})(typeof window === 'undefined' ? globalThis : window);
