#!/usr/bin/env python3
"""What calls with torch's tensors cost, without gradient, with one, and with the backward pass: kernix, an operator that
is written by hand in C++, and torch.library.custom_op, in the same run. Four numbers each, so that the work is nothing.
With --device cuda also a function of an extension module (as torch.utils.cpp_extension.load_inline makes them, without
gradient) and Triton with a torch.autograd.Function in Python; every call launches a kernel.

Building the operator by hand takes a compiler and torch's headers, and half a minute.
"""

import argparse
import os
import subprocess
import sys
import sysconfig
import tempfile
import time
from pathlib import Path

import torch

import kernix
from kernix import gpu, toolchain

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
[[kernix::bind, kernix::differentiable]]
__global__ void two(const float *x, [[kernix::intent(out_return), kernix::shape("x")]] float *left,
                    [[kernix::intent(out_return), kernix::shape("x")]] float *right,
                    [[kernix::value("x.numel()")]] int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    left[i] = 3 * sinf(x[i]), right[i] = x[i] * x[i];
}
[[kernix::bind, kernix::differentiable]]
__global__ void add([[kernix::intent(inout_ptr)]] float *y, const float *x, [[kernix::value("x.numel()")]] int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    y[i] += x[i] * x[i];
}
"""
# (what, route, at most: ratio to the operator by hand)
BUDGETS = {"no gradient": 1.2, "forward": None, "forward and backward": 1.25}


def by_hand(device: str, folder: str) -> dict:
    """The operator, and the same as a function of an extension module where Python's headers are."""
    from torch.utils import cpp_extension

    os.environ.setdefault("CXX", toolchain.find_compiler().path)
    flags, libraries = ["-O2"], []
    if device == "cuda":
        flags.append("-DBY_HAND_CUDA")
        libraries = [compile_kernels(folder), f"-Wl,-rpath,{folder}"]
    has_headers = (Path(sysconfig.get_path("include")) / "Python.h").is_file()
    if has_headers:
        flags.append("-DBY_HAND_PYBIND")
    module = cpp_extension.load(
        "by_hand",
        [str(HERE / "sources" / "by_hand_torch.cpp")],
        is_python_module=has_headers,
        build_directory=folder,
        extra_cflags=flags,
        extra_ldflags=libraries,
        with_cuda=device == "cuda",
    )
    routes = {"by hand in C++": torch.ops.by_hand.scaled_sine}
    return {**routes, "extension module": module.scaled_sine} if has_headers else routes


def compile_kernels(folder: str) -> str:
    compiler, cuda = toolchain.find_compiler(), toolchain.find_cuda()
    output = os.path.join(folder, "by_hand_kernels.so")
    command = [compiler.path, "--no-offload-new-driver", f"--cuda-path={cuda.path}", "-std=c++20", "-O3", "-fPIC", "-shared"]
    command += ["-Wno-unknown-cuda-version", *compiler.linker_flags]
    command += [f"--cuda-gpu-arch={architecture}" for architecture in gpu.architectures()]
    command += ["-x", "cuda", str(HERE / "sources" / "by_hand_torch.cu"), *(f"-L{path}" for path in cuda.library_dirs)]
    subprocess.run([*command, "-lcudart_static", "-ldl", "-lrt", "-lpthread", "-o", output], check=True)
    return output


def custom_op():
    @torch.library.custom_op("kernix_benchmark::scaled_sine", mutates_args=())
    def scaled_sine(x: torch.Tensor, a: float, b: float) -> torch.Tensor:
        return torch.empty_like(x)

    def setup_context(ctx, inputs, output) -> None:
        ctx.save_for_backward(inputs[0])

    scaled_sine.register_autograd(lambda ctx, g: (torch.empty_like(ctx.saved_tensors[0]), None, None), setup_context=setup_context)
    return scaled_sine


