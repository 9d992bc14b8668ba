#!/bin/bash
# SPDX-License-Identifier: MIT
#
# What orders host threads, and what does not: one thread waits for the device,
# another touches what the device wrote. (Random programs: family.sh.)
. tests/sim/sim.bash

build threads -std=c++20 << 'END'
#include <atomic>
#include <barrier>
#include <condition_variable>
#include <functional>
#include <future>
#include <latch>
#include <mutex>
#include <pthread.h>
#include <semaphore>
#include <shared_mutex>
#include <stdio.h>
#include <string.h>
#include <thread>
#include <vector>
#include "streams.h"

__global__ void fill(int *p) { kernel_cost(100000); p[threadIdx.x] = 1; }

static int *pinned, *device;
static cudaStream_t s;
static std::mutex lock;
static std::condition_variable changed;
static std::atomic<int> flag, readers;
static volatile int old_flag;
static bool ready;

static void work()
{
    fill<<<1, 32, 0, s>>>(pinned);
    CHECK(cudaStreamSynchronize(s));
}

static void late() { host_work(1000000); }
static void look() { printf("%d\n", pinned[3]); }

/* One does `first` and tells, the other hears and looks, at its leisure. */
template <typename Tell, typename Hear> static void pass(Tell tell, Hear hear)
{
    std::thread one([&] { work(); tell(); });
    std::thread other([&] { hear(); look(); });
    one.join();
    other.join();
}

static int slow_value() { work(); return 1; }
static int value() { static int once = slow_value(); return once; }

static int plain;
static void add() { plain++; }
/* Two threads, one after the other in time, with nothing between them. */
template <typename First, typename Then> static void apart(First first, Then then)
{
    std::thread one(first);
    std::thread other([&] { late(); then(); });
    one.join();
    other.join();
}
static void *with_local(void *) { int local = 0; std::thread one([&] { local = 1; }); one.join(); flag++; return NULL; }
static void detached()
{
    pthread_attr_t a;
    pthread_t t;
    pthread_attr_init(&a);
    pthread_attr_setdetachstate(&a, PTHREAD_CREATE_DETACHED);
    int before = flag;
    pthread_create(&t, &a, with_local, NULL);
    while (flag == before) std::this_thread::yield();
}

