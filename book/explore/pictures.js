// SPDX-License-Identifier: MIT
// The model's drawings (common/trace/draw) as they stand in a page, and what is added to them: the streams' own names, the
// barrier of the default stream, outlines of the run before.
(function () {
    'use strict';
    function escaped(text) {
        return text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/"/g, '&quot;');
    }
    // The drawing as it stands in a page: light and dark are the page's affair, its class and ids no other picture's.
    function adapted(svg, id, title, fitted) {
        var old = /^<svg[^>]* class="(t[0-9a-f]+)"/.exec(svg);
        svg = svg.replace(/@media \(prefers-color-scheme:dark\)\{(?:[^{}]*\{[^{}]*\})*[^{}]*\}\n?/g, '');
        svg = svg.replace(/(\d) us\b/g, '$1 µs');      // as in the chapter's own
        if (old) svg = svg.split(old[1]).join(id);
        svg = svg.replace(/(<title id="[^"]*">)[^<]*/, function (all, tag) { return tag + escaped(title); });
        return svg.replace(/^(<svg[^>]* class=")/, '$1drawing ' + (fitted ? 'fitted ' : ''));
    }
    // Streams by the names that they have in the text, where the figure has such.
    function named(svg, names) {
        Object.keys(names || {}).forEach(function (n) {
            svg = svg.split('>stream ' + n + '<').join('>' + names[n] + ' (' + n + ')<')
                .split(' in stream ' + n + ':').join(' in ' + names[n] + ' (stream ' + n + '):');
        });
        return svg;
    }
    // An element of the drawing `svg`.
    function part(svg, tag, attributes, text) {
        var e = document.createElementNS(svg.namespaceURI, tag);
        Object.keys(attributes).forEach(function (a) { e.setAttribute(a, attributes[a]); });
        if (text) e.textContent = text;
        return e;
    }
    // The bars of a drawing by the lanes that they are in, and how far below the lane's top.
    function lanesOf(svg) {
        var labels = [], rows = {};
        svg.querySelectorAll('text[x="12"]').forEach(function (t) { labels.push({ name: t.textContent, y: Number(t.getAttribute('y')) - 13 }); });
        labels.forEach(function (l) { rows[l.name] = []; });
        svg.querySelectorAll('g > rect').forEach(function (r) {
            var y = Number(r.getAttribute('y')), label = labels.filter(function (l) { return l.y <= y; }).pop();
            if (!label || label.name.indexOf('host') === 0 || r.getAttribute('height') !== '18') return;
            rows[label.name].push({ x: Number(r.getAttribute('x')), width: Number(r.getAttribute('width')), y: y, down: y - label.y });
        });
        return rows;
    }
    // Outlines in the drawing `svg` where bars were in the drawing `before`, which has the same scale, and are no more.
    // Returns how many.
    function addOutlines(svg, before) {
        var now = lanesOf(svg), was = lanesOf(before), lines = '';
        function ends(drawing) {        // of the axis: first and last tick
            var ticks = [].map.call(drawing.querySelectorAll('.grid'), function (g) { return parseFloat(g.getAttribute('d').slice(1)); });
            return [ticks[0], ticks[ticks.length - 1]];
        }
        var from = ends(before), to = ends(svg), stretch = from[1] > from[0] ? (to[1] - to[0]) / (from[1] - from[0]) : 1, count = 0;
        Object.keys(was).forEach(function (name) {
            if (!now[name]) return;
            was[name].forEach(function (bar) {
                var x = to[0] + (bar.x - from[0]) * stretch, wide = bar.width * stretch, row = now[name].find(function (n) { return n.down === bar.down; });
                var stays = now[name].some(function (n) { return Math.abs(n.x - x) < 1 && Math.abs(n.width - wide) < 1; });
                if (stays || !(row || now[name][0])) return;
                lines += 'M' + x.toFixed(2) + ' ' + ((row || now[name][0]).y + 1) + 'h' + wide.toFixed(2) + 'v16h-' + wide.toFixed(2) + 'z';
                count++;
            });
        });
        if (!count) return 0;
        svg.querySelector('.panel').after(part(svg, 'path', { class: 'outline', d: lines }));
        return count;
    }
    // Dashed lines where a kernel of the default stream begins and ends, through the rows of the streams `reached`.
    function addBarrier(svg, reached) {
        var rows = {}, lines = '', first = 0, last = 0;
        svg.querySelectorAll('text[x="12"]').forEach(function (t) {
            var name = t.textContent.replace(/ \(\w\)$/, '');
            if (!(name in rows)) rows[name] = Number(t.getAttribute('y')) - 13;
        });
        var y = rows['default'], through = reached.filter(function (name) { return name in rows; });
        if (y === undefined || !through.length) return;
        svg.querySelectorAll('g.kernel > rect').forEach(function (r) {
            if (Number(r.getAttribute('y')) !== y) return;
            var from = Number(r.getAttribute('x')), to = from + Number(r.getAttribute('width'));
            [from, to].forEach(function (x) {
                through.concat('default').forEach(function (name) { lines += 'M' + x + ' ' + (rows[name] - 2) + 'v22'; });
            });
            first = first || from;
            last = to;
        });
        if (!lines) return;
        var group = part(svg, 'g', { class: 'barrier' }), room = Number(svg.getAttribute('width')) - 112;
        group.append(part(svg, 'title', {}, 'the barrier: ' + through.join(', ') + ' and the default stream wait here for each other'),
            part(svg, 'path', { d: lines }), part(svg, 'text', { x: last < room ? last + 5 : Math.max(first - 46, 100), y: y + 13 }, 'barrier'));
        svg.append(group);
    }

    window.bookPictures = { adapted: adapted, named: named, part: part, addBarrier: addBarrier, addOutlines: addOutlines };
}());
