// SPDX-License-Identifier: MIT
// node explore.mjs FIGURE.wasm begin NAME: the spans of that figure as it begins, a line each: engine, stream (by order of
// appearance), start and end from the first start, in ns. `programs`: each figure's name, program, label and card, by tabs.
// `all`: every figure at every end and choice of each control; a line each, with what it says.
import { readFileSync } from 'node:fs'

const [wasm, what, wanted] = process.argv.slice(2)
const { instance } = await WebAssembly.instantiate(readFileSync(wasm), {})
await import('../../book/explore/figures.js')
await import('../../book/explore/machine.js')
const device = globalThis.bookMachine(instance.exports), figures = globalThis.bookFigures
const initial = (f) => Object.fromEntries(f.controls.map((c) => [c.id, c.value]))

if (what === 'programs')
    for (const [name, f] of Object.entries(figures))
        console.log([name, f.program, f.label, f.card].join('\t'))

if (what === 'begin') {
    const f = figures[wanted]
    f.run(device, initial(f))
    const spans = device.spans().filter((s) => s.engine > 0 && s.engine < 8), first = Math.min(...spans.map((s) => s.start)), seen = []
    for (const s of spans) {
        if (!seen.includes(s.stream)) seen.push(s.stream)
        console.log(s.engine, seen.indexOf(s.stream), s.start - first, s.end - first)
    }
}

if (what === 'all')
    for (const [name, f] of Object.entries(figures))
        for (const c of f.controls)
            for (const value of c.choices ? c.choices.map((x) => x[0]) : [c.min, c.max]) {
                const v = { ...initial(f), [c.id]: value }
                f.run(device, v)
                const svg = device.svg(720), unfinished = device.spans().filter((s) => s.end < s.start || s.end > 1e12)
                console.log([name, c.id, value, device.spans().length, unfinished.length, svg.startsWith('<svg'), f.says(device, v)].join('\t'))
            }
