/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <cmocka.h>

#include "grader/sandbox/child.h"

static struct child c;

static struct child_plan shell(const char *const argv[4])
{
    static const char *const environment[] = { "PATH=/usr/bin:/bin", "WORD=given", NULL };
    return (struct child_plan){ .argv = argv, .environment = environment, .wall_ms = 10000,
                                .output_cap = 1000, .input = -1, .output = -1 };
}
#define SHELL(script) shell((const char *const[]){ "/bin/sh", "-c", script, NULL })

/* A sandbox that confines nothing, and says as bubblewrap does who is inside. */
static const struct confinement paper = {
    .argv = (const char *const[]){ "/bin/sh", "-c", "echo '\"child-pid\": '$$ >&7; exec \"$@\"",
                                   "confined", NULL },
    .filter = -1,
    .open_files = 64
};

static void run(struct child_plan plan)
{
    assert_true(child_start(&c, &plan));
    assert_true(child_wait((struct child *[]){ &c }, 1, NULL));
    assert_true(c.gone);
}

static int drop(void **state)
{
    (void)state;
    child_fini(&c);
    return 0;
}

static void what_it_prints_and_how_it_ends_are_kept(void **state)
{
    (void)state;
    run(SHELL("echo out; echo err >&2; exit 7"));
    assert_string_equal(c.output, "out\nerr\n");
    assert_true(WIFEXITED(c.status));
    assert_int_equal(WEXITSTATUS(c.status), 7);
    assert_false(c.timed_out);
}

static void it_sees_the_environment_that_it_is_given_and_no_other(void **state)
{
    (void)state;
    setenv("LD_PRELOAD", "", 1);
    setenv("MAKEFLAGS", "-j9", 1);
    run(SHELL("echo $WORD $MAKEFLAGS $HOME ${LD_PRELOAD+set}"));
    assert_string_equal(c.output, "given\n");
}

static void it_inherits_no_descriptor(void **state)
{
    (void)state;
    int open_here = dup(0);
    assert_true(open_here > 2);
    run(SHELL("for f in 3 4 5 6 7 8 9; do [ -e /proc/self/fd/$f ] && echo $f; done; echo end"));
    close(open_here);
    assert_string_equal(c.output, "end\n");
}

static void a_flood_of_output_is_cut_and_does_not_stop_it(void **state)
{
    (void)state;
    run(SHELL("yes | head -c 1000000; exit 3"));
    assert_int_equal(c.output_count, 1000);
    assert_true(c.output_cut);
    assert_int_equal(WEXITSTATUS(c.status), 3);
}

static void at_its_time_limit_it_is_asked_then_killed(void **state)
{
    (void)state;
    struct child_plan plan = SHELL("trap 'echo asked' TERM; while :; do sleep 0.05; done");
    plan.wall_ms = 1000;
    run(plan);
    assert_true(c.timed_out);
    assert_string_equal(c.output, "asked\n");
    assert_int_equal(WTERMSIG(c.status), SIGKILL);
}

/* Four share a processor: the one that is waited for has a second of it after four, and its limit
 * is two. Where others are at work, too, it is given four times its limit. */
static void what_it_waits_for_a_processor_is_not_counted(void **state)
{
    (void)state;
    cpu_set_t all, one;
    assert_int_equal(sched_getaffinity(0, sizeof all, &all), 0);
    CPU_ZERO(&one);
    for (size_t cpu = 0; CPU_COUNT(&one) == 0; cpu++)
        if (CPU_ISSET(cpu, &all))
            CPU_SET(cpu, &one);
    struct child_plan plan = SHELL(
        "for i in 1 2 3; do (ulimit -t 4; while :; do :; done) & done; ulimit -S -t 1; while :; do :; done");
    plan.wall_ms = 2000;
    time_t begun = time(NULL);
    sched_setaffinity(0, sizeof one, &one);
    run(plan);
    sched_setaffinity(0, sizeof all, &all);
    if (!c.timed_out)
        assert_int_equal(WTERMSIG(c.status), SIGXCPU);
    else
        assert_true(time(NULL) - begun > 3 * plan.wall_ms / 1000);
}

