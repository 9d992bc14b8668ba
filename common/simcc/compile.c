/* SPDX-License-Identifier: MIT */
#include "simcc/compile.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "simcc/cuts.h"
#include "simcc/inputs.h"
#include "simcc/instrumented.h"
#include "simcc/prelude.h"
#include "simcc/refuse.h"
#include "simcc/rewrite/arch.h"
#include "simcc/rewrite/marker.h"
#include "simcc/rewrite/rewrite.h"
#include "simcc/rewrite/space/space.h"
#include "simcc/standard.h"
#include "simcc/process/temporary.h"
#include "trace/record/memory.h"

/* Whether a source has errors with another standard, too: its option. */
struct trial {
    const struct job *job;
    const char *source, *newer;
};
static bool compile_newer(void *trial);

static bool is_cuda(const struct job *job, const char *source)
{
    return job->language ? strcmp(job->language, "cu") == 0 : !is_cxx(source) && !is_c(job, source);
}

/* -O0, -Og: g++ would not put a kernel's body into a loop over its threads, and such a loop for
 * each kernel takes longer to compile than the kernel. */
static bool is_for_debugging(const struct words *options)
{
    const char *level = "";
    for (size_t i = 0; i < options->count; i++)
        if (strncmp(options->list[i], "-O", 2) == 0)
            level = options->list[i] + 2;
    return strcmp(level, "0") == 0 || strcmp(level, "g") == 0;
}

/* Threads that are a call each are not cut, and neither are those whose loads and stores are looked
 * at. On other processors than x86-64 g++ may fuse a product and a sum. */
static bool may_have_cuts(const struct job *job)
{
#ifdef __x86_64__
    return job->builds != INSTRUMENTED_BUILD && !job->new_prelude
           && !is_for_debugging(&job->compile) && !cuts_move_places(&job->compile);
#else
    (void)job;
    return false;
#endif
}

void preprocess_options(struct words *command, const struct job *job)
{
    static const char *const begin[] = { PLAIN_MESSAGES, "-D__SIMCC__=1", "-D__CUDACC__=1",
                                         "-D__CUDACC_VER_MAJOR__=13", "-D__CUDACC_VER_MINOR__=0",
                                         "-D__CUDACC_VER_BUILD__=0", "-D__NVCC__=1" };
    words_add_compiler(command);
    WORDS_ADD_LIST(command, begin);
    static char list[256];              /* as long as the command */
    size_t length = (size_t)snprintf(list, sizeof list, "-D__CUDA_ARCH_LIST__=");
    for (size_t i = 0; i < job->arch_count; i++)
        length += (size_t)snprintf(list + length, sizeof list - length, "%s%d", i > 0 ? "," : "",
                                   job->archs[i] * 10);
    /* Precompiled headers serve for every -arch: g++ would refuse them with another value. */
    if (!job->new_prelude)
        words_add(command, list);
    if (is_for_debugging(&job->compile))
        words_add(command, "-D__SIM_THREAD_CALLS__=1");
    words_add_all(command, &job->compile);
    /* Some systems' g++ has _FORTIFY_SOURCE on, and makes of memcpy() what -fno-builtin-memcpy does
     * not reach. The other three are declared in cuda_runtime.h. */
    static const char *const told[] = { "-U_FORTIFY_SOURCE",
                                        "-D__builtin_memmove=__sim_memmove",
                                        "-D__builtin_memset=__sim_memset",
                                        "-D__builtin_memcmp=__sim_memcmp" };
    WORDS_ADD_LIST(command, told);
    static char toolkit[PATH_MAX + 16]; /* headers that bring nothing of their own */
    snprintf(toolkit, sizeof toolkit, "%stoolkit/", job->include);
    const char *const folders[] = { job->include, toolkit, job->common };
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        words_add(command, "-isystem");
        words_add(command, folders[i]);
    }
}

