/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "grader/batch/owner.h"
#include "grader/batch/roster.h"

static void a_path_says_whose_and_which_lesson(void **state)
{
    (void)state;
    static const struct { const char *outer, *inner, *student, *number; int lesson; unsigned revision; bool late; } rows[] = {
        { "anna/03-events.cu", NULL, "anna", "", 3, 0, false },
        { "submitted/anna/03-events/03-events.cu", NULL, "anna", "", 3, 0, false },
        { "class/anna/lesson03/main.cu", NULL, "anna", "", 3, 0, false },
        { "anna/work/03-events.cu", NULL, "anna", "", 3, 0, false },
        { "03/anna/main.cu", NULL, "anna", "", 3, 0, false },
        { "Anna B. C_4711_assignsubmission_file_/03-events.cu", NULL, "Anna B. C", "4711", 3, 0, false },
        { "smithanna_4711_815_03-events-2.cu", NULL, "smithanna", "4711", 3, 2, false },
        { "smithanna_LATE_4711_815_03-events.cu", NULL, "smithanna", "4711", 3, 0, true },
        { "anna-03-events.cu", NULL, "anna", "", 3, 0, false },
        { "anna_03.cu", NULL, "anna", "", 3, 0, false },
        { "anna.tar.gz", "anybody/03-events.cu", "anna", "", 3, 0, false },
        { "Anna_9_assignsubmission_file_/x.zip", "y/work/03-events.cu", "Anna", "9", 3, 0, false },
        { "smithanna_4711_815_anna.tar.gz", "anna/03-events.cu", "smithanna", "4711", 3, 0, false },
        { "03-anna/03-events.cu", NULL, "03-anna", "", 3, 0, false },
        { "../../anna/./03-events.cu", NULL, "anna", "", 3, 0, false },
        { "03-events.cu", NULL, "", "", 3, 0, false },
        { "anna/essay.cu", NULL, "anna", "", 0, 0, false },
        { "anna/99-unknown.cu", NULL, "anna", "", 0, 0, false },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct owner o;
        owner_find(&o, rows[i].outer, rows[i].inner);
        if (strcmp(o.student, rows[i].student) != 0 || strcmp(o.number, rows[i].number) != 0
            || (o.lesson != NULL ? o.lesson->number : 0) != rows[i].lesson || o.revision != rows[i].revision || o.late != rows[i].late)
            fail_msg("%s (%s): '%s' '%s' %d %u %d", rows[i].outer, rows[i].inner != NULL ? rows[i].inner : "", o.student, o.number,
                     o.lesson != NULL ? o.lesson->number : 0, o.revision, o.late);
    }
}

static void a_person_is_met_by_any_name_and_two_are_nobody(void **state)
{
    (void)state;
    char path[] = "/tmp/test-roster-XXXXXX", trouble[300];
    FILE *out = fdopen(mkstemp(path), "w");
    assert_non_null(out);
    fputs("\xef\xbb\xbfName;SIS User ID;Email address;Section\r\n\"Smith; Anna\";s1;asmith@example.org;A\r\n"
          "Ben \"\"B\"\" Jones;s2;ben@example.org;\r\nAnna Maria Smith;s3;other@example.org;B\r\n", out);
    fclose(out);
    struct roster r;
    assert_true(roster_read(&r, path, trouble, sizeof trouble));
    remove(path);
    assert_int_equal(r.count, 3);
    static const struct { const char *student, *number, *id; } rows[] = {
        { "s1", NULL, "s1" }, { "asmith", NULL, "s1" }, { "x", "s2", "s2" }, { "ben", NULL, "s2" },
        { "Anna Maria Smith", NULL, "s3" }, { "smithannamaria", NULL, "s3" }, { "nobody", NULL, NULL },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct person *p = roster_find(&r, rows[i].student, rows[i].number);
        if ((p == NULL) != (rows[i].id == NULL) || (p != NULL && strcmp(p->id, rows[i].id) != 0))
            fail_msg("%s: %s", rows[i].student, p != NULL ? p->id : "nobody");
    }
    roster_fini(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_path_says_whose_and_which_lesson),
        cmocka_unit_test(a_person_is_met_by_any_name_and_two_are_nobody),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
