/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "grader/batch/intake/owner.h"
#include "grader/batch/files/roster.h"

#define WORK "work/"        /* where a learner's files lie in the workbook */

static void a_path_says_whose_and_which_lesson(void **state)
{
    (void)state;
    static const struct { const char *outer, *inner, *student,
                          *number; int lesson; unsigned revision; bool late; } rows[] = {
        { "anna/03-events.cu", NULL, "anna", "", 3, 0, false },
        { "submitted/anna/03-events/03-events.cu", NULL, "anna", "", 3, 0, false },
        { "anna/class/lesson03/main.cu", NULL, "anna", "", 3, 0, false },
        { "anna/" WORK "03-events.cu", NULL, "anna", "", 3, 0, false },
        { "03/anna/main.cu", NULL, "anna", "", 3, 0, false },
        { "Anna B. C_4711_assignsubmission_file_/03-events.cu", NULL, "Anna B. C", "4711", 3, 0,
          false },
        { "smithanna_4711_815_03-events-2.cu", NULL, "smithanna", "4711", 3, 2, false },
        { "smithanna_LATE_4711_815_03-events.cu", NULL, "smithanna", "4711", 3, 0, true },
        { "anna-03-events.cu", NULL, "anna", "", 3, 0, false },
        { "anna_03.cu", NULL, "anna", "", 3, 0, false },
        { "anna.tar.gz", "anybody/03-events.cu", "anna", "", 3, 0, false },
        { "Anna_9_assignsubmission_file_/x.zip", "y/" WORK "03-events.cu", "Anna", "9", 3, 0,
          false },
        { "smithanna_4711_815_anna.tar.gz", "anna/03-events.cu", "smithanna", "4711", 3, 0, false },
        { "03-anna/03-events.cu", NULL, "03-anna", "", 3, 0, false },
        { "../../anna/./03-events.cu", NULL, "anna", "", 3, 0, false },
        { "03-events.cu", NULL, "", "", 3, 0, false },
        { "van_der_berg_jan_LATE_4711_815_03-events.cu", NULL, "van_der_berg_jan", "4711", 3, 0,
          true },
        { "anon_x7Ab3_815_03-events.cu", NULL, "anon_x7Ab3", "", 3, 0, false },
        { "LATE_anon_x7Ab3_815_03-events.cu", NULL, "anon_x7Ab3", "", 3, 0, true },
        { "Anna Smith_4711_assignsubmission_file_03-events.cu", NULL, "Anna Smith", "4711", 3, 0,
          false },
        { "Anna Smith_4711_assignsubmission_file/03-events.cu", NULL, "Anna Smith", "4711", 3, 0,
          false },
        { "smithanna_11_501_x.cu", NULL, "smithanna", "11", 0, 0, false },
             /* no lesson's number */
        { "smithanna_LATE_11_12_03-events-2.cu", NULL, "smithanna", "11", 3, 2, true },
        { "Anna_12_assignsubmission_file_x.cu", NULL, "Anna", "12", 0, 0, false },
        { "smithanna_11_12_x.zip", "lesson03/main.cu", "smithanna", "11", 3, 0, false },
        { "anna/essay.cu", NULL, "anna", "", 0, 0, false },
        { "anna/99-unknown.cu", NULL, "anna", "", 0, 0, false },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct owner o;
        owner_find(&o, rows[i].outer, rows[i].inner, 0);
        if (strcmp(o.student, rows[i].student) != 0 || strcmp(o.number, rows[i].number) != 0
            || (o.lesson ? o.lesson->number : 0) != rows[i].lesson || o.revision != rows[i].revision
            || o.late != rows[i].late)
            fail_msg("%s (%s): '%s' '%s' %d %u %d", rows[i].outer,
                     rows[i].inner ? rows[i].inner : "", o.student, o.number,
                     o.lesson ? o.lesson->number : 0, o.revision, o.late);
    }
}

static bool parse(struct roster *r, const char *text, char trouble[300])
{
    char copy[2000];
    snprintf(copy, sizeof copy, "%s", text);
    return roster_parse(r, copy, "class.csv", trouble, 300);
}

