/* SPDX-License-Identifier: MIT */
#include "trace/draw/svg_style.h"

#include <inttypes.h>

/* How each look is filled: a colour, a pattern over it (an SVG path in 6 x 6), ink for text on it.
 */
static const struct { const char *id, *fill, *hatch, *ink; } fills[LOOKS] = {
    [LOOK_H2D] = { .id = "h2d", .fill = "#1f5fa8", .hatch = "M-1 1l2-2M0 6l6-6M5 7l2-2", .ink = "#fff" },
    [LOOK_KERNEL] = { .id = "kernel", .fill = "#f0b23e", .ink = "#111" },
    [LOOK_D2H] = { .id = "d2h", .fill = "#2c7a50", .hatch = "M-1 5l2 2M0 0l6 6M5-1l2 2", .ink = "#fff" },
    [LOOK_D2D] = { .id = "d2d", .fill = "#6b46c1", .hatch = "M0 1.5h6M0 4.5h6", .ink = "#fff" },
    [LOOK_PEER] = { .id = "peer", .fill = "#0b7285", .hatch = "M0 1.5h6M1.5 0v6", .ink = "#fff" },
    [LOOK_MEMSET] = { .id = "memset", .fill = "#8a97a8", .hatch = "M1.5 1v1M4.5 4v1", .ink = "#111" },
    [LOOK_HOST_FUNC] = { .id = "func", .fill = "#b83280", .hatch = "M1.5 0v6M4.5 0v6", .ink = "#fff" },
    [LOOK_RECORD] = { .id = "record", .fill = "currentColor", .ink = "#fff" },
    [LOOK_STREAM_WAIT] = { .id = "streamwait", .fill = "none", .ink = "#111" },
    [LOOK_MEMORY] = { .id = "memory", .fill = "#8a97a8", .ink = "#111" },
    [LOOK_QUEUE] = { .id = "queue", .fill = "#a8552a", .ink = "#fff" },
    [LOOK_WAIT] = { .id = "wait", .fill = "#d8dde4", .hatch = "M0 3h3", .ink = "#111" },
    [LOOK_WORK] = { .id = "work", .fill = "#5f6b7a", .ink = "#fff" },
    [LOOK_PAGES_IN] = { .id = "pagesin", .fill = "#4f86c6", .hatch = "M3 0v6M0 3h6", .ink = "#fff" },
    [LOOK_PAGES_OUT] = { .id = "pagesout", .fill = "#58a37c", .hatch = "M0 0l6 6M0 6l6-6", .ink = "#fff" },
    [LOOK_RANGE] = { .id = "range", .fill = "#cfe3b4", .ink = "#111" },
    [LOOK_MARK] = { .id = "mark", .fill = "#cfe3b4", .ink = "#111" },
    [LOOK_OTHER] = { .id = "other", .fill = "#a9b2bd", .ink = "#111" },
};

const char *svg_class(enum look look)
{
    return fills[look].id;
}

void svg_color(FILE *out, int32_t color, bool text)
{
    if (color < 0)
        return;
    int32_t light = (color >> 16) * 299 + (color >> 8 & 0xff) * 587 + (color & 0xff) * 114;
    if (text)
        fprintf(out, " style=\"fill:%s;stroke:#%06" PRIx32 "\"", light > 140000 ? "#111" : "#fff",
                (uint32_t)color);
    else
        fprintf(out, " style=\"fill:#%06" PRIx32 "\"", (uint32_t)color);
}

static void put_style(FILE *out, const char *id, unsigned looks)
{
    fprintf(out, "<style>\n"
            ".%s{color:#1c2128;font:11px system-ui,sans-serif}\n"
            ".%s text{fill:currentColor}\n"
            ".%s .panel{fill:#fff}\n"
            ".%s .grid{stroke:#d5dae0;fill:none}\n"
            ".%s .title{font-size:13px;font-weight:600}\n"
            ".%s .end{text-anchor:end}\n"
            ".%s .middle{text-anchor:middle}\n"
            ".%s g text{text-anchor:middle;stroke-width:3px;stroke-linejoin:round;paint-order:stroke}\n"
            ".%s g rect{stroke:#fff;stroke-width:.8px}\n"
            ".%s g .thin{stroke:none}\n"
            ".%s .moment{stroke:currentColor}\n"
            ".%s .open{fill:#d53f3f}\n", id, id, id, id, id, id, id, id, id, id, id, id);
    for (unsigned look = LOOK_NONE + 1; look < LOOKS; look++) {
        if (!(looks & 1u << look))
            continue;
        if (fills[look].hatch)
            fprintf(out, ".%s .%s rect{fill:url(#%s-%s)}\n", id, fills[look].id, id,
                    fills[look].id);
        else
            fprintf(out, ".%s .%s rect,.%s .%s .moment{fill:%s}\n", id, fills[look].id, id,
                    fills[look].id, fills[look].fill);
        fprintf(out, ".%s g.%s text{fill:%s;stroke:%s}\n", id, fills[look].id, fills[look].ink,
                fills[look].fill);
    }
    fprintf(out, "@media (prefers-color-scheme:dark){\n"
            ".%s{color:#e6e9ee}\n"
            ".%s .panel{fill:#1b1f26}\n"
            ".%s .grid{stroke:#3a424d}\n"
            ".%s g rect,.%s .record .moment{stroke:#1b1f26}\n"
            ".%s .streamwait .moment{fill:#1b1f26}\n"
            "}\n</style>\n", id, id, id, id, id, id);
}

static void put_patterns(FILE *out, const char *id, unsigned looks)
{
    fputs("<defs>\n", out);
    for (unsigned look = LOOK_NONE + 1; look < LOOKS; look++) {
        if (!(looks & 1u << look) || !fills[look].hatch)
            continue;
        fprintf(out,
                "<pattern id=\"%s-%s\" width=\"6\" height=\"6\" patternUnits=\"userSpaceOnUse\">"
                "<path d=\"M0 0h6v6H0z\" fill=\"%s\"/>"
                "<path d=\"%s\" fill=\"none\" stroke=\"%s\" stroke-opacity=\".45\"/></pattern>\n",
                id, fills[look].id, fills[look].fill, fills[look].hatch, fills[look].ink);
    }
    fputs("</defs>\n", out);
}

void svg_style(FILE *out, const char *id, unsigned looks)
{
    put_style(out, id, looks);
    put_patterns(out, id, looks);
}
