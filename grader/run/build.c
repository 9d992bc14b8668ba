/* SPDX-License-Identifier: MIT */
#include "grader/run/build.h"

#include <ctype.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "grader/base/environment.h"
#include "grader/base/text.h"
#include "grader/run/words.h"
#include "trace/record/memory.h"

#define NUMBER_AS_IT_IS(n) #n
#define NUMBER(n) NUMBER_AS_IT_IS(n)
#define MESSAGES_MAX 24         /* a flood of errors helps nobody */

void build_need(const char *path, const struct lesson *lesson)
{
    if (access(path, R_OK) != 0)
        die("%s is missing: run `make lesson%02d` in %s", path, lesson->number, project_root());
}

/* A path under the project's folder, or under the copy of it that the sandbox has. */
static char *tool(const struct sandbox *box, const char *format, const char *name)
{
    char rest[256];
    snprintf(rest, sizeof rest, format, name);
    return box ? sandbox_path(box, false, SANDBOX_TOOLCHAIN, "%s", rest) : project_path("%s", rest);
}

static char *product(const struct sandbox *box, bool outside, const char *name)
{
    char *path;
    if (box)
        return sandbox_path(box, outside, SANDBOX_OUT, "%s", name);
    if (asprintf(&path, "%s/%s", private_folder(), name) < 0)
        die("no memory left");
    return path;
}

static void put(const struct sandbox *box, const char *name, const char *text, size_t bytes)
{
    char *path = sandbox_path(box, true, SANDBOX_SOURCE, "%s", name);
    FILE *out = fopen(path, "wxe");
    if (!out || (bytes > 0 && fwrite(text, bytes, 1, out) != 1) || fclose(out) != 0)
        die("cannot write %s: %s", path, strerror(errno));
    free(path);
}

void build_put(const struct submission *s, const struct sandbox *box)
{
    put(box, s->path, s->text, s->bytes);
}

void build_compiler(struct build *b, enum sandbox_use use, unsigned cpu_s,
                    const char *const *argv, const char *one, const char *two)
{
    const struct sandbox *box = b->sandbox;
    struct sandbox_entry entry;
    char path[4200], temporary[4200],
        *tmp = box ? sandbox_path(box, false, SANDBOX_TMP, "%s", "") : NULL;
    snprintf(path, sizeof path, "PATH=%s",
             !box && getenv("PATH") ? getenv("PATH") : "/usr/local/bin:/usr/bin:/bin");
    snprintf(temporary, sizeof temporary, "TMPDIR=%s", tmp ? tmp : private_folder());
    struct child_plan plan = {
        .argv = argv, .environment = (const char *const[]){ path, temporary, "LC_ALL=C.UTF-8", one,
                                                            two, NULL },
        .wall_ms = box ? BUILD_SANDBOX_MS : BUILD_LIMIT_MS, .cpu_s = cpu_s,
        .idle_ms = BUILD_IDLE_MS, .doing = "compiling", .output_cap = 1u << 18, .input = -1,
        .output = -1,
    };
    if (box)
        sandbox_enter(box, &entry, &plan, use);
    if (!child_start(&b->child, &plan))
        die("cannot run the compiler %s: %s", argv[0], strerror(errno));
    free(tmp);
}

static void start_simcc(struct build *b, unsigned cpu_s, const char *const *argv)
{
    build_compiler(b, SANDBOX_COMPILER, cpu_s, argv, NULL, NULL);
}

