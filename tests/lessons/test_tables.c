/* SPDX-License-Identifier: MIT */
/* The lessons' tables of parts and checks hold together, and agree with starter and chapter. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "grader/judge/chapter.h"
#include "grader/lessons.h"

static const struct check *find_check(const struct lesson *l, const char *id, size_t length)
{
    for (size_t i = 0; i < l->check_count; i++)
        if (strlen(l->checks[i].id) == length && memcmp(l->checks[i].id, id, length) == 0)
            return &l->checks[i];
    return NULL;
}

static bool has_part(const struct lesson *l, const char *id)
{
    for (size_t i = 0; i < l->part_count; i++)
        if (strcmp(l->parts[i].id, id) == 0)
            return true;
    return false;
}

/* The whole file, with a newline before its first line; the caller frees it. */
static char *read_file(const char *format, const char *folder)
{
    char path[256];
    snprintf(path, sizeof path, format, folder);
    FILE *in = fopen(path, "r");
    if (!in)
        fail_msg("cannot read %s", path);
    char *text = NULL;
    size_t size = 0;
    if (getdelim(&text, &size, '\0', in) < 0)
        fail_msg("%s is empty", path);
    fclose(in);
    char *lines;
    assert_true(asprintf(&lines, "\n%s", text) > 0);
    free(text);
    return lines;
}

static void a_lesson_is_found_under_its_number_and_its_folder(void **state)
{
    (void)state;
    assert_true(lesson_count > 0);
    for (size_t i = 0; i < lesson_count; i++) {
        char number[8];
        snprintf(number, sizeof number, "%02d", lessons[i]->number);
        assert_ptr_equal(lesson_find(number), lessons[i]);
        assert_ptr_equal(lesson_find(lessons[i]->folder), lessons[i]);
        assert_memory_equal(lessons[i]->folder, number, 2);
    }
}

static void every_check_has_its_own_id_a_part_points_and_words(void **state)
{
    (void)state;
    for (size_t i = 0; i < lesson_count; i++)
        for (size_t k = 0; k < lessons[i]->check_count; k++) {
            const struct check *c = &lessons[i]->checks[k];
            if (find_check(lessons[i], c->id, strlen(c->id)) != c)
                fail_msg("%s: two checks are called %s", lessons[i]->folder, c->id);
            if (!has_part(lessons[i], c->part))
                fail_msg("%s: %s is of no part", lessons[i]->folder, c->id);
            if (c->points <= 0 || !c->judge || !c->name || !c->read)
                fail_msg("%s: %s lacks points, judge, name or what to read", lessons[i]->folder,
                         c->id);
        }
}

static void every_lesson_has_a_hundred_points_and_every_part_is_searched_for_races(void **state)
{
    (void)state;
    for (size_t i = 0; i < lesson_count; i++) {
        const struct lesson *l = lessons[i];
        int points = 0;
        for (size_t k = 0; k < l->check_count; k++)
            points += l->checks[k].points;
        if (points != 100)
            fail_msg("%s has %d points", l->folder, points);
        for (size_t p = 0; p < l->part_count; p++) {
            size_t k = 0;
            while (k < l->check_count
                   && (l->checks[k].judge != judge_hazards
                       || strcmp(l->checks[k].part, l->parts[p].id) != 0))
                k++;
            if (k == l->check_count)
                fail_msg("%s: nobody looks for hazards in part %s", l->folder, l->parts[p].id);
        }
    }
}

/* A race is luck on a card, or a crash; what is not given back is untidy. */
static void a_race_costs_more_than_what_is_not_given_back(void **state)
{
    (void)state;
    for (size_t i = 0; i < lesson_count; i++) {
        const struct lesson *l = lessons[i];
        for (const struct check *race = l->checks; race < l->checks + l->check_count; race++)
            for (const struct check *c = l->checks;
                 race->judge == judge_hazards && c < l->checks + l->check_count; c++)
                if (strcmp(c->part, race->part) == 0 && c->kind == HYGIENE
                    && c->points >= race->points
                    && (strcmp(c->id + 1, "-leaks") == 0 || strcmp(c->id + 1, "-back") == 0))
                    fail_msg("%s: %s has %d points, and %s has %d", l->folder, race->id,
                             race->points, c->id, c->points);
    }
}

static void what_the_simulator_alone_judges_are_checks_of_the_lesson(void **state)
{
    (void)state;
    for (size_t i = 0; i < lesson_count; i++) {
        const char *id = lessons[i]->simulated;
        for (; id && *id != '\0'; id += strcspn(id, " "), id += strspn(id, " ")) {
            size_t length = strcspn(id, " "), k = 0;
            while (k < lessons[i]->check_count
                   && (strlen(lessons[i]->checks[k].id) != length
                       || memcmp(lessons[i]->checks[k].id, id, length) != 0))
                k++;
            if (k == lessons[i]->check_count)
                fail_msg("%s has no check %.*s", lessons[i]->folder, (int)length, id);
        }
    }
}