bool rewrite_text(const struct job *job, const struct bytes *text, const char *calls,
                  struct bytes *out, struct spaces **spaces)
{
    const char *own[] = { job->include, job->common, NULL };
    char *refused;
    out->at = rewrite(text->at, text->count, own, calls,
                      (struct rewrite_how){ .theirs = job->systems.list,
                                            .one_core = job->one_core,
                                            .judged = job->judged,
                                            .cuts = may_have_cuts(job),
                                            .spaces = spaces },
                      &out->count, &refused);
    bool fine = !refused;
    if (refused)
        refuse_print(refused);
    memory_resize(refused, 0);
    if (!fine)
        memory_resize(out->at, 0);
    return fine;
}

/* -MD and the like, with the names that g++ would make up from its output, which is none here. */
static void add_dependencies(struct words *command, const struct job *job, const char *object)
{
    static char file[PATH_MAX];         /* as long as the command */
    words_add_all(command, &job->dependencies);
    if (job->dependencies.count > 0 && !job->names_target) {
        words_add(command, "-MT");
        words_add(command, object);
    }
    if (job->writes_dependencies && !job->names_dependencies) {
        const char *dot = strrchr(object, '.');
        int stem = dot && !strchr(dot, '/') ? (int)(dot - object) : (int)strlen(object);
        snprintf(file, sizeof file, "%.*s.d", stem, object);
        words_add(command, "-MF");
        words_add(command, file);
    }
}

/* g++ sees a kernel's body as a lambda, which its author has not written. */
static void print_messages(const struct bytes *messages)
{
    static const char seen[] = "In lambda function:", meant[] = "In a kernel (or lambda):";
    const char *at = messages->at, *end = at + messages->count;
    for (const char *next; (next = memmem(at, (size_t)(end - at), seen, sizeof seen - 1));
         at = next + sizeof seen - 1) {
        fwrite(at, 1, (size_t)(next - at), stderr);
        fputs(meant, stderr);
    }
    fwrite(at, 1, (size_t)(end - at), stderr);
}

/* Would a newer standard take it? Then g++'s messages say so. */
static void try_newer(const struct job *job, const char *source, struct bytes *messages)
{
    bool told = job->tries || !standard_may_matter(source, messages);
    for (const char *newer = NULL; !told && (newer = standard_after(&job->compile, newer));) {
        struct trial trial = { job, source, newer };
        struct bytes said;
        process_try(compile_newer, &trial, &said);
        told = standard_tell(&job->compile, newer, messages, &said);
        memory_resize(said.at, 0);
    }
}

/* What g++ has said of the source, and, where it has errors, what simcc knows of them. */
static void say(const struct job *job, const char *source, struct bytes *messages, bool fine)
{
    if (fine || !refuse_missing(messages)) {
        if (!fine) {
            try_newer(job, source, messages);
            late_header_tell(messages);
        }
        print_messages(messages);
    }
    memory_resize(messages->at, 0);
}

/* As the host sees it, or the device; or to write down what the source depends on, which a text
 * with precompiled headers does not name. */
enum view { OF_HOST, OF_DEVICE, OF_DEPENDENCIES };

static bool preprocess(const struct job *job, const char *source, const char *object,
                       enum view view, struct bytes *out)
{
    struct words command = { 0 };
    char arch[32];
    preprocess_options(&command, job);
    if (view == OF_DEVICE) {
        snprintf(arch, sizeof arch, "-D__CUDA_ARCH__=%d", job->archs[job->arch_count - 1] * 10);
        words_add(&command, arch);
    } else if (*job->prelude == '\0') {
        add_dependencies(&command, job, object);
    }
    if (view != OF_HOST)
        words_add(&command, "-w");
    words_add(&command, "-E");
    if (is_cuda(job, source))
        prelude_include(&command, job);
    words_add(&command, "-x");
    words_add(&command, "c++");
    words_add(&command, source);
    struct bytes messages;
    bool fine = process_run_quietly(&command, out, &messages);
    say(job, source, &messages, fine);
    memory_resize(command.list, 0);
    return fine;
}

/* Does a file of the program, the source or a header, ask for __CUDA_ARCH__? Most do not, and are
 * preprocessed once. */
