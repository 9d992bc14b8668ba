#!/bin/bash
# SPDX-License-Identifier: MIT
# The page of a verdict, read as a browser would: well formed, whole in itself, its links lead somewhere.
. tests/grader/tap.bash

read -r -d '' reader <<'PYTHON'
import html.parser, os, re, sys
void = {"meta", "br", "hr", "img", "link", "input"}
class Page(html.parser.HTMLParser):
    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.open, self.ids, self.links, self.tags, self.wrong = [], [], [], set(), []
    def handle_starttag(self, tag, attributes, closed=False):
        self.tags.add(tag)
        names = [name for name, value in attributes]
        if len(names) != len(set(names)): self.wrong.append(f"attribute twice in {tag}")
        for name, value in attributes:
            if name == "id": self.ids.append(value)
            if name in ("href", "src", "srcset", "action", "data"): self.links.append((tag, name, value))
            if name.startswith("on"): self.wrong.append(f"{name} in {tag}")
        if tag not in void and not closed: self.open.append(tag)
    def handle_startendtag(self, tag, attributes): self.handle_starttag(tag, attributes, True)
    def handle_endtag(self, tag):
        if not self.open or self.open[-1] != tag: self.wrong.append(f"</{tag}> closes {self.open[-1:]}")
        else: self.open.pop()
path = sys.argv[1]
text = open(path, encoding="utf-8").read()
page = Page()
page.feed(text)
page.close()
wrong = page.wrong
if page.open: wrong.append(f"never closed: {page.open}")
if len(page.ids) != len(set(page.ids)): wrong.append("an id is there twice")
for reference in re.findall(r'(?:url\(#|aria-labelledby=")([^)"]*)', text):
    wrong += [f"no id {word}" for word in reference.split() if word not in page.ids]
if page.tags & {"script", "iframe", "object", "embed", "link", "img", "base", "form"}: wrong.append(f"{page.tags}")
if re.search(r"@import|url\((?!#)", text): wrong.append("asks for another file")
for tag, name, value in page.links:
    file, _, anchor = value.partition("#")
    if tag != "a" or name != "href" or "//" in value: wrong.append(f"{name}={value} in {tag}"); continue
    target = os.path.join(os.path.dirname(path), file)
    headings = [re.sub(r"[^\w.-]", "", h.strip().lower().replace(" ", "-")) for h in re.findall(r"(?m)^#+ (.*)$", open(target).read())]
    if anchor not in headings: wrong.append(f"no heading {anchor} in {target}")
if any(ord(c) < 32 and c not in "\n\t" for c in text): wrong.append("a control character")
print("\n".join(wrong))
sys.exit(bool(wrong))
PYTHON

mkdir -p build/tmp
pages=$(mktemp -d build/tmp/page-XXXXXX)
cleanup() { rm -rf "$pages"; }
well_formed() { python3 -c "$reader" "$pages/$1.html" > "$dir/out"; }
page() { # name file [lesson]: its page
    grade --quiet --seed 7 --html "$pages/$1.html" "${3-01}" "$2"
}
has() { grep -qF -- "$2" "$pages/$1.html"; }
check_page() { ok "$1" well_formed "$2"; }  # sentence name

page passed "$solution"
check_page "the page of a right answer is well formed and asks for nothing" passed
ok "and says so" has passed '<strong class="passed">passed</strong>, 100 of 100 points'
page starter exercises/06-overlap.cu 06
check_page "so is that of a starter" starter
page wanting "$(wrong 06-overlap/depth-in-pipeline)" 06
check_page "so is that of a wanting one, and its links lead to headings" wanting
ok "it shows the part on the card where it failed" has wanting 'What the device did in part c (Tesla C1060)'
ok "beside a run that passes, without its code" \
    eval 'has wanting "Part c: one that passes, on the same scale" && ! has wanting "pipeline(const"'

insert moments $'    printf("</pre><script>alert(1)</script>\\033]0;x\\007 <img src=x onerror=alert(1)>\\n");\n    fflush(stdout);\n    abort();'
sed -i '/include "lesson.h"/a #include <stdio.h>\n#include <stdlib.h>' "$dir/x.cu"
cp "$dir/x.cu" "$pages/<i>'&.cu"
page crashed "$pages/<i>'&.cu"
check_page "what a program prints, and what a file is called, are only shown" crashed
ok "as text" has crashed '&lt;img src=x onerror=alert(1)&gt;'
ok "and how it ended is told" has crashed 'It did not finish'
insert moments '#error "</pre><script>alert(1)</script>"'
page unbuilt "$dir/x.cu"
check_page "so is what the compiler says" unbuilt

page again "$(wrong 06-overlap/depth-in-pipeline)" 06
ok "the same seed gives the same page" cmp -s "$pages/wanting.html" "$pages/again.html"
grade --quiet --seed 7 --html "$dir/far/page.html" 01 "$solution"
ok "its folder is made" [ -s "$dir/far/page.html" ]
grade --quiet --html "$dir/no/such/folder/page.html" 01 "$solution"
ok "where it cannot be written that is said" trouble "cannot write $dir/no/such/folder/page.html"
grade --quiet --html "$dir/page.html" 01 "$(wrong 01-sync-vs-async/peeks)"
ok "far from the workbook its links still lead into it" grep -qF "href=\"file://$PWD/lessons/01-sync-vs-async/chapter.md#where" "$dir/page.html"
done_testing
