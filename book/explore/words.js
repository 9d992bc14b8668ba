// SPDX-License-Identifier: MIT
// What a page says of the runs of a figure (figures.js): captions, what was changed, the verdict. Words for all figures at
// once; every number in them comes from a run.
(function (global) {
    'use strict';

    function titleOf(card) {
        if (card === 'older-guide') return 'a simulated H200 that obeys the older guide';
        return 'a simulated ' + global.bookCards.find(function (c) { return c[0] === card; })[1];
    }
    // Two times in one unit, so that a reader who subtracts them gets the difference that is given.
    function unitOf(ns) {
        return ns < 1e4 ? { size: 1e3, digits: 1, name: 'µs' } : ns < 1e6 ? { size: 1e3, digits: 0, name: 'µs' } : { size: 1e6, digits: 2, name: 'ms' };
    }
    function inUnit(ns, unit) {
        return Number((ns / unit.size).toFixed(unit.digits));
    }
    function text(number, unit) {
        return number.toFixed(unit.digits) + ' ' + unit.name;
    }

    // The value of a control, as a reader sees it.
    function shown(control, value) {
        if (control.choices) return control.choices.find(function (c) { return c[0] === value; })[1];
        return value + (control.unit ? ' ' + control.unit : '');
    }
    // The chapter's settings, with those of `changes`.
    function settings(what, changes) {
        var v = {};
        what.controls.forEach(function (c) { v[c.id] = changes && c.id in changes ? changes[c.id] : c.value; });
        return v;
    }
    function differing(what, v, from) {
        return what.controls.filter(function (c) { return v[c.id] !== from[c.id]; });
    }
    // "Card: Tesla C2050 (was NVIDIA H200); Chunks: 8 (was 4)"; "" where nothing differs.
    function changes(what, v, from) {
        return differing(what, v, from).map(function (c) {
            return c.label + ': ' + shown(c, v[c.id]) + ' (was ' + shown(c, from[c.id]) + ')';
        }).join('; ');
    }

    // The run with the settings `v`: its facts and those of the figure.
    function play(device, what, v) {
        var own = what.run(device, v);
        return Object.assign(device.facts(), own || {});
    }
    function total(what, f) {
        return what.total ? what.total(f) : f.length;
    }
    // "Now 1.77 ms on the device, before 1.32 ms: 0.45 ms longer (34 %)."
    function compared(what, f, was) {
        var now = total(what, f), before = total(what, was), unit = unitOf(Math.max(now, before)), of = what.of || 'on the device';
        var a = inUnit(now, unit), b = inUnit(before, unit);
        if (a === b) return 'Now ' + text(a, unit) + ' ' + of + ', as long as before.';
        return 'Now ' + text(a, unit) + ' ' + of + ', before ' + text(b, unit) + ': ' + text(Math.abs(a - b), unit) + (a > b ? ' longer' : ' shorter')
            + ' (' + Math.round(100 * Math.abs(now - before) / before) + ' %).';
    }
    // A kernel that waits for pages has the device and does not work.
    function busiest(f) {
        var waits = f.busiest.kernels && f.waiting ? Math.round(100 * f.waiting / f.length) : 0;
        return f.busiest.name + ', at work for ' + (Math.floor(f.busiest.permille / 10) - waits) + ' % of the device’s time'
            + (waits ? ', and waiting for pages for another ' + waits + ' %.' : '.');
    }
    // How long it took (against `was`, or null); and which engine is busiest, its share, and what the figure says itself.
    function verdict(what, v, f, was) {
        var unit = unitOf(total(what, f));
        var long = was ? compared(what, f, was) : text(inUnit(total(what, f), unit), unit) + ' ' + (what.of || 'on the device') + '.';
        return [long, 'Busiest: ' + busiest(f) + ' ' + what.says(v, f, was)];
    }
    // Where a run is from: "with these settings on a simulated Tesla C2050, 1 copy engine".
    function from(what, v) {
        var made = what.controls.filter(function (c) { return (c.id === 'engines' || c.id === 'queues') && v[c.id] !== c.value; }).map(function (c) {
            return c.label.toLowerCase() + ': ' + shown(c, v[c.id]);
        });
        return 'with these settings, on ' + titleOf(v.card || what.card) + (made.length ? ' (' + made.join(', ') + ')' : '');
    }

    global.bookWords = { settings: settings, shown: shown, changes: changes, play: play, total: total, verdict: verdict, from: from };
})(typeof window === 'undefined' ? globalThis : window);
