/* SPDX-License-Identifier: MIT */
/*
 * check.h - all that a lesson's check.c needs: inputs, evidence, a table of checks.
 *
 * A lesson is data: one `const struct lesson lesson_NN` (lesson_06 for 06-…).
 * The grader calls, in this order:
 *   1. lesson->prepare: makes the inputs from a seed and says how big the outputs are;
 *   2. runs the submission and the reference solution on them, replays both on every card
 * (`cards`), or runs both on several (`run_on`);
 *   3. each check's judge, with the evidence. A judge is pure: same evidence, same finding.
 *      A check whose `needs` did not pass is not judged: it is withheld.
 *
 * Times and orders come from evidence->yours[k].timeline, never from what the
 * program says. Judge order first, shares of overlap second, absolute time never.
 */
#ifndef GRADER_CHECK_H
#define GRADER_CHECK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/card.h"
#include "trace/order/happens_before.h"
#include "trace/record/measure.h"
#include "trace/record/timeline.h"

/* ---- inputs and outputs: the slots of exchange.h, seen from the parent ---- */

struct exchange;                /* owned by the grader */

/* In prepare: the next input slot, `bytes` long, zeroed, to be filled in. */
void *exchange_add_input(struct exchange *x, size_t bytes);
/* In prepare: the next output slot. It is poisoned before each run. */
void exchange_add_output(struct exchange *x, size_t bytes);
/* In judges. The output is a private copy, taken after the child was gone. */
const void *exchange_input(const struct exchange *x, int slot, size_t *bytes);
const void *exchange_output(const struct exchange *x, int slot, size_t *bytes);
/* The same of view number `view`, of a lesson that runs on several cards; exchange_output is view
 * 0's. */
const void *exchange_output_of(const struct exchange *x, size_t view, int slot, size_t *bytes);

struct random { uint64_t state; };
/* In prepare: the next input slot, n numbers of any 32 bits. */
uint32_t *exchange_add_elements(struct exchange *x, struct random *r, int64_t n);
uint64_t random_next(struct random *r);                                 /* any 64 bits */
uint64_t random_between(struct random *r, uint64_t low,
                        uint64_t high); /* low..high, both included */
/* The same, and odd (high + 1 where that is even): no multiple of a block size, and where there is
 * room one more than a multiple of 256, so that whoever rounds a grid wrongly loses an element. */
int64_t random_odd(struct random *r, uint64_t low, uint64_t high);
float random_float(struct random *r); /* in [-1, 1), a multiple of 2^-20: sums of few are exact */

/* ---- evidence ---- */

enum { NOT_READY = 600 };       /* a call's status: cudaErrorNotReady */

/* One program on one card. */
struct view {
    const struct card *card;
    const struct timeline *timeline;
    struct happens_before *order;
    int64_t *costs; /* by span: what its blocks' parts have said, -1: nothing; NULL: none has */
};

struct evidence {
    uint64_t seed;
    const struct exchange *exchange;
    size_t views;               /* cards: [0] is the one that the program ran on */
    size_t
        runs; /* the first that many of them are of runs with a log each (struct lesson.run_on) */
    const struct view *yours;
    const struct view *reference;   /* the solution, same inputs, same cards */
    bool recorded;                  /* on a real card, where a call may take long for any reason */
};

