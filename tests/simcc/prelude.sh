#!/bin/bash
# SPDX-License-Identifier: MIT
# Precompiled headers and fast linkers save time and change nothing (common/simcc/prelude.h, link.c, direct_link.h).
. tests/grader/tap.bash

cat > "$dir/x.cu" << 'END'
#include <stdio.h>
__global__ void add(int *a) { a[threadIdx.x] += threadIdx.x; }
int main()
{
    int *d, h[32] = { 0 };
    cudaMalloc(&d, sizeof h);
    cudaMemcpy(d, h, sizeof h, cudaMemcpyHostToDevice);
    add<<<1, 32>>>(d);
    cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);
    assert(h[31] == 0);
    printf("%d\n", h[31]);
    return cudaFree(d);
}
END
# simcc as it lies in a folder of its own: with preludes, and with none.
mkdir -p "$dir"/{with,without}/build/{bin,lib}
for home in with without; do
    cp build/bin/simcc "$dir/$home/build/bin" && cp build/lib/libsim.a "$dir/$home/build/lib" &&
        mkdir "$dir/$home/common" && cp common/*.h "$dir/$home/common" && cp -r --parents common/sim/include "$dir/$home"
done
cp -r build/lib/prelude "$dir/with/build/lib"
simcc() { "$dir/$1/build/bin/simcc" -v "${@:2}" "$dir/x.cu" > "$dir/out" 2> "$dir/err"; status=$?; }
object() { simcc "$1" -c -o "$dir/$1.o" "${@:2}"; }
code() { objdump -d -r --no-show-raw-insn "$1" | sed 1,3d; }
uses_prelude() { grep -q -- '-include [^ ]*/prelude/' "$dir/err" && [ "$(grep -c '^#\$ [^ ]* .* -E ' "$dir/err")" = 1 ]; }
preprocesses_again() { [ "$(grep -c '^#\$ [^ ]* .* -E ' "$dir/err")" = 2 ] && ! grep '^#\$ .* -E ' "$dir/err" | sed 1d | grep -q /prelude/; }

for options in "-O2 -g" "-Og -g1 -D_GLIBCXX_ASSERTIONS" "-Og -g1 -D_GLIBCXX_ASSERTIONS --default-stream per-thread"; do
    for builds in calls instrumented; do
        object with $options -DNDEBUG_NOT --hazards $builds
        ok "with $options, $builds, the headers are precompiled" uses_prelude
        object without $options -DNDEBUG_NOT --hazards $builds
        [ "$builds" = instrumented ] || ok "and the code is the same" cmp <(code "$dir/with.o") <(code "$dir/without.o")
    done
done
for options in "-O3" "-std=c++17"; do
    object with $options
    ok "with $options, too" uses_prelude
    object without $options
    ok "and the code is the same" cmp <(code "$dir/with.o") <(code "$dir/without.o")
