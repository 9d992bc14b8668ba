#!/bin/bash
# SPDX-License-Identifier: MIT
# On a fresh machine no compiler is called before the setup has brought it: with a made-up setup that takes its time, a
# compiler that notes when it is called, and all that make compiles. In a copy of this folder with no build/.
. tests/tap.bash
copy=$dir/copy
seen() { grep -E "Error|\*\*\*" said; tail -n 20 said; }
mkdir "$copy"
tar -c --exclude=./.git --exclude=./work --exclude=./build . | tar -x -C "$copy"
cd "$copy" || exit 2
script() { printf '#!/bin/sh\n%s\n' "$2" > "$1" && chmod +x "$1"; }  # file text

# In the place of compilers and of what they make: leaves a copy of itself where it is to write.
mkdir -p toolkit/bin toolkit/include && : > toolkit/include/cupti.h
script toolkit/bin/tool "
[ -e '$copy/ready' ] || echo \"\${0##*/} \$*\" >> '$copy/early'
echo \"\${0##*/}\" >> '$copy/called'
[ \"\$1\" != qcs ] || cp '$copy/toolkit/bin/tool' \"\$2\"
while [ \$# -gt 1 ]; do
    case \$1 in -o | -MF) cp '$copy/toolkit/bin/tool' \"\$2\"; [ \"\$1\" = -o ] || : > \"\$2\" ;; esac
    shift
done"
for tool in nvcc cc c++ ar objcopy; do ln -s tool toolkit/bin/$tool; done
script tools/setup "[ \"\$1\" != --has ] || { [ \"\$2\" = grade ]; exit; }
echo \"\$*\" >> '$copy/asked'
sleep 1
: > '$copy/ready'"
script tests/run :
script tools/bench/run :

with=(CC="$copy/toolkit/bin/cc" CXX="$copy/toolkit/bin/c++" AR="$copy/toolkit/bin/ar" OBJCOPY="$copy/toolkit/bin/objcopy" \
    NVCC="$copy/toolkit/bin/nvcc" BACKEND=cuda)
make -k -j8 "${with[@]}" check bench build/gpu/compare build/lib/librecorder.so build/bin/seeds \
    build/static/{simcc,grade,study,timeline,nodes} > said 2>&1
status=$?
ok "all is made" [ "$status" = 0 ]
ok "compilers, ar and objcopy are called for it" \
    [ "$(grep -x 'cc\|c++\|ar\|objcopy' called | sort -u | tr '\n' ' ')" = 'ar c++ cc objcopy ' ]
cat early >> said 2> /dev/null
ok "and none before the setup is through" [ ! -e early ]
cp asked said
ok "what this make needs is asked for at once, and first" [ "$(head -n 1 asked)" = 'lesson check' ]

done_testing
