'use strict';
/* Sorting, filtering, opening submissions. All that is shown comes out of this file: nothing is asked of anybody. */
const table = document.querySelector('#students'), body = table.tBodies[0], rows = [...body.rows];
const hide = document.querySelector('#hide');
const hidden = () => !!hide && hide.checked;

/* ---- names ---- */

const nameOf = row => {
    const head = row.querySelector('th');
    const who = head.querySelector('.who'), alias = head.querySelector('.alias');
    return (hidden() && alias ? alias : who || head).textContent;
};

/* ---- sorting: the value of a cell, or its text; equals stay in the order that they had ---- */

const collator = new Intl.Collator(undefined, { numeric: true, sensitivity: 'base' });
const valueOf = (row, column) => {
    const cell = row.cells[column];
    if (cell.tagName === 'TH') return hidden() ? row.dataset.n : nameOf(row);
    return cell.dataset.v ?? cell.textContent;
};
let sorted = null;
function sort(head, direction) {
    const column = head.cellIndex, number = head.querySelector('.sort').dataset.number === '1';
    const list = [...body.rows].map(row => [valueOf(row, column), row]);
    list.sort(([a], [b]) => direction * (number ? a - b : collator.compare(a, b)));
    body.append(...list.map(([, row]) => row));
    for (const other of table.tHead.rows[0].cells) other.removeAttribute('aria-sort');
    head.setAttribute('aria-sort', direction > 0 ? 'ascending' : 'descending');
    sorted = { head, direction };
}
for (const button of table.querySelectorAll('.sort'))
    button.addEventListener('click', () => {
        const head = button.closest('th'), was = head.getAttribute('aria-sort');
        sort(head, was === 'ascending' ? -1 : was === 'descending' ? 1 : button.dataset.number === '1' ? -1 : 1);
    });

/* ---- which rows ---- */

const find = document.querySelector('#find'), only = document.querySelector('#only'), shown = document.querySelector('#shown');
function filter() {
    const words = find.value.toLocaleLowerCase(), status = only.value;
    let count = 0;
    for (const row of rows) {
        const there = nameOf(row).toLocaleLowerCase().includes(words) &&
            (!status || [...row.querySelectorAll('small')].some(s => (s.textContent === 'nothing' ? 'not attempted' : s.textContent).includes(status)));
        row.hidden = !there;
        count += there;
    }
    shown.textContent = count === rows.length ? '' : `${count} of ${rows.length}`;
}
if (find) {
    find.closest('.controls').hidden = false;
    find.addEventListener('input', filter);
    only.addEventListener('change', filter);
}

/* ---- a submission ---- */

const dialog = document.querySelector('#submission');
const packed = dialog ? JSON.parse(document.querySelector('#data').textContent) : {};
const lessons = dialog ? JSON.parse(document.querySelector('#lessons').textContent) : [];
let current = null;

async function unpack(text) {
    const bytes = Uint8Array.from(atob(text), c => c.charCodeAt(0));
    return JSON.parse(await new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate'))).text());
}
function element(name, text, attributes = {}) {
    const e = document.createElement(name);
    e.textContent = text;
    for (const [key, value] of Object.entries(attributes)) e.setAttribute(key, value);
    return e;
}
/* Well-formed and ours; a parser of XML runs nothing, and the page's policy would not let it. */
function picture(part) {
    if (part.svg === null) return element('p', 'It has more operations than a picture could show.', { class: 'soft' });
    const box = element('div', '', { class: 'scroll', tabindex: '0', role: 'group', 'aria-label': `Timeline of part ${part.id}` });
    box.append(document.importNode(new DOMParser().parseFromString(part.svg, 'image/svg+xml').documentElement, true));
    return box;
}
function check([outcome, name, advice]) {
    const item = element('li', '', { class: outcome.replace(' ', '-') });
    item.append(element('b', outcome), ' ', element('span', name));
    for (const line of advice.split('\n').filter(Boolean)) item.append(element('p', line));
    return item;
}
function section(part) {
    const box = element('section', ''), checks = element('ul', '', { class: 'checks' });
    box.append(element('h3', `Part ${part.id}: ${part.title} (${part.points} of ${part.max})`));
    checks.append(...part.checks.map(check));
    if (part.checks.length) box.append(checks);
    if (part.svg !== undefined) box.append(picture(part));
    return box;
}
async function show(key) {
    const [student, lesson] = key.split(':').map(Number);
    current = key;
    document.querySelector('#whose').textContent = `${nameOf(rows[student])}, lesson ${lessons[lesson]}`;
    if (!dialog.open) dialog.showModal();
    const all = await unpack(packed[key]), end = document.querySelector('#end');
    if (current !== key) return;
    document.querySelector('#head').textContent = all.head;
    end.textContent = all.end.trim();
    end.hidden = end.textContent === '';
    document.querySelector('#parts').replaceChildren(...all.parts.map(section));
    dialog.scrollTop = 0;
}
/* The next one of the same lesson, in the order that the rows have now. */
function step(by) {
    const lesson = current.split(':')[1];
    const list = [...body.rows].filter(row => !row.hidden).map(row => row.querySelector(`[data-k$=":${lesson}"]`)).filter(Boolean);
    const at = list.findIndex(cell => cell.dataset.k === current);
    if (list.length) show(list[(at + by + list.length) % list.length].dataset.k);
}
if (dialog) {
    document.addEventListener('click', event => {
        const button = event.target.closest('[data-k]');
        if (button) show(button.dataset.k);
        else if (event.target === dialog) dialog.close();
    });
    document.querySelector('#before').addEventListener('click', () => step(-1));
    document.querySelector('#after').addEventListener('click', () => step(1));
    document.querySelector('#close').addEventListener('click', () => dialog.close());
    /* Who failed a check: made when somebody asks. */
    for (const details of document.querySelectorAll('.failing')) {
        const fill = () => details.querySelector('p').replaceChildren(...details.dataset.who.split(' ').map(key => {
            return element('button', nameOf(rows[key.split(':')[0]]), { type: 'button', 'data-k': key });
        }));
        details.hidden = false;
        details.addEventListener('toggle', () => details.open && fill());
        hide.addEventListener('change', () => details.open && fill());
    }
}
if (hide)
    hide.addEventListener('change', () => {
        if (sorted) sort(sorted.head, sorted.direction);
        if (find) filter();
    });