int main(int, char **argv)
{
    CHECK(cudaMallocHost(&pinned, 128));
    CHECK(cudaMalloc(&device, 128));
    CHECK(cudaStreamCreate(&s));
    switch (argv[1][0]) {
    case '0': pass([] { }, late); break;
    case '1': pass([] { std::lock_guard<std::mutex> hold(lock); }, [] { late(); std::lock_guard<std::mutex> hold(lock); }); break;
    case '2': pass([] { std::lock_guard<std::mutex> hold(lock); ready = true; changed.notify_one(); },
                   [] { std::unique_lock<std::mutex> hold(lock); changed.wait(hold, [] { return ready; }); }); break;
    case '3': pass([] { flag = 1; }, [] { while (!flag) std::this_thread::yield(); }); break;
    case '4': pass([] { flag.store(1, std::memory_order_relaxed); }, [] { late(); while (!flag.load(std::memory_order_relaxed)) ; }); break;
    case '5': pass([] { flag = 1; flag.notify_one(); }, [] { flag.wait(0); }); break;
    case '6': pass([] { old_flag = 1; }, [] { while (!old_flag) std::this_thread::yield(); }); break;
    case '7': { std::thread one(work); one.join(); std::thread other(look); other.join(); break; }
    case '8': { work(); std::thread other(look); other.join(); break; }
    case '9': { std::promise<void> p; pass([&] { p.set_value(); }, [&] { p.get_future().wait(); }); break; }
    case 'a': { std::counting_semaphore<4> c(0); pass([&] { c.release(); }, [&] { c.acquire(); }); break; }
    case 'b': { std::latch l(1); pass([&] { l.count_down(); }, [&] { late(); l.wait(); }); break; }
    case 'c': { std::barrier<> b(2); pass([&] { b.arrive_and_wait(); }, [&] { b.arrive_and_wait(); }); break; }
    case 'd': { pthread_barrier_t b; pthread_barrier_init(&b, NULL, 2);
                pass([&] { pthread_barrier_wait(&b); }, [&] { pthread_barrier_wait(&b); }); break; }
    case 'e': { std::shared_mutex m; /* two readers tell one writer */
                std::thread one([&] { work(); std::shared_lock<std::shared_mutex> hold(m); });
                std::thread two([&] { late(); std::shared_lock<std::shared_mutex> hold(m); });
                std::thread other([&] { late(); late(); std::unique_lock<std::shared_mutex> hold(m); look(); });
                one.join(); two.join(); other.join(); break; }
    case 'f': { pthread_spinlock_t l; pthread_spin_init(&l, 0);
                pass([&] { pthread_spin_lock(&l); pthread_spin_unlock(&l); }, [&] { late(); pthread_spin_lock(&l); pthread_spin_unlock(&l); }); break; }
    case 'g': { std::once_flag once; auto f = [&] { std::call_once(once, work); };
                std::thread one(f), other([&] { late(); f(); look(); }); one.join(); other.join(); break; }
    case 'h': { std::thread one(value), other([] { late(); value(); look(); }); one.join(); other.join(); break; }
    case 'i': look(); look(); break;
    case 'j': /* queued by one, touched before by another */
    case 'k': { std::thread one([&] { pinned[3] = 1; if (argv[1][0] == 'k') flag = 1; late(); });
                std::thread two([&] { host_work(5000); flag.load(); fill<<<1, 32, 0, s>>>(pinned); late(); });
                one.join(); two.join(); break; }
    case 'l': case 'm': { /* a function waits for the host, and a kernel for the function */
                CHECK(cudaLaunchHostFunc(s, [](void *) { while (!flag) std::this_thread::yield(); }, NULL));
                CHECK(cudaMemcpyAsync(device, pinned, 128, cudaMemcpyHostToDevice, s));
                host_work(50000);
                if (argv[1][0] == 'm')
                    flag = 1;
                pinned[5] = 1;
                if (argv[1][0] == 'l')
                    flag = 1;
                break; }
    case 'n': case 'o': { /* a function tells the host, which does not wait for its stream */
                CHECK(cudaLaunchHostFunc(s, [](void *) { pinned[3] = 1; flag = 1; host_work(1000); pinned[4] = 1; }, NULL));
                while (!flag) std::this_thread::yield();
                look();
                if (argv[1][0] == 'o') pinned[4] = 2;
                break; }
    case 'p': { /* one has waited, and writes; that hides nothing of the kernel from the other */
                std::thread one([] { work(); pinned[3] = 2; }), other([] { late(); look(); }); one.join(); other.join(); break; }
    case 'q': { /* given back by a thread that has heard of nothing */
                std::thread one([] { CHECK(cudaMemcpyAsync(device, pinned, 128, cudaMemcpyHostToDevice, s)); CHECK(cudaStreamSynchronize(s)); });
                std::thread other([] { late(); CHECK(cudaFreeHost(pinned)); }); one.join(); other.join(); break; }
    case 'r': apart(add, add); break;
    case 's': { auto held = [] { std::lock_guard<std::mutex> hold(lock); add(); }; apart(held, held); break; }
    case 't': { std::thread one(add); one.join(); add(); break; }
    case 'u': { std::thread one(add); add(); one.join(); break; }
    case 'v': apart([] { std::vector<int> mine(100, 1); }, [] { std::vector<int> mine(100, 2); }); break;  /* at the same place */
    case 'w': { int *shared = new int(0); apart([=] { *shared = 1; }, [=] { delete shared; }); break; }
    case 'x': detached(); host_work(1000); detached(); break;
    case 'y': { int local = 0; std::thread one([&] { late(); local = 1; }); one.detach(); local = 2; late(); late(); break; }
    case 'z': /* functions of two streams, and the host */
                CHECK(cudaLaunchHostFunc(s, [](void *) { int mine[50]; memset(mine, 1, sizeof mine); add(); }, NULL));
                CHECK(cudaStreamSynchronize(s));
                add();
                CHECK(cudaLaunchHostFunc(0, [](void *) { int mine[50]; memset(mine, 2, sizeof mine); }, NULL));
                break;
    case 'A': CHECK(cudaLaunchHostFunc(s, [](void *) { host_work(1000); add(); }, NULL));
                add();
                break;
    case 'B': { /* lines of a function of the library's header are the caller's */
                static std::vector<int> some(100);
                apart([] { some.pop_back(); },
                      [] { some.push_back(2); });
                break; }
    case 'C': { /* a lambda's are its own, whoever calls it */
                static std::function<void(int)> see = [](int i) {
                    plain = i; };
                CHECK(cudaLaunchHostFunc(s, [](void *) {
                    see(1); }, NULL));
                see(2);
                break; }
    case 'D': case 'E': { /* what is told at a thread's end */
                std::promise<void> p;
                bool after = argv[1][0] == 'E';
                pass([&] { p.set_value_at_thread_exit(); }, [&] { if (after) late(); p.get_future().wait(); });
                break; }
    case 'F': pass([&] { std::unique_lock<std::mutex> hold(lock); ready = true; std::notify_all_at_thread_exit(changed, std::move(hold)); },
                   [] { std::unique_lock<std::mutex> hold(lock); changed.wait(hold, [] { return ready; }); }); break;
    case 'G': case 'H': { /* a function reads what is written when it is queued already */
                int *number = argv[1][0] == 'G' ? &plain : pinned;
                CHECK(cudaLaunchHostFunc(s, [](void *at) { host_work(1000); if (*(int *)at > 5) abort(); }, number));
                *number = 5;
                break; }
    case 'I': case 'J': { /* each under a lock of its own, or one under none */
                static std::mutex another;
                apart([] { std::lock_guard<std::mutex> hold(lock); add(); },
                      [=] { std::unique_lock<std::mutex> hold(another, std::defer_lock); if (argv[1][0] == 'I') hold.lock(); add(); });
                break; }
    case 'K': { /* in a function, under a lock; what is held around it counts, what was given back does not */
                CHECK(cudaLaunchHostFunc(s, [](void *) { host_work(1000); std::lock_guard<std::mutex> hold(lock); add(); }, NULL));
                static std::mutex another, inner;
                std::lock_guard<std::mutex> hold(another);
                inner.lock();
                inner.unlock();
                add();
                break; }
    case 'L': { /* what the only thread has locked it holds still when there is another */
                static std::mutex another;
                std::lock_guard<std::mutex> hold(lock);
                std::thread one([] { std::lock_guard<std::mutex> hold(another); add(); });
                add(); one.join(); break; }
    }
    CHECK(cudaDeviceSynchronize());
    return 0;
}
END

