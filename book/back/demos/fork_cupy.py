# SPDX-License-Identifier: MIT
# fork_cupy.py - lesson 03's diamond with CuPy.
#
#   python3 book/back/demos/fork_cupy.py
import time

import cupy

stage = cupy.RawKernel(r'''
extern "C" __global__ void stage(unsigned long long ns)
{
    unsigned long long begin, now;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(begin));
    do
        asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
    while (now - begin < ns);
}
''', 'stage')


def run(us):
    stage((1,), (32,), (cupy.uint64(1000 * us),))       # in the current stream


def make(**how):
    return cupy.cuda.Stream(**how)


def diamond(one, two):
    #> diamond
    with one:                           # one is the current stream
        begin = one.record()            # with timing, if nothing is said
        run(300)                        # A
        forked = one.record()
        run(1000)                       # B
    two.wait_event(forked)
    with two:
        run(800)                        # C
    one.wait_event(two.record())
    with one:
        run(300)                        # D
        end = one.record()
    #< diamond
    return begin, end


for what, how in ("Stream()", {}), ("Stream(non_blocking=True)", {"non_blocking": True}):
    one, two = make(**how), make(**how)
    for _ in range(2):                  # the first one loads code
        before = time.perf_counter()
        begin, end = diamond(one, two)
        queued = time.perf_counter()
        done = end.done
        end.synchronize()
    print(f"{what}: queued in {1e3 * (queued - before):.3f} ms, done then: {done},",
          f"from begin to end {cupy.cuda.get_elapsed_time(begin, end):.3f} ms")

for what, how in ("Stream()", {}), ("Stream(non_blocking=True)", {"non_blocking": True}):
    other = make(**how)
    cupy.cuda.Device().synchronize()
    with other:
        run(1000)
    run(10)                             # in the default stream
    end = cupy.cuda.Stream.null.record()
    before = time.perf_counter()
    end.synchronize()
    print(f"beside {what} of 1 ms, 10 us in the default stream take {1e3 * (time.perf_counter() - before):.3f} ms")
    other.synchronize()
