/* SPDX-License-Identifier: MIT */
#include "simcc/ignored.h"

#include <string.h>

bool spelling_fits(const struct spelling *s, const char *word)
{
    bool prefix = s->form == JOINED || s->form == EITHER;
    return prefix ? strncmp(word, s->text, strlen(s->text)) == 0 : strcmp(word, s->text) == 0;
}

bool spelling_takes_next(const struct spelling *s, const char *word)
{
    return s->form == NEXT || (s->form == EITHER && strcmp(word, s->text) == 0);
}

/* In the order in which they are looked for: -t is the beginning of others. -optf is here only
 * where its file is missing (option_files.h). */
static const struct spelling ignored[] = {
    { "-optf", NEXT }, { "--options-file", NEXT }, { "-time", NEXT }, { "--time", NEXT },
    { "-time=", JOINED },
    { "--time=", JOINED }, { "-save-temps", ALONE }, { "--save-temps", ALONE }, { "-s", ALONE },
    { "--fmad", NEXT },
    { "--ftz", NEXT }, { "-ftz", NEXT }, { "--prec-div", NEXT }, { "-prec-div", NEXT },
    { "--prec-sqrt", NEXT },
    { "-prec-sqrt", NEXT }, { "-dopt", NEXT }, { "-dopt=", JOINED }, { "--dopt=", JOINED },
    { "-link", ALONE },
    { "--link", ALONE }, { "-lcudadevrt", ALONE }, { "--ptxas-options=", JOINED },
    { "--ptxas-options", NEXT },
    { "-res-usage", ALONE }, { "--resource-usage", ALONE }, { "--threads=", JOINED },
    { "--threads", NEXT },
    { "-threads=", JOINED }, { "-threads", NEXT }, { "-t=", JOINED },
    { "--split-compile=", JOINED },
    { "--split-compile", NEXT }, { "-split-compile=", JOINED },
    { "-forward-unknown-to-host-linker", ALONE },
    { "--forward-unknown-to-host-linker", ALONE }, { "-forward-unknown-opts", ALONE },
    { "--forward-unknown-opts", ALONE },
    { "-allow-unsupported-compiler", ALONE }, { "--allow-unsupported-compiler", ALONE },
    { "-Xcudafe=", JOINED },
    { "-Xcudafe", NEXT }, { "-Xfatbin=", JOINED }, { "-Xfatbin", NEXT }, { "-Xnvlink=", JOINED },
    { "-Xnvlink", NEXT },
    { "-Xarchive", NEXT }, { "--maxrregcount=", JOINED }, { "--maxrregcount", NEXT },
    { "--compiler-bindir=", JOINED },
    { "--compiler-bindir", NEXT }, { "--diag-suppress=", JOINED }, { "--diag-suppress", NEXT },
    { "-diag-error=", JOINED },
    { "-diag-warn=", JOINED }, { "--display-error-number", ALONE },
    { "-no-display-error-number", ALONE },
    { "-fmad=", JOINED }, { "--fmad=", JOINED }, { "-fmad", NEXT }, { "-ftz=", JOINED },
    { "--ftz=", JOINED },
    { "-prec-div=", JOINED }, { "--prec-div=", JOINED }, { "-prec-sqrt=", JOINED },
    { "--prec-sqrt=", JOINED },
    { "-restrict", ALONE }, { "--restrict", ALONE }, { "-dlto", ALONE },
    { "--dlink-time-opt", ALONE },
    { "-keep-dir", NEXT }, { "--keep-dir", NEXT }, { "-keep", ALONE }, { "--keep", ALONE },
    { "-src-in-ptx", ALONE },
    { "--source-in-ptx", ALONE }, { "-m", NEXT }, { "--machine", NEXT }, { "--machine=", JOINED },
    { "-lineinfo", ALONE },
    { "-lcudart_static", ALONE }, { "-lcudart", ALONE }, { "-lcuda", ALONE },
    { "-lcublas", JOINED },
    { "-lcurand", JOINED }, { "-lcufft", JOINED }, { "-lcusparse", JOINED },
    { "-lcusolver", JOINED },
    { "-lcudnn", JOINED }, { "-lnvrtc", JOINED }, { "-lnvJitLink", JOINED },
    { "-lnvToolsExt", ALONE },
    { "-lnvtx3interop", ALONE }, { "-lnpp", JOINED }, { "-lnvjpeg", JOINED }, { "-lnccl", JOINED },
    { "-lnvidia-ml", ALONE }, { "-lculibos", ALONE }, { "-Xptxas=", JOINED }, { "-Xptxas", NEXT },
    { "-maxrregcount=", JOINED }, { "-maxrregcount", NEXT }, { "-ccbin=", JOINED },
    { "-ccbin", NEXT },
    { "-cudart=", JOINED }, { "-cudart", NEXT }, { "--cudart=", JOINED }, { "-t", EITHER },
    { "-diag-suppress=", JOINED },
    { "-diag-suppress", NEXT }, { "-use_fast_math", ALONE }, { "--use_fast_math", ALONE },
    { "--generate-line-info", ALONE }, { "--profile", ALONE },
    { "-Werror=cross-execution-space-call", ALONE }, { "-Werror=default-stream-launch", ALONE },
    { "-Werror=ext-lambda-captures-this", ALONE }, { "-Werror=missing-launch-bounds", ALONE },
    { "-Wext-lambda-captures-this", ALONE }, { "-Wdefault-stream-launch", ALONE },
    { "-Wmissing-launch-bounds", ALONE }, { "-extra-device-vectorization", ALONE },
    { "--extra-device-vectorization", ALONE }, { "-objdir-as-tempdir", ALONE },
    { "--objdir-as-tempdir", ALONE }, { "-static-global-template-stub=", JOINED },
    { "--static-global-template-stub=", JOINED },
    { "-Wno-deprecated-gpu-targets", ALONE }, { "-m64", ALONE },
};

