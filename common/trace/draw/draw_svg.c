/* SPDX-License-Identifier: MIT */
/*
 * DESIGN
 * Places are computed in hundredths of a pixel from integers: the same timeline
 * gives the same bytes everywhere. A picture brings its own panel, light or
 * dark as the reader prefers, so that it is legible on any page. Its class and
 * ids begin with a hash of what it shows: pictures can share a page. Spans
 * narrower than a pixel that fall on the same one become one mark that says how
 * many.
 */
#include "trace/draw/draw.h"

#include <inttypes.h>
#include <string.h>

#include "trace/draw/lanes.h"
#include "trace/draw/scale.h"
#include "trace/draw/svg_style.h"
#include "trace/draw/svg_text.h"
#include "trace/record/measure.h"

enum {                          /* pixels */
    MARGIN = 12, TITLE = 24, AXIS = 22, ROW = 18, ROW_GAP = 3, GROUP_GAP = 9, LEGEND = 20,
    TAIL = 54,
    LETTER = SVG_LETTER, TICK = 84, LEAST_CHART = 120,
};

struct picture {
    FILE *out;
    const struct timeline *t;
    const struct drawing *d;
    const struct lanes *lanes;
    char id[16];                /* what class and ids begin with */
    unsigned width, height, left, chart;
    int64_t length, unit;       /* of the window */
};

/* ---- pieces of SVG ---- */

static void put_text(const struct picture *p, unsigned x, unsigned y, const char *class,
                     const char *text)
{
    fprintf(p->out, "<text x=\"%u\" y=\"%u\"%s%s%s>", x, y, *class ? " class=\"" : "", class,
            *class ? "\"" : "");
    svg_escaped(p->out, text);
    fputs("</text>\n", p->out);
}

static unsigned x_of(const struct picture *p, int64_t time)
{
    return p->left * 100
           + (time == TIME_NEVER
                  ? p->chart * 100
                  : scale_x(time - p->lanes->pieces.from, p->length, p->chart * 100));
}

/* ---- what a mark says ---- */

/* What it is: "cudaMemcpyAsync H2D", "scale", "cudaStreamSynchronize waits"; of a shape no more
 * than "H2D". */
static void put_piece_name(const struct picture *p, const struct piece *piece)
{
    const struct call *call = &p->t->calls[piece->call];
    const struct span *span = piece->span == ANY ? NULL : &p->t->spans[piece->span];
    if (p->d->shape) {
        fputs(look_name(piece->look), p->out);
        return;
    }
    svg_escaped(p->out, timeline_string(p->t, span ? span->name : call->name));
    if (piece->lane_kind == LANE_RANGE && call->message) {
        fputs(" of ", p->out);
        svg_escaped(p->out, timeline_string(p->t, call->message));
    }
    if (look_is_of_pages(piece->look) || (piece->look <= LOOK_MEMSET && piece->look != LOOK_KERNEL))
        fprintf(p->out, " %s", look_name(piece->look));
    if (piece->look == LOOK_PEER)
        fprintf(p->out, " from gpu %" PRIu32 " to gpu %" PRIu32 "%s", call->src_device,
                call->dst_device, call->flags & COPY_DIRECT ? "" : " through the host");
    if (piece->look == LOOK_WAIT)
        fputs(" waits", p->out);
}

/* "scale in stream 1: starts 0.5 ms, takes 0.13 ms, 4 MiB (line 12)"; "load of app: starts …": a
 * range of a domain. */
