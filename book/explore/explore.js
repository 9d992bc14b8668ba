// SPDX-License-Identifier: MIT
// Figures to play with, on a page: where the chapter's picture says so (data-explore), its controls come under it, and the
// picture is drawn anew with each change. Until somebody touches one the chapter's picture stays; without scripts, or
// WebAssembly, for ever.
(function () {
    'use strict';
    var WASM = 'figure-wasm.js';        // window.bookFigureWasm: the module, base64

    function make(tag, properties, children) {
        var e = Object.assign(document.createElement(tag), properties || {});
        (children || []).forEach(function (c) { e.append(c); });
        return e;
    }

    // One machine for all figures of the page, made when the first one is touched.
    var machine;
    function load() {
        machine = machine || new Promise(function (resolve, reject) {
            var script = make('script', { src: WASM, onerror: function () { reject(new Error(WASM + ' is missing')); } });
            script.onload = function () {
                var coded = atob(window.bookFigureWasm), bytes = new Uint8Array(coded.length);
                for (var i = 0; i < coded.length; i++) bytes[i] = coded.charCodeAt(i);
                WebAssembly.instantiate(bytes, {}).then(function (made) {
                    resolve(window.bookMachine(made.instance.exports));
                }, reject);
            };
            document.head.append(script);
        });
        return machine;
    }

    function shown(control, value) {
        return value + (control.unit ? ' ' + control.unit : '');
    }

    // A control's row; `changed` is called with its new value.
    function row(figure, control, changed) {
        var id = figure.id + '-' + control.id, field, said;
        if (control.choices) {
            field = make('select', { id: id }, control.choices.map(function (c) {
                return make('option', { value: String(c[0]), textContent: c[1] });
            }));
            field.value = String(control.value);
        } else {
            field = make('input', { id: id, type: 'range', min: control.min, max: control.max, step: control.step });
            field.value = control.value;
            said = make('output', { textContent: shown(control, control.value) });
            said.htmlFor = id;
        }
        field.addEventListener('input', function () {
            var value = control.choices ? control.choices.find(function (c) { return String(c[0]) === field.value; })[0] : Number(field.value);
            if (said) said.textContent = shown(control, value);
            if (!control.choices) field.setAttribute('aria-valuetext', shown(control, value));
            changed(value);
        });
        return { element: make('div', { className: 'control' }, [make('label', { htmlFor: id, textContent: control.label }), field].concat(said ? [said] : [])),
            set: function (value) { field.value = String(value); if (said) said.textContent = shown(control, value); } };
    }

    // The drawing as it stands in a page: light and dark are the page's affair, its class and ids no other picture's.
    function adapted(svg, figure, title) {
        var old = /^<svg[^>]* class="(t[0-9a-f]+)"/.exec(svg);
        svg = svg.replace(/@media \(prefers-color-scheme:dark\)\{(?:[^{}]*\{[^{}]*\})*[^{}]*\}\n?/g, '');
        svg = svg.replace(/(\d) us\b/g, '$1 µs');      // as in the chapter's own
        if (old) svg = svg.split(old[1]).join(figure.id + '-played');
        svg = svg.replace(/(<title id="[^"]*">)[^<]*/, '$1' + title);
        return svg.replace(/^(<svg[^>]* class=")/, '$1drawing ');
    }

    function begin(figure) {
        var what = window.bookFigures && window.bookFigures[figure.dataset.explore], box = figure.querySelector('.scroll');
        if (!what || !box || typeof WebAssembly !== 'object') return;
        var values = {}, rows = {}, first = box.innerHTML, said = make('p', { className: 'said' }), pending = false;
        var played = make('span', { textContent: ' Changed by you.' });
        said.setAttribute('role', 'status');

        function draw() {
            pending = false;
            load().then(function (device) {
                what.run(device, values);
                box.innerHTML = adapted(device.svg(720), figure, what.about);
                said.textContent = what.says(device, values);
                figure.querySelector('figcaption').append(played);
                figure.dispatchEvent(new Event('redrawn'));
            }, function (trouble) {
                said.textContent = 'This figure cannot be played with here: ' + trouble.message + '.';
            });
        }
        function change() {
            if (pending) return;
            pending = true;
            requestAnimationFrame(draw);
        }
        function reset() {
            what.controls.forEach(function (c) { values[c.id] = c.value; rows[c.id].set(c.value); });
            box.innerHTML = first;
            said.textContent = '';
            played.remove();
            figure.dispatchEvent(new Event('redrawn'));
        }

        var form = make('form', { className: 'explore' });
        form.setAttribute('aria-label', 'Play with ' + (figure.querySelector('figcaption .number') || figure).textContent.replace(/\.$/, ''));
        form.addEventListener('submit', function (e) { e.preventDefault(); });
        form.append(make('p', { className: 'about', textContent: what.about }));
        what.controls.forEach(function (c) {
            values[c.id] = c.value;
            rows[c.id] = row(figure, c, function (value) { values[c.id] = value; change(); });
            form.append(rows[c.id].element);
        });
        form.append(make('button', { type: 'button', textContent: 'As in the chapter', onclick: reset }), said);
        figure.append(form);
        figure.classList.add('explorable');
    }

    document.addEventListener('DOMContentLoaded', function () {
        document.querySelectorAll('figure[data-explore]').forEach(begin);
    });
}());
