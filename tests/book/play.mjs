// SPDX-License-Identifier: MIT
// play.mjs SITE: a reader who plays with the figures, by mouse and by keyboard, wide and narrow. What a figure says is
// compared with its drawing, which the model makes: the bars in it, and the busy shares at its right.
import { cpSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { address, asked, axe, check, ended, errors, few, pages, reader, site } from './reader.mjs';

const NARROW = { width: 390, height: 844 }, WIDE = { width: 1280, height: 900 };
const played = pages.filter(name => name !== 'print.html' && /<figure [^>]*data-explore=/.test(readFileSync(`${site}/${name}`, 'utf8')));

const third = few(played, (name, i) => i % 3 === 0), at = viewport => viewport === WIDE ? played : third;

// ---- a reader's hands and eyes ----

// Opens the page, and what is shut on it.
async function open(r, page, fragment = '') {
    await r.goto('about:blank');
    await r.goto(address(page) + fragment);
    await r.evaluate(() => {
        document.querySelectorAll('.decide').forEach(b => b.click());
        document.querySelectorAll('.settings').forEach(d => { d.open = true; });
    });
    await r.locator('figure[data-explore]').first().scrollIntoViewIfNeeded();
    await r.waitForFunction(() => document.querySelector('.played .said').textContent !== '');
}
// Two frames: a change is drawn in the first one after it.
const drawn = r => r.evaluate(() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => requestAnimationFrame(done)))));
async function choose(r, id, value) {
    await r.locator(`.controls [id$="-${id}"]`).selectOption(String(value));
    await drawn(r);
}
async function slide(r, id, value) {
    await r.locator(`.controls [id$="-${id}"]`).fill(String(value));
    await drawn(r);
}
async function press(r, name) {
    await r.getByRole('button', { name, exact: true }).click();
    await drawn(r);
}
const tries = r => r.locator('.tries button');
const said = r => r.textContent('.played .said');
const settled = r => r.waitForTimeout(450);

// What is drawn in `scroll` (before, now): its rows with their bars in thousandths of the axis and their busy share; the
// most engines at work at once by those bars, a card with one copy engine having one row for both directions.
const seen = (r, which) => r.evaluate(which => {
    const figure = document.querySelector('figure[data-explore]');
    const svg = figure.querySelector(which === 'now' ? '.changed svg' : '.scroll svg'), rows = [];
    const texts = [...svg.querySelectorAll('text')].filter(t => !t.closest('g'));
    for (const t of texts.filter(t => t.getAttribute('x') === '12')) rows.push({ name: t.textContent, y: Number(t.getAttribute('y')) - 13, bars: [], busy: -1 });
    for (const t of texts.filter(t => /^\d+ %$/.test(t.textContent))) {
        const row = rows.find(w => w.y === Number(t.getAttribute('y')) - 13);
        if (row) row.busy = parseInt(t.textContent, 10);
    }
    for (const rect of svg.querySelectorAll('g > rect')) {
        const y = Number(rect.getAttribute('y')), row = rows.filter(w => w.y <= y).pop();
        const x = Number(rect.getAttribute('x')), width = Number(rect.getAttribute('width'));
        if (row && rect.getAttribute('height') === '18' && width > 1.01) row.bars.push([x, x + width]);
    }
    return { rows, ticks: texts.filter(t => t.classList.contains('middle')).map(t => t.textContent), title: svg.querySelector('title').textContent };
}, which);
function mostAtOnce(rows) {
    const moments = rows.flatMap(row => row.bars.flatMap(([from, to]) => [[from + 0.6, 1, row], [to - 0.6, -1, row]])).filter(m => m);
    moments.sort((a, b) => a[0] - b[0] || a[1] - b[1]);
    const running = new Map();
    let most = 0;
    for (const [, by, row] of moments) {
        running.set(row, (running.get(row) || 0) + by);
        most = Math.max(most, [...running.values()].filter(n => n > 0).length);
    }
    return most;
}
const NUMBERS = { one: 1, two: 2, three: 3, four: 4, five: 5, six: 6 };
const CARDS = { h200: 'NVIDIA H200', rtx2070s: 'GeForce RTX 2070 SUPER', k20c: 'Tesla K20c', c2050: 'Tesla C2050', c1060: 'Tesla C1060',
    'older-guide': 'H200 that obeys the older guide' };