static void what_it_started_goes_with_it(void **state)
{
    (void)state;
    run(SHELL("sleep 1000 & echo $!"));
    pid_t left = atoi(c.output);
    assert_true(left > 1);
    bool there = true;
    for (int i = 0; i < 100 && there; i++) {
        char name[64], state_letter = '?';
        snprintf(name, sizeof name, "/proc/%d/stat", (int)left);
        FILE *f = fopen(name, "r");
        there = f && fscanf(f, "%*d %*s %c", &state_letter) == 1 && state_letter != 'Z';
        if (f)
            fclose(f);
        usleep(10000);
    }
    assert_false(there);
}

static void two_children_run_side_by_side(void **state)
{
    (void)state;
    struct child other;
    struct child_plan quick = SHELL("exit 0"), slow = SHELL("sleep 0.3; echo done");
    assert_true(child_start(&c, &slow));
    assert_true(child_start(&other, &quick));
    struct child *both[] = { &c, &other };
    assert_true(child_wait(both, 2, &other));
    assert_true(other.gone);
    assert_false(c.gone);
    assert_true(child_wait(both, 2, NULL));
    assert_string_equal(c.output, "done\n");
    child_fini(&other);
}

static void a_program_that_is_not_there_is_told_at_once(void **state)
{
    (void)state;
    struct child_plan plan = shell((const char *const[]){ "/nowhere/program", NULL, NULL, NULL });
    assert_false(child_start(&c, &plan));
    assert_int_equal(errno, ENOENT);
}

static size_t taken;

static bool take_some(void *context, const void *bytes, size_t count)
{
    (void)context, (void)bytes;
    taken += count;
    return taken < 100000;
}

static void a_log_that_does_not_end_ends_the_child(void **state)
{
    (void)state;
    struct child_plan plan = SHELL("exec yes >&3");
    plan.log = take_some;
    run(plan);
    assert_true(c.flooded);
    assert_false(c.timed_out);
}

static char log_text[70000];

static bool take_text(void *context, const void *bytes, size_t count)
{
    (void)context;
    assert_true(taken + count < sizeof log_text);
    memcpy(log_text + taken, bytes, count);
    taken += count;
    return true;
}

/* printf says where the stream ends, then the bytes from number 0 on, as trace/record/log_tail.h
 * has them. */
static void run_with_tail(const char *script)
{
    struct child_plan plan = SHELL(script);
    plan.log = take_text;
    plan.has_tail = true;
    taken = 0;
    memset(log_text, 0, sizeof log_text);
    run(plan);
}
#define TAIL " 1<>/proc/self/fd/8; "

static void what_it_has_not_sent_of_its_log_is_read_however_it_ends(void **state)
{
    (void)state;
    run_with_tail("printf abc >&3; printf '\\006\\0\\0\\0\\0\\0\\0\\0abcdef'" TAIL "kill -9 $$");
    assert_int_equal(WTERMSIG(c.status), SIGKILL);
    assert_string_equal(log_text, "abcdef");
    child_fini(&c);
    run_with_tail("head -c 65530 /dev/zero >&3;"
                  "{ printf '\\04\\0\\01\\0\\0\\0\\0\\0wxyz'; head -c 65526 /dev/zero; printf qrstuv; }" TAIL);
    assert_int_equal(taken, 65540);
    assert_string_equal(log_text + 65530, "qrstuvwxyz");
}

static void memory_that_cannot_be_the_end_of_its_log_is_not_read(void **state)
{
    (void)state;
    static const char *const scripts[] = {
        "printf abc >&3; printf '\\02\\0\\0\\0\\0\\0\\0\\0abcdef'" TAIL,
        "printf abc >&3; printf '\\06\\0\\01\\0\\0\\0\\0\\0abcdef'" TAIL,
        "printf abc >&3; printf '\\377\\377\\377\\377\\377\\377\\377\\377abcdef'" TAIL,
        "printf abc >&3; printf '\\06\\0\\0\\0\\0\\0\\0\\0abcdef' > /proc/self/fd/8",
    };
    for (size_t i = 0; i < sizeof scripts / sizeof *scripts; i++) {
        run_with_tail(scripts[i]);
        assert_string_equal(log_text, "abc");
        child_fini(&c);
    }
}