void build_start(struct build *b, const struct submission *s, const struct lesson *lesson,
                 bool hazards, const struct sandbox *sandbox)
{
    *b = (struct build){
        .child = CHILD_NONE, .sandbox = sandbox, .lesson = lesson, .hazards = hazards
    };
    char *simcc = tool(sandbox, "build/bin/simcc", ""),
         *driver = tool(sandbox, "build/lessons/%s/driver.o", lesson->folder);
    char *common = sandbox ? tool(sandbox, "common", "") : project_display_path("common");
    char *folder = sandbox ? tool(sandbox, "lessons/%s", lesson->folder)
                           : project_display_path("lessons/%s", lesson->folder);
    char *home = sandbox ? sandbox_path(sandbox, false, SANDBOX_SOURCE, "%s", "") : getcwd(NULL, 0);
    char include[2][4200], names[2][4200];
    if (!sandbox) {
        build_need(simcc, lesson);
        build_need(driver, lesson);
    }
    snprintf(include[0], sizeof include[0], "-I%s", common);
    snprintf(include[1], sizeof include[1], "-I%s", folder);
    /* What the program finds out about its own lines names files as the learner does. */
    snprintf(names[0], sizeof names[0], "-fdebug-prefix-map=%s=.", home ? home : ".");
    /* Also where the path begins like this folder. */
    bool plain = !strchr(s->path, '=') && strlen(s->path) < sizeof names[1] / 4;
    snprintf(names[1], sizeof names[1], plain ? "-fdebug-prefix-map=%s=%s" : "-Wall", s->path,
             s->path);
    b->program = product(sandbox, false, "program");

    /* What a stranger's object calls is looked at in the plain build: an instrumented one calls the
     * runtime's inside. */
    const char *builds = !hazards  ? "--hazards=calls"
                         : sandbox ? "--hazards=all"
                                   : "--hazards=instrumented";
    /* The C++ library's own checks: an index beyond the end of a vector ends the program there
     * (sim/crash/checks.c). The precompiled headers have them, too (tools/make/sources.mk). */
    const char *argv[22 + SUBMISSION_OPTIONS] = {
        simcc,      "-Og",  "-g1",    "-D_GLIBCXX_ASSERTIONS", "-Wall",  include[0],
        include[1], builds, names[0], names[1], hazards ? "--judged" : "-Wall",
    };
    size_t n = 11;
    for (size_t i = 0; i < s->option_count; i++)
        argv[n++] = s->option[i];
    /* A path that begins with a dash must not be an option. */
    char *source = NULL, *object = sandbox ? product(sandbox, false, "submission.o") : NULL;
    if (asprintf(&source, "%s%s", s->path[0] == '-' ? "./" : "", s->path) < 0)
        die("no memory left");
    argv[n++] = source;
    argv[n++] = sandbox ? "-c" : driver;
    argv[n++] = "-o";
    argv[n++] = sandbox ? object : b->program;
    start_simcc(b, BUILD_CPU_S, argv);
    free(simcc), free(driver), free(common), free(folder), free(home), free(source), free(object);
}

/* Does the compiler take long for a few lines here, too? */
static void start_few_lines(struct build *b)
{
    static const char name[] = "few-lines.cu",
                      lines[] = "#include <cstdio>\n__global__ void nothing() { }\n";
    char *simcc = tool(b->sandbox, "build/bin/simcc", ""),
         *object = product(b->sandbox, false, "few-lines.o");
    put(b->sandbox, name, lines, sizeof lines - 1);
    child_fini(&b->child);
    start_simcc(
        b, BUILD_FEW_S,
        (const char *[]){ simcc, "-Og", "-g1", "--hazards=all", "-c", name, "-o", object, NULL });
    free(simcc), free(object);
}

/* The object that is there, if it may, becomes a program. */
bool build_goes_on(struct build *b)
{
    const struct sandbox *box = b->sandbox;
    if (b->time == TIME_OVER) {
        start_few_lines(b);
        return true;
    }
    if (!box || !b->good || b->linking)
        return false;
    char *seen = product(box, true, "submission.o");
    bool allowed = !box->allowed || box->allowed(box, seen, b->refused, sizeof b->refused);
    free(seen);
    if (!allowed) {
        b->good = false;
        return false;
    }
    char *simcc = tool(box, "build/bin/simcc", ""),
         *driver = tool(box, "build/lessons/%s/driver.o", b->lesson->folder);
    char *object = product(box, false, "submission.o");
    b->linking = true;
    child_fini(&b->child);
    start_simcc(b, BUILD_CPU_S,
                (const char *[]){ simcc, "-Og", "-g1",
                                  b->hazards ? "--hazards=instrumented" : "--hazards=calls", object,
                                  driver, "-o", b->program, NULL });
    free(simcc), free(driver), free(object);
    return true;
}

/* "work/06.cu:12:5: error: …": its line number in the learner's file, 0 if it is none. */
static size_t own_line(const char *line, size_t length, const char *path)
{
    size_t n = strlen(path);
    if (length <= n + 1 || memcmp(line, path, n) != 0 || line[n] != ':'
        || !isdigit((unsigned char)line[n + 1]))
        return 0;
    return strtoul(line + n + 1, NULL, 10);
}