// ---- every control, by keyboard ----
const chapters = readdirSync('lessons').filter(name => /^[0-9]/.test(name)).map(name => readFileSync(`lessons/${name}/chapter.md`, 'utf8')).join('\n');
const wanted = chapters.match(/^```\{\.timeline [^\n]* explore="/gm).length;
for (const viewport of [WIDE, NARROW]) {
    const r = await reader({ viewport }), wrong = [];
    let figures = 0;
    for (const page of at(viewport)) {
        await open(r, page);
        figures += await r.locator('figure[data-explore]').count();
        const picture = () => r.$eval('figure[data-explore] .scroll', e => e.innerHTML), still = await picture();
        const caption = () => r.textContent('figure[data-explore] > figcaption'), first = await caption();
        for (const field of await r.$$('.controls input, .controls select')) {
            const id = await field.getAttribute('id');
            const before = await field.evaluate(e => e.value);
            const last = await field.evaluate(e => e.value === (e.max || e.options[e.options.length - 1].value));
            await field.focus();
            await r.keyboard.press(last ? 'ArrowLeft' : 'ArrowRight');
            await drawn(r);
            const label = await r.textContent(`label[for="${id}"]`), changes = await r.textContent('.changed .changes');
            if (await field.evaluate(e => e.value) === before) wrong.push(`${page}: ${id}: the key changes nothing`);
            if (!changes.includes(label + ': ')) wrong.push(`${page}: ${id}: the caption does not say so: ${changes}`);
            if (!/changed|was/.test(await field.evaluate(e => e.parentElement.querySelector('output').textContent))) wrong.push(`${page}: ${id}: no mark beside it`);
            if (/NaN|undefined|cannot/.test(await said(r)) || !(await said(r))) wrong.push(`${page}: ${id}: says '${await said(r)}'`);
        }
        const over = await r.evaluate(() => document.documentElement.scrollWidth - innerWidth);
        if (over > 0) wrong.push(`${page}: too wide by ${over}`);
        await press(r, 'As in the chapter');
        if (await picture() !== still || await caption() !== first) wrong.push(`${page}: it is not as in the chapter again`);
        if (await r.isVisible('.changed')) wrong.push(`${page}: the changed picture is still there`);
    }
    check(`every figure is driven by its keys and goes back, ${viewport.width} pixels wide`,
          figures === wanted || at(viewport) !== played ? wrong : [`${figures} figures, ${wanted} in the chapters`, ...wrong]);
    await r.context().close();
}

// ---- (a) captions, (b) the verdict ----
{
    const r = await reader(), captions = [], verdicts = [];
    await open(r, '06-overlap.html');
    for (const card of Object.keys(CARDS))
        for (const order of ['depth', 'breadth', 'ahead'])
            for (const engines of card === 'h200' ? ['0', '1'] : ['0']) {
                await choose(r, 'card', card);
                await choose(r, 'order', order);
                await choose(r, 'engines', engines);
                const what = `${card}, ${order}, ${engines}`, caption = await r.textContent('.changed figcaption'), picture = await seen(r, 'now');
                const own = caption.split('Changed:')[0], verdict = await said(r);
                if (!own.includes('on a simulated ' + CARDS[card]) || (card !== 'h200' && own.includes('NVIDIA H200'))) captions.push(`${what}: not this card: ${own}`);
                if (!own.includes({ depth: 'depth first', breadth: 'breadth first', ahead: 'one copy in ahead' }[order])) captions.push(`${what}: not this order: ${own}`);
                const rows = picture.rows.filter(row => /copy|kernel/.test(row.name)), most = mostAtOnce(rows);
                const says = /take turns, one at a time/.test(own) ? 1 : NUMBERS[/up to (\w+) engines work side by side/.exec(own)?.[1]];
                if (says !== most) captions.push(`${what}: ${most} engines are drawn side by side: ${own}`);
                if (!picture.title.includes(own.split('.')[1].trim())) captions.push(`${what}: the picture's title says something else: ${picture.title}`);

                const shares = Object.fromEntries(rows.map(row => [row.name, row.busy])), one = card === 'c1060' || engines === '1';
                const copies = one ? { 'the one copy engine': shares['H2D copy'] + shares['D2H copy'] }
                    : { 'the copy engine to the device': shares['H2D copy'], 'the copy engine to the host': shares['D2H copy'] };
                const all = { 'the kernels': shares.kernel, ...copies }, top = Math.max(...Object.values(all));
                const [, name, share] = /Busiest: (the [a-z ]*[a-z]).*?, at work for (\d+) %/.exec(verdict) || [];
                if (!(all[name] >= top - 1) || Math.abs(share - all[name]) > 1) verdicts.push(`${what}: drawn are ${JSON.stringify(all)}: ${verdict}`);
            }
    check('the caption names the card and the order that are shown, and as many engines side by side as are drawn', captions);
    check('the verdict names the busiest engine and its share as drawn, both directions together where one engine serves them', verdicts);

    const wrong = [];
    for (const page of played) {
        await open(r, page);
        const texts = [await said(r)];
        for (let i = 0; i < 3; i++) {
            await tries(r).nth(i).click();
            await drawn(r);
            texts.push(await said(r));
        }
        for (const text of texts) if (!/Busiest: the .*, at work for \d+ % of the device/.test(text)) wrong.push(`${page}: ${text}`);
        const when = await r.$$eval('figure[data-explore] .when', all => all.map(e => e.textContent).join()), now = await r.textContent('.changed figcaption');
        if (when !== 'before,now' || !/^Figure \d+\.\d+, now\. /.test(now)) wrong.push(`${page}: ${when}: ${now}`);
    }
    check('every verdict of every figure has it, and the two pictures say which is before and which is now', wrong);
    await open(r, '06-overlap.html');
    await tries(r).first().click();
    await drawn(r);
    const top = await r.textContent('figure[data-explore] > figcaption');
    check('the caption of the picture before follows it, too', top.includes('depth first') && top.includes('Tesla C2050') && !top.includes('H200') ? '' : top);
    await r.context().close();
}