static void a_check_needs_only_checks_that_stand_above_it(void **state)
{
    (void)state;
    for (size_t i = 0; i < lesson_count; i++)
        for (size_t k = 0; k < lessons[i]->check_count; k++) {
            const struct check *c = &lessons[i]->checks[k];
            for (const char *id = c->needs; id && *id != '\0'; id += strspn(id, " ")) {
                size_t length = strcspn(id, " ");
                const struct check *needed = find_check(lessons[i], id, length);
                if ((length != 1 || *id != '*') && (!needed || needed >= c))
                    fail_msg("%s: %s needs %.*s", lessons[i]->folder, c->id, (int)length, id);
                id += length;
            }
        }
}

static void every_part_has_checks_and_its_marks_are_in_the_starter(void **state)
{
    (void)state;
    for (size_t i = 0; i < lesson_count; i++) {
        char *starter = read_file("exercises/%s.cu", lessons[i]->folder);
        for (size_t k = 0; k < lessons[i]->part_count; k++) {
            const struct part *p = &lessons[i]->parts[k];
            size_t checks = 0;
            for (size_t c = 0; c < lessons[i]->check_count; c++)
                checks += strcmp(lessons[i]->checks[c].part, p->id) == 0;
            if (checks == 0)
                fail_msg("%s: part %s has no check", lessons[i]->folder, p->id);
            for (const char *mark = p->marks; mark && *mark != '\0'; mark += strspn(mark, " ")) {
                char line[128];
                size_t length = strcspn(mark, " ");
                snprintf(line, sizeof line, "//> %.*s\n", (int)length, mark);
                if (!strstr(starter, line))
                    fail_msg("%s: no mark %.*s in the starter", lessons[i]->folder, (int)length,
                             mark);
                mark += length;
            }
        }
        free(starter);
    }
}

static void what_a_check_says_to_read_is_a_heading_of_the_chapter(void **state)
{
    (void)state;
    for (size_t i = 0; i < lesson_count; i++) {
        for (size_t k = 0; k < lessons[i]->check_count; k++) {
            const struct check *c = &lessons[i]->checks[k];
            char *chapter =
                read_file("lessons/%s/chapter.md", check_chapter(c, lessons[i]->folder));
            if (chapter_section(chapter, c->read).line == 0)
                fail_msg("%s: %s says to read '%s'", lessons[i]->folder, c->id, c->read);
            free(chapter);
        }
    }
}

static void every_check_has_three_hints_a_question_a_paragraph_and_a_call(void **state)
{
    (void)state;
    for (size_t i = 0; i < lesson_count; i++)
        for (size_t k = 0; k < lessons[i]->check_count; k++) {
            const struct check *c = &lessons[i]->checks[k];
            const struct hints *h = &c->hints;
            if (!h->ask || !h->paragraph || !h->call)
                fail_msg("%s: %s lacks hints (grader/check.h)", lessons[i]->folder, c->id);
            if (h->ask[strlen(h->ask) - 1] != '?')
                fail_msg("%s: the first hint of %s is no question: %s", lessons[i]->folder, c->id,
                         h->ask);
            if (!strchr(h->call, '(') && !strstr(h->call, "<<<"))
                fail_msg("%s: the third hint of %s names no call: %s", lessons[i]->folder, c->id,
                         h->call);
        }
}

static void the_paragraph_of_a_hint_is_the_only_one_of_its_section_with_these_words(void **state)
{
    (void)state;
    for (size_t i = 0; i < lesson_count; i++) {
        for (size_t k = 0; k < lessons[i]->check_count; k++) {
            const struct check *c = &lessons[i]->checks[k];
            char *chapter =
                read_file("lessons/%s/chapter.md", check_chapter(c, lessons[i]->folder));
            size_t found =
                !c->hints.paragraph ? 0 : chapter_find(chapter, c->read, c->hints.paragraph, NULL);
            if (found != 1)
                fail_msg("%s: %s: %zu paragraphs under '%s' have the words '%s'",
                         lessons[i]->folder, c->id, found, c->read, c->hints.paragraph);
            free(chapter);
        }
    }
}

static void the_cards_of_a_lesson_are_known(void **state)
{
    (void)state;
    for (size_t i = 0; i < lesson_count; i++)
        for (const char *const *name = lessons[i]->cards; name && *name; name++)
            if (!card_find(*name))
                fail_msg("%s: there is no card %s", lessons[i]->folder, *name);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_lesson_is_found_under_its_number_and_its_folder),
        cmocka_unit_test(every_check_has_its_own_id_a_part_points_and_words),
        cmocka_unit_test(a_check_needs_only_checks_that_stand_above_it),
        cmocka_unit_test(every_lesson_has_a_hundred_points_and_every_part_is_searched_for_races),
        cmocka_unit_test(a_race_costs_more_than_what_is_not_given_back),
        cmocka_unit_test(what_the_simulator_alone_judges_are_checks_of_the_lesson),
        cmocka_unit_test(every_part_has_checks_and_its_marks_are_in_the_starter),
        cmocka_unit_test(what_a_check_says_to_read_is_a_heading_of_the_chapter),
        cmocka_unit_test(every_check_has_three_hints_a_question_a_paragraph_and_a_call),
        cmocka_unit_test(the_paragraph_of_a_hint_is_the_only_one_of_its_section_with_these_words),
        cmocka_unit_test(the_cards_of_a_lesson_are_known),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
