/* SPDX-License-Identifier: MIT */
/*
 * simcc - compiles CUDA C++ for machines with no GPU.
 *
 *   simcc x.cu -o x
 *
 * Takes nvcc's arguments; those that concern the GPU's code alone are ignored. Each .cu goes
 * through g++ -E, rewrite.h and g++ again; programs are linked with the simulator. Exit status: 0
 * done, 1 the source has errors, 2 anything else; then what was there before is still there.
 */
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "simcc/compile.h"
#include "simcc/inputs.h"
#include "simcc/link.h"
#include "simcc/prelude.h"
#include "simcc/product.h"
#include "simcc/process/temporary.h"
#include "trace/record/memory.h"

/* Shows what build systems look for in what nvcc -v says; after find_home(). */
static void show_home(const struct job *job)
{
    if (!process_is_shown())
        return;
    char root[PATH_MAX];
    snprintf(root, sizeof root, "%.*s", (int)(strlen(job->common) - strlen("/common/")),
             job->common);
    fprintf(
        stderr,
        "#$ TOP=%s/build/toolkit\n#$ NVVMIR_LIBRARY_DIR=%s/nvvm/libdevice\n#$ PATH=%s\n#$ INCLUDES=\"-I%s\"\n#$ LIBRARIES= \"-L%s\"\n",
        root, root, getenv("PATH"), job->include, job->lib);
    for (size_t i = 0; i < job->arch_count; i++)
        fprintf(stderr, "#$ ARCHITECTURE= -arch compute_%d\n", job->archs[i]);
}

/* Headers and libraries lie where simcc does: build/bin, build/lib, common. */
static void find_home(struct job *job)
{
    char self[PATH_MAX - 64];
    ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    if (n < 0)
        trouble("cannot find its own folder: /proc: %s", strerror(errno));
    self[n] = '\0';
    char *bin = dirname(self), root[PATH_MAX];
    char up[PATH_MAX];
    snprintf(up, sizeof up, "%s/../..", bin);
    if (!realpath(up, root) || strlen(root) + 32 > PATH_MAX)
        trouble("cannot find its own folder: %s", bin);
    snprintf(job->common, sizeof job->common, "%.*s/common/", PATH_MAX - 32, root);
    snprintf(job->include, sizeof job->include, "%.*s/common/sim/include/", PATH_MAX - 32, root);
    snprintf(job->lib, sizeof job->lib, "%.*s/build/lib/", PATH_MAX - 32, root);
    if (access(job->include, R_OK) != 0)
        trouble("its headers are not in %s: build it where it is", job->include);
}

/* x.cu compiled alone becomes ./x.o, or one in the folder of -odir. */
static const char *object_name(const struct job *job, const char *source, char *out, size_t size)
{
    char copy[PATH_MAX];
    snprintf(copy, sizeof copy, "%s", source);
    char *name = basename(copy), *dot = strrchr(name, '.');
    if (dot)
        *dot = '\0';
    if (snprintf(out, size, "%s%s%s.o", job->directory ? job->directory : "",
                 job->directory ? "/" : "", name)
        >= (int)size)
        trouble("%s: its object's name is too long", source);
    return out;
}

static bool compile_only(struct job *job)
{
    bool fine = true;
    for (size_t i = 0; i < job->inputs.count; i++) {
        char object[PATH_MAX];
        const char *source = job->inputs.list[i];
        if (!is_source(job, source))
            continue;
        const char *made = temporary_name(),
                   *name =
                       job->output ? job->output : object_name(job, source, object, sizeof object);
        bool whole = compile(job, source, name, made);
        if (whole && !job->only_rewrite && !job->only_dependencies)
            product_deliver(made, name);
        fine &= whole;
    }
    return fine;
}

static bool compile_and_link(struct job *job)
{
    struct words objects = { 0 };
    bool fine = true;
    for (size_t i = 0; i < job->inputs.count; i++) {
        const char *word = job->inputs.list[i];
        if (!is_source(job, word)) {
            words_add(&objects, word);
            continue;
        }
        char name[PATH_MAX];
        const char *object = temporary_name();
        fine = fine
               && compile(job, word,
                          job->output ? job->output : object_name(job, word, name, sizeof name),
                          object);
        words_add(&objects, object);
    }
    fine = fine
           && (job->archive       ? link_archive(job, &objects)
               : job->device_link ? link_nothing(job)
                                  : link_program(job, &objects));
    memory_resize(objects.list, 0);
    return fine;
}

/* What a shell closed (`>&-`) would be opened again as a source or an object; a
 * compiler that PATH does not lead to its parts says things that help nobody. */
static void prepare_environment(void)
{
    int fd;
    while ((fd = open("/dev/null", O_RDWR)) >= 0 && fd <= STDERR_FILENO)
        ;
    if (fd >= 0)
        close(fd);
    setenv("PATH", "/usr/local/bin:/usr/bin:/bin", 0);
}

/* -run: simcc becomes what it has made. */
static int run_program(const struct job *job)
{
    struct words command = { 0 };
    char path[PATH_MAX];
    const char *program = job->output ? job->output : "a.out";
    snprintf(path, sizeof path, "%s%s", strchr(program, '/') ? "" : "./", program);
    words_add(&command, path);
    words_add_all(&command, &job->run_arguments);
    return process_status(&command);
}

int main(int argc, char **argv)
{
    prepare_environment();
    struct job job = { 0 };
    job_read(&job, argc, argv);
    find_home(&job);
    show_home(&job);
    if (!job.new_prelude)
        check_inputs(&job);
    temporary_begin();
    if (!job.has_level)
        words_add(&job.compile, "-O2");
    if (!job.has_debug)         /* functions and lines: what is told of a program names them */
        words_add(&job.compile, "-g1");
    if (job.new_prelude)
        prelude_make(&job);
    if (!job.only_rewrite)
        prelude_find(&job);
    bool alone = job.only_compile || job.only_rewrite || job.only_dependencies;
    bool fine = job.new_prelude ? true : alone ? compile_only(&job) : compile_and_link(&job);
    memory_resize(job.compile.list, 0);
    memory_resize(job.inputs.list, 0);
    if (fine && job.runs && !alone && !job.new_prelude)
        return run_program(&job);
    return fine ? 0 : 1;
}
