#!/bin/bash
# SPDX-License-Identifier: MIT
#
# Every file in the folders here is an attack on the grader, handed in beside honest work: what
# it comes to is as its head says (`// expects: status`, `// says: words of the
# reason`, `// prints: a line of its output`, `// never: what it must not print`), nothing outside changes, the
# neighbours get what they get without it, and no process is left. A file's
# sections go into a lesson's solution (or, `// base: exercises`, its starter):
# `//@ before` and `//@ top` (the contract), `//@ in REGION`, `//@ instead of REGION`. Archives (33 to 35, and links in folders) are
# tests/batch/archives.sh's. ATTACKS="21 24" tries these only.
. tests/batch/batch.bash

canary=$dir/canary
echo 'CANARY_4711_SECRET "quoted"' > "$canary"
chmod 644 "$canary"

# A library for LD_AUDIT, as bytes.
cat > "$dir/audit.c" <<'C'
unsigned la_version(unsigned version)
{
    static const char said[] = "the audit runs\n";
    long n;
    asm volatile("syscall" : "=a"(n) : "a"(1L), "D"(1L), "S"(said), "d"(sizeof said - 1) : "rcx", "r11", "memory");
    return version;
}
C
audit=
if [ "$(uname -m)" = x86_64 ] && gcc -shared -fPIC -Os -nostdlib -s -Wl,-z,noseparate-code -o "$dir/audit.so" "$dir/audit.c"; then
    audit=$(od -An -v -tu1 "$dir/audit.so" | tr -s ' \n' ',' | sed 's/^,//; s/,$//')
fi

# field FILE NAME: the value of `// NAME: value` in its head.
field() { sed -n "1,8s,^// $2: *,,p" "$1"; }

# assemble ATTACK OUT: base and sections put together.
assemble() {
    local lesson=$(field "$1" lesson) base=$(field "$1" base) whole
    whole=$(echo "${base:-solutions}/${lesson:-01}"-*.cu)
    ROOT=$root OUT=$dir/grades CLASS=$class CANARY=$canary AUDIT=$audit awk '
        FNR == NR {
            if (/^\/\/@ (before|top)/) { to = $2; next }
            if (/^\/\/@ in /) { to = "in " $3; next }
            if (/^\/\/@ instead of /) { to = "for " $4; next }
            if (to == "") next
            gsub(/@ROOT@/, ENVIRON["ROOT"]); gsub(/@OUT@/, ENVIRON["OUT"])
            gsub(/@CLASS@/, ENVIRON["CLASS"]); gsub(/@CANARY@/, ENVIRON["CANARY"]); gsub(/@AUDIT@/, ENVIRON["AUDIT"])
            part[to] = part[to] $0 "\n"; next
        }
        /^ *\/\/< / { skipping = 0 }
        skipping { next }
        /^#include "lesson.h"/ { printf "%s", part["before"] }
        { print }
        /^#include "lesson.h"/ { printf "%s", part["top"] }
        /^ *\/\/> / {
            if (("in " $2) in part) printf "%s", part["in " $2]
            if (("for " $2) in part) { printf "%s", part["for " $2]; skipping = 1 }
        }' "$1" "$whole" > "$2"
}

attacks=()
for file in tests/attacks/*/*.cu; do
    name=$(basename "$file" .cu) wanted=${ATTACKS:+no}
    for word in ${ATTACKS-}; do [[ $name == $word-* ]] && wanted=yes; done
    [ "$wanted" = no ] && continue
    lesson=$(field "$file" lesson)
    lesson=$(basename "$(echo "lessons/${lesson:-01}"-*)")
    mkdir -p "$class/$name"
    assemble "$file" "$class/$name/$lesson.cu"
    attacks+=("$name")
done
hand_in victim 01-sync-vs-async solutions/01-sync-vs-async.cu
hand_in victim 06-overlap solutions/06-overlap.cu
hand_in neighbour 01-sync-vs-async "$(wrong 01-sync-vs-async/blames-launch)"
if [ -d "$class/17-makefile" ]; then
    for makefile in GNUmakefile Makefile makefile compile.sh .gdbinit; do
        printf 'all:\n\ttouch %s/made\n$(shell touch %s/made)\n' "$dir" "$dir" > "$class/17-makefile/$makefile"
    done
fi

# What nobody may change: the workbook, what was handed in, what lies about.
snapshot() {
    (cd "$root" && find build/bin build/lib build/lessons solutions lessons exercises grader common -type f -exec sha256sum {} + | sort -k 2)
    (cd "$class" && find . -type f -exec sha256sum {} + | sort -k 2)
    sha256sum "$canary"
    ls -A "$dir"
    ls -lA "$dir/tmp"
}
# A sandbox's mounts say whose it is: other batches may be at work on this machine.
somebody_runs() {
    local link target
    while IFS=$'\t' read -r link target; do
        case $target in
        "$TMPDIR"/*) echo "# $link"; return ;;
        /out/* | /submission*) ! grep -qsF "${dir##*/}" "${link%/*}/mountinfo" || { echo "# $link"; return; } ;;
        esac
    done < <(find /proc/[0-9]*/exe /proc/[0-9]*/cwd -maxdepth 0 -printf '%p\t%l\n' 2> /dev/null)
    grep -szxE '1000(17|22)' /proc/[0-9]*/cmdline   # what they sleep for: an argument, whole
}
# What was killed may still be giving back its memory.
nobody_runs() { for _ in {1..50}; do somebody_runs > /dev/null || return 0; sleep 0.1; done; ! somebody_runs; }

