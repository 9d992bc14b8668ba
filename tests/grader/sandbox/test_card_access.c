/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include "grader/sandbox/card_access.h"

static char folder[] = "/tmp/card-access-XXXXXX";
static const char *const made[] = {
    "dev/", "dev/nvidiactl", "dev/nvidia0", "dev/nvidia11", "dev/nvidia-uvm",
    "dev/nvidia-uvm-tools", "dev/nvidia-modeset",
    "dev/nvidia-caps/", "dev/nvidia-caps/nvidia-cap1", "dev/nvme0", "dev/sda", "bare/", "home/",
    "toolkit/", "toolkit/bin/", "toolkit/bin/nvcc", "toolkit/include/",
    "toolkit/include/cuda_runtime.h", "links/", "home/bin/", "home/bin/nvcc", "driver/",
    "driver/libcuda.so.1",
};

static const char *in_folder(const char *name)
{
    static char path[8][128];
    static unsigned next;
    char *one = path[next++ % 8];
    snprintf(one, sizeof path[0], "%s/%s", folder, name);
    return one;
}

static int make_machine(void **state)
{
    (void)state;
    if (!mkdtemp(folder))
        return -1;
    for (size_t i = 0; i < sizeof made / sizeof *made; i++) {
        const char *path = in_folder(made[i]);
        FILE *file = made[i][strlen(made[i]) - 1] == '/' ? NULL : fopen(path, "w");
        if (!file && mkdir(path, 0755) != 0)
            return -1;
        if (file)
            fclose(file);
    }
    return symlink("../toolkit/bin/nvcc", in_folder("links/nvcc"));
}

static int remove_machine(void **state)
{
    (void)state;
    unlink(in_folder("links/nvcc"));
    for (size_t i = sizeof made / sizeof *made; i-- > 0;)
        remove(in_folder(made[i]));
    return rmdir(folder);
}

static bool has(char *const *list, size_t count, const char *path)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(list[i], path) == 0)
            return true;
    return false;
}

static struct card_access found(const char *devices, const char *nvcc, const char *libraries)
{
    struct machine m = { .backend = BOTH };
    struct card_access a;
    snprintf(m.nvcc, sizeof m.nvcc, "%s", nvcc);
    if (libraries)
        setenv("LD_LIBRARY_PATH", libraries, 1);
    else
        unsetenv("LD_LIBRARY_PATH");
    card_access_find(&a, &m, devices);
    return a;
}

static void the_driver_s_files_are_found_and_no_others(void **state)
{
    (void)state;
    struct card_access a = found(in_folder("dev"), "/usr/bin/true", NULL);
    static const char *const wanted[] = { "nvidiactl", "nvidia0", "nvidia11", "nvidia-uvm",
                                          "nvidia-uvm-tools", "nvidia-caps/nvidia-cap1" };
    assert_int_equal(a.file_count, sizeof wanted / sizeof *wanted);
    for (size_t i = 0; i < a.file_count; i++) {
        char path[160];
        snprintf(path, sizeof path, "%s/dev/%s", folder, wanted[i]);
        assert_true(has(a.files, a.file_count, path));
    }
    card_access_fini(&a);
}

static void where_there_are_none_there_are_none(void **state)
{
    (void)state;
    struct card_access a = found(in_folder("bare"), "/usr/bin/true", NULL);
    assert_int_equal(a.file_count, 0);
    card_access_fini(&a);
}

static void a_toolkit_in_usr_needs_no_folder_of_its_own(void **state)
{
    (void)state;
    struct card_access a = found(in_folder("bare"), "/usr/bin/true -ccbin g++", "/usr/lib");
    assert_int_equal(a.folder_count, 0);
    card_access_fini(&a);
}

static void a_toolkit_elsewhere_is_seen_whole_and_a_link_to_it_is_followed(void **state)
{
    (void)state;
    char nvcc[160];
    snprintf(nvcc, sizeof nvcc, "%s -ccbin g++", in_folder("links/nvcc"));
    struct card_access a = found(in_folder("bare"), nvcc, NULL);
    assert_int_equal(a.folder_count, 1);
    assert_string_equal(a.folders[0], in_folder("toolkit"));
    snprintf(nvcc, sizeof nvcc, "%s -ccbin g++", in_folder("toolkit/bin/nvcc"));
    assert_string_equal(a.nvcc, nvcc);
    card_access_fini(&a);
}

static void of_a_folder_that_is_no_toolkit_nothing_else_is_seen(void **state)
{
    (void)state;
    struct card_access a = found(in_folder("bare"), in_folder("home/bin/nvcc"), NULL);
    assert_int_equal(a.folder_count, 1);
    assert_string_equal(a.folders[0], in_folder("home/bin/nvcc"));
    card_access_fini(&a);
}

static void of_the_loader_s_folders_those_of_the_driver_are_seen(void **state)
{
    (void)state;
    char list[400];
    snprintf(list, sizeof list, "%s:%s::/nowhere:/", in_folder("home"), in_folder("driver"));
    struct card_access a = found(in_folder("bare"), "/usr/bin/true", list);
    assert_int_equal(a.folder_count, 1);
    assert_true(has(a.folders, a.folder_count, in_folder("driver")));
    card_access_fini(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_driver_s_files_are_found_and_no_others),
        cmocka_unit_test(where_there_are_none_there_are_none),
        cmocka_unit_test(a_toolkit_in_usr_needs_no_folder_of_its_own),
        cmocka_unit_test(a_toolkit_elsewhere_is_seen_whole_and_a_link_to_it_is_followed),
        cmocka_unit_test(of_a_folder_that_is_no_toolkit_nothing_else_is_seen),
        cmocka_unit_test(of_the_loader_s_folders_those_of_the_driver_are_seen),
    };
    return cmocka_run_group_tests(tests, make_machine, remove_machine);
}
