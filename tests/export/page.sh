#!/bin/bash
# SPDX-License-Identifier: MIT
# A class's page and its leaderboard as an instructor has them: from a file, in a browser, by mouse and by keyboard.
. tests/export/export.bash
for tool in playwright-core axe-core; do
    has_npm "$tool" && command -v chromium-headless-shell chromium > /dev/null || skip_all "no chromium, node, or $tool (npm)"
done

hand_in dora 03-events "$(wrong 03-events/a-twice)"
hand_in anna 03-events solutions/03-events.cu
batch --seed 719320533 --lessons "1 3" --roster "$dir/roster.csv" || exit 1
"$root/build/bin/exports" --leaderboard --no-names "$dir/grades" > "$dir/grades/nameless.html" || exit 1
# A class of thousands, made of this one.
mkdir "$dir/large"
python3 - "$dir/grades/results.json" "$dir/large/results.json" <<'PY'
import json, sys
results = json.load(open(sys.argv[1]))
people = results["students"]
results["students"] = [dict(people[i % 4], id=f"s{i:04}", name=f"Person {i * 7919 % 2000:04}", total=i % 101, share=i % 7 / 7) for i in range(2000)]
json.dump(results, open(sys.argv[2], "w"))
PY
"$root/build/bin/exports" "$dir/large" || exit 1
node tests/export/page.mjs "$dir/grades" "$dir/large"