while IFS='|' read -r how hazards pattern sentence; do
    play threads "$how"
    ok "$sentence" \
        eval 'ends 0 && [ "$(hazards)" = "$hazards" ] && { [ -z "$pattern" ] || grep -q "$pattern" "$dir/err"; }'
done << 'END'
0|1|reads them too: thread 2 has not waited for it; another thread has, but nothing makes this one come after that|what one thread has waited for another has not, though time has passed
1|0||a mutex that both held, one after the other, makes it so
2|0||so does a condition
3|0||an atomic variable that is spun on
4|0||a relaxed one, too: order is assumed rather than missed
5|0||one that is waited for
6|0||a volatile one
7|0||a join and a new thread
8|0||a new thread alone
9|0||a promise and its future
a|0||a semaphore
b|0||a latch
c|0||a barrier
d|0||a barrier of the C library's
e|0||a reader of a shared mutex, with another reader in between
f|0||a spin lock
g|0||call_once
h|0||a static variable that is made by one
i|0||memory that nobody writes is nobody's worry
j|1|thread 1 did so before thread 2 queued the kernel, but nothing makes the one come after the other|a kernel that another thread queues is not known to come after a touch
k|0||unless an atomic variable says so
l|0||a copy behind a host function that spins on a flag comes after who sets it
m|1|the host .* writes them too|but not after what he does later
n|0||what a host function did before it set a flag comes before who has seen it
o|1|cudaLaunchHostFunc .* writes .* the host .* writes them too|what it does later does not
p|2|thread 2 has not waited for it|a thread that has waited and then writes hides nothing from the other
q|1|gives them back|memory given back by a thread that has heard of no wait is told of
r|2|thread 2 (at .*) reads them too: nothing makes one come after the other|two threads that count without a lock
s|0||with a lock there is an order
t|0||a join is one
u|2|the main thread .* thread 1 .* too: nothing|a thread and the one that made it
v|0||memory that is freed and allocated again has no past
w|1|thread 2 .* frees them: nothing makes|memory that one frees while the other may still use it
x|0||nor has the stack of a thread that is gone
y|1|writes|a local variable that a thread nobody waits for writes
z|0||a function and the host that has waited for it, and what lies on the stacks of functions
A|1|cudaLaunchHostFunc .* the host .* too: .* Let both hold the same mutex, or let the function|a function and the host that has not waited
B|2|threads.cu:147: thread 1 .*threads.cu:148: thread 2 .* too|two calls of a function of the library's header, by the callers' lines
C|1|threads.cu:152: cudaLaunchHostFunc .*queued in line 153; .*threads.cu:152: the host .* too|a lambda's line is its own, whoever calls it
D|0||a promise that is kept at a thread's end
E|0||and one that was
F|0||a condition that is told of at a thread's end
G|1|write it before the call that queues the function|what a function reads is written when it is queued already
H|1|write it before the call that queues the function|in pinned memory, too
I|2|One runs under the mutex lock, locked in line .*, and the other under another, another.*, locked in line .*\. Let both|two mutexes are named, with the lines that lock them
J|2|One runs under the mutex lock, locked in line .*, and the other under none\. Let both|so is one alone
K|1|One runs under the mutex lock, locked in line .*, and the other under another, another.*, locked in line .*\. Let both|of a function, too, and one given back is not held
L|2|One runs under the mutex .*, locked in line .*, and the other under another, .*, locked in line .*\. Let both|one that was locked before there was a second thread
END