// ---- (c) three things to try ----
{
    const r = await reader(), wrong = [];
    for (const page of played) {
        await open(r, page);
        const count = await tries(r).count(), verdicts = new Set();
        if (count !== 3) wrong.push(`${page}: ${count} things to try`);
        for (let i = 0; i < count; i++) {
            const one = tries(r).nth(i), label = await one.textContent();
            if (await one.evaluate(e => e.tagName + e.type) !== 'BUTTONbutton') wrong.push(`${page}: "${label}" is no button`);
            await one.focus();
            await r.keyboard.press('Enter');
            await drawn(r);
            if (await one.getAttribute('aria-pressed') !== 'true' || await r.locator('.tries [aria-pressed=true]').count() !== 1) wrong.push(`${page}: "${label}" is not pressed`);
            if (!/^Now [\d.]+ [mµ]s .*(before [\d.]+ [mµ]s: [\d.]+ [mµ]s (longer|shorter) \(\d+ %\)|as long as before)/.test(await said(r))) wrong.push(`${page}: "${label}" says ${await said(r)}`);
            if (!(await r.textContent('.played .why'))) wrong.push(`${page}: "${label}" does not say why`);
            verdicts.add(await said(r));
        }
        if (verdicts.size !== count) wrong.push(`${page}: two of them say the same`);
        await tries(r).nth(count - 1).click();
        await drawn(r);
        if (await r.isVisible('.changed')) wrong.push(`${page}: pressed again, the last one does not go back to the chapter`);
        const typed = await r.evaluate(() => Object.values(window.bookFigures).flatMap(f => f.tries).map(t => t.say + ' ' + t.why).filter(t => /\d\s*([mµn]s|%|KiB|MiB)\b/.test(t)));
        wrong.push(...typed.map(t => 'a figure is typed in: ' + t));
    }
    check('each figure has three buttons that set it, each with a verdict of its own and a reason, and no number of theirs is typed in', wrong);
    await open(r, '06-overlap.html');
    await r.getByRole('button', { name: 'C2050: depth first against breadth first' }).click();
    await drawn(r);
    const values = await r.$$eval('.controls select', all => all.map(e => e.value).join());
    check('the first of lesson 06 is its lesson: on a C2050 1.32 ms depth first, 1.77 ms breadth first',
          /^Now 1\.77 ms on the device, before 1\.32 ms: 0\.45 ms longer/.test(await said(r)) && values.startsWith('breadth,c2050') ? '' : values + await said(r));
    await slide(r, 'kernel', 60);
    check('what it says comes from the run: with longer kernels it is another time',
          /^Now (?!1\.77)[\d.]+ ms on the device, before 1\.32 ms/.test(await said(r)) && await r.locator('.tries [aria-pressed=true]').count() === 0 ? '' : await said(r));
    await r.context().close();
}

