/* SPDX-License-Identifier: MIT */
/* A learner's file: what its marks enclose, its build options, what is shown of it. */
#include "tests/fuzz/fuzz.h"

#include <string.h>

#include "grader/run/functions.h"
#include "grader/run/submission.h"
#include "grader/base/text.h"
#include "trace/record/memory.h"

static bool is_even(const void *log, unsigned line)
{
    (void)log;
    return line % 2 == 0;
}

static const char starter_text[] = "//> a\nint x;\n//< a\n//> b\n//< b\n";

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count)
{
    struct submission s, starter = { .path = "starter.cu",
                                     .text = (char *)starter_text,
                                     .bytes = sizeof starter_text - 1 };
    char problem[512] = "";
    bool good = submission_read(&s, fuzz_file(bytes, count), problem, sizeof problem);
    HOLDS(good == (problem[0] == '\0'));
    HOLDS(!strchr(problem, '\n'));
    HOLDS(s.option_count <= SUBMISSION_OPTIONS);
    if (s.text) {
        size_t marks;
        submission_attempted(&s, &starter, "a b");
        submission_attempted(&s, &starter, NULL);
        HOLDS(submission_regions(&s, "a b", &marks) <= marks);
        HOLDS(submission_mark_line(&s, "b a") >= 1);
        submission_function_line(&s, "f", "x");
        struct reached reached = { is_even, NULL };
        char name[80];
        submission_unreached(&s, "f", &reached, name, sizeof name);
        submission_uncalled(&s, &reached, name, sizeof name);
        submission_call_line(&s, "f", 3);
        problem[0] = '\0';
        HOLDS(submission_rename(&s, "01-sync-vs-async.cu", problem, sizeof problem) == good);
    }
    submission_fini(&s);
    char *shown = text_harmless((const char *)bytes, count);
    for (const char *c = shown; *c != '\0'; c++)
        HOLDS((unsigned char)*c >= ' ' || *c == '\n' || *c == '\t');
    memory_resize(shown, 0);
    return 0;
}
