#!/bin/bash
# SPDX-License-Identifier: MIT
# Edits of solutions (tests/edit): each fits, one that does not is named with its hunk, and they go along when a solution
# changes.
. tests/grader/tap.bash
shopt -s nullglob
tool=$root/tests/edit
try() { "$tool" "$@" > "$dir/out" 2> "$dir/err"; status=$?; }

# ---- those that there are ----

try all "$dir/made"
ok "every edit fits its solution" ends 0
kept=(tests/{wrong,styles}/*/*.{diff,cu}) made=("$dir"/made/{wrong,styles}/*/*.cu)
ok "each is made a whole file, and what is whole already is there, too" [ ${#made[@]} = ${#kept[@]} ]
touch -d 2020-01-01 "${made[@]}"
echo >> "${made[0]}"
rm "${made[1]}"
touch "$dir/made/wrong/01-sync-vs-async/nobodys.cu"
try all "$dir/made"
ok "again, only what is not right is written, and what nothing makes is removed" \
    [ "$(find "$dir/made" -name '*.cu' -newermt 2020-01-02 | sort)" = "$(printf '%s\n' "${made[0]}" "${made[1]}" | sort)" ]

# ---- a lesson of their own ----

copy=$dir/copy edits=tests/wrong/97-edits solution=solutions/97-edits.cu
mkdir -p "$copy/solutions" "$copy/$edits"
cp tests/edit tests/edit.awk "$copy/tests"
tool=$copy/tests/edit
cd "$copy" || exit 2
cat > $solution <<'END'
#include "lesson.h"

void first(int n)
{
    start(n);
    work(n);
    stop(n);
}

void second(int n)
{
    start(n);
    work(n);
    stop(n);
    start(n);
    work(n);
    stop(n);
    check(n);
}
END
# edit_of NAME SED: an edit of the solution, its head as a new one is asked for it.
edit_of() { sed "$2" $solution > "$dir/$1.cu" && printf 'a-%s\nWhat %s does.\n' "$1" "$1" | "$tool" make "$edits/$1.diff" "$dir/$1.cu"; }
# makes NAME SED: does the edit make of today's solution what sed does?
makes() { cmp <("$tool" show "$edits/$1.diff") <(sed "$2" $solution); }
keep() { rm -rf "$dir/kept" && cp -r "$edits" "$dir/kept"; }

edit_of lazy 13d
ok "an edit is made, with a head that was asked for" cmp "$edits/lazy.diff" - <<'END'
fails: a-lazy
What lazy does.
@@ -12,3 +12,2 @@ void second
     start(n);
-    work(n);
     stop(n);
END
edit_of hasty 's/check(n)/check(0)/'
edit_of late '2s/$/#include "more.h"/; $s/$/\nvoid third();/'
ok "it makes the file that it was made of" eval 'makes lazy 13d && makes hasty "s/check(n)/check(0)/" && cmp <("$tool" show $edits/late.diff) "$dir/late.cu"'
keep
sed -i '2a A second sentence.' "$edits/lazy.diff" "$dir/kept/lazy.diff"
for name in lazy hasty late; do "$tool" show "$edits/$name.diff" > "$dir/whole.cu" && try make "$edits/$name.diff" "$dir/whole.cu"; done
ok "made of that again it is the same, head and all" diff -r "$dir/kept" $edits
try make $edits/new.diff $solution < <(printf 'a\nb\n')
ok "the solution itself is no edit" eval 'ends 2 && complains "solutions/97-edits.cu is the solution" && [ ! -e $edits/new.diff ]'
sed 's/^@@ -\([0-9]*\).*@@/@@ -\1 @@/' "$dir/kept/late.diff" > $edits/late.diff
ok "a hunk needs no lengths" cmp <("$tool" show $edits/late.diff) "$dir/late.cu"
cp "$dir/kept/late.diff" $edits

cp $solution "$dir/first.cu"
sed -i '1i // above' $solution
ok "where lines were inserted above, a hunk fits at the only place that has its lines" makes hasty 's/check(n)/check(0)/'
ok "and one at the end of the file at that end" makes late '3s/$/#include "more.h"/; $s/$/\nvoid third();/'
try all "$dir/whole"
ok "one that fits in two places fits nowhere: it is named, with its hunk" \
    eval 'ends 1 && complains "$edits/lazy.diff: hunk 1 does not fit: void second has its old lines in 2 places" && complains "-    work(n);"'
ok "the others are made" eval '[ "$(basename -a "$dir"/whole/wrong/97-edits/* | paste -sd " ")" = "hasty.cu late.cu" ]'
try anchor 97-edits
ok "where the solution has no history, those that fit are anchored, and the other is named" \
    eval 'ends 1 && says "97-edits: 3 edits, 2 anchored anew, 1 to be made anew" && complains "$edits/lazy.diff: hunk 1 does not fit" &&
        grep -q "^@@ -18,3" "$edits/hasty.diff"'

if ! command -v git > /dev/null; then
    skip "edits go along with a solution's history" "there is no git"
    done_testing
    exit
fi
commit() { git add -A && git -c user.name=x -c user.email=x@y commit -qm "$1"; }
git init -q . 2> /dev/null
rm -rf $edits && cp -r "$dir/kept" $edits && cp "$dir/first.cu" $solution
commit first
sed -i '1i // above' $solution
commit second
sed -i 's/^void second(int n)/&  \/\/ changed/; 1i // above it all' $solution
keep
try anchor 97-edits
ok "with its history, each is taken along from the version that it was made of" \
    eval 'ends 0 && says "97-edits: 3 edits, 3 anchored anew" && makes lazy 15d && makes hasty "s/check(n)/check(0)/" &&
        makes late "4s/$/#include \"more.h\"/; \$s/$/\nvoid third();/"'
ok "under the head that it had" grep -q 'A second sentence.' $edits/lazy.diff
keep
try anchor 97-edits
ok "once more, nothing changes" eval 'ends 0 && says "97-edits: 3 edits, 0 anchored anew" && diff -r "$dir/kept" $edits'
commit third
sed -i 's/check(n)/check(n + 1)/; 1i // and above that' $solution
try show $edits/hasty.diff
ok "one whose own lines have changed does not fit" \
    eval 'ends 1 && complains "$edits/hasty.diff: hunk 1 does not fit: void second does not have its old lines" && [ ! -s "$dir/out" ]'
try anchor 97-edits
both=build/anchor/wrong/97-edits/hasty.cu
ok "it is named, and stays as it is" \
    eval 'ends 1 && says "2 anchored anew, 1 to be made anew" && complains "hunk 1 does not fit" && complains "Mend $both, then" &&
        cmp "$dir/kept/hasty.diff" $edits/hasty.diff'
try make $edits/hasty.diff $both
ok "a file that has both versions is for its author to mend" eval 'ends 2 && complains "$both has lines of two versions yet"'
sed -i '/^|||||||/,/^>>>>>>>/d; /^<<<<<<</d' $both
try make $edits/hasty.diff $both
ok "mended, it makes the edit anew" eval 'ends 0 && makes hasty "s/check(n + 1)/check(0)/"'
commit fourth
sed -i 's/check(n + 1)/check(0)/' $solution
try anchor 97-edits
ok "one that the solution has become is named" complains "$edits/hasty.diff: the solution is what it makes"
done_testing
