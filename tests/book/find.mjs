// SPDX-License-Identifier: MIT
// find.mjs SITE: what queries mean and where they lead, without a browser. Speaks TAP.
import { readFileSync } from 'node:fs';
import { runInThisContext } from 'node:vm';

const site = process.argv[2];
globalThis.window = globalThis;
for (const name of ['search.js', 'find.js']) runInThisContext(readFileSync(`${site}/${name}`, 'utf8'), { filename: name });
const { search, wordsOf } = window.bookFind, first = query => search(query).found[0] || [];
let count = 0, failed = false;
function check(sentence, problems) {
    const list = [problems].flat().filter(Boolean);
    console.log(`${list.length ? 'not ok' : 'ok'} ${++count} - ${sentence}`);
    list.forEach(p => console.log('# ' + p));
    failed ||= list.length > 0;
}

check('typing errors are said, and what was meant is found', Object.entries({
    streem: 'stream', evnt: 'event', pined: 'pinned', overlaping: 'overlapping', asyncronous: 'asynchronous', prefech: 'prefetch',
    piority: 'priority', syncronize: 'synchronize', hazzard: 'hazard', grpah: 'graph', mangaed: 'managed', cudaMaloc: 'cudamalloc',
    cudaMemcpyAsnyc: 'cudamemcpyasync',
}).map(([typed, meant]) => {
    const { said, found } = search(typed);
    return said === `Nothing has “${typed.toLowerCase()}”: looking for “${meant}”.` && found.length ? '' : `${typed}: ${said} ${found.length} places`;
}));
check('right words are not taken for typing errors, whether or not the book has them', ['warp', 'warps', 'throughput', 'green', 'agree',
    'groups', 'tile', 'bank', 'banks', 'cluster', 'register', 'registers', 'divergence', 'coalescing', 'tensor', 'thread', 'threads',
    'cache', 'texture', 'mutex', 'latency', 'scale', 'compiler', 'profile', 'debugger', 'vector', 'matrix', 'transpose', 'reduction',
    'scan', 'sort', 'histogram', 'float', 'double', 'integer', 'network', 'python', 'windows', 'linux', 'docker', 'install',
].map(word => /looking for/.test(search(word).said) ? `${word}: ${search(word).said}` : ''));
check('a part of a query has other words in the book, too', ['race condition in streams', 'a data race', 'data races between streams']
    .map(query => /“hazard”/.test(search(query).said) && search(query).found.some(e => /hazard/i.test(e[3] + e[4])) ? '' : `${query}: ${search(query).said}`));
check('words that say nothing alone do not count, nor does an s at the end', [['what is a stream', 'stream'], ['events', 'event'], ['how to time the kernels', 'time kernel']]
    .map(([query, words]) => search(query).terms.join(' ') === words ? '' : `${query}: ${search(query).terms}`));
check('where no place has all words, those with most of them come', search('prefetch zzyzx').found.length && /No place has all/.test(search('prefetch zzyzx').said) ? '' : search('prefetch zzyzx').said);
check('what is nowhere is not found', search('zzyzx').found.length || search('').found.length ? 'something is' : '');

const glossary = window.bookIndex.find(e => e[0] === 'glossary')[4], terms = Object.keys(window.bookTaught);
check(`where each of ${terms.length} terms of the glossary is taught comes first, hyphens or not`, [
    terms.length === (glossary.match(/ Lessons? \d\d[^.:]*\. ?/g) || []).length ? '' : `the glossary names ${(glossary.match(/ Lessons? \d\d[^.:]*\. ?/g) || []).length} lessons`,
    ...terms.flatMap(term => [term, term.replace(/-/g, ' ')]).map(query => {
        const [page, id] = window.bookTaught[query] || window.bookTaught[terms.find(t => t.replace(/-/g, ' ') === query)], hit = first(query);
        return hit[0] === page && (!id || hit[1] === id) ? '' : `${query}: ${hit.slice(0, 4)}, not ${page} ${id}`;
    })]);
check('the glossary has what readers ask for', ['graph', 'pool', 'symbol', 'context', 'driver', 'hazard', 'latency', 'occupancy', 'issue order', 'busy share']
    .map(term => window.bookTaught[term] ? '' : `it does not say where “${term}” is taught`));

const text = ' ' + window.bookIndex.map(e => wordsOf(e.join(' ')).join(' ')).join(' ') + ' ';
check('each word that the book is said to have instead is in it', Object.entries(window.bookNear).map(([query, words]) =>
    !words || text.includes(' ' + wordsOf(words).join(' ')) ? '' : `${query}: ${words} is nowhere`));
check('of what it does not speak of it says so, and finds nothing', search('zero-copy').found.length || !/does not speak of “zero copy”/.test(search('zero-copy').said) ? search('zero-copy').said : '');
check('and none of those that it is said not to have, as they are written', Object.keys(window.bookNear).map(query =>
    new RegExp(`\\b${query}\\b`).test(window.bookIndex.map(e => e[3]).join('\n').toLowerCase()) ? `${query} is the title of a section` : ''));

const runtime = [...new Set(readFileSync('common/sim/include/cuda_runtime_api.h', 'utf8').match(/\bcuda[A-Z]\w*(?= *\()/g))];
const known = new Set(window.bookIndex.filter(e => e[0] === 'calls').map(e => e[3])), family = call => /^cu(?:da)?[A-Z][a-z]+/.exec(call)[0];
check(`each of ${runtime.length} calls of the runtime leads to itself, to one that near.tsv names, or to its family and says so`, runtime.map(call => {
    const { said, found } = search(call), hit = found[0] || [];
    if (known.has(call)) return hit[3] === call && !said ? '' : `${call}: ${said} ${hit[3]}`;
    if (window.bookNear[call]) return wordsOf(window.bookNear[call]).every(w => hit.join(' ').toLowerCase().includes(w)) ? '' : `${call}: ${hit[3]}`;
    if (!/no such call|looking for/.test(said) && !text.includes(call.toLowerCase())) return `${call}: ${said} ${hit[3]}`;
    return /its family:$/.test(said) ? (found.every(e => family(e[3]).startsWith(family(call)) || family(call).startsWith(family(e[3]))) ? '' : `${call}: ${hit[3]} is no kin of it`)
        : hit[0] ? '' : `${call}: nothing`;
}));
console.log(`1..${count}`);
process.exit(failed ? 1 : 0);
