// SPDX-License-Identifier: MIT
// A figure's setting as the fragment of an address, and back: "card=c2050&order=breadth" has what differs from the chapter,
// "was.card=c2050" what the run that it is compared with has. Where a page has several figures the figure's name comes
// before each, with a colon: "pipeline:card=c2050". No page is needed here.
(function (global) {
    'use strict';

    function parts(fragment) {
        return fragment.replace(/^#/, '').split('&').filter(function (p) { return p.indexOf('=') > 0; }).map(function (p) {
            var at = p.indexOf('=');
            try {
                return [decodeURIComponent(p.slice(0, at)), decodeURIComponent(p.slice(at + 1))];
            } catch (e) {
                return [p.slice(0, at), p.slice(at + 1)];
            }
        });
    }
    // The value that a control has by this text; undefined: none.
    function valueOf(control, text) {
        if (control.choices) {
            var choice = control.choices.find(function (c) { return String(c[0]) === text; });
            return choice && choice[0];
        }
        var n = text.trim() === '' ? NaN : Number(text);
        return n >= control.min && n <= control.max && Math.abs((n - control.min) / control.step % 1) < 1e-9 ? n : undefined;
    }

    // What the fragment says of the figure `name`: { before, now: changes by control, unknown: what makes no sense }; null
    // where it says nothing of it. `alone`: the page has no other figure, so names may be left out.
    function read(fragment, name, what, alone) {
        var found = { before: {}, now: {}, unknown: [] }, any = false;
        parts(fragment).forEach(function (p) {
            var key = p[0], named = key.indexOf(':') >= 0;
            if (named ? key.slice(0, key.indexOf(':')) !== name : !alone) return;
            any = true;
            key = named ? key.slice(key.indexOf(':') + 1) : key;
            var before = key.indexOf('was.') === 0, id = before ? key.slice(4) : key;
            var control = what.controls.find(function (c) { return c.id === id; }), value = control && valueOf(control, p[1]);
            if (value === undefined) found.unknown.push(p[0] + '=' + p[1]);
            else found[before ? 'before' : 'now'][id] = value;
        });
        return any ? found : null;
    }

    // The fragment, without '#'; '' for the chapter's settings compared with nothing else.
    function write(name, what, before, now, alone) {
        var prefix = alone ? '' : encodeURIComponent(name) + ':', out = [];
        function add(v, tag) {
            what.controls.forEach(function (c) {
                if (v[c.id] !== c.value) out.push(prefix + tag + c.id + '=' + encodeURIComponent(v[c.id]));
            });
        }
        add(now, '');
        add(before, 'was.');
        return out.join('&');
    }

    global.bookAddress = { read: read, write: write };
})(typeof window === 'undefined' ? globalThis : window);