/* g++'s own quotation of a line: "   12 |   text". Columns there are those of the rewritten text.
 */
static bool is_quotation(const char *line, size_t length)
{
    size_t i = 0;
    while (i < length && (line[i] == ' ' || isdigit((unsigned char)line[i])))
        i++;
    return i > 0 && i < length && line[i] == '|';
}

/* Paths of the private folder, which differ in every run, or of the sandbox's are no news to
 * anybody. */
static void drop_folder(char *text, const char *folder)
{
    size_t n = strlen(folder);
    for (char *at; (at = strstr(text, folder));) {
        size_t more = at[n] == '/' ? 1 : 0;
        memmove(at, at + n + more, strlen(at + n + more) + 1);
    }
}

/* Nor are the names of a compiler's own temporary files: "/tmp/simcc-275KeF/ccKxFrNM.s" becomes
 * "cc.s". */
static void drop_temporary_names(char *text)
{
    static const char folder[] = "/tmp/simcc-";
    const size_t random = 6;
    for (char *at = text; (at = strstr(at, folder));) {
        char *end = at + strlen(folder);
        if (strnlen(end, random + 1) > random && end[random] == '/') {
            end += random + 1;
            if (strncmp(end, "cc", 2) == 0 && strnlen(end, 2 + random + 1) > 2 + random
                && end[2 + random] == '.') {
                memcpy(at, "cc", 2);
                at += 2;
                end += 2 + random;
            }
        }
        memmove(at, end, strlen(end) + 1);
    }
}

/* Linkers differ in the first quotation mark. */
static void make_quotes_alike(char *text)
{
    static const char missing[] = "undefined reference to `";
    for (char *at = text; (at = strstr(at, missing));)
        at[sizeof missing - 2] = '\'';
}

static char *quote_messages(const char *output, const struct submission *s,
                            const struct sandbox *box)
{
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    const char *rest = output, *end = output + strlen(output), *line;
    size_t length, shown = 0, left_out = 0;
    while ((line = text_next_line(&rest, end, &length))) {
        if (is_quotation(line, length) || length == 0)
            continue;
        if (shown++ >= MESSAGES_MAX) {
            left_out++;
            continue;
        }
        fprintf(out, "%.*s\n", (int)length, line);
        size_t number = own_line(line, length, s->path), own_length;
        const char *own = number != 0 ? text_line(s->text, s->bytes, number, &own_length) : NULL;
        if (own && !memmem(line, length, ": note:", 7))
            fprintf(out, "%5zu | %.*s\n", number, (int)own_length, own);
    }
    if (left_out != 0)
        fprintf(out, "[%zu lines more]\n", left_out);
    fclose(out);
    drop_folder(text, private_folder());
    if (box && box->confined)
        drop_folder(text, "/submission/");
    drop_temporary_names(text);
    make_quotes_alike(text);
    char *clean = text_harmless(text, strlen(text));
    free(text);
    return clean;
}

/* The last line that the compiler printed, without who says it. */
static const char *last_line(char *output)
{
    size_t n = strlen(output);
    while (n > 0 && output[n - 1] == '\n')
        output[--n] = '\0';
    char *newline = strrchr(output, '\n');
    char *line = newline ? newline + 1 : output;
    return strncmp(line, "simcc: ", 7) == 0 ? line + 7 : line;
}

/* nvcc ends with 2 when its front end has found errors in the file. */
static bool found_errors(const struct build *b)
{
    int status = b->child.status;
    return WIFEXITED(status)
           && (WEXITSTATUS(status) == 1
               || (WEXITSTATUS(status) == 2
                   && strstr(b->child.output, " detected in the compilation of ")));
}

/* Does a tool say these words? What it quotes of the file, and what the file has it print
 * (#warning), is not its own. */
static bool prints(const struct build *b, const char *words)
{
    const char *output = b->child.output;
    for (const char *at = output; (at = strstr(at, words)); at++) {
        const char *line = at;
        while (line > output && line[-1] != '\n')
            line--;
        if (*line != ' ' && !memchr(line, '#', (size_t)(at - line)))
            return true;
    }
    return false;
}