static bool asks_for_arch(const struct job *job, const struct bytes *text, const char *source)
{
    static const char word[] = "__CUDA_ARCH__";
    const char *end = text->at + text->count;
    char path[PATH_MAX];
    if (file_says(source, word))
        return true;
    for (const char *at = text->at; (at = memmem(at, (size_t)(end - at), "\n# ", 3)); at += 3) {
        struct marker marker;
        if (!marker_read(at + 1, end, &marker) || !marker.begins)
            continue;
        marker_path(&marker, path, sizeof path);
        bool own = !marker.system
                   || path_is_theirs(path, strlen(path), job->systems.list);
        if (own && file_says(path, word))
            return true;
    }
    return false;
}

/* A text that is the device's, too, where it says something else to it. */
static bool add_device_text(const struct job *job, const char *source, const char *object,
                            struct bytes *text, bool *same)
{
    struct bytes device, both;
    bool fine = preprocess(job, source, object, OF_DEVICE, &device);
    if (fine) {
        *same = refuse_same_words(text, &device);
        both.at = rewrite_arch(text->at, text->count, device.at, device.count, &both.count);
        memory_resize(text->at, 0);
        *text = both;
    }
    memory_resize(device.at, 0);
    return fine;
}

/* The text that goes to g++; false when g++ -E found an error. */
static bool rewritten(struct job *job, const char *source, const char *object, struct bytes *out,
                      struct spaces **spaces)
{
    struct bytes text;
    bool same = true, fine = preprocess(job, source, object, OF_HOST, &text);
    if (fine && *job->prelude != '\0' && !prelude_used(&text)) {
        memory_resize(text.at, 0);
        *job->prelude = '\0';
        fine = preprocess(job, source, object, OF_HOST, &text);
    }
    if (fine && is_cuda(job, source) && asks_for_arch(job, &text, source))
        fine = add_device_text(job, source, object, &text, &same);
    if (fine) {
        char *calls = prelude_calls(job);
        fine = rewrite_text(job, &text, calls, out, job->only_rewrite || !same ? NULL : spaces);
        memory_resize(calls, 0);
    }
    memory_resize(text.at, 0);
    return fine;
}

/* In DWARF 5 the first file of the line table is the source's own, and addr2line of binutils 2.40
 * takes the file that follows it for the same where a kernel is inlined: a line of lesson.h had the
 * learner's file name. It comes before the user's options: after -g1 it would mean -g2, with half
 * of a verdict's object. */
static void add_debug_version(struct words *command, const struct job *job)
{
    bool wanted = false;
    for (size_t i = 0; i < job->compile.count; i++)
        if (strncmp(job->compile.list[i], "-gdwarf", 7) == 0)
            return;
        else
            wanted = wanted || strncmp(job->compile.list[i], "-g", 2) == 0;
    if (wanted)
        words_add(command, "-gdwarf-4");
}

void compile_options(struct words *command, const struct job *job, bool instrumented)
{
    words_add_compiler(command);
    add_debug_version(command, job);
    words_add_all(command, &job->compile);
    if (instrumented)
        instrumented_options(command);
    /* An index outside an array calls sim/crash/checks.c. */
    if (instrumented && job->judged)
        words_add(command, "-fsanitize=bounds");
    /* Code that is alike stays apart: else it has the line of one and serves for the other. nvcc
     * knows
     * `#pragma unroll`, g++ need not. Conversions that have another result on a GPU call
     * sim/crash/arithmetic.c. */
    static const char *const rest[] = { "-fsanitize=float-cast-overflow",
                                        "-Wno-unknown-pragmas",
                                        "-fno-crossjumping",
                                        "-fno-tree-tail-merge",
                                        "-fno-ipa-icf",
                                        PLAIN_MESSAGES,
                                        "-fpreprocessed" };
    WORDS_ADD_LIST(command, rest);
    /* Position-independent code takes g++ no longer, and would hide nothing: so that a program does
     * the same in every run, the grader starts it without address randomisation
     * (grader/sandbox/child.c), and it would lie at one address again. */
    if (!job->position_independent)
        words_add(command, job->linked_by_others ? "-fPIE" : "-fno-pie");
}

