# SPDX-License-Identifier: MIT
#
# For tests of what nvcc refuses between host and device: a program whose comments say what is to be said of its lines.
. tests/sim/sim.bash

# x.cu's //KIND NAME at the end of a line: what is to be said of that line.
expected() {
    awk -v file="$dir/x.cu" '
        BEGIN {
            says["host"] = "is a host function: device code can call only __device__ functions"
            says["device"] = "is a __device__ function: host code can call only host functions"
            says["call"] = "is a kernel: launch it with <<<grid, block>>> before its arguments"
            says["launch"] = "is not a kernel: only kernels are launched with <<< >>>"
            says["member"] = "is a kernel: a kernel cannot be a member of a class"
            says["array"] = "of this array is not a constant: device code has no arrays of variable length"
        }
        match($0, /\/\/[a-z]+ /) {
            kind = substr($0, RSTART + 2, RLENGTH - 3)
            print file ":" NR ": error: " substr($0, RSTART + RLENGTH) " " says[kind]
        }' "$dir/x.cu"
}
standard=-std=c++17
# refuses SENTENCE < PROGRAM: the lines that such a comment is in, and no others.
refuses() {
    cat > "$dir/x.cu"
    run build/bin/simcc --hazards calls $standard -c "$dir/x.cu" -o "$dir/x.o"
    check "$1" "$(diff <(expected) <(sort -t : -k 2n "$dir/err"); ends 1 || echo "ended with $status")"
}
# takes SENTENCE < PROGRAM: nothing is said of it.
takes() {
    cat > "$dir/x.cu"
    run build/bin/simcc --hazards calls $standard --expt-relaxed-constexpr -Wall -Werror -c "$dir/x.cu" -o "$dir/x.o"
    check "$1" "$(cat "$dir/err"; ends 0 || echo "ended with $status")"
}
