// SPDX-License-Identifier: MIT
// The figures that can be played with. Each begins as the run that the chapter shows (`program`, `label`, `card`: a test
// holds it to that) and has `controls`. For settings `v`
//
//   run(d, v)             makes calls on the device `d` (machine.js) as the program would; returns further facts, or nothing
//   caption(v, f)         what its picture shows, `f` being the facts of the run
//   says(v, f, was)       a sentence or two of its own; `was`: the facts of the run that it is compared with, or null
//   waiting               among the further facts: how long the kernels have the device and wait for pages, in ns
//   total(f), of          what "how long" means here, in words; without these, the device's time
//   names(v), barrier(v)  its streams' own names, by number; those that the default stream's barrier reaches
//
// `tries`: three things to try: the settings before and now that differ from the chapter's, and what is to be seen. All
// numbers come from runs, so no text here has one. No page is needed: tests run these without one.
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
    function count(n, what) {
        return (['no', 'one', 'two', 'three', 'four', 'five', 'six'][n] || n) + ' ' + what + (n === 1 ? '' : 's');
    }
    function percent(part, whole) {
        return Math.round(100 * part / whole) + ' %';
    }
    // "a, b and c"
    function list(parts) {
        return parts.length < 2 ? parts.join('') : parts.slice(0, -1).join(', ') + ' and ' + parts[parts.length - 1];
    }
    function capital(text) {
        return text.charAt(0).toUpperCase() + text.slice(1);
    }
    function engines(f) {
        return f.engines.most < 2 ? 'the engines take turns, one at a time'
            : 'up to ' + count(f.engines.most, 'engine') + ' work side by side, two or more for ' + percent(f.engines.together, f.length) + ' of the time';
    }
    function kernels(f) {
        return f.kernelsAtOnce < 2 ? 'no two kernels run at once' : 'up to ' + count(f.kernelsAtOnce, 'kernel') + ' run at once';
    }

    // What a card took for a line that a chapter's program prints (facts/h200-chapters.tsv), all its ms together, in ns; null:
    // the page does not have that.
    function measured(program, pattern) {
        var lines = (global.bookMeasured || {})[program.replace(/^lessons\//, '')] || [], line = lines.find(function (l) { return pattern.test(l); });
        return line ? line.match(/[\d.]+(?= ms)/g).reduce(function (sum, n) { return sum + 1e6 * n; }, 0) : null;
    }

    var figures = {};

    // ---- 06: an image in chunks ----
    figures.pipeline = {
        program: 'lessons/06-overlap/demos/demo.cu', label: 'in four chunks', card: 'h200',
        about: 'An image goes to the device, is brightened and comes back, in chunks.',
        controls: [
            range('chunks', 'Chunks', 4, 1, 64), range('streams', 'Streams', 4, 1, 16),
            choice('order', 'Order of issue', 'depth', [['depth', 'depth first, chunk by chunk (V1)'],
                ['breadth', 'breadth first, kind by kind (V2)'], ['ahead', 'one copy in ahead']]),
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
        caption: function (v, f) {
            return (v.chunks === 1 ? 'In one go'
                : 'In ' + count(v.chunks, 'chunk') + (v.streams >= v.chunks ? ', each in a stream of its own' : v.streams === 1 ? ', all in one stream'
                    : ' over ' + count(v.streams, 'stream')) + ', ' + { depth: 'depth first', breadth: 'breadth first', ahead: 'one copy in ahead' }[v.order])
                + ': ' + engines(f) + '.';
        },
        says: function (v, f) {
            var idle = f.length - f.busiest.time;
            return idle < f.length / 200 ? 'Never idle.' : 'Idle for the other ' + ms(idle) + '.';
        },
        tries: [
            { say: 'C2050: depth first against breadth first', before: { card: 'c2050' }, now: { card: 'c2050', order: 'breadth' },
                why: 'The card has one hardware queue for kernels. Breadth first, every copy out is issued after all four kernels, and waits until '
                    + 'all blocks of the last one have started.' },
            { say: 'C1060: depth first against breadth first', before: { card: 'c1060' }, now: { card: 'c1060', order: 'breadth' },
                why: 'One copy engine takes copies in the order of issue. Depth first, each copy in is queued behind a copy out that waits for its '
                    + 'kernel. Breadth first, all copies in come before the first copy out.' },
            { say: 'H200: four chunks against 64', before: {}, now: { chunks: 64 },
                why: 'A block takes as long in a small chunk as in a large one, and each copy and each launch has a fixed cost. Each stream now has '
                    + 'many such chunks, one after the other.' }]
    };

    // ---- 04: who waits for the default stream ----
    var LAUNCHES = [['a', 'a', 2], ['free', 'free', 3], ['third', 'the third launch', 1], ['b', 'b', 1], ['free', 'free again', 2]];
    var STREAMS = ['a', 'b', 'free', 'third'];
    figures['default-stream'] = {
        program: 'lessons/04-default-stream/demos/predict.cu', label: 'predict', card: 'h200',
        about: 'Five launches, in this order: 2 ms in a, 3 ms in free, 1 ms that names no stream (the third launch), 1 ms in b, 2 ms in free again. '
            + 'Dashed lines mark the barrier, in the streams that it reaches.',
        controls: [
            choice('a', 'a', 'blocking', KINDS), choice('b', 'b', 'blocking', KINDS),
            choice('free', 'free', 'non-blocking', KINDS), choice('third', 'The third launch', 'default', KINDS)],
        total: function (f) { return f.back; },
        of: 'until the host is back from its wait for stream 0',
        run: function (d, v) {
            function launched(barrier) {
                var stream = {}, back;
                d.begin('h200', 0, 0);
                var common = barrier ? 0 : d.stream(d.NON_BLOCKING);
                STREAMS.forEach(function (id) {
                    stream[id] = v[id] === 'default' ? common : d.stream(v[id] === 'non-blocking' ? d.NON_BLOCKING : 0);
                });
                d.sync();
                d.show('predict');
                LAUNCHES.forEach(function (l) { d.launch('busy', stream[l[0]], 1, 1, l[2] * 1e6); });
                d.syncStream(0);
                back = d.now();
                d.sync();
                var f = d.facts(), first = Math.min.apply(null, f.kernels.map(function (k) { return k.start; }));
                return { back: back, starts: f.kernels.map(function (k) { return k.start - first; }) };
            }
            var without = launched(false), f = launched(true);
            f.later = f.starts.map(function (start, i) { return start - without.starts[i] > 50000 ? start - without.starts[i] : 0; });
            return f;
        },
        caption: function (v, f) {
            var held = LAUNCHES.filter(function (l, i) { return f.later[i]; }).map(function (l) { return l[1]; });
            var there = STREAMS.some(function (id) { return v[id] === 'default'; });
            return (!there ? 'No launch is in the default stream, so there is no barrier' : !held.length ? 'The barrier holds up no launch'
                : 'The barrier of the default stream holds up ' + list(held)) + '; ' + kernels(f) + '.';
        },
        says: function (v, f, was) {
            var held = LAUNCHES.map(function (l, i) { return f.later[i] ? l[1] + ' until ' + ms(f.starts[i]) : ''; }).filter(Boolean);
            return (held.length ? 'The barrier holds up ' + list(held) + '. ' : 'No barrier holds up a launch. ')
                + 'The last kernel is done after ' + ms(f.length) + (was && ms(was.length) !== ms(f.length) ? ' (' + ms(was.length) + ' before)' : '') + '.';
        },
        names: function (v) {
            var names = {}, number = 0;
            STREAMS.forEach(function (id) { if (v[id] !== 'default') names[++number] = id; });
            return names;
        },
        barrier: function (v) {
            return STREAMS.filter(function (id) { return v[id] === 'blocking'; });
        },
        tries: [
            { say: 'b: blocking against non-blocking', before: {}, now: { b: 'non-blocking' },
                why: 'A barrier reaches blocking streams alone: b starts at once, and the host, which waits for the blocking streams, is back sooner.' },
            { say: 'free: non-blocking against blocking', before: {}, now: { free: 'blocking' },
                why: 'Now the barrier reaches all three streams: it waits for a and for the first kernel in free, and holds up b and the second kernel in free.' },
            { say: 'The third launch: default stream against non-blocking', before: {}, now: { third: 'non-blocking' },
                why: 'With nothing in the default stream there is no barrier: four kernels start at once, and the host waits for a and b side by side.' }]
    };

    // ---- 05: which call serialises ----
    var BYTES = 80000;
    var calls = {
        'malloc-free': ['cudaMalloc, cudaFree', function (d) { d.allocate(d.DEVICE, BYTES); }, function (d) { d.free(d.DEVICE, BYTES); }],
        'host-alloc-free': ['cudaMallocHost, cudaFreeHost', function (d) { d.allocate(d.PINNED, BYTES); }, function (d) { d.free(d.PINNED, BYTES); }],
        'malloc': ['cudaMalloc', function (d) { d.allocate(d.DEVICE, BYTES); }],
        'host-alloc': ['cudaMallocHost', function (d) { d.allocate(d.PINNED, BYTES); }],
        'memset': ['cudaMemset', function (d) { d.set(0, BYTES, false); }],
        'memset-async': ['cudaMemsetAsync', function (d, s) { d.set(s, BYTES, true); }],
        'copy-async': ['cudaMemcpyAsync, pinned', function (d, s) { d.copy(s, d.DEVICE, d.PINNED, BYTES, true); }],
        'copy-async-pageable': ['cudaMemcpyAsync, pageable', function (d, s) { d.copy(s, d.DEVICE, d.PAGEABLE, BYTES, true); }],
        'copy-pageable': ['cudaMemcpy, pageable', function (d) { d.copy(0, d.DEVICE, d.PAGEABLE, BYTES, false); }],
        'device-sync': ['cudaDeviceSynchronize', function (d) { d.sync(); }],
        'none': ['nothing']
    };
    figures.serialises = {
        program: 'lessons/05-implicit-sync/demos/loop.cu', label: 'in the loop', card: 'h200',
        about: 'Six kernels of half a millisecond in two streams, in turn. Between them the host makes the call. If there are two, '
            + 'it makes the first before each launch and the second after it.',
        controls: [
            choice('call', 'Call', 'malloc-free', Object.keys(calls).map(function (c) { return [c, calls[c][0]]; })),
            choice('card', 'Card', 'h200', CARDS)],
        run: function (d, v) {
            function loop(call) {
                d.begin(v.card, 0, 0);
                var stream = [d.stream(), d.stream()];
                d.sync();
                d.show('in the loop');
                for (var k = 0; k < 6; k++) {
                    if (call[1]) call[1](d, stream[(k + 1) % 2]);
                    d.launch('grind', stream[k % 2], 8, 256, 500000);
                    if (call[2]) call[2](d, stream[k % 2]);
                }
                d.sync();
                return d.length();
            }
            var without = loop(calls.none);
            loop(calls[v.call]);
            return { without: without };
        },
        caption: function (v, f) {
            return (v.call === 'none' ? 'Nothing' : calls[v.call][0]) + ' in the loop: ' + kernels(f) + '.';
        },
        says: function (v, f) {
            if (f.without > 2.5e6) return 'This card has one kernel at a time, whatever the host does.';
            if (v.call === 'none') return 'Nothing keeps the two streams from running side by side.';
            return 'Without the call it is ' + ms(f.without) + (f.length > 1.8 * f.without ? ': the call lets one kernel run after the other.'
                : f.length > 1.2 * f.without ? ': the call takes time in which less is queued.' : ': the call holds up neither stream.');
        },
        tries: [
            { say: 'cudaMemset against cudaMemsetAsync', before: { call: 'memset' }, now: { call: 'memset-async' },
                why: 'cudaMemset goes to the default stream, a barrier between the two streams. cudaMemsetAsync goes to one stream, and holds up no other.' },
            { say: 'cudaMalloc alone: an H200 against the older guide', before: { call: 'malloc' }, now: { call: 'malloc', card: 'older-guide' },
                why: 'Older guides list an allocation of device memory among the calls that keep two streams apart. An H200 does not do that: measure '
                    + 'before you believe a list.' },
            { say: 'cudaMalloc and cudaFree against nothing', before: {}, now: { call: 'none' },
                why: 'cudaFree waits until the device is idle. With neither call in the loop, the two streams work side by side.' }]
    };

    // ---- 08: priorities ----
    figures.priorities = {
        program: 'lessons/08-priorities/demos/urgent.cu', label: 'greatest', card: 'h200',
        about: 'A long kernel of many waves is at work when an urgent one comes, in a stream of its own.',
        controls: [
            range('priority', 'Priority of the urgent one', -5, -5, 0), range('bulk', 'Waves of the long kernel', 20, 1, 40),
            range('urgent', 'Waves of the urgent one', 1, 1, 8), range('block', 'A block takes', 500, 50, 2000, 50, 'µs'),
            range('arrival', 'The urgent one comes after', 2, 0, 10, 0.5, 'ms')],
        run: function (d, v) {
            d.begin('h200', 0, 0);
            d.stream();         // those of the program's first run
            d.stream();
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
        total: function (f) { return f.kernels[1].end - f.kernels[1].queued; },
        of: 'from the launch of the urgent kernel to its end',
        caption: function (v, f) {
            var u = f.kernels[1];
            return 'Priority ' + String(v.priority).replace('-', '−') + (v.priority === -5 ? ', the greatest' : v.priority === 0 ? ', that of the long kernel' : '')
                + ': the urgent kernel waits ' + ms(u.start - u.queued) + '.';
        },
        says: function (v, f, was) {
            function bulk(g) { return ms(g.kernels[0].end - g.kernels[0].start); }
            return 'The urgent kernel waits ' + ms(f.kernels[1].start - f.kernels[1].queued) + '; the long one takes ' + bulk(f)
                + (was && bulk(was) !== bulk(f) ? ' (' + bulk(was) + ' before)' : '') + '.';
        },
        tries: [
            { say: 'The greatest priority against an equal one', before: {}, now: { priority: 0 },
                why: 'With an equal priority every block of the long kernel comes first.' },
            { say: 'Short blocks against long ones, for as much work', before: {}, now: { bulk: 5, block: 2000 },
                why: 'A running block keeps its place. With longer blocks even the greatest priority waits longer.' },
            { say: 'One wave of urgent work against four', before: {}, now: { urgent: 4 },
                why: 'The urgent kernel waits no longer than before. The long one pays for the time that the urgent one uses.' }]
    };

    // ---- 09: pages ----
    figures.pages = {
        program: 'lessons/09-unified-memory/demos/add.cu', label: 'touch', card: 'h200',
        about: 'The host has filled managed memory; kernels go through it, then the host reads it.',
        controls: [
            range('size', 'Size', 4, 2, 64, 2, 'MiB'), range('kernels', 'Kernels', 2, 1, 6), range('rounds', 'Rounds of both', 1, 1, 6),
            choice('there', 'Before the kernels', 'faults', [['faults', 'nothing'], ['prefetch', 'cudaMemPrefetchAsync to the device']]),
            choice('home', 'After them', 'faults', [['faults', 'nothing'], ['prefetch', 'cudaMemPrefetchAsync to the host']])],
        run: function (d, v) {
            var r;
            d.begin('h200', 0, 0);
            for (r = 0; r < v.rounds; r++) {
                d.copy(0, d.DEVICE, d.PINNED, v.size * 1048576, true);
                d.copy(0, d.PINNED, d.DEVICE, v.size * 1048576, true);
            }
            d.sync();
            var copied = d.length();
            // The time that the kernels have the device.
            function rounds(there) {
                d.begin('h200', 0, 0);
                d.managed(v.size / 2);
                d.show('touch');
                for (r = 0; r < v.rounds; r++) {
                    if (there === 'prefetch') d.prefetch(0, false);
                    for (var k = 0; k < v.kernels; k++) d.managedLaunch('add_one', 0, v.size * 1024, 256, -1);
                    if (v.home === 'prefetch') d.prefetch(0, true);
                    d.sync();
                    d.touch();
                }
                return d.facts().kernels.reduce(function (sum, k) { return sum + k.end - k.start; }, 0);
            }
            var working = rounds('prefetch');       // with all pages there no kernel waits
            return { copied: copied, waiting: rounds(v.there) - working };
        },
        total: function (f) { return f.now; },
        of: 'until the host has the sum',
        caption: function (v, f) {
            return capital(count(v.kernels, 'kernel')) + ' and a sum' + (v.rounds > 1 ? ', ' + count(v.rounds, 'time') : '') + ': the pages come by '
                + (v.there === 'faults' ? 'faults, for which the kernels wait' : 'a prefetch') + ', and go home by ' + (v.home === 'faults' ? 'faults' : 'a prefetch') + '.';
        },
        says: function (v, f) {
            var text = 'From the device’s first operation to its last: ' + ms(f.length) + '; ' + (f.faults ? f.faults + ' faults in all' : 'no fault')
                + '. The same bytes as pinned copies, there and back, take ' + ms(f.copied) + '.';
            var faults = measured(this.program, /^two kernels .*sum [\d.]+ ms$/), sent = measured(this.program, /^two kernels .*with prefetches$/);
            if (!faults || (v.there === 'faults' && v.home === 'faults')) return text;
            return text + ' A real card gains less: the chapter’s program took ' + ms(faults) + ' on an H200, and ' + ms(sent) + ' with both prefetches ('
                + percent(faults - sent, faults) + ' less), because the host’s sum takes time there, and none here.';
        },
        tries: [
            { say: 'Faults against a prefetch to the device', before: {}, now: { there: 'prefetch' },
                why: 'One copy brings all pages before the kernels need them. The way home is still by faults.' },
            { say: 'A prefetch one way against both ways', before: { there: 'prefetch' }, now: { there: 'prefetch', home: 'prefetch' },
                why: 'The host finds its pages at home, and there is no fault left.' },
            { say: 'Two kernels against six', before: {}, now: { kernels: 6 },
                why: 'The first kernel fetches the pages, and those after it find them there: four more kernels cost next to nothing.' }]
    };

    global.bookFigures = figures;
    global.bookCards = CARDS;
})(typeof window === 'undefined' ? globalThis : window);
