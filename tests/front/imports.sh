#!/bin/bash
# SPDX-License-Identifier: MIT
# Each folder includes headers of its own and of those that ARCHITECTURE.md's table names, and of no others; no row names a later one.
. tests/tap.bash

rows=$(sed -n '/^## Who imports whom/,/^## Circles/s/^| \([a-z/]*\) | .*/\1/p' ARCHITECTURE.md | grep -v '^folder$')
ok "ARCHITECTURE.md has a table of folders" [ "$(wc -l <<< "$rows")" -gt 30 ]

sources=$(find common grader lessons tools solutions -type f \( -name "*.[ch]" -o -name "*.cu" \))
# problems FILE...: what is wrong with what these sources, and the folders' READMEs, say.
problems() { LC_ALL=C awk -v files="$sources" -f tests/front/imports.awk ARCHITECTURE.md "$@"; }
mapfile -t all < <(grep -v "^tools/facts/" <<< "$sources"; find common grader -name README.md)
check "folders include what their rows allow, and say so" "$(problems "${all[@]}")"

# Whatever way it is written, an include that leads up is found.
planted='' missed=''
plant() { # file, line: planted in a copy of that file's folder
    mkdir -p "$dir/$(dirname "$1")"
    printf '%s\n' "$2" > "$dir/$1"
    planted=$( (cd "$dir" && sources+=$'\n'$1 && LC_ALL=C awk -v files="$sources" -f "$root/tests/front/imports.awk" "$root/ARCHITECTURE.md" "$1") )
    [ -n "$planted" ] || missed+="$1: $2"$'\n'
}
plant common/model/planted.c '#include "sim/api/api_call.h"'
plant common/model/planted.c '#include "../sim/api/api_call.h"'
plant common/model/planted.c '#include <sim/api/api_call.h>'
plant common/model/planted.c '  #  include "sim/api/api_call.h"'
plant common/model/planted.c '#include "streams.h"'
plant common/model/planted.c '#include HEADER'
plant common/sim/include/detail/planted.h '#include "../../sim.h"'
plant common/streams_planted.h '#include "sim/sim.h"'
plant lessons/03-events/planted.c '#include "../04-default-stream/judges.h"'
plant lessons/03-events/planted.cu '#include "grader/run/build.h"'
plant lessons/03-events/demos/planted.cu '#include "../../04-default-stream/lesson.h"'
plant tools/planted.c '#include "grader/batch/jobs/plan.h"'
check "an include that no row allows is found, however it is written" "$missed"

missing=$(grep -E '\.[ch]$' <<< "$sources" | grep -E '^(common|grader)/' | sed 's,/[^/]*$,,; s,^\(common/sim/include\|common/figure\)/.*,\1,' | sort -u | grep -vxF "$rows")
check "each folder of sources has a row" "$missing"
# Sources of any kind. Answers (wrong, right, mutants) and seeds are as many as there are; CUDA gives cuda/std's headers their place.
crowded() { # ROOT FOLDER...: folders that have too many
    (cd "$1" && find "${@:2}" \( -name __pycache__ -o -path tests/wrong -o -path tests/styles -o -path 'tests/mutants/*' -o -path tests/fuzz/seeds -o \
        -path common/sim/include/cuda/std \) -prune -o -type f -print) | grep -E '\.(c|h|cu|sh|bash|awk|py|m?js|html|css|diff)$|/[^./]+$' |
        sed 's,/[^/]*$,,' | sort | uniq -c | awk '$1 > 25 { print $2 " has " $1 " files" }'
}
check "no folder has more than 25 sources" "$(crowded . common grader lessons tests tools book)"
mkdir -p "$dir/full/tests/"{sim,wrong} && touch "$dir/full/tests/"{sim/{a..z}.sh,wrong/{a..z}.diff}
ok "one that has is found" is "$(crowded "$dir/full" tests)" "tests/sim has 26 files"

# A file beside it, or with its folders: "trace/record/log.h". Headers of the toolkit and of learners' folders are theirs.
dead=$(LC_ALL=C awk -v files="$sources" '
    BEGIN { n = split(files, list, "\n"); for (i = 1; i <= n; i++) for (path = list[i]; ; sub(/^[^\/]*\//, "", path)) { there[path]; if (path !~ /\//) break } }
    /^[ \t]*#/ { next }
    /\/\*|^ \*|\*\// {
        for (rest = $0; match(rest, /[A-Za-z0-9_\/.-]+\.h/); rest = substr(rest, RSTART + RLENGTH)) {
            name = substr(rest, RSTART, RLENGTH)
            if (substr(rest, RSTART + RLENGTH, 1) !~ /[a-z]/ && !(name in there) && name !~ /^(generated_|cuda|work\/)/) print FILENAME ":" FNR " names " name
        }
    }' $(grep -E '^(common|grader|lessons)/.*\.[ch]$' <<< "$sources"))
check "headers that comments name are there" "$dead"

# In a README of its own, or by its name in the next one above. Folders of lessons are alike, and lessons/README.md has them all.
silent() { # ROOT FOLDER...: folders that neither has
    (cd "$1" && find "${@:2}" -name __pycache__ -prune -o -type f -printf '%h\n' | sort -u | while read -r folder; do
        above=$folder
        until [ -s "$above/README.md" ] || [[ $above != */* ]]; do above=${above%/*}; done
        below=${folder#"$above"} below=${below#/}
        [[ -z $below || $below =~ ^[0-9][0-9]- ]] && [ -s "$above/README.md" ] || grep -qs "\`${below%%/*}[/\`]" "$above/README.md" || echo "$folder"
    done)
}
check "each folder says what is in it" "$(silent . common grader lessons solutions exercises book facts tests tools)"
mkdir -p "$dir/new/grader/"{export,deep/er} && cp grader/README.md "$dir/new/grader" && cp grader/export/README.md "$dir/new/grader/export"
touch "$dir/new/grader/"{export/junit.c,deep/er/new.c}
ok "a new one that does not is found" is "$(silent "$dir/new" grader)" grader/deep/er
done_testing
