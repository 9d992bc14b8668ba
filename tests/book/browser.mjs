// SPDX-License-Identifier: MIT
// browser.mjs SITE: a reader at a desk and one with a telephone, in headless Chromium, from file://. Speaks TAP.
import { readFileSync } from 'node:fs';
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
let place = await lookUp('pined memory');
check('a typing error finds what is most like it, and says so',
      place.hits.length > 3 && place.said.includes('looking for “pinned”') ? '' : place.said);
place = await lookUp('cudaHostAlloc');
check('a call that is not in the book leads to the one that is',
      place.hits[0].text.startsWith('cudaMallocHost') ? '' : JSON.stringify(place.hits[0]));
place = await lookUp('race condition');
check('other words lead to those of the book', /hazard/i.test(place.hits[0].text) && place.said.includes('“hazard”') ? '' : place.said);
const runtime = [...new Set(readFileSync('common/sim/include/cuda_runtime_api.h', 'utf8').match(/\bcuda[A-Z]\w*(?= *\()/g))];
const unknown = await p.evaluate(names => {
    const query = document.querySelector('#query');
    return names.filter(name => {
        query.value = name;
        query.dispatchEvent(new Event('input'));
        return !document.querySelector('#hits a');
    });
}, runtime);
check(`each of ${runtime.length} calls of the runtime leads somewhere`, runtime.length > 100 && !unknown.length ? '' : runtime.length + ': ' + unknown.join(' '));
check('a word of the glossary leads to the lesson that teaches it first',
      (place = await lookUp('copy engine')).hits[0].href.startsWith('02-') ? '' : place.hits[0].href);
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
const violations = async (r, name) => {
    await r.evaluate(() => document.querySelectorAll('.decide').forEach(b => b.click()));
    await r.evaluate(axe);
    const found = await r.evaluate(() => window.axe.run(document, { resultTypes: ['violations'] }));
    return found.violations.map(v => `${name}: ${v.id}: ${v.help} (${v.nodes.length}): ${v.nodes[0].html.slice(0, 200)} ${v.nodes[0].failureSummary}`);
};
const small = await reader({ colorScheme: 'dark', viewport: { width: 360, height: 740 }, hasTouch: true });
const wide = [], cut = [], dim = [];
for (const name of pages) {
    await small.goto(address(name));
    const over = await small.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    if (over > 0) wide.push(`${name} is ${over} pixels too wide`);
    const messages = await small.$$eval('.message pre', all => all.filter(e => e.scrollWidth > e.clientWidth).map(e => e.innerText));
    if (name === 'print.html') continue;
    cut.push(...messages.map(text => `${name}: ${text}`));
    dim.push(...await violations(small, name));
}
check('no page is wider than a telephone', wide);
check('nor what the grader says', cut);
check('axe finds nothing on a telephone, in the dark', dim);
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
