// SPDX-License-Identifier: MIT
// The device of a figure: the model as WebAssembly (common/figure/figure.h), with the names that figures.js uses, and
// what can be said of a run: `facts`.
(function (global) {
    'use strict';
    var KERNEL = 1, LAST_ENGINE = 6, NAMES = {};        // by bits: 1 << enum engine
    NAMES[1 << 1] = 'the kernels';
    NAMES[1 << 2] = 'the copy engine to the device (H2D)';
    NAMES[1 << 3] = 'the copy engine to the host (D2H)';
    NAMES[1 << 2 | 1 << 3] = 'the one copy engine (the rows H2D and D2H together)';
    NAMES[1 << 4] = 'the copies within the device';
    NAMES[1 << 5] = 'the copies between devices';
    NAMES[1 << 6] = 'the memsets';

    // How many different `of(span)` are at work at once, at most, and for how long at least two.
    function atOnce(spans, of) {
        var moments = [], running = {}, kinds = 0, most = 0, together = 0, from = 0;
        spans.forEach(function (s) {
            if (s.end > s.start) moments.push([s.start, 1, of(s)], [s.end, -1, of(s)]);
        });
        moments.sort(function (a, b) { return a[0] - b[0] || a[1] - b[1]; });       // what ends makes room first
        moments.forEach(function (m) {
            if (kinds > 1) together += m[0] - from;
            from = m[0];
            running[m[2]] = (running[m[2]] || 0) + m[1];
            if (m[1] > 0 && running[m[2]] === 1) kinds++;
            if (m[1] < 0 && running[m[2]] === 0) kinds--;
            if (kinds > most) most = kinds;
        });
        return { most: most, together: together };
    }

    // `exported`: what the module exports.
    global.bookMachine = function (exported) {
        var f = exported, bytes = function () { return new Uint8Array(f.memory.buffer); };
        function name(text) {
            var at = f.figure_name(), coded = new TextEncoder().encode(text).slice(0, 63);
            bytes().set(coded, at);
            bytes()[at + coded.length] = 0;
        }
        function text(at) {
            var all = bytes();
            return new TextDecoder().decode(all.subarray(at, all.indexOf(0, at)));
        }
        return {
            PAGEABLE: 1, PINNED: 2, DEVICE: 3, NON_BLOCKING: 2, KERNEL: KERNEL,
            begin: function (card, engines, queues) {
                name(card);
                if (!f.figure_begin(Number(engines), Number(queues))) throw new Error('no card ' + card);
            },
            stream: function (flags, priority) { return f.figure_stream(flags || 0, priority || 0); },
            launch: function (kernel, stream, blocks, threads, ns) { name(kernel); f.figure_launch(stream, blocks, threads, ns); },
            copy: function (stream, to, from, count, async) { f.figure_copy(stream, to, from, count, async); },
            set: function (stream, count, async) { f.figure_set(stream, count, async); },
            allocate: function (kind, count) { f.figure_allocate(kind, count); },
            free: function (kind, count) { f.figure_free(kind, count); },
            record: function (stream) { return f.figure_record(stream); },
            wait: function (stream, event) { f.figure_wait(stream, event); },
            work: function (ns) { f.figure_work(ns); },
            sync: function () { f.figure_sync(); },
            syncStream: function (stream) { f.figure_sync_stream(stream); },
            show: function (label) { name(label); f.figure_show(); },
            wave: function (threads) { return f.figure_wave(threads); },
            managed: function (blocks) { f.figure_managed(blocks); },
            managedLaunch: function (kernel, stream, blocks, threads, ns) { name(kernel); f.figure_managed_launch(stream, blocks, threads, ns); },
            prefetch: function (stream, toHost) { f.figure_managed_prefetch(stream, toHost); },
            touch: function () { f.figure_managed_touch(); },
            length: function () { return Number(f.figure_length()); },
            now: function () { return Number(f.figure_now()); },
            spans: function () {
                var all = [];
                for (var i = f.figure_first_span(); i < f.figure_spans(); i++) {
                    var s = [0, 1, 2, 3, 4].map(function (field) { return Number(f.figure_span(i, field)); });
                    all.push({ engine: s[0], stream: s[1], queued: s[2], start: s[3], end: s[4] });
                }
                return all;
            },
            // Of what is shown, times in ns: the device's from its first operation to its last, the axis, the host's; the
            // busiest engine, how long and how many thousandths of the device's time it works; how many engines and kernels
            // work at once; faults on managed memory.
            facts: function () {
                var spans = this.spans(), length = this.length(), bits = f.figure_busiest(), busy = Number(f.figure_busy(bits));
                var ran = spans.filter(function (s) { return s.engine >= KERNEL && s.engine <= LAST_ENGINE; });
                var kernels = ran.filter(function (s) { return s.engine === KERNEL; });
                return {
                    length: length, drawn: Number(f.figure_drawn()), now: this.now(), faults: f.figure_faults(), spans: spans, kernels: kernels,
                    busiest: { name: NAMES[bits] || 'nothing', kernels: bits === 1 << KERNEL, time: busy, permille: length ? Math.floor(busy * 1000 / length) : 0 },
                    engines: atOnce(ran, function (s) { return f.figure_engine(s.engine); }),
                    kernelsAtOnce: atOnce(kernels, function (s) { return spans.indexOf(s); }).most
                };
            },
            svg: function (width, length) { return text(f.figure_svg(width, BigInt(Math.round(length || 0)))); }
        };
    };
})(typeof window === 'undefined' ? globalThis : window);
