# SPDX-License-Identifier: MIT
# Sourced by the tests of the book: needs TOOL... skips the whole file where one is missing (with a line that says
# which), and sees to it that the book is there, made once whoever asks first.
# npm's packages are looked for in build/npm, where .ci/run puts them.

export NODE_PATH=$PWD/build/npm/node_modules
site=$PWD/build/book/site
count=0 failed=0

skip() { echo "1..1"; echo "ok 1 - the book is as it ought to be # SKIP $*"; exit 0; }

needs() {
    local tool
    tools/setup --has book || skip "what the book is made with is not all there (tools/setup book)"
    for tool; do
        case $tool in
        npm:*) [ -d "$NODE_PATH/${tool#npm:}" ] || skip "there is no ${tool#npm:} (npm)" ;;
        /*) [ -e "$tool" ] || skip "there is no $tool" ;;
        *) command -v "$tool" > /dev/null || skip "there is no $tool" ;;
        esac
    done
    mkdir -p build
    if ! flock build/book.lock make -s book > build/book.log 2>&1; then
        echo "1..1"
        echo "not ok 1 - the book can be made"
        tail -n 20 build/book.log | sed 's/^/# /'
        exit 1
    fi
}

check() {   # sentence, what spoils it (nothing: all is well)
    count=$((count + 1))
    if [ -z "$2" ]; then
        echo "ok $count - $1"
    else
        failed=1
        echo "not ok $count - $1"
        head -n 40 <<< "$2" | sed 's/^/# /'
    fi
}

ends() { echo "1..$count"; exit $failed; }
