#!/usr/bin/env python3
"""What calls with torch's tensors cost, without gradient, with one, and with the backward pass: kernix, an operator that
is written by hand in C++, and torch.library.custom_op, in the same run. Four numbers each, so that the work is nothing.

Building the operator by hand takes a compiler and torch's headers, and half a minute.
"""

import argparse
import os
import sys
import tempfile
import time
from pathlib import Path

import torch

import kernix
from kernix import toolchain

HERE = Path(__file__).parent
KERNELS = """
#include <kernix/kernix.h>
[[kernix::bind, kernix::differentiable]]
__global__ void scaled_sine(const float *x, [[kernix::intent(out_return), kernix::shape("x")]] float *y, float a, float b,
                            [[kernix::value("x.numel()")]] int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    y[i] = a * sinf(x[i]) + b;
}
"""
# (what, route, at most: ratio to the operator by hand)
BUDGETS = {"no gradient": 1.2, "forward": None, "forward and backward": 1.25}


def by_hand():
    from torch.utils import cpp_extension

    os.environ.setdefault("CXX", toolchain.find_compiler().path)
    with tempfile.TemporaryDirectory() as folder:
        source = str(HERE / "sources" / "by_hand_torch.cpp")
        cpp_extension.load("by_hand", [source], is_python_module=False, build_directory=folder, extra_cflags=["-O2"])
    return torch.ops.by_hand.scaled_sine


def custom_op():
    @torch.library.custom_op("kernix_benchmark::scaled_sine", mutates_args=())
    def scaled_sine(x: torch.Tensor, a: float, b: float) -> torch.Tensor:
        return torch.empty_like(x)

    def setup_context(ctx, inputs, output) -> None:
        ctx.save_for_backward(inputs[0])

    scaled_sine.register_autograd(lambda ctx, g: (torch.empty_like(ctx.saved_tensors[0]), None, None), setup_context=setup_context)
    return scaled_sine


def fastest(functions: dict, rounds: int = 100, count: int = 400) -> dict:
    """Microseconds of each, in turns: others use the machine too."""
    found = dict.fromkeys(functions, float("inf"))
    for function in functions.values():
        for _ in range(200):
            function()
    for _ in range(rounds):
        for name, function in functions.items():
            start = time.perf_counter()
            for _ in range(count):
                function()
            found[name] = min(found[name], 1e6 * (time.perf_counter() - start) / count)
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device", default="cpu", choices=["cpu", "cuda"])
    device = parser.parse_args().device
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "torch_calls.cu"
        source.write_text(KERNELS)
        ours = kernix.load(source, device).scaled_sine
    routes = {"by hand in C++": by_hand(), "kernix": ours, "kernix, operator": ours.torch_op.default, "custom_op": custom_op()}
    x = torch.rand(4, device=device)
    leaf, one = x.clone().requires_grad_(), torch.ones(4, device=device)
    met = True
    rows = {
        "no gradient": lambda f: lambda: f(x, 2.0, 1.0),
        "forward": lambda f: lambda: f(leaf, 2.0, 1.0),
        "forward and backward": lambda f: lambda: f(leaf, 2.0, 1.0).backward(one),
    }
    for what, make in rows.items():
        times = fastest({route: make(f) for route, f in routes.items()})
        base = times["by hand in C++"]
        for route, value in times.items():
            limit = BUDGETS[what] if route == "kernix" else None
            verdict = "" if limit is None else f"  at most {limit}: {'met' if value <= limit * base else 'MISSED'}"
            met &= limit is None or value <= limit * base
            print(f"{device} {what:22} {route:18} {value:7.2f} us {value / base:6.2f}x{verdict}")
    return 0 if met or os.environ.get("KERNIX_BUDGETS") != "fail" else 1


if __name__ == "__main__":
    sys.exit(main())
