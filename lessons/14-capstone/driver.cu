/* SPDX-License-Identifier: MIT */
/* driver.cu - the camera, the desk, what the plant's pages come to; and who works with the archive. */
#include <atomic>
#include <stdio.h>
#include <string.h>
#include <thread>

#include "driver.h"
#include "lesson.h"
#include "slots.h"

static_assert(PASSES == PASS_COUNT && TABLE == TABLE_ELEMENTS, "slots.h knows how many there are");

struct page {
    int number;
};

static struct page pages[FRAMES_MOST], other_page;
static int other_frame;         /* elements */
static std::atomic<int> sealed;
static int sealing;             /* one call of seal() at a time writes it */

static const struct sizes *sizes(void)
{
    return (const struct sizes *)driver_input(IN_SIZES, NULL);
}

static struct answers *answers(void)
{
    return (struct answers *)driver_output(OUT_ANSWERS, NULL);
}

static inline __attribute__((always_inline)) void note(const char *what, int number)
{
    char text[32];
    snprintf(text, sizeof text, "%s%d", what, number);
    label_push(text);
}

void seal(struct page *page, const unsigned *result, int n)
{
    if (page == &other_page) {
        memcpy((unsigned *)driver_output(OUT_OTHER_PLANT, NULL), result, (n < other_frame ? n : other_frame) * sizeof *result);
        host_work(SEAL_NS);
        return;
    }
    sealing++;                  /* before anything that would put two calls into an order */
    int turn = sealed++;
    note(SEAL, page->number);
    if (turn < 2 * FRAMES_MOST)
        answers()->order[turn] = page->number + 1, answers()->length[turn] = n;
    if (n > sizes()->longest)
        n = (int)sizes()->longest;
    memcpy((unsigned *)driver_output(OUT_PAGES, NULL) + page->number * sizes()->longest, result, n * sizeof *result);
    host_work(SEAL_NS);
    label_pop();
}

/* How many blocks of develop() run at once. */
static int blocks_of_a_wave(size_t shared)
{
    int sms, fit;
    CHECK(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0));
    CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&fit, develop, THREADS, shared));
    return sms * fit;
}

/* Nothing in the part happens for the first time, and the device's pool has been asked for memory before. */
static void warm_up(int wave, size_t shared)
{
    unsigned *x;
    CHECK(cudaMalloc((void **)&x, sizeof *x));
    CHECK(cudaMemset(x, 0, sizeof *x));
    CHECK(cudaDeviceSynchronize());
    develop<<<wave, THREADS, shared>>>(x, 1, wave);
    gather<<<1, 1>>>(x, x, 1);
    reply<<<1, 1>>>(x, 1);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaFree(x));
    CHECK(cudaMallocAsync((void **)&x, sizeof *x, 0));
    CHECK(cudaFreeAsync(x, 0));
    CHECK(cudaDeviceSynchronize());
}

static void camera(struct plant *p)
{
    const unsigned *frame = (const unsigned *)driver_input(IN_FRAMES, NULL);
    for (int k = 0; k < sizes()->frames; k++) {
        int n = (int)sizes()->frame[k];
        unsigned *room = plant_room(p);
        note(FILL, k);
        memcpy(room, frame, n * sizeof *room);
        host_work(FILL_NS);
        label_pop();
        note(FRAME, k);
        plant_frame(p, room, n, &pages[k]);
        label_pop();
        frame += n;
    }
}

struct request { unsigned *in, *out; };

static void ask(struct plant *p, const struct request *r, int k)
{
    int n = (int)sizes()->request;
    note(REQUEST, k);
    plant_answer(p, r->out, r->in, n);
    label_pop();
    memcpy((unsigned *)driver_output(OUT_REQUESTS, NULL) + k * n, r->out, n * sizeof *r->out);
    if (memcmp(r->in, (const unsigned *)driver_input(IN_REQUESTS, NULL) + k * n, n * sizeof *r->in) != 0 && !answers()->changed)
        answers()->changed = k + 1;
}

/* A longer request than there was, or a longer frame: what a plant has room for is said by its job. Each of them where the
 * program runs once, since a long one takes its time. */
static void choose_lengths(void)
{
    int devices, reach = 0;
    CHECK(cudaGetDeviceCount(&devices));
    if (devices > 1)
        CHECK(cudaDeviceCanAccessPeer(&reach, 0, 1));
    answers()->other_frame = (int32_t)(devices == 1 ? sizes()->other_long : sizes()->other_short);
    answers()->other_request = (int32_t)(reach ? sizes()->other_long : sizes()->other_short);
}

