#!/bin/bash
# SPDX-License-Identifier: MIT
# The habits that the C sources keep, by line: those that ARCHITECTURE.md names under "How it is written".
. tests/tap.bash
files=$(find common grader lessons tests tools -name '*.[ch]' ! -path 'tests/front/old/*' | sort)
# none_of SENTENCE AWK: no line that awk prints.
none_of() {
    local said
    said=$(awk "$2" $files | head -n 20)
    check "$1" "$said"
}
none_of "no tab, and no blank at a line's end" '/\t|[ ]$/ { print FILENAME ":" FNR ": " $0 }'
# What a macro of several lines ends with is its own affair, and so is a comment.
none_of "a line is broken before an operator, not behind it" '
    /[^ ] (&&|\|\||[-+*|?<>]|[=!<>]=)$/ && !/^ \*|\/\/|\/\*/ { print FILENAME ":" FNR ": " $0 }'
# Where a number is counted or passed on, != NULL makes one: found += text != NULL.
none_of "a pointer is there or not: no condition compares it with NULL" '
    { code = $0; gsub(/"([^"\\\\]|\\\\.)*"/, "", code) }
    code ~ /[!=]= NULL( (&&|\|\||\?)|\)?\)( \{)?$)/ && code ~ /(if|while) \(|&&|\|\||\?/ && code !~ /\([^()]* != NULL\) [-!=]/ {
        print FILENAME ":" FNR ": " $0
    }'
none_of "a header's guard is its path" '
    FNR == 1 { guard = toupper(FILENAME); sub(/^LESSONS\/.*\/|^COMMON\/(SIM\/INCLUDE\/)?/, "", guard); sub(/^DETAIL\/SIM_/, "SIM_INCLUDE_", guard); gsub(/[^A-Z0-9]/, "_", guard) }
    FILENAME ~ /^(common|grader|lessons).*\.h$/ && /^#ifndef [A-Z0-9_]+_H$/ && !seen[FILENAME]++ && $2 != guard { print FILENAME ": " $2 ", not " guard }'
long=$(find common grader lessons tests tools book exercises solutions -name '*.[ch]' -o -name '*.cu' -o -name '*.py' -o -name '*.sh' -o -name '*.bash' -o -name '*.js' |
    xargs awk 'FNR == 501 { print FILENAME }' | sort | head -n 20)
check "no file of sources has more than 500 lines" "$long"
done_testing