done
object with -arch=sm_80
ok "with another architecture, too" uses_prelude
object with -MD -MF "$dir/depends"
compiles_from() { grep -q -- '-include [^ ]*/prelude/' "$dir/err" && [ "$(grep -c '^#\$ [^ ]* .* -E ' "$dir/err")" = "$1" ]; }
ok "with -MD, which names each header that they have" eval 'compiles_from 2 && grep -q "/include/cuda_runtime.h" "$dir/depends" && ! grep -q /prelude/ "$dir/depends"'
printf '#include <cuda_runtime.h>\nint other() { return cudaGetLastError(); }\n' > "$dir/other.cpp"
simcc with "$dir/other.cpp" -o "$dir/x"
ok "a source in C++ is preprocessed once, without them, and one in CUDA that follows it with them" compiles_from 2
object with -O0
ok "with other options they are read" eval '! uses_prelude && ends 0'
simcc with -DNDEBUG -o "$dir/x"
ok "with a macro that is in the headers, too" eval 'preprocesses_again && ends 0'
ok "and the macro does what it is for" [ "$("$dir/x" 2>&1)" = 31 ]
# What g++ -E reads has what the headers define, and nothing of what they declare.
defined() { eval "$(sed -n 's/^#\$ \(.* -E .*\)/\1/p' "$dir/err") -dM" | grep -v '^#pragma' | sort; }
object with && defined > "$dir/defined"
object without
ok "they define the same, precompiled or not" eval '[ -s "$dir/defined" ] && cmp "$dir/defined" <(defined)'
bytes_of() { stat -c %s "$dir/with/build/lib/prelude/O2+g/$1"; }
ok "to preprocess, less than a fifth of them is read" [ $((5 * $(bytes_of prelude.h.gch))) -lt "$(bytes_of plain.gch)" ]
object with -DWARRANTY
ok "a macro that is only in their notes leaves them precompiled" uses_prelude
printf '#define NULL 7\nint main() { return 0; }\n' > "$dir/null.cu"
said_of_null() {
    "$dir/$1/build/bin/simcc" -c -o "$dir/null.o" "$dir/null.cu" 2>&1 | grep -v 'prelude.h\|<command-line>' | sed "s,[^ ]*/common/,common/,; s/[,:]//g"
}
ok "where one of theirs is defined anew, the same is said of the line where they do" eval 'said_of_null with | grep -q "stddef.h[0-9]* note" &&
    is "$(said_of_null with)" "$(said_of_null without)"'
simcc with -o "$dir/x"
bash -c '"$0"' "$dir/x" > "$dir/out" 2> "$dir/err"
status=$?
ok "without it, the assertion fails" eval '[ $status != 0 ] && complains "x.cu:10:"'

# After an upgrade of g++ they are of another one.
for broken in prelude.h.gch plain.gch instrumented.gch; do
    cp "$dir/with/build/lib/prelude/O2+g/$broken" "$dir/saved"
    { printf gpch.013; tail -c +9 "$dir/saved"; } > "$dir/with/build/lib/prelude/O2+g/$broken"
    simcc with -o "$dir/x"
    ok "with a $broken of another g++ they are read again" eval 'ends 0 && preprocesses_again'
    cp "$dir/saved" "$dir/with/build/lib/prelude/O2+g/$broken"
done

sed -i 's/cudaFree(d)/cudaFree(d, 3)/' "$dir/x.cu"
simcc with -o "$dir/x"
said() { grep -v '^#\$' "$dir/err"; }
said > "$dir/said"
simcc without -o "$dir/x"
ok "what g++ says of a mistake is the same" eval 'ends 1 && [ -s "$dir/said" ] && cmp "$dir/said" <(said)'
sed -i 's/cudaFree(d, 3)/cudaFree(d)/' "$dir/x.cu"

# ---- the linker ----
mkdir "$dir/bin"
for tool in g++ as ld; do ln -s "$(command -v $tool)" "$dir/bin"; done
links_with() { PATH=$dir/bin simcc with -o "$dir/x"; grep '^#\$ .* -no-pie ' "$dir/err" | grep -o -- '-fuse-ld=[a-z]*' | sort -u; }
ok "where there is no other linker, ld links" eval '[ -z "$(links_with)" ] && "$dir/x" 2>&1 | grep -q x.cu:10'
sed 's/cudaFree(d)/missing(d)/; 1i int missing(int *);' "$dir/x.cu" > "$dir/y.cu"
said_of_missing() { PATH=$dir/bin build/bin/simcc "$dir/y.cu" -o "$dir/y" 2>&1 | sed 's,simcc-[^/]*,simcc,'; }
of_ld=$(said_of_missing)
ok "ld says what is missing, and where" grep -q 'y.cu:.*undefined reference to .missing' <<< "$of_ld"
for linker in mold lld gold; do     # the last one goes before the others
    program=$(command -v ld.$linker) || { skip "$linker links, where it is there" "there is no ld.$linker"; continue; }
    ln -s "$program" "$dir/bin"
    ok "$linker links, where it is there" eval '[ "$(links_with)" = -fuse-ld=$linker ] && "$dir/x" 2>&1 | grep -q x.cu:10'
    [ $linker = gold ] || ok "and what is missing is said as ld says it" is "$(said_of_missing)" "$of_ld"
