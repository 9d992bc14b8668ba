# SPDX-License-Identifier: MIT
# fork_core.py - lesson 03's diamond with cuda.core.
#
#   python3 book/back/demos/fork_core.py
import time

from cuda.core import Device, LaunchConfig, Program, ProgramOptions, launch

code = r'''
extern "C" __global__ void stage(unsigned long long ns)
{
    unsigned long long begin, now;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(begin));
    do
        asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
    while (now - begin < ns);
}
'''
device = Device()
device.set_current()
options = ProgramOptions(std="c++17", arch=f"sm_{device.arch}")
stage = Program(code, code_type="c++", options=options).compile("cubin").get_kernel("stage")
shape = LaunchConfig(grid=1, block=32)


def run(stream, us):
    launch(stream, shape, stage, 1000 * us)


#> diamond
one, two = device.create_stream(), device.create_stream()       # non-blocking, both
timed = {"timing_enabled": True}


def diamond():
    begin = one.record(options=timed)   # makes an event, and records it
    run(one, 300)                       # A
    two.wait(one.record())              # an event between the two
    run(one, 1000)                      # B
    run(two, 800)                       # C
    one.wait(two)                       # the same, in one call
    run(one, 300)                       # D
    return begin, one.record(options=timed)
#< diamond


for _ in range(2):                      # the first one loads code
    before = time.perf_counter()
    begin, end = diamond()
    queued = time.perf_counter()
    done = end.is_done
    end.sync()
    print(f"queued in {1e3 * (queued - before):.3f} ms, done then: {done}, from begin to end {end - begin:.3f} ms,",
          f"non-blocking: {one.is_nonblocking}")
