/* SPDX-License-Identifier: MIT */
/*
 * DESIGN
 * The table's rows are six: a block that is nowhere yet; up to date on one side,
 * the other being there or not; the same on both. Blocks are walked through them,
 * several at a time, until each call has been made in each row: first such as
 * stay in the row, which a block leaves for good when it gets its second side.
 */
#include "blocks.h"

#include <string.h>

#define WALK_BLOCKS 6           /* the first row has as many ways out as there are calls */
#define WALK_STEPS 30           /* of a block at the most */

static int row_of(const struct model *m)
{
    switch (m->head) {
    case UNINITIALIZED: return 0;
    case AT_HOST: return m->there[DEVICE] ? 2 : 1;
    case AT_DEVICE: return m->there[HOST] ? 4 : 3;
    case SYNCED: break;
    }
    return 5;
}

enum { ROWS = 6 };

static int random_below(struct random *r, int count)
{
    return (int)random_between(r, 0, (uint64_t)count - 1);
}

/* A call that has not been made in the row: one that stays there if there is one; -1: none is left.
 */
static int new_call(const struct model *m, bool seen[ROWS][OPS], const int *ops, int op_count,
                    struct random *r)
{
    int stays[OPS], leaves[OPS], stay_count = 0, leave_count = 0, row = row_of(m);
    for (int i = 0; i < op_count; i++) {
        struct model after = *m;
        block_step(&after, &(struct turn){ .op = ops[i] });
        if (!seen[row][ops[i]] && row_of(&after) == row)
            stays[stay_count++] = ops[i];
        else if (!seen[row][ops[i]])
            leaves[leave_count++] = ops[i];
        if (leave_count > 0 && leaves[leave_count - 1] == PUSH)
            leaves[0] = PUSH, leave_count = 1;      /* few blocks get a chance to */
    }
    return stay_count > 0    ? stays[random_below(r, stay_count)]
           : leave_count > 0 ? leaves[random_below(r, leave_count)]
                             : -1;
}

/* Every other one is pinned. */
static struct block *add_blocks(struct exchange *x, struct random *r, int count)
{
    struct block *b = exchange_add_input(x, (size_t)count * sizeof *b);
    int first = random_below(r, 2);
    for (int k = 0; k < count; k++)
        b[k] = (struct block){ random_odd(r, 700, 2500), k % 2 != first };
    return b;
}

/* Of two blocks the one that is not pinned is the one that begins on the host. Fresh pinned memory
 * may be zeros by chance. */
static void begin_on_heap(struct block *b, struct turn way[][WALK_STEPS], int count)
{
    for (int k = 0; k + 1 < count; k += 2) {
        bool first = way[k][0].op == READ_HOST || way[k][0].op == WRITE_HOST;
        bool second = way[k + 1][0].op == READ_HOST || way[k + 1][0].op == WRITE_HOST;
        if (first != second)
            b[k].pinned = !first, b[k + 1].pinned = first;
    }
}

static void add_steps(struct exchange *x, const struct turn *s, int count)
{
    memcpy(exchange_add_input(x, (size_t)count * sizeof *s), s, (size_t)count * sizeof *s);
}

/* Which of the blocks is not pinned: one that is sent, but not the only one whose push has to take
 * memory, for that is where the host has to go on. */
static void pin_what_pushes(struct block *b, struct turn way[][WALK_STEPS], const int *length,
                            int count, struct random *r)
{
    int lazy = 0, odd = 0, last = 0;
    bool takes[WALK_BLOCKS] = { false }, sends[WALK_BLOCKS] = { false };
    for (int k = 0; k < count; k++) {
        struct model m;
        block_new(&m);
        for (int i = 0; i < length[k]; i++) {
            struct want w = block_step(&m, &way[k][i]);
            takes[k] |= way[k][i].op == PUSH && w.takes[DEVICE];
            sends[k] |= way[k][i].op == PUSH && w.copies[DEVICE];
        }
        lazy += takes[k];
        last = takes[k] ? k : last;
    }
    do
        odd = random_below(r, count);
    while (lazy == 1 && odd == last);
    while (!sends[odd] || (lazy == 1 && odd == last))
        odd = (odd + 1)
              % count; /* a block whose memory is the caller's is sent, but takes no memory */
    for (int k = 0; k < count; k++)
        b[k].pinned = k != odd;
}

/* One block's way. What follows a first push of its own reads what was pushed. */
static int walk_one(struct turn *s, int block, bool seen[ROWS][OPS], const int *ops, int op_count,
                    struct random *r)
{
    struct model m;
    int count = 0, last = -1;
    block_new(&m);
    while (count < WALK_STEPS) {
        bool sent = last == PUSH && random_below(r, 3) > 0;
        int op = sent ? READ_DEVICE : new_call(&m, seen, ops, op_count, r);
        if (op < 0 && (row_of(&m) < 5 || count > WALK_STEPS * 2 / 3))
            op = ops[random_below(r, op_count)];
        else if (op < 0)
            op = random_below(r, 2) ? WRITE_HOST : WRITE_DEVICE;
        s[count] = (struct turn){ block, op, -1 };
        seen[row_of(&m)][op] = true;
        struct want w = block_step(&m, &s[count++]);
        last = w.copies[DEVICE] ? op : -1;
    }
    return count;
}

