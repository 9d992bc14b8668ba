/* SPDX-License-Identifier: MIT */
/*
 * races.h - a part of player.cu: plays a program on other schedules, with a kernel that only lasts
 * before some of its operations, and compares what its buffers hold in the end. A line for each
 * kind of schedule: name, schedule, plays, wrong ones, number of the first wrong play (from 1; 0:
 * none), the operation delayed there (-1), ms in all, word.
 *
 *   undisturbed   as it is, five times
 *   start         before the first operation of a stream; each stream in turn
 *   stream        before every operation of a stream, none of a capture's; each stream in turn
 *   each          before one operation; each in turn, those of captures too, until one is wrong:
 * only if none was before
 *
 * After an error that stays the process ends with status 3.
 */

static cudaStream_t stream_of(const struct operation *o)
{
    switch (o->what) {
    case COPY_NOW: case SET_NOW: return streams[0].at;
    case ALLOC: case FREE: case LAUNCH: return streams[o->a[1]].at;
    default: return streams[o->a[0]].at;
    }
}

static int number_of_stream(const struct operation *o)
{
    switch (o->what) {
    case COPY:
    case COPY_2D:
    case SET:
    case KERNEL:
    case FUNCTION:
    case PREFETCH: return (int)o->a[0];
    case ALLOC: case FREE: case LAUNCH: return (int)o->a[1];
    case COPY_NOW: case SET_NOW: return 0;
    default: return -1;
    }
}

static int late_stream;             /* which is delayed */
static size_t late_step;
static std::vector<int> owner;      /* the stream of each step that can be delayed, or -1 */
static std::vector<bool> inside;    /* of a capture */

static bool whole_stream(size_t i)
{
    return owner[i] == late_stream && !inside[i] && steps[i].what != COPY_NOW
           && steps[i].what != SET_NOW;
}
static bool one_step(size_t i) { return i == late_step; }

struct verdict { const char *schedule; int plays, wrong,
                 first; long long step; double ms; const char *word; };

static bool as_expected()
{
    for (const struct buffer &b : buffers) {
        const unsigned char *at = b.at;
        if (b.place == POOL)
            continue;
        if (b.place == DEVICE) {
            tried(cudaMemcpy(scratch.at, b.at, b.bytes, cudaMemcpyDefault));
            at = scratch.at;
        }
        if (memcmp(at, b.copy, b.bytes) != 0)
            return false;
    }
    return true;
}

static void tell(const struct verdict *v)
{
    printf("%s\t%s\t%d\t%d\t%d\t%lld\t%.1f\t%s\n", program.c_str(), v->schedule, v->plays, v->wrong,
           v->first, v->step, v->ms, v->word);
    fflush(stdout);
}

/* One play; ends the process after an error that stays. */
static void try_schedule(struct verdict *v, bool (*which)(size_t), long long step, bool second)
{
    long long begin = now_ns();
    fill();
    delayed = which;
    play_once(second);
    delayed = NULL;
    bool right = !trouble && as_expected();
    v->plays++;
    if (!right && v->wrong++ == 0)
        v->first = v->plays, v->step = step;
    v->ms += (double)(now_ns() - begin) / 1e6;
    if (trouble) {
        v->word = cudaGetErrorName((cudaError_t)trouble.load());
        if (cudaDeviceSynchronize() != cudaSuccess) {
            tell(v);
            exit(3);
        }
        trouble = 0;
    } else if (!right) {
        v->word = "wrong";
    }
}

static void play_races()
{
    enum { UNDISTURBED = 5 };
    bool second = false, capturing = false, caught = false;
    if (program.empty())
        return;
    for (int p = 0; p < PLACES; p++)
        arenas[p].used = 0;
    for (struct buffer &b : buffers) {
        b.at = b.place == POOL ? NULL : part(b.place, b.bytes);
        b.copy = (unsigned char *)malloc(b.bytes);
        memset(b.copy, (int)(&b - &buffers[0]) + 1, b.bytes);
    }
    replay_all();
    owner.assign(steps.size(), -1), inside.assign(steps.size(), false);
    for (size_t i = 0; i < steps.size(); i++) {
        capturing = (capturing || steps[i].what == CAPTURE) && steps[i].what != END;
        owner[i] = number_of_stream(&steps[i]), inside[i] = capturing;
        second |= steps[i].thread == 1;
    }
    tasks.assign(steps.size(), task());
    trouble = 0;
    begin_streams();
    struct verdict v[4] = { { "undisturbed", 0, 0, 0, -1, 0, "right" },
                            { "start", 0, 0, 0, -1, 0, "right" },
                            { "stream", 0, 0, 0, -1, 0, "right" },
                            { "each", 0, 0, 0, -1, 0, "right" } };
    for (int i = 0; i < UNDISTURBED; i++)
        try_schedule(&v[0], NULL, -1, second);
    tell(&v[0]);
    for (late_stream = 0; late_stream < (int)streams.size(); late_stream++) {
        for (late_step = 0; late_step < steps.size() && !whole_stream(late_step); late_step++)
            ;
        if (late_step < steps.size())
            try_schedule(&v[1], one_step, (long long)late_step, second);
    }
    tell(&v[1]);
    for (late_stream = 0; late_stream < (int)streams.size(); late_stream++) {
        for (late_step = 0; late_step < steps.size() && !whole_stream(late_step); late_step++)
            ;
        if (late_step < steps.size())
            try_schedule(&v[2], whole_stream, (long long)late_step, second);
    }
    tell(&v[2]);
    caught = v[0].wrong || v[1].wrong || v[2].wrong;
    for (late_step = 0; late_step < steps.size() && !caught; late_step++)
        if (owner[late_step] >= 0) {
            try_schedule(&v[3], one_step, (long long)late_step, second);
            caught = v[3].wrong != 0;
        }
    tell(&v[3]);
    end_streams();
    for (struct buffer &b : buffers)
        free(b.copy);
}
