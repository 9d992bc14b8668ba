/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "grader/judge/termination/termination.h"

#define EXITED(status) ((status) << 8)

static struct run r;
static struct termination e;
static const char text[] = "one\ntwo\nthree\n";
static struct submission submission = { .path = (char *)"work/x.cu",
                                        .text = (char *)text,
                                        .bytes = sizeof text - 1 };

static uint32_t string(const char *s)
{
    return timeline_intern(&r.log, s, strlen(s));
}

static struct call *add(uint32_t kind, const char *name, uint32_t line)
{
    struct call c = { .kind = kind, .name = string(name), .file = string("work/x.cu"), .line = line,
                      .node = NO_NODE };
    return timeline_add_call(&r.log, &c);
}

static int begin(void **state)
{
    (void)state;
    r = (struct run){ .program = "/nowhere" };
    timeline_init(&r.log);
    add(CALL_PART, "a", 0);
    add(CALL_MALLOC, "cudaMalloc", 12);
    return 0;
}

static int end(void **state)
{
    (void)state;
    timeline_fini(&r.log);
    return 0;
}

static void find(int status)
{
    r.child.status = status;
    termination_find(&e, &r, &submission, NULL, 2500);
}

static void after_the_last_part_and_with_status_0_it_is_whole(void **state)
{
    (void)state;
    add(CALL_PART, "", 0);
    find(EXITED(0));
    assert_int_equal(e.how, ENDED_WHOLE);
}

static void another_status_is_never_whole(void **state)
{
    (void)state;
    add(CALL_PART, "", 0);
    find(EXITED(3));
    assert_int_equal(e.how, ENDED_EARLY);
    assert_non_null(strstr(e.message, "after part a"));
    assert_non_null(strstr(e.message, "exit status 3"));
}

static void leaving_inside_a_part_names_the_part_and_the_last_call(void **state)
{
    (void)state;
    find(EXITED(0));
    assert_int_equal(e.how, ENDED_EARLY);
    assert_string_equal(e.part, "a");
    assert_int_equal(e.line, 12);
    assert_string_equal(
        e.message,
        "The program exited in part a, after its call at work/x.cu:12, with exit status 0.");
}

static void what_a_program_said_last_is_why_it_left_but_for_its_hazards(void **state)
{
    char said[] = "packing\npack(): no such \x1b buffer\nhazard: x.cu:1: two write\n";
    (void)state;
    r.child.output = said;
    find(EXITED(1));
    r.child.output = NULL;
    assert_string_equal(e.hint, "It said why: pack(): no such ? buffer");
    find(EXITED(1));
    assert_string_equal(e.hint, "An exercise returns to its caller: do not call exit() in it.");
}

static void a_program_that_told_nothing_left_before_its_first_part(void **state)
{
    (void)state;
    timeline_fini(&r.log);
    timeline_init(&r.log);
    find(EXITED(0));
    assert_string_equal(e.message, "The program exited before its first part, with exit status 0.");
}

static void a_standstill_is_told_as_what_everybody_waits_for_and_not_as_leaving(void **state)
{
    (void)state;
    add(CALL_DEADLOCK, "", 0)->message = string("the main thread waits for a semaphore");
    find(EXITED(3));
    assert_int_equal(e.how, ENDED_DEADLOCKED);
    assert_int_equal(e.line, 12);
    assert_string_equal(e.message,
                        "The program stands still in part a, after its call at work/x.cu:12: "
                        "the main thread waits for a semaphore.");
}

static void an_error_that_check_met_is_told_with_its_place(void **state)
{
    (void)state;
    struct call *c = add(CALL_REPORT, "cudaFree(p)", 14);
    c->status = 1;
    c->message = string("cudaErrorInvalidValue: invalid argument");
    find(EXITED(1));
    assert_int_equal(e.how, ENDED_BY_CHECK);
    assert_int_equal(e.line, 14);
    assert_string_equal(
        e.message, "CHECK ended the program in part a, at work/x.cu:14: cudaFree(p) failed with "
                   "cudaErrorInvalidValue: invalid argument.");
}

static void why_a_call_failed_is_told_where_the_log_says_so(void **state)
{
    (void)state;
    struct call *c = add(CALL_OTHER, "cudaFree", 14);
    c->status = 1;
    c->message = string("the argument is NULL\x1b");
    uint64_t number = r.log.call_count;
    c = add(CALL_REPORT, "cudaFree(p)", 14);
    c->status = 1;
    c->src = number;
    find(EXITED(1));
    assert_string_equal(e.hint, "Why: the argument is NULL\\x1B.");
    r.log.calls[r.log.call_count - 1].line = 15;
    find(EXITED(1));
    assert_string_equal(e.hint, "Why: cudaFree at work/x.cu:14 failed: the argument is NULL\\x1B.");
    r.log.calls[r.log.call_count - 1].src = UINT64_MAX;
    find(EXITED(1));
    assert_non_null(strstr(e.hint, "earlier asynchronous operation"));
}