touch "$dir/out" "$dir/err" "$dir/before" "$dir/after"
snapshot > "$dir/before"
LD_PRELOAD='' CUDA_INJECTION64_PATH=/nonexistent MAKEFLAGS=-j9 LD_LIBRARY_PATH=/nonexistent \
    batch --time-limit 2 --lessons "1 6" --memory 1024
graded=$status
mv "$dir/grades" "$dir/tmp.grades" && snapshot > "$dir/after.new"
mv "$dir/tmp.grades" "$dir/grades"
sed -i '/^tmp.grades$/d; /^after.new$/d' "$dir/after.new"

for name in "${attacks[@]}"; do
    file=$(echo tests/attacks/*/"$name".cu)
    lesson=$(field "$file" lesson)
    status=$(status_of "$name" "${lesson:-01}")
    reason=$(of "$name" "${lesson:-01}" 'e["reason"]')
    says=$(field "$file" says) prints=$(field "$file" prints) expects=$(field "$file" expects) never=$(field "$file" never)
    right() {
        [[ ", $expects, " == *", $status, "* ]] || { echo "# $status: $reason"; return 1; }
        [[ $reason == *"$says"* ]] || { echo "# it says: $reason"; return 1; }
        [ -z "$prints" ] || of "$name" "${lesson:-01}" 'e["verdict"]["output"]' > "$dir/printed"
        [ -z "$never" ] || ! of "$name" "${lesson:-01}" 'e["verdict"]["output"]' | grep -F -- "$never" || return
        [ -z "$prints" ] || grep -qxF -- "$prints" "$dir/printed" || { echo "# it prints: $(head -c 600 "$dir/printed")"; return 1; }
    }
    echo "# $name: $status${reason:+ ($reason)}" | cut -c 1-200
    ok "$name ends in: $expects" right
done

[ ! -d "$class/44-audits" ] || ok "the library that 44 writes is one that is heeded elsewhere" \
    eval 'LD_AUDIT=$dir/audit.so /bin/true | grep -q "the audit runs"'
status=$graded
ok "all of them were graded" ends 0
ok "the honest neighbour passed" eval 'is "$(status_of victim 01)" passed && is "$(status_of victim 06)" passed'
ok "no secret is in what comes out" eval '! grep -rqF "CANARY_4711" "$dir/grades/results.json" "$dir/grades/feedback" "$dir/grades/attempts"'
ok "nothing outside has changed" diff "$dir/before" "$dir/after.new"
ok "no process is left" nobody_runs
ok "no control character is in the results" eval '! LC_ALL=C grep -q "[[:cntrl:]]" <(tr -d "\n" < "$dir/grades/results.json")'
ok "results are no more than a megabyte each" eval '[ -z "$(find "$dir/grades/attempts" -size +1M)" ]'
ok "no feedback names the seed or what was expected" eval '! grep -rqE "seed|expected  " "$dir/grades/feedback"'
cp "$dir/grades/results.json" "$dir/among"
rm -rf "$dir/grades"
for name in "${attacks[@]}"; do rm -rf "${class:?}/$name"; done
mkdir -p "$dir/grades" && cp "$dir/among" "$dir/grades/results.json"
for student in victim neighbour; do of "$student" 01 'json.dumps(e)'; done > "$dir/with"
rm -rf "$dir/grades"
batch --time-limit 2 --lessons "1 6" --memory 1024
for student in victim neighbour; do of "$student" 01 'json.dumps(e)'; done > "$dir/without"
ok "the neighbours got what they get alone, byte for byte" cmp "$dir/with" "$dir/without"
done_testing
