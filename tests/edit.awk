# SPDX-License-Identifier: MIT
#
# For tests/edit: makes whole files of its arguments, each an edit of its lesson's solution or whole already.
# Environment: TO, the folder to write ROOM/NN-name/NAME.cu in ("": standard output); SOLUTION, what to edit in the place
# of the lesson's; EXACT, when hunks may not have moved. Says on standard error what it cannot make, and why (status 1);
# with a folder, prints the paths of those.

function read_lines(file, line,   n) {
    while ((getline line[n + 1] < file) > 0)
        n++
    close(file)
    return n + 0
}

# The function that each line of the solution is in: what `diff -p` would say of a hunk there, without the parameters.
function find_functions(   k) {
    for (k = 1; k <= lines; k++) {
        function_of[k] = k == 1 ? "" : function_of[k - 1]
        if (solution[k - 1] ~ /^[A-Za-z_$]/)
            function_of[k] = name_of(solution[k - 1])
    }
}
function name_of(text) {
    text = substr(text, 1, 40)
    sub(/ *(\(.*)?$/, "", text)
    return text
}

# Does the solution have the hunk's old lines from line `at` on, in the same function? A hunk without context on one side
# is at that end of the file.
function fits(at,   k) {
    if (at <= taken || at + old - 1 > lines || !above && at != 1 || !below && at + old - 1 != lines || function_of[at] != named)
        return 0
    for (k = 1; k <= old; k++)
        if (solution[at + k - 1] != was[k])
            return 0
    return 1
}

# Adds to the text what stands above the hunk, and the hunk. "", or why it cannot.
function place(   at, here, found) {
    at = from + moved
    if (!fits(at)) {
        for (here = taken + 1; here + old - 1 <= lines; here++)
            if (fits(here)) {
                found++
                at = here
            }
        if (found != 1)
            return (named ? named : "the solution") (found ? " has its old lines in " found " places" : " does not have its old lines")
    }
    moved = at - from
    if (moved && ENVIRON["EXACT"])
        return "it has moved"
    while (taken < at - 1)
        text = text solution[++taken] "\n"
    text = text now
    taken += old
    return ""
}

# Makes `text` of the edit, n lines in `line`. "", or why it cannot.
function edit(n,   i, first, hunks, part, sign, why) {
    taken = moved = 0
    text = ""
    for (i = 1; i <= n && line[i] !~ /^@@ /; i++)
        ;
    if (i > n)
        return "it has no hunk"
    while (i <= n) {
        first = i
        split(line[i++], part, /[ ,]/)
        if (part[1] != "@@")
            return "line " first " is not part of a hunk: " line[first]
        from = substr(part[2], 2)
        named = line[first]
        sub(/^@@[^@]*@@ ?/, "", named)
        old = 0
        now = ""
        # An empty line is one of the context, its blank lost.
        for (; i <= n && (sign = substr(line[i], 1, 1)) ~ /^[-+ ]?$/; i++) {
            if (sign != "+")
                was[++old] = substr(line[i], 2)
            if (sign != "-")
                now = now substr(line[i], 2) "\n"
        }
        above = line[first + 1] ~ /^( |$)/
        below = line[i - 1] ~ /^( |$)/
        hunks++
        if ((why = place()) != "") {
            why = "hunk " hunks " does not fit: " why
            for (; first < i; first++)
                why = why "\n" line[first]
            return why
        }
    }
    while (taken < lines)
        text = text solution[++taken] "\n"
    return ""
}

# Writes the text unless it is there already.
function write(file,   n, i, there) {
    n = read_lines(file, was)
    for (i = 1; i <= n; i++)
        there = there was[i] "\n"
    if (there != text)
        printf "%s", text > file
    close(file)
}

BEGIN {
    for (a = 1; a < ARGC; a++) {
        count = split(ARGV[a], part, "/")
        n = read_lines(ARGV[a], line)
        why = n ? "" : "it is not there, or empty"
        if (n && ARGV[a] ~ /\.diff$/) {
            of = ENVIRON["SOLUTION"] ? ENVIRON["SOLUTION"] : "solutions/" part[count - 1] ".cu"
            if (of != have) {
                lines = read_lines(have = of, solution)
                find_functions()
            }
            why = edit(n)
        } else {
            text = ""
            for (i = 1; i <= n; i++)
                text = text line[i] "\n"
        }
        if (why != "") {
            print ARGV[a] ": " why > "/dev/stderr"
            if (ENVIRON["TO"] != "")
                print ARGV[a]
            failed = 1
        } else if (ENVIRON["TO"] == "")
            printf "%s", text
        else {
            sub(/\.[a-z]+$/, ".cu", part[count])
            write(ENVIRON["TO"] "/" part[count - 2] "/" part[count - 1] "/" part[count])
        }
    }
    exit failed
}
