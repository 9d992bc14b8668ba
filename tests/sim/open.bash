# SPDX-License-Identifier: MIT
# For tests whose programs look into the simulator that they are (tests/sim/replay.c): a simcc in FOLDER whose library
# shows its inner names. Prints where that simcc is.
open_simcc() { # FOLDER
    mkdir -p "$1/build/bin" "$1/build/lib" && cp build/bin/simcc "$1/build/bin" && ln -s "$PWD/common" "$1/common" &&
        gcc -r -nostdlib -o "$1/open.o" -Wl,--whole-archive build/lib/libparts.a -Wl,--no-whole-archive \
            build/lib/libmodel.a build/lib/libtrace.a && ar qcs "$1/build/lib/libsim.a" "$1/open.o" && echo "$1/build/bin/simcc"
}