static void a_limited_child_has_little_memory_and_fixed_addresses(void **state)
{
    (void)state;
    struct child_plan plan = SHELL("ulimit -d; ulimit -c; cat /proc/self/personality");
    plan.limited = true;
    run(plan);
    assert_string_equal(c.output, "4194304\n0\n00040000\n");
    child_fini(&c);
    plan.confinement = &paper;
    plan.data = 1u << 30;
    run(plan);
    assert_string_equal(c.output, "1048576\n0\n00040000\n");
}

/* SIGKILL alone would not say why the process ended. */
static void its_processor_s_time_is_counted_and_its_limit_says_what_it_was(void **state)
{
    (void)state;
    struct child_plan plan =
        SHELL("exec 2> /dev/null; (while :; do :; done); [ $? = 152 ] && times && kill -s XCPU $$");
    int minutes = 1;
    double user = 0, kernel = 0;
    plan.limited = true;
    plan.cpu_s = 1;
    plan.wall_ms = 60000;
    run(plan);
    assert_int_equal(WTERMSIG(c.status), SIGXCPU);
    /* Of those that it waited for, too: as much as the shell says of its own. (The limit goes by
     * ticks, and may find it sooner.) */
    assert_int_equal(
        sscanf(c.output, "%*dm%*fs %*dm%*fs %dm%lfs %*dm%lfs", &minutes, &user, &kernel), 3);
    assert_int_equal(minutes, 0);
    assert_true(user + kernel > 0.3);
    assert_in_range(c.cpu_ms, (long)(1000 * (user + kernel)) - 20,
                    (long)(1000 * (user + kernel)) + 200);
    child_fini(&c);
    run(SHELL("sleep 0.2"));
    assert_in_range(c.cpu_ms, 0, 190);
}

static void who_waits_for_nothing_is_ended_and_who_works_is_not(void **state)
{
    (void)state;
    struct child_plan plan = SHELL("sleep 1000022");
    plan.confinement = &paper;
    plan.idle_ms = 300;
    run(plan);
    assert_true(c.idle);
    assert_false(c.timed_out);
    child_fini(&c);
    plan.argv =
        (const char *const[]){ "/bin/sh", "-c",
                               "timeout 0.6 sh -c 'while :; do :; done'; echo worked", NULL };
    run(plan);
    assert_false(c.idle);
    assert_string_equal(c.output, "worked\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(what_it_prints_and_how_it_ends_are_kept, drop),
        cmocka_unit_test_teardown(it_sees_the_environment_that_it_is_given_and_no_other, drop),
        cmocka_unit_test_teardown(it_inherits_no_descriptor, drop),
        cmocka_unit_test_teardown(a_flood_of_output_is_cut_and_does_not_stop_it, drop),
        cmocka_unit_test_teardown(at_its_time_limit_it_is_asked_then_killed, drop),
        cmocka_unit_test_teardown(what_it_waits_for_a_processor_is_not_counted, drop),
        cmocka_unit_test_teardown(what_it_started_goes_with_it, drop),
        cmocka_unit_test_teardown(two_children_run_side_by_side, drop),
        cmocka_unit_test_teardown(a_program_that_is_not_there_is_told_at_once, drop),
        cmocka_unit_test_teardown(a_log_that_does_not_end_ends_the_child, drop),
        cmocka_unit_test_teardown(what_it_has_not_sent_of_its_log_is_read_however_it_ends, drop),
        cmocka_unit_test_teardown(memory_that_cannot_be_the_end_of_its_log_is_not_read, drop),
        cmocka_unit_test_teardown(its_processor_s_time_is_counted_and_its_limit_says_what_it_was,
                                  drop),
        cmocka_unit_test_teardown(who_waits_for_nothing_is_ended_and_who_works_is_not, drop),
        cmocka_unit_test_teardown(a_limited_child_has_little_memory_and_fixed_addresses, drop),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
