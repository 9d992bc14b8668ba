/* SPDX-License-Identifier: MIT */
/* A roster, and whose a file is by its path. */
#include "tests/fuzz/fuzz.h"

#include <string.h>

#include "grader/batch/owner.h"
#include "grader/batch/roster.h"
#include "grader/batch/rubric.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count)
{
    struct roster r;
    struct rubric rubric;
    char trouble[512] = "", text[600];
    snprintf(text, sizeof text, "%.*s", (int)(count < sizeof text ? count : sizeof text - 1), (const char *)bytes);

    bool good = roster_read(&r, fuzz_file(bytes, count), trouble, sizeof trouble);
    HOLDS(good == (trouble[0] == '\0'));
    for (size_t i = 0; i < r.count; i++)
        HOLDS(r.people[i].id != NULL && r.people[i].id[0] != '\0');
    roster_find(&r, text, "4711");
    roster_find(&r, r.count > 0 ? r.people[0].id : "", NULL);
    roster_fini(&r);

    trouble[0] = '\0';
    good = rubric_read(&rubric, fuzz_file(bytes, count), trouble, sizeof trouble);
    HOLDS(good == (trouble[0] == '\0'));
    rubric_fini(&rubric);

    struct owner o;
    char *inner = strchr(text, '\n');
    if (inner != NULL)
        *inner++ = '\0';
    owner_find(&o, text, inner);
    HOLDS(strlen(o.student) < sizeof o.student && strchr(o.student, '/') == NULL);
    return 0;
}
