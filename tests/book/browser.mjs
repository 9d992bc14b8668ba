// SPDX-License-Identifier: MIT
// browser.mjs SITE: readers at a desk, with a telephone and with a printer, in headless Chromium, from file://. Speaks TAP.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { address, asked, axe, check, ended, errors, few, pages, reader } from './reader.mjs';

const theme = page => page.evaluate(() => document.documentElement.dataset.theme);
const focused = page => page.evaluate(() => document.activeElement.id || document.activeElement.textContent.trim());

// ---- search ----
let p = await reader();
await p.goto(address('01-sync-vs-async.html'));
await p.keyboard.press('/');
await p.keyboard.type('fork join host');
await p.waitForSelector('#hits a');
check('/ opens the search, which finds sections by their words',
      (await p.textContent('#hits')).includes('Fork and join') ? '' : await p.textContent('#hits'));
await p.keyboard.press('ArrowDown');
await p.keyboard.press('Enter');
await p.waitForURL(/03-events/);
check('Enter on a hit leads to the section, and the words are marked there',
      (await p.$$('main mark')).length > 3 ? '' : p.url());
await p.keyboard.press('/');
await p.keyboard.type('zzyzx');
await p.waitForFunction(() => document.querySelector('.said').textContent === 'Nothing found.');
await p.keyboard.press('Escape');
check('Escape closes the search', await p.$('dialog[open]') ? 'it is open' : '');
await p.keyboard.press('/');
// In one go, as on a machine that has no time to draw a frame between two keys.
check('and a key opens it again before the browser has taken the focus from its field', await p.evaluate(() => {
    for (const key of ['Escape', '/']) document.activeElement.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true }));
    return document.querySelector('dialog[open]') ? '' : 'it stays shut';
}));
const lookUp = async words => {
    await p.fill('#query', words);
    return p.evaluate(() => ({ said: document.querySelector('.said').textContent,
                               hits: [...document.querySelectorAll('#hits a')].map(a => ({ href: a.getAttribute('href'), text: a.textContent })) }));
};
const place = await lookUp('pined memory');      // what else queries mean: find.mjs
check('what is looked for in place of a word that is not there is said', place.hits.length > 3 && place.said.includes('looking for “pinned”') ? '' : place.said);
await lookUp('stream');
const torn = await p.evaluate(() => [...document.querySelectorAll('#hits small')].filter(small => {
    const words = small.textContent.replace(/^… | …$/g, ''), whole = window.bookIndex.some(e => (' ' + e[4] + ' ').includes(' ' + words + ' '));
    return !whole;
}).map(small => small.textContent));
check('excerpts begin and end at words', !torn.length ? '' : torn.join('\n'));
await p.fill('#query', 'cudaStreamWaitEvent');
await p.waitForSelector('#hits a');
check('a call leads to its place in the index first',
      (await p.getAttribute('#hits a', 'href')).startsWith('calls.html?') ? '' : await p.textContent('#hits'));
await p.keyboard.press('Escape');

// ---- by keyboard ----
await p.goto(address('02-stream-queues.html'));
await p.keyboard.press('Tab');
check('the first Tab offers to skip to the text', await focused(p) === 'Skip to the text' ? '' : await focused(p));
await p.keyboard.press('Enter');
check('and skipping does', await focused(p) === 'content' ? '' : await focused(p));
await p.keyboard.press('ArrowRight');
await p.waitForURL(/03-events/);
await p.keyboard.press('ArrowLeft');
await p.waitForURL(/02-stream/);
check('arrow keys lead to the next page and back', '');
await p.keyboard.press('?');
check('? lists the keys', await p.isVisible('#keys') ? '' : 'no list');
await p.keyboard.press('Escape');
await p.focus('figure.timeline .scroll');
await p.keyboard.press('ArrowRight');
await p.keyboard.press('ArrowRight');
let told = await p.textContent('figure.timeline .told');
check('in a timeline arrow keys say what each mark is, when it starts, how long it takes, and stay on the page',
      /starts .* takes /.test(told) && /02-stream/.test(p.url()) ? '' : told + p.url());
const bytes = await p.$$eval('figure.timeline title', all => all.filter(t => /H2D.*takes.*(KiB|MiB|bytes)/.test(t.textContent)).length);
check('copies say how many bytes they move', bytes > 0 ? '' : 'none does');

