/* SPDX-License-Identifier: MIT */
/* driver.cu - gives lesson 01's functions their inputs and hands back what they make of them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "driver.h"
#include "lesson.h"
#include "slots.h"

static const struct task *task;
static struct answer *answer;
static int letters_of_day;
static const long long *letter_ns_of_day;
static uint32_t *planned_with;  /* where plan() notes its key that day */
static int32_t *filed;          /* where file_letter() counts, or NULL */

unsigned plan(unsigned key)
{
    label_push(PLAN);
    host_work(task->plan_ns);
    *planned_with = key;
    label_pop();
    return planned(key);
}

void file_letter(int k)
{
    char name[24];
    snprintf(name, sizeof name, "%s%d", LETTER, k);
    label_push(name);
    if (filed && k >= 0 && k < letters_of_day)
        filed[k]++;
    if (k >= 0 && k < letters_of_day)
        host_work(letter_ns_of_day[k]);
    else if (answer->strays++ == 0)
        answer->stray = k;
    label_pop();
}

/* Another day, with another site, of that many elements, and that many letters: the first day's from the other end, or more, which
 * are short. */
static void other_day(const struct day *d, const char *part, int n, int letters, uint32_t *key)
{
    struct day other = *d;
    other.n = n;
    other.letters = letters_of_day = letters;
    planned_with = key;
    CHECK(cudaMemset(d->key, 0xff, sizeof *d->key));
    CHECK(cudaMemcpy((void *)d->site, (const unsigned *)driver_input(1, NULL) + task->n - d->n, d->n * sizeof *d->site,
                     cudaMemcpyHostToDevice));
    long long *letter_ns;
    int most = letters > LETTERS ? letters : LETTERS;
    CHECK(cudaMallocHost(&letter_ns, most * sizeof *letter_ns));
    for (int k = 0; k < most; k++)
        letter_ns[k] = most > LETTERS ? BUSY_NS : d->letter_ns[LETTERS - 1 - k];
    other.letter_ns = letter_ns_of_day = letter_ns;
    CHECK(cudaDeviceSynchronize());
    driver_part(part);
    whole_day(&other);
    driver_part(NULL);
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaFreeHost(letter_ns));
}

static void other_days(const struct day *d)
{
    unsigned *site = (unsigned *)malloc(d->n * sizeof *site);
    const unsigned *input = (const unsigned *)driver_input(1, NULL);
    CHECK(cudaMemcpy(site, d->site, d->n * sizeof *site, cudaMemcpyDeviceToHost));
    answer->site_changed = 0;
    for (int i = 0; i < d->n; i++)
        answer->site_changed += site[i] != input[i];
    free(site);
    /* What was right only because letters took longer than survey() is wrong on a day without. */
    other_day(d, AGAIN "d", d->n, 0, &answer->planned_quietly);
    memset(answer->filed_later, 0, sizeof answer->filed_later);
    filed = answer->filed_later;
    other_day(d, LATER "d", d->n, LATER_LETTERS, &answer->planned_later);
    memset(answer->filed_busy, 0, sizeof answer->filed_busy);
    filed = answer->filed_busy;
    uint32_t key;
    other_day(d, BUSY "d", (int)fewer(d->n), (int)task->busy_letters, &key);
    filed = NULL;
}

