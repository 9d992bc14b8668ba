// SPDX-License-Identifier: MIT
// What the pages do: theme, contents, keys, search, copying, whole files, predictions, timelines. Without it they can be read.
(function () {
    'use strict';
    var root = document.documentElement;
    function $(selector, within) { return (within || document).querySelector(selector); }
    function all(selector, within) { return Array.prototype.slice.call((within || document).querySelectorAll(selector)); }
    function make(tag, properties, children) {
        var e = Object.assign(document.createElement(tag), properties || {});
        (children || []).forEach(function (c) { e.append(c); });
        return e;
    }

    // ---- theme: as the system has it, light, dark, round and round ----
    var themes = [null, 'light', 'dark'], words = { 'null': 'Theme: system', light: 'Theme: light', dark: 'Theme: dark' };
    var theme = $('#theme');
    function sayTheme() {
        var name = String(window.bookTheme.saved());
        theme.setAttribute('aria-label', words[name]);
        theme.textContent = { 'null': '◐', light: '☀', dark: '☾' }[name];
        theme.title = words[name] + ' (t)';
    }
    function nextTheme() {
        window.bookTheme.set(themes[(themes.indexOf(window.bookTheme.saved()) + 1) % themes.length]);
        sayTheme();
    }
    if (theme) {
        theme.addEventListener('click', nextTheme);
        sayTheme();
    }

    // ---- contents on a narrow screen ----
    var menu = $('#menu'), contents = $('#contents');
    function openMenu(open) {
        contents.classList.toggle('open', open);
        menu.setAttribute('aria-expanded', String(open));
    }
    if (menu) {
        menu.addEventListener('click', function () { openMenu(!contents.classList.contains('open')); });
        contents.addEventListener('click', function (e) { if (e.target.closest('a')) openMenu(false); });
        var here = $('[aria-current=page]', contents);
        if (here && here.offsetTop > contents.clientHeight / 2) contents.scrollTop = here.offsetTop - contents.clientHeight / 3;
    }

    // ---- dialogs ----
    function dialog(id, title, children) {
        var d = make('dialog', { id: id }, [make('h2', { id: id + '-title', textContent: title })].concat(children));
        d.setAttribute('aria-labelledby', id + '-title');
        d.addEventListener('click', function (e) { if (e.target === d) d.close(); });
        document.body.append(d);
        return d;
    }
    function row(keys, what) {
        return make('tr', {}, [make('td', {}, keys.map(function (k) { return make('kbd', { textContent: k }); })), make('td', { textContent: what })]);
    }
    var keys;
    function showKeys() {
        keys = keys || dialog('keys', 'Keys', [make('table', { className: 'keys' }, [make('tbody', {}, [
            row(['←', '→'], 'the page before, the next one'), row(['/', 's'], 'search'), row(['t'], 'theme: system, light, dark'),
            row(['c'], 'contents'), row(['?'], 'this list'), row(['Esc'], 'close'),
            row(['←', '→'], 'in a timeline that has the focus: from mark to mark')])]),
            make('button', { type: 'button', textContent: 'Close', onclick: function () { keys.close(); } })]);
        keys.showModal();
    }

    // ---- search ----
    var find = window.bookFind, searching, query, hits, said;
    function openSearch() {
        if (!searching) {
            query = make('input', { id: 'query', type: 'search', autocomplete: 'off' });
            query.setAttribute('aria-label', 'Words to look for');
            hits = make('ol', { id: 'hits' });
            said = make('p', { className: 'said' });
            said.setAttribute('role', 'status');
            searching = dialog('search', 'Search the book', [query, said, hits]);
            query.addEventListener('input', function () { look(); });
            searching.addEventListener('keydown', function (e) {
                var links = all('a', hits), at = links.indexOf(document.activeElement);
                if (e.key === 'ArrowDown' && links.length) { links[Math.min(at + 1, links.length - 1)].focus(); e.preventDefault(); }
                if (e.key === 'ArrowUp' && at >= 0) { (at ? links[at - 1] : query).focus(); e.preventDefault(); }
                if (e.key === 'Escape') { searching.close(); e.preventDefault(); }      // a search field would only empty itself
                if (e.key === 'Enter' && document.activeElement === query && links.length) { links[0].click(); e.preventDefault(); }
            });
        }
        if (!searching.open) searching.showModal();
        query.focus();
        query.select();
        if (!window.bookIndex && !$('#index')) document.head.append(make('script', { id: 'index', src: 'search.js', onload: look }));
    }
    function marked(text, terms) {
        var out = document.createDocumentFragment(), folded = find.fold(text), at = 0;
        while (at < text.length) {
            var next = -1, length = 0;
            terms.forEach(function (t) {
                var i = folded.indexOf(t, at);
                if (i >= 0 && (next < 0 || i < next)) { next = i; length = t.length; }
            });
            if (next < 0 || folded.length !== text.length) break;
            out.append(text.slice(at, next), make('mark', { textContent: text.slice(next, next + length) }));
            at = next + length;
        }
        out.append(text.slice(at));
        return out;
    }
    function look() {
        if (!window.bookIndex) return;
        var result = find.search(query.value), terms = result.terms, found = result.found;
        said.textContent = (result.said ? result.said + ' ' : '') + (!terms.length ? '' : found.length === 0 ? 'Nothing found.' :
            found.length === 1 ? 'One place.' : found.length + ' places' + (found.length > 30 ? ', the first 30 of them:' : '.'));
        hits.replaceChildren.apply(hits, found.slice(0, 30).map(function (e) {
            var where = e[0] + '.html?find=' + encodeURIComponent(terms.join(' ')) + (e[1] ? '#' + e[1] : '');
            var link = make('a', { href: where }, [make('b', {}, [marked(e[3] || e[2], terms)]), e[3] ? ' · ' + e[2] : '',
                make('small', {}, [marked(find.excerpt(e[4], terms), terms)])]);
            return make('li', {}, [link]);
        }));
    }
    if ($('#find')) {
        $('#find').addEventListener('click', openSearch);
        $('#help').addEventListener('click', showKeys);
    }
    // What was found is marked on the page that it leads to.
    function markPage(terms) {
        var walker = document.createTreeWalker($('#content'), NodeFilter.SHOW_TEXT), nodes = [];
        while (walker.nextNode()) {
            var node = walker.currentNode, text = find.fold(node.data);
            if (!node.parentElement.closest('svg, .rest, button') && terms.some(function (t) { return text.indexOf(t) >= 0; })) nodes.push(node);
        }
        nodes.forEach(function (node) { node.replaceWith(marked(node.data, terms)); });
    }
    var asked = new URLSearchParams(location.search).get('find');
    if (asked) markPage(find.wordsOf(asked));

    // ---- keys ----
    // A field of a dialog that was just closed has the focus until the next frame is drawn: nothing is typed into it.
    function typing(field) { return /^(INPUT|TEXTAREA|SELECT)$/.test(field.tagName) && !field.closest('dialog'); }
    document.addEventListener('keydown', function (e) {
        if (e.ctrlKey || e.metaKey || e.altKey || $('dialog[open]') || typing(e.target)) return;
        var way = e.key === 'ArrowLeft' ? 'prev' : e.key === 'ArrowRight' ? 'next' : null;
        if (way) {
            if (e.defaultPrevented || e.target.closest('.scroll, .table, pre, .explore')) return;
            var link = $('.ways [rel=' + way + ']');
            if (link) link.click();
        } else if (e.key === '/' || e.key === 's') {
            openSearch();
            e.preventDefault();
        } else if (e.key === '?') {
            showKeys();
        } else if (e.key === 't' && theme) {
            nextTheme();
        } else if (e.key === 'c' && menu) {
            if (getComputedStyle(menu).display !== 'none') openMenu(true);
            ($('[aria-current=page]', contents) || $('a', contents)).focus();
        } else if (e.key === 'Escape' && menu && contents.classList.contains('open')) {
            openMenu(false);
            menu.focus();
        }
    });

    // ---- what scrolls sideways can be reached with the keys ----
    // A picture that is wider than its place says so at its edge (book.css).
    function reach() {
        all('.timeline .scroll').forEach(function (e) {
            e.classList.remove('wide');
            e.classList.toggle('wide', e.scrollWidth > e.clientWidth + 1);
        });
        all('pre, .table, .scroll').forEach(function (e) {
            if (e.scrollWidth > e.clientWidth + 1 || e.matches('.timeline > .scroll.walked')) e.tabIndex = 0;
            else e.removeAttribute('tabindex');
        });
    }

    // That mark goes where it has come to its end.
    all('.timeline .scroll').forEach(function (box) {
        box.addEventListener('scroll', function () {
            box.classList.toggle('ended', box.scrollLeft + box.clientWidth > box.scrollWidth - 4);
        }, { passive: true });
    });

    // ---- what copies ----
    // `button` copies what text() returns, and says so.
    function copies(button, text) {
        var label = button.textContent;
        button.setAttribute('aria-live', 'polite');
        function done(ok) {
            button.textContent = ok ? 'Copied' : 'Could not copy';
            setTimeout(function () { button.textContent = label; }, 1500);
        }
        button.addEventListener('click', function () {
            var copied = text();
            function old() {        // where there is no clipboard to ask for, as from file://
                var area = make('textarea', { value: copied });
                document.body.append(area);
                area.select();
                var ok = document.execCommand('copy');
                area.remove();
                button.focus();
                done(ok);
            }
            if (navigator.clipboard) navigator.clipboard.writeText(copied).then(function () { done(true); }, old);
            else old();
        });
    }

    // ---- listings: copy, and the whole file ----
    all('.listing').forEach(function (figure) {
        var bar = make('div', { className: 'buttons' + ($('figcaption', figure) ? '' : ' inside') }), code = $('code', $('pre', figure));
        if ($('.rest', figure)) {
            var whole = make('button', { type: 'button', textContent: 'Whole file' });
            whole.setAttribute('aria-pressed', 'false');
            whole.addEventListener('click', function () {
                var shown = figure.classList.toggle('whole-file');
                whole.setAttribute('aria-pressed', String(shown));
                whole.textContent = shown ? 'This part' : 'Whole file';
                reach();
            });
            bar.append(whole);
        }
        var copy = make('button', { type: 'button', textContent: 'Copy' });
        copies(copy, function () { return code.innerText; });
        bar.append(copy);
        figure.append(bar);
    });

    // ---- predict first: the answer stays shut until it is asked for ----
    all('section.answer').forEach(function (answer) {
        if (document.body.classList.contains('whole')) return;
        var heading = $('h2', answer), inside = make('div', { className: 'inside' });
        while (heading.nextSibling) inside.append(heading.nextSibling);
        answer.append(inside);
        var target = location.hash && document.getElementById(decodeURIComponent(location.hash.slice(1)));
        if ((target && inside.contains(target)) || target === answer || asked) return;
        inside.hidden = true;
        inside.setAttribute('hidden', 'until-found');
        var button = make('button', { type: 'button', className: 'decide', textContent: 'I have decided: show me what it did' });
        function open() {
            inside.removeAttribute('hidden');
            button.remove();
            reach();
        }
        button.addEventListener('click', function () { open(); heading.tabIndex = -1; heading.focus(); });
        inside.addEventListener('beforematch', open);
        addEventListener('hashchange', function () {
            var t = document.getElementById(decodeURIComponent(location.hash.slice(1)));
            if (t && (inside.contains(t) || t === answer)) { open(); t.scrollIntoView(); }
        });
        heading.after(button);
    });

    // ---- timelines: hover says what a mark is by itself; with the focus, arrow keys go from mark to mark ----
    // `name`: the figure's, in words.
    function walk(figure, name) {
        var groups, box = $('.scroll', figure), told = make('p', { className: 'told' }), at = -1;
        function collect() { groups = all('svg g', box).filter(function (g) { return $('title', g); }); }
        collect();
        figure.addEventListener('redrawn', function () { at = -1; told.hidden = true; collect(); });
        box.classList.add('walked');
        box.tabIndex = 0;
        box.setAttribute('role', 'group');
        box.setAttribute('aria-label', name + ': arrow keys go from mark to mark');
        told.setAttribute('role', 'status');
        told.hidden = true;
        $('figcaption', figure).after(told);
        function show(i) {
            if (at >= 0) groups[at].classList.remove('now');
            at = i;
            told.hidden = i < 0;
            if (i < 0) return;
            groups[i].classList.add('now');
            told.textContent = $('title', groups[i]).textContent;
            groups[i].scrollIntoView({ block: 'nearest', inline: 'nearest' });
        }
        box.addEventListener('keydown', function (e) {
            var next = { ArrowRight: at + 1, ArrowDown: at + 1, ArrowLeft: at - 1, ArrowUp: at - 1, Home: 0, End: groups.length - 1 }[e.key];
            if (next === undefined) return;
            e.preventDefault();
            show(Math.max(0, Math.min(next, groups.length - 1)));
        });
        box.addEventListener('click', function (e) {
            var g = e.target.closest('g');
            if (g && groups.indexOf(g) >= 0) show(groups.indexOf(g));
        });
        box.addEventListener('blur', function () { show(-1); });
    }
    all('figure.timeline').forEach(function (figure) {
        if ($('svg g title', figure)) walk(figure, ($('figcaption .number', figure) || figure).textContent.replace(/\.$/, ''));
    });
    window.book = { copies: copies, walk: walk };       // for figures to play with

    reach();
    addEventListener('resize', reach);
}());
