// SPDX-License-Identifier: MIT
// The device of a figure: the model as WebAssembly (common/figure/figure.h), with the names that figures.js uses.
(function (global) {
    'use strict';
    var ENGINES = ['none', 'kernels', 'H2D copies', 'D2H copies', 'D2D copies', 'peer copies', 'memsets', 'host functions', 'waits'];

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
            PAGEABLE: 1, PINNED: 2, DEVICE: 3, NON_BLOCKING: 2, KERNEL: 1,
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
            busyPermille: function () { return f.figure_busy_permille(); },
            busyEngine: function () { return ENGINES[f.figure_busy_engine()]; },
            spans: function () {
                var all = [];
                for (var i = f.figure_first_span(); i < f.figure_spans(); i++) {
                    var s = [0, 1, 2, 3, 4].map(function (field) { return Number(f.figure_span(i, field)); });
                    all.push({ engine: s[0], stream: s[1], queued: s[2], start: s[3], end: s[4] });
                }
                return all;
            },
            svg: function (width) { return text(f.figure_svg(width)); }
        };
    };
})(typeof window === 'undefined' ? globalThis : window);