// ---- (d) the barrier ----
{
    const r = await reader(), wrong = [];
    await open(r, '04-default-stream.html');
    const labels = await r.$$eval('.controls label', all => all.map(e => e.textContent));
    if (labels.join() !== 'a,b,free,The third launch') wrong.push('controls: ' + labels);
    const rows = (await seen(r, 'before')).rows.map(row => row.name);
    for (const name of ['a (1)', 'b (2)', 'free (3)', 'default (D)']) if (!rows.includes(name)) wrong.push(`no row ${name}: ${rows}`);
    if (!await r.locator('figure[data-explore] .scroll .barrier path').isVisible()) wrong.push('no line marks it');
    if (!/holds up the third launch until 2\.00 ms and b until 3\.00 ms/.test(await said(r)) || !/^4\.01 ms until the host is back/.test(await said(r))) wrong.push(await said(r));
    check('figure 4.5 starts with its barrier marked and said, and has the names of the text: a, b, free', wrong);
    const through = which => r.evaluate(which => {
        const figure = document.querySelector('figure[data-explore]'), svg = figure.querySelector(which + ' svg'), path = svg.querySelector('.barrier path');
        const at = name => Number([...svg.querySelectorAll('text[x="12"]')].find(t => t.textContent.startsWith(name)).getAttribute('y')) - 15;
        const crosses = y => path.getAttribute('d').includes(' ' + y + 'v');
        return path && ['a (', 'b (', 'free (', 'default'].filter(name => crosses(at(name))).join();
    }, which);
    const first = await through('.scroll');
    await choose(r, 'free', 'blocking');
    const then = await through('.changed .scroll');
    await choose(r, 'third', 'non-blocking');
    check('the lines go through the rows of blocking streams alone, and there are none without a launch in the default stream',
          first === 'a (,b (,default' && then === 'a (,b (,free (,default' && !await r.$('.changed .barrier') ? '' : [first, then]);
    await r.context().close();
}

// ---- (e) a slider under the hand ----
for (const viewport of [WIDE, NARROW]) {
    const r = await reader({ viewport }), wrong = [];
    let grown = 0;
    for (const page of at(viewport)) {
        await open(r, page);
        for (const id of await r.$$eval('.controls input', all => all.map(e => e.id))) {
            const slider = r.locator('#' + id);
            await slider.evaluate(e => e.scrollIntoView({ block: 'center' }));
            const place = async () => slider.evaluate(e => JSON.stringify(e.getBoundingClientRect()));
            const box = await slider.boundingBox(), still = await place(), scrolled = await r.evaluate(() => scrollY);
            const height = () => r.$eval('.played', e => e.offsetHeight), heights = new Set(), y = box.y + box.height / 2;
            await r.mouse.move(box.x + box.width / 2, y);
            await r.mouse.down();
            for (const part of few([0.1, 0.3, 0.5, 0.7, 0.9, 0.98, 0.4, 0.02], (part, i) => i % 2)) {
                await r.mouse.move(box.x + box.width * part, y);
                await drawn(r);
                heights.add(await height());
                if (await place() !== still || await r.evaluate(() => scrollY) !== scrolled) wrong.push(`${page}: ${id} at ${part}: from ${still} to ${await place()}`);
            }
            await r.mouse.up();
            await settled(r);
            if (await place() !== still) wrong.push(`${page}: ${id}: it moves when it is let go`);
            grown += heights.size > 1;
        }
    }
    check(`no slider moves under the hand, while pictures grow and shrink, ${viewport.width} pixels wide`, grown > at(viewport).length / 4 ? wrong : [`pictures grow for ${grown} sliders alone`, ...wrong]);
    await r.context().close();
}

