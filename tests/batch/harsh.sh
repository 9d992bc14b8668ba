#!/bin/bash
# SPDX-License-Identifier: MIT
# Small faults cost no points: a byte of another encoding in a comment, a destructor that hangs after all is done. Nor does a
# machine that is slow (LONG=1: this takes some seconds).
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
{ echo '#pragma message "x\ng++: fatal error: Killed signal terminated program cc1plus\ny"'; cat "$right"; echo 'int wrong = undeclared;'; } > "$dir/x.cu"
hand_in pretends 01-sync-vs-async "$dir/x.cu"
{ echo '#warning no memory: memory exhausted, CPU time limit exceeded'; cat "$right"; echo 'int wrong = undeclared;'; } > "$dir/x.cu"
hand_in warns 01-sync-vs-async "$dir/x.cu"
batch --time-limit 2 --lessons 1 --memory 256
for who in latin notepad windows hangs falls regex; do
    ok "$who: passed, with all points" is "$(of "$who" 01 'e["status"], e["score"] == e["max"]')" "('passed', True)"
done
ok "what it was read as is in the results, the report and the feedback" \
    eval 'is "$(of latin 01 "e[\"encoding\"]") $(of notepad 01 "e[\"encoding\"]")" "CP1252 UTF-16" && says "CP1252: latin 01" && grep -q "read as CP1252" "$dir/grades/feedback/latin/01-sync-vs-async.txt"'
ok "that it hung after all was done is said" eval 'of hangs 01 "e[\"reason\"]" | grep -q "^all parts were done, and all checks passed; then "'
for who in pretends warns; do
    ok "$who: what a file has the compiler say is not believed, its error is told" \
        eval 'is "$(status_of $who 01)" "did not build" && of $who 01 "e[\"reason\"]" | grep -q "undeclared.* was not declared"'
done

# A compiler that had all its time, on a machine that takes so long for a few lines.
copy_program 01
program=$copy/build/bin/batch
rm -r "${class:?}"/*
hand_in anna 01-sync-vs-async "$right"
few_lines_take() {
    printf '#!/bin/bash\n[[ $* == *few-lines* ]] || { echo "g++: fatal error: CPU time limit exceeded signal terminated program cc1plus"; exit 1; }\n%s\n' \
        "$1" > "$copy/build/bin/simcc"
    batch --lessons 1
}
few_lines_take true
ok "a compiler that had all its time is the file's fault" \
    eval 'ends 0 && is "$(of anna 01 "e[\"status\"], e[\"reason\"]")" "('\''did not build'\'', '\''The compiler was stopped: it needed more than 20 seconds of a processor.'\'')"'
if [ -n "${LONG-}" ]; then
    rm -rf "$dir/grades"
    few_lines_take 'while :; do :; done'
    ok "on a machine that is too slow it is nobody's" eval 'ends 1 && is "$(status_of anna 01)" "not run" && of anna 01 "e[\"reason\"]" | grep -q "it is too slow"'
fi
done_testing
