#!/bin/bash
# SPDX-License-Identifier: MIT
# The page of a class whose timelines no page would bear: which of them it has, and that it says so. The class is one of
# four, many times over; a timeline is one file under many names, as large as those of ten students: what a page bears is
# counted in bytes, and each student costs the files of all exports (page.sh has a class of thousands).
. tests/export/export.bash
grade_class || exit 1

# many FOLDER FAILING: 180 students, of whom so many failed part b, whose picture has 4 MB.
many() {
    mkdir "$1"
    python3 - "$dir/grades/results.json" "$1" "$2" <<'PY'
import copy, json, os, sys
results, out, failing = json.load(open(sys.argv[1])), sys.argv[2], int(sys.argv[3])
good = [s for s in results["students"] if s["lessons"][0]["status"] == "passed"][0]
bad = [s for s in results["students"] if s["lessons"][0]["status"] == "wrong"][0]
def as_(s, i):
    return dict(copy.deepcopy(s), id=f"s{i:04}", name=f"Person {i:04}")
results["students"] = [as_(bad if i % 2 == 0 and i < 2 * failing else good, i) for i in range(180)]
json.dump(results, open(f"{out}/results.json", "w"))
parts = [p["id"] for p in good["lessons"][0]["parts"]]
json.dump([{"part": p, "title": p, "svg": "<svg>" + p * (4000000 if p == "b" else 100) + "</svg>"} for p in parts], open(f"{out}/picture", "w"))
for s in results["students"]:
    e = s["lessons"][0]
    folder = f"{out}/attempts/{s['id']}/{e['lesson']}"
    os.makedirs(folder)
    os.link(f"{out}/picture", f"{folder}/{e['key']}.pictures")
PY
    run build/bin/exports "$1"
}
# shown FOLDER: how many students there are, and, of those that have one, how many pictures of each part.
shown() {
    python3 - "$1/class.html" <<'PY'
import base64, json, re, sys, zlib
page = open(sys.argv[1]).read()
data = json.loads(re.search(r'id="data">(.*?)</script>', page, re.S).group(1))
counts = {}
for text in data.values():
    for part in json.loads(zlib.decompress(base64.b64decode(text)))["parts"]:
        counts[part["id"]] = counts.get(part["id"], 0) + ("svg" in part)
print(len(data), len(re.findall(r'<tr data-n=', page)), *(f"{k}{v}" for k, v in sorted(counts.items())))
PY
}

many "$dir/some" 20
ok "the page of a large class is made" ends 0
ok "it has everybody, and timelines of the parts that did not pass alone" is "$(shown "$dir/some")" "180 180 a0 b20 c0 d0"
ok "and says so" grep -q "This class is large: timelines are shown of parts that did not pass\.<" "$dir/some/class.html"
ok "it is no larger than a page is opened" eval '[ "$(stat -c %s "$dir/some/class.html")" -lt 20000000 ]'
rm -rf "$dir/some"

# 4 MB, a seventh of it: 88 of them in 48 MiB.
many "$dir/most" 90
ok "where even those are too many it has as many as it bears" is "$(shown "$dir/most")" "180 180 a0 b88 c0 d0"
ok "and says that, too" grep -q "of parts that did not pass, of as many as the page bears\.<" "$dir/most/class.html"
done_testing
