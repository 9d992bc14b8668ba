# SPDX-License-Identifier: MIT
# For scripts that need a real card, sourced from the project's folder: `trouble` (of `me`) and `first_line` say what is wrong;
# ask_card SCRATCH sets nvcc (NVCC names another), card, capability, driver, cuda_driver, cuda and compile_options, or
# ends with status 2.
trouble() { echo "$me: $*" >&2; exit 2; }
first_line() { grep -m 1 . "$1" || echo 'no word of why'; }

ask_card() { # scratch
    nvcc=(${NVCC:-nvcc})
    command -v "${nvcc[0]}" > "$1/where" || trouble "there is no ${nvcc[0]}: put the CUDA toolkit's bin folder in PATH, or say NVCC=/where/nvcc/is"
    "${nvcc[@]}" tools/card.cu -o "$1/card" > "$1/said" 2>&1 || trouble "${nvcc[*]} cannot compile: $(first_line "$1/said")"
    timeout "${LIMIT:-120}" "$1/card" > "$1/card.txt" 2> "$1/said" || trouble "there is no GPU to ask: $(first_line "$1/said")"
    { read -r card; read -r capability; read -r cuda_driver; read -r cuda; } < "$1/card.txt"
    driver=$(ask_smi driver_version)
    driver=${driver:-$(sed -n 's/.*Module *\([0-9.]*\).*/\1/p' /proc/driver/nvidia/version 2> /dev/null)}
    compile_options=(-O1 -std=c++17 "-arch=sm_${capability/./}" -Icommon)
}

ask_smi() { nvidia-smi --query-gpu="$1" --format=csv,noheader 2> /dev/null | head -n 1; }
