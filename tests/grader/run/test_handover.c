/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <cmocka.h>

#include "grader/run/handover.h"

static struct exchange x;

/* Inputs of 5 and 0 bytes, an output of 4003. */
static int make(void **state)
{
    (void)state;
    exchange_init(&x);
    memcpy(exchange_add_input(&x, 5), "hello", 5);
    exchange_add_input(&x, 0);
    exchange_add_output(&x, 4003);
    assert_true(exchange_seal(&x));
    return 0;
}

static int drop(void **state)
{
    (void)state;
    exchange_fini(&x);
    return 0;
}

static struct exchange_block *map(int fd, size_t *size, int protection)
{
    *size = (size_t)lseek(fd, 0, SEEK_END);
    return mmap(NULL, *size, protection, MAP_SHARED, fd, 0);
}

static void the_child_finds_its_inputs_by_the_block_s_head(void **state)
{
    (void)state;
    size_t size;
    struct exchange_block *b = map(x.authenticated, &size, PROT_READ);
    assert_int_equal(b->magic, EXCHANGE_MAGIC);
    assert_int_equal(b->count, 2);
    assert_int_equal(b->slot[0].bytes, 5);
    assert_int_equal(b->slot[0].offset % 64, 0);
    assert_memory_equal((char *)b + b->slot[0].offset, "hello", 5);
    munmap(b, size);
}

static void sealed_inputs_cannot_be_written_or_resized(void **state)
{
    (void)state;
    size_t size;
    assert_ptr_equal(map(x.authenticated, &size, PROT_READ | PROT_WRITE), MAP_FAILED);
    assert_int_equal(errno, EPERM);
    assert_int_equal(pwrite(x.authenticated, "x", 1, 0), -1);
    assert_int_equal(ftruncate(x.authenticated, 0), -1);
}

static void outputs_are_poisoned_alike_for_one_seed(void **state)
{
    (void)state;
    unsigned char first[4003];
    int a = exchange_poison(&x, &(uint64_t){ 7 });
    assert_true(exchange_take(&x, 0, a));
    memcpy(first, exchange_output(&x, 0, NULL), sizeof first);
    int b = exchange_poison(&x, &(uint64_t){ 7 });
    assert_true(exchange_take(&x, 0, b));
    assert_memory_equal(first, exchange_output(&x, 0, NULL), sizeof first);
    int c = exchange_poison(&x, &(uint64_t){ 8 });
    assert_true(exchange_take(&x, 0, c));
    assert_memory_not_equal(first, exchange_output(&x, 0, NULL), sizeof first);
    close(a), close(b), close(c);
}

static void an_output_made_ahead_is_like_another_and_given_once(void **state)
{
    (void)state;
    unsigned char first[4003];
    int a = exchange_poison(&x, &(uint64_t){ 7 });
    assert_true(exchange_take(&x, 0, a));
    memcpy(first, exchange_output(&x, 0, NULL), sizeof first);
    exchange_poison_ahead(&x, 8);
    exchange_poison_ahead(&x, 7);
    int ahead = x.ready[1].output, b = exchange_poison(&x, &(uint64_t){ 7 }),
        c = exchange_poison(&x, &(uint64_t){ 7 });
    assert_int_equal(b, ahead);
    assert_int_not_equal(c, ahead);
    assert_int_equal(x.ready_count, 1);
    assert_true(exchange_take(&x, 0, b));
    assert_memory_equal(first, exchange_output(&x, 0, NULL), sizeof first);
    int left = x.ready[0].output;
    exchange_fini(&x);
    assert_int_equal(fcntl(left, F_GETFD), -1); /* closed */
    close(a), close(b), close(c);
}

static void what_nobody_wrote_can_be_other_poison(void **state)
{
    (void)state;
    uint64_t seed = exchange_poison_seed(7, 1);
    int fd = exchange_poison(&x, &seed);
    assert_int_equal(pwrite(fd, "written", 8, (off_t)x.output.slot[0].offset + 16), 8);
    assert_true(exchange_take(&x, 0, fd));
    struct exchange other = exchange_respoil(&x, 1, 7, 1);
    const unsigned char *was = exchange_output(&x, 0, NULL), *is = exchange_output(&other, 0, NULL);
    assert_memory_equal(is + 16, "written", 8);
    assert_memory_not_equal(is, was, 4);
    assert_memory_not_equal(is + 12, was + 12, 4);
    assert_memory_not_equal(is + 24, was + 24, 4);
    exchange_respoil_free(&other, 1);
    other = exchange_respoil(&x, 1, 8, 1);      /* another run's poison is in nobody's way */
    assert_memory_equal(exchange_output(&other, 0, NULL), was, 4003);
    exchange_respoil_free(&other, 1);
    close(fd);
}