// ---- (f) an address for each setting ----
{
    const r = await reader(), other = await reader(), wrong = [];
    const state = async q => JSON.stringify(await q.evaluate(() => ({
        values: [...document.querySelectorAll('.controls input, .controls select')].map(e => e.value),
        pictures: [...document.querySelectorAll('figure[data-explore] svg')].map(e => e.outerHTML),
        captions: [...document.querySelectorAll('figure[data-explore] figcaption')].map(e => e.textContent),
        said: document.querySelector('.said').textContent })));
    await open(r, '06-overlap.html');
    const visits = await r.evaluate(() => history.length);
    if (await r.evaluate(() => location.hash)) wrong.push('an untouched figure changes the address');
    await choose(r, 'card', 'c2050');
    await choose(r, 'order', 'breadth');
    await settled(r);
    const hash = await r.evaluate(() => location.hash);
    if (hash.slice(1).split('&').sort().join() !== 'card=c2050,order=breadth') wrong.push('it is ' + hash);
    if (await r.evaluate(() => history.length) !== visits) wrong.push('the way back leads through every change');
    check('a changed setting is in the address, without a step in the history', wrong);

    const lost = [];
    for (const page of third) {
        await open(r, page);
        for (let i = 0; i < 3; i++) {
            await tries(r).nth(i).click();
            await settled(r);
            const fragment = await r.evaluate(() => location.hash);
            await open(other, page, fragment);
            await drawn(other);
            if (!fragment || await state(r) !== await state(other)) lost.push(`${page}${fragment} shows another setting`);
        }
    }
    await other.goto('about:blank');
    await other.goto(address('06-overlap.html') + '#card=c2050&order=breadth');
    await other.waitForSelector('.changed svg');
    await drawn(other);
    if (!(await other.textContent('.changed figcaption')).includes('Tesla C2050')) lost.push('#card=c2050&order=breadth does not show a C2050');
    if (!await other.evaluate(() => { const b = document.querySelector('figure[data-explore]').getBoundingClientRect(); return b.top >= 0 && b.top < innerHeight / 2; })) lost.push('the figure is not on the screen');
    await other.evaluate(() => { location.hash = '#chunks=8'; });
    await settled(other);
    if (!(await other.textContent('.changed .changes')).includes('Chunks: 8 (was 4)')) lost.push('a link within the page does not set it');
    check('the address opens what it was taken from: settings, both pictures, captions and verdict', lost);

    const shut = [];
    await other.goto('about:blank');
    await other.goto(address('04-default-stream.html') + '#free=blocking');
    await other.waitForSelector('.changed svg', { timeout: 5000 }).catch(() => shut.push('the answer that holds the figure stays shut'));
    await other.goto('about:blank');
    await other.goto(address('06-overlap.html') + '#card=none&chunks=65&streams=2');
    await other.waitForSelector('.changed svg');
    await drawn(other);
    if (!/^This figure has no card=none, chunks=65/.test(await said(other)) || !(await other.textContent('.changed .changes')).includes('Streams: 2 (was 4)')) shut.push(await said(other));
    await other.goto('about:blank');
    await other.goto(address('06-overlap.html') + '#predict');
    await other.locator('figure[data-explore]').scrollIntoViewIfNeeded();
    await settled(other);
    if (await other.isVisible('.changed') || await other.evaluate(() => location.hash) !== '#predict') shut.push('a place in the text is taken for a setting');
    check('it opens an answer that is shut, says what it does not know, and leaves places in the text alone', shut);

    const copied = [];
    await r.context().grantPermissions(['clipboard-read', 'clipboard-write']).catch(() => { });
    await open(r, '06-overlap.html');
    await choose(r, 'card', 'c1060');
    await r.evaluate(() => { window.copied = ''; document.addEventListener('copy', () => { window.copied = document.activeElement.value || ''; }); });
    const took = async () => await r.evaluate(() => navigator.clipboard.readText().catch(() => '')) || await r.evaluate(() => window.copied);
    await r.getByRole('button', { name: 'Copy the address' }).click();
    await r.getByRole('button', { name: 'Copied' }).waitFor();
    if (await took() !== address('06-overlap.html') + '#card=c1060') copied.push(await took());
    await press(r, 'As in the chapter');
    await settled(r);
    if (await r.evaluate(() => location.href) !== address('06-overlap.html')) copied.push('back in the chapter it is ' + await r.evaluate(() => location.href));
    check('a button copies it from a file, and the chapter\'s own setting needs none', copied);

    // A page with two figures: those of lessons 05 and 06.
    const folder = mkdtempSync(tmpdir() + '/play-'), two = [];
    for (const name of readdirSync(site).filter(n => /\.(js|css)$/.test(n))) cpSync(`${site}/${name}`, `${folder}/${name}`);
    const figure = text => /<figure class="timeline"[^>]* data-explore=[^]*?<\/figure>/.exec(text)[0];
    const page = readFileSync(`${site}/06-overlap.html`, 'utf8');
    writeFileSync(`${folder}/two.html`, page.replace(figure(page), t => t + figure(readFileSync(`${site}/05-implicit-sync.html`, 'utf8')).replace(/ id="([^"]*)"/, ' id="$1-too"')));
    await r.goto(address('two.html', folder));
    await r.locator('.controls [id$="-chunks"]').fill('8');
    await r.locator('.controls [id$="-call"]').selectOption('memset');
    await settled(r);
    const both = await r.evaluate(() => location.hash);
    if (both.slice(1).split('&').sort().join() !== 'pipeline:chunks=8,serialises:call=memset') two.push(both);
    await other.goto('about:blank');
    await other.goto(address('two.html', folder) + both);
    await other.waitForFunction(() => document.querySelectorAll('.changed svg').length === 2).catch(() => two.push('one of them is not set'));
    if (await state(r) !== await state(other)) two.push('the two are not as they were');
    rmSync(folder, { recursive: true });
    check('where a page has two figures the address has the name of each', two);
    await r.context().close();
    await other.context().close();
}

// ---- (g) before and now ----
{
    const r = await reader(), wrong = [];
    for (const page of played) {
        await open(r, page);
        const chapter = await seen(r, 'before');
        for (let i = 0; i < 4; i++) {
            if (i < 3) await tries(r).nth(i).click();
            else {      // compared with the chapter, by the last control
                await press(r, 'As in the chapter');
                const last = r.locator('.controls select, .controls input').last();
                await last.evaluate(e => { e.tagName === 'SELECT' ? e.selectedIndex = e.selectedIndex ? 0 : 1 : e.value = e.max; e.dispatchEvent(new Event('input', { bubbles: true })); });
            }
            await drawn(r);
            const before = await seen(r, 'before'), now = await seen(r, 'now'), text = await said(r), what = `${page}, ${i}`;
            if (!await r.locator('figure[data-explore] > .scroll svg').isVisible() || !await r.locator('.changed svg').isVisible()) wrong.push(`${what}: not both are to be seen`);
            if (before.ticks.join() !== now.ticks.join()) wrong.push(`${what}: two scales: ${before.ticks} and ${now.ticks}`);
            if (i === 3 && JSON.stringify(before.rows.map(w => [w.name, w.busy])) !== JSON.stringify(chapter.rows.map(w => [w.name, w.busy]))) wrong.push(`${what}: before is not the chapter's run`);
            const m = /^Now ([\d.]+) ([mµ]s) .*?(?:before ([\d.]+) \2: ([\d.]+) \2 (longer|shorter)|as long as before)/.exec(text);
            if (!m) wrong.push(`${what}: ${text}`);
            else if (m[3] && (Math.abs(Math.abs(m[1] - m[3]) - m[4]) > 0.0051 || (m[5] === 'longer') !== m[1] - m[3] > 0)) wrong.push(`${what}: no such difference: ${text}`);
            const bars = await r.$$eval('.bars i', all => all.map(e => e.offsetWidth));
            if (m && m[3] && Math.abs(bars[0] / bars[1] - m[3] / m[1]) > 0.02 * m[3] / m[1] + 0.02) wrong.push(`${what}: bars of ${bars}: ${text}`);
            const marks = await r.$$eval('.control', all => all.filter(c => /changed|was/.test(c.querySelector('output').textContent)).map(c => c.querySelector('label').textContent).join());
            const list = (await r.textContent('.changed .changes')).replace(/^Changed: /, '').split('; ').map(c => c.split(': ')[0]).join();
            if (marks !== list || !marks) wrong.push(`${what}: marked are ${marks}, the caption has ${list}`);
        }
        await press(r, 'Keep this as “before”');
        if (!(await r.textContent('.changed .changes')).includes('Nothing is changed') || !(await said(r)).includes('as long as before')) wrong.push(`${page}: what is kept is not what it is compared with`);
    }
    check('before and now are both drawn, on one scale; the difference is said and what was changed is marked', wrong);
    await r.context().close();
}

// ---- all readers ----
{
    const r = await reader({ reducedMotion: 'reduce' }), wrong = [], moving = [];
    for (const page of played) {
        await open(r, page);
        await settled(r);
        const live = r.locator('.played [role=status].announced');
        if (await live.textContent()) wrong.push(`${page}: it speaks before anybody changes something`);
        const field = r.locator('.controls select, .controls input').first();
        await field.focus();
        await r.keyboard.press('ArrowRight');
        await drawn(r);
        const running = await r.evaluate(() => document.getAnimations().length +
            [...document.querySelectorAll('figure[data-explore] *')].filter(e => getComputedStyle(e).transitionDuration !== '0s' || getComputedStyle(e).animationName !== 'none').length);
        if (running) moving.push(`${page}: ${running} things move`);
        await settled(r);
        if (!(await live.textContent()).startsWith(await said(r))) wrong.push(`${page}: told is '${await live.textContent()}'`);
        const walk = r.locator('.changed .scroll');
        await walk.focus();
        await r.keyboard.press('ArrowRight');
        if (!/starts|barrier/.test(await r.textContent('.changed .told'))) wrong.push(`${page}: the keys do not walk the changed picture`);
    }
    check('a change is told to a screen reader once it is settled, and the changed picture is walked by keys', wrong);
    check('nothing moves by itself', moving);
    await r.context().close();
}
for (const [colorScheme, viewport] of [['light', WIDE], ['dark', NARROW]]) {
    const r = await reader({ colorScheme, viewport }), wrong = [];
    for (const page of at(viewport)) {
        await open(r, page);
        await tries(r).first().click();
        await drawn(r);
        await r.evaluate(axe);
        const found = await r.evaluate(() => window.axe.run('figure[data-explore]', { resultTypes: ['violations'] }));
        for (const v of found.violations) wrong.push(`${page}: ${v.id}: ${v.help}: ${v.nodes[0].html.slice(0, 200)} ${v.nodes[0].failureSummary}`);
        const over = await r.evaluate(() => document.documentElement.scrollWidth - innerWidth);
        if (over > 0) wrong.push(`${page}: too wide by ${over}`);
    }
    check(`axe finds nothing in a figure that was changed, ${colorScheme}, ${viewport.width} pixels wide`, wrong);
    await r.context().close();
}

check('no request went anywhere', asked);
check('no script failed', errors);
await ended();
