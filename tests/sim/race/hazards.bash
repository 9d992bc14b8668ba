# SPDX-License-Identifier: MIT
#
# What tests of hazards share: small programs by cases, and what is said of them.
. tests/sim/sim.bash

# finds CASE COUNT PATTERN...: so many hazards, and each pattern in a line that says so.
finds() {
    play "$program" "$1"
    local count=$2 pattern
    shift 2
    ends 0 && [ "$(hazards)" = "$count" ] && [ "$(grep -vc '^error: \|^note: .* may be cut off' "$dir/err")" = "$count" ] || return 1
    for pattern; do
        grep -q "^hazard: .*$pattern" "$dir/err" || return 1
    done
}
# notes CASE PATTERN: one line, and no hazard
notes() {
    play "$program" "$1"
    ends 0 && [ "$(hazards)" = 0 ] && [ "$(grep -vc '^error: ' "$dir/err")" = 1 ] && grep -q "^note: .*$2" "$dir/err"
}
