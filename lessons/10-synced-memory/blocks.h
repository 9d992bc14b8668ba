/* SPDX-License-Identifier: MIT */
/*
 * blocks.h - what a block ought to do: the state table of lesson 10, and the steps that go through
 * it.
 *
 * DESIGN
 * A part is a list of steps with several blocks, which check.c makes so that each
 * row of the table occurs (walk.c). The table itself is block_step(): judges play
 * the same steps with it, and compare.
 */
#ifndef BLOCKS_H
#define BLOCKS_H

#include "grader/check.h"
#include "slots.h"

enum head { UNINITIALIZED, AT_HOST, AT_DEVICE, SYNCED };    /* lesson.h */
enum { HOST, DEVICE };                                      /* sides */

struct model {
    enum head head;
    bool there[2], own[2];
    int64_t foreign[2];         /* whose memory the side is, -1: none of the driver's */
};

/* What a step is to do; by side. */
struct want {
    enum head before, after;
    bool takes[2], gives[2];    /* memory */
    bool copies[2];             /* a transfer to that side */
    bool zeros;                 /* makes the block, of zeros */
    int side;                   /* of what it gives out; -1: nothing */
};

void block_new(struct model *m);
struct want block_step(struct model *m, const struct turn *s);

/* The step gives the block memory of the caller's. */
static inline bool is_set(const struct turn *s)
{
    return s->op == SET_HOST || s->op == SET_DEVICE;
}

/* "synced_read_host()"; "at the host". */
const char *op_name(int64_t op);
const char *head_name(int64_t head);

/* The part that is played. */
struct played {
    const struct block *block;
    const struct turn *step;
    const struct made *made;
    const struct totals *totals;
    int number, blocks, steps, done;
};
struct played played_of(const struct evidence *e, const char *part);

/* Calls of a label: what was called inside. Both 0: it did not come. */
struct stretch { size_t begin, end; };
/* Of each label `what` N, N < count. */
void stretches_of(const struct view *v, const char *part, const char *what, struct stretch *s,
                  int count);

/* Plays the part's steps one by one: on true, step is number k, which was done, and w what it had
 * to do. free() gives it back. */
struct game {
    struct played p;
    struct model model[BLOCKS_MAX];
    struct stretch stretch[STEPS_MAX];
    const struct turn *step;
    struct want w;
    int k;
};
struct game *game_new(const struct evidence *e, const char *part);
bool game_next(struct game *g);
/* "a block that is AT_HOST, after synced_write_host()": where a step stands. */
const char *game_where(const struct game *g, char *text, size_t size);

/* walk.c: blocks and steps of a part, as inputs. */
void walk_table(struct exchange *x, struct random *r, bool pushes);
void walk_others(struct exchange *x, struct random *r);

/* ---- judges ---- */

/* Another judge asks it, too. */
JUDGE(judge_states);

#endif