/* What a judge says of a failure: whole sentences, no newline at the end. */
struct finding {
    char expected[320];
    char seen[480];
    char why[960];              /* the likely cause, and what to do */
    size_t view;                /* which card it was seen on */
    uint32_t call;              /* the call to blame: its file and line are shown; ANY for none */
    /* Where no call is to blame, or none was made: the learner's function that is at fault
     * ("synced_push()"), NULL for none, and a name that it assigns to or calls, or should (NULL:
     * none). Its line is shown (submission_function_line). */
    const char *function, *word;
    /* With `function`: a call that a loop makes too often, or too seldom. The loop's line is shown,
     * if the call stands in one, in place of `call`. 0: none. */
    uint32_t looped;
    /* Names, separated by spaces, that `function` has to call once each: where it calls one of them
     * never, or in two lines, that is said. */
    const char *pieces;
    /* With `call`: the number of its argument that is not as it should be, from 1: where a variable
     * in it is set is said. 0: none. */
    unsigned argument;
    /* With `call`: that the program comes to it is what is wrong: the line of the if or the else is
     * said in which it stands. */
    bool guarded;
    /* With `function`: it has come back before it did what it is for. The lines of its returns but
     * the last are named; if there is one, it is shown where no call is to blame. */
    bool returns;
    /* Where `call` is the driver's and it is not known where the learner's file called the driver:
     * the call whose place is shown instead. 0: `call` all the same. */
    uint32_t instead;
    const char *read; /* heading of the section to read, where the check's own is not the one; NULL:
                         the check's */
    bool sure; /* that it is this: nothing else that the program does is to be named as a cause */
    /* Filled in by judge_hazards(): the hazard that it tells. The operations of its two sides are
     * spans of the finding's view, NO_NODE for the host or none; `host`: the host is one side, or
     * both; record: the CALL_HAZARD that says so, ANY: it shows in the calls alone. */
    struct { bool told, host; uint32_t node[2], record; } hazard;
    /* Filled in by the grader: where the learner's function that makes the blamed call was called,
     * a line of the same file; 0: not known, or the learner's file does not call it. */
    unsigned called_from;
};
/* Fill one field (printf). They return false, so that a judge can end with `return seen(f, …)`. */
bool expected(struct finding *f, const char *format, ...) __attribute__((format(printf, 2, 3)));
bool seen(struct finding *f, const char *format, ...) __attribute__((format(printf, 2, 3)));
bool why(struct finding *f, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* ---- the table ---- */

#define CARDS_RUN 4             /* most cards that a program is run on */

enum check_kind { OUTPUT, ORDER, OVERLAP, HAZARD, HYGIENE };

struct check {
    const char *id;             /* short, of one word, unique in the lesson: "a-output" */
    const char *part;           /* "a" */
    enum check_kind kind;
    int points;
    const char *name;           /* what holds when it passes: "every element is doubled" */
    const char *needs; /* ids separated by spaces, or NULL; "*": all above it in its part that ask
                          for outputs or orders */
    bool (*judge)(const struct evidence *e, struct finding *f,
                  const char *part); /* part: this check's */
    /* When it fails. The report says what to read; `make hint06` gives the hints, one more each
     * time. */
    const char *read;           /* heading of the chapter's section to read: "Pinned memory" */
    struct hints {
        const char
            *ask; /* a question that leads on: "Which memory can a copy engine reach by itself?" */
        const char *paragraph; /* words out of the paragraph of that section (or the table's row)
                                * which answers it; no other paragraph there has them: "For overlap
                                * both ends of a copy" */
        const char
            *call; /* what to write and where: "cudaMallocHost(&buffer, bytes) in host_buffer()." */
    } hints;
};
/* A judge of another file's, for the table that names it: JUDGE(timing_order); */
#define JUDGE(name) bool name(const struct evidence *e, struct finding *f, const char *part)
/* The folder of the lesson in whose chapter is what the check says to read: its own, but for
 * judge_errors, which is lesson 01's. */
const char *check_chapter(const struct check *c, const char *own);

struct part {
    const char *id;             /* "a": what the driver gives to driver_part */
    const char *title;          /* "depth first" */
    const char *marks; /* names of the //> //< regions that it asks for, separated by spaces */
};

struct lesson {
    int number;
    const char *folder;         /* "06-overlap" */
    const char *title;
    const struct part *parts;   size_t part_count;
    const struct check *checks; size_t check_count;
    void (*prepare)(struct exchange *x, struct random *r);
    const char *const
        *cards; /* names, besides the one that it runs on; NULL-terminated, may be NULL */
    /* The same: cards that the program is run on as well, each time anew, because what it does
     * depends on what the device says of itself. One build; each run, beside one of the solution,
     * has its own log, view and outputs. Views: the card asked for, those of `run_on`, those of
     * `cards`; none twice. At most CARDS_RUN - 1 names. */
    const char *const *run_on;
    /* Checks that ask what the simulator alone can say, ids separated by spaces; those of hazards
     * always do. On a real card they count as on the simulator. May be NULL. */
    const char *simulated;
    /* Says more of what a judge that lessons share has found; may be NULL. */
    void (*explain)(const struct evidence *e, const struct check *c, struct finding *f);
    /* The part that reports errors of its launches and kernels, where CHECK would end the program,
     * and what to do in CHECK's place. NULL: there is none. */
    const char *reports_errors, *instead_of_check;
    bool concurrent_managed; /* runs only on cards where host and device may use managed memory at
                                once */
    bool paced; /* the report says what share of the reference's pace was reached, over the first
                   part */
    /* Kernels whose launches choose how much work a block has, and so how long it takes
     * (grader/judge/costs.h); names separated by spaces. May be NULL. */
    const char *divided;
    int devices; /* runs only on machines with that many devices; 0: one will do. Cards of `run_on`
                    may have fewer */
    bool pools;                 /* runs only on cards that have memory pools (cudaMallocAsync) */
    bool dependents; /* runs only on cards that begin dependent launches early (compute
                        capability 9.0 and later) */
    bool processes; /* runs only on cards whose memory another process can open (compute capability
                       2.0 and later) */
    bool partitions; /* runs only on cards whose SMs can be split (compute capability 6.0 and
                        later); calls the driver API */
};

/* Can the lesson's programs run on this card? */
bool lesson_runs_on(const struct lesson *lesson, const struct card *card);
/* `card` if they can; else the first of `run_on` that they can run on; else NULL. */
const struct card *lesson_card(const struct lesson *lesson, const struct card *card);

/* ---- judges that lessons share (grader/judge/shared) ---- */

/* Streams, events, memory that the program made in the part (NULL: in all of it) and never gave
 * back; in its second call as well, where that is a part "again " and its letter. */
bool judge_leaks(const struct evidence *e, struct finding *f, const char *part);
/* No function that a stream calls makes a call of CUDA's: none is permitted there. */
bool judge_function_calls(const struct evidence *e, struct finding *f, const char *part);
/*
 * The part has no hazard: no two accesses to the same bytes without a
 * guaranteed order, nothing freed or reused too early, nothing read that was
 * never written, nothing out of bounds. Each load and store is seen, which
 * costs time: keep the work small (a kernel's store takes some 10 ns). A hazard
 * belongs to the part in which one of its sides was queued, or in which the
 * host's code stands that touches the bytes.
 *
 * Each part has such a check, its last: it needs those that name a mistake more
 * plainly. RACES is a row of the table for it.
 */
bool judge_hazards(const struct evidence *e, struct finding *f, const char *part);
#define RACES(of, worth, after, section, words) \
    .id = of "-hazard", .part = of, .kind = HAZARD, .points = worth, \
    .name = "no two accesses to the same bytes without an order, and none out of place", .needs = after, \
    .judge = judge_hazards, .read = section, .hints = { \
    "What makes the later of the two accesses wait for the earlier one?", words, \
    "The message has both lines. Order them: with the same stream, with an event that the other stream waits for, or with " \
    "cudaStreamSynchronize() before the host goes on." }
/* Does the program look at what each call of the part returns, and ask for the error of each
 * launch? What gives something back may go unasked. Nor does a copy name a direction in which its
 * memory does not lie: the reference calls it undefined, and a card makes it. A recorder on a real
 * card sees neither. */
bool judge_errors(const struct evidence *e, struct finding *f, const char *part);
/* Of the finding's hazard (judge_hazards): is a side of it an operation of that kind? Was it the
 * driver's code where the host touched the bytes, as the record says? */
bool hazard_has(const struct view *v, const struct finding *f, enum call_kind kind);
bool hazard_in_driver(const struct view *v, const struct finding *f);
/* Has its record that flag (HAZARD_UNWRITTEN, trace/record/call.h)? */
bool hazard_is(const struct view *v, const struct finding *f, uint32_t flag);
#define ERRORS(of, worth, after) \
    .id = of "-errors", .part = of, .kind = HYGIENE, .points = worth, \
    .name = "no call is undefined, and the program looks at what each one returns", .needs = after, .judge = judge_errors, \
    .read = "Where an error comes up", .hints = { "Which of your calls could fail unnoticed?", "but has no return value", \
    "CHECK() around each call, and CHECK(cudaGetLastError()) after each launch." }
bool on_real_card(const struct view *v);
/* A share of overlap that is asked for on a simulated card, in thousandths; less of it on a real
 * one, where each call takes longer and not the same each time: of `permille` three quarters. On an
 * H200 right answers of lessons 04 and 06 had 0.69 to 0.86 of what the reference had, in one run
 * 0.53: two of five pairs of runs will do (gpu.c). */
unsigned share_asked(const struct view *v, unsigned permille);
/* The same for a time that is at most that many thousandths of another: on a real one a third more
 * of what is beyond 1,000. */
unsigned time_asked(const struct view *v, unsigned permille);
/* Busy share of the busiest engine (measure_busy_share) in a part. On a real card the recorder has
 * each node of a graph to look at while the graph is launched, and the device waits for the nodes:
 * 0.7 ms for 24 on an H200, 0.04 without a recorder. What an engine rests while a graph is launched
 * does not count there, nor while a copy of page-locked memory is queued for more than 0.1 ms: that
 * is the driver. */
unsigned busy_share(const struct view *v, const char *part, uint32_t engines, enum engine *which);
/* Busy share against the reference's on one card: true if at least `permille` of it. Fills f if
 * not. */
bool busy_as_reference(const struct evidence *e, size_t view, const char *part, uint32_t engines,
                       unsigned permille, struct finding *f);

/* ---- why an edge is missing (grader/judge/shared/missing_edge.c) ---- */

/* Nothing guarantees that `after` waits for `before`, spans of v->timeline: fills f->why and
 * f->call with the mistake that was made between the two (trace/order/near_miss.h). Where nothing
 * was tried, f->why is what else is to be said (printf), and f->call stays; with NULL, that there
 * is no wait at all. The names are what the spans are called in the message: "A", "the copy". */
bool why_unordered(const struct view *v, struct finding *f, uint32_t before,
                   const char *before_name, uint32_t after, const char *after_name,
                   const char *otherwise, ...) __attribute__((format(printf, 7, 8)));

struct chain;
/* The same where one of these kernels has to come between the two, and none does (chain_between):
 * the mistake is the one between the kernel that was meant and that of the two to which it is not
 * bound. f->call is the later of that pair where nothing was tried. */
bool why_unchained(const struct view *v, struct finding *f, const struct chain *kernels,
                   size_t count, uint32_t before, const char *before_name, uint32_t after,
                   const char *after_name, const char *otherwise, ...)
    __attribute__((format(printf, 9, 10)));

/* The call in which the host waits for span `node` on this card before that many calls have been
 * made, though nothing promises it; ANY for none. why_unpromised() says so of it, and blames it. */
uint32_t unpromised_wait(const struct view *v, uint32_t node, size_t calls);
bool why_unpromised(const struct view *v, struct finding *f, uint32_t node, uint32_t wait);
/* The host is not bound to have waited for span `node` when that many calls have been made: fills
 * f->why and f->call with the wait or the query that was meant; where there is none, f->why with
 * what else is to be said (printf), and f->call stays. It stays, too, where a wait comes too late:
 * set it to what comes too early. */
bool why_unwaited(const struct view *v, struct finding *f, uint32_t node, size_t calls,
                  const char *otherwise, ...) __attribute__((format(printf, 5, 6)));
/* The host is bound to have waited for all of the selection when its calls end. If not: `wanted` is
 * expected, the last span is named, and why_unwaited() says why, or `otherwise`. */
bool all_waited_for(const struct view *v, struct finding *f, struct selection s, const char *wanted,
                    const char *otherwise);
/* Behind that: is the wait that it blames one of a call that the label `what` marks, `inner`, for
 * something else than `node`? Then that wait is right, and it blames `function`, the last to wait.
 */
bool why_returns_early(const struct view *v, struct finding *f, uint32_t node, const char *what,
                       const char *inner, const char *function);

/* ---- questions to a view (grader/judge/shared/questions.c) ---- */

/* Was this call made by the lesson's driver, and not by what was handed in? */
bool is_in_driver(const struct timeline *t, const struct call *c);

/* Did the program reach the end of this part? Checks of a part that was never
 * reached (an earlier part crashed or hung) are withheld by the grader itself. */
bool part_ran(const struct view *v, const char *part);
/* The selection of `part` on any stream and device: engines as given. */
struct selection in_part(const struct view *v, const char *part, uint32_t engines);
/* From the device's first operation in the part to its last, ns; 0: there is none, or the part was
 * not ended. */
int64_t part_makespan(const struct view *v, const char *part);
/* Does the part end while a kernel of that name, the driver's, is still at work? True where there
 * is none. */
bool part_ends_before(const struct view *v, const char *part, const char *kernel);
/* First span of that selection which begins at or after span number `from`; ANY if none. */
uint32_t next_span(const struct view *v, struct selection s, uint32_t from);
/* The same, kernels of that name alone. */
uint32_t next_kernel(const struct view *v, struct selection s, const char *name, uint32_t from);
/* Loops over all of them. */
#define EACH_SPAN(node, v, s) \
    for (uint32_t node = next_span(v, s, 0); node != ANY; node = next_span(v, s, node + 1))
#define EACH_KERNEL(node, v, s, name) \
    for (uint32_t node = next_kernel(v, s, name, 0); node != ANY; node = next_kernel(v, s, name, node + 1))
/* The selection's copies to the device, or back, move fewer bytes than that in all: f->why says so,
 * f->call is the last of them. */
bool why_short_copy(const struct view *v, struct finding *f, struct selection s, uint64_t bytes);
/* The call that a span comes from, and its number; an empty one and ANY for ANY. */
const struct call *call_of_node(const struct view *v, uint32_t node);
uint32_t call_number(const struct view *v, uint32_t node);
/* What a message calls a span: "mix() of line 26", "the copy of line 28". */
struct node_name { char text[160]; };
struct node_name node_name(const struct view *v, uint32_t node);
/* What a block of kernel `node` has said that it costs, ns; -1: it has said nothing, or this is a
 * real card. */
int64_t declared_cost(const struct view *v, uint32_t node);
/* Is that `wanted`? Blames the launch if not: its argument `name` is another time than the one that
 * was given. */
bool costs_as_given(const struct view *v, struct finding *f, uint32_t node, int64_t wanted,
                    const char *name);
/* Have the blocks of launch `node` as much shared memory as those of `own`, the driver's launch of
 * the same kernel? With less of it more blocks run at once. Blames the launch if not; `field` is
 * what the contract calls it. */
bool has_its_shared(const struct view *v, struct finding *f, uint32_t node, uint32_t own,
                    const char *field);
/* Launch `node` has fewer threads than there are elements: blames it, and says how many blocks
 * there should be. True: it has enough. */
bool has_threads_for(const struct view *v, struct finding *f, uint32_t node, uint64_t elements);
/* Has launch `node` blocks of `threads` threads, as the contract says (0: it leaves that open), and
 * at most twice as many blocks as the elements need (0: any number)? Blames it if not. */
bool fits_elements(const struct view *v, struct finding *f, uint32_t node, uint64_t elements,
                   uint64_t threads);
/* Did a second call of the part's function, with other sizes, in a part `again` of its own, come to
 * its end, if it began? If not, blames `word` in `function`, for `reason`. */
bool comes_to_its_end(const struct view *v, struct finding *f, const char *again,
                      const char *function, const char *word, const char *reason);
/* A second call of the part's function, with other sizes, in a part `again` of its own: did it come
 * to its end, and touch nothing that is not the program's own? If not, blames `word` in `function`,
 * for `reason`. True where the part itself has a hazard, which a check of its own says. */
bool comes_through(const struct evidence *e, struct finding *f, const char *part, const char *again,
                   const char *function, const char *word, const char *reason);
/* Does no allocation of the program's among these take far more memory than the `bytes` that it
 * needs? If one does, its size does not come from the arguments: blames that call. A size may be
 * rounded up to whole pages. */
bool takes_what_is_asked(const struct view *v, struct finding *f, struct selection s,
                         uint64_t bytes);
/* In how many streams are spans of the selection? */
unsigned streams_used(const struct view *v, struct selection s);
/* How many spans of the selection run at once on average, in thousandths. */
unsigned average_width(const struct view *v, struct selection s);
/* The first call that put a span of the selection into a legacy default stream; ANY for none. */
uint32_t in_default_stream(const struct view *v, struct selection s);
/* The call that held the host longest before it queued the last span of the selection; ANY for
 * none. */
uint32_t wait_in_between(const struct view *v, struct selection s);
/* Does the call put something into its stream: work, an event's record or wait, memory of a pool's?
 */
bool queues_in_stream(const struct call *c);
/* The call that makes a stream wait (cudaStreamWaitEvent) by which one of the two nodes comes after
 * the other; ANY for none. */
uint32_t stream_wait_between(const struct view *v, struct selection s, uint32_t one,
                             uint32_t other);
/* The first kernel of that name in the selection, ANY for none; *count (may be NULL): how many
 * there are. */
/* The second launch of a graph there; ANY: there is none. */
uint32_t second_launch(const struct view *v, struct selection run);
uint32_t kernel_named(const struct view *v, struct selection s, const char *name, size_t *count);
/* Kernel `kernel` runs the wrong number of times there: blames its first launch or, where all of
 * several launches stand in one line, the loop of the learner's `function` that makes them; where
 * there is none, the function. */
void blame_count(const struct view *v, struct finding *f, struct selection s, const char *kernel,
                 const char *function);
/* Was a launch of kernel `name` captured into a graph among the selection's calls? */
bool was_captured(const struct view *v, struct selection s, const char *name);
/* The copies of the selection (its engines: one direction) bring too little: blames the one that
 * brings least or, where there is none, `function`, the learner's, and fills f->why with the call
 * that is missing: then it returns true. */
bool blame_copies(const struct view *v, struct finding *f, struct selection s,
                  const char *function);
/* Does each copy of the selection's between two devices name those whose memory it is about? Else
 * f says which does not. */
bool devices_named(const struct view *v, struct selection s, struct finding *f);
/* The last span of the selection that the host is not bound to have waited for when the selection's
 * calls end; ANY when it has waited for all. Guaranteed edges only. */
uint32_t never_waited_for(const struct view *v, struct selection s);
/* The first call of the selection's that holds the host up for the device, asks it whether it is
 * done, works or sleeps: what a function that only queues has none of. ANY for none. It may be a
 * CALL_THREAD_WAKE of the thread that makes the selection's first call: woken_by_device(). */
uint32_t first_standstill(const struct view *v, struct selection s);
/* Where `wake` is a CALL_THREAD_WAKE: the call that its thread stood still for, one that queues a
 * function, which woke it, or the wait for the device of the thread that did. ANY: it is no such
 * wake, or waited for no device. */
uint32_t woken_by_device(const struct view *v, size_t wake);
/* Has a thread lost the processor in the part, in a run with threads in another order? A kernel may
 * have ended meanwhile: then the program's measurement does not show who waits for whom. */
bool lost_the_processor(const struct view *v, const char *part);
/* Does the thread of call `call` come to its end before call `end`? */
bool thread_ends(const struct view *v, size_t call, size_t end);
/* Where that is what f->call is: this call is blamed in its place, and f->why says more. The grader
 * asks it of each finding. */
bool why_woken(const struct view *v, struct finding *f);

/* The number after `what` in a label of the driver's; -1: call `call` is another label, or none. */
long label_number(const struct view *v, size_t call, const char *what);
/* Blames what the driver did under label `call`, whose place is where the learner called the
 * driver; `instead`, a call of the learner's own, where that is not known. */
void blame_label(struct finding *f, size_t call, uint32_t instead);
/* The call that closes the label which `call` opens: in the same thread. The end of the log when
 * none does. */
size_t label_end(const struct view *v, size_t call);
/* Of the selection's calls those inside the label `what` with that number, other threads' among
 * them; none if it never came. */
struct selection label_calls(const struct view *v, struct selection s, const char *what,
                             int64_t number);

/* Spans of a selection, stream by stream, each stream's in order of issue. A graph's nodes follow
 * its edges and not its stream: each has a number of its own for a stream, which no stream has. */
struct chain { uint32_t stream, node; };
/* Returns how many; *out is the caller's, to be given to free(). */
size_t chains_of(const struct view *v, struct selection s, struct chain **out);
/* Is there one among them that is bound to wait for node `before` and that node `after` is bound to
 * wait for? */
bool chain_between(struct happens_before *o, const struct chain *c, size_t count, uint32_t before,
                   uint32_t after);

#endif