static void put_tooltip(const struct picture *p, const struct piece *piece, size_t count)
{
    const struct call *call = &p->t->calls[piece->call];
    const struct span *span = piece->span == ANY ? NULL : &p->t->spans[piece->span];
    bool pages = look_is_of_pages(piece->look);
    int64_t start = span ? span->start : call->begin, end = span ? span->end : call->end;
    if (piece->lane_kind == LANE_RANGE)
        end = piece->whole_end;
    if (pages)
        start = piece->start, end = piece->end;
    int64_t shown = start > p->lanes->pieces.from ? start - p->lanes->pieces.from : 0;
    char text[TIME_TEXT];
    fputs("<title>", p->out);
    if (count > 1)
        fprintf(p->out, "%zu at this place, the first: ", count);
    put_piece_name(p, piece);
    if (!lane_is_of_host(piece->lane_kind))
        fprintf(p->out, " in stream %" PRIu32, span->stream);
    if (piece->lane_kind == LANE_RANGE && start < p->lanes->pieces.from)
        fputs(": starts earlier", p->out);
    else
        fprintf(p->out, ": starts %s", time_text(text, shown, time_unit(shown)));
    if (end == TIME_NEVER)
        fputs(", never finished", p->out);
    else if (!look_is_instant(piece->look))
        fprintf(p->out, ", takes %s", time_text(text, end - start, time_unit(end - start)));
    if (span && span->bytes && !pages)
        svg_bytes(p->out, span->bytes);
    if (call->line && !p->d->shape)
        fprintf(p->out, " (line %" PRIu32 ")", call->line);
    fputs("</title>", p->out);
}

/* What is written on a mark `room` pixels wide; "" for nothing. */
static void mark_text(const struct picture *p, const struct piece *piece, unsigned room,
                      char out[SVG_TEXT])
{
    const struct span *span = piece->span == ANY ? NULL : &p->t->spans[piece->span];
    out[0] = '\0';
    if (piece->lane_kind == LANE_RANGE && !p->d->shape) {
        svg_cut_text(timeline_string(p->t, p->t->calls[piece->call].name), room, out);
        return;
    }
    if (piece->lane_kind == LANE_ENGINE)
        snprintf(out, SVG_TEXT, "%c", piece->mark);
    else if (piece->look == LOOK_KERNEL && !p->d->shape
             && strlen(timeline_string(p->t, span->name)) < 40)
        snprintf(out, SVG_TEXT, "%s", timeline_string(p->t, span->name));
    else if (piece->look <= LOOK_HOST_FUNC || piece->look == LOOK_WAIT || piece->look == LOOK_WORK
             || look_is_of_pages(piece->look))
        snprintf(out, SVG_TEXT, "%s", look_name(piece->look));
    if (strlen(out) * LETTER + 4 > room)
        out[0] = '\0';
}

/* ---- marks ---- */

/* The shape of an instant, from its top: an event's stands on its corner. */
static const char *instant_shape(enum look look)
{
    return look == LOOK_MEMORY ? "m-2.5 2h5v6h-5z"
           : look == LOOK_MARK ? "m-4 1h8l-4 8z"
                               : "l4 5-4 5-4-5z";
}

static void put_mark(const struct picture *p, const struct piece *piece, unsigned y, size_t count,
                     bool label)
{
    const char *id = svg_class(piece->look);
    unsigned from = x_of(p, piece->start), to = x_of(p, piece->end);
    char text[SVG_TEXT];
    fprintf(p->out, "<g class=\"%s\">", id);
    put_tooltip(p, piece, count);
    if (look_is_instant(piece->look)) {
        fprintf(p->out, "<path class=\"moment\" d=\"M%u.%02u %u%s\"", from / 100, from % 100, y + 4,
                instant_shape(piece->look));
        svg_color(p->out, piece_color(piece, p->t), false);
        fputs("/></g>\n", p->out);
        return;
    }
    if (to < from + 100) {      /* at least a pixel, not beyond the chart */
        unsigned limit = (p->left + p->chart) * 100;
        to = from + 100 < limit ? from + 100 : limit;
        from = to - 100;
    }
    fputs("<rect", p->out);
    svg_hundredths(p->out, "x", from);
    fprintf(p->out, " y=\"%u\"", y);
    svg_hundredths(p->out, "width", to - from);
    fprintf(p->out, " height=\"%u\"%s", ROW, to - from < 300 ? " class=\"thin\"" : "");
    svg_color(p->out, piece_color(piece, p->t), false);
    fputs("/>", p->out);
    mark_text(p, piece, (to - from) / 100, text);
    if (label && *text) {
        fputs("<text", p->out);
        svg_hundredths(p->out, "x", (from + to) / 2);
        fprintf(p->out, " y=\"%u\"", y + 13);
        svg_color(p->out, piece_color(piece, p->t), true);
        fputs(">", p->out);
        svg_escaped(p->out, text);
        fputs("</text>", p->out);
    }
    if (piece->end == TIME_NEVER)
        fprintf(p->out, "<path class=\"open\" d=\"M%u %ul8 %u-8 %uz\"/>", p->left + p->chart, y,
                ROW / 2, ROW / 2);
    fputs("</g>\n", p->out);
}

