# SPDX-License-Identifier: MIT
#
# imports.awk - what is wrong with the includes of a folder of sources. Input: a copy of ARCHITECTURE.md, then sources.
# -v files='PATH…': all sources that there are, a line each.
#
# An include is found as the compiler finds it: beside the file that has it, in common, at the root, or in common/sim/include. What
# is nowhere there belongs to the system.

function folder_of(path) { return match(path, /\/[^\/]*$/) ? substr(path, 1, RSTART - 1) : "." }
# The folder as the table names it: parts that are no room of their own belong to the room above, a lesson is one by itself.
function room_of(folder) {
    if (folder ~ /^common\/sim\/include\//) return "common/sim/include"
    if (folder ~ /^(common\/figure|tools)\//) return folder ~ /^tools/ ? "tools" : "common/figure"
    return folder ~ /^lessons\// ? "lessons" : folder
}
function lesson_of(folder) { sub(/\/demos$/, "", folder); return folder }
# a/b/../c: a/c
function plain(path) {
    while (match(path, /[^\/.]+[^\/]*\/\.\.\//)) path = substr(path, 1, RSTART - 1) substr(path, RSTART + RLENGTH)
    gsub(/(^|\/)\.\//, "/", path)
    sub(/^\//, "", path)
    return path
}
# The folder that a row means by a short name: the shortest one above it that ends so.
function folder_named(name,   i, best) {
    for (i = 1; i <= rooms; i++)
        if ((room[i] == name || substr(room[i], length(room[i]) - length(name)) == "/" name) &&
            (best == "" || length(room[i]) < length(best)))
            best = room[i]
    return best
}

BEGIN { n = split(files, list, "\n"); for (i = 1; i <= n; i++) there[list[i]] }

FILENAME == ARGV[1] {
    if (/^## /) in_table = /^## Who imports whom/
    if (!in_table || !/^\| [a-z]/ || /^\| folder /) next
    split($0, cell, / *\| */)
    words = split(cell[3], name, " ")
    for (i = 1; i <= words; i++)
        if ((from = folder_named(name[i])) == "") print cell[2] " names " name[i] ", which is no folder above it"
        else allowed[cell[2], from]
    room[++rooms] = cell[2]
    allowed[cell[2], cell[2]]
    row[cell[2]] = cell[3] == "" ? "no other folder" : cell[3]
    gsub(/ /, ", ", row[cell[2]])
    if (row[cell[2]] ~ /^no,/) row[cell[2]] = "no other folder"
    next
}

# Each README says what its folder's row says.
FILENAME ~ /README.md$/ {
    if (match($0, /^It may include [^(]*/) && substr($0, 16, RLENGTH - 16) != row[folder_of(FILENAME)])
        print FILENAME " says that the folder may include " substr($0, 16, RLENGTH - 16) ", the table: " row[folder_of(FILENAME)]
    next
}

match($0, /^[ \t]*#[ \t]*(include|include_next|import)[ \t]*/) {
    what = substr($0, RSTART + RLENGTH)
    if (what !~ /^[<"]/) { print FILENAME ":" FNR " includes what a macro names"; next }
    path = substr(what, 2)
    sub(/[>"].*/, "", path)
    folder = folder_of(FILENAME)
    found = ""
    split(folder "/" path "\n" "common/" path "\n" path "\n" "common/sim/include/" path, candidates, "\n")
    for (i = what ~ /^"/ ? 1 : 2; i <= 4 && found == ""; i++)
        if (plain(candidates[i]) in there) found = plain(candidates[i])
    if (found == "") { if (path ~ /^\.\.?\//) print FILENAME ":" FNR " includes " path ", which is not there"; next }
    to = room_of(folder_of(found))
    if (!((room_of(folder), to) in allowed)) print FILENAME ":" FNR " includes " found ", and " to " is not in its row"
    else if (to == "lessons" && lesson_of(folder_of(found)) != lesson_of(folder)) print FILENAME ":" FNR " includes " found ", which is another lesson's"
}