WORKBOOK_LOG=9 SIM_HAZARDS=1 play threads c 9> "$dir/with"
WORKBOOK_LOG=9 SIM_HAZARDS=0 play threads c 9> "$dir/without"
ok 'threads take the same turns with hazards on as off' \
    eval '[ -s "$dir/with" ] && cmp "$dir/with" "$dir/without" >> "$dir/err" 2>&1'

# Conditions that wake without cause and as late as they may (SIM_WAKEUPS=worst): what is wrong with a wait comes out.
build wakeups << 'END'
#include <pthread.h>
#include <stdio.h>
#include "streams.h"
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int ready, locks;
static volatile int told;
static void tell(void *)
{
    if (locks) pthread_mutex_lock(&lock);
    ready = 1;
    if (locks) pthread_mutex_unlock(&lock);
    pthread_cond_signal(&changed);
    told = 1;       /* the call is not the function's last */
}
__global__ void busy() { kernel_cost(100000); }
int main(int, char **argv)
{
    char how = argv[1][0];
    locks = how != 'f' && how != 'n';
    busy<<<1, 1>>>();
    CHECK(cudaLaunchHostFunc(0, tell, NULL));
    if (how != 'h' && how != 'n') pthread_mutex_lock(&lock);
    if (how == 'i') {
        if (!ready) pthread_cond_wait(&changed, &lock);
    } else if (how == 'f') {        /* its wake-up is lost: it would sleep for ever */
        struct timespec soon;
        clock_gettime(CLOCK_REALTIME, &soon);
        soon.tv_sec++;
        while (!ready && pthread_cond_timedwait(&changed, &lock, &soon) == 0) ;
    } else {
        while (!ready) pthread_cond_wait(&changed, &lock);
    }
    printf("%d at %lld us\n", ready, (long long)now_ns() / 100000 * 100);
    pthread_mutex_unlock(&lock);
    CHECK(cudaDeviceSynchronize());
}
END
worst() { SIM_WAKEUPS=worst play wakeups "$1" && ends 0 && prints "$2" && [ "$(hazards)" = "$3" ]; }
ok 'a wait in a loop, with the mutex: whatever wakes it, it goes on when it may' worst r '1 at 400 us' 0
ok 'and in the same time without that' eval 'play wakeups r && prints "1 at 400 us"'
ok 'if for while: it goes on too early' worst i '0 at 300 us' 0
ok 'who signals without the mutex may wake nobody' eval 'SIM_WAKEUPS=worst play wakeups f; [ "$(hazards)" -gt 1 ] &&
    grep -q "wakeups.cu:13: this wakes no thread if the main thread has checked" "$dir/err"'