const struct spelling *ignored_find(const char *word)
{
    for (size_t i = 0; i < sizeof ignored / sizeof *ignored; i++)
        if (spelling_fits(&ignored[i], word))
            return &ignored[i];
    return NULL;
}

const char simcc_help[] =
    "simcc FILE.cu … [-o PROGRAM] [-c] [-E] [-I DIR] [-D NAME[=VALUE]] [-L DIR] [-l NAME] [-O LEVEL] [-g]\n"
    "      [-std=STANDARD] [-x cu|c++|c] [--default-stream legacy|per-thread] [-Xcompiler OPTIONS]\n"
    "      [--hazards all|calls|instrumented] [-v]\n"
    "Compiles CUDA C++ to a program that runs on a simulated device. SIM_PROFILE=card chooses the device\n"
    "when the program runs. It reports hazards on stderr; SIM_HAZARDS=0 turns that off, and --hazards calls\n"
    "makes programs that look at copies and memsets alone, in less time; so does -fsanitize=address,undefined,\n"
    "with which g++ finds mistakes in kernels and elsewhere. --hazards instrumented makes programs that look at\n"
    "every load and store in every run, in half the time to compile and several times the time to run.\n"
    "-MD, -MMD, -MF and the like write what a source depends on, -run runs what was made, -shared and -lib make libraries,\n"
    "-optf FILE and @FILE are for options. What else nvcc takes is taken, and what concerns the GPU's code ignored.\n"
    "-E shows the text that goes to g++, -v the commands that are run. Options that choose an architecture say what\n"
    "__CUDA_ARCH__ is in code of the device (the last of several; 900 without any).\n"
    "A kernel runs on all cores of this machine where its text and its launch show that its blocks do not see each other\n"
    "(each stores elements of its own, such as y[i] for i = blockIdx.x * blockDim.x + threadIdx.x, and calls no function but\n"
    "those of mathematics), and on one else: the same program does the same in every run, even one whose blocks race.\n"
    "SIM_CORES=n spreads the blocks of each kernel over n cores: what comes of it is then the same if its blocks do not race.";

/* The last two lines are what CMake and others look for in what nvcc says. */
const char simcc_version[] =
    "simcc " WORKBOOK_VERSION ": CUDA C++ for a simulated device, in place of\n"
    "nvcc: NVIDIA (R) Cuda compiler driver\n"
    "Cuda compilation tools, release 13.0, V13.0.0";
