#!/bin/bash
# SPDX-License-Identifier: MIT
. tests/book/built.bash
needs java npm:vnu-jar
vnu=$(find "$NODE_PATH/vnu-jar" -name vnu.jar | head -n 1)
check "the Nu checker has nothing to say of the pages" "$(java -jar "$vnu" --errors-only "$site"/*.html 2>&1)"
# It does not know container queries (CSS Containment, level 3), which browsers have had since 2023.
check "nor of the style" "$(java -jar "$vnu" --errors-only --css "$site/book.css" 2>&1 | grep -v container)"
done_testing