static void work_in_other_plant(struct job job)
{
    choose_lengths();
    int other_request = answers()->other_request;
    other_frame = answers()->other_frame;
    const size_t frame = other_frame * sizeof(unsigned), request = other_request * sizeof(unsigned);
    unsigned *in, *out, *fewer;
    CHECK(cudaMallocHost((void **)&in, request));
    CHECK(cudaMallocHost((void **)&out, request));
    CHECK(cudaMallocHost((void **)&fewer, request));
    memcpy(in, driver_input(IN_FRAMES, NULL), request);
    memset(out, UNWRITTEN_BYTE, request);
    memset(fewer, UNWRITTEN_BYTE, request);
    job.frame = other_frame;
    job.request = other_request;
    driver_part(OTHER_PLANT);
    struct plant *p = plant_open(&job);
    memset(&job, 0, sizeof job);               /* the caller may change it now */
    std::thread thread([p, frame] {
        unsigned *room = plant_room(p);
        memcpy(room, driver_input(IN_FRAMES, NULL), frame);
        plant_frame(p, room, other_frame, &other_page);
    });
    plant_answer(p, out, in, other_request);
    plant_answer(p, fewer, in, fewer_than(other_request));
    thread.join();
    plant_close(p);
    driver_part(NULL);
    memcpy((unsigned *)driver_output(OUT_OTHER_PLANT, NULL) + other_frame, out, request);
    memcpy(driver_output(OUT_FEWER, NULL), fewer, request);
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaFreeHost(fewer));
    CHECK(cudaFreeHost(in));
    CHECK(cudaFreeHost(out));
}

static void work_in_plant(void)
{
    const struct sizes *s = sizes();
    size_t bytes = s->request * sizeof(unsigned);
    struct request requests[REQUESTS];
    memset(answers(), 0, sizeof *answers());
    for (int k = 0; k < FRAMES_MOST; k++)
        pages[k].number = k;
    for (int k = 0; k < REQUESTS; k++) {
        CHECK(cudaMallocHost((void **)&requests[k].in, bytes));
        CHECK(cudaMallocHost((void **)&requests[k].out, bytes));
        memcpy(requests[k].in, (const unsigned *)driver_input(IN_REQUESTS, NULL) + k * s->request, bytes);
        memset(requests[k].out, 0xa5, bytes);
    }
    int shared;
    CHECK(cudaDeviceGetAttribute(&shared, cudaDevAttrMaxSharedMemoryPerBlock, 0));
    int wave = blocks_of_a_wave(shared);
    warm_up(wave, shared);
    struct job job = { (int)s->longest, (int)s->request, (int)tiles_of(s, wave), (size_t)shared };

    answers()->sealing = (uint64_t)(uintptr_t)&sealing;
    driver_part(OPENS);
    /* One that is closed while nothing goes on in it: who sleeps has to be woken. The next one has its first frame before its first
     * request: what orders the frames is not to be a request's wait. */
    struct plant *p = plant_open(&job);
    ask(p, &requests[0], 0);
    host_work(SEAL_NS);
    plant_close(p);
    p = plant_open(&job);
    driver_part("a");
    std::thread thread(camera, p);
    for (int k = 1; k < REQUESTS; k++) {
        host_work(s->pause[k]);
        ask(p, &requests[k], k);
    }
    thread.join();
    label_push(CLOSE);
    plant_close(p);
    label_pop();
    answers()->at_close = sealed;
    driver_part(NULL);

    CHECK(cudaDeviceSynchronize());
    answers()->sealed = sealed;
    for (struct request &r : requests) {
        CHECK(cudaFreeHost(r.in));
        CHECK(cudaFreeHost(r.out));
    }
    work_in_other_plant(job);
}

/* ---- (b) ---- */

/* Nothing in the part happens for the first time; returns how many blocks fill a device. */
static int warm_up_devices(size_t shared, const unsigned *table)
{
    int devices, sms, fit;
    CHECK(cudaGetDeviceCount(&devices));
    CHECK(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0));
    CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&fit, pass, ARCHIVE_THREADS, shared));
    for (int device = devices - 1; device >= 0; device--) {
        unsigned *x;
        CHECK(cudaSetDevice(device));
        CHECK(cudaMallocAsync((void **)&x, sizeof *x, 0));
        CHECK(cudaMemsetAsync(x, 0, sizeof *x, 0));
        pass<<<sms * fit, ARCHIVE_THREADS, shared>>>(x, table, 1, 0);
        blend<<<sms * fit, ARCHIVE_THREADS, shared>>>(x, x, 1);
        CHECK(cudaGetLastError());
        CHECK(cudaFreeAsync(x, 0));
        CHECK(cudaDeviceSynchronize());
    }
    return sms * fit;
}

