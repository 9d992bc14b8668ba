/* SPDX-License-Identifier: MIT */
#include "grader/batch/jobs/ingredients.h"

#include <glob.h>
#include <gnu/libc-version.h>
#include <sha256.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "grader/base/environment.h"
#include "grader/batch/files/ledger.h"
#include "grader/lessons.h"
#include "grader/sandbox/child.h"
#include "grader/sandbox/gpu_files.h"

#define COMPILER_LIMIT_MS 60000

/* Under the project's folder; those of a lesson with its folder's name for %s. What sandbox_stage
 * copies is among them. */
static const char *const common_parts[] = {
    "build/bin/simcc", "build/lib/libsim.a", "common/*.h", "common/sim/include/*.h",
    "common/sim/include/*/*.h", "common/trace/*.h",
};
static const char *const lesson_parts[] = {
    "lessons/%s/*.h", "exercises/%s.cu", "build/lessons/%s/driver.o", "build/lessons/%s/reference",
};

/* The same of what nvcc made, in its own folder (gpu_files.h). */
static const char *const gpu_parts[] = { "card", "streams.o", "driver.o" };
static const char *const gpu_lesson_parts[] = { "%s/driver.o", "%s/reference" };

static void add_text(SHA2_CTX *sum, const char *text)
{
    SHA256Update(sum, (const uint8_t *)text, strlen(text) + 1);
}

/* Name and content. One that is missing is missed by whoever needs it. */
static void add_content(SHA2_CTX *sum, const char *name, const char *path)
{
    char digest[SHA256_DIGEST_STRING_LENGTH];
    add_text(sum, name);
    add_text(sum, SHA256File(path, digest) ? digest : "none");
}

static void add_and_free(SHA2_CTX *sum, const char *name, char *path)
{
    add_content(sum, name, path);
    free(path);
}

/* What judges on a GPU: the toolkit, by its compiler, its profiler's library and the file that says
 * its version; the driver, by what it says of itself; the recorder. Which GPU it is, is not among
 * them. */
static void add_toolkit(SHA2_CTX *sum)
{
    struct machine m;
    char driver[256] = "none", nvcc[PATH_MAX], *real;
    machine_choose(&m, "both");
    snprintf(nvcc, sizeof nvcc, "%.*s", (int)strcspn(m.nvcc, " "), m.nvcc);
    add_text(sum, m.nvcc);
    add_content(sum, "cupti", m.cupti);
    if ((real = realpath(nvcc, NULL))) {
        char *slash = strrchr(real, '/');
        add_content(sum, "nvcc", real);
        *slash = '\0';          /* it is absolute */
        add_and_free(sum, "toolkit", formatted("%s/../version.json", real));
        free(real);
    }
    FILE *in = fopen("/proc/driver/nvidia/version", "re");
    if (in) {
        if (!fgets(driver, sizeof driver, in))
            driver[0] = '\0';
        fclose(in);
    }
    add_text(sum, driver);
    add_and_free(sum, "tools/nvcc", project_path("tools/nvcc"));
    add_and_free(sum, "recorder", gpu_recorder());
    for (size_t i = 0; i < sizeof gpu_parts / sizeof *gpu_parts; i++)
        add_and_free(sum, gpu_parts[i], gpu_path(gpu_parts[i]));
}

static void add_pattern(SHA2_CTX *sum, const char *pattern)
{
    char *path = project_path("%s", pattern);
    size_t skip = strlen(path) - strlen(pattern);
    glob_t found;
    if (glob(path, 0, NULL, &found) == 0) {
        for (size_t i = 0; i < found.gl_pathc; i++)
            add_content(sum, found.gl_pathv[i] + skip, found.gl_pathv[i]);
        globfree(&found);
    }
    free(path);
}

/* "GCC: (Debian 12.2.0-14+deb12u1) 12.2.0": what the compiler writes into an object; the caller's.
 * All files that this takes are in a folder of OUT, where a batch that was killed over it finds
 * them. */
