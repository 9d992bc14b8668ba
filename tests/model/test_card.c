/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "model/card.h"
#include "model/card_files.h"
#include "model/hosted/card_varied.h"
#include "rig.h"

static void every_built_in_card_is_whole_and_found_by_its_name(void **state)
{
    (void)state;
    assert_true(card_count() >= 5);
    assert_string_equal(card_at(0)->name, "h200");
    for (size_t i = 0; i < card_count(); i++) {
        struct card card;
        size_t line;
        const char *error;
        if (!card_parse(&card, card_files[i].text, card_files[i].length, &line, &error))
            fail_msg("%s.card:%zu: %s", card_files[i].name, line, error);
        assert_string_equal(card.name, card_files[i].name);
        assert_ptr_equal(card_find(card_files[i].name), card_at(i));
    }
    assert_null(card_find("h2000"));
    assert_null(card_find(""));
}

/* The h200's text with `from` replaced by `to`. */
static const char *mistake(const char *from, const char *to, size_t *line)
{
    static char text[16384];
    struct card card;
    const char *error = NULL, *at = strstr(card_files[0].text, from);
    assert_non_null(at);
    snprintf(text, sizeof text, "%.*s%s%s", (int)(at - card_files[0].text), card_files[0].text, to,
             at + strlen(from));
    assert_false(card_parse(&card, text, strlen(text), line, &error));
    return error;
}

static void a_card_with_a_mistake_is_refused_with_the_line(void **state)
{
    (void)state;
    size_t line, sms;
    assert_string_equal(mistake("\nsms 132", "\nsms many", &sms),
                        "the value is not a whole number with no unit");
    assert_string_equal(mistake("\nsms 132", "\nsms", &line),
                        "the value is not a whole number with no unit");
    assert_int_equal(line, sms);
    assert_string_equal(mistake("\nsms 132", "\nsms 1\nsms 2", &line), "this key was given before");
    assert_int_equal(line, sms + 1);
    assert_string_equal(mistake("\nsms 132", "\nstreaming_multiprocessors 132", &line),
                        "no card has such a key");
    assert_int_equal(line, sms);
    assert_string_equal(mistake("\nsms 132", "\n", &line), "no line for 'sms'");
    assert_string_equal(mistake("\nsms 132", "\nsms 0", &line),
                        "the value is not between 1 and 100000");
    assert_int_equal(line, sms);
    assert_string_equal(mistake("title NVIDIA H200", "title", &line),
                        "the text is empty or too long");
    assert_string_equal(
        mistake("\ninline_written ", "\n# ", &line),
        "copies that go with the command, and not how fast: inline_written, inline_read, with inline_ring inline_rewritten");
}

static const char *mistake_in(const char *text, size_t *line)
{
    struct card card;
    const char *error = NULL;
    assert_false(card_parse(&card, text, strlen(text), line, &error));
    return error;
}

static void a_card_that_is_like_another_has_its_figures_and_its_own(void **state)
{
    (void)state;
    const struct card *one = card_find("h200"), *two = card_find("dual");
    size_t line;
    assert_int_equal(one->devices, 1);
    assert_int_equal(two->devices, 2);
    assert_string_equal(two->title, one->title);
    assert_int_equal(two->sms, one->sms);
    assert_int_equal(two->peer_access, 1);
    assert_string_equal(mistake_in("name x\nlike h200\n", &line), "'like' comes first");
    assert_int_equal(line, 2);
    assert_string_equal(mistake_in("like nobody\nname x\n", &line),
                        "no card of that name stands before this one");
    assert_string_equal(mistake_in("like h200\nname x\ndevices 2\n", &line),
                        "devices with no bandwidth between them");
    assert_string_equal(mistake_in("like h200\nname x\ndevices 9\n", &line),
                        "the value is not between 1 and 8");
}