/* How a build of a source ended. WITHOUT_CUTS: it failed with its cuts, and is to be built without.
 */
enum made { MADE, HAS_ERRORS, NEEDS_HEADERS, WITHOUT_CUTS };

/* Of a text with its cuts, or without any. What g++ says is *said (malloc), NULL where another
 * build of the same text says it. */
static enum made compile_with(const struct job *job, const struct bytes *text, bool cuts,
                              struct spaces *spaces, const char *object, bool instrumented,
                              struct bytes *said)
{
    struct words command = { 0 };
    struct bytes messages, whole = prelude_choose(job, text, instrumented);
    if (instrumented)
        instrumented_add(job, text, !is_for_debugging(&job->compile), &whole);
    compile_options(&command, job, instrumented);
    static const char *const rest[] = { "-pipe", "-x", "c++-cpp-output", "-c", "-", "-o" };
    WORDS_ADD_LIST(&command, rest);
    words_add(&command, object);
    if (!said)
        words_add(&command, "-w");
    else if (spaces)
        refuse_options(&command);
    if (isatty(STDERR_FILENO))
        words_add(&command, "-fdiagnostics-color=always");
    bool fine = process_run(&command, &whole, &messages, STDERR_FILENO);
    enum made made = fine                              ? MADE
                   : prelude_refused(job, &messages) ? NEEDS_HEADERS
                   : cuts                            ? WITHOUT_CUTS
                                                     : HAS_ERRORS;
    if (made == HAS_ERRORS && said)
        look_for_full_disk(&messages);
    bool wrong = (made == MADE || made == HAS_ERRORS) && said
                 && refuse_calls(&job->compile, spaces, &messages);
    memory_resize(command.list, 0);
    memory_resize(whole.at, 0);
    if (said && made != WITHOUT_CUTS)
        *said = messages;
    else
        memory_resize(messages.at, 0);
    return wrong ? HAS_ERRORS : made;
}

/* An error in a text with cuts is the program's if it is there without them. */
static enum made compile_text(const struct job *job, const struct bytes *text,
                              struct spaces *spaces, const char *object, bool instrumented,
                              struct bytes *said)
{
    if (!cuts_are_in(text))
        return compile_with(job, text, false, spaces, object, instrumented, said);
    enum made made = WITHOUT_CUTS;
    for (int cuts = !instrumented && !cuts_round_anew(job, text); made == WITHOUT_CUTS; cuts = 0) {
        struct bytes chosen = cuts_choose(text, cuts);
        made = compile_with(job, &chosen, cuts, spaces, object, instrumented, said);
        memory_resize(chosen.at, 0);
    }
    return made;
}

/* One build, or both side by side: then the plain one is `object`, and the instrumented one stands
 * at its end. */
static enum made compile_builds(const struct job *job, const struct bytes *text,
                                struct spaces *spaces, const char *object, struct bytes *said)
{
    if (job->builds != BOTH_BUILDS)
        return compile_text(job, text, spaces, object, job->builds == INSTRUMENTED_BUILD, said);
    const char *copy = temporary_name();
    pid_t child = process_beside();
    if (child == 0)
        _exit(compile_text(job, text, spaces, copy, true, NULL));
    enum made made = compile_text(job, text, spaces, object, false, said),
              other = process_join(child);
    if (made == MADE && other == MADE)
        instrumented_append(object, copy);
    return made == MADE && other == NEEDS_HEADERS ? other : made;
}

