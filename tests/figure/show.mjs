// SPDX-License-Identifier: MIT
// node show.mjs FIGURE.wasm CARD... < CALLS: see native.c.
import { readFileSync, writeFileSync } from 'node:fs'

const [wasm, ...cards] = process.argv.slice(2)
const { instance } = await WebAssembly.instantiate(readFileSync(wasm), {})
const f = instance.exports
const calls = readFileSync(0, 'utf8').split('\n').filter(Boolean)

const give = (name) => Buffer.from(f.memory.buffer).write(name + '\0', f.figure_name(), 'utf8')
const text = (at) => {
    const bytes = Buffer.from(f.memory.buffer)
    return bytes.toString('utf8', at, bytes.indexOf(0, at))
}

function show(card) {
    give(card)
    if (!f.figure_begin(0, 0))
        return 'no such card\n'
    give('scale<&>')
    for (const line of calls) {
        const [call, ...numbers] = line.split(' ')
        f['figure_' + call](...numbers.map(Number))
    }
    let spans = ''
    for (let i = 0; i < f.figure_spans(); i++)
        spans += [0, 1, 2, 3, 4].map((field) => f.figure_span(i, field)).join(' ') + '\n'
    const busy = [f.figure_length(), f.figure_drawn(), f.figure_busiest(), f.figure_busy(f.figure_busiest())].join(' ') + '\n'
    return spans + busy + text(f.figure_svg(720, 0n)) + text(f.figure_svg(720, 2n * f.figure_drawn()))
}

writeFileSync(1, cards.map(show).join(''))
