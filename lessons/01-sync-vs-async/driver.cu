/* SPDX-License-Identifier: MIT */
/* driver.cu - gives lesson 01's three functions their inputs and hands back what they make of them. */
#include <stdio.h>

#include "driver.h"
#include "lesson.h"
#include "slots.h"

int main(void)
{
    const struct task *task = (const struct task *)driver_input(0, NULL);
    const unsigned *input = (const unsigned *)driver_input(1, NULL);
    struct answer *answer = (struct answer *)driver_output(0, NULL);
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

    /* `result` begins as the input, so that a sum taken too early is a plausible one. */
    for (int i = 0; i < n; i++)
        result[i] = input[i];
    CHECK(cudaMemcpy(data, input, bytes, cudaMemcpyHostToDevice));
    CHECK(cudaDeviceSynchronize());
    cudaGetLastError();     /* of a launch in part (a) that was refused: it is that part's affair */
    driver_part("b");
    unsigned long long sum = work_meanwhile(data, result, n, task->b_kernel_ns, task->b_host_ns);
    driver_part(NULL);
    answer->sum = sum;
    CHECK(cudaDeviceSynchronize());
    unsigned *output = (unsigned *)driver_output(2, NULL);
    for (int i = 0; i < n; i++)
        output[i] = result[i];

    /* The last job's fault cannot be taken back: no call works after it, so all is freed before. */
    cudaGetLastError();
    driver_part("c");
    for (int k = 0; k < JOBS; k++) {
        struct job job = { k == JOBS - 1 ? (unsigned *)task->wild : data, n, (int)task->threads[k], task->c_kernel_ns };
        struct report r = { NOWHERE, cudaSuccess };
        char name[16];
        snprintf(name, sizeof name, "job %d", k + 1);
        label_push(name);
        run_job(&job, &r);
        label_pop();
        answer->report[k].place = r.place;
        answer->report[k].error = r.error;
        if (k == JOBS - 2) {
            cudaFree(data);
            cudaFreeHost(result);
        }
    }
    driver_part(NULL);
    return 0;
}