static void on_a_slower_card_the_device_takes_longer_and_the_host_does_not(void **state)
{
    (void)state;
    const struct card *card = card_find("h200");
    const struct card slow = card_slowed(card, 4);
    assert_int_equal(slow.kernel_ns, 4 * card->kernel_ns);
    assert_int_equal(slow.h2d_pinned, card->h2d_pinned / 4);
    assert_int_equal(slow.inline_read, card->inline_read / 4);
    assert_int_equal(slow.call_launch, card->call_launch);
    assert_int_equal(slow.wake_ns, card->wake_ns);
    assert_int_equal(slow.staging, card->staging);
    assert_int_equal(slow.inline_written, card->inline_written);
    assert_int_equal(card_slowed(card, 1000000).h2d_pinned, 1);
    const struct card *two = card_find("dual");
    assert_true(two->peer_staged_ns > 0);
    assert_int_equal(card_slowed(two, 4).peer_staged_ns, 4 * two->peer_staged_ns);
}

/* Bytes that a slip of the hand leaves; the same in every run. */
static uint32_t roll(uint64_t *seed, uint32_t sides)
{
    *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(*seed >> 33) % sides;
}

static size_t slip(char *text, size_t length, uint64_t *seed)
{
    static const char bytes[] = "0123456789-#. \n\t\r\0abz\377";
    if (length == 0)                    /* an earlier slip took all of it away */
        return 0;
    size_t at = roll(seed, (uint32_t)length), some = 1 + roll(seed, 12);
    if (at + some > length)
        some = length - at;
    switch (roll(seed, 5)) {
    case 0:                             /* another byte */
        text[at] = bytes[roll(seed, sizeof bytes - 1)];
        return length;
    case 1:                             /* one more */
        memmove(text + at + 1, text + at, length - at);
        text[at] = bytes[roll(seed, sizeof bytes - 1)];
        return length + 1;
    case 2:                             /* some less */
        memmove(text + at, text + at + some, length - at - some);
        return length - some;
    case 3:                             /* some twice */
        memmove(text + at + some, text + at, length - at);
        return length + some;
    default:                            /* cut off, now and then */
        return roll(seed, 8) == 0 && at > 0 ? at : length;
    }
}

/* A copy each way and a kernel between them. */
static void works_on(const struct card *card)
{
    struct rig r;
    rig_start_on(&r, card, 0, COST_UNKNOWN);
    uint32_t s = rig_stream(&r, 0, 0);
    rig_copy(&r, s, 1 << 20, true, true);
    rig_launch(&r, s, 64, 32);
    uint32_t last = rig_copy(&r, s, 1 << 20, false, true);
    rig_sync(&r);
    assert_true(r.timeline.spans[last].end > 0 && r.timeline.spans[last].end != TIME_NEVER);
    rig_finish(&r);
}

#ifdef __SANITIZE_ADDRESS__     /* which takes ten times as long */
enum { CARDS = 4000 };
#else
enum { CARDS = 20000 };
#endif

static void a_card_with_slips_in_it_can_be_run_or_is_refused_with_a_line_of_it(void **state)
{
    (void)state;
    uint64_t seed = 7;
    size_t taken = 0, refused = 0;
    for (size_t round = 0; round < CARDS; round++) {
        const struct card_file *file = &card_files[roll(&seed, (uint32_t)card_file_count)];
        static char text[20000];
        size_t length = file->length, line, lines = 1;
        const char *error = NULL;
        struct card card;
        assert_true(length < sizeof text - 100);
        memcpy(text, file->text, length);
        for (uint32_t slips = 1 + roll(&seed, 3); slips > 0; slips--)
            length = slip(text, length, &seed);
        for (size_t i = 0; i < length; i++)
            lines += text[i] == '\n';
        if (card_parse(&card, text, length, &line, &error)) {
            works_on(&card);
            taken++;
        } else {
            assert_non_null(error);
            assert_true(line >= 1 && line <= lines);
            refused++;
        }
    }
    assert_true(taken > CARDS / 20 && refused > CARDS / 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_built_in_card_is_whole_and_found_by_its_name),
        cmocka_unit_test(a_card_with_a_mistake_is_refused_with_the_line),
        cmocka_unit_test(a_card_with_slips_in_it_can_be_run_or_is_refused_with_a_line_of_it),
        cmocka_unit_test(a_card_that_is_like_another_has_its_figures_and_its_own),
        cmocka_unit_test(on_a_slower_card_the_device_takes_longer_and_the_host_does_not),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
