/* SPDX-License-Identifier: MIT */
/*
 * timeline - runs a program that simcc built, or reads its log of calls, and
 * draws what the device did when. Nothing is judged. With --quiet it only writes
 * the trace that was asked for, while it reads, in memory that does not follow
 * the length of the log.
 *
 * Exit status: the program's own; 1 when it was ended by a signal; 2 trouble
 * with the environment or the command.
 */
#include <argp.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "exchange.h"
#include "grader/base/environment.h"
#include "grader/base/options.h"
#include "grader/base/terminal.h"
#include "model/hosted/card_open.h"
#include "model/replay.h"
#include "trace/draw/draw.h"
#include "trace/record/chrome.h"
#include "trace/record/log.h"
#include "trace/record/measure.h"

const char *argp_program_version = "timeline " WORKBOOK_VERSION;

struct options {
    const char *card, *part, *label, *svg, *trace;
    char **command;
    int width, svg_width;       /* columns, pixels */
    bool ascii, no_streams, quiet;
    enum color_mode color;
};

enum { KEY_CARD = 256, KEY_PART, KEY_LABEL, KEY_SVG, KEY_SVG_WIDTH, KEY_TRACE, KEY_ENGINES,
       KEY_WIDTH, KEY_ASCII, KEY_COLOR,
       KEY_QUIET };

static const struct argp_option options[] = {
    { "card", KEY_CARD, "NAME", 0,
      "the simulated device, or the file of one (default: $SIM_PROFILE, or h200)", 0 },
    { "part", KEY_PART, "P", 0, "draw this part of a lesson alone", 0 },
    { "label", KEY_LABEL, "TEXT", 0,
      "draw only what is between label_push(TEXT) and its label_pop(), or in the NVTX range TEXT",
      0 },
    { "engines", KEY_ENGINES, NULL, 0, "draw no lanes of streams, those of the engines alone", 0 },
    { "svg", KEY_SVG, "FILE", 0, "draw it as SVG into FILE, too", 1 },
    { "svg-width", KEY_SVG_WIDTH, "N", 0, "pixels (default: 1000)", 1 },
    { "trace", KEY_TRACE, "FILE", 0,
      "write Chrome Trace Event JSON into FILE, too (Perfetto opens it)", 1 },
    { "quiet", KEY_QUIET, NULL, 0,
      "draw nothing here: however long the log is, a trace of it takes little memory", 1 },
    { "width", KEY_WIDTH, "N", 0, "columns", 2 },
    { "ascii", KEY_ASCII, NULL, 0, "plain ASCII", 2 },
    { "color", KEY_COLOR, "WHEN", 0, "auto, always or never", 2 },
    { 0 },
};

static error_t parse_one(int key, char *value, struct argp_state *state)
{
    struct options *w = state->input;
    switch (key) {
    case KEY_CARD: w->card = value; break;
    case KEY_PART: w->part = value; break;
    case KEY_LABEL: w->label = value; break;
    case KEY_SVG: w->svg = value; break;
    case KEY_SVG_WIDTH: w->svg_width = option_width("--svg-width", value); break;
    case KEY_TRACE: w->trace = value; break;
    case KEY_ENGINES: w->no_streams = true; break;
    case KEY_ASCII: w->ascii = true; break;
    case KEY_QUIET: w->quiet = true; break;
    case KEY_COLOR: w->color = option_color(value); break;
    case KEY_WIDTH: w->width = option_width("--width", value); break;
    case ARGP_KEY_ARG:              /* the rest belongs to the program */
        w->command = &state->argv[state->next - 1];
        state->next = state->argc;
        break;
    case ARGP_KEY_NO_ARGS:
        argp_usage(state);
        break;
    default:
        return ARGP_ERR_UNKNOWN;
    }
    return 0;
}

/* ---- what comes of the log, in pieces ---- */

struct reading {
    struct timeline t;          /* all of it, if it is drawn */
    bool draws;
    const char *trace;          /* where the trace goes; NULL: nowhere */
    FILE *out;
    struct chrome_writer *chrome;
    uint64_t calls;
};

static void take_piece(void *context, const struct replay_piece *p)
{
    struct reading *r = context;
    r->calls += p->t->call_count;
    if (r->draws)
        replay_put_together(&r->t, p);
    if (!r->trace || r->calls == 0)
        return;
    if (!r->chrome) {
        r->out = file_create(r->trace);
        r->chrome = chrome_begin(r->out);
    }
    chrome_add(r->chrome, p->t, p->first_span);
}

