#!/bin/bash
# SPDX-License-Identifier: MIT
# Which files of a class are alike: copies however they are disguised, and nobody who worked alone.
. tests/batch/batch.bash
similar() {
    run build/bin/batch --similar -o "$dir/grades" "$@" "$class"
}
# pairs EXPRESSION: over the pairs `p` of similar.json.
pairs() {
    python3 - "$dir/grades/similar.json" "$1" <<'PY'
import json, sys
p = json.load(open(sys.argv[1]))["pairs"]
print(eval(sys.argv[2]))
PY
}
above='sorted({tuple(sorted((x["a"]["student"], x["b"]["student"]))) for x in p if x["above_the_line"]})'

# Everybody's own work: the styles, each of which is another way.
tests/edit all || exit 2
for file in build/styles/*/*.cu; do
    lesson=$(basename "$(dirname "$file")")
    hand_in "$(basename "$file" .cu)-${lesson%%-*}" "$lesson" "$file"
done
for lesson in exercises/*.cu; do
    name=$(basename "$lesson" .cu)
    for who in starter-one starter-two; do hand_in "$who" "$name" "$lesson"; done
    for who in solver-one solver-two; do hand_in "$who" "$name" "solutions/$name.cu"; done
done
similar
ok "a class is compared" ends 0
ok "independent solutions are below the line, all of them" is "$(pairs "$above")" "[]"
ok "starters have nothing alike, nor has what stands in our solution" \
    is "$(pairs '[x for x in p if x["a"]["student"].startswith(("starter", "solver"))]')" "[]"
ok "the table says what alike is worth" says "Alike is not copied"

# disguise FROM TO: other names for all that the starter does not name, other comments, other layout, functions in another order.
disguise() {
    python3 - "$1" "$2" <<'PY'
import os, re, sys
text, lesson = open(sys.argv[1]).read(), os.path.basename(os.path.dirname(sys.argv[1]))
starter = open(f"exercises/{lesson}.cu").read() + open(f"lessons/{lesson}/lesson.h").read()
known = set(re.findall(r"\w+", starter)) | set("""for while if else do return int auto void const bool true false size_t unsigned long
    float char static struct new delete using typedef template typename class public private this nullptr sizeof operator define
    include""".split())
def other(m):
    word = m.group(0)
    return word if word in known or word.startswith(("cuda", "std")) or word[0].isdigit() else word[::-1] + "_x"
out = []
for line in text.split("\n"):
    if re.match(r"\s*//[<>]|#include", line):
        out.append(line)
        continue
    code = re.sub(r"//.*", "", line)
    code = re.sub(r"(?<!std::)\b[A-Za-z_]\w*", other, code)
    out.append(code.replace("    ", "\t").replace(" {", "\n{") + "   // as I see it")
