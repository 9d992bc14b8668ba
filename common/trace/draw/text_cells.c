/* SPDX-License-Identifier: MIT */
#include "trace/draw/text_cells.h"

#include "trace/draw/scale.h"
#include "trace/record/memory.h"

/* Columns [*begin, *end) of a piece; true when it is too short for one. */
static bool columns(const struct pieces *l, unsigned width, const struct piece *piece,
                    unsigned *begin, unsigned *end)
{
    *begin = scale_x(piece->start - l->from, l->to - l->from, width);
    *end = piece->end == TIME_NEVER ? width : scale_x(piece->end - l->from, l->to - l->from, width);
    if (*begin >= width)
        *begin = width - 1;
    if (*begin < *end)
        return false;
    *end = *begin + 1;
    return true;
}

/* Could the piece in this cell do without it? */
static bool can_spare(const struct cell *cells, unsigned width, unsigned at)
{
    return !cells[at].brief && !cells[at].several
           && ((at > 0 && cells[at - 1].piece == cells[at].piece)
               || (at + 1 < width && cells[at + 1].piece == cells[at].piece));
}

static void fill_long(struct cell *cells, const struct piece *piece, unsigned begin, unsigned end)
{
    for (unsigned x = begin; x < end; x++) {
        if (cells[x].piece && piece->lane_kind != LANE_HOST)
            cells[x].several = true;
        else
            cells[x].piece = piece;
    }
}

static void fill_brief(struct cell *cells, unsigned width, const struct piece *piece, unsigned at)
{
    struct cell *cell = &cells[at];
    if (!cell->piece || (piece->look != LOOK_OTHER && can_spare(cells, width, at)))
        *cell = (struct cell){ .piece = piece, .brief = true };
    else if (look_is_instant(piece->look) || piece->look == LOOK_OTHER)
        return;
    else if (piece->lane_kind != LANE_HOST)
        cell->several = true;
    else if (cell->brief && (piece->look == LOOK_WAIT || cell->piece->look == LOOK_OTHER))
        cell->piece = piece;
}

/* Long pieces first, then brief ones, then instants, so that none hides what is longer. */
void cells_fill(struct cell *cells, unsigned width, const struct pieces *l, const struct lane *lane,
                unsigned row)
{
    memory_zero(cells, width * sizeof *cells);
    for (int round = 0; round < 3; round++) {
        for (size_t i = 0; i < lane->piece_count; i++) {
            const struct piece *piece = &lane->piece[i];
            unsigned begin, end;
            if (piece->row != row)
                continue;
            bool brief = columns(l, width, piece, &begin, &end);
            if (round != (look_is_instant(piece->look) ? 2 : brief))
                continue;
            if (brief)
                fill_brief(cells, width, piece, begin);
            else
                fill_long(cells, piece, begin, end);
        }
    }
}
