/* SPDX-License-Identifier: MIT */
#include "simcc/cuts.h"

#include <string.h>

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