static void day(const unsigned *input, int n)
{
    size_t bytes = n * sizeof(unsigned);
    unsigned *site, *photo, *house, *key;
    long long *letter_ns;       /* pinned: an access out of bounds is a hazard */
    CHECK(cudaMallocHost(&letter_ns, LETTERS * sizeof *letter_ns));
    for (int k = 0; k < LETTERS; k++)
        letter_ns[k] = task->letter_ns[k];
    CHECK(cudaMalloc(&site, bytes));
    CHECK(cudaMalloc(&photo, bytes));
    CHECK(cudaMalloc(&house, bytes));
    CHECK(cudaMalloc(&key, sizeof *key));
    CHECK(cudaMemcpy(site, input, bytes, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(photo, input, bytes, cudaMemcpyHostToDevice));
    CHECK(cudaMemset(house, 0xff, bytes));
    CHECK(cudaMemset(key, 0xff, sizeof *key));
    CHECK(cudaDeviceSynchronize());
    struct day d = { site, key, house, photo, n, task->survey_ns, task->polish_ns, task->build_ns, LETTERS, letter_ns };
    driver_part("d");
    letters_of_day = d.letters;
    letter_ns_of_day = d.letter_ns;
    planned_with = &answer->planned_with;
    whole_day(&d);
    driver_part(NULL);
    CHECK(cudaMemcpy(driver_output(3, NULL), house, bytes, cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(driver_output(4, NULL), photo, bytes, cudaMemcpyDeviceToHost));
    other_days(&d);
    CHECK(cudaFreeHost(letter_ns));
    CHECK(cudaFree(site));
    CHECK(cudaFree(photo));
    CHECK(cudaFree(house));
    CHECK(cudaFree(key));
}

int main(void)
{
    task = (const struct task *)driver_input(0, NULL);
    const unsigned *input = (const unsigned *)driver_input(1, NULL);
    answer = (struct answer *)driver_output(0, NULL);
    answer->strays = answer->stray = 0;
    int n = (int)task->n;
    size_t bytes = n * sizeof(unsigned);
    unsigned *data, *result;

    CHECK(cudaMalloc(&data, bytes));
    CHECK(cudaMallocHost(&result, bytes));

    CHECK(cudaMemcpy(data, input, bytes, cudaMemcpyHostToDevice));
    CHECK(cudaDeviceSynchronize());
    driver_part("a");
    answer->part_a = now_ns();
    struct moments m = { 0, 0, 0 };
    watch_launch(data, n, task->a_kernel_ns, &m);
    driver_part(NULL);
    answer->before = m.before;
    answer->returned = m.returned;
    answer->done = m.done;
    CHECK(cudaMemcpy(driver_output(1, NULL), data, bytes, cudaMemcpyDeviceToHost));

    driver_part(AGAIN "a");
    watch_launch(data, (int)fewer(n), task->a_kernel_ns / 8, &m);
    driver_part(NULL);
    CHECK(cudaDeviceSynchronize());

    /* `result` begins as the input, so that a sum taken too early is a plausible one. */
    for (int i = 0; i < n; i++)
        result[i] = input[i];
    CHECK(cudaMemcpy(data, input, bytes, cudaMemcpyHostToDevice));
    CHECK(cudaDeviceSynchronize());
    driver_part("b");
    unsigned long long sum = work_meanwhile(data, result, n, task->b_kernel_ns, task->b_host_ns);
    driver_part(NULL);
    answer->sum = sum;
    CHECK(cudaDeviceSynchronize());
    unsigned *output = (unsigned *)driver_output(2, NULL);
    for (int i = 0; i < n; i++)
        output[i] = result[i];

    CHECK(cudaMemcpy(data, input, bytes, cudaMemcpyHostToDevice));
    CHECK(cudaDeviceSynchronize());
    driver_part(AGAIN "b");
    answer->sum_again = work_meanwhile(data, result, (int)fewer(n), task->b_kernel_ns / 4, task->again_host_ns);
    driver_part(NULL);
    CHECK(cudaDeviceSynchronize());
    driver_part(LATER "b");
    work_meanwhile(data, result, (int)fewer(n), task->b_kernel_ns / 4, task->later_host_ns);
    driver_part(NULL);
    CHECK(cudaDeviceSynchronize());
    day(input, (int)task->site);

    /* The last job's fault cannot be taken back: no call works after it, so all is freed before. */
    driver_part(AGAIN "c");
    for (int k = 0; k < task->jobs_before; k++) {
        struct job job = { data, n, 64, task->c_kernel_ns };
        struct report r;
        run_job(&job, &r);
    }
    driver_part(NULL);
    cudaGetLastError();
    CHECK(cudaMemcpy(data, input, bytes, cudaMemcpyHostToDevice));
    cudaStream_t reader;        /* waits for no other: what was not waited for is a hazard */
    CHECK(cudaStreamCreateWithFlags(&reader, cudaStreamNonBlocking));
    driver_part("c");
    for (int k = 0; k < JOBS; k++) {
        struct job job = { k == JOBS - 1 ? (unsigned *)task->wild : data, (int)task->elements[k], (int)task->threads[k], task->c_kernel_ns };
        struct report r;
        memset(&r, 0x7f, sizeof r);
        char name[16];
        snprintf(name, sizeof name, "job %d", k + 1);
        label_push(name);
        run_job(&job, &r);
        label_pop();
        answer->report[k].place = r.place;
        answer->report[k].error = r.error;
        answer->left[k] = cudaPeekAtLastError();
        if (k == JOBS - 2) {
            cudaMemcpyAsync(driver_output(5, NULL), data, bytes, cudaMemcpyDeviceToHost, reader);
            cudaStreamSynchronize(reader);
            cudaStreamDestroy(reader);
            cudaFree(data);
            cudaFreeHost(result);
        }
    }
    driver_part(LATER "c");
    struct job job = { data, n, 64, task->c_kernel_ns };
    struct report r;
    memset(&r, 0x7f, sizeof r);
    run_job(&job, &r);
    answer->after.place = r.place;
    answer->after.error = r.error;
    driver_part(NULL);
    return 0;
}
