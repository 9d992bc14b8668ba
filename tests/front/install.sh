#!/bin/bash
# SPDX-License-Identifier: MIT
# make install: what README offers outside of this folder works from where it is put, with this folder gone; make
# uninstall takes it away. And simcc calls the compiler that the workbook was set up with. In a copy of this folder.
. tests/tap.bash
above=$dir/above
copy=$above/copy there="$above/there with a space"
mkdir "$copy"
copy_tree "$copy"
cd "$copy" || exit 2

says() { [[ $said == *"$1"* ]]; }

cat > "$above/adds.cu" << 'END'
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cstdio>
__global__ void add(int *p) { *p += 40; }
int main()
{
    int *p, h = 2;
    cudaMalloc(&p, sizeof h);
    cudaMemcpy(p, &h, sizeof h, cudaMemcpyHostToDevice);
    add<<<1, 1>>>(p);
    cudaMemcpy(&h, p, sizeof h, cudaMemcpyDeviceToHost);
    printf("%d\n", h);
    return cudaFree(p);
}
END

promised=$(grep -o 'build/bin/[a-z]*' README.md | sed 's,build/bin/,,' | sort -u)
ok "README offers simcc and timeline" [ "$(echo $promised)" = 'simcc timeline' ]

umask 077
try make install DESTDIR="$there" prefix=/opt/books
bin="$there/opt/books/bin"
ok "they are installed" eval '[ "$status" = 0 ] && [ "$(echo $(ls "$bin"))" = "$(echo $promised)" ]'
ok "for all to read" eval '[ -x "$bin/simcc" ] && [ -z "$(find "$there/opt" ! -type l ! -perm -o+r)" ]'
mv "$copy" "$above/gone"
cd "$above" || exit 2
try "$bin/simcc" adds.cu -o adds
ok "simcc compiles where there is nothing but what was installed" [ "$status" = 0 ]
try "$bin/timeline" --width 80 ./adds
ok "timeline draws what it made" eval '[ "$status" = 0 ] && says "H2D copy" && says "kernel"'
try ./adds
ok "which runs" [ "$said" = 42 ]
cd gone && try make uninstall DESTDIR="$there" prefix=/opt/books
ok "uninstall takes all of it away" \
    eval '[ "$status" = 0 ] && [ -d "$there" ] && [ -z "$(find "$there" ! -type d)" ] && [ ! -e "$there/opt/books/lib/streams-workbook" ]'

# A compiler by another name, of two words.
printf '#!/bin/sh\necho "$*" >> "%s/called"\nexec "$@"\n' "$above" > "$above/noted" && chmod +x "$above/noted"
try make CXX="$above/noted g++" build/bin/simcc
rm -f "$above/called"
try build/bin/simcc "$above/adds.cu" -lm -o "$above/adds"
ok "simcc preprocesses, compiles and links with the compiler that CXX names" eval \
    '[ "$status" = 0 ] && [ "$(grep -c "^g++ .*-E " ../called)" = 1 ] && grep -q "^g++ .*-c " ../called && grep -q "^g++ .*-no-pie " ../called'

done_testing
