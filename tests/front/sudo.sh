#!/bin/bash
# SPDX-License-Identifier: MIT
# sudo make in a folder that is another user's: all that comes of it is that user's. In a copy of this folder.
. tests/tap.bash
if [ "$(id -u)" != 0 ]; then
    skip_all "only root can be root in another user's folder"
fi
chmod 755 "$dir"
copy=$dir/copy
copy_tree "$copy"
cd "$copy" || exit 2
user=65534 group=65533
rm -rf build/lib/prelude && cp -a "$OLDPWD/build/lib/prelude" build/lib    # ours stay ours
chown -R $user:$group .

says() { [[ $said == *"$1"* ]]; }
seen() { printf 'status %s, said: %s\n' "$status" "$said"; strange; }
strange() { find . "$@" ! \( -uid $user -gid $group \); }
theirs() { [ -e "$1" ] && [ -z "$(strange)" ]; }

try make lesson02
ok "the copy of an exercise is theirs, and all beside it" eval 'says "not attempted" && theirs work/02-stream-queues.cu && theirs work/progress'
cp solutions/02-stream-queues.cu work && chown $user:$group work/*
try make lesson02 JSON=verdict.json
ok "and so is a verdict" eval '[ "$status" = 0 ] && theirs verdict.json'
try make reset02
ok "what is put aside" theirs work/kept/02-stream-queues.1.cu
try make submit NAME=me
ok "what is packed" theirs build/submit/me.tar.gz

# What a first build makes, and the setup, which runs as root.
printf '#!/bin/sh\nid -u > asked.$1 && chown %s:%s asked.$1\n' $user $group > tools/setup
rm -rf build/obj/unity build/state build/lib/libtrace.a build/cards.c
try make build/lib/libtrace.a build/cards.c
ok "what is built" eval '[ "$status" = 0 ] && theirs build/lib/libtrace.a && theirs build/state/flags'
ok "root installs" eval '[ "$(cat asked.lesson)" = 0 ] && theirs build/state/setup-lesson'
printf '0.2\n' > VERSION       # of which all that is compiled bears the number
try setpriv --reuid=$user --regid=$group --clear-groups make build/obj/unity/common-trace-record-1.o
ok "they go on where root was" eval '[ "$status" = 0 ] && theirs build/obj/unity/common-trace-record-1.o'

mkdir mine && chmod 755 mine
try make -o simcc install DESTDIR="$PWD/mine"
ok "root installs where it says" eval '[ "$status" = 0 ] && [ -z "$(find mine ! -uid 0)" ] && [ -e mine/usr/local/bin/simcc ]'
rm -rf mine

if [ -x build/bin/batch ]; then
    mkdir class && mkdir class/anna && cp solutions/01-sync-vs-async.cu class/anna && chown -R $user:$group class
    try make -o grade-ready grade SUBMISSIONS=class LESSONS=01 SEED=7 NO_SANDBOX=1
    ok "a class's grades are theirs" eval '[ "$status" = 0 ] && theirs grades/results.json'
else
    skip "a class's grades are theirs" "there is no build/bin/batch"
fi

# A user that root cannot become, or that cannot come here.
chmod 700 . && mkdir -m 755 in && mv Makefile in/ && chown -R 0:0 . && chown $user in && cd in || exit 2
try make list
ok "where root cannot do that it says so in one line" eval '[ "$(grep -c "You are root in another user.s folder" <<< "$said")" = 1 ]'

done_testing
