// SPDX-License-Identifier: MIT
// node explore.mjs FIGURE.wasm begin NAME: the spans of that figure as it begins, a line each: engine, stream (by order of
// appearance), start and end from the first start, in ns. `programs`: each figure's name, program, label and card, by tabs.
// `all`: every figure at every end and choice of each control, and at each of its things to try; a line each, with what is
// said of it. `pages`: what is said of kernels that wait for pages, where it is not so.
import { readFileSync } from 'node:fs'

const [wasm, what, wanted] = process.argv.slice(2)
const { instance } = await WebAssembly.instantiate(readFileSync(wasm), {})
await import('../../book/explore/figures.js')
await import('../../book/explore/machine.js')
await import('../../book/explore/words.js')
globalThis.bookMeasured = {}
for (const [program, line] of readFileSync('facts/h200-chapters.tsv', 'utf8').split('\n').filter((l) => l && l[0] !== '#').map((l) => l.split('\t')))
    (globalThis.bookMeasured[program] ||= []).push(line)
const device = globalThis.bookMachine(instance.exports), figures = globalThis.bookFigures, words = globalThis.bookWords

if (what === 'programs')
    for (const [name, f] of Object.entries(figures))
        console.log([name, f.program, f.label, f.card].join('\t'))

if (what === 'begin') {
    const f = figures[wanted]
    f.run(device, words.settings(f))
    const spans = device.spans().filter((s) => s.engine > 0 && s.engine < 8), first = Math.min(...spans.map((s) => s.start)), seen = []
    for (const s of spans) {
        if (!seen.includes(s.stream)) seen.push(s.stream)
        console.log(s.engine, seen.indexOf(s.stream), s.start - first, s.end - first)
    }
}

// How far the settings `v` go, after the run with `before`.
function line(name, f, id, value, v, before) {
    const was = words.play(device, f, before), facts = words.play(device, f, v)
    const svg = device.svg(720, was.drawn), unfinished = facts.spans.filter((s) => s.end < s.start || s.end > 1e12)
    const said = [f.caption(v, facts), words.from(f, v), words.changes(f, v, before), ...words.verdict(f, v, facts, was), ...words.verdict(f, v, facts, null)]
    console.log([name, id, value, facts.spans.length, unfinished.length, svg.startsWith('<svg'), said.join(' ')].join('\t'))
}

if (what === 'all')
    for (const [name, f] of Object.entries(figures)) {
        const chapter = words.settings(f)
        for (const c of f.controls)
            for (const value of c.choices ? c.choices.map((x) => x[0]) : [c.min, c.max])
                line(name, f, c.id, value, { ...chapter, [c.id]: value }, chapter)
        for (const t of f.tries)
            line(name, f, 'try', t.say, words.settings(f, t.now), words.settings(f, t.before))
    }

// The kernels' bars are as long as the verdict says that they work and wait; with a prefetch nothing waits, and the card's
// gain is said.
if (what === 'pages') {
    const f = figures.pages, chapter = words.settings(f), times = ['', ' with prefetches'].map((end) => globalThis.bookMeasured['09-unified-memory/demos/add.cu']
        .find((l) => l.endsWith('ms' + end) || l.endsWith('ms,' + end)).match(/[\d.]+(?= ms)/g).reduce((sum, n) => sum + Number(n), 0))
    const gain = Math.round(100 * (times[0] - times[1]) / times[0])
    for (const size of [2, 4, 64]) for (const kernels of [1, 6]) for (const there of ['faults', 'prefetch']) for (const home of ['faults', 'prefetch']) {
        const v = { ...chapter, size, kernels, there, home }, facts = words.play(device, f, v), said = words.verdict(f, v, facts, null).join(' ')
        const drawn = 100 * facts.kernels.reduce((sum, k) => sum + k.end - k.start, 0) / facts.length
        const [, name, works, waits] = /Busiest: (.*?), at work for (\d+) %.*?(?:waiting for pages for another (\d+) %)?\./.exec(said), shown = Number(works) + Number(waits || 0)
        const wrong = [there === 'faults' !== Boolean(waits) && 'waiting', name === 'the kernels' && Math.abs(shown - drawn) > 1 && `drawn are ${drawn} %`,
            (there === 'prefetch' || home === 'prefetch') !== said.includes(`(${gain} % less)`) && `not ${gain} %`].filter(Boolean)
        if (wrong.length) console.log(JSON.stringify(v), wrong.join(), said)
    }
}