/* Device 0 is current whenever the archive is called. */
static void do_step(struct archive *a, const struct script *script, int k, unsigned *table)
{
    static bool written[SHEETS];
    static const unsigned *next_table, *next_edit;
    static unsigned *next_shown;
    const struct script_step *step = &script->step[k];
    const size_t bytes = script->n * sizeof *table;
    unsigned *x = NULL;
    const unsigned *shown = NULL;
    if (k == 0) {
        next_table = (const unsigned *)driver_input(IN_TABLES, NULL);
        next_edit = (const unsigned *)driver_input(IN_EDITS, NULL);
        next_shown = (unsigned *)driver_output(OUT_SHOWN, NULL);
    }
    if (step->what == BEGIN) {
        memcpy(table, next_table, TABLE * sizeof *table);
        next_table += TABLE;
    }
    CHECK(cudaSetDevice(0));
    note(STEP, k);
    switch (step->what) {
    case BEGIN: archive_begin(a); break;
    case EDIT: x = archive_edit(a, step->sheet); break;
    case RETOUCH: archive_retouch(a, step->sheet); break;
    case BLEND: archive_blend(a, step->sheet, step->from); break;
    case SHOW: shown = archive_show(a, step->sheet); break;
    case END: archive_end(a); break;
    }
    label_pop();
    if (step->what == EDIT) {
        for (int i = 0; i < script->n; i++)
            x[i] = written[step->sheet] ? edited(x[i], next_edit[i]) : next_edit[i];
        written[step->sheet] = true;
        next_edit += script->n;
    }
    if (step->what == SHOW) {
        memcpy(next_shown, shown, bytes);
        next_shown += script->n;
    }
    if (step->what == EDIT || step->what == SHOW)
        host_work(LOOK_NS);
}

/* Devices as they were before the first archive: access that is enabled already cannot be enabled again. */
static void drop_peers(int devices)
{
    for (int device = devices - 1; device >= 0; device--) {
        CHECK(cudaSetDevice(device));
        for (int other = 0; other < devices; other++)
            if (other != device && cudaDeviceDisablePeerAccess(other) != cudaSuccess)
                (void)cudaGetLastError();       /* it was not enabled */
    }
}

/* More sheets than there were, and larger ones. */
static void work_in_other_archive(struct archive_job job, unsigned *table, int devices)
{
    const unsigned *edit = (const unsigned *)driver_input(IN_EDITS, NULL);
    unsigned *shown = (unsigned *)driver_output(OUT_OTHER_ARCHIVE, NULL);
    const int sheets[] = { 0, OTHER_SHEETS(devices) - 1 };
    const size_t bytes = OTHER_SHEET * sizeof *table;
    answers()->other_sheets = job.sheets = OTHER_SHEETS(devices);
    job.n = OTHER_SHEET;
    memcpy(table, driver_input(IN_TABLES, NULL), TABLE * sizeof *table);
    CHECK(cudaSetDevice(0));
    driver_part(OTHER_ARCHIVE);
    struct archive *a = archive_open(&job);
    memset(&job, 0, sizeof job);
    CHECK(cudaSetDevice(0));
    archive_begin(a);
    for (int k = 0; k < 2; k++) {
        CHECK(cudaSetDevice(0));
        memcpy(archive_edit(a, sheets[k]), edit + k * OTHER_SHEET, bytes);
    }
    CHECK(cudaSetDevice(0));
    archive_retouch(a, sheets[1]);
    CHECK(cudaSetDevice(0));
    archive_blend(a, sheets[0], sheets[1]);
    for (int k = 0; k < 2; k++) {
        CHECK(cudaSetDevice(0));
        memcpy(shown + k * OTHER_SHEET, archive_show(a, sheets[k]), bytes);
    }
    CHECK(cudaSetDevice(0));
    label_push(OTHER_END);
    archive_end(a);
    label_pop();
    CHECK(cudaSetDevice(0));
    archive_close(a);
    driver_part(NULL);
}

static void work_in_archive(void)
{
    const struct script *script = (const struct script *)driver_input(IN_SCRIPT, NULL);
    unsigned *table;
    int shared, devices;
    CHECK(cudaGetDeviceCount(&devices));
    CHECK(cudaMallocManaged((void **)&table, TABLE * sizeof *table));
    memset(table, 0, TABLE * sizeof *table);
    CHECK(cudaDeviceGetAttribute(&shared, cudaDevAttrMaxSharedMemoryPerBlock, 0));
    int blocks = warm_up_devices(shared, table);
    struct archive_job job = { SHEETS, (int)script->n, table, blocks, (size_t)shared };

    driver_part("b");
    struct archive *a = archive_open(&job);
    for (int k = 0; k < script->count; k++)
        do_step(a, script, k, table);
    CHECK(cudaSetDevice(0));
    archive_close(a);
    driver_part(NULL);

    drop_peers(devices);
    work_in_other_archive(job, table, devices);
    for (int device = devices - 1; device >= 0; device--) {
        CHECK(cudaSetDevice(device));
        CHECK(cudaDeviceSynchronize());
    }
    CHECK(cudaFree(table));
}

int main(void)
{
    work_in_plant();
    work_in_archive();
    return 0;
}
