#!/bin/bash
# SPDX-License-Identifier: MIT
#
# The simulator on other hosts: with ucontext for fibers, as where none are
# written by hand, and on aarch64, under qemu. Kernels say there what they say here.
. tests/tap.bash

kernels=(shared warps groups)       # what runs on fibers
has() { command -v "$1" > /dev/null; }
flags=(-std=c11 -D_GNU_SOURCE -Icommon -I. -Icommon/sim/include -fvisibility=hidden)
shown=(-include sim/visible.h)
# A unit's level: what the optimiser remembers is wrong after a change of fibers, if anywhere; the rest only has to run.
level() { if grep -q 'fiber/\|kernel/' "$1"; then echo -O1; else echo -O0; fi; }
export -f level

# A simcc with libraries of its own: home NAME.
home() {
    mkdir -p "$dir/$1/build/bin" "$dir/$1/build/lib" "$dir/$1/bin"
    ln -s "$PWD/common" "$dir/$1/common"
    cp build/bin/simcc "$dir/$1/build/bin"
}

# The units that a library is made of: build/unity keeps those of another division of files, too.
units_of() { ar t "build/lib/lib$1.a" | sed -n 's,^\(.*-[0-9]*\)\.o$,build/unity/\1.c,p'; }

# What a kernel's rules say: NAME RULES RUNNER...
rules_say() {
    PATH=$dir/$1/bin:$PATH "$dir/$1/build/bin/simcc" --hazards instrumented "${machine[@]}" "tests/sim/rules/kernels/kernels-$2.cu" -o "$dir/$1/$2" &&
        "${@:3}" "$dir/$1/$2"
}
the_same() {
    # This simcc is of x86-64, and lets registers live across looks there: not with an option of the machine.
    local machine=()
    [ "$1" != aarch64 ] || machine=(-mcpu=generic)
    for rules in "${kernels[@]}"; do
        [ -e "$dir/here/$rules.said" ] || rules_say here "$rules" > "$dir/here/$rules.said"
        rules_say "$1" "$rules" "${@:2}" > "$dir/$1/said" && grep -q '^ok' "$dir/here/$rules.said" &&
            diff "$dir/here/$rules.said" "$dir/$1/said" || return 1
    done
}
# The parts of a simulator as the one object that programs get: NAME COMPILER.
together() {
    local lib=$dir/$1/build/lib
    "$2" -r -nostdlib -o "$dir/$1/sim.o" -Wl,--whole-archive "$lib/libparts.a" -Wl,--no-whole-archive "$lib"/lib{model,trace}.a &&
        "${2/%gcc/ar}" qcs "$lib/libsim.a" "$dir/$1/sim.o"
}
home here
cp build/lib/lib{sim,model,trace}.a "$dir/here/build/lib"
ln -s "$PWD/build/lib/prelude" "$dir/here/build/lib"

home ucontext
cp build/lib/lib{parts,model,trace}.a "$dir/ucontext/build/lib"
ln -s "$PWD/build/lib/prelude" "$dir/ucontext/build/lib"
with_ucontext() {
    local unit
    for unit in $(grep -l 'fiber/fiber\|kernel/block' $(units_of parts)); do
        "${CC:-gcc}" -O1 "${flags[@]}" "${shown[@]}" -DFIBER_UCONTEXT -c -o "$dir/ucontext/$(basename "$unit" .c).o" "$unit" || return 1
    done
    ar r "$dir/ucontext/build/lib/libparts.a" "$dir"/ucontext/*.o && nm "$dir"/ucontext/*.o | grep -q swapcontext &&
        together ucontext gcc && the_same ucontext
}
run with_ucontext
ok "kernels with barriers say the same on fibers made with ucontext" ends 0

sentence="kernels with barriers say on aarch64 what they say here"
tools="aarch64-linux-gnu-gcc aarch64-linux-gnu-g++ aarch64-linux-gnu-ar qemu-aarch64"
missing=
for tool in $tools; do has "$tool" || missing=$tool; done
on_aarch64() {
    shopt -s nullglob
    home aarch64
    ln -s "$(command -v aarch64-linux-gnu-g++)" "$dir/aarch64/bin/g++"
    for lib in sim model trace; do
        local files of=("${flags[@]}") to=$lib
        [ $lib != sim ] || of+=("${shown[@]}") to=parts
        files=($(units_of $to))
        [ $lib != model ] || files+=(build/cards.c)
        mkdir "$dir/aarch64/$lib"
        printf '%s\n' "${files[@]}" | xargs -I '{}' -P "$(nproc)" bash -c '
            out=$0/$(basename "$1" .c).o level=$(level "$1"); shift; exec aarch64-linux-gnu-gcc "$level" "$@" -c -o "$out"' \
            "$dir/aarch64/$lib" '{}' '{}' "${of[@]}" || return 1
        aarch64-linux-gnu-ar qcs "$dir/aarch64/build/lib/lib$to.a" "$dir/aarch64/$lib"/*.o || return 1
    done
    together aarch64 aarch64-linux-gnu-gcc && the_same aarch64 qemu-aarch64 -L /usr/aarch64-linux-gnu
}
if [ -n "$missing" ]; then skip "$sentence" "no $missing here"; else run on_aarch64; ok "$sentence" ends 0; fi
done_testing
