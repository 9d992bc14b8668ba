# SPDX-License-Identifier: MIT
"""What lesson 13's exercise in Python works with: operations that take their time on the device, each with its name in the
timeline. All of them queue their work to the current stream and come back. Tensors are of 64-bit integers, which wrap
round: every result is exact."""
import contextlib
import ctypes
import os

import torch

CYCLES = 600_000                # of a short operation; some 0.3 ms
notes = {"fill": [], "model": []}   # where the blocks of fill() and the batches of model() lie


class _Recording(ctypes.Structure):     # struct recording of common/recording.h
    _fields_ = [("start", ctypes.CFUNCTYPE(None)), ("part", ctypes.CFUNCTYPE(None, ctypes.c_char_p)),
                ("label", ctypes.CFUNCTYPE(None, ctypes.c_char_p))]


def recording():
    """What the recorder takes, None without one. The driver loads it at the first call of CUDA, not before."""
    path = os.environ.get("CUDA_INJECTION64_PATH")
    if not path:
        return None
    try:
        library = ctypes.CDLL(path, mode=os.RTLD_LAZY | os.RTLD_NOLOAD)
    except OSError:
        return None
    return _Recording.in_dll(library, "streams_recording")


@contextlib.contextmanager
def label(name):
    told = recording()
    if told:
        told.label(name.encode())
    yield
    if told:
        told.label(b"")


# ---- (a) ----

def produce(x):
    """Makes x: x becomes 3 x + 1."""
    with label("produce"):
        torch.cuda._sleep(CYCLES)
        x.mul_(3).add_(1)


def total(x):
    """The sum of x, a tensor on the device."""
    with label("total"):
        torch.cuda._sleep(2 * CYCLES)
        return x.sum()


def other_work(y):
    """Has nothing to do with x: y becomes 5 y + 1."""
    with label("other_work"):
        torch.cuda._sleep(2 * CYCLES)
        y.mul_(5).add_(1)


def settle(x, s):
    """Needs the sum, and writes x: x becomes x + s."""
    with label("settle"):
        x.add_(s)


# ---- (b) ----

def fill(batch):
    """A new tensor on the device, made of `batch`: 7 times it."""
    with label("fill"):
        block = torch.empty_like(batch)
        torch.cuda._sleep(CYCLES)
        torch.mul(batch, 7, out=block)
    notes["fill"].append(block.data_ptr())
    return block


def audit(block):
    """The sum of the block, a tensor on the device; takes three times as long as fill()."""
    with label("audit"):
        torch.cuda._sleep(3 * CYCLES)
        return block.sum()


# ---- (c) ----

def model(state, x):
    """Works batch x into the state: state becomes 3 state + x."""
    notes["model"].append(x.data_ptr())
    with label("model"):
        torch.cuda._sleep(2 * CYCLES)
        state.mul_(3).add_(x)


# ---- inputs: the same ones for the same seed, in the host's memory ----

def inputs(seed):
    """x, y of (a); the batches of (b); those of (c)."""
    g = torch.Generator().manual_seed(seed)

    def some(n):
        return torch.randint(0, 2**62, (n,), generator=g)
    return {"x": some(200_001), "y": some(200_001), "data": [some(300_001) for _ in range(7)],
            "batches": [some(1_000_001) for _ in range(7)]}
