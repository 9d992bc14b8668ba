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

/* In the order in which they are looked for: -t is the beginning of others. -optf is here only where its file is missing
 * (option_files.h). */
static const struct spelling ignored[] = {
    { "-optf", NEXT }, { "--options-file", NEXT }, { "-time", NEXT }, { "--time", NEXT }, { "-time=", JOINED },
    { "--time=", JOINED }, { "-save-temps", ALONE }, { "--save-temps", ALONE }, { "-s", ALONE }, { "--fmad", NEXT },
    { "--ftz", NEXT }, { "-ftz", NEXT }, { "--prec-div", NEXT }, { "-prec-div", NEXT }, { "--prec-sqrt", NEXT },
    { "-prec-sqrt", NEXT }, { "-dopt", NEXT }, { "-dopt=", JOINED }, { "--dopt=", JOINED }, { "-link", ALONE },
    { "--link", ALONE }, { "-lcudadevrt", ALONE }, { "--ptxas-options=", JOINED }, { "--ptxas-options", NEXT },
    { "-res-usage", ALONE }, { "--resource-usage", ALONE }, { "--threads=", JOINED }, { "--threads", NEXT },
    { "-threads=", JOINED }, { "-threads", NEXT }, { "-t=", JOINED }, { "--split-compile=", JOINED },
    { "--split-compile", NEXT }, { "-split-compile=", JOINED }, { "-forward-unknown-to-host-linker", ALONE },
    { "--forward-unknown-to-host-linker", ALONE }, { "-forward-unknown-opts", ALONE }, { "--forward-unknown-opts", ALONE },
    { "-allow-unsupported-compiler", ALONE }, { "--allow-unsupported-compiler", ALONE }, { "-Xcudafe=", JOINED },
    { "-Xcudafe", NEXT }, { "-Xfatbin=", JOINED }, { "-Xfatbin", NEXT }, { "-Xnvlink=", JOINED }, { "-Xnvlink", NEXT },
    { "-Xarchive", NEXT }, { "--maxrregcount=", JOINED }, { "--maxrregcount", NEXT }, { "--compiler-bindir=", JOINED },
    { "--compiler-bindir", NEXT }, { "--diag-suppress=", JOINED }, { "--diag-suppress", NEXT }, { "-diag-error=", JOINED },
    { "-diag-warn=", JOINED }, { "--display-error-number", ALONE }, { "-no-display-error-number", ALONE },
    { "-fmad=", JOINED }, { "--fmad=", JOINED }, { "-fmad", NEXT }, { "-ftz=", JOINED }, { "--ftz=", JOINED },
    { "-prec-div=", JOINED }, { "--prec-div=", JOINED }, { "-prec-sqrt=", JOINED }, { "--prec-sqrt=", JOINED },
    { "-restrict", ALONE }, { "--restrict", ALONE }, { "-dlto", ALONE }, { "--dlink-time-opt", ALONE },
    { "-keep-dir", NEXT }, { "--keep-dir", NEXT }, { "-keep", ALONE }, { "--keep", ALONE }, { "-src-in-ptx", ALONE },
    { "--source-in-ptx", ALONE }, { "-m", NEXT }, { "--machine", NEXT }, { "--machine=", JOINED }, { "-lineinfo", ALONE },
    { "-lcudart_static", ALONE }, { "-lcudart", ALONE }, { "-lcuda", ALONE }, { "-lcublas", JOINED },
    { "-lcurand", JOINED }, { "-lcufft", JOINED }, { "-lcusparse", JOINED }, { "-lcusolver", JOINED },
    { "-lcudnn", JOINED }, { "-lnvrtc", JOINED }, { "-lnvJitLink", JOINED }, { "-lnvToolsExt", ALONE },
    { "-lnvtx3interop", ALONE }, { "-lnpp", JOINED }, { "-lnvjpeg", JOINED }, { "-lnccl", JOINED },
    { "-lnvidia-ml", ALONE }, { "-lculibos", ALONE }, { "-Xptxas=", JOINED }, { "-Xptxas", NEXT },
    { "-maxrregcount=", JOINED }, { "-maxrregcount", NEXT }, { "-ccbin=", JOINED }, { "-ccbin", NEXT },
    { "-cudart=", JOINED }, { "-cudart", NEXT }, { "--cudart=", JOINED }, { "-t", EITHER }, { "-diag-suppress=", JOINED },
    { "-diag-suppress", NEXT }, { "-use_fast_math", ALONE }, { "--use_fast_math", ALONE },
    { "--generate-line-info", ALONE }, { "--profile", ALONE }, { "-Wno-deprecated-gpu-targets", ALONE }, { "-m64", ALONE },
};

const struct spelling *ignored_find(const char *word)
{
    for (size_t i = 0; i < sizeof ignored / sizeof *ignored; i++)
        if (spelling_fits(&ignored[i], word))
            return &ignored[i];
    return NULL;
}