/* The name of a mark of NVTX, beside it: all of it, where there is room before the next piece of
 * its row. */
static void put_moment_name(const struct picture *p, const struct lane *lane,
                            const struct piece *piece, unsigned y)
{
    if (piece->look != LOOK_MARK || p->d->shape)
        return;
    const struct piece *end = lane->piece + lane->piece_count, *next = piece + 1;
    unsigned x = x_of(p, piece->start) / 100 + 6;
    const char *name = timeline_string(p->t, p->t->calls[piece->call].name);
    while (next < end && next->row != piece->row)
        next++;
    unsigned limit = next < end ? x_of(p, next->start) / 100 : p->left + p->chart;
    char text[SVG_TEXT];
    if (limit < x)
        return;
    svg_cut_text(name, limit - x, text);
    if (strcmp(text, name) == 0)
        put_text(p, x, y + 13, "", text);
}

/* A row of a lane: one mark a piece, or one for several too short to be told apart. */
static void put_row(const struct picture *p, const struct lane *lane, unsigned row, unsigned y)
{
    const struct piece *brief = NULL;   /* the first of those that wait to become one mark */
    size_t count = 0;
    bool shared = lane->shared && row + 1 == lane->rows;
    if (shared)
        put_text(p, MARGIN, y + 13, "", "several");
    for (size_t i = 0; i < lane->piece_count; i++) {
        const struct piece *piece = &lane->piece[i];
        if (piece->row != row)
            continue;
        unsigned from = x_of(p, piece->start);
        if (x_of(p, piece->end) >= from + 100) {
            put_mark(p, piece, y, 1, !shared);
        } else if (brief && brief->look == piece->look
                   && x_of(p, brief->start) / 100 == from / 100) {
            count++;
        } else {
            if (brief)
                put_mark(p, brief, y, count, !shared);
            brief = piece;
            count = 1;
            put_moment_name(p, lane, piece, y);
        }
    }
    if (brief)
        put_mark(p, brief, y, count, !shared);
}

static unsigned put_lane(const struct picture *p, const struct lane *lane, unsigned y)
{
    char text[64];
    if (lane->more) {
        snprintf(text, sizeof text, "… %s", lane->label);
        put_text(p, MARGIN, y + 13, "", text);
        return y + ROW + ROW_GAP;
    }
    put_text(p, MARGIN, y + 13, "", lane->label);
    if (lane->busy >= 0)
        snprintf(text, sizeof text, "%d %%", lane->busy / 10);
    else if (lane->deeper)
        snprintf(text, sizeof text, "%u deeper", lane->deeper);
    else
        snprintf(text, sizeof text, "%u never ran", lane->never_begun);
    if (lane->busy >= 0 || lane->never_begun || lane->deeper)
        put_text(p, p->width - MARGIN, y + 13, "end", text);
    for (unsigned row = 0; row < lane->rows; row++) {
        put_row(p, lane, row, y);
        y += ROW + ROW_GAP;
    }
    return y;
}

/* ---- around the lanes ---- */

static void put_axis(const struct picture *p, unsigned y, unsigned bottom, bool busy)
{
    int64_t step = time_step(p->length, p->chart / TICK);
    for (int64_t at = 0;; at += step) {
        char label[TIME_TEXT];
        unsigned x = p->left + scale_x(at, p->length, p->chart);
        fprintf(p->out, "<path class=\"grid\" d=\"M%u.5 %uV%u\"/>\n", x, y + AXIS - 6, bottom);
        put_text(p, x, y + AXIS - 9, "middle", at ? time_text(label, at, p->unit) : "0");
        if (at > p->length - step)
            break;
    }
    if (busy)
        put_text(p, p->width - MARGIN, y + AXIS - 9, "end", "busy");
}

