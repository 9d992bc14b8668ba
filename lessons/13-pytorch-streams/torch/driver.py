# SPDX-License-Identifier: MIT
"""driver.py FILE SEED OUTPUTS: calls the functions of FILE, and saves what became of their inputs. Expects nothing.

What is recorded begins with the program: the recorder has to see PyTorch make its streams, to know that they are
non-blocking."""
import importlib.util
import sys

import torch

import lesson


def warm_up():
    """Nothing in the parts happens for the first time."""
    for n in (200_001, 300_001, 1_000_001):
        x = torch.zeros(n, dtype=torch.int64, device="cuda")
        lesson.produce(x)
        lesson.settle(x, lesson.total(x))
        lesson.other_work(x)
        lesson.model(x, torch.zeros(n, dtype=torch.int64).pin_memory().to("cuda", non_blocking=True))
        lesson.audit(lesson.fill(x))
    torch.cuda.synchronize()
    del x
    for noted in lesson.notes.values():
        noted.clear()


def main():
    path, seed, to = sys.argv[1], int(sys.argv[2]), sys.argv[3]
    spec = importlib.util.spec_from_file_location("exercise", path)
    exercise = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(exercise)
    given, out = lesson.inputs(seed), {}
    warm_up()
    side = torch.cuda.Stream()
    x, y = given["x"].cuda(), given["y"].cuda()
    data = [b.cuda() for b in given["data"]]
    state = torch.zeros_like(given["batches"][0], device="cuda")
    torch.cuda.synchronize()

    with lesson.label("sum_beside"):
        exercise.sum_beside(side, x, y)
    torch.cuda.synchronize()
    out["x"], out["y"] = x.cpu(), y.cpu()

    with lesson.label("audit_all"):
        sums = exercise.audit_all(side, data)
    torch.cuda.synchronize()
    out["sums"] = [int(s) for s in sums]

    loader = exercise.pinned(given["batches"])
    torch.cuda.synchronize()
    with lesson.label("run_model"):
        exercise.run_model(side, loader, state)
    torch.cuda.synchronize()
    out["state"], out["notes"] = state.cpu(), lesson.notes
    torch.save(out, to)


main()
