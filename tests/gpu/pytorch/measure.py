#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What PyTorch's calls do on this machine's GPU, as a table: python3 tests/gpu/pytorch/measure.py [PART...]

Times are medians of 15 after 2 that are not counted, in microseconds: until the call has returned, and until the device has
done what was asked. The part `first` is measured once, and comes first. Status 2, and one line, where there is no PyTorch or
no GPU."""
import statistics
import sys
import time

try:
    import torch
except ImportError:
    print("measure.py: PyTorch is not installed here", file=sys.stderr)
    sys.exit(2)
if not torch.cuda.is_available():
    print("measure.py: PyTorch sees no GPU here", file=sys.stderr)
    sys.exit(2)

ROUNDS = 15
MIB = 1 << 20


def timed(work):
    """Medians of the times until work() returns and until the device is done."""
    returned, done = [], []
    for _ in range(ROUNDS + 2):
        torch.cuda.synchronize()
        t = time.perf_counter()
        kept = work()
        r = time.perf_counter()
        torch.cuda.synchronize()
        d = time.perf_counter()
        del kept
        returned.append((r - t) * 1e6)
        done.append((d - t) * 1e6)
    return statistics.median(returned[2:]), statistics.median(done[2:])


def row(name, work):
    r, d = timed(work)
    print(f"{name}\t{r:.1f}\t{d:.1f}")


def copies(mib):
    n = mib * MIB // 4
    pageable, pinned = torch.ones(n), torch.ones(n).pin_memory()
    device = torch.ones(n, device="cuda")
    for name, host in (("pageable", pageable), ("pinned", pinned)):
        for non_blocking in (False, True):
            row(f"{mib} MiB {name} to device, non_blocking={non_blocking}", lambda: host.to("cuda", non_blocking=non_blocking))
            row(f"{mib} MiB device to {name}, non_blocking={non_blocking}", lambda: host.copy_(device, non_blocking=non_blocking))
    row(f"{mib} MiB pageable.pin_memory().to(device, non_blocking=True)",
        lambda: pageable.pin_memory().to("cuda", non_blocking=True))
    row(f"{mib} MiB device.to('cpu', non_blocking=True)", lambda: device.to("cpu", non_blocking=True))


def batches():
    """Eight batches of 16 MiB through a model: each copied and used at once, or the next one copied beside, in a stream."""
    n, count = 2048, 8
    model = torch.nn.Sequential(*[torch.nn.Linear(n, n) for _ in range(24)]).cuda()
    pageable = [torch.ones(n, n) for _ in range(count)]
    pinned = [b.pin_memory() for b in pageable]
    beside = torch.cuda.Stream()

    def at_once(data, non_blocking):
        with torch.no_grad():
            return [model(b.to("cuda", non_blocking=non_blocking)) for b in data]

    def ahead(data):
        here, out = torch.cuda.current_stream(), []
        with torch.no_grad():
            for b in data:
                with torch.cuda.stream(beside):
                    x = b.to("cuda", non_blocking=True)
                here.wait_stream(beside)
                x.record_stream(here)
                out.append(model(x))
        return out
    for name, data in (("pageable", pageable), ("pinned", pinned)):
        for non_blocking in (False, True):
            row(f"8 batches, {name}, non_blocking={non_blocking}, model called at once", lambda: at_once(data, non_blocking))
        row(f"8 batches, {name}, copied in a stream beside", lambda: ahead(data))


def missing_wait():
    """How often is a sum wrong that starts in another stream before its input is there?"""
    side, n = torch.cuda.Stream(), 1 << 24
    for name, cure in (("nothing", None), ("wait_stream", lambda: side.wait_stream(torch.cuda.current_stream())),
                       ("wait_event", lambda: side.wait_event(torch.cuda.current_stream().record_event()))):
        wrong = 0
        for _ in range(100):
            a = torch.zeros(n, device="cuda")
            torch.cuda.synchronize()
            torch.cuda._sleep(1000000)
            a.fill_(1.0)
            if cure:
                cure()
            with torch.cuda.stream(side):
                s = a.sum()
            torch.cuda.synchronize()
            wrong += s.item() != n
        print(f"sums wrong of 100, with {name} between the streams\t{wrong}\t-")


def reuse():
    """A tensor freed while another stream still reads it: wrong without record_stream()?"""
    side, n = torch.cuda.Stream(), 1 << 22
    for recorded in (False, True):
        wrong = 0
        for _ in range(100):
            a = torch.ones(n, device="cuda")
            side.wait_stream(torch.cuda.current_stream())
            with torch.cuda.stream(side):
                torch.cuda._sleep(1000000)
                s = a.sum()
            if recorded:
                a.record_stream(side)
            del a
            b = torch.zeros(n, device="cuda")
            torch.cuda.synchronize()
            wrong += s.item() != n
            del b
        print(f"sums wrong of 100 after the tensor was freed, record_stream: {recorded}\t{wrong}\t-")


def first():
    """The first copy of a process pays for its start."""
    host = torch.ones(MIB // 4)
    for name in ("first", "second"):
        t = time.perf_counter()
        kept = host.to("cuda")
        r = time.perf_counter()
        torch.cuda.synchronize()
        print(f"{name} .to('cuda') of a process, 1 MiB\t{(r - t) * 1e6:.1f}\t{(time.perf_counter() - t) * 1e6:.1f}")
        del kept


def orders():
    """Eight batches of 16 MiB, each with 5 ms of the host's own work before or after the model."""
    n, count = 2048, 8
    model = torch.nn.Sequential(*[torch.nn.Linear(n, n) for _ in range(24)]).cuda()
    batch = torch.ones(n, n).pin_memory()
    x = batch.cuda()

    def host_work():
        end = time.perf_counter() + 5e-3
        while time.perf_counter() < end:
            pass

    def loop(steps):
        with torch.no_grad():
            for _ in range(count):
                x = batch.to("cuda", non_blocking=True)
                for step in steps.split(", "):
                    if step == "model":
                        y = model(x)
                    elif step == "item":
                        y[0, 0].item()
                    else:
                        host_work()
    with torch.no_grad():
        row("one model(x)", lambda: model(x))
    for steps in ("model", "model, work", "work, model", "model, work, item", "work, model, item", "model, item, work"):
        row(f"8 batches, pinned, each: copy, {steps}", lambda: loop(steps))


