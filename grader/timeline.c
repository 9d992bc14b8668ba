/* SPDX-License-Identifier: MIT */
/*
 * timeline - runs a program that simcc built, or reads its log of calls, and
 * draws what the device did when. Nothing is judged.
 *
 * Exit status: the program's own; 1 when it was ended by a signal; 2 trouble
 * with the environment or the command.
 */
#include <argp.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "exchange.h"
#include "grader/environment.h"
#include "grader/options.h"
#include "grader/terminal.h"
#include "model/hosted/card_open.h"
#include "model/model.h"
#include "trace/draw.h"
#include "trace/log.h"
#include "trace/measure.h"

const char *argp_program_version = "timeline " WORKBOOK_VERSION;

struct wishes {
    const char *card, *part, *label, *svg, *trace;
    char **command;
    int width, svg_width;       /* columns, pixels */
    bool ascii, no_streams;
    enum color_wish color;
};

enum { KEY_CARD = 256, KEY_PART, KEY_LABEL, KEY_SVG, KEY_SVG_WIDTH, KEY_TRACE, KEY_ENGINES, KEY_WIDTH, KEY_ASCII, KEY_COLOR };

static const struct argp_option options[] = {
    { "card", KEY_CARD, "NAME", 0, "the simulated device, or the file of one (default: $SIM_PROFILE, or h200)", 0 },
    { "part", KEY_PART, "P", 0, "draw this part of a lesson alone", 0 },
    { "label", KEY_LABEL, "TEXT", 0, "draw what stands between label_push(TEXT) and its label_pop() alone", 0 },
    { "engines", KEY_ENGINES, NULL, 0, "draw no lanes of streams, those of the engines alone", 0 },
    { "svg", KEY_SVG, "FILE", 0, "draw it as SVG into FILE, too", 1 },
    { "svg-width", KEY_SVG_WIDTH, "N", 0, "pixels (default: 1000)", 1 },
    { "trace", KEY_TRACE, "FILE", 0, "write Chrome Trace Event JSON into FILE, too (Perfetto opens it)", 1 },
    { "width", KEY_WIDTH, "N", 0, "columns", 2 },
    { "ascii", KEY_ASCII, NULL, 0, "plain ASCII", 2 },
    { "color", KEY_COLOR, "WHEN", 0, "auto, always or never", 2 },
    { 0 },
};

static error_t parse_one(int key, char *value, struct argp_state *state)
{
    struct wishes *w = state->input;
    switch (key) {
    case KEY_CARD: w->card = value; break;
    case KEY_PART: w->part = value; break;
    case KEY_LABEL: w->label = value; break;
    case KEY_SVG: w->svg = value; break;
    case KEY_SVG_WIDTH: w->svg_width = option_width("--svg-width", value); break;
    case KEY_TRACE: w->trace = value; break;
    case KEY_ENGINES: w->no_streams = true; break;
    case KEY_ASCII: w->ascii = true; break;
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

/* Reads the log to its end. */
static void read_log(int from, struct timeline *log, const char *name)
{
    static struct log_reader reader;
    static char bytes[65536];
    ssize_t n;
    log_reader_init(&reader);
    while ((n = read(from, bytes, sizeof bytes)) > 0 || (n < 0 && errno == EINTR))
        if (n > 0)
            log_read(&reader, log, bytes, (size_t)n);
    if (reader.error != NULL)
        environment("the log of %s is damaged: %s", name, reader.error);
    log_reader_fini(&reader);
}

static bool is_log(const char *path)
{
    char magic[sizeof LOG_MAGIC] = "";
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    bool yes = fd >= 0 && read(fd, magic, sizeof magic - 1) == sizeof magic - 1 && strcmp(magic, LOG_MAGIC) == 0;
    if (fd >= 0)
        close(fd);
    return yes;
}

/* Runs the program with our own input and output; returns how it ended. */
static int run(char **command, const char *card, struct timeline *log)
{
    int ends[2], status = 0;
    char number[16];
    if (pipe(ends) != 0)
        environment("no pipe: %s", strerror(errno));
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        close(ends[0]);
        snprintf(number, sizeof number, "%d", ends[1]);
        setenv(EXCHANGE_LOG, number, 1);
        setenv("SIM_PROFILE", card, 1);
        execvp(command[0], command);
        fprintf(stderr, "%s: cannot run %s: %s\n", program_invocation_short_name, command[0], strerror(errno));
        _exit(2);
    }
    if (child < 0)
        environment("no process: %s", strerror(errno));
    close(ends[1]);
    read_log(ends[0], log, command[0]);
    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
        ;
    if (log->call_count == 0 && WIFEXITED(status) && WEXITSTATUS(status) == 2)
        exit(2);                    /* it has said why */
    if (log->call_count == 0)
        environment("%s made no call: was it built by simcc?", command[0]);
    if (WIFSIGNALED(status))
        fprintf(stderr, "%s: %s\n", command[0], strsignal(WTERMSIG(status)));
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

int main(int argc, char **argv)
{
    static const struct argp argp = {
        .options = options, .parser = parse_one, .args_doc = "PROGRAM [ARGUMENT...]\nLOG",
        .doc = "Draws what the device did when: of a program that simcc built, or of a log of calls.",
    };
    struct wishes w = { .color = COLOR_AUTO, .svg_width = 1000 };
    descriptors_begin();
    argp_err_exit_status = 2;
    argp_parse(&argp, argc, argv, ARGP_IN_ORDER, NULL, &w);
    const struct card *card = option_card(w.card);

    struct timeline log, t;
    struct order order;
    int status = 0;
    timeline_init(&log);
    timeline_init(&t);
    order_init(&order);
    if (is_log(w.command[0])) {
        int fd = open(w.command[0], O_RDONLY | O_CLOEXEC);
        read_log(fd, &log, w.command[0]);
        close(fd);
    } else {
        status = run(w.command, card_wish(card), &log);
    }
    model_replay(&log, card, &t, &order);

    struct terminal terminal;
    terminal_init(&terminal, stdout, w.color, w.width, w.ascii);
    struct drawing d = { .streams = !w.no_streams, .engines = true, .width = terminal.width, .ascii = terminal.ascii,
                         .color = terminal.color };
    if (w.part != NULL && !measure_part(&t, w.part, &d.first_call, &d.end_call))
        environment("there is no part '%s' in it", w.part);
    if (w.label != NULL && !measure_label(&t, w.label, &d.first_call, &d.end_call))
        environment("there is no label '%s' in it", w.label);
    draw_text(stdout, &t, &d);
    d.width = w.svg_width;
    export_svg(w.svg, &t, &d);
    export_trace(w.trace, &t);
    if (fflush(stdout) != 0)
        environment("cannot write the picture: %s", strerror(errno));
    order_fini(&order);
    timeline_fini(&t);
    timeline_fini(&log);
    return status;
}
