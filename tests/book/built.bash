# SPDX-License-Identifier: MIT
# For the tests of the book: tests/tap.bash, and needs site|book TOOL..., which skips the whole file where a tool is missing and
# makes sure that the pages or all of the book are there, made once by the test that asks first. (tests/run reads that line.)
# npm's packages are looked for in build/npm, where .ci/run puts them.
. tests/tap.bash
export NODE_PATH=$PWD/build/npm/node_modules
site=$PWD/build/book/site

needs() {
    local what=$1 tool
    shift
    tools/setup --has book || skip_all "what the book is made with is not all there (tools/setup book)"
    for tool; do
        case $tool in
        npm:*) [ -d "$NODE_PATH/${tool#npm:}" ] || skip_all "there is no ${tool#npm:} (npm)" ;;
        browser) command -v chromium-headless-shell chromium > /dev/null || skip_all "there is no Chromium" ;;
        /*) [ -e "$tool" ] || skip_all "there is no $tool" ;;
        *) command -v "$tool" > /dev/null || skip_all "there is no $tool" ;;
        esac
    done
    mkdir -p build
    flock build/book.lock make -s "$what" > build/book.log 2>&1 && return
    check "the $what can be made" "$(tail -n 20 build/book.log)"
    done_testing
}