/* Not all blocks end with the same on both sides: what goes back does so in any state. */
static void end_apart(struct turn way[][WALK_STEPS], const int *length, int count)
{
    for (int k = 0; k < count; k++) {
        struct model m;
        block_new(&m);
        for (int i = 0; i < length[k]; i++)
            block_step(&m, &way[k][i]);
        if (m.head != SYNCED)
            return;
    }
    way[0][length[0] - 1].op = WRITE_HOST;
}

/* A push into memory of the caller's: it stays his. */
static int walk_lent(struct turn *s, int block)
{
    static const int ops[] = { SET_DEVICE, WRITE_HOST, PUSH, READ_DEVICE, WRITE_HOST, PUSH,
                               READ_DEVICE };
    enum { COUNT = sizeof ops / sizeof *ops };
    for (int k = 0; k < COUNT; k++)
        s[k] = (struct turn){ block, ops[k], k == 0 ? 0 : -1 };
    return COUNT;
}

void walk_table(struct exchange *x, struct random *r, bool pushes)
{
    static const int ops[] = { READ_HOST, WRITE_HOST, READ_DEVICE, WRITE_DEVICE, PUSH };
    int op_count = pushes ? 5 : 4, walks = op_count, blocks = walks + pushes, count = 0, left = 0;
    bool seen[ROWS][OPS] = { { false } };
    struct turn way[WALK_BLOCKS][WALK_STEPS], steps[STEPS_MAX];
    int length[WALK_BLOCKS], at[WALK_BLOCKS] = { 0 };
    struct block *b = add_blocks(x, r, blocks);
    for (int k = 0; k < walks; k++)
        left += length[k] = walk_one(way[k], k, seen, ops, op_count, r);
    end_apart(way, length, walks);
    if (pushes) {
        left += length[walks] = walk_lent(way[walks], walks);
        pin_what_pushes(b, way, length, blocks, r);
    } else
        begin_on_heap(b, way, blocks);
    while (left-- > 0) {
        int k = random_below(r, blocks);
        while (at[k] == length[k])
            k = (k + 1) % blocks;
        steps[count++] = way[k][at[k]++];
    }
    add_steps(x, steps, count);
}

enum {
    SAME_HOST = OPS + 1,
    SAME_DEVICE
}; /* what was set last is set once more: it is the newest again */

void walk_others(struct exchange *x, struct random *r)
{
    /* Memory of others over nothing, over the block's own and over that of others, in each state;
     * what each side is at the end. */
    static const int ways[][12] = {
        { SET_HOST, READ_DEVICE, READ_HOST, WRITE_DEVICE, READ_HOST, OPS },
        { SET_DEVICE, READ_HOST, READ_DEVICE, WRITE_HOST, READ_DEVICE, OPS },
        { WRITE_HOST, READ_DEVICE, SET_HOST, READ_DEVICE, SET_DEVICE, READ_HOST, WRITE_DEVICE,
          READ_HOST, OPS },
        { WRITE_DEVICE, READ_HOST, SET_DEVICE, READ_HOST, WRITE_HOST, SET_HOST, READ_DEVICE,
          WRITE_HOST, READ_DEVICE, OPS },
        { SET_HOST, SET_HOST, WRITE_HOST, READ_DEVICE, WRITE_DEVICE, SET_DEVICE, SET_DEVICE,
          READ_DEVICE, READ_HOST, OPS },
        { WRITE_HOST, SET_DEVICE, READ_DEVICE, SET_HOST, WRITE_DEVICE, READ_HOST, OPS },
        { WRITE_DEVICE, SET_HOST, READ_HOST, READ_DEVICE, SET_DEVICE, WRITE_HOST, READ_DEVICE,
          OPS },
        { SET_DEVICE, WRITE_HOST, SAME_DEVICE, READ_HOST, SET_HOST, WRITE_DEVICE, SAME_HOST,
          READ_DEVICE, OPS },
    };
    enum { WAYS = sizeof ways / sizeof *ways };
    struct turn steps[STEPS_MAX];
    int count = 0, foreign = 0, at[WAYS] = { 0 }, left = WAYS, before[WAYS] = { 0 };
    add_blocks(x, r, WAYS);
    while (left > 0) {
        int k = random_below(r, WAYS);
        while (ways[k][at[k]] == OPS)
            k = (k + 1) % WAYS;
        int op = ways[k][at[k]++];
        bool again = op == SAME_HOST || op == SAME_DEVICE,
             sets = op == SET_HOST || op == SET_DEVICE;
        op = op == SAME_HOST ? SET_HOST : op == SAME_DEVICE ? SET_DEVICE : op;
        if (sets)
            before[k] = foreign++;
        sets |= again;
        steps[count++] = (struct turn){ k, op, sets ? before[k] : -1 };
        left -= ways[k][at[k]] == OPS;
        /* Asked once more, it is the same: nothing is to be done. */
        if (!sets && random_below(r, 2))
            steps[count++] =
                (struct turn){ k, op == WRITE_HOST || op == READ_HOST ? READ_HOST : READ_DEVICE,
                               -1 };
    }
    add_steps(x, steps, count);
}