static void a_refused_launch_is_named_where_it_was_made(void **state)
{
    (void)state;
    struct call *c = add(CALL_LAUNCH, "fill", 14);
    c->status = 1;
    c->message = string("the block is too large");
    uint64_t number = r.log.call_count;
    add(CALL_PART, "b", 0);
    c = add(CALL_REPORT, "cudaGetLastError()", 20);
    c->status = 1;
    c->src = number;
    c->message = string("cudaErrorInvalidValue: invalid argument");
    find(EXITED(1));
    assert_string_equal(
        e.message,
        "The launch of fill in part a, at work/x.cu:14, was refused with cudaErrorInvalidValue: invalid argument. "
        "CHECK met that error at work/x.cu:20 in part b and ended the program.");
    assert_string_equal(e.hint, "Why: the block is too large.");
    assert_int_equal(e.line, 14);
    assert_string_equal(e.part, "b");
}

static void a_crash_names_its_signal(void **state)
{
    (void)state;
    add(CALL_CRASH, "", 13)->dst = 0x10;
    find(SIGSEGV);
    assert_int_equal(e.how, ENDED_CRASHED);
    assert_int_equal(e.code, SIGSEGV);
    assert_non_null(strstr(e.message, "in part a, at work/x.cu:13"));
    assert_non_null(strstr(e.message, "SIGSEGV"));
    assert_non_null(strstr(e.message, "0x10"));
}

/* The host crashes at that address, with 0x3000 bytes at 0x210000000000. */
static void crash_beside(uint32_t memory, bool freed, uint64_t address)
{
    struct call *made = add(CALL_MALLOC, "cudaMallocHost", 13);
    made->dst = 0x210000000000;
    made->bytes = 0x3000;
    made->dst_kind = memory;
    if (freed)
        add(CALL_FREE, "cudaFreeHost", 14)->dst = 0x210000000000;
    add(CALL_CRASH, "", 15)->dst = address;
    find(SIGSEGV);
}

static void a_crash_past_the_end_names_the_memory(void **state)
{
    (void)state;
    crash_beside(MEM_PINNED, false, 0x210000003010);
    assert_non_null(strstr(
        e.hint, "That is 16 bytes past the end of the 12288 bytes of cudaMallocHost in line 13."));
}

static void a_crash_before_the_beginning_names_the_memory(void **state)
{
    (void)state;
    crash_beside(MEM_PINNED, false, 0x20fffffffffc);
    assert_non_null(strstr(
        e.hint,
        "That is 4 bytes before the memory of cudaMallocHost in line 13. Is an index there below 0?"));
}

/* The C library's free() looks at what lies before the memory that it is given. */
static void a_crash_in_free_says_what_gives_the_memory_back(void **state)
{
    (void)state;
    crash_beside(MEM_PINNED, false, 0x20fffffffff8);
    struct call *crash = &r.log.calls[r.log.call_count - 1];
    crash->flags = CRASH_IN_FREE;
    find(SIGSEGV);
    assert_non_null(strstr(
        e.hint, "and this is memory of cudaMallocHost in line 13. cudaFreeHost() gives it back"));
    crash->dst = 0x55aa0;
    find(SIGABRT);
    assert_non_null(strstr(e.hint, "was given an address that malloc() and new have not returned"));
}

static void a_crash_in_freed_memory_names_who_gave_it_back(void **state)
{
    (void)state;
    crash_beside(MEM_PINNED, true, 0x210000000010);
    assert_non_null(strstr(
        e.hint,
        "memory of cudaMallocHost in line 13, and cudaFreeHost in line 14 has given it back"));
}

static void a_crash_in_device_memory_says_so(void **state)
{
    (void)state;
    crash_beside(MEM_DEVICE, false, 0x210000000010);
    assert_non_null(
        strstr(e.hint, "device memory (cudaMallocHost in line 13), which the host cannot touch"));
}

static void nothing_is_claimed_of_an_address_of_no_memory(void **state)
{
    (void)state;
    crash_beside(MEM_PINNED, false, 0x220000000000);
    assert_non_null(strstr(e.hint, "Is that a device pointer that the host uses"));
}

