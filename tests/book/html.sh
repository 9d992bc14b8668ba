#!/bin/bash
# SPDX-License-Identifier: MIT
. tests/book/built.bash
needs site java npm:vnu-jar
vnu=$(find "$NODE_PATH/vnu-jar" -name vnu.jar | head -n 1)
check "the Nu checker has nothing to say of the pages" "$(java -jar "$vnu" --errors-only "$site"/*.html 2>&1)"
check "nor of the style" "$(java -jar "$vnu" --errors-only --css "$site/book.css" 2>&1)"
done_testing