/* Does the legend explain it? Calls of less than a pixel are not to be seen, and most pictures have
 * some. */
static bool is_explained(const struct picture *p, enum look look)
{
    if (look != LOOK_OTHER || !(p->lanes->looks & 1u << look))
        return p->lanes->looks & 1u << look;
    for (size_t i = 0; i < p->lanes->pieces.count; i++) {
        const struct piece *piece = &p->lanes->pieces.list[i];
        if (piece->look == look && x_of(p, piece->end) >= x_of(p, piece->start) + 100)
            return true;
    }
    return false;
}

/* Draws the legend from `y` on (or measures it: p->out NULL); returns where it ends. */
static unsigned put_legend(const struct picture *p, unsigned y)
{
    unsigned x = MARGIN;
    for (unsigned look = LOOK_NONE + 1; look < LOOKS + 1; look++) {
        bool open = look == LOOKS;
        const char *name = open ? "never finished" : look_name(look);
        if (open ? !p->lanes->open : !is_explained(p, (enum look)look))
            continue;
        unsigned wide = 34 + (unsigned)strlen(name) * LETTER;
        if (x > MARGIN && x + wide > p->width - MARGIN) {
            x = MARGIN;
            y += LEGEND;
        }
        if (p->out && (open || look_is_instant(look)))
            fprintf(p->out, "<g class=\"%s\"><path class=\"%s\" d=\"M%u %u%s\"/></g>\n",
                    open ? "end" : svg_class(look), open ? "open" : "moment", x + 9, y + 3,
                    open ? "l7 5-7 5z" : instant_shape(look));
        else if (p->out)
            fprintf(p->out,
                    "<g class=\"%s\"><rect x=\"%u\" y=\"%u\" width=\"16\" height=\"12\"/></g>\n",
                    svg_class(look), x, y + 2);
        if (p->out)
            put_text(p, x + 21, y + 12, "", name);
        x += wide;
    }
    return y + LEGEND;
}

static void put_description(const struct picture *p)
{
    char text[TIME_TEXT];
    size_t streams = 0, operations = 0, ranges = 0;
    if (p->d->description) {
        svg_escaped(p->out, p->d->description);
        return;
    }
    for (size_t i = 0; i < p->lanes->pieces.count; i++) {
        const struct piece *piece = &p->lanes->pieces.list[i], *before = i ? piece - 1 : NULL;
        ranges += piece->look == LOOK_RANGE;
        if (piece->lane_kind != LANE_STREAM)
            continue;
        operations++;
        streams += !before || before->lane_kind != LANE_STREAM || before->number != piece->number
                   || before->device != piece->device;
    }
    fprintf(p->out, "%zu operation%s in %zu stream%s within %s.", operations, &"s"[operations == 1],
            streams, &"s"[streams == 1],
            time_about(text, p->lanes->pieces.to - p->lanes->pieces.from));
    if (ranges > 0)
        fprintf(p->out, " %zu NVTX range%s.", ranges, &"s"[ranges == 1]);
    for (size_t i = 0; i < p->lanes->count; i++)
        if (p->lanes->lane[i].busy >= 0)
            fprintf(p->out, " %s: busy for %d %% of the time.", p->lanes->lane[i].label,
                    p->lanes->lane[i].busy / 10);
}

/* ---- the whole ---- */

static uint32_t mix(uint32_t hash, const void *bytes, size_t count)
{
    for (size_t i = 0; i < count; i++)      /* FNV-1a */
        hash = (hash ^ ((const unsigned char *)bytes)[i]) * 16777619u;
    return hash;
}

static void name_picture(struct picture *p)
{
    uint32_t hash = 2166136261u;
    const char *title = p->d->title ? p->d->title : "";
    hash = mix(hash, title, strlen(title));
    hash = mix(hash, &p->width, sizeof p->width);
    for (size_t i = 0; i < p->lanes->pieces.count; i++) {
        const struct piece *piece = &p->lanes->pieces.list[i];
        int64_t facts[5] = { piece->lane_kind, piece->number, piece->look, piece->start,
                             piece->end };
        hash = mix(hash, facts, sizeof facts);
    }
    snprintf(p->id, sizeof p->id, "t%08" PRIx32, hash);
}

