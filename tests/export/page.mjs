// SPDX-License-Identifier: MIT
// page.mjs GRADES LARGE: the pages of a class of four, and of one of thousands, in headless Chromium. Speaks TAP.
import { createRequire } from 'node:module';
import { existsSync, readFileSync } from 'node:fs';

const require = createRequire(process.env.NODE_PATH + '/');
const { chromium } = require('playwright-core');
const axe = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');
const [grades, large] = process.argv.slice(2), page = 'file://' + grades + '/class.html', board = 'file://' + grades + '/leaderboard.html';
const executablePath = ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium'].find(name => existsSync(name));
const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });

let count = 0, failed = false;
const asked = [], errors = [];
function check(sentence, problems) {
    const list = [problems].flat().filter(Boolean);
    console.log(`${list.length ? 'not ok' : 'ok'} ${++count} - ${sentence}`);
    list.slice(0, 20).forEach(p => console.log('# ' + String(p).replaceAll('\n', '\n# ')));
    failed ||= list.length > 0;
}
const same = (got, wanted) => JSON.stringify(got) === JSON.stringify(wanted) ? '' : `got ${JSON.stringify(got)}, wanted ${JSON.stringify(wanted)}`;
async function reader(address, options) {
    const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
    const p = await context.newPage();
    p.on('request', r => { if (r.url() !== address) asked.push(r.url()); });
    p.on('pageerror', e => errors.push(e.message));
    p.on('console', m => { if (m.type() === 'error') errors.push(m.text()); });
    await p.goto(address);
    return p;
}
const column = (p, n) => p.$$eval('#students tbody tr', (rows, k) => rows.filter(r => !r.hidden).map(r => r.cells[k].innerText.trim()), n);
const NAMES = ['</script>', 'O\'Neill', 'HYPERLINK', 'Zoë'];
const visible = async p => NAMES.filter(n => globalThis.seen.includes(n));
const names_seen = async p => { globalThis.seen = await p.evaluate(() => document.body.innerText); return visible(p); };

// ---- a page at a desk ----
const p = await reader(page);
check('everybody is there, as they are called', same((await names_seen(p)).length, 4));
check('names that are markup are text', await p.evaluate(() => window.hit || document.querySelectorAll('main img, td script, th script').length) ? 'they ran' : '');
check('grades stand under their lessons', same(await p.$$eval('#students tbody tr:first-child .grade', all => all.map(e => e.innerText.replace(/\s+/g, ' '))), ['93 wrong', '100 passed']));

// ---- sorting ----
const head = name => p.locator('#students thead th').filter({ hasText: name });
const totals = async () => (await column(p, 2)).map(parseFloat);
await head('Total').locator('button').click();
let list = await totals();
check('a click on a title sorts by numbers, the largest first', same(list, [...list].sort((a, b) => b - a)));
check('and says so', same(await head('Total').getAttribute('aria-sort'), 'descending'));
await head('Total').locator('button').focus();
await p.keyboard.press('Enter');
list = await totals();
check('again, by keyboard: the smallest first', same(list, [...list].sort((a, b) => a - b)) || same(await head('Total').getAttribute('aria-sort'), 'ascending'));
await head('Student').locator('button').click();
list = await column(p, 0);
check('a column of words sorts by words', same(list, [...list].sort(new Intl.Collator(undefined, { numeric: true, sensitivity: 'base' }).compare)));
check('one column is the sorted one', same(await p.$$eval('#students [aria-sort]', all => all.length), 1));

// ---- filters ----
await p.fill('#find', 'neill');
check('finding leaves those whom one looks for', same((await column(p, 0)).length, 1) || same(await p.innerText('#shown'), '1 of 4'));
await p.fill('#find', '');
await p.selectOption('#only', 'did not build');
check('a status leaves those who have it', same(await column(p, 0).then(all => all.map(n => n.includes('Zoë'))), [true]));
await p.selectOption('#only', '');

// ---- a submission ----
const open = (q, status) => q.locator('button.grade', { hasText: status }).first().click();
await open(p, 'crashed');
await p.waitForSelector('#submission[open] #parts svg');
let told = await p.innerText('#submission');
check('a grade opens the submission: how it ended, its checks, a timeline for each part that began',
      /ended too early, in part b/.test(told) && /part a/i.test(told) && (await p.$$('#parts svg')).length === 2 ? '' : told);
check('nothing there tells an address, a seed or what was printed', /dead0|719320533|seed\?/.test(told) ? told : '');
const first = await p.innerText('#whose');
await p.click('#after');
await p.waitForFunction(t => document.querySelector('#whose').innerText !== t, first);
check('Next is the next student\'s of the same lesson', /lesson 01$/.test(await p.innerText('#whose')) ? '' : await p.innerText('#whose'));
await p.click('#before');
await p.waitForFunction(t => document.querySelector('#whose').innerText === t, first);
check('Previous leads back', '');
await p.keyboard.press('Escape');
check('Escape closes it', await p.$('#submission[open]') ? 'it is open' : '');
await open(p, 'did not build');
await p.waitForFunction(() => document.querySelector('#end').innerText.includes('error'));
told = await p.innerText('#end');
check('what the compiler said is text, whatever it quotes', told.includes('<script>') && !await p.evaluate(() => window.hit) ? '' : told);
await p.click('#close');