static bool had_its_time(const struct build *b)
{
    int status = b->child.status;
    return prints(b, "CPU time limit exceeded")
           || (WIFSIGNALED(status) && WTERMSIG(status) == SIGXCPU);
}

/* Why a compiler that did not say so itself came to nothing, in a sandbox; NULL: it said. */
static const char *exhausted(const struct build *b)
{
    if (b->child.idle)
        return "The compiler was stopped: it waited for something that did not come.";
    if (b->child.too_large || prints(b, "out of memory allocating ")
        || prints(b, "memory exhausted"))
        return "The compiler was stopped: it needed more memory than it is allowed.";
    if (prints(b, "No space left on device") || prints(b, "File size limit exceeded"))
        return "The compiler was stopped: what it made of this file is larger than is allowed.";
    if (had_its_time(b))
        return "The compiler was stopped: it needed more than " NUMBER(
            BUILD_CPU_S) " seconds of a processor.";
    if (!found_errors(b))
        return "The compiler was stopped: it needed more memory, time or disk space than it is allowed.";
    return NULL;
}

/* A compiler that came to nothing for no fault of the file's. */
static void die_for_environment(struct build *b)
{
    int status = b->child.status;
    if (prints(b, "No space left on device") && private_folder_full())
        die("no space left in %s: the compiler could not write", private_folder());
    if (b->sandbox && strncmp(b->child.output, "bwrap: ", 7) == 0)
        die("the sandbox cannot work: %s", last_line(b->child.output));
    /* Not for its limits, which make it end by itself, or end the whole sandbox. One that was
     * killed has found no error. */
    bool killed =
        (prints(b, "Killed signal terminated program") && !prints(b, ": error: "))
        || (WIFSIGNALED(status) && (WTERMSIG(status) == SIGKILL || WTERMSIG(status) == SIGTERM));
    if (b->sandbox && killed && !b->child.too_large && !b->child.idle)
        die("the compiler was killed from outside: is there enough memory?");
    if (b->sandbox)
        return;
    if (WIFSIGNALED(status))
        die("the compiler was killed by signal %d (%s)", WTERMSIG(status),
            strsignal(WTERMSIG(status)));
    if (!found_errors(b)) {
        char *clean = text_harmless(b->child.output, b->child.output_count);
        die("the compiler cannot work: %s",
            *clean != '\0' ? last_line(clean) : "it does not say why");
    }
}

void build_finish(struct build *b, const struct submission *s)
{
    b->timed_out = b->child.timed_out;
    b->good = !b->timed_out && !b->child.too_large && child_succeeded(&b->child);
    if (b->timed_out && (b->sandbox || b->child.cpu_ms < 1000 * BUILD_CPU_S))
        die("the compiler was stopped after %lld s: this machine is too busy",
            (long long)(b->child.deadline - b->child.started) / 1000);
    if (b->time
        == TIME_OVER) { /* what was said of the file stands, unless the machine is to blame */
        if (had_its_time(b))
            die("the compiler was stopped after %d s of a processor, and this machine takes more than %d s for a few lines: it is too slow "
                "to judge by that",
                BUILD_CPU_S, BUILD_FEW_S);
        b->good = false;
        b->time = TIME_JUDGED;
        return;
    }
    if (!b->good && !b->timed_out)
        die_for_environment(b);
    const char *why = b->sandbox && !b->good && !b->timed_out ? exhausted(b) : NULL;
    if (why && had_its_time(b))
        b->time = TIME_OVER;
    char *said = quote_messages(why ? why : b->child.output, s, b->sandbox);
    if (b->linking && b->good) { /* what the compiler said of the file stands; a linker that has
                                    done it has nothing to say */
        memory_resize(said, 0);
        return;
    }
    memory_resize(b->messages, 0);
    b->messages = said;
    char problem[512];
    if (b->good && words_of_lesson_redefined(s, b->lesson, problem, sizeof problem)) {
        memory_resize(b->messages, 0);
        b->messages = text_harmless(problem, strlen(problem));
        b->good = false;
    }
}

void build_take(struct build *b, const char *program)
{
    *b = (struct build){ .child = CHILD_NONE,
                         .good = true,
                         .program = strdup(program),
                         .messages = text_harmless("", 0) };
}

void build_fini(struct build *b)
{
    child_fini(&b->child);
    free(b->program);
    memory_resize(b->messages, 0);
}
