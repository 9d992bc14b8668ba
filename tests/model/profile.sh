#!/bin/bash
# SPDX-License-Identifier: MIT
# Cards from facts, and the picture of published times: both are what their tools make.
. tests/tap.bash
same() { diff "$1" "$2" > "$dir/out"; }

build/bin/profile facts/h200.json > "$dir/h200.card" 2> "$dir/err"
ok "the h200's card is what comes out of facts/h200.json" same common/model/cards/h200.card "$dir/h200.card"
build/tests/model/published > "$dir/published.svg" 2> "$dir/err"
ok "the picture of published times is what they draw (make figures)" same lessons/06-overlap/published.svg "$dir/published.svg"

# SENTENCE, what is said behind the file's name, sed script for the facts: one line, status 2, no card.
refuses() {
    sed "${@:3}" facts/h200.json > "$dir/bad.json"
    run build/bin/profile "$dir/bad.json"
    ok "$1" [ "$status $(wc -c < "$dir/out") $(< "$dir/err")" = "2 0 $dir/bad.json$2" ]
}
sms=$(grep -n '"sms"' facts/h200.json | cut -d: -f1)
refuses "facts that are no JSON are refused with the line" ":$sms: ':' expected near '132'" 's/"sms": {"value": 132/"sms" 132/; s/"sms": { *"value": 132/"sms" 132/'
refuses "a key given twice is refused with the line" ":$((sms + 1)): duplicate object key near '\"sms\"'" '/"sms"/p'
refuses "a key that no card has" ": SMS: no card has such a key" 's/"sms"/"SMS"/'
refuses "a name among the values" ": name: no card has such a key" 's/"sms"/"name"/'
refuses "a missing key" ": no line for 'sms'" '/"sms"/d'
refuses "no number" ": sms: no number" 's/"value": 132/"value": "132"/'
refuses "a number that cannot be" ": sms: the value is not between 1 and 100000" 's/"value": 132/"value": -132/'
refuses "a number out of all reason" ": sms: too large" 's/"value": 132/"value": 1e300/'
refuses "a unit where there is none" ": sms: has no unit, but 'GB' is given" 's/"value": 132,/"value": 132, "unit": "GB",/'
refuses "a unit that does not fit" ": h2d_pinned: 'ms' does not fit, and the card wants MB/s" '/"h2d_pinned"/s,GB/s,ms,'
refuses "a missing unit" ": h2d_pinned: no unit, and the card wants MB/s" '/"h2d_pinned"/s,"unit": "GB/s"\, ,,'
refuses "a number without its source" ": sms: source: no line of text" '/"sms"/s/"source"/"sauce"/'
refuses "facts of another version" ": no facts of version 1" 's/"facts": 1/"facts": 2/'
refuses "facts without a date" ": date: no line of text" '/"date"/d'
refuses "two lines in one" ": title: no line of text" 's/"NVIDIA H200"/"NVIDIA\\nsms 1"/'
run build/bin/profile "$dir/none.json"
ok "facts that are not there" [ "$status $(< "$dir/err")" = "2 $dir/none.json: No such file or directory" ]

sed 's/"h200"/"mine"/; /"h2d_pinned"/s/"value": [0-9.]*, "unit": "GB.s"/"value": 12000, "unit": "MB\/s"/' facts/h200.json > "$dir/mine.json"
build/bin/profile "$dir/mine.json" > "$dir/mine.card" 2> "$dir/err"
ok "other facts make another card" grep -q '^h2d_pinned 12000  ' "$dir/mine.card"
cat > "$dir/x.cu" <<'EOF'
#include "streams.h"
#include <stdio.h>
int main()
{
    char *h, *d;
    CHECK(cudaMallocHost(&h, 120000000));
    CHECK(cudaMalloc(&d, 120000000));
    long long begin = now_ns();
    CHECK(cudaMemcpy(d, h, 120000000, cudaMemcpyHostToDevice));
    printf("%.0f ms\n", (double)(now_ns() - begin) / 1e6);
}
EOF
build/bin/simcc --hazards calls "$dir/x.cu" -o "$dir/x" 2> "$dir/err" && SIM_PROFILE=$dir/mine.card "$dir/x" > "$dir/out" 2> "$dir/err"
ok "and programs run on it" [ "$(< "$dir/out")" = '10 ms' ]
done_testing
