// SPDX-License-Identifier: MIT
// Figures to play with, on a page: where the chapter's picture says so (data-explore), three things to try and the controls
// come under it, then what came of it. The chapter's picture stays until a setting is changed, or is redrawn as wide as the
// screen where it would not fit. From then on it is redrawn as the run "before", on the same scale as the run "now", which
// stands under the controls: whatever grows or shrinks there moves no control. Without scripts, or WebAssembly, the
// chapter's picture stays for ever.
(function () {
    'use strict';
    var WASM = 'figure-wasm.js';        // window.bookFigureWasm: the module, base64
    var NARROW = 640;                   // pixels: less room than that, and a picture is drawn for it
    var SETTLED = 250;                  // ms after the last change: then the address says it, and a screen reader is told
    var words, address, pictures, played = [];

    function make(tag, properties, children) {
        var e = Object.assign(document.createElement(tag), properties || {});
        (children || []).forEach(function (c) { e.append(c); });
        return e;
    }

    // One device for all figures of the page, made when the first one comes near.
    var device;
    function load() {
        device = device || new Promise(function (resolve, reject) {
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
        return device;
    }

    // ---- controls ----

    // A control's row; `changed` is called with its new value.
    function row(id, control, changed) {
        var field, said = make('output');
        said.htmlFor = id;
        said.setAttribute('aria-live', 'off');      // the field says its value itself
        if (control.choices) {
            field = make('select', { id: id }, control.choices.map(function (c) {
                return make('option', { value: String(c[0]), textContent: c[1] });
            }));
        } else {
            field = make('input', { id: id, type: 'range', min: control.min, max: control.max, step: control.step });
        }
        field.addEventListener('input', function () {
            changed(control.choices ? control.choices.find(function (c) { return String(c[0]) === field.value; })[0] : Number(field.value));
        });
        return {
            element: make('div', { className: 'control' }, [make('label', { htmlFor: id, textContent: control.label }), said, field]),
            show: function (value, was) {
                if (field.value !== String(value)) field.value = String(value);
                if (!control.choices) field.setAttribute('aria-valuetext', words.shown(control, value));
                said.textContent = control.choices ? (value === was ? '' : 'changed')
                    : words.shown(control, value) + (value === was ? '' : ' (was ' + was + ')');
            }
        };
    }
    function button(text, pressed) {
        return make('button', { type: 'button', textContent: text, onclick: pressed });
    }

    // Two bars, as long as the two runs.
    function barsOf(what, now, before) {
        var most = Math.max(words.total(what, now), words.total(what, before));
        return [['before', before], ['now', now]].map(function (run) {
            var bar = make('i');
            bar.style.width = 100 * words.total(what, run[1]) / most + '%';
            return make('div', { className: run[0] }, [make('span', { textContent: run[0] }), make('b', {}, [bar])]);
        });
    }

    // ---- the address ----

    function isAlone() { return played.length === 1; }
    function bare() { return location.href.split('#')[0]; }
    function fragmentOf(p) { return address.write(p.name, p.what, p.before, p.now, isAlone()); }
    // What the page's address says of its figures; the place in the text that it named before goes.
    function keepAddress() {
        var fragment = played.map(fragmentOf).filter(Boolean).join('&');
        try {
            history.replaceState(history.state, '', bare() + (fragment ? '#' + fragment : ''));
        } catch (e) { }                     // a browser may refuse it to pages from a disk: the button copies it all the same
    }

    // ---- a figure ----

    function begin(figure) {
        var name = figure.dataset.explore, what = window.bookFigures && window.bookFigures[name], box = figure.querySelector('.scroll');
        if (!what || !box || typeof WebAssembly !== 'object') return;
        var caption = figure.querySelector('figcaption'), number = caption.querySelector('.number').textContent.replace(/\.$/, '');
        var chapter = words.settings(what), rows = {}, tries = [], pending = false, open = false, note = '', settling;
        var self = { name: name, what: what, before: chapter, now: chapter, read: read };

        function same(a, b) { return what.controls.every(function (c) { return a[c.id] === b[c.id]; }); }
        // The drawing with the streams' names, the barrier and, where there are two, which of them it is.
        function picture(svg, v, when) {
            var drawing = make('div', { innerHTML: pictures.named(svg, what.names && what.names(v)) }).firstElementChild;
            if (what.barrier) pictures.addBarrier(drawing, what.barrier(v));
            if (when) drawing.append(pictures.part(drawing, 'text', { class: 'when', x: 13, y: 18 }, when));
            return drawing;
        }
        var full = Number(box.firstElementChild.getAttribute('width'));
        // How wide to draw: as the chapter's picture, or as there is room where that is too wide to be read at a glance.
        function width() {
            var room = Math.floor(box.clientWidth);
            return room && room < NARROW ? Math.max(room, 320) : full;
        }
        function drawing(d, v, facts, when, span) {
            return picture(pictures.adapted(d.svg(width(), span), figure.id + '-' + (when || 'played'), number + (when ? ', ' + when : '') + ': '
                + (when || !first.title ? what.caption(v, facts) : first.title), width() < full), v, when);
        }
        var first = { picture: picture(box.innerHTML, chapter).outerHTML, caption: caption.innerHTML,
            title: box.querySelector('title').textContent.replace(/^.*?: /, '') };
        put(box, first.picture);

        // The parts.
        var said = make('p', { className: 'said' }), why = make('p', { className: 'why' }), bars = make('div', { className: 'bars', hidden: true });
        var live = make('p', { className: 'announced' }), changedBox = make('div', { className: 'scroll' }), changedCaption = make('figcaption');
        var changedFigure = make('figure', { className: 'timeline changed', hidden: true }, [changedBox, changedCaption]);
        bars.setAttribute('aria-hidden', 'true');       // the verdict says it
        live.setAttribute('role', 'status');

        function captionOf(v, facts, begins) {
            var from = make('span', { className: 'from' }, [make('code', { textContent: what.program.replace(/.*\//, '') }), ' ' + words.from(what, v)]);
            return [make('span', { className: 'number', textContent: begins + '.' }), ' ' + what.caption(v, facts) + ' ', from];
        }
        function put(into, html) {
            if (into.lastHtml === html) return false;
            into.innerHTML = into.lastHtml = html;
            return true;
        }
        function say(verdict) {
            said.replaceChildren(note, make('strong', { textContent: verdict[0] }), ' ' + verdict[1]);
        }
        function redrawn(what) { what.dispatchEvent(new Event('redrawn')); }

        // As in the chapter: its own picture and caption.
        function showChapter(d) {
            var facts = words.play(d, what, self.now);
            if (put(box, width() < full ? drawing(d, chapter, facts, '', 0).outerHTML : first.picture)) redrawn(figure);
            caption.innerHTML = first.caption;
            changedFigure.hidden = bars.hidden = true;
            say(words.verdict(what, self.now, facts, null));
        }
        // Two runs, on one scale.
        function showBoth(d) {
            var before = words.play(d, what, self.before), now = words.play(d, what, self.now), span = Math.max(before.drawn, now.drawn);
            var nowDrawn = drawing(d, self.now, now, 'now', span);
            words.play(d, what, self.before);
            var beforeDrawn = drawing(d, self.before, before, 'before', span), outlines = pictures.addOutlines(nowDrawn, beforeDrawn);
            if (put(box, beforeDrawn.outerHTML)) redrawn(figure);
            if (put(changedBox, nowDrawn.outerHTML)) redrawn(changedFigure);
            if (same(self.before, chapter)) caption.innerHTML = first.caption;
            else caption.replaceChildren.apply(caption, captionOf(self.before, before, number));
            var list = words.changes(what, self.now, self.before);
            changedCaption.replaceChildren.apply(changedCaption, captionOf(self.now, now, number + ', now'));
            changedCaption.append(' ', make('span', { className: 'changes', textContent: list ? 'Changed: ' + list + '.' : 'Nothing is changed.' }),
                outlines ? ' Dashed outlines: where bars were before.' : '');
            changedFigure.hidden = bars.hidden = false;
            bars.replaceChildren.apply(bars, barsOf(what, now, before));
            say(words.verdict(what, self.now, now, before));
        }
        function showSettings() {
            what.controls.forEach(function (c) { rows[c.id].show(self.now[c.id], self.before[c.id]); });
            why.textContent = '';
            tries.forEach(function (t) {
                var on = open && same(self.before, t.before) && same(self.now, t.now);
                t.button.setAttribute('aria-pressed', String(on));
                if (on) why.textContent = t.why;
            });
        }
        function draw(then) {
            pending = false;
            box.lastWidth = width();
            load().then(function (d) {
                var at = form.getBoundingClientRect().top, root = document.documentElement;
                if (open) showBoth(d);
                else showChapter(d);
                // What stands above the form may have another height now: the form stays where it is on the screen.
                var moved = form.getBoundingClientRect().top - at;
                if (moved) {
                    root.style.overflowAnchor = 'none';     // or the browser would do the same once more
                    window.scrollBy(0, moved);
                    requestAnimationFrame(function () { requestAnimationFrame(function () { root.style.overflowAnchor = ''; }); });
                }
                if (then) then();
            }, function (trouble) {
                said.textContent = 'This figure cannot be played with here: ' + trouble.message + '.';
            });
        }
        function settle() {
            clearTimeout(settling);
            settling = setTimeout(function () {
                keepAddress();
                live.textContent = said.textContent + ' ' + why.textContent;
            }, SETTLED);
        }
        // At most one drawing a frame, however fast a slider is moved.
        function schedule(then) {
            if (pending) return;
            pending = true;
            requestAnimationFrame(function () { draw(then); });
        }
        // Goes to other settings.
        function go(before, now, then) {
            self.before = before;
            self.now = now;
            note = '';
            showSettings();
            schedule(then);
            settle();
        }
        function reset() {
            open = false;
            go(chapter, chapter);
        }
        function seen() { said.scrollIntoView({ block: 'nearest' }); }
        // The settings that the page's address has for this figure. Returns whether it has any.
        function read() {
            var found = address.read(location.hash, name, what, isAlone());
            if (!found) return false;
            open = true;
            self.before = words.settings(what, found.before);
            self.now = words.settings(what, found.now);
            note = found.unknown.length ? 'This figure has no ' + found.unknown.join(', ') + ', which the address asks for. ' : '';
            showSettings();
            var shut = figure.closest('.inside[hidden]');
            if (shut) shut.dispatchEvent(new Event('beforematch'));     // an answer that is not to be seen yet: it is asked for
            draw(function () { figure.scrollIntoView(); });
            return true;
        }

        what.tries.forEach(function (t) {
            var one = { before: words.settings(what, t.before), now: words.settings(what, t.now), why: t.why };
            one.button = button(t.say, function () {
                if (one.button.getAttribute('aria-pressed') === 'true') {
                    reset();
                } else {
                    open = true;
                    go(one.before, one.now, seen);
                }
            });
            tries.push(one);
        });
        var controls = make('div', { className: 'controls' });
        what.controls.forEach(function (c) {
            rows[c.id] = row(figure.id + '-' + c.id, c, function (value) {
                var changed = {};
                changed[c.id] = value;
                open = true;
                go(self.before, Object.assign({}, self.now, changed));
            });
            controls.append(rows[c.id].element);
        });
        var copy = button('Copy the address of this setting');
        window.book.copies(copy, function () { return bare() + '#' + (fragmentOf(self) || figure.id); });

        var form = make('div', { className: 'explore' }, [
            make('p', { className: 'about', textContent: what.about }),
            make('fieldset', { className: 'tries' }, [make('legend', { textContent: 'Three things to try' })].concat(tries.map(function (t) { return t.button; }))),
            make('details', { className: 'settings', open: matchMedia('(min-width: 40rem)').matches }, [
                make('summary', { textContent: 'All settings' }), controls]),
            make('div', { className: 'does' }, [button('As in the chapter', reset),
                button('Keep this as “before”', function () { open = true; go(self.now, self.now); }), copy])]);
        form.setAttribute('role', 'group');
        form.setAttribute('aria-label', 'Play with ' + number);
        figure.append(form, make('div', { className: 'played' }, [said, why, bars, changedFigure, live]));
        figure.classList.add('explorable');
        showSettings();
        window.book.walk(changedFigure, number + ', now');
        played.push(self);

        addEventListener('resize', function () {
            if (box.lastWidth !== undefined && box.lastWidth !== width()) schedule();
        });

        // What is to be said of the chapter's own run, when the reader comes near.
        if (typeof IntersectionObserver !== 'function') draw();
        else new IntersectionObserver(function (entries, observer) {
            if (!entries.some(function (e) { return e.isIntersecting; })) return;
            observer.disconnect();
            if (!open) draw();
        }, { rootMargin: '400px' }).observe(figure);
    }

    document.addEventListener('DOMContentLoaded', function () {
        words = window.bookWords;
        address = window.bookAddress;
        pictures = window.bookPictures;
        document.querySelectorAll('figure[data-explore]').forEach(begin);
        function readAll() { played.forEach(function (p) { p.read(); }); }
        readAll();
        addEventListener('hashchange', readAll);
    });
}());
