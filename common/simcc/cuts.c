/* SPDX-License-Identifier: MIT */
#include "simcc/cuts.h"

#include <string.h>

#include "simcc/instrumented.h"
#include "simcc/rewrite/rewrite.h"

bool cuts_are_in(const struct bytes *text)
{
    return memmem(text->at, text->count, CUT_BEGINS, strlen(CUT_BEGINS));
}

struct bytes cuts_choose(const struct bytes *text, bool with)
{
    struct bytes out = { 0 };
    const char *at = text->at, *end = at + text->count;
    for (const char *begins, *ends; at < end; at = ends + strlen(CUT_ENDS)) {
        begins = memmem(at, (size_t)(end - at), CUT_BEGINS, strlen(CUT_BEGINS));
        ends = begins ? memmem(begins, (size_t)(end - begins), CUT_ENDS, strlen(CUT_ENDS)) : NULL;
        bytes_add(&out, at, (size_t)((ends ? begins : end) - at));
        if (!ends)
            break;
        begins += strlen(CUT_BEGINS);
        if (with)
            bytes_add(&out, begins, (size_t)(ends - begins));
    }
    return out;
}

bool cuts_move_places(const struct words *options)
{
    static const char *const words[] = { "-fsanitize", "--coverage", "-fprofile", "-ftest-coverage",
                                         "-finstrument" };
    for (size_t i = 0; i < options->count; i++)
        for (size_t k = 0; k < sizeof words / sizeof *words; k++)
            if (strncmp(options->list[i], words[k], strlen(words[k])) == 0)
                return true;
    return false;
}

bool cuts_round_anew(const struct job *job, const struct bytes *text)
{
    static const char *const words[] = { "-Ofast", "-ffast", "-ffp", "-funsafe", "-fassoc",
                                         "-freciprocal", "-ffinite", "-fno-signed" };
    for (size_t i = 0; i < job->compile.count; i++)
        for (size_t k = 0; k < sizeof words / sizeof *words; k++)
            if (strncmp(job->compile.list[i], words[k], strlen(words[k])) == 0)
                return true;
    return instrumented_has_targets(job, text) || instrumented_says(text, "optimize");
}