// ---- checks that fail ----
const failing = p.locator('.failures > li').first();
check('the check that fails most comes first, with what was said of it', /^1 of \d.*\n?/.test(await failing.innerText()) && (await failing.locator('.message').count()) > 0 ? '' : await failing.innerText());
check('numbers are left out of what was said', /\d/.test((await p.$$eval('.message', all => all.map(m => m.textContent.replace(/^\d+\s×\s/, '')))).join('')) ? await p.innerText('#failures') : '');
await failing.locator('summary').click();
await failing.locator('[data-k]').first().waitFor({ timeout: 10000 }).catch(() => {});     /* filled in when it has opened */
check('and whose they are can be opened', (await failing.locator('[data-k]').count()) === 1 ? '' : await failing.innerText());

// ---- the switch ----
await p.locator('#hide').focus();
await p.keyboard.press('Space');
check('one switch hides all names', (await names_seen(p)).concat((await p.innerText('.failing')).match(/Student\s\d/) ? [] : ['no number']));
await open(p, 'crashed');
await p.waitForSelector('#parts svg');
check('in what is opened, too', (await names_seen(p)).concat(/^Student\s\d/.test(await p.innerText('#whose')) ? [] : [await p.innerText('#whose')]));
await p.click('#close');
list = (await column(p, 0)).map(n => +n.replace(/\D/g, ''));
check('who is sorted by name is then sorted by number', same(list, [1, 2, 3, 4]));
await p.fill('#find', 'neill');
check('nobody is found by a hidden name', same((await column(p, 0)).length, 0));
await p.fill('#find', '');
await p.locator('#hide').click();
check('and back they are', same((await names_seen(p)).length, 4));

// ---- a policy ----
await p.evaluate(() => document.body.insertAdjacentHTML('beforeend', '<b id=try onclick="window.hit=1">x</b>'));
await p.evaluate(() => { document.querySelector('#try').click(); const s = document.createElement('script'); s.textContent = 'window.hit = 1'; document.body.append(s); });
check('no script runs but the page\'s own', await p.evaluate(() => window.hit) ? 'it ran' : '');
errors.splice(0, errors.length, ...errors.filter(e => !/Content Security Policy/.test(e)));

// ---- a leaderboard ----
const b = await reader(board);
check('a leaderboard hides names at first', await names_seen(b));
list = (await column(b, 2)).map(parseFloat);
check('the largest share comes first', same(list, [...list].sort((x, y) => y - x)) || (list.length === 4 ? '' : `${list.length} of them`));
await b.locator('#hide').click();
check('the switch shows them', same((await names_seen(b)).length, 4));
const nameless = readFileSync(grades + '/nameless.html', 'utf8');
check('one to hand out has no name in its file', NAMES.slice(1).concat('window.hit', 'anna', '101').filter(n => nameless.includes(n)));

// ---- a telephone ----
const small = await reader(page, { viewport: { width: 360, height: 740 }, hasTouch: true });
const over = () => small.evaluate(() => document.documentElement.scrollWidth - innerWidth);
check('the page is no wider than a telephone', await over() > 0 ? await over() : '');
await open(small, 'wrong');
await small.waitForSelector('#parts svg');
const box = await (await small.$('#submission')).boundingBox();
check('nor is what is opened', box.x < 0 || box.x + box.width > 360 ? JSON.stringify(box) : '');
const cut = await small.$$eval('.failures li, .spreads li', all => all.filter(e => e.scrollWidth > e.clientWidth + 1).map(e => e.innerText));
check('checks and distribution are read without scrolling aside', cut);

// ---- what axe says ----
for (const [scheme, width] of [['light', 1280], ['dark', 360]]) {
    const wrong = [];
    for (const [address, opened] of [[page, false], [page, true], [board, false]]) {
        const r = await reader(address, { colorScheme: scheme, viewport: { width, height: 900 } });
        if (opened) {
            await open(r, 'wrong');
            await r.waitForSelector('#parts svg');
        }
        const cdp = await r.context().newCDPSession(r);     /* past the page's policy */
        await cdp.send('Runtime.evaluate', { expression: axe });
        const found = await r.evaluate(() => window.axe.run(document, { resultTypes: ['violations'] }));
        for (const v of found.violations) wrong.push(`${address}${opened ? ', opened' : ''}: ${v.id}: ${v.help} (${v.nodes.length}): ${v.nodes[0].html.slice(0, 200)} ${v.nodes[0].failureSummary}`);
        await r.context().close();
    }
    check(`axe finds nothing, ${scheme}, ${width} pixels wide`, wrong);
}

// ---- thousands ----
const many = await reader('file://' + large + '/class.html');
check('thousands of rows are all there', same(await many.$$eval('#students tbody tr', all => all.length), 2000));
await many.locator('#students thead button', { hasText: 'Student' }).click();
list = await column(many, 0);
check('and sort', same(list, [...list].sort()));
await many.close();

// ---- without a script ----
const plain = await reader(page, { javaScriptEnabled: false });
check('without scripts grades can be read, and names hidden', await plain.isVisible('#students .grade') &&
      (await plain.locator('#hide').click(), !await plain.isVisible('.who')) ? '' : 'no');

check('no request went anywhere', asked);
check('no script failed', errors);
console.log(`1..${count}`);
await browser.close();
process.exit(failed ? 1 : 0);
