/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "grader/batch/files/encoding.h"
#include "grader/batch/intake/gradescope.h"
#include "grader/batch/intake/people.h"
#include "trace/record/memory.h"

#define MOST 12
#define NAMES "id,name\na1,\"Smith, Anna\"\nb1,\"Meier, Ben\"\nc1,Carl Öberg\n"

static char *copy(const char *s)
{
    char *bytes = memory_resize(NULL, strlen(s) + 1);
    strcpy(bytes, s);
    return bytes;
}

/* "dora/x.zip: a/03.cu" is a file in an archive. */
static void take(struct intake *in, const char *path, const char *text)
{
    char outer[300];
    const char *colon = strstr(path, ": ");
    snprintf(outer, sizeof outer, "%.*s", colon ? (int)(colon - path) : (int)strlen(path), path);
    intake_take(in, &(struct found){ .outer = outer, .inner = colon ? colon + 2 : NULL,
                                     .bytes = copy(text), .count = strlen(text) });
}

/* Whose the files are: "student lesson", in the order of the paths; "-" for what is left out. */
static void expect(const char *row, const char *const paths[], const char *const wanted[],
                   const char *names)
{
    struct roster r = { .people = NULL };
    char roster[300], trouble[300];
    snprintf(roster, sizeof roster, "%s", names ? names : "");
    encoding_begin();
    if (names)
        assert_true(roster_parse(&r, roster, "class.csv", trouble, sizeof trouble));
    struct intake in = { .roster = &r };
    for (size_t i = 0; i < MOST && paths[i]; i++)
        take(&in, paths[i], "x");
    people_find(&in, &r);
    for (size_t i = 0; i < MOST && paths[i]; i++) {
        char got[300] = "-";
        for (size_t k = 0; k < in.count; k++)
            if (in.files[k].order == i)
                snprintf(got, sizeof got, "%s %d", in.files[k].student, in.files[k].lesson->number);
        if (strcmp(got, wanted[i]) != 0)
            fail_msg("%s: %s is '%s', not '%s'", row, paths[i], got, wanted[i]);
    }
    intake_fini(&in);
    roster_fini(&r);
}