def multiply():
    """Two sequences of torch.mm, queued while the device is busy: one alone, both in one stream, in two."""
    one, two = torch.cuda.Stream(), torch.cuda.Stream()
    for n, times in ((256, 100), (1024, 20), (4096, 4)):
        a, out = torch.ones(n, n, device="cuda"), [torch.empty(n, n, device="cuda") for _ in range(2)]
        for name, streams in (("one sequence", (one,)), ("two in one stream", (one, one)), ("two in two streams", (one, two))):
            taken = []
            for _ in range(ROUNDS + 2):
                start, ends = torch.cuda.Event(enable_timing=True), []
                torch.cuda._sleep(20000000)
                start.record()
                for s in streams:
                    s.wait_event(start)
                for _ in range(times):
                    for s, o in zip(streams, out):
                        with torch.cuda.stream(s):
                            torch.mm(a, a, out=o)
                for s in streams:
                    ends.append(s.record_event(torch.cuda.Event(enable_timing=True)))
                torch.cuda.synchronize()
                taken.append(max(start.elapsed_time(e) for e in ends) * 1e3)
            print(f"{times} torch.mm of {n} x {n}, {name}\t-\t{statistics.median(taken[2:]):.1f}")


PARTS = {"first": [first], "copies": [lambda: [copies(mib) for mib in (1, 64, 256)]], "batches": [batches],
         "waits": [missing_wait, reuse], "orders": [orders], "multiply": [multiply]}


def main():
    p = torch.cuda.get_device_properties(0)
    print(f"# {p.name}, PyTorch {torch.__version__}, CUDA {torch.version.cuda}, {time.strftime('%Y-%m-%d', time.gmtime())}")
    print("# what\treturned_us\tdone_us")
    wanted = sys.argv[1:] or list(PARTS)
    if "first" in wanted:
        first()
    s = torch.cuda.Stream()
    least, greatest = torch.cuda.Stream.priority_range() if hasattr(torch.cuda.Stream, "priority_range") else ("?", "?")
    print(f"# torch.cuda.Stream(): priority {s.priority}, range {least} to {greatest}; default stream's handle "
          f"{torch.cuda.default_stream().cuda_stream}; handles of 33 new streams that differ: "
          f"{len({torch.cuda.Stream().cuda_stream for _ in range(33)})}")
    for name in PARTS:
        if name in wanted and name != "first":
            for measure in PARTS[name]:
                measure()


main()