ok 'a wait without the mutex' eval 'SIM_WAKEUPS=worst play wakeups h; [ "$(hazards)" -ge 1 ] &&
    grep -q "with a mutex that it has not locked" "$dir/err"'
build unlocks << 'END'
#include <pthread.h>
#include <stdio.h>
#include "streams.h"
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int count;
static void *adds(void *)
{
    count++;
    pthread_mutex_unlock(&lock);
    return NULL;
}
int main()
{
    pthread_t thread;
    pthread_create(&thread, NULL, adds, NULL);
    pthread_join(thread, NULL);
    pthread_mutex_lock(&lock);
    printf("%d\n", count);
    pthread_mutex_unlock(&lock);
}
END
ok 'an unlock by a thread that does not hold the mutex' eval 'play unlocks && prints 1; [ "$(hazards)" = 1 ] &&
    grep -q "unlocks.cu:9: this unlocks a mutex that its thread has not locked" "$dir/err"'
build twice << 'END'
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include "streams.h"
static void *nothing(void *) { return NULL; }
int main()
{
    pthread_t one, two;
    pthread_create(&one, NULL, nothing, NULL);
    pthread_create(&two, NULL, nothing, NULL);
    int first = pthread_join(one, NULL);
    printf("%d %d", first, pthread_join(one, NULL) == ESRCH);
    printf(" %d\n", pthread_join(two, NULL));
}
END
play twice
ok 'a thread that is joined twice' eval 'prints "0 1 0" && [ "$(hazards)" = 1 ] &&
    grep -q "twice.cu:12: this joins a thread that was joined before" "$dir/err"'
# A semaphore is at its end while a function of the stream has yet to post to it; made anew, it is another one.
build ended << 'END'
#include <semaphore.h>
#include "streams.h"
static sem_t done;
static void post(void *posts)
{
    sem_post(&done);
    ++*(int *)posts;
}
int main()
{
    int posts = 0;
    for (int turn = 0; turn < 2; turn++) {
        sem_init(&done, 0, 0);
        CHECK(cudaLaunchHostFunc(NULL, post, &posts));
        if (turn == 0)
            sem_wait(&done);
        sem_destroy(&done);
    }
    CHECK(cudaDeviceSynchronize());
}
END
play ended
ok 'a semaphore that has ended is used' eval '[ "$(hazards)" = 1 ] &&
    grep -q "ended.cu:6: this uses a semaphore that sem_destroy() has ended" "$dir/err"'
# Two threads wait for one condition: each is woken once without cause, not the first alone.
build both << 'END'
#include <atomic>
#include <condition_variable>
#include <stdio.h>
#include <thread>
#include "streams.h"
int main()
{
    std::mutex lock;
    std::condition_variable changed;
    std::atomic<int> looks{0};
    bool ready = false;
    auto wait = [&] { std::unique_lock<std::mutex> hold(lock); while (looks++, !ready) changed.wait(hold); };
    std::thread one(wait), two(wait);
    host_work(300000);
    lock.lock();
    ready = true;
    lock.unlock();
    changed.notify_all();
    one.join();
    two.join();
    printf("%d\n", (int)looks);
}
END
ok 'two threads that wait look three times each' eval 'SIM_WAKEUPS=worst play both && ends 0 && prints 6'
ok 'and twice where nothing wakes them without cause' eval 'play both && ends 0 && prints 4'
ok 'none of it is said of what is not asked to be so hard' eval 'play wakeups f && ends 0 && ! grep -q "wakes no thread" "$dir/err"'