/* Reads the log to its end. */
static void read_log(int from, const struct card *card, struct reading *r, const char *name)
{
    static char bytes[65536];
    ssize_t n;
    struct replay *replay = replay_new(card, take_piece, r);
    while ((n = read(from, bytes, sizeof bytes)) > 0 || (n < 0 && errno == EINTR))
        if (n > 0)
            replay_read(replay, bytes, (size_t)n);
    const char *error = replay_end(replay);
    if (r->chrome)
        chrome_end(r->chrome);      /* what it could not write shows in the stream */
    if (error)
        die("the log of %s is damaged: %s", name, error);
    if (r->out)
        file_finish(r->trace, r->out);
}

static bool is_log(const char *path)
{
    char magic[sizeof LOG_MAGIC] = "";
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    bool yes = fd >= 0 && read(fd, magic, sizeof magic - 1) == sizeof magic - 1
               && strcmp(magic, LOG_MAGIC) == 0;
    if (fd >= 0)
        close(fd);
    return yes;
}

/* Runs the program with our own input and output; returns how it ended. */
static int run(char **command, const struct card *card, struct reading *r)
{
    int ends[2], status = 0;
    char number[16];
    if (pipe(ends) != 0)
        die("no pipe: %s", strerror(errno));
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        close(ends[0]);
        snprintf(number, sizeof number, "%d", ends[1]);
        setenv(EXCHANGE_LOG, number, 1);
        setenv("SIM_PROFILE", card_request(card), 1);
        signal(SIGPIPE, SIG_DFL);
        execvp(command[0], command);
        fprintf(stderr, "%s: cannot run %s: %s\n", program_invocation_short_name, command[0],
                strerror(errno));
        _exit(2);
    }
    if (child < 0)
        die("no process: %s", strerror(errno));
    close(ends[1]);
    read_log(ends[0], card, r, command[0]);
    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
        ;
    if (r->calls == 0 && WIFEXITED(status) && WEXITSTATUS(status) == 2)
        exit(2);                    /* it has said why */
    if (r->calls == 0)
        die("%s made no call: was it built by simcc?", command[0]);
    bool left = WIFSIGNALED(status) && WTERMSIG(status) == SIGPIPE && reader_left(stdout);
    if (WIFSIGNALED(status) && !left)
        fprintf(stderr, "%s: %s\n", command[0], strsignal(WTERMSIG(status)));
    return WIFEXITED(status) ? WEXITSTATUS(status) : left ? 0 : 1;
}

/* Has it kernels, none of which declared what it takes? */
static bool is_undeclared(const struct timeline *t)
{
    bool launches = false;
    for (size_t i = 0; i < t->call_count; i++) {
        if (t->calls[i].kind == CALL_COST && t->calls[i].cost >= 0)
            return false;
        launches |= t->calls[i].kind == CALL_LAUNCH;
    }
    return launches;
}

static void draw(const struct timeline *t, const struct options *w)
{
    struct terminal terminal;
    terminal_init(&terminal, stdout, w->color, w->width, w->ascii);
    struct drawing d = { .streams = !w->no_streams, .engines = true, .width = terminal.width,
                         .ascii = terminal.ascii, .color = terminal.color,
                         .undeclared = is_undeclared(t) };
    if (w->part && !measure_part(t, w->part, &d.first_call, &d.end_call))
        die("there is no part '%s' in it", w->part);
    if (w->label && !measure_label(t, w->label, &d.first_call, &d.end_call))
        die("there is no label '%s' in it", w->label);
    if (!w->quiet)
        draw_text(stdout, t, &d);
    d.width = w->svg_width;
    export_svg(w->svg, t, &d);
}

int main(int argc, char **argv)
{
    static const struct argp argp = {
        .options = options, .parser = parse_one, .args_doc = "PROGRAM [ARGUMENT...]\nLOG",
        .doc = "Draws what the device did when: of a program that simcc built, or of a log of calls.",
    };
    struct options w = { .color = COLOR_AUTO, .svg_width = 1000 };
    descriptors_begin();
    argp_err_exit_status = 2;
    argp_parse(&argp, argc, argv, ARGP_IN_ORDER, NULL, &w);
    const struct card *card = option_card(w.card);

    static struct reading r;
    int status = 0;
    timeline_init(&r.t);
    r.trace = w.trace;
    r.draws = !w.quiet || w.svg;
    if (is_log(w.command[0])) {
        int fd = open(w.command[0], O_RDONLY | O_CLOEXEC);
        read_log(fd, card, &r, w.command[0]);
        close(fd);
    } else {
        status = run(w.command, card, &r);
    }
    if (r.draws)
        draw(&r.t, &w);
    if ((fflush(stdout) != 0 || ferror(stdout)) && !reader_left(stdout))
        die("cannot write the picture: %s", strerror(errno));
    timeline_fini(&r.t);
    return status;
}