done
simcc with -fuse-ld=bfd -o "$dir/x"
ok "a linker that the user names is the one" eval 'ends 0 && [ "$(grep -o -- "-fuse-ld=[a-z]*" "$dir/err" | sort -u)" = -fuse-ld=bfd ]'

# The C++ library is read by the linker only where a program has something of it, and gold is called without g++ (link.h).
mkdir "$dir/telling"
for tool in g++ ld.gold; do
    program=$(command -v $tool) || continue
    printf '#!/bin/sh\necho "%s $*" >> "%s/commands"\nexec "%s" "$@"\n' $tool "$dir" "$program" > "$dir/telling/$tool"
    chmod +x "$dir/telling/$tool"
done
# links HOME MAIN: simcc's status; links by gold itself without the C++ library and with it, by g++ without and with it.
links() {
    printf '__global__ void k() { }\nnamespace __gnu_cxx { void __verbose_terminate_handler(); }\nint main() { k<<<1, 1>>>(); cudaDeviceSynchronize(); %s }\n' "$2" > "$dir/z.cu"
    rm -f "$dir/commands"
    PATH=$dir/telling:$PATH "$dir/$1/build/bin/simcc" -Og -g1 -fdebug-prefix-map="$dir"=. --hazards=instrumented --judged "$dir/z.cu" -o "$dir/z" 2> "$dir/err"
    status=$? by_gold=$(grep '^ld.gold .*-nostdlib' "$dir/commands") by_gcc=$(grep '^g++ .* -no-pie ' "$dir/commands")
    echo $status $(grep -vc 'libstdc++' <<< "${by_gold:-libstdc++}") $(grep -c 'libstdc++' <<< "$by_gold") \
        $(grep -c -- '-nodefaultlibs' <<< "$by_gcc") $(grep -vc -- '-nodefaultlibs' <<< "${by_gcc:--nodefaultlibs}")
}
unseen='void (*volatile f)() = __gnu_cxx::__verbose_terminate_handler; return !f;'
if command -v ld.gold > "$dir/out"; then
    ok "a program that has nothing of the C++ library's is linked without, by gold alone" is "$(links with 'return 0;')" '0 1 0 0 0'
    ok "and runs" "$dir/z"
    libraries() { readelf -d "$1" | grep NEEDED; }
    libraries "$dir/z" > "$dir/directly" && links without 'return 0;' > "$dir/out" && libraries "$dir/z" > "$dir/by-gcc"
    ok "it needs the libraries that one needs which g++ links" cmp "$dir/directly" "$dir/by-gcc"
    ok "one that allocates as C++ does is linked with it at once" is "$(links with 'return !new int;')" '0 0 1 0 0'
    ok "and runs" "$dir/z"
    ok "where that is not seen, g++ links it" is "$(links with "$unseen")" '0 1 0 0 1'
    ok "and what is missing is said once" eval '[ "$(links with "extern void nowhere(int); nowhere(1);")" = "1 1 0 0 1" ] &&
        is "$(grep -c "undefined reference to" "$dir/err")" 1'
    sed -i 's,/libc\.so$,/gone&,' "$dir/with/build/lib/prelude/Og+g/linker"
    ok "where a library is no longer there, g++ links" is "$(links with 'return 0;')" '0 1 0 0 1'
else
    skip "gold links without g++" "there is no ld.gold"
fi
ok "without its words g++ links, with the C library alone" is "$(links without 'return 0;')" '0 0 0 1 0'
ok "and it runs" "$dir/z"
ok "or with all" is "$(links without 'return !new int;')" '0 0 0 0 1'
ok "where that is not seen, it is linked again" is "$(links without "$unseen")" '0 0 0 1 1'
ok "and what is missing is said once" eval '[ "$(links without "extern void nowhere(int); nowhere(1);")" = "1 0 0 1 1" ] &&
    is "$(grep -c "undefined reference to" "$dir/err")" 1'
done_testing