// ---- prediction ----
await p.goto(address('03-events.html'));
const answer = p.locator('section.answer .inside');
check('the answer to "Predict" is shut', await answer.evaluate(e => e.hasAttribute('hidden')) ? '' : 'open');
await p.locator('.decide').click();
check('and opens when one has decided', await answer.evaluate(e => e.hasAttribute('hidden')) ? 'still shut' : '');
await p.goto(address('04-default-stream.html') + '#what-the-machine-did');
check('a link to the answer opens it', await p.locator('section.answer .inside').evaluate(e => e.hasAttribute('hidden')) ? 'shut' : '');

// ---- listings ----
await p.goto(address('03-events.html'));
const listing = p.locator('.listing').first(), before = await listing.locator('code').last().innerText();
await listing.getByText('Whole file').click();
const whole = await listing.locator('code').last().innerText();
check('the rest of a listing\'s file can be shown', whole.includes(before.split('\n')[0]) && whole.includes('int main') ? '' : whole);
await listing.getByText('This part').click();
await p.context().grantPermissions(['clipboard-read', 'clipboard-write']).catch(() => { });
await listing.getByRole('button', { name: 'Copy' }).click();
await listing.getByText('Copied').waitFor();
check('a listing can be copied', '');

// ---- theme ----
const dark = await reader({ colorScheme: 'dark' });
await dark.goto(address('index.html'));
check('the theme follows the system', await theme(dark) === 'dark' && await theme(p) === 'light' ? '' : await theme(dark));
await p.keyboard.press('t');        // system to light
await p.keyboard.press('t');        // light to dark
await p.goto(address('calls.html'));
check('t changes it, and it stays so on other pages', await theme(p) === 'dark' ? '' : await theme(p));
const paper = await p.evaluate(() => getComputedStyle(document.querySelector('main')).color);
check('in the dark the text is light', /rgb\(2\d\d/.test(paper) ? '' : paper);

// ---- a telephone ----
const openAnswers = r => r.evaluate(() => document.querySelectorAll('.decide').forEach(b => b.click()));
const violations = async (r, name) => {
    await r.evaluate(axe);
    const found = await r.evaluate(() => window.axe.run(document, { resultTypes: ['violations'] }));
    return found.violations.map(v => `${name}: ${v.id}: ${v.help} (${v.nodes.length}): ${v.nodes[0].html.slice(0, 200)} ${v.nodes[0].failureSummary}`);
};
// Axe takes half of all the time: each page has its turn every other day, with LONG=1 always.
const hasTurn = name => process.env.LONG || (pages.indexOf(name) + Number(process.env.DAY)) % 2 === 0;
const TELEPHONE = { width: 360, height: 740 }, LARGER = { width: 390, height: 844 }, A4 = { width: 718, height: 1047 };      // with margins of 1 cm
const small = await reader({ colorScheme: 'dark', viewport: TELEPHONE, hasTouch: true });
const wide = [], cut = [], dim = [], hidden = [], unprinted = [], unsent = [];
// Pictures that are wider than their place and do not show it, or show it and are not.
const unsaid = r => r.$$eval('.timeline > .scroll', all => all.filter(e => e.clientWidth).flatMap(e => {
    const mark = getComputedStyle(e, '::after'), more = e.scrollWidth > e.clientWidth + 1;
    return more === (mark.content !== 'none' && mark.position === 'sticky' && mark.visibility === 'visible') ? [] : [`${e.parentElement.id}: ${e.scrollWidth} in ${e.clientWidth}, marked ${mark.content}`];
}));
// What a sheet of paper does not show whole: it stands out of the text's column, or would have to be scrolled.
const offPaper = r => r.evaluate(() => {
    const right = document.querySelector('main').getBoundingClientRect().right, found = [];
    document.querySelectorAll('main :is(pre, table, .scroll, .scroll svg, .table)').forEach(e => {
        const box = e.getBoundingClientRect();
        if (box.width && box.right > right + 1) found.push(`${e.tagName} ${e.className.baseVal ?? e.className} ends at ${box.right} of ${right}: ${e.textContent.slice(0, 60)}`);
        if (e.clientWidth && getComputedStyle(e).overflowX !== 'visible' && e.scrollWidth > e.clientWidth + 1) found.push(`${e.tagName} ${e.className} is ${e.scrollWidth} wide in ${e.clientWidth}: ${e.textContent.slice(0, 60)}`);
    });
    const ink = getComputedStyle(document.querySelector('main')).color;
    if (!/^rgb\((\d\d?), /.test(ink)) found.push(`the ink is ${ink}`);
    return found;
});
for (const name of pages) {
    await small.setViewportSize(TELEPHONE);
    await small.goto(address(name));
    const over = await small.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    if (over > 0) wide.push(`${name} is ${over} pixels too wide`);
    unsent.push(...await small.$$eval('form', (all, name) => all.filter(f => !f.querySelector('[type=submit]')).map(f => `${name}: ${f.className}`), name));
    if (name !== 'print.html') {
        const messages = await small.$$eval('.message pre', all => all.filter(e => e.scrollWidth > e.clientWidth).map(e => e.innerText));
        cut.push(...messages.map(text => `${name}: ${text}`));
        await openAnswers(small);
        if (hasTurn(name)) dim.push(...await violations(small, name));
        await small.setViewportSize(LARGER);
        hidden.push(...(await unsaid(small)).map(text => `${name}: ${text}`));
    }
    await small.setViewportSize(A4);
    await small.emulateMedia({ media: 'print' });
    unprinted.push(...(await offPaper(small)).map(text => `${name}: ${text}`));
    await small.emulateMedia({ media: null });
}
check('no page is wider than a telephone', wide);
check('nor what the grader says', cut);
check('no form is without a button that sends it', unsent);
check('axe finds nothing on a telephone, in the dark', dim);
check(`a timeline that is wider than a screen of ${LARGER.width} pixels shows that it goes on`, hidden);
await small.setViewportSize(LARGER);
await small.goto(address('01-sync-vs-async.html'));
const end = await small.locator('.timeline > .scroll').first().evaluate(async e => {
    e.scrollLeft = e.scrollWidth;
    await new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)));
    return [getComputedStyle(e, '::after').visibility, e.querySelector('svg').getBoundingClientRect().right <= e.getBoundingClientRect().right];
});
check('until its end is there, whole', end[0] === 'hidden' && end[1] ? '' : end.join());
check('what is printed from a browser, in the dark, too, is cut nowhere and is dark on white', unprinted);
await small.goto(address('04-default-stream.html'));
const sheets = mkdtempSync(tmpdir() + '/sheets-');
await small.pdf({ path: sheets + '/04.pdf', format: 'A4', margin: { top: '1cm', bottom: '1cm', left: '1cm', right: '1cm' } });
const paper04 = execFileSync('pdftotext', ['-layout', sheets + '/04.pdf', '-'], { encoding: 'utf8' });
rmSync(sheets, { recursive: true });
check('so the truth table of lesson 04 has all of its columns', /^ *NULL +blocking +another +non-blocking +per-thread +legacy$/m.test(paper04) &&
      /^ *legacy +waits +waits +waits +\. +waits +waits$/m.test(paper04) ? '' : paper04.split('\n').filter(line => /NULL|waits/.test(line)));
