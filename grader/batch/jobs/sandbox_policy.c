/* SPDX-License-Identifier: MIT */
#include "grader/batch/jobs/sandbox_policy.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "grader/base/environment.h"
#include "grader/base/text.h"
#include "grader/batch/jobs/filter.h"
#include "grader/batch/jobs/object.h"
#include "trace/record/memory.h"

#define NOBODY 65534            /* what limits count nothing for is root; nobody is not */

void sandbox_policy_open(struct sandbox *s, const char *stage, bool confined, uint64_t memory,
                         const struct card_access *card)
{
    *s = (struct sandbox){ .confined = confined, .memory = memory, .filter_compiler = -1,
                           .filter_program = -1, .filter_on_card = -1, .card = card,
                           .allowed = object_allowed };
    if (snprintf(s->toolchain, sizeof s->toolchain, "%s/toolchain", stage)
        >= (int)sizeof s->toolchain)
        die("the name of the temporary folder %s is too long", stage);
    if (!confined)
        return;
    if (getuid() == 0)
        s->uid = s->gid = NOBODY;
    s->filter_compiler = filter_new(FILTER_COMPILER);
    s->filter_program = filter_new(FILTER_PROGRAM);
    if (card)
        s->filter_on_card = filter_new(FILTER_ON_CARD);
    if (s->filter_compiler < 0 || s->filter_program < 0 || (card && s->filter_on_card < 0))
        die("cannot make the filter of system calls: %s", strerror(errno));
}

void sandbox_policy_close(struct sandbox *s)
{
    int *const filters[] = { &s->filter_compiler, &s->filter_program, &s->filter_on_card };
    for (size_t i = 0; i < sizeof filters / sizeof *filters; i++) {
        if (*filters[i] >= 0)
            close(*filters[i]);
        *filters[i] = -1;
    }
}

/* Is there such a user here? In a namespace of users, root may be alone. */
static bool is_mapped(unsigned long user)
{
    FILE *in = fopen("/proc/self/uid_map", "re");
    unsigned long first, count;
    bool found = !in;
    while (in && !found && fscanf(in, "%lu %*u %lu", &first, &count) == 2)
        found = user >= first && user - first < count;
    if (in)
        fclose(in);
    return found;
}

bool sandbox_policy_holds(const struct sandbox *s, char *why, size_t size)
{
    if (s->uid != 0 && !is_mapped(s->uid)) {
        snprintf(why, size, "root has no other user here to run it as");
        return false;
    }
    sandbox_begin(s);
    struct sandbox_entry entry;
    struct child c;
    struct child_plan plan = {
        .argv = (const char *const[]){ "/usr/bin/true", NULL },
        .environment = (const char *const[]){ "LC_ALL=C.UTF-8", NULL },
        .wall_ms = 20000, .output_cap = 4096, .input = -1, .output = -1,
    };
    sandbox_enter(s, &entry, &plan, SANDBOX_PROGRAM);
    if (!child_run(&c, &plan)) {
        snprintf(why, size, "%s: %s", entry.argv[0],
                 errno == ENOENT ? "bubblewrap is not installed" : strerror(errno));
        child_fini(&c);
        return false;
    }
    bool good = child_succeeded(&c);
    char *clean = text_harmless(c.output, strcspn(c.output, "\n"));
    snprintf(why, size, "%s", clean[0] != '\0' ? clean : "it ends at once");
    memory_resize(clean, 0);
    child_fini(&c);
    return good;
}
