"""Kernels of Numba-CUDA that call bound device functions, against the same arithmetic written in Numba, in one run.

`map` and `blend` are bound by memory, `series` by arithmetic: 64 calls for each element. Needs numba-cuda with a NumPy that it
works with, and torch for the clock. Where Numbast (numbast, ast_canopy) is installed too, the same header is bound by it, and
its kernels are timed against kernix's; clang++ is $KERNIX_CLANG, else clang++-22.
"""

import argparse
import json
import os
import shutil
import sys
import tempfile
import warnings
from pathlib import Path
from typing import Any

import kernix
import numpy as np
import torch
from numba import cuda
from timing import in_turns

HEADER = """
#pragma once
__device__ inline float saturating(float x, float a) { return x / (a + fabsf(x)); }
__device__ inline void blend(float a, float b, float t, float &mixed, float &difference) {
  mixed = a + t * (b - a);
  difference = b - a;
}
"""
INTENTS = {"blend": {"mixed": "out_return", "difference": "out_return"}}
CONFIG = "Functions:\n  saturating: {bind: true}\n  blend: {bind: true}\n"
CONFIG += f"Function Argument Intents: {json.dumps(INTENTS)}\n"
COUNT = 1 << 25
MOST = 1.05  # the budget of each ratio
TWO, QUARTER = np.float32(2), np.float32(0.25)
parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--rounds", type=int, default=50)


def bound_kernels(saturating: Any, blend: Any) -> dict[str, Any]:
    """By name, with functions that somebody has bound."""

    @cuda.jit
    def map_bound(x, y, z):
        i = cuda.grid(1)
        if i < x.size:
            z[i] = saturating(x[i], TWO)

    @cuda.jit
    def blend_bound(x, y, z):
        i = cuda.grid(1)
        if i < x.size:
            mixed, difference = blend(x[i], y[i], QUARTER)
            z[i] = mixed * difference

    @cuda.jit
    def series_bound(x, y, z):
        i = cuda.grid(1)
        if i < x.size:
            value = x[i]
            for _ in range(64):
                value = saturating(value, TWO)
            z[i] = value

    return {"map": map_bound, "blend": blend_bound, "series": series_bound}


def kernels_of_numba() -> dict[str, Any]:
    """The same without any."""

    @cuda.jit
    def map_alone(x, y, z):
        i = cuda.grid(1)
        if i < x.size:
            z[i] = x[i] / (TWO + abs(x[i]))

    @cuda.jit
    def blend_alone(x, y, z):
        i = cuda.grid(1)
        if i < x.size:
            difference = y[i] - x[i]
            z[i] = (x[i] + QUARTER * difference) * difference

    @cuda.jit
    def series_alone(x, y, z):
        i = cuda.grid(1)
        if i < x.size:
            value = x[i]
            for _ in range(64):
                value = value / (TWO + abs(value))
            z[i] = value

    return {"map": map_alone, "blend": blend_alone, "series": series_alone}


def kernels_of_numbast(header: Path) -> dict[str, Any] | None:
    """None: it is not here."""
    try:
        import ast_canopy
        import numbast
    except ImportError as error:
        print(f"Numbast: skipped, {error}")
        return None
    clang = shutil.which(os.environ.get("KERNIX_CLANG", "clang++-22"))
    architecture = "sm_{}{}".format(*cuda.get_current_device().compute_capability)
    # Its clang does not know all of the toolkit's header; what is bound here needs none of it.
    parsed = ast_canopy.parse_declarations_from_source(
        str(header), [str(header)], architecture, clang_binary=clang, bypass_parse_error=True
    )
    shims = numbast.MemoryShimWriter(f'#include "{header}"')
    functions = {each.__name__: each for each in numbast.bind_cxx_functions(shims, parsed.functions, arg_intent=INTENTS)}
    return bound_kernels(functions["saturating"], functions["blend"])


def timed(kernels: dict[str, Any], others: dict[str, Any], label: str, rounds: int) -> int:
    """How many ratios are above the budget."""
    x, y = torch.rand(COUNT, device="cuda"), torch.rand(COUNT, device="cuda")
    missed = 0
    for name, kernel in kernels.items():
        results = [torch.empty_like(x), torch.empty_like(x)]
        stream = cuda.external_stream(torch.cuda.current_stream().cuda_stream)
        work = [
            lambda kernel=each, z=z: kernel[COUNT // 256, 256, stream](x, y, z)
            for each, z in zip((kernel, others[name]), results, strict=True)
        ]
        ours, theirs, (low, high) = in_turns(*work, rounds)
        torch.testing.assert_close(*results, rtol=1e-5, atol=1e-6)
        missed += ours > MOST * theirs
        verdict = "missed" if ours > MOST * theirs else "met"
        print(f"{name:8} bound {ours:.4f} ms, {label} {theirs:.4f} ms: {ours / theirs:.3f}x ({low:.3f} to {high:.3f}), {verdict}")
    return missed


def main() -> None:
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        header, config = Path(folder, "functions.cuh"), Path(folder, "bind.yaml")
        header.write_text(HEADER)
        config.write_text(CONFIG)
        m = kernix.load(header, target="numba", config=config)
        bound = bound_kernels(m.saturating, m.blend)
        missed = timed(bound, kernels_of_numba(), "in Numba", options.rounds)
        numbast = kernels_of_numbast(header)
        if numbast is not None:
            missed += timed(bound, numbast, "Numbast", options.rounds)
    sys.exit(missed > 0)


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    main()
