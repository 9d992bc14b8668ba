#!/bin/bash
# SPDX-License-Identifier: MIT
# sudo make in a folder that is another user's: all that comes of it is that user's. In a copy of this folder.
set -u

if [ "$(id -u)" != 0 ]; then
    echo "1..0 # SKIP only root can be root in another user's folder"
    exit 0
fi
copy=$(mktemp -d) || exit 2
trap 'rm -rf "$copy"' EXIT
count=0 failed=0
tar -c --exclude=./.git --exclude=./work --exclude=./build/tests --exclude=./build/tmp --exclude=./build/book . | tar -x -C "$copy"
cd "$copy" || exit 2
user=65534 group=65533
chown -R $user:$group .

said= status=
try() { said=$("$@" 2>&1 < /dev/null); status=$?; }
check() {   # sentence, command...
    count=$((count + 1))
    if "${@:2}"; then
        echo "ok $count - $1"
    else
        failed=1
        echo "not ok $count - $1"
        { printf 'status %s, said: %s\n' "$status" "$said"; strange; } | sed 's/^/# /'
    fi
}
says() { [[ $said == *"$1"* ]]; }
strange() { find . "$@" ! \( -uid $user -gid $group \); }
theirs() { [ -e "$1" ] && [ -z "$(strange)" ]; }

try make lesson02
check "the copy of an exercise is theirs, and all beside it" eval 'says "not attempted" && theirs work/02-stream-queues.cu && theirs work/progress'
cp solutions/02-stream-queues.cu work && chown $user:$group work/*
try make lesson02 JSON=verdict.json
check "and so is a verdict" eval '[ "$status" = 0 ] && theirs verdict.json'
try make reset02
check "what is put aside" theirs work/kept/02-stream-queues.1.cu
try make submit NAME=me
check "what is packed" theirs build/submit/me.tar.gz

# What a first build makes, and the setup, which runs as root.
printf '#!/bin/sh\nid -u > asked.$1 && chown %s:%s asked.$1\n' $user $group > tools/setup
rm -rf build/obj/unity build/state build/lib/libtrace.a build/cards.c
try make build/lib/libtrace.a build/cards.c
check "what is built" eval '[ "$status" = 0 ] && theirs build/lib/libtrace.a && theirs build/state/flags'
check "root installs" eval '[ "$(cat asked.lesson)" = 0 ] && theirs build/state/setup-lesson'
printf '0.2\n' > VERSION       # of which all that is compiled bears the number
try setpriv --reuid=$user --regid=$group --clear-groups make build/obj/unity/common-trace-record-1.o
check "they go on where root was" eval '[ "$status" = 0 ] && theirs build/obj/unity/common-trace-record-1.o'

mkdir mine && chmod 755 mine
try make -o simcc install DESTDIR="$PWD/mine"
check "root installs where it says" eval '[ "$status" = 0 ] && [ -z "$(find mine ! -uid 0)" ] && [ -e mine/usr/local/bin/simcc ]'
rm -rf mine

# A user that root cannot become, or that cannot come here.
chmod 700 . && mkdir -m 755 in && mv Makefile in/ && chown -R 0:0 . && chown $user in && cd in || exit 2
try make list
check "where root cannot do that it says so in one line" eval '[ "$(grep -c "You are root in another user.s folder" <<< "$said")" = 1 ]'

echo "1..$count"
exit $failed
