#!/bin/bash
# SPDX-License-Identifier: MIT
#
# Hazards in 200 random programs (LONG=1: 500) of three host threads whose order is known (tests/sim/race/family.c),
# each with all edges that it needs and with one too few, of streams, events, graphs or between
# threads. SEED=n: others.
seed=${SEED:-1}     # tests/tap.bash unsets it
count=200
[ -z "${LONG-}" ] || count=500
. tests/tap.bash

gcc -O1 -c tests/sim/race/family/relay.c -o "$dir/relay.o" || exit 2
compile() { # file, program, options
    build/bin/simcc "${@:3}" -Itests/sim/race/family "$1" "$dir/relay.o" -o "$dir/$2" || exit 2
}

family() { run build/tests/sim/race/family "$@"; }

compile tests/sim/race/family/player.cu player
family "$seed" "$count" "$dir/player"
ok "$count ordered programs have no hazard, and $count with an edge too few those that are known" ends 0
tail -n 1 "$dir/out"

build/tests/sim/race/family 2 5 > "$dir/source.cu"
compile "$dir/source.cu" source
family 2 5 "$dir/source"
ok 'the same holds of programs that are compiled as they stand' ends 0

compile tests/sim/race/family/player.cu blind --hazards=calls
family 2 50 "$dir/blind"
ok 'where loads and stores go unseen, hazards are missed and none is made up' \
    eval '! ends 0 && grep -q " [1-9][0-9]* missed, 0 false\$" "$dir/out"'
done_testing