static char *compiler_name(const char *out)
{
    static const char mark[] = "GCC: (";
    char bytes[65536], *name = NULL, *folder = ledger_path(out, "batch/compiler");
    char *source = ledger_path(out, "batch/compiler/none.cu"),
         *object = ledger_path(out, "batch/compiler/none.o");
    char *simcc = project_path("build/bin/simcc");
    ledger_write(source, "", 0);
    char *temporary = formatted("TMPDIR=%s", folder);
    struct child_plan plan = {
        .argv = (const char *const[]){ simcc, "-O0", "-c", source, "-o", object, NULL },
        .environment = (const char *const[]){ "PATH=/usr/local/bin:/usr/bin:/bin", "LC_ALL=C.UTF-8",
                                              temporary, NULL },
        .wall_ms = COMPILER_LIMIT_MS, .output_cap = 4096, .input = -1, .output = -1,
    };
    struct child c;
    child_run(&c, &plan);
    child_fini(&c);
    FILE *in = fopen(object, "re");
    size_t count = in ? fread(bytes, 1, sizeof bytes - 1, in) : 0;
    if (in)
        fclose(in);
    bytes[count] = '\0';
    const char *at = memmem(bytes, count, mark, strlen(mark));
    if (at)
        name = strdup(at);
    folder_remove(folder);
    free(folder), free(temporary), free(source), free(object), free(simcc);
    return name ? name : strdup("a compiler that does not name itself");
}

const char *ingredients_of(const struct lesson *lesson, enum backend backend, const char *out)
{
    static char sums[100][INGREDIENTS], common[INGREDIENTS];
    size_t which = 0;
    SHA2_CTX sum;
    while (lessons[which] != lesson)
        which++;
    if (which >= sizeof sums / sizeof *sums)
        die("there are more lessons than batch can count");
    if (common[0] == '\0') {
        char *compiler = compiler_name(out);
        SHA256Init(&sum);
        add_content(&sum, "grader", "/proc/self/exe");
        for (size_t i = 0; i < sizeof common_parts / sizeof *common_parts; i++)
            add_pattern(&sum, common_parts[i]);
        add_text(&sum, compiler);
        add_text(&sum, gnu_get_libc_version());
        if (backend & CUDA)
            add_toolkit(&sum);
        SHA256End(&sum, common);
        free(compiler);
    }
    if (sums[which][0] == '\0') {
        char pattern[256];
        SHA256Init(&sum);
        add_text(&sum, common);
        for (size_t i = 0; i < sizeof lesson_parts / sizeof *lesson_parts; i++) {
            snprintf(pattern, sizeof pattern, lesson_parts[i], lesson->folder);
            add_pattern(&sum, pattern);
        }
        for (size_t i = 0;
             (backend & CUDA) && i < sizeof gpu_lesson_parts / sizeof *gpu_lesson_parts; i++) {
            snprintf(pattern, sizeof pattern, gpu_lesson_parts[i], lesson->folder);
            add_and_free(&sum, pattern, gpu_path(pattern));
        }
        SHA256End(&sum, sums[which]);
    }
    return sums[which];
}

/* ---- which version it is ---- */

/* The first line of a file of git's; "" where there is none. */
static void read_line(const char *path, char *line, size_t size)
{
    FILE *in = fopen(path, "re");
    line[0] = '\0';
    if (!in)
        return;
    if (!fgets(line, (int)size, in))
        line[0] = '\0';
    line[strcspn(line, "\n")] = '\0';
    fclose(in);
}

/* "refs/heads/main", in a file of its own or packed with others. */
static void read_ref(const char *git, const char *ref, char commit[COMMIT])
{
    char path[PATH_MAX], line[512];
    snprintf(path, sizeof path, "%s/%s", git, ref);
    read_line(path, commit, COMMIT);
    snprintf(path, sizeof path, "%s/packed-refs", git);
    FILE *in = commit[0] == '\0' ? fopen(path, "re") : NULL;
    while (in && commit[0] == '\0' && fgets(line, sizeof line, in)) {
        size_t digits = strspn(line, "0123456789abcdef");
        line[strcspn(line, "\n")] = '\0';
        if (line[digits] == ' ' && strcmp(line + digits + 1, ref) == 0)
            snprintf(commit, COMMIT, "%.*s", (int)digits, line);
    }
    if (in)
        fclose(in);
}

const char *workbook_commit(void)
{
    static char commit[COMMIT];
    static bool looked;
    char head[512], path[PATH_MAX], *git = project_path(".git");
    if (!looked) {
        looked = true;
        snprintf(path, sizeof path, "%s/HEAD", git);
        read_line(path, head, sizeof head);
        if (strncmp(head, "ref: ", 5) == 0)
            read_ref(git, head + 5, commit);
        else
            snprintf(commit, sizeof commit, "%.64s", head);
        size_t digits = strspn(commit, "0123456789abcdef");
        if (commit[digits] != '\0' || digits < 40)
            commit[0] = '\0';
    }
    free(git);
    return commit;
}
