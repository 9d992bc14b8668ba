#!/bin/bash
# SPDX-License-Identifier: MIT
# make check-gpu where there is no GPU: simcc stands in for nvcc, rules of our own for the real ones.
. tests/tap.bash
copy=$dir/copy
mkdir -p "$copy/tests/sim/rules/here" "$copy/bin"
cp -r Makefile VERSION common tools "$copy"
cp tests/run-gpu "$copy/tests"
cp tests/sim/rules.bash "$copy/tests/sim"
cp tests/sim/rules/rule.h "$copy/tests/sim/rules"
cd "$copy" || exit 2
# What a command says on both, without line breaks at its end, is in $said.
try() { "$@" > "$dir/out" 2>&1 < /dev/null; status=$?; said=$(< "$dir/out"); }
says() { [[ $said == *"$1"* ]]; }
reports() { grep -qFx -- "$1" build/check-gpu.md; }

rule() { # name, more lines on top; statements from stdin
    { printf '/* SPDX-License-Identifier: MIT */\n%s\n#include <stdlib.h>\n#include "../rule.h"\nint main()\n{\n' "${2-}"
      cat
      printf '    return rules_end();\n}\n'; } > "tests/sim/rules/here/$1.cu"
}

# Says of itself what nvcc would; the simulator has streams.h's functions of its own.
cat > bin/nvcc <<EOF
#!/bin/bash
printf '%s\n' "\$*" >> "$copy/calls"
arguments=()
while [ \$# -gt 0 ]; do
    case \$1 in
    --version) echo 'Cuda compilation tools, release 13.0, V13.0.88'; exit ;;
    -diag-suppress | -Xcompiler) shift ;;
    common/streams.cu) arguments+=("$copy/empty.cu") ;;
    *) arguments+=("\$1") ;;
    esac
    shift
done
exec "$root/build/bin/simcc" "\${arguments[@]}"
EOF
chmod +x bin/nvcc
echo "static int nothing;" > empty.cu
PATH=$copy/bin:$PATH

rule first <<'EOF'
    rule(1 + 1 == 2, "numbers add up");
    rule(true, "a | b is <no> *markup*");
EOF
rule second '/* run: CUDA_LAUNCH_BLOCKING=1 MOOD=good */
/* build: -DANSWER=42 */' <<'EOF'
    rule(ANSWER == 42, "a rule may ask for options");
    rule(!strcmp(getenv("MOOD"), "good"), "and for an environment");
EOF
printf '#include "../rule.h"\nint main()\n{\n    return device_count() < 2 ? rules_skip("two devices") : rules_end();\n}\n' \
    > tests/sim/rules/here/pair.cu
try make check-gpu
ok "rules that hold pass" [ "$status" = 0 ]
ok "and are counted" says '4 held, 0 did not'
ok "rules that need what is not there say so" says 'skip  pair                 needs two devices'
ok "and the report says it" reports '- pair: needs two devices'
ok "nothing else is built for it" [ "$(ls build)" = check-gpu.md ]
ok "the rules are compiled for the card that is there" grep -q -- '-arch=sm_90 .*first.cu' calls
ok "the report names the card" reports '| card | NVIDIA H200, compute capability 9.0 |'
ok "the report names nvcc" reports '| CUDA | 13.0 (nvcc 13.0.88) |'
ok "the report has every sentence, none of it markup" reports '- a \| b is \<no\> \*markup\*'

rule lies <<'EOF'
    rule(1 + 1 == 2, "numbers add up here");
    rule(1 + 1 == 3, "one and one is three");
EOF
rule stops <<'EOF'
    rule(true, "it begins well");
    CHECK(cudaSetDevice(77));
EOF
rule crashes <<'EOF'
    rule(true, "it begins as well");
    fflush(stdout);
    abort();
EOF
rule hangs '#include <unistd.h>' <<'EOF'
    for (;;)
        pause();
EOF
rule silent < /dev/null
rule wrong <<'EOF'
    rule(true, "this is never read")
EOF
try make check-gpu LIMIT=5
ok "rules that do not hold are found wanting" [ "$status" = 2 ]
ok "what holds is counted, what does not, too" says '7 held, 6 did not'
ok "a sentence that does not hold is named" says 'not ok - one and one is three'
ok "so is a program that stops" says 'not ok - stops.cu runs to its end'
ok "with what it said" says 'cudaSetDevice(77): cudaErrorInvalidDevice'
ok "one that crashes" says 'not ok - crashes.cu ends, but not with status'
ok "one that goes on for ever" says 'not ok - hangs.cu ends within 5 s'
ok "one that says nothing" says 'not ok - silent.cu says something'
ok "and one that does not compile" says 'not ok - wrong.cu compiles'
ok "the report names them, too" reports '- lies: one and one is three'

try tests/run-gpu first lies
ok "words choose among the rules" says '3 held, 1 did not'
ok "of itself it ends with status 1" [ "$status" = 1 ]
try tests/run-gpu nothing
ok "words that choose nothing get one line" [ "$status $(wc -l <<< "$said")" = '2 1' ]

try env NVCC="$copy/none/nvcc" tests/run-gpu
ok "without nvcc there is one line that says so" \
    [ "$status $said" = "2 check-gpu: there is no $copy/none/nvcc: put the CUDA toolkit's bin folder in PATH, or say NVCC=/where/nvcc/is" ]
cat > bin/nvcc <<'EOF'
#!/bin/sh
printf '#!/bin/sh\necho no CUDA-capable device is detected >&2\nexit 2\n' > "$3"
chmod +x "$3"
EOF
try tests/run-gpu
ok "without a card there is one, too" \
    [ "$status $said" = '2 check-gpu: there is no GPU to ask: no CUDA-capable device is detected' ]
printf '#!/bin/sh\necho "nvcc fatal: no host compiler" >&2\nexit 1\n' > bin/nvcc
try tests/run-gpu
ok "nvcc that cannot compile is quoted" [ "$status $said" = '2 check-gpu: nvcc cannot compile: nvcc fatal: no host compiler' ]

# common/streams.cu itself: host code, so that any C++ compiler does.
cat > real.cc <<'EOF'
#include "streams.h"
#include <stdio.h>
const char *cudaGetErrorName(cudaError_t) { return "cudaErrorName"; }
const char *cudaGetErrorString(cudaError_t) { return "its text"; }
int main()
{
    label_push("work");
    long long begin = now_ns();
    host_work(3000000);
    printf("%d\n", now_ns() - begin >= 3000000);
    label_pop();
    CHECK(cudaSuccess);
    printf("goes on\n");
    CHECK((cudaError_t)1);
    printf("never\n");
}
EOF
try g++ -std=c++17 -Wall -Wextra -Werror -DNVTX_DISABLE -Icommon -Icommon/sim/include -x c++ common/streams.cu real.cc -o real
ok "streams.h's own functions for a GPU compile" [ "$status" = 0 ]
try ./real
ok "there host_work takes real time, and CHECK ends the program with one line" \
    [ "$status $said" = "1 1
goes on
real.cc:$(grep -n 'CHECK((' real.cc | cut -d: -f1): (cudaError_t)1: cudaErrorName: its text" ]

done_testing
