/* SPDX-License-Identifier: MIT */
/*
 * judge.h - from two logs to a verdict.
 *
 * The logs of the submission and of the reference solution are replayed, each
 * on the card that it ran on and the first on the lesson's other cards; then the checks
 * are asked, in the order of the table. A check is
 *   PASSED, FAILED            its judge said so;
 *   WITHHELD                  a check that it needs did not pass, or the program ended before the
 * end of its part; NOT_ATTEMPTED             its part is as in the starter, and not all of that
 * part's checks passed. Only PASSED gives points.
 */
#ifndef GRADER_JUDGE_JUDGE_H
#define GRADER_JUDGE_JUDGE_H

#include "grader/check.h"
#include "grader/judge/termination/termination.h"
#include "grader/run/handover.h"
#include "trace/order/recorded.h"

enum outcome { PASSED, FAILED, WITHHELD, NOT_ATTEMPTED, OUTCOMES };

struct result {
    const struct check *check;
    enum outcome outcome;
    struct finding finding;     /* of a check that failed */
    const struct check
        *waits_for;      /* WITHHELD: the failed check; NULL: the program ended too soon */
    unsigned cut_in; /* … in that one of the other runs, counted from 1; 0: in the lesson's own */
    unsigned seen;              /* SEEN_*: where it passed, or did not */
    unsigned said[2]; /* of a merged verdict: one more than the simulator's and the card's outcome;
                         0: not asked */
};
enum { SEEN_SIMULATED = 1 << 0, SEEN_REAL = 1 << 1 };

/* How the whole thing ended, the worst first. */
enum status { REFUSED, DID_NOT_BUILD, TIMED_OUT, CRASHED, UNTOUCHED, WANTING, ALL_PASSED,
              STATUSES };

struct run;
struct verdict {
    const struct lesson *lesson;
    const struct submission *submission;
    uint64_t seed;
    const struct card *card;
    const char *backend;        /* "simulator", "cuda", "both" */
    char machine[400]; /* a sentence on what was chosen, and why; "": there was nothing to choose */
    unsigned pairs;             /* of runs on a real card */
    /* A line of the submission for a program counter of the run (call.h: caller); 0: not known. It
     * asks a tool: for what is said alone. NULL: nothing is known. */
    unsigned (*line_of)(const struct verdict *v, uint64_t address);
    const struct run *run;      /* for that */
    const struct verdict
        *simulated; /* while a card is judged: what the simulator says, where it was asked */
    enum status status;
    const char *compiler;       /* its messages; "" for none */
    bool compiler_timed_out;
    const char *refused;        /* why it is not run; NULL or "": nothing is wrong with it */
    struct termination termination;       /* of the run; how == ENDED_WHOLE where it did not run */
    char *output;               /* what the program printed, harmless; "" for nothing */
    bool output_cut;
    bool *attempted;            /* by part */
    struct result *results;     /* by check */
    int points, points_max;
    size_t views, runs;         /* runs: as in struct evidence */
    struct view *yours, *reference;     /* by card; 0 views where it did not run */
    /* That many of the views, after the lesson's, are of the same program on the first card, run as
     * it might have gone as well. */
    size_t others;
    struct other_view {
        unsigned
            kinds; /* bits, 1 << kind: checks that have to pass there too; 0: it does not count */
        struct termination termination;
    } other[OTHER_RUNS];
    size_t real_views;          /* the last that many of them are of a real card: 0 or 1 */
    /* Views that were made ahead and not asked for yet, of a log with that many calls. */
    struct ahead { const struct timeline *log; size_t calls; struct view view; } *ahead;
    size_t ahead_count, ahead_capacity;
};

/* The heading to read for a check that failed; NULL: none. */
static inline const char *result_read(const struct result *r)
{
    return r->finding.read ? r->finding.read : r->check->read;
}

/* Of a result that is cut in another run: how the run ended, and the title of its card. */
static inline const struct termination *result_cut(const struct verdict *v, const struct result *r)
{
    return &v->other[r->cut_in - 1].termination;
}
static inline const char *result_cut_on(const struct verdict *v, const struct result *r)
{
    return v->yours[v->views - v->real_views - v->others + r->cut_in - 1].card->title;
}

/* What the program did on the first card; NULL: it did not run. */
static inline const struct timeline *verdict_log(const struct verdict *v)
{
    return v->views > 0 ? v->yours[0].timeline : NULL;
}

/* "passed", "wanting", "not attempted", "did not build", "timed out", "crashed", "refused". */
const char *status_name(enum status status);
/* "passed", "failed", "withheld", "not attempted". */
const char *outcome_name(enum outcome outcome);
/* "output", "order", "overlap", "hazard", "hygiene". */
const char *check_kind_name(enum check_kind kind);
/* Does the check need this other one of its lesson? */
bool check_needs(const struct check *c, const struct check *other);
/* The part's place in the lesson's table. */
size_t part_index(const struct lesson *lesson, const char *id);

/* The logs of one run on a card. `reference` may be NULL: a program is looked at and not judged. */
struct logs { const struct card *card; const struct timeline *yours, *reference; };

/* Replays a log on this card before it is asked for, while others work: what follows takes it, if
 * log and card are the same places then. */
void judge_replay_ahead(struct verdict *v, const struct card *card, const struct timeline *log);
/* Fills in yours, reference and views: the runs' first, then the first run's on the lesson's other
 * cards, none twice. */
void judge_replay(struct verdict *v, const struct logs *runs, size_t count);
/* Puts another run's log, made on that card, in the place of what view `view` replays; false, and
 * nothing done, where its times are not those of its calls. */
bool judge_replace(struct verdict *v, size_t view, const struct timeline *log);
/* One more view (verdict.others), after judge_replay; what is judged there finds the outputs of run
 * number CARDS_RUN + its number among them. Returns its timeline. How it ended counts where no
 * check has failed. */
const struct timeline *judge_add_other(struct verdict *v, const struct logs *run,
                                       const struct other_view *other);
/* The one that was added last does not count. */
void judge_drop_other(struct verdict *v);
/* The simulator notes in the log when each call was made. The same calls on the same card are made
 * at the same times. Where a replay arrives at other times, the log is not what the program did. A
 * call that makes no difference to any time is not missed. */
bool judge_is_timely(const struct timeline *log, const struct timeline *replayed);
/* The same for a run on a real card, from its record. False: that is not whole, and `trouble` says
 * why. */
bool judge_recorded(struct verdict *v, const struct logs *run, char trouble[RECORDED_TROUBLE]);
/* Needs lesson, seed, attempted, termination and the views; gives results, points, status. For a
 * program that was not built (no views) all is withheld. */
void judge(struct verdict *v, const struct exchange *x);

/* After outcomes were changed: what waits for others, points and status again. */
void judge_settle(struct verdict *v);
/* Is the check the simulator's alone, wherever else the program runs? `there` is the simulator's
 * verdict, as far as it is known; NULL: it is not known yet. */
bool judged_by_simulator(const struct lesson *lesson, const struct check *c,
                         const struct verdict *there);
/* Which parts are no longer as in the starter. */
void find_attempts(struct verdict *v, const struct submission *yours,
                   const struct submission *starter);

/* Takes into *v, the simulator's verdict, what was found on a real card: a check passes when it
 * passes on both. *real gives its views away and is to be given to verdict_fini all the same. */
void verdict_merge(struct verdict *v, struct verdict *real);

void verdict_free_view(struct view *view);
void verdict_fini(struct verdict *v);

#endif
