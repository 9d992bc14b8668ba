# SPDX-License-Identifier: MIT
"""paper.py verdicts PAGES CHAPTER...: each thing that a chapter has the grader say stands on one page of the PDF.
paper.py lessons PAGES: every "lesson 05" in the running text of the PDF has the number of a page.
PAGES is what pdftotext -layout makes of the PDF."""
import re
import sys


def squeezed(text):
    return re.sub(r'\s+', '', text)


def verdicts(pages, chapters):
    pages = [squeezed(page) for page in pages]
    found = 0
    for path in chapters:
        with open(path, encoding='utf-8') as file:
            for wrong, text in re.findall(r'^```\{\.message wrong="([^"]*)"[^\n]*\n(.*?)^```$', file.read(), re.M | re.S):
                found += 1
                if not any(squeezed(text) in page for page in pages):
                    print(f'{path}: what is said of {wrong} is on no page whole')
    if found < 100:
        print(f'{found} verdicts in the chapters')


# The instructors' chapter speaks of lessons as names of files, too.
def lessons(pages):
    text = ' '.join(' '.join(pages).split())
    linked, bare = re.findall(r'[Ll]esson \d\d(?: \(p\. \d+\)|, p\. \d+)', text), re.findall(r'[Ll]esson \d\d\b(?!,? ?\(?p\. \d+|, “)[^.]{0,40}', text)
    if len(linked) < 150 or len(bare) > 4:
        print(f'{len(linked)} have one, {len(bare)} have not:', *bare[:40], sep='\n')


with open(sys.argv[2], encoding='utf-8') as file:
    text = file.read().split('\f')
{'verdicts': lambda: verdicts(text, sys.argv[3:]), 'lessons': lambda: lessons(text)}[sys.argv[1]]()