open(sys.argv[2], "w").write("\n".join(out))
PY
}
rm -rf "${class:?}"/*
wanted=
for style in 01-sync-vs-async/polls 02-stream-queues/raii 03-events/raii 06-overlap/lambdas 09-unified-memory/streams-and-events; do
    lesson=${style%/*}
    hand_in "writer-${lesson%%-*}" "$lesson" "build/styles/$style.cu"
    mkdir -p "$class/copier-${lesson%%-*}"
    disguise "build/styles/$style.cu" "$class/copier-${lesson%%-*}/$lesson.cu"
    wanted+="${wanted:+, }('copier-${lesson%%-*}', 'writer-${lesson%%-*}')"
    for other in "build/styles/$lesson"/*.cu; do
        [ "$other" -ef "build/styles/$style.cu" ] || hand_in "$(basename "$other" .cu)-${lesson%%-*}" "$lesson" "$other"
    done
done
similar
ok "copies with other names, comments and layout are found, and nobody else" is "$(pairs "$above")" "[$wanted]"
ok "they are most of what is their own" is "$(pairs 'all(x["share"] >= 80 for x in p if x["above_the_line"])')" True
ok "the most alike come first" is "$(pairs '[x["share"] for x in p] == sorted((x["share"] for x in p), reverse=True)')" True

# Functions in another order, in a file that is else the solution.
rm -rf "${class:?}"/*
cat > "$dir/first" <<'CODE'
static int weigh(const int *values, int n, int limit)
{
    int sum = 0;
    for (int i = n - 1; i >= 0; i -= 2) { sum ^= values[i] * limit; if (sum % 7 == 3) sum -= values[i - 1] << 2; }
    return sum > limit ? sum / limit : limit - sum;
}
CODE
cat > "$dir/second" <<'CODE'
struct ring { int *slots, head, tail; void push(int v) { slots[head++ % 16] = v; if (head - tail > 16) tail = head - 16; } };
static void drain(ring *r, int (*use)(int)) { while (r->tail != r->head) { int v = r->slots[r->tail++ % 16]; if (use(v) < 0) break; } }
CODE
mkdir -p "$class/one" "$class/two" "$class/three"
cat solutions/01-sync-vs-async.cu "$dir/first" "$dir/second" > "$class/one/01-sync-vs-async.cu"
cat solutions/01-sync-vs-async.cu "$dir/second" "$dir/first" > "$class/two/01-sync-vs-async.cu"
cp solutions/01-sync-vs-async.cu "$class/three"
similar
ok "functions in another order are found" is "$(pairs "$above"), $(pairs 'p[0]["share"] >= 90')" "[('one', 'two')], True"
ok "with the lines where they stand" eval 'is "$(pairs "[len(p[0][\"stretches\"]), p[0][\"stretches\"][0][\"a\"] < p[0][\"stretches\"][0][\"b\"]]")" "[2, True]"'

# Hostile bytes: what is no text is compared as it is, and the page stays a page.
rm -rf "${class:?}"/*
mkdir -p "$class/<b>one" "$class/=two" "$class/three"
printf '/*</pre><script>alert(1)</script>*/\nint \x80\xff\x00\x1b[31m;\n"unclosed\\\n' > "$dir/nasty"
cat "$dir/nasty" "$dir/first" "$dir/second" "$dir/nasty" > "$class/<b>one/01-sync-vs-async.cu"
cp "$class/<b>one/01-sync-vs-async.cu" "$class/=two"
head -c 900000 /dev/urandom > "$class/three/01-sync-vs-async.cu"
similar
ok "bytes of any kind are compared" eval 'ends 0 && is "$(pairs "len(p)")" 1'
ok "no markup and no control character of theirs is in the page" \
    eval '! grep -qE "<script|<b>" "$dir/grades/similar.html" && ! LC_ALL=C grep -q "[^[:print:][:space:]]" <(LC_ALL=C tr -d "\200-\377" < "$dir/grades/similar.html")'
ok "the page fetches nothing, and is well formed" \
    eval '! grep -qE "src=|https?:" "$dir/grades/similar.html" && python3 -c "
import html.parser, sys
class P(html.parser.HTMLParser):
    open = []
    def handle_starttag(self, tag, attrs):
        if tag not in (\"meta\", \"br\"): self.open.append(tag)
    def handle_endtag(self, tag): assert self.open.pop() == tag
p = P(); p.feed(open(sys.argv[1]).read()); assert not p.open" "$dir/grades/similar.html"'

# A class of 200 with every lesson.
rm -rf "${class:?}"/*
lessons=(exercises/*.cu)
for ((i = 0; i < 200; i++)); do mkdir "$class/s$i"; done
for k in "${!lessons[@]}"; do
    name=$(basename "${lessons[k]}" .cu)
    kinds=(build/styles/"$name"/*.cu "solutions/$name.cu" build/wrong/"$name"/*.cu)
    for ((i = 0; i < 200; i++)); do echo "${kinds[(i * 7 + k) % ${#kinds[@]}]} $class/s$i/$name.cu"; done
done | python3 -c 'import shutil, sys
for line in sys.stdin: shutil.copyfile(*line.split())'
files=$((200 * ${#lessons[@]}))
before=$(date +%s%N)
similar
echo "# $files files in $((($(date +%s%N) - before) / 1000000)) ms"
ok "a class of 200 is compared in one go" eval 'ends 0 && says "$files files compared"'
done_testing
