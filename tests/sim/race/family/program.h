/* SPDX-License-Identifier: MIT */
/* program.h - a random program about streams, and what is known of the order of its steps
 * (family.c). */
#ifndef TESTS_FAMILY_PROGRAM_H
#define TESTS_FAMILY_PROGRAM_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum { BUFFERS = 7, PINNED = 3, MANAGED = 5, PAGEABLE = 6, BYTES = 256, STREAMS = 6, EVENTS = 4,
       MOST = 120, THREADS = 3, OBJECTS = 2,
       OF_FIRST = 5 /* a stream of the first thread */ };
__extension__ typedef unsigned __int128 set;          /* of steps of one program */
#define ONE(i) ((set)1 << (i))

enum what { KERNEL, COPY, SET, FUNCTION, HOST, GRAPH_KERNEL, RECORD, WAIT, GRAPH_BEGIN, GRAPH_END,
            WORK,
            FINISH_STREAM, FINISH_EVENT, FINISH_DEVICE, MEET, STORE, LOAD, POST, TAKE, RENEW };

struct bytes { int buffer, from, to, step; };

struct act {
    enum what what;
    int thread, stream, event;
    int object;                         /* RENEW: the thread */
    struct bytes at, source;
    int write, blocking;
    unsigned after;                     /* GRAPH_KERNEL: earlier nodes */
    long long ns;
    int edge;                           /* it belongs to this edge; 0: to none */
};

struct program { struct act steps[MOST]; int count, edges; };

/* One edge that is left out: by number, or a node's dependency. */
struct without { int edge, node; unsigned after; };

/* ---- known.c ---- */

struct known {
    set before[MOST];
    bool acts[MOST];
    unsigned char touches[MOST][BUFFERS][BYTES];        /* 1 read, 2 written */
};

bool on_host(int buffer);
/* Fills in what is known of the program, without that edge. */
void know(struct known *k, const struct program *p, const struct without *w);
/* Of a pair: 0 none, 1 a hazard that others may stand for, 2 one that must be named. */
int hazard_between(const struct known *k, const struct program *p, int a, int b);

/* ---- random.c ---- */

/* The generator of all programs, begun anew. */
void random_begin(uint64_t seed);
/* A program in which all that conflicts is ordered. */
void make(struct program *p);
/* An edge without which there are hazards; false: none is needed. */
bool choose_edge(const struct program *p, struct without *w, struct known *k);

/* ---- text.c ---- */

/* For the player, or as source. */
void print_program(FILE *out, int number, const struct program *p, const struct without *w,
                   bool source);

#endif
