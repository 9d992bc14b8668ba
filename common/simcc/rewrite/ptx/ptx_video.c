/* SPDX-License-Identifier: MIT */
/* Video instructions of PTX: a word is one integer, or two or four of them, each operand's signed
 * or not, and the result has more bits until it is cut or saturated. */
#include "simcc/rewrite/ptx/ptx.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct kind { const char *name, *call; } operations[] = {
    { "vadd", "__a+__b" }, { "vsub", "__a-__b" }, { "vabsdiff", "__a<__b?__b-__a:__a-__b" },
    { "vmin", "__a<__b?__a:__b" }, { "vmax", "__a<__b?__b:__a" },
}, seconds[] = {
    { "add", "__a+__b" }, { "min", "__a<__b?__a:__b" }, { "max", "__a<__b?__b:__a" },
};

static const char *call_of(const struct kind *kinds, size_t count, const char *name, size_t length)
{
    for (size_t i = 0; i < count; i++)
        if (strlen(kinds[i].name) == length && strncmp(name, kinds[i].name, length) == 0)
            return kinds[i].call;
    return NULL;
}

/* vadd.s32.u32.s32.sat.add %0, %1, %2, %3; what is added of several integers is their sum. */
bool ptx_video(const struct ptx *p, char *out, size_t size)
{
    char text[64], *rest = text, *piece, to[PTX_LENGTH], v[3][PTX_LENGTH] = { "", "", "0" };
    bool is_signed[3], saturates = false;
    if ((size_t)snprintf(text, sizeof text, "%s", p->opcode) >= sizeof text)
        return false;
    const char *name = strsep(&rest, ".");
    size_t length = strcspn(name, "24"), count = p->given_count;
    unsigned pieces = name[length] ? (unsigned)atoi(name + length) : 1;
    const char *call = call_of(operations, sizeof operations / sizeof *operations, name, length),
               *second = NULL;
    for (size_t i = 0; i < 3; i++) {
        piece = strsep(&rest, ".");
        if (!piece || (strcmp(piece, "s32") != 0 && strcmp(piece, "u32") != 0))
            return false;
        is_signed[i] = *piece == 's';
    }
    while ((piece = strsep(&rest, "."))) {
        if (strcmp(piece, "sat") == 0 && !saturates && !second)
            saturates = true;
        else if (second
                 || !(second = call_of(seconds, pieces > 1 ? 1 : sizeof seconds / sizeof *seconds,
                                       piece, strlen(piece))))
            return false;
    }
    if (!call || (pieces > 1 && (name[length + 1] || (saturates && second))) || count < 3
        || count > 4 || (count == 3) != (pieces == 1 && !second)
        || !ptx_operand(p, p->given[0], to, sizeof to))
        return false;
    for (size_t i = 0; i + 1 < count; i++)
        if (!ptx_value_as(p, p->given[i + 1], "unsigned", v[i], sizeof v[i]))
            return false;
    return snprintf(
               out, size,
               "::__sim::__ptx_out(%s,::__sim::__ptx_video<%u,%d,%d,%d,%d,%d>(%s,%s,%s,[](long long __a,long long __b)->long long{return %s;},[](long long __a,long long __b)->long long{return %s;}))",
               to, pieces, is_signed[0], is_signed[1], is_signed[2], saturates, second != NULL,
               v[0], v[1], v[2], call, second ? second : "__a-__a+__b")
           < (int)size;
}