await small.setViewportSize(TELEPHONE);
await small.goto(address('05-implicit-sync.html'));
check('there the contents are shut', await small.isVisible('#contents') ? 'open' : '');
await small.click('#menu');
await small.click('#contents a[href="06-overlap.html"]');
await small.waitForURL(/06-overlap/);
check('a button opens them, and they lead on', '');

// ---- what axe says ----
const bright = await reader({ colorScheme: 'light' }), glaring = [];
for (const name of few(pages, name => /^(index|calls|0[269]-.*)\.html$/.test(name))) {
    await bright.goto(address(name));
    await openAnswers(bright);
    glaring.push(...await violations(bright, name));
}
check('axe finds nothing at a desk, in the light', glaring);
await p.keyboard.press('/');
await p.fill('#query', 'event');
await p.waitForSelector('#hits a');
await p.evaluate(axe);
const found = await p.evaluate(() => window.axe.run(document));
check('nor in the search', found.violations.map(v => `${v.id}: ${v.nodes[0].html}`));

// ---- without scripts ----
const plain = await reader({ javaScriptEnabled: false });
await plain.goto(address('03-events.html'));
check('without scripts everything can be read', await plain.isVisible('#what-the-machine-did figure, section.answer figure') &&
      await plain.isVisible('#contents') ? '' : 'something is hidden');

check('no request went anywhere', asked);
check('no script failed', errors);
await ended();
