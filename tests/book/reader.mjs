// SPDX-License-Identifier: MIT
// For tests that read the site SITE (the first argument) in headless Chromium, from file://. Speaks TAP.
import { createRequire } from 'node:module';
import { existsSync, readFileSync, readdirSync } from 'node:fs';

const require = createRequire(process.env.NODE_PATH + '/');
const { chromium } = require('playwright-core');
// The one without windows takes a fifth less time.
const executablePath = ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium'].find(name => existsSync(name));
const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
let count = 0, failed = false;

export const axe = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');
export const site = process.argv[2];
export const address = (page, folder = site) => 'file://' + folder + '/' + page;
export const pages = readdirSync(site).filter(name => name.endsWith('.html'));
// With LONG=1 each page is looked at in each width, else a few of them.
export const few = (list, some) => process.env.LONG ? list : list.filter(some);
// What pages asked of other machines, and scripts that failed.
export const asked = [], errors = [];

// A test: its sentence, and what is wrong.
export function check(sentence, problems) {
    const list = [problems].flat().filter(Boolean);
    console.log(`${list.length ? 'not ok' : 'ok'} ${++count} - ${sentence}`);
    list.slice(0, 30).forEach(p => console.log('# ' + String(p).replaceAll('\n', '\n# ')));
    failed ||= list.length > 0;
}
// A page of a new reader's.
export async function reader(options) {
    const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
    const page = await context.newPage();
    page.on('request', r => { if (!/^(file|data):/.test(r.url())) asked.push(r.url()); });
    page.on('pageerror', e => errors.push(page.url() + ': ' + e.message));
    return page;
}
// The plan; ends the process.
export async function ended() {
    console.log(`1..${count}`);
    await browser.close();
    process.exit(failed ? 1 : 0);
}