/* C has no launches, and its calls of the runtime need not say where they stand. */
static bool compile_c(const struct job *job, const char *source, const char *name,
                      const char *object)
{
    struct words command = { 0 };
    static const char *const as_c[] = { "-x", "c" },
                             *const only_cxx[] = { "-std=c++", "-std=gnu++" };
    preprocess_options(&command, job);
    size_t kept = 0;
    for (size_t i = 0; i < command.count; i++)
        if (strncmp(command.list[i], only_cxx[0], strlen(only_cxx[0])) != 0
            && strncmp(command.list[i], only_cxx[1], strlen(only_cxx[1])) != 0)
            command.list[kept++] = command.list[i];
    command.count = kept;
    add_dependencies(&command, job, name);
    if (!job->position_independent)
        words_add(&command, job->linked_by_others ? "-fPIE" : "-fno-pie");
    words_add(&command, job->only_rewrite || job->only_dependencies ? "-E" : "-c");
    WORDS_ADD_LIST(&command, as_c);
    words_add(&command, source);
    if (!job->only_rewrite && !job->only_dependencies) {
        words_add(&command, "-o");
        words_add(&command, object);
    }
    bool fine = process_run(&command, NULL, NULL, STDOUT_FILENO);
    memory_resize(command.list, 0);
    return fine;
}

/* -M, -MM: what the source depends on, and nothing else. */
static bool print_dependencies(struct job *job, const char *source, const char *name)
{
    struct bytes text;
    *job->prelude = '\0';
    bool fine = preprocess(job, source, name, OF_HOST, &text);
    FILE *out = fine && job->output ? fopen(job->output, "w") : stdout;
    if (!out)
        trouble("%s: cannot be written: %s", job->output, strerror(errno));
    if (fine)
        fwrite(text.at, 1, text.count, out);
    if (out != stdout)
        fclose(out);
    memory_resize(text.at, 0);
    return fine;
}

/* -MD and the like, of the headers as they are: to read them once more takes a fifth of the time
 * that compiling without precompiled ones does. */
static bool write_dependencies(const struct job *job, const char *source, const char *name)
{
    struct job plain = *job;
    struct bytes text;
    *plain.prelude = '\0';
    bool fine = preprocess(&plain, source, name, OF_DEPENDENCIES, &text);
    memory_resize(text.at, 0);
    return fine;
}

static bool compile_cxx(struct job *job, const char *source, const char *name, const char *object)
{
    struct bytes text, said = { 0 };
    enum made made;
    if (job->only_dependencies)
        return print_dependencies(job, source, name);
    if (is_cuda(job, source))
        warn_of_late_macro(job, source);
    else
        *job->prelude = '\0';
    if (job->dependencies.count > 0 && *job->prelude != '\0'
        && !write_dependencies(job, source, name))
        return false;
    do {
        struct spaces *spaces = NULL;
        if (!rewritten(job, source, name, &text, &spaces)) {
            spaces_free(spaces);
            return false;
        }
        if (job->only_rewrite) {
            struct bytes shown = cuts_choose(&text, true);
            fwrite(shown.at, 1, shown.count, stdout);
            memory_resize(shown.at, 0);
            made = MADE;
        } else {
            made = compile_builds(job, &text, spaces, object, &said);
        }
        memory_resize(text.at, 0);
        spaces_free(spaces);
        if (made == NEEDS_HEADERS)
            *job->prelude = '\0', memory_resize(said.at, 0);
    } while (made == NEEDS_HEADERS);
    if (!job->only_rewrite)
        say(job, source, &said, made == MADE);
    return made == MADE;
}

static bool compile_newer(void *trial)
{
    const struct trial *t = trial;
    struct job job = *t->job;
    job.compile = (struct words){ 0 };
    words_add_all(&job.compile, &t->job->compile);
    words_add(&job.compile, t->newer);
    words_add(&job.compile, "-fsyntax-only");
    job.dependencies = (struct words){ 0 };
    job.builds = PLAIN_BUILD;
    job.tries = true;
    job.only_rewrite = job.only_dependencies = job.writes_dependencies = false;
    prelude_find(&job);
    return compile_cxx(&job, t->source, t->source, "/dev/null");
}

bool compile(const struct job *job, const char *source, const char *name, const char *object)
{
    struct job own = *job;      /* that one source has no use for a prelude is nothing to others */
    return is_c(job, source) ? compile_c(job, source, name, object)
                             : compile_cxx(&own, source, name, object);
}
