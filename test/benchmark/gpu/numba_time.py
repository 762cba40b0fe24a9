"""Kernels of Numba-CUDA that call bound device functions, against the same arithmetic written in Numba, in one run.

`map` and `blend` are bound by memory, `series` by arithmetic: 64 calls for each element. Needs numba-cuda with a NumPy that it works with, and torch for the clock.
"""

import argparse
import sys
import tempfile
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import kernix
import numpy as np
import torch
from numba import cuda
from timing import in_turns

SOURCE = """
#include <kernix/kernix.h>
[[kernix::bind]] __device__ float saturating(float x, float a) { return x / (a + fabsf(x)); }
[[kernix::bind]] __device__ void blend(float a, float b, float t, [[kernix::intent(out_return)]] float &mixed,
                                       [[kernix::intent(out_return)]] float &difference) {
  mixed = a + t * (b - a);
  difference = b - a;
}
"""
COUNT = 1 << 25
MOST = 1.05  # the budget of each ratio
TWO, QUARTER = np.float32(2), np.float32(0.25)
parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--rounds", type=int, default=50)


def kernels(m: Any) -> dict[str, tuple[Callable[..., None], Callable[..., None]]]:
    """By name: with bound functions, and in Numba alone."""

    def map_bound(x, y, z):
        i = cuda.grid(1)
        if i < x.size:
            z[i] = m.saturating(x[i], TWO)

    def map_alone(x, y, z):
        i = cuda.grid(1)
        if i < x.size:
            z[i] = x[i] / (TWO + abs(x[i]))

    def blend_bound(x, y, z):
        i = cuda.grid(1)
        if i < x.size:
            mixed, difference = m.blend(x[i], y[i], QUARTER)
            z[i] = mixed * difference

    def blend_alone(x, y, z):
        i = cuda.grid(1)
        if i < x.size:
            difference = y[i] - x[i]
            z[i] = (x[i] + QUARTER * difference) * difference

    def series_bound(x, y, z):
        i = cuda.grid(1)
        if i < x.size:
            value = x[i]
            for _ in range(64):
                value = m.saturating(value, TWO)
            z[i] = value

    def series_alone(x, y, z):
        i = cuda.grid(1)
        if i < x.size:
            value = x[i]
            for _ in range(64):
                value = value / (TWO + abs(value))
            z[i] = value

    pairs = {"map": (map_bound, map_alone), "blend": (blend_bound, blend_alone), "series": (series_bound, series_alone)}
    return {name: (cuda.jit(ours), cuda.jit(theirs)) for name, (ours, theirs) in pairs.items()}


def main() -> None:
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder, "functions.cu")
        source.write_text(SOURCE)
        m = kernix.load(source, target="numba")
    x, y = torch.rand(COUNT, device="cuda"), torch.rand(COUNT, device="cuda")
    missed = 0
    for name, pair in kernels(m).items():
        results = [torch.empty_like(x), torch.empty_like(x)]
        stream = cuda.external_stream(torch.cuda.current_stream().cuda_stream)
        work = [
            lambda kernel=kernel, z=z: kernel[COUNT // 256, 256, stream](x, y, z)
            for kernel, z in zip(pair, results, strict=True)
        ]
        ours, theirs, (low, high) = in_turns(*work, options.rounds)
        torch.testing.assert_close(*results, rtol=1e-5, atol=1e-6)
        missed += ours > MOST * theirs
        verdict = "missed" if ours > MOST * theirs else "met"
        print(
            f"{name:8} bound {ours:.4f} ms, in Numba {theirs:.4f} ms: {ours / theirs:.3f}x ({low:.3f} to {high:.3f}), {verdict}"
        )
    sys.exit(missed > 0)


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    main()
