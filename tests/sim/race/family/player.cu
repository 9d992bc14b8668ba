/* SPDX-License-Identifier: MIT */
/* player.cu - reads programs from stdin, a line for each operation, the thread's number first, and does what they say. */
#include "operations.h"

static struct bytes read_bytes()
{
    struct bytes b;
    if (scanf("%d %d %d %d", &b.buffer, &b.from, &b.to, &b.step) != 4)
        exit(3);
    return b;
}

static long long read_number()
{
    long long n;
    if (scanf("%lld", &n) != 1)
        exit(3);
    return n;
}

static void play()
{
    char word[20];
    if (scanf("%19s", word) != 1)
        exit(3);
    int program = read_number(), id = read_number();
    name(program, id);
    if (!strcmp(word, "kernel")) {
        int s = read_number();
        struct bytes b = read_bytes();
        int write = read_number();
        kernel(id, s, b, write, read_number());
    } else if (!strcmp(word, "copy")) {
        int s = read_number();
        struct bytes to = read_bytes(), from = read_bytes();
        copy(s, to, from, read_number());
    } else if (!strcmp(word, "set")) {
        int s = read_number();
        set(s, read_bytes());
    } else if (!strcmp(word, "function")) {
        int s = read_number();
        struct bytes b = read_bytes();
        function(id, s, b, read_number());
    } else if (!strcmp(word, "host")) {
        struct bytes b = read_bytes();
        host(b, read_number());
    } else if (!strcmp(word, "graph_kernel")) {
        unsigned after = read_number();
        struct bytes b = read_bytes();
        int write = read_number();
        graph_kernel(id, after, b, write, read_number());
    } else if (!strcmp(word, "record")) {
        int e = read_number();
        record(e, read_number());
    } else if (!strcmp(word, "wait")) {
        int s = read_number();
        wait(s, read_number());
    } else if (!strcmp(word, "graph_begin")) {
        graph_begin();
    } else if (!strcmp(word, "graph_end")) {
        graph_end(read_number());
    } else if (!strcmp(word, "host_work")) {
        host_work(read_number());
    } else if (!strcmp(word, "finish_stream")) {
        finish_stream(read_number());
    } else if (!strcmp(word, "finish_event")) {
        finish_event(read_number());
    } else if (!strcmp(word, "finish_device")) {
        finish_device();
    } else if (!strcmp(word, "meet")) {
        meet(read_number());
    } else if (!strcmp(word, "store")) {
        store(read_number());
    } else if (!strcmp(word, "load")) {
        load(read_number());
    } else if (!strcmp(word, "post")) {
        post(read_number());
    } else if (!strcmp(word, "take")) {
        take(read_number());
    } else if (!strcmp(word, "renew")) {
        renew(read_number());
    } else {
        exit(3);
    }
}

int main()
{
    int thread;
    begin();
    while (scanf("%d", &thread) == 1)
        on(thread, play);
    finish();
    finish_device();
    return 0;
}
