/* SPDX-License-Identifier: MIT */
/* judges.h - what lesson 14's judges share: of what the plant does (work.c), of the camera's thread
 * (camera.c), of how soon and how fast (pace.c), of the archive (archive.c, archive_sheets.c,
 * archive_pace.c); what they all ask is in questions.c. */
#ifndef JUDGES_H
#define JUDGES_H

#include "grader/check.h"

#include "slots.h"

static inline const struct sizes *sizes_of(const struct evidence *e)
{
    return exchange_input(e->exchange, IN_SIZES, NULL);
}

static inline const struct script *script_of(const struct evidence *e)
{
    return exchange_input(e->exchange, IN_SCRIPT, NULL);
}

static inline const struct answers *answers_of(const struct evidence *e)
{
    return exchange_output(e->exchange, OUT_ANSWERS, NULL);
}

/* The calls inside the label `what` with that number; none if it never came. Other threads' calls
 * are among them. */
struct selection calls_in(const struct view *v, const char *what, int number, uint32_t engines);
/* The same where the label comes no earlier than call `first`: labels that come one after the other
 * are found in one walk. */
struct selection calls_from(const struct view *v, size_t first, const char *what, int number,
                            uint32_t engines);
/* Of the selection's calls the one of this thread that the device held up longest; ANY for none. */
uint32_t longest_wait_of(const struct view *v, struct selection s, uint32_t thread);

/* Of the selection's calls the first by which this thread goes on after it has stood still for the
 * device, in a semaphore or a join, for example: CALL_THREAD_WAKE; ANY for none. */
uint32_t woken_in(const struct view *v, struct selection s, uint32_t thread);

/* The thread that fills frames. */
uint32_t camera(const struct view *v);
/* Where a frame lies in the host's memory when it is copied: 0 where no copy says so. */
uint64_t room_of(const struct view *v, int frame);

/* The function, a node, in which page `page` is sealed; ANY: a thread of the learner's seals it. */
uint32_t function_that_seals(const struct view *v, int page);
/* The copy of a frame, that way, which goes to the place to which that of the frame before went,
 * though the two lie in different rooms; ANY: it does not. */
uint32_t same_place_again(const struct view *v, int frame, enum engine way);
/* Do two frames in different rooms go to one place, and meet there? Then that is said of a hazard.
 */
bool explain_one_place(const struct evidence *e, struct finding *f);
/* Do two threads seal with no order between them, and is that the hazard? Then it says so. */
bool explain_seals(const struct evidence *e, struct finding *f);
/* Of two that touch a room one is the camera, which has the room from plant_room() (room.c). */
void explain_room(const struct evidence *e, struct finding *f);
void plant_explain(const struct evidence *e, const struct check *c, struct finding *f);
void archive_explain(const struct evidence *e, struct finding *f);
/* Does one graph retouch two sheets? Then it says so, as the reason of a finding that comes of it.
 */
bool archive_has_one_graph(const struct evidence *e, struct finding *f);
/* What this part, one of those two, makes is given back. A program that ended in it cannot do that.
 */
bool other_leaks(const struct evidence *e, struct finding *f, const char *part);
/* Are the page and the answer of OTHER_PLANT right, and the sheets of OTHER_ARCHIVE (others.c)? */
bool other_page_right(const struct evidence *e, struct finding *f);
bool other_answer_right(const struct evidence *e, struct finding *f);
bool other_sheets_right(const struct evidence *e, struct finding *f);
/* What sheets would be like: right, with k from PASSES - 1 down, with k from 1 to PASSES, or with
 * no blending that changes its sheet. */
enum version { AS_ASKED, PASSES_DOWN, PASSES_FROM_ONE, PASSES_ALIKE, BLENDS_LOST };
/* What archive_retouch() makes of a sheet. */
void archive_retouched(uint32_t *x, const uint32_t *table, int64_t n, enum version version);
/* What the caller ought to have been shown, one sheet after the other; the caller of this gives it
 * to free(). */
uint32_t *sheets_shown(const struct evidence *e, enum version version);
/* Is what was shown what it would be in that version? Then it says so. */
bool why_version(const struct evidence *e, struct finding *f, size_t view, int64_t wrong,
                 uint32_t got, enum version version);
/* Is there a copy that should have come before step `shown` of the script, in which a sheet is
 * wrong? Then it says so, and blames the call after which the archive does not know where the sheet
 * is. */
bool why_not_brought(const struct evidence *e, const struct view *v, struct finding *f, int shown);
/* What the archive's caller does. */
void archive_script(struct script *script, struct random *r);

#endif