/* Lesson 10's driver closes its part when the program leaves. */
static void check_ends_a_part_though_the_driver_closes_it_at_exit(void **state)
{
    (void)state;
    struct call *report = add(CALL_REPORT, "cudaEventElapsedTime(&ms, a, b)", 14);
    report->status = 600;
    report->message = string("cudaErrorNotReady: device not ready");
    add(CALL_PART, "", 0);
    find(EXITED(1));
    assert_non_null(strstr(e.message, "CHECK ended the program in part a, at work/x.cu:14"));
    assert_string_equal(e.part, "a");
    assert_non_null(strstr(e.hint, "not complete yet. Wait first"));
}

static void a_crash_that_the_program_could_not_tell_of_names_the_last_call(void **state)
{
    (void)state;
    find(SIGKILL);
    assert_int_equal(e.how, ENDED_CRASHED);
    assert_non_null(strstr(e.message, "after its call at work/x.cu:12"));
}

static void a_time_out_names_the_limit(void **state)
{
    (void)state;
    r.child.timed_out = true;
    find(SIGKILL);
    assert_int_equal(e.how, ENDED_TIMED_OUT);
    assert_non_null(strstr(e.message, "it still ran after 2.5 s"));
}

static void one_that_leaves_well_when_asked_at_its_limit_timed_out(void **state)
{
    (void)state;
    add(CALL_PART, "", 0);
    r.child.timed_out = true;
    find(EXITED(0));
    assert_int_equal(e.how, ENDED_TIMED_OUT);
}

static void a_damaged_log_is_never_whole(void **state)
{
    (void)state;
    add(CALL_PART, "", 0);
    r.reader.error = "no such call";
    find(EXITED(0));
    assert_int_equal(e.how, ENDED_DAMAGED);
    assert_non_null(strstr(e.message, "no such call"));
}

static void strings_of_the_log_are_made_harmless(void **state)
{
    (void)state;
    add(CALL_PART, "\033[31m", 0);
    find(EXITED(0));
    assert_string_equal(e.part, "\\x1B[31m");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(after_the_last_part_and_with_status_0_it_is_whole, begin,
                                        end),
        cmocka_unit_test_setup_teardown(another_status_is_never_whole, begin, end),
        cmocka_unit_test_setup_teardown(leaving_inside_a_part_names_the_part_and_the_last_call,
                                        begin, end),
        cmocka_unit_test_setup_teardown(what_a_program_said_last_is_why_it_left_but_for_its_hazards,
                                        begin, end),
        cmocka_unit_test_setup_teardown(a_program_that_told_nothing_left_before_its_first_part,
                                        begin, end),
        cmocka_unit_test_setup_teardown(
            a_standstill_is_told_as_what_everybody_waits_for_and_not_as_leaving, begin, end),
        cmocka_unit_test_setup_teardown(an_error_that_check_met_is_told_with_its_place, begin, end),
        cmocka_unit_test_setup_teardown(why_a_call_failed_is_told_where_the_log_says_so, begin,
                                        end),
        cmocka_unit_test_setup_teardown(a_refused_launch_is_named_where_it_was_made, begin, end),
        cmocka_unit_test_setup_teardown(a_crash_names_its_signal, begin, end),
        cmocka_unit_test_setup_teardown(a_crash_past_the_end_names_the_memory, begin, end),
        cmocka_unit_test_setup_teardown(a_crash_before_the_beginning_names_the_memory, begin, end),
        cmocka_unit_test_setup_teardown(a_crash_in_free_says_what_gives_the_memory_back, begin,
                                        end),
        cmocka_unit_test_setup_teardown(a_crash_in_freed_memory_names_who_gave_it_back, begin, end),
        cmocka_unit_test_setup_teardown(a_crash_in_device_memory_says_so, begin, end),
        cmocka_unit_test_setup_teardown(nothing_is_claimed_of_an_address_of_no_memory, begin, end),
        cmocka_unit_test_setup_teardown(check_ends_a_part_though_the_driver_closes_it_at_exit,
                                        begin, end),
        cmocka_unit_test_setup_teardown(
            a_crash_that_the_program_could_not_tell_of_names_the_last_call, begin, end),
        cmocka_unit_test_setup_teardown(a_time_out_names_the_limit, begin, end),
        cmocka_unit_test_setup_teardown(one_that_leaves_well_when_asked_at_its_limit_timed_out,
                                        begin, end),
        cmocka_unit_test_setup_teardown(a_damaged_log_is_never_whole, begin, end),
        cmocka_unit_test_setup_teardown(strings_of_the_log_are_made_harmless, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
