/* SPDX-License-Identifier: MIT */
/* inside.h - what is known of a program's functions, between the files of this folder. */
#ifndef SIMCC_REWRITE_SPACE_INSIDE_H
#define SIMCC_REWRITE_SPACE_INSIDE_H

#include "simcc/rewrite/edit.h"
#include "simcc/rewrite/space/space.h"

enum side { HOST_SIDE, DEVICE_SIDE, BOTH_SIDES };

struct place { size_t file; long line; };
struct range { size_t file; long from, until; };

struct function {
    size_t name;                /* which name */
    enum side side;
    bool kernel, templated, specialised, qualified, in_class;
    bool lone;                  /* static, inline or in a namespace without a name */
    bool worded;                /* it has a word: __host__, __device__ or __global__ */
    bool markable;
    bool unmarked, unclear; /* another declaration may say something else of it: no mark then; and
                               it may be of both sides, whatever its own words are */
    size_t parameters;          /* how many, */
    char types[16];             /* and their types, a letter each: "if*"; ? if not a number's */
    size_t mark;                /* tokens: where a mark goes; */
    size_t open, body, close;   /* its ( and, if it has a body (else 0), { and } */
    size_t namesake;            /* the function before it of that name, plus 1 */
    struct range lines;         /* from its first token to the } */
    long body_line;             /* of its { */
    bool twofold;               /* it has a body for each side, one beside the other (arch.c) */
    bool emitted;               /* a GPU's code would have it, as far as is known */
};

/* A name where it is used inside a body: */
struct use {
    size_t name;
    struct range lines;
    bool launched, sure;        /* before <<<; not in a place where nvcc may not look */
};

struct spaces {
    char **names, **files;      /* malloc, each once */
    size_t name_count, name_capacity, file_count, file_capacity;
    struct chain { size_t next, function; } *chains; /* of a name: the next one with its hash, the
                                                        last function called so; plus 1 */
    size_t chain_count, chain_capacity;
    size_t heads[1024];
    struct function *functions;
    size_t function_count, function_capacity;
    struct use *uses;
    size_t use_count, use_capacity;
    struct lambda {             /* of the device, in code of the host */
        struct range head, inside,
            last; /* its lines: up to its {; without others' code; of its } */
        bool templated, emitted;
    } *lambdas;
    size_t lambda_count, lambda_capacity;
    struct use *arrays;         /* whose length is a variable, of the device's code */
    size_t array_count, array_capacity;
    struct range *unsure;       /* lines that are not judged */
    size_t unsure_count, unsure_capacity;
    struct range *launches;
    size_t launch_count, launch_capacity;
};

/* The number of a name, or of a file; made where it is new. */
size_t space_name(struct spaces *s, const char *at, size_t length);
size_t space_file(struct spaces *s, const char *at, size_t length);
/* The number of a name that is known; SIZE_MAX: it is not. */
size_t space_known(const struct spaces *s, const char *at, size_t length);

/* Where the scan is: the line of a token. It goes forward alone. */
struct reading {
    const struct tokens *t;
    struct spaces *s;
    size_t token, byte;         /* up to here */
    struct place place;
    bool system;
    const char *const *theirs;
};
struct place place_of(struct reading *at, size_t token);

/* functions.c: all functions that the text declares outside of others. */
void space_functions(struct rewriter *r, struct spaces *s);
/* bodies.c: what is used inside them, and where nothing is sure. */
void space_bodies(struct rewriter *r, struct spaces *s);

/* What g++ says: of a function that is marked so; of an array; of something else. */
enum said {
    SAID_HOST,
    SAID_DEVICE,
    SAID_BOTH,
    SAID_KERNEL,
    SAID_VLA,
    SAID_WARNING,
    SAID_NOTE,
    SAID_ELSE,
    SAID_WHERE
};

struct message {
    enum said said;
    struct place place, declared;
    const char *function;       /* as g++ writes it */
    size_t length;
};

/* judge.c: what of it nvcc refuses, a line each (malloc); NULL: nothing. */
char *space_judge(struct spaces *s, const struct message *list, size_t count);

#endif
