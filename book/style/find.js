// SPDX-License-Identifier: MIT
// What a query means, and where it leads. No page is needed here. The site's search.js has what is searched:
//
//   bookIndex    [page, id, the page's title, the section's title, text], in the order of the book
//   bookNear     words that readers look for -> what the book says; '': it does not speak of that
//   bookTaught   a term of the glossary -> [the page of the lesson that teaches it, the section's id or '']
(function (global) {
    'use strict';
    var NOISE = 'a an and are at by can do does for from how in is it my of on or the to what when which why with'.split(' ');

    function fold(text) { return text.toLowerCase().normalize('NFKD').replace(/[\u0300-\u036f]/g, ''); }
    // Words, folded; a hyphen ends one. The words of queries, keys and texts are all made here.
    function wordsOf(text) { return fold(text).split(/[^\p{L}\p{N}_]+/u).filter(Boolean); }
    // "streams" looks for "stream", too.
    function stem(word) { return word.length > 3 && /[^siu]s$/.test(word) && !/ies$/.test(word) ? word.slice(0, -1) : word; }
    function telling(words) {
        var some = words.filter(function (w) { return NOISE.indexOf(w) < 0; });
        return some.length ? some : words;
    }
    function keyOf(words) { return telling(words).map(stem).join(' '); }
    function isCall(word) { return /^cuda./.test(word); }

    // How many letters are to be put in, left out, exchanged or swapped to get from a to b; more than `most`: most + 1.
    function distance(a, b, most) {
        if (Math.abs(a.length - b.length) > most) return most + 1;
        var before, above = null, row = [];
        for (var j = 0; j <= b.length; j++) row.push(j);
        for (var i = 1; i <= a.length; i++) {
            before = above;
            above = row;
            row = [i];
            for (j = 1; j <= b.length; j++) {
                row[j] = Math.min(above[j] + 1, row[j - 1] + 1, above[j - 1] + (a[i - 1] === b[j - 1] ? 0 : 1));
                if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) row[j] = Math.min(row[j], before[j - 2] + 1);
            }
        }
        return Math.min(row[b.length], most + 1);
    }

    // The index, prepared once.
    var entries, near, taught, counts, subjects, calls;
    function prepare() {
        entries = global.bookIndex.map(function (e) {
            return { of: e, title: fold(e[3] + ' ' + e[2]), own: fold(e[3]), text: fold(e[4]) };
        });
        counts = new Map();
        subjects = new Set();
        near = new Map();
        taught = new Map();
        entries.forEach(function (e) {
            wordsOf(e.of[4]).forEach(function (w) { counts.set(w, (counts.get(w) || 0) + 1); });
            wordsOf(e.title).forEach(function (w) { subjects.add(w); });
        });
        Object.keys(global.bookTaught).forEach(function (term) {
            wordsOf(term).forEach(function (w) { subjects.add(w); });
            taught.set(keyOf(wordsOf(term)), global.bookTaught[term]);
        });
        subjects.forEach(function (w) { if (!counts.has(w)) counts.set(w, 1); });
        Object.keys(global.bookNear).forEach(function (words) { near.set(keyOf(wordsOf(words)), global.bookNear[words]); });
        calls = entries.filter(function (e) { return e.of[0] === 'calls' && isCall(e.own); });
    }
    function isThere(term) {
        return entries.some(function (e) { return e.title.indexOf(term) >= 0 || e.text.indexOf(term) >= 0; });
    }

    // The word that `term` was probably meant to be, or null. A short word, and one letter for another in it, is as often
    // a right word that the book does not have: so it is taken for an error only where a subject of the book is so near.
    function meant(term) {
        var most = term.length < 4 ? 0 : term.length < 8 ? 1 : 2, best = null, least = most + 1, often = 0;
        counts.forEach(function (count, word) {
            if (word.length < 4 || Math.abs(word.length - term.length) > most || word[0] !== term[0] || isCall(word) !== isCall(term) || (word.length < term.length && term.length < 6)) return;
            if (word.length === term.length && term.length < 5 && word.split('').sort().join() !== term.split('').sort().join()) return;
            var d = distance(term, word, most);
            if (!subjects.has(word) && (term.length < 7 || d > 1)) return;
            if (d < least || (d === least && d <= most && count > often)) { best = word; least = d; often = count; }
        });
        return best;
    }
    // The calls of the book that are of the family of one that it has not: cudaDeviceSetLimit, cudaDeviceReset.
    function family(call) {
        var longest = '';
        calls.forEach(function (e) {
            var first = fold(/^cu(?:da)?[A-Z][a-z]+/.exec(e.of[3])[0]);
            if (call.indexOf(first) === 0 && first.length > longest.length) longest = first;
        });
        return { name: longest, calls: longest ? calls.filter(function (e) { return e.own.indexOf(longest) === 0; }) : [] };
    }

    // The words to look for, and what is to be said of them where they are not those of the query.
    function read(text) {
        var words = wordsOf(text), terms = [], said = [], i = 0;
        while (i < words.length) {
            var n = words.length - i, other;
            while (n > 0 && (other = near.get(keyOf(words.slice(i, i + n)))) === undefined) n--;
            if (n > 0) {
                said.push(other ? 'The book says “' + other + '”.' : 'The book does not speak of “' + words.slice(i, i + n).join(' ') + '”.');
                terms = terms.concat(wordsOf(other));
            } else {
                terms.push(words[i]);
            }
            i += n || 1;
        }
        terms = telling(terms).map(function (t) {
            if (t.length < 3 || isThere(stem(t))) return stem(t);
            var better = meant(t);
            if (better) said.push('Nothing has “' + t + '”: looking for “' + better + '”.');
            return better || t;
        });
        return { terms: terms.filter(function (t, at) { return terms.indexOf(t) === at; }), said: said };
    }

    function scored(terms) {
        return entries.map(function (e) {
            var score = 0, has = 0;
            terms.forEach(function (t) {
                var inTitle = e.title.indexOf(t) >= 0, at = e.text.indexOf(t);
                if (e.own === t) score += 40;
                score += (e.own.indexOf(t) >= 0 ? 12 : inTitle ? 6 : 0) + (at >= 0 ? 2 + Math.min(4, e.text.split(t).length - 1) : 0);
                if (inTitle || at >= 0) has++;
            });
            return { entry: e.of, score: score, has: has };
        });
    }

    // { terms: what to mark, said: a sentence or none, found: entries of the index, the best first }
    function search(text) {
        if (!entries) prepare();
        var wanted = read(text), terms = wanted.terms, said = wanted.said, found = [];
        if (!terms.length) return { terms: terms, said: said.join(' '), found: found };
        var unknown = terms.length === 1 && isCall(terms[0]) && !isThere(terms[0]);
        if (unknown) {
            var kin = family(terms[0]);
            said.push('The book has no such call' + (kin.calls.length ? '. Others of its family:' : ', nor one of its family. All that it has:'));
            found = (kin.calls.length ? kin.calls : entries.filter(function (e) { return e.of[0] === 'calls' && !isCall(e.own); }).slice(0, 1));
            return { terms: [kin.name || 'call'], said: said.join(' '), found: found.map(function (e) { return e.of; }) };
        }
        var all = scored(terms), most = Math.max.apply(null, all.map(function (hit) { return hit.has; }));
        if (most < terms.length && most > 0) said.push('No place has all of these words. Those with most of them:');
        if (most > 0) found = all.filter(function (hit) { return hit.has === most; });
        found.sort(function (a, b) { return b.score - a.score; });
        found = found.map(function (hit) { return hit.entry; });
        // Where a word is taught comes before its line in the glossary; a section that is named for it has perhaps not the word.
        var place = taught.get(keyOf(terms)), first = place && (place[1] ? entries.map(function (e) { return e.of; }) : found).find(function (e) {
            return e[0] === place[0] && (!place[1] || e[1] === place[1]);
        });
        if (first) found = [first].concat(found.filter(function (e) { return e !== first; }));
        return { terms: terms, said: said.join(' '), found: found };
    }

    // About 170 characters round the first of the terms, from word to word.
    function excerpt(text, terms) {
        var folded = fold(text), at = folded.length;
        terms.forEach(function (t) { var i = folded.indexOf(t); if (i >= 0 && i < at) at = i; });
        if (at === folded.length) at = 0;
        var from = at > 50 ? text.lastIndexOf(' ', at - 50) + 1 : 0, to = from + 170 < text.length ? text.lastIndexOf(' ', from + 170) : text.length;
        if (to <= at) to = text.length;
        return (from ? '… ' : '') + text.slice(from, to) + (to < text.length ? ' …' : '');
    }

    global.bookFind = { fold: fold, wordsOf: wordsOf, search: search, excerpt: excerpt };
})(typeof window === 'undefined' ? globalThis : window);