/* The id of who is met; "both" names two. */
static const char *met(const struct roster *r, const char *student, const char *number)
{
    static char text[100];
    const struct person *both[2], *p = roster_find(r, student, number, both);
    if (both[0])
        snprintf(text, sizeof text, "%s or %s", both[0]->id, both[1]->id);
    else
        snprintf(text, sizeof text, "%s", p ? p->id : "nobody");
    return text;
}

static void a_person_is_met_by_any_name(void **state)
{
    (void)state;
    char trouble[300];
    struct roster r;
    assert_true(parse(
        &r,
        "\xef\xbb\xbfName;SIS User ID;Email address;Section\r\n\"Smith; Anna\";s1;asmith@example.org;A\r\n"
        "Ben \"\"B\"\" Jones;s2;ben@example.org;\r\nAnna Maria Smith;s3;other@example.org;B\r\n",
        trouble));
    assert_int_equal(r.count, 3);
    static const struct { const char *student, *number, *id; } rows[] = {
        { "s1", NULL, "s1" }, { "asmith", NULL, "s1" }, { "x", "s2", "s2" }, { "ben", NULL, "s2" },
        { "Anna Maria Smith", NULL, "s3" }, { "smithannamaria", NULL, "s3" },
        { "nobody", NULL, "nobody" },
        { "asmithson", NULL, "nobody" }, { "asmit", NULL, "nobody" },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_string_equal(met(&r, rows[i].student, rows[i].number), rows[i].id);
    roster_fini(&r);
}

static void ids_come_before_logins_and_those_before_names(void **state)
{
    (void)state;
    char trouble[300];
    struct roster r;
    assert_true(parse(
        &r,
        "Student,ID,SIS User ID,SIS Login ID,Section\n\"Smith, John\",1013,55,js1,A\n\"Smith, John\",1014,56,js2,A\n"
        "\"55, Otto\",1015,1014,56,B\nAlone Smith,1016,57,john,B\n",
        trouble));
    static const struct { const char *student, *number, *id; } rows[] = {
        { "smithjohn", "1013", "1013" }, { "smithjohn", "1014", "1014" },
              /* Canvas' number is Canvas' id, and nobody's other */
        { "smithjohn", NULL, "1013 or 1014" }, { "John Smith", "9999", "1013 or 1014" },
        { "1014", NULL, "1014 or 1015" }, { "56", NULL, "1014" }, { "js2", NULL, "1014" },
        { "JS1", NULL, "1013" }, { "john", NULL, "1016" },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_string_equal(met(&r, rows[i].student, rows[i].number), rows[i].id);
    roster_fini(&r);
}

static void a_participant_s_number_is_all_of_it(void **state)
{
    (void)state;
    char trouble[300];
    struct roster r;
    assert_true(
        parse(&r, "Identifier,Full name\nParticipant 11,Ann\nParticipant 112,Ben\n", trouble));
    assert_string_equal(met(&r, "x", "112"), "Participant 112");
    assert_string_equal(met(&r, "x", "11"), "Participant 11");
    assert_string_equal(met(&r, "x", "1"), "nobody");
    roster_fini(&r);
}

static void two_whom_nothing_tells_apart_are_an_error_and_one_line_twice_is_not(void **state)
{
    (void)state;
    char trouble[300] = "";
    struct roster r;
    assert_false(parse(&r, "name\n\"Smith, John\"\n\"Smith, John\"\n", trouble));
    assert_non_null(strstr(trouble, "two people are called 'Smith, John'"));
    roster_fini(&r);
    assert_false(parse(&r, "id,name\n7,Ann\n7,Bob\n", trouble));
    assert_non_null(strstr(trouble, "two people are called '7', Ann and Bob"));
    roster_fini(&r);
    assert_true(parse(&r, "id,name,section\n7,Ann,A\n7,Ann,B\n", trouble));
    assert_int_equal(r.count, 1);
    roster_fini(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_path_says_whose_and_which_lesson),
        cmocka_unit_test(a_person_is_met_by_any_name),
        cmocka_unit_test(ids_come_before_logins_and_those_before_names),
        cmocka_unit_test(a_participant_s_number_is_all_of_it),
        cmocka_unit_test(two_whom_nothing_tells_apart_are_an_error_and_one_line_twice_is_not),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
