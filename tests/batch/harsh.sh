#!/bin/bash
# SPDX-License-Identifier: MIT
# Small faults cost no points: a byte of another encoding in a comment, a destructor that hangs after all is done.
. tests/batch/batch.bash
right=solutions/01-sync-vs-async.cu

{ printf '// gr\xf6\xdfer als 5\n'; cat "$right"; } > "$dir/x.cu"
hand_in latin 01-sync-vs-async "$dir/x.cu"
{ printf '\xff\xfe'; iconv -t UTF-16LE "$right"; } > "$dir/x.cu"
hand_in notepad 01-sync-vs-async "$dir/x.cu"
{ printf '\xef\xbb\xbf'; sed 's/$/\r/' "$right"; } > "$dir/x.cu"
hand_in windows 01-sync-vs-async "$dir/x.cu"
{ cat "$right"; echo 'struct hangs { ~hangs() { for (volatile int spin = 1; spin;) { } } } hangs;'; } > "$dir/x.cu"
hand_in hangs 01-sync-vs-async "$dir/x.cu"
{ cat "$right"; echo '#include <cstdlib>'; echo 'struct falls { ~falls() { abort(); } } falls;'; } > "$dir/x.cu"
hand_in falls 01-sync-vs-async "$dir/x.cu"
{ echo '#include <regex>'; cat "$right"; echo 'bool fits(const char *s) { return std::regex_match(s, std::regex("a+b*")); }'; } > "$dir/x.cu"
hand_in regex 01-sync-vs-async "$dir/x.cu"
batch --time-limit 2 --lessons 1 --memory 256
for who in latin notepad windows hangs falls regex; do
    ok "$who: passed, with all points" is "$(of "$who" 01 'e["status"], e["score"] == e["max"]')" "('passed', True)"
done
ok "what it was read as is in the results, the report and the feedback" \
    eval 'is "$(of latin 01 "e[\"encoding\"]") $(of notepad 01 "e[\"encoding\"]")" "CP1252 UTF-16" && says "CP1252: latin 01" && grep -q "read as CP1252" "$dir/grades/feedback/latin/01-sync-vs-async.txt"'
ok "that it hung after all was done is said" eval 'of hangs 01 "e[\"reason\"]" | grep -q "^all parts were done, and all checks passed; then "'
done_testing
