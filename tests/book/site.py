# SPDX-License-Identifier: MIT
"""site.py links FOLDER: every link of the pages leads to a file and a place that are there, ids are there once, and
nothing is asked of any other machine. One line a mistake.
site.py calls FOLDER: every call of the runtime in a table leads to its place in the index.
site.py sources FOLDER: what is to be read elsewhere has an address, to the section.
site.py words FILE...: the words of a page that are prose, one a line: no code, no drawings."""
import os
import re
import sys
from html.parser import HTMLParser
from urllib.parse import unquote


class Page(HTMLParser):
    def __init__(self, path):
        super().__init__()
        self.path, self.ids, self.links, self.loads, self.prose, self.inside = path, [], [], [], [], []
        self.section, self.cell, self.link = '', False, {}      # where the parser is
        self.cells, self.items = [], []         # of tables: code, its link; of lists: section, links, code, text
        self.feed(open(path, encoding='utf-8').read())

    def handle_starttag(self, tag, attributes):
        a = dict(attributes)
        if 'id' in a:
            self.ids.append(a['id'])
        if tag == 'section':
            self.section = a.get('id', '')
        if tag in ('td', 'a'):
            self.cell, self.link = (True, {}) if tag == 'td' else (self.cell, a)
        if tag == 'li':
            self.items.append([self.section, [], [], ''])
        if tag == 'a' and 'href' in a:
            self.links.append(a['href'])
            if self.items:
                self.items[-1][1].append(a['href'])
        elif a.get('src') or a.get('href'):
            self.loads.append(a.get('src') or a['href'])
        if tag in ('code', 'pre', 'svg', 'script', 'style', 'kbd'):
            self.inside.append(tag)

    def handle_endtag(self, tag):
        if self.inside and self.inside[-1] == tag:
            self.inside.pop()
        if tag in ('td', 'a'):
            self.cell, self.link = self.cell and tag != 'td', {}

    def handle_data(self, data):
        if self.inside and self.inside[-1] == 'code':
            if self.cell:
                self.cells.append((data, self.link))
            if self.items:
                self.items[-1][2].append(data)
        if self.items:
            self.items[-1][3] += data
        if not self.inside:
            self.prose.append(data)


def links(folder):
    pages = {name: Page(os.path.join(folder, name)) for name in sorted(os.listdir(folder)) if name.endswith('.html')}
    for name, page in pages.items():
        for i in set(page.ids):
            if page.ids.count(i) > 1:
                print(f'{name}: the id {i} is there {page.ids.count(i)} times')
        for link in page.links:
            if re.match(r'https://', link):
                continue
            file, _, place = link.partition('#')
            file = file or name
            if file not in pages:
                print(f'{name}: {link} leads to no page')
            elif place and unquote(place) not in pages[file].ids:
                print(f'{name}: {link} leads to no place of {file}')
        for load in page.loads:
            if not load.startswith('data:') and not os.path.exists(os.path.join(folder, load)):
                print(f'{name}: there is no {load}')
    for name in os.listdir(folder):
        if name.endswith(('.css', '.js')) and name != 'search.js':
            text = open(os.path.join(folder, name), encoding='utf-8').read()
            for found in re.findall(r'@import.*|url\((?!#).*?\)|\bfetch\(.*|XMLHttpRequest|https?://\S+', text):
                print(f'{name}: asks for {found}')


def read(folder):
    return {name: Page(os.path.join(folder, name)) for name in sorted(os.listdir(folder)) if name.endswith('.html') and name != 'print.html'}


def calls(folder):
    pages = read(folder)
    known = {i for i in pages['calls.html'].ids if i.startswith('cu')}
    for name, page in pages.items():
        for code, link in page.cells:
            call = re.match(r'cu(da)?[A-Z]\w*', code)
            if call and call[0] in known and link.get('href') != f'calls.html#{call[0]}':
                print(f'{name}: {code} in a table leads to {link.get("href")}')


def sources(folder):
    for name, page in read(folder).items():
        for section, links, code, text in page.items:
            # A file of this project needs no address, nor does another lesson: those are links within the book.
            if section in ('where-to-read-on', 'sources') or name == 'sources.html' and section == '':
                if not links and not any(os.path.exists(c) for c in code):
                    print(f'{name}: no address: {" ".join(text.split())}')
        for link in page.links:
            guide = re.match(r'https://docs\.nvidia\.com/cuda/cuda-(programming-guide/.|runtime-api/?$)', link)
            if guide and '#' not in link and name != 'sources.html':
                print(f'{name}: {link} has no section')


def words(files):
    for file in files:
        found = re.findall(r"[A-Za-z][A-Za-z'’]*[A-Za-z]", ' '.join(Page(file).prose))
        print('\n'.join(word.replace('’', "'") for word in found if not re.match('cuda[A-Z]', word)))


{'links': links, 'calls': calls, 'sources': sources}.get(sys.argv[1], lambda _: words(sys.argv[2:]))(sys.argv[2])