static void poison_is_wild_as_floats(void **state)
{
    (void)state;
    int fd = exchange_poison(&x, &(uint64_t){ 7 });
    assert_true(exchange_take(&x, 0, fd));
    const unsigned char *bytes = exchange_output(&x, 0, NULL);
    int nans = 0;
    for (size_t i = 0; i + 4 <= 4003; i += 4) {
        float value;
        memcpy(&value, bytes + i, 4);
        nans += isnan(value);
    }
    assert_in_range(nans, 400, 600);
    close(fd);
}

static void what_the_child_leaves_is_copied(void **state)
{
    (void)state;
    size_t size, bytes;
    int fd = exchange_poison(&x, &(uint64_t){ 7 });
    struct exchange_block *b = map(fd, &size, PROT_READ | PROT_WRITE);
    uint64_t offset = b->slot[0].offset;
    strcpy((char *)b + offset, "answer");
    assert_true(exchange_take(&x, 0, fd));
    strcpy((char *)b + offset, "later");
    assert_string_equal(exchange_output(&x, 0, &bytes), "answer");
    assert_int_equal(bytes, 4003);
    munmap(b, size);
    close(fd);
}

static void a_head_that_the_child_forged_is_not_believed(void **state)
{
    (void)state;
    size_t size;
    int fd = exchange_poison(&x, &(uint64_t){ 7 });
    struct exchange_block *b = map(fd, &size, PROT_READ | PROT_WRITE);
    strcpy((char *)b + b->slot[0].offset, "answer");
    b->count = 1000;
    b->slot[0].offset = UINT64_MAX / 2;
    b->slot[0].bytes = UINT64_MAX / 2;
    assert_true(exchange_take(&x, 0, fd));
    assert_string_equal(exchange_output(&x, 0, NULL), "answer");
    munmap(b, size);
    close(fd);
}

static void the_block_of_outputs_cannot_be_cut_short(void **state)
{
    (void)state;
    int fd = exchange_poison(&x, &(uint64_t){ 7 });
    assert_int_equal(ftruncate(fd, 0), -1);
    close(fd);
}

static void random_numbers_keep_to_their_ranges(void **state)
{
    (void)state;
    struct random r = { 1 };
    bool low = false, high = false;
    for (int i = 0; i < 1000; i++) {
        uint64_t n = random_between(&r, 3, 5);
        assert_in_range(n, 3, 5);
        low |= n == 3;
        high |= n == 5;
        float f = random_float(&r);
        assert_true(f >= -1.0f && f < 1.0f);
        assert_true(f * (1 << 20) == (float)(int)(f * (1 << 20)));
    }
    assert_true(low && high);
    assert_int_equal(random_between(&r, 9, 9), 9);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(the_child_finds_its_inputs_by_the_block_s_head, make, drop),
        cmocka_unit_test_setup_teardown(sealed_inputs_cannot_be_written_or_resized, make, drop),
        cmocka_unit_test_setup_teardown(outputs_are_poisoned_alike_for_one_seed, make, drop),
        cmocka_unit_test_setup_teardown(an_output_made_ahead_is_like_another_and_given_once, make,
                                        drop),
        cmocka_unit_test_setup_teardown(what_nobody_wrote_can_be_other_poison, make, drop),
        cmocka_unit_test_setup_teardown(poison_is_wild_as_floats, make, drop),
        cmocka_unit_test_setup_teardown(what_the_child_leaves_is_copied, make, drop),
        cmocka_unit_test_setup_teardown(a_head_that_the_child_forged_is_not_believed, make, drop),
        cmocka_unit_test_setup_teardown(the_block_of_outputs_cannot_be_cut_short, make, drop),
        cmocka_unit_test(random_numbers_keep_to_their_ranges),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