/* Heights of all lanes, with the gaps between groups. */
static unsigned lanes_height(const struct lanes *l)
{
    unsigned height = (unsigned)lanes_rows(l) * (ROW + ROW_GAP);
    for (size_t i = 1; i < l->count; i++)
        if (lanes_group(l, i) != GROUP_SAME)
            height += GROUP_GAP;
    return height;
}

static void measure(struct picture *p, bool *busy)
{
    unsigned label = 0, tail = 0;
    for (size_t i = 0; i < p->lanes->count; i++) {
        const struct lane *lane = &p->lanes->lane[i];
        unsigned length = (unsigned)strlen(lane->label);
        if (!lane->more && length > label)
            label = length;
        if (lane->busy >= 0)
            *busy = true;
        if (lane->busy >= 0 || p->lanes->open)
            tail = TAIL;
        if (lane->never_begun || lane->deeper)
            tail = TAIL + 5 * LETTER;
    }
    p->left = MARGIN + label * LETTER + 6;
    p->width = p->left + LEAST_CHART + MARGIN + tail;
    if (p->d->width > 0 && (unsigned)p->d->width > p->width)
        p->width = (unsigned)p->d->width < 8000 ? (unsigned)p->d->width : 8000;
    p->chart = p->width - p->left - MARGIN - tail;
}

void draw_svg(FILE *out, const struct timeline *t, const struct drawing *d)
{
    struct lanes lanes;
    struct picture p = { .out = NULL, .t = t, .d = d, .lanes = &lanes };
    bool busy = false;
    lanes_init(&lanes, t, d, (struct lane_limits){ .threads = 8, .streams = 32, .rows = 8 });
    p.length = lanes.pieces.to - lanes.pieces.from;
    if (p.length < d->length)
        p.length = d->length;
    p.unit = time_unit(p.length);
    measure(&p, &busy);
    name_picture(&p);
    unsigned top = MARGIN + (d->title ? TITLE : 0), bottom = top + AXIS + lanes_height(&lanes);
    p.height = lanes.count ? put_legend(&p, bottom + GROUP_GAP) + MARGIN / 2 : bottom + MARGIN;
    p.out = out;

    fprintf(out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"%s\" width=\"%u\" height=\"%u\"",
            p.id, p.width, p.height);
    fprintf(out,
            " viewBox=\"0 0 %u %u\" role=\"img\" aria-labelledby=\"%s-title %s-desc\">\n<title id=\"%s-title\">",
            p.width, p.height, p.id, p.id, p.id);
    svg_escaped(out, d->title ? d->title : "Timeline");
    fprintf(out, "</title>\n<desc id=\"%s-desc\">", p.id);
    put_description(&p);
    fputs("</desc>\n", out);
    svg_style(out, p.id, lanes.looks);
    fprintf(out, "<rect class=\"panel\" width=\"%u\" height=\"%u\" rx=\"6\"/>\n", p.width,
            p.height);
    if (d->title)
        put_text(&p, MARGIN, MARGIN + 12, "title", d->title);
    if (lanes.count == 0) {
        put_text(&p, MARGIN, top + 14, "", "Nothing ran.");
    } else {
        unsigned y = top + AXIS;
        put_axis(&p, top, bottom, busy);
        for (size_t i = 0; i < lanes.count; i++) {
            if (lanes_group(&lanes, i) != GROUP_SAME)
                y += GROUP_GAP;
            y = put_lane(&p, &lanes.lane[i], y);
        }
        put_legend(&p, bottom + GROUP_GAP);
    }
    fputs("</svg>\n", out);
    lanes_fini(&lanes);
}

int64_t draw_length(const struct timeline *t, const struct drawing *d)
{
    struct pieces pieces;
    pieces_init(&pieces, t, d->first_call, d->end_call ? d->end_call : t->call_count);
    int64_t length = pieces.to - pieces.from;
    pieces_fini(&pieces);
    return length;
}
