/* SPDX-License-Identifier: MIT */
/* A roster, and whose a file is by its path. */
#include "tests/fuzz/fuzz.h"

#include <string.h>

#include "grader/batch/intake/owner.h"
#include "grader/batch/files/roster.h"
#include "grader/batch/files/rubric.h"
#include "trace/record/memory.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count)
{
    struct roster r;
    struct rubric rubric;
    char trouble[512] = "", text[600];
    snprintf(text, sizeof text, "%.*s", (int)(count < sizeof text ? count : sizeof text - 1),
             (const char *)bytes);

    char *all = memory_resize(NULL, count + 1);
    memory_copy(all, bytes, count);
    all[count] = '\0';
    bool good = roster_parse(&r, all, "roster", trouble, sizeof trouble);
    HOLDS(good == (trouble[0] == '\0'));
    for (size_t i = 0; i < r.count; i++)
        HOLDS(r.people[i].id && r.people[i].id[0] != '\0');
    const struct person *both[2];
    roster_find(&r, text, "4711", both);
    roster_find(&r, r.count > 0 ? r.people[0].id : "", NULL, both);
    HOLDS((!both[0]) == (!both[1]));
    roster_fini(&r);
    memory_resize(all, 0);

    trouble[0] = '\0';
    good = rubric_read(&rubric, fuzz_file(bytes, count), trouble, sizeof trouble);
    HOLDS(good == (trouble[0] == '\0'));
    rubric_fini(&rubric);

    struct owner o;
    char *inner = strchr(text, '\n');
    if (inner)
        *inner++ = '\0';
    for (size_t level = 0; level < 4; level++) {
        owner_find(&o, text, inner, level < 3 ? level : OWNER_FILE);
        HOLDS(strlen(o.student) < sizeof o.student && !strchr(o.student, '/'));
    }
    return 0;
}