# Turns in another order (SIM_TURNS), and a device that takes its time (SIM_SLOWER): what luck hides comes out.
build luck << 'END'
#include <mutex>
#include <stdio.h>
#include <thread>
#include "streams.h"
__global__ void fill(int *p) { kernel_cost(100000); *p = 1; }
int main(int, char **argv)
{
    int *pinned, seen;
    CHECK(cudaMallocHost(&pinned, sizeof *pinned));
    if (argv[1][0] == 'q') {            /* asks, and does not mind the answer */
        fill<<<1, 1>>>(pinned);
        host_work(300000);
        cudaError_t done = cudaStreamQuery(0);
        seen = *pinned;
        printf("%d %d\n", done == cudaSuccess, seen);
    } else {                            /* looks before it locks: whether somebody comes in between is luck */
        std::mutex lock;
        int free = 3;
        auto take = [&] {
            for (int k = 0; k < 3; k++) {
                if (argv[1][0] == 'u' && free == 0) return;
                std::lock_guard<std::mutex> hold(lock);
                free -= free > 0;
            }
        };
        std::thread one(take), two(take);
        one.join();
        two.join();
        printf("%d\n", free);
    }
    CHECK(cudaDeviceSynchronize());
}
END
turns() { SIM_TURNS=$1 play luck "$2" && ends 0; }
ok 'a lock that is always held has no hazard in twenty orders' \
    eval 'for seed in {1..20}; do turns $seed l && [ "$(hazards)" = 0 ] || break; done; [ $seed = 20 ] && [ "$(hazards)" = 0 ]'
ok 'a look without the lock has one in some' \
    eval 'found=0; for seed in {1..20}; do turns $seed u; [ "$(hazards)" = 0 ] || found=1; done; [ $found = 1 ]'
SIM_TURNS=8 WORKBOOK_LOG=9 play threads c 9> "$dir/one"
SIM_TURNS=8 WORKBOOK_LOG=9 play threads c 9> "$dir/two"
ok 'the same seed gives the same log, another one another' \
    eval 'cmp "$dir/one" "$dir/two" && ! cmp -s "$dir/one" "$dir/with"'
ok 'a query that came late enough by luck is no hazard' eval 'play luck q && prints "1 1" && [ "$(hazards)" = 0 ]'
ok 'on a slower device it comes too early' eval 'SIM_SLOWER=64 play luck q; [ "$(hazards)" -ge 1 ]'

# A queue for each stream (SIM_WIDER), on a card that has one for all.
build queues << 'END'
#include <stdio.h>
#include "streams.h"
__global__ void busy() { kernel_cost(1000000); }
int main()
{
    cudaStream_t stream[2];
    busy<<<1, 1>>>();
    CHECK(cudaDeviceSynchronize());
    for (cudaStream_t &s : stream) CHECK(cudaStreamCreate(&s));
    long long begin = now_ns();
    for (cudaStream_t s : stream) busy<<<1, 1, 0, s>>>();
    CHECK(cudaDeviceSynchronize());
    printf("%lld ms\n", (now_ns() - begin) / 1000000);
}
END
ok 'one queue for all: two kernels one after the other' eval 'SIM_PROFILE=c1060 play queues && prints "2 ms"'
ok 'a queue for each: side by side' eval 'SIM_WIDER=1 SIM_PROFILE=c1060 play queues && prints "1 ms"'

# What is called under a label has its variables on the stack below: they are gone when it has returned.
build frames << 'END'
#include "streams.h"
static void later(void *p) { host_work(1000); ++*(int *)p; }
__attribute__((noinline)) static void leaves(cudaStream_t s) { int count = 0; CHECK(cudaLaunchHostFunc(s, later, &count)); }
__attribute__((noinline)) static void stays(cudaStream_t s) { int count = 0; CHECK(cudaLaunchHostFunc(s, later, &count)); CHECK(cudaStreamSynchronize(s)); }
__attribute__((noinline)) static void callers(cudaStream_t s, int *count) { CHECK(cudaLaunchHostFunc(s, later, count)); }
int main(int argc, char **argv)
{
    int count = 0;
    cudaStream_t s;
    CHECK(cudaStreamCreate(&s));
    label_push("asked");
    switch (argc > 1 ? *argv[1] : 0) {
    case 'l': leaves(s); break;
    case 's': stays(s); break;
    case 'c': callers(s, &count); break;
    }
    label_pop();
    host_work(1000000);
    CHECK(cudaStreamSynchronize(s));
}
END
ok 'a function that counts in a variable of one that has returned' \
    eval 'play frames l; [ "$(hazards)" = 1 ] && grep -q "the host .* returns from the function that has them: the host has not waited for it" "$dir/err"'
ok 'in one that is still there, or in the caller'"'"'s, it may' eval 'play frames s; [ "$(hazards)" = 0 ] && play frames c; [ "$(hazards)" = 0 ]'
done_testing
