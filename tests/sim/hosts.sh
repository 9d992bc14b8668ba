#!/bin/bash
# SPDX-License-Identifier: MIT
#
# The simulator on other hosts: with ucontext for fibers, as where none are
# written by hand, and on aarch64, under qemu. Kernels say there what they say here.
set -u
cd "$(dirname "$0")/../.." || exit 2
scratch=$(mktemp -d) || exit 2
trap 'rm -rf "$scratch"' EXIT

kernels=(shared warps groups)       # what runs on fibers
count=0
ok() {      # sentence command...
    local sentence=$1
    shift
    count=$((count + 1))
    if "$@" > "$scratch/said" 2>&1; then
        echo "ok $count - $sentence"
    else
        echo "not ok $count - $sentence"
        head -n 20 "$scratch/said" | sed 's/^/# /'
    fi
}
skip() { count=$((count + 1)); echo "ok $count - $1 # SKIP $2"; }
has() { command -v "$1" > /dev/null; }
flags=(-std=c11 -O1 -D_GNU_SOURCE -Icommon -I. -Icommon/sim/include -fvisibility=hidden)
shown=(-include sim/visible.h)

# A simcc with libraries of its own: home NAME.
home() {
    mkdir -p "$scratch/$1/build/bin" "$scratch/$1/build/lib" "$scratch/$1/bin"
    ln -s "$PWD/common" "$scratch/$1/common"
    cp build/bin/simcc "$scratch/$1/build/bin"
}

# What a kernel's rules say: NAME RULES RUNNER...
says() {
    PATH=$scratch/$1/bin:$PATH "$scratch/$1/build/bin/simcc" "tests/sim/rules/kernels-$2.cu" -o "$scratch/$1/$2" &&
        "${@:3}" "$scratch/$1/$2"
}
the_same() {
    for rules in "${kernels[@]}"; do
        says here "$rules" > "$scratch/here/said" && says "$1" "$rules" "${@:2}" > "$scratch/$1/said" &&
            grep -q '^ok' "$scratch/here/said" && diff "$scratch/here/said" "$scratch/$1/said" || return 1
    done
}
# The parts of a simulator as the one object that programs get: NAME COMPILER.
together() {
    local lib=$scratch/$1/build/lib
    "$2" -r -nostdlib -o "$scratch/$1/sim.o" -Wl,--whole-archive "$lib/libparts.a" -Wl,--no-whole-archive "$lib"/lib{model,trace}.a &&
        "${2/%gcc/ar}" qcs "$lib/libsim.a" "$scratch/$1/sim.o"
}
home here
cp build/lib/lib{sim,model,trace}.a "$scratch/here/build/lib"

home ucontext
cp build/lib/lib{parts,model,trace}.a "$scratch/ucontext/build/lib"
with_ucontext() {
    local unit
    for unit in $(grep -l 'sim/fiber' build/unity/sim-*.c); do
        "${CC:-gcc}" "${flags[@]}" "${shown[@]}" -DFIBER_UCONTEXT -c -o "$scratch/ucontext/$(basename "$unit" .c).o" "$unit" || return 1
    done
    ar r "$scratch/ucontext/build/lib/libparts.a" "$scratch"/ucontext/*.o && nm "$scratch"/ucontext/*.o | grep -q swapcontext &&
        together ucontext gcc && the_same ucontext
}
ok "kernels with barriers say the same on fibers made with ucontext" with_ucontext

sentence="kernels with barriers say on aarch64 what they say here"
tools="aarch64-linux-gnu-gcc aarch64-linux-gnu-g++ aarch64-linux-gnu-ar qemu-aarch64"
missing=
for tool in $tools; do has "$tool" || missing=$tool; done
on_aarch64() {
    home aarch64
    ln -s "$(command -v aarch64-linux-gnu-g++)" "$scratch/aarch64/bin/g++"
    for lib in sim model trace; do
        local files=(build/unity/$lib-*.c) of=("${flags[@]}") to=$lib
        [ $lib != sim ] || of+=("${shown[@]}") to=parts
        [ $lib != model ] || files+=(build/cards.c)
        mkdir "$scratch/aarch64/$lib"
        printf '%s\n' "${files[@]}" | xargs -I '{}' -P "$(nproc)" sh -c '
            out=$0/$(basename "$1" .c).o; shift; exec aarch64-linux-gnu-gcc "$@" -c -o "$out"' \
            "$scratch/aarch64/$lib" '{}' '{}' "${of[@]}" || return 1
        aarch64-linux-gnu-ar qcs "$scratch/aarch64/build/lib/lib$to.a" "$scratch/aarch64/$lib"/*.o || return 1
    done
    together aarch64 aarch64-linux-gnu-gcc && the_same aarch64 qemu-aarch64 -L /usr/aarch64-linux-gnu
}
if [ -n "$missing" ]; then skip "$sentence" "no $missing here"; else ok "$sentence" on_aarch64; fi
echo "1..$count"