static void one_level_of_folders_is_the_students(void **state)
{
    (void)state;
    static const struct { const char *row, *roster, *paths[MOST], *wanted[MOST]; } rows[] = {
        { "folders", NULL, { "anna/01.cu", "ben/01.cu", "ben/02.cu" },
          { "anna 1", "ben 1", "ben 2" } },
        { "subfolders of the same name", NULL, { "anna/solution/01.cu", "ben/solution/01.cu" },
          { "anna 1", "ben 1" } },
        { "one student's own subfolder", NULL, { "anna/my project/01.cu", "ben/01.cu" },
          { "anna 1", "ben 1" } },
        { "two attempts of one", NULL, { "anna/old/01.cu", "anna/new/01.cu", "ben/01.cu" },
          { "anna 1", "anna 1", "ben 1" } },
        { "a folder round the class", NULL,
          { "class/anna/01.cu", "class/ben/01.cu", "class/ben/x/02.cu" },
          { "anna 1", "ben 1", "ben 2" } },
        { "sections", NULL, { "A/anna/01.cu", "A/ben/01.cu", "B/carl/01.cu" },
          { "anna 1", "ben 1", "carl 1" } },
        { "archives in a folder", NULL, { "class/anna.zip: x/01.cu", "class/ben.zip: x/01.cu" },
          { "anna 1", "ben 1" } },
        { "one file", NULL, { "class/anna/01.cu" }, { "anna 1" } },
        { "one student's archive inside", NULL, { "anna/x.zip: ben/01.cu", "ben/01.cu" },
          { "anna 1", "ben 1" } },
        { "nbgrader", NULL, { "submitted/anna/01-sync-vs-async/code/x.cu",
                              "submitted/ben/01-sync-vs-async/x.cu" }, { "anna 1", "ben 1" } },
        { "Moodle with subfolders", NULL,
          { "Anna B_11_assignsubmission_file_/solution/01.cu",
            "Ben C_12_assignsubmission_file_/solution/01.cu" }, { "Anna B 1", "Ben C 1" } },
        { "Moodle in a folder", NULL, { "export/Anna B_11_assignsubmission_file_/01.cu",
                                        "export/Ben C_12_assignsubmission_file_/my/01.cu" },
          { "Anna B 1", "Ben C 1" } },
        { "Canvas in a folder", NULL, { "week 1/smithanna_11_501_01.cu",
                                        "week 1/meierben_LATE_12_502_01.cu" },
                                        { "smithanna 1", "meierben 1" } },
        { "somebody who calls himself another", NULL,
          { "anna/01.cu", "ben/01.cu", "carl/anna/01.cu", "carl/smithanna_11_9_01.cu" },
          { "anna 1", "ben 1", "carl 1", "carl 1" } },
        { "a roster says which level", NAMES,
          { "A/Anna Smith/x/01.cu", "A/b1/01.cu", "B/öberg carl/y/01.cu" },
          { "a1 1", "b1 1", "c1 1" } },
        { "of one student, too", NAMES, { "a1/my project/01.cu" }, { "a1 1" } },
        { "who is not on it stays beside it", NAMES, { "a1/01.cu", "b1/01.cu", "dora/a1/01.cu" },
          { "a1 1", "b1 1", "dora 1" } },
        { "a roster and archives", NAMES, { "class/a1.zip: 01.cu", "class/Ben Meier.zip: 01.cu" },
          { "a1 1", "b1 1" } },
        { "plain files", NULL, { "anna-01.cu", "ben_02.cu", "essay.cu", "01.cu" },
          { "anna 1", "ben 2", "-", "-" } },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        expect(rows[i].row, rows[i].paths, rows[i].wanted, rows[i].roster);
}

static void a_file_without_a_lesson_s_name_is_of_the_lesson_whose_regions_it_has(void **state)
{
    (void)state;
    struct roster nobody = { .people = NULL };
    struct intake in = { .roster = &nobody };
    static const char first[] =
        "//> day\n//< day\n    //> errors\n  //< errors\n//> moments\r\n//< moments\n//> overlap\n//< overlap\n";
    take(&in, "anna/final.cu", first);
    take(&in, "ben/final.cu", "//> day\n//< day\n");
    take(&in, "ben/01.cu", "x");
    take(&in, "anna/01-again.cu", "x");
    take(&in, "carl/01/helper.cu", "x");
    take(&in, "carl/01/mine.cu", first);
    take(&in, "carl/01/zero.cu", "x");
    people_find(&in, &nobody);
    intake_settle(&in);
    assert_int_equal(in.count, 3);
    assert_string_equal(in.files[2].path, "carl/01/mine.cu");   /* nor does its folder */
    assert_string_equal(in.files[0].path,
                        "anna/01-again.cu");  /* the name says more than the regions */
    assert_string_equal(in.files[1].path, "ben/01.cu");
    assert_int_equal(in.stray_count, 4);
    assert_string_equal(in.strays[0].why, "no lesson's by its name or its regions");
    assert_true(intake_adds_up(&in));
    intake_fini(&in);
}

static const char export[] =
    "---\nsubmission_111:\n  :submitters:\n  - :name: Anna Smith\n    :sid: '1013'\n    :email: anna@example.org\n"
    "  - :name: \"Ben \\\"B\\\" Meier\"\n    :sid: 1014\n  :created_at: 2026-01-11 10:00:00.123456000 Z\n  :score: 0.0\n  :history:\n"
    "  - :id: 9\n    :name: Nobody\n    :created_at: 2020-01-01 10:00:00 Z\nsubmission_112:\r\n  :submitters:\r\n  - :name: Zo\xc3\xab 'Z' #1\r\n"
    "    :sid: ~\r\n    :email: zoe@example.org # hers\r\n  :created_at: 2026-01-11 11:00:00.000000000 +01:00\r\n";

static void gradescope_s_list_says_whose_a_folder_is(void **state)
{
    (void)state;
    const char *rest = export;
    struct gradescope_submission s;
    assert_true(gradescope_next(&rest, &s));
    assert_string_equal(s.folder, "submission_111");
    assert_int_equal(s.count, 2);
    assert_string_equal(s.people[1].name, "Ben \"B\" Meier");
    assert_string_equal(s.people[1].sid, "1014");
    assert_int_equal(s.when, 1768125600);
    assert_true(gradescope_next(&rest, &s));
    assert_int_equal(s.count, 1);
    assert_string_equal(s.people[0].name, "Zo\xc3\xab 'Z'");
    assert_string_equal(s.people[0].sid, "");
    assert_string_equal(s.people[0].email, "zoe@example.org");
    assert_int_equal(s.when, 1768125600);
    assert_false(gradescope_next(&rest, &s));

    struct roster nobody = { .people = NULL };
    struct intake in = { .roster = &nobody };
    take(&in, "assignment_1_export/submission_111/src/01.cu", "x");
    take(&in, "assignment_1_export/submission_112/final/02.cu", "x");
    take(&in, "assignment_1_export/submission_112/mine/x/01.cu", "x");
    intake_companion(&in,
                     &(struct found){ .outer = "assignment_1_export/submission_metadata.yml",
                                      .bytes = copy(export),
                                      .count = sizeof export },
                     COMPANION_GRADESCOPE);
    /* One of a student's own, which says that the work is another's. */
    intake_companion(
        &in,
        &(struct found){ .outer = "assignment_1_export/submission_112/mine/submission_metadata.yml",
                         .bytes = copy("x:\n  :submitters:\n  - :name: Anna Smith\n"),
                         .count = 40 },
        COMPANION_GRADESCOPE);
    people_find(&in, &nobody);
    intake_settle(&in);
    assert_int_equal(in.count, 4);      /* a group's file is each of theirs */
    static const char *const wanted[] = { "Anna Smith", "Ben \"B\" Meier", "Zo\xc3\xab 'Z'",
                                          "Zo\xc3\xab 'Z'" };
    for (size_t i = 0; i < 4; i++) {
        assert_string_equal(in.files[i].student, wanted[i]);
        assert_int_equal(in.files[i].when_from, WHEN_GRADESCOPE);
    }
    assert_int_equal(in.shared, 1);
    assert_true(intake_adds_up(&in));
    intake_fini(&in);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_level_of_folders_is_the_students),
        cmocka_unit_test(a_file_without_a_lesson_s_name_is_of_the_lesson_whose_regions_it_has),
        cmocka_unit_test(gradescope_s_list_says_whose_a_folder_is),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