def others(module) -> dict:
    """Calls that return two tensors, and that change one: by what is measured and by route."""

    @torch.library.custom_op("kernix_benchmark::two", mutates_args=())
    def two(x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        return torch.empty_like(x), torch.empty_like(x)

    def setup_context(ctx, inputs, output) -> None:
        ctx.save_for_backward(inputs[0])

    two.register_autograd(lambda ctx, left, right: torch.empty_like(ctx.saved_tensors[0]), setup_context=setup_context)
    twos = {"by hand in C++": torch.ops.by_hand.two, "kernix": module.two, "custom_op": two}
    adds = {"by hand in C++": torch.ops.by_hand.add_, "kernix": module.add}

    def changed(add):
        def call(x):
            y = torch.zeros_like(x)
            add(y, x)
            return y

        return call

    return {
        "two results": {route: lambda x, f=f: f(x)[0] for route, f in twos.items()},
        "a tensor changed": {route: changed(f) for route, f in adds.items()},
    }


def fastest(functions: dict, rounds: int, count: int = 400) -> dict:
    """Microseconds of each, in turns: others use the machine too."""
    wait = torch.cuda.synchronize if torch.cuda.is_available() else lambda: None
    found = dict.fromkeys(functions, float("inf"))
    for function in functions.values():
        for _ in range(200):
            function()
    for _ in range(rounds):
        for name, function in functions.items():
            wait()
            start = time.perf_counter()
            for _ in range(count):
                function()
            found[name] = min(found[name], 1e6 * (time.perf_counter() - start) / count)
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device", default="cpu", choices=["cpu", "cuda"])
    parser.add_argument("--rounds", type=int, default=100)
    arguments = parser.parse_args()
    device = arguments.device
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "torch_calls.cu"
        source.write_text(KERNELS)
        module = kernix.load(source, device)
        ours = module.scaled_sine
        routes = by_hand(device, folder)
    routes |= {"kernix": ours, "kernix, operator": ours.torch_op.default, "custom_op": custom_op()}
    if device == "cuda":
        import triton_calls

        routes["Triton"] = triton_calls.scaled_sine
    x = torch.rand(4, device=device)
    leaf, one = x.clone().requires_grad_(), torch.ones(4, device=device)
    expected, slope = 2 * torch.sin(x) + 1, 2 * torch.cos(x)
    met = True
    rows = {
        "no gradient": lambda f: lambda: f(x, 2.0, 1.0),
        "forward": lambda f: lambda: f(leaf, 2.0, 1.0),
        "forward and backward": lambda f: lambda: f(leaf, 2.0, 1.0).backward(one),
    }
    for route, function in routes.items():
        if route != "custom_op":  # which does no work
            torch.testing.assert_close(function(x, 2.0, 1.0), expected)
        if route not in ("custom_op", "extension module"):
            torch.testing.assert_close(torch.autograd.grad(function(leaf, 2.0, 1.0), leaf, one)[0], slope)
    for what, make in rows.items():
        functions = {route: make(f) for route, f in routes.items() if what == "no gradient" or route != "extension module"}
        times = fastest(functions, arguments.rounds)
        base = times["by hand in C++"]
        for route, value in times.items():
            limit = BUDGETS[what] if route == "kernix" else None
            verdict = "" if limit is None else f"  at most {limit}: {'met' if value <= limit * base else 'MISSED'}"
            met &= limit is None or value <= limit * base
            print(f"{device} {what:22} {route:18} {value:7.2f} us {value / base:6.2f}x{verdict}", flush=True)
    for what, functions in others(module).items():
        for step, make in {"forward": rows["forward"], "and backward": rows["forward and backward"]}.items():
            times = fastest({route: make(lambda x, *_, f=f: f(x)) for route, f in functions.items()}, arguments.rounds)
            for route, value in times.items():
                ratio = value / times["by hand in C++"]
                print(f"{device} {what + ', ' + step:30} {route:18} {value:7.2f} us {ratio:6.2f}x", flush=True)
    return 0 if met or os.environ.get("KERNIX_BUDGETS") != "fail" else 1


if __name__ == "__main__":
    sys.exit(main())
