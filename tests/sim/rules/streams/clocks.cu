/* SPDX-License-Identifier: MIT */
/* The host's clocks go with what the host waits for. */
#include <chrono>
#include <thread>
#include <time.h>
#include <sys/time.h>
#include <unistd.h>

#include "../rule.h"

template <typename Clock, typename F> static bool sees(F something)
{
    auto begin = Clock::now();
    something();
    double ns = std::chrono::duration<double, std::nano>(Clock::now() - begin).count();
    return ns > 0.9 * LONG && ns < 1.5 * LONG;
}

static double seconds_of_day()
{
    struct timeval t;
    gettimeofday(&t, NULL);
    return t.tv_sec + t.tv_usec / 1e6;
}

int main()
{
    int *d = on_device<int>(4);
    warm_up(d);
    auto kernel = [] {
        busy<<<1, 1>>>(LONG);
        CHECK(cudaDeviceSynchronize());
    };
    rule(sees<std::chrono::steady_clock>(kernel), "std::chrono::steady_clock sees how long a kernel takes");
    rule(sees<std::chrono::system_clock>(kernel), "std::chrono::system_clock sees it");
    rule(sees<std::chrono::high_resolution_clock>(kernel), "std::chrono::high_resolution_clock sees it");
    double begin = seconds_of_day();
    kernel();
    double s = seconds_of_day() - begin;
    rule(s > 0.9e-9 * LONG && s < 1.5e-9 * LONG, "gettimeofday sees it");
    rule(sees<std::chrono::steady_clock>([] { host_work(LONG); }), "host_work takes the time that it says");
    rule(sees<std::chrono::steady_clock>([] { std::this_thread::sleep_for(std::chrono::nanoseconds(LONG)); }),
         "std::this_thread::sleep_for takes the time that it says");
    rule(sees<std::chrono::steady_clock>([] { usleep(LONG / 1000); }), "usleep takes the time that it says");
    rule(sees<std::chrono::steady_clock>([] {
             auto begin = std::chrono::steady_clock::now();
             while (std::chrono::steady_clock::now() - begin < std::chrono::nanoseconds(LONG))
                 ;
         }),
         "a loop that looks at the clock until its time is over ends");
    busy<<<1, 1>>>(LONG);
    std::this_thread::sleep_for(std::chrono::nanoseconds(2 * LONG));
    rule(cudaStreamQuery(0) == cudaSuccess, "the device works while the host sleeps");
    return rules_end();
}
