/* SPDX-License-Identifier: MIT */
#include "trace/record/utf8.h"

#include <stddef.h>

uint32_t utf8_next(const char **s)
{
    /* By length: the smallest code point that needs that many bytes. */
    static const uint32_t smallest[5] = { 0, 0, 0x80, 0x800, 0x10000 };
    const unsigned char *at = (const unsigned char *)*s;
    if (at[0] == 0)
        return 0;
    int length = at[0] < 0x80   ? 1
                 : at[0] < 0xc0 ? 0
                 : at[0] < 0xe0 ? 2
                 : at[0] < 0xf0 ? 3
                 : at[0] < 0xf8 ? 4
                                : 0;
    uint32_t point = length == 1 ? at[0] : length ? at[0] & (0xffu >> (length + 1)) : UTF8_BAD;
    for (int i = 1; i < length; i++) {
        if ((at[i] & 0xc0) != 0x80) {
            length = 0;
            break;
        }
        point = point << 6 | (at[i] & 0x3f);
    }
    if (length == 0 || point < smallest[length] || point > 0x10ffff
        || (point >= 0xd800 && point < 0xe000)) {
        *s += 1;
        return UTF8_BAD;
    }
    *s += length;
    return point;
}

void utf8_put(char out[5], uint32_t point)
{
    int length = 0;
    if (point < 0x80) {
        out[length++] = (char)point;
    } else if (point < 0x800) {
        out[length++] = (char)(0xc0 | point >> 6);
    } else if (point < 0x10000) {
        out[length++] = (char)(0xe0 | point >> 12);
        out[length++] = (char)(0x80 | (point >> 6 & 0x3f));
    } else {
        out[length++] = (char)(0xf0 | point >> 18);
        out[length++] = (char)(0x80 | (point >> 12 & 0x3f));
        out[length++] = (char)(0x80 | (point >> 6 & 0x3f));
    }
    if (point >= 0x80)
        out[length++] = (char)(0x80 | (point & 0x3f));
    out[length] = '\0';
}

const char *utf8_entity(uint32_t point)
{
    switch (point) {
    case '&': return "&amp;";
    case '<': return "&lt;";
    case '>': return "&gt;";
    case '"': return "&quot;";
    case '\'': return "&#39;";
    default: return NULL;
    }
}
