/* SPDX-License-Identifier: MIT */
/* The launch rewriter: any text gives a text with as many lines; and what may be said of it, too.
 */
#include "tests/fuzz/fuzz.h"

#include <string.h>

#include "simcc/rewrite/rewrite.h"
#include "simcc/rewrite/space/space.h"

static size_t lines(const char *text, size_t count)
{
    size_t n = 0;
    for (size_t i = 0; i < count; i++)
        n += text[i] == '\n';
    return n;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count)
{
    static const char *const own[] = { "/workbook/common/", "/workbook/common/sim/include/", NULL };
    for (int mode = 0; mode < 4; mode++) {       /* one core, judged */
        size_t length, left;
        struct spaces *spaces = NULL;
        char *refused,
            *text = rewrite((const char *)bytes, count, own, "",
                            (struct rewrite_how){ .one_core = mode & 1, .judged = mode & 2,
                                                  .spaces = mode & 1 ? &spaces : NULL },
                            &length, &refused);
        HOLDS(text && text[length] == '\0');
        HOLDS(lines(text, length) == lines((const char *)bytes, count));
        free(text);
        free(refused);
        if (spaces) {           /* as if g++ had said the text itself */
            text = spaces_refuse(spaces, (const char *)bytes, count,
                                 (struct spaces_shown){ true, false }, &left, &refused);
            HOLDS(text && left <= count);
            free(text);
            free(refused);
        }
        spaces_free(spaces);
    }
    return 0;
}
