# SPDX-License-Identifier: MIT
"""site.py links FOLDER: every link of the pages leads to a file and a place that are there, ids are there once, and
nothing is asked of any other machine. One line a mistake.
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
        self.feed(open(path, encoding='utf-8').read())

    def handle_starttag(self, tag, attributes):
        a = dict(attributes)
        if 'id' in a:
            self.ids.append(a['id'])
        if tag == 'a' and 'href' in a:
            self.links.append(a['href'])
        elif a.get('src') or a.get('href'):
            self.loads.append(a.get('src') or a['href'])
        if tag in ('code', 'pre', 'svg', 'script', 'style', 'kbd'):
            self.inside.append(tag)

    def handle_endtag(self, tag):
        if self.inside and self.inside[-1] == tag:
            self.inside.pop()

    def handle_data(self, data):
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


def words(files):
    for file in files:
        found = re.findall(r"[A-Za-z][A-Za-z'’]*[A-Za-z]", ' '.join(Page(file).prose))
        print('\n'.join(word.replace('’', "'") for word in found if not re.match('cuda[A-Z]', word)))


if sys.argv[1] == 'links':
    links(sys.argv[2])
else:
    words(sys.argv[2:])
