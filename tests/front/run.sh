#!/bin/bash
# SPDX-License-Identifier: MIT
# tests/run with tests that are made up: what it counts, and what it says of what was not tested.
. tests/tap.bash
scratch=$dir/scratch
mkdir -p "$scratch/tests/room" && cp tests/run "$scratch/tests"
cd "$scratch" || exit 2

written() { printf '#!/bin/sh\n%s\n' "$2" > "tests/room/$1.sh" && chmod +x "tests/room/$1.sh"; }  # name script
runs() { said=$(JOBS=${JOBS:-2} tests/run "$@" 2>&1); status=$?; }
says() { grep -qxE -- "$1" <<< "$said"; }
total() { [ "$(tail -n 1 <<< "$said")" = "$1" ]; }

written good 'echo "ok 1 - it works"; echo "1..1"'
written whole 'echo "1..0 # SKIP there is no abacus"'
written half 'echo "ok 1 - it works"; echo "ok 2 - it counts # SKIP no abacus here"; echo "1..2"'
runs good whole half
ok "a file that skips itself counts as skipped, not as failed" eval '[ "$status" = 0 ] && total "2 passed, 0 failed" && says "2 skipped"'
ok "its reason is shown" eval 'says "skip  tests/room/whole.sh .*" && says "      - skipped: all of it: there is no abacus"'
ok "and that of a test among others" eval 'says "ok    tests/room/half.sh .*" && says "      - skipped: it counts: no abacus here"'
runs whole
ok "where nothing else ran, that is no success" eval '[ "$status" = 1 ] && total "0 passed, 0 failed"'
mkdir tests/room/inner && written inner/deep 'echo "ok 1 - it works"; echo "1..1"'
runs room/inner
ok "rooms may have rooms" eval '[ "$status" = 0 ] && total "1 passed, 0 failed" && says "ok    tests/room/inner/deep.sh .*"'

written silent 'exit 0'
written bare 'echo "1..0"'
written dies 'echo "1..0 # SKIP there is no abacus"; exit 1'
written short 'echo "ok 1 - it works"; echo "1..2"'
written bad 'echo "it is 3"; echo "not ok 1 - it is 2"; echo "1..1"'
for name in silent bare dies short bad; do
    runs "room/$name"
    ok "$name: it fails" eval '[ "$status" = 1 ] && grep -q "^FAIL  tests/room/$name.sh" <<< "$said"'
done
ok "and what was said beside it is shown" says '      \| it is 3'

# The book is built beside the others, its pages first.
for what in site book; do
    written "reads-$what" ": <<- .
needs $what
.
[ -e build/book/$what ] && echo 'ok 1 - it is there' || echo 'not ok 1 - it is there'; echo 1..1"
done
written page '[ -e build/book/site ] && [ ! -e build/book/book ] && echo "ok 1 - only the pages are there" || echo "not ok 1 - only the pages are there"; echo 1..1'
SITE='sleep 0.3; mkdir -p build/book && touch build/book/site' BOOK='sleep 0.6; touch build/book/book' runs reads page good
ok "a test that reads the book waits until that is built, and one that reads its pages until they are" \
    eval '[ "$status" = 0 ] && total "4 passed, 0 failed" && says "site  built beside the tests .* [0-9]+ s" && says "book  built beside the tests .* [0-9]+ s"'
rm -r build
SITE='mkdir -p build/book && touch build/book/site' BOOK='echo no paper; false' runs reads-site good
ok "a book that cannot be built fails, and says why" \
    eval '[ "$status" = 1 ] && total "2 passed, 1 failed" && says "      \| no paper" && says "FAIL  the book is not built: .*"'
SITE='sleep 0.5; echo no pages; false' BOOK='echo no paper' runs good
ok "pages that cannot be built fail, and nothing is made of them" \
    eval '[ "$status" = 1 ] && total "1 passed, 1 failed" && says "      \| no pages" && ! says ".*no paper"'

# The order: what is in tests/longest, then the others; with a deadline the others, FIRST, what takes longest.
for name in kiwi lime nut plum; do written "$name" "echo $name >> order; echo 'ok 1 - it runs'; echo 1..1"; done
printf '%s\n' '# the longest' tests/room/plum.sh tests/room/lime.sh > tests/longest
in_order() { rm -f order; JOBS=1 runs room/kiwi room/lime room/nut room/plum; [ "$(paste -sd ' ' order)" = "$1" ]; }
ok "what takes long begins first" in_order 'plum lime kiwi nut'
DEADLINE=$(($(date +%s) + 600)) FIRST=tests/room/nut.sh
export DEADLINE FIRST
ok "where there is a deadline it comes last, after what is to be first, and what is short begins" in_order 'kiwi nut lime plum'

# What there is no time for is left out, by name, and what failed until then has failed.
written slow 'echo "ok 1 - it works"; sleep 9; echo "1..1"'
written wrong 'echo "not ok 1 - it is 2"; sleep 9; echo "1..1"'
DEADLINE=$(($(date +%s) - 1))
JOBS=1 runs room/lime room/nut
ok "after the deadline none of the longest begins" eval 'says "      - skipped: all of it: there was no time left for it" && total "0 passed, 0 failed"'
JOBS=1 GRACE=0 runs room/kiwi room/plum
ok "but the short ones do" eval '[ "$status" = 0 ] && total "1 passed, 0 failed"'
unset DEADLINE FIRST
printf 'tests/room/%s.sh\n' slow wrong > tests/longest
JOBS=3 DEADLINE=$(($(date +%s) + 20)) GRACE=-16 runs good slow wrong
ok "one that goes on too long is stopped" eval 'says "skip  tests/room/slow.sh .*" && says "      - skipped: the rest of it: there was no time left for it"'
ok "what failed before has failed" eval '[ "$status" = 1 ] && total "1 passed, 1 failed"'
BOOK='sleep 9' DEADLINE=$(($(date +%s) + 20)) GRACE=-16 runs reads-book good
ok "so is the book" eval 'says "skip  the book: there was no time left to build it"'

done_testing
