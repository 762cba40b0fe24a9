#!/usr/bin/env python3
"""A bound kernel against the same kernel launched by hand: time on the GPU, in turns, in one run.

Each measurement is one launch between two CUDA events, on arrays well above the cache. The machine code is the same, so
that the ratio says whether a launch by kernix costs the GPU anything.
"""

import argparse
import ctypes
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable

import torch
from timing import in_turns

import kernix
from kernix import _paths, gpu, toolchain

SOURCE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "sources", "kernels.cu")
# The same machine code; what is allowed is the noise of two medians.
MOST = 1.01


def compile_by_hand(folder: str) -> ctypes.CDLL:
    compiler, cuda = toolchain.find_compiler(), toolchain.find_cuda()
    output = os.path.join(folder, "by_hand.so")
    command = [compiler.path, "--no-offload-new-driver", f"--cuda-path={cuda.path}", "-std=c++20", "-O3", "-DBY_HAND"]
    command += ["-Wno-unknown-cuda-version", "-shared", "-fPIC", f"-I{_paths.INCLUDE}", *compiler.linker_flags]
    command += [f"--cuda-gpu-arch={architecture}" for architecture in gpu.architectures()]
    command += ["-x", "cuda", SOURCE, *(f"-L{path}" for path in cuda.library_dirs)]
    subprocess.run([*command, "-lcudart_static", "-ldl", "-lrt", "-lpthread", "-o", output], check=True)
    return ctypes.CDLL(output)


def compare(what: str, bound: Callable[[], object], by_hand: Callable[[], object], rounds: int, traffic: int) -> bool:
    ours, theirs, quartiles = in_turns(bound, by_hand, rounds)
    ratio = ours / theirs
    rate = f", {traffic / ours * 1e-9:.2f} TB/s" if traffic else ""
    print(
        f"kernel {what:10} {ours:7.3f} ms{rate}, against by hand {ratio:.3f}x ({quartiles[0]:.3f} to {quartiles[1]:.3f},"
        f" {rounds} rounds)  at most {MOST}: {'met' if ratio <= MOST else 'MISSED'}"
    )
    return ratio <= MOST


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=100)
    rounds = parser.parse_args().rounds
    module = kernix.load(SOURCE)
    n, side = 1 << 28, 2048
    with tempfile.TemporaryDirectory() as folder:
        hand = compile_by_hand(folder)
    pointer, integer, long = ctypes.c_void_p, ctypes.c_int, ctypes.c_int64
    hand.blend_by_hand.argtypes = [pointer, pointer, pointer, ctypes.c_float, long, pointer]
    hand.matmul_by_hand.argtypes = [pointer, pointer, pointer, integer, integer, integer, pointer]

    x, y, z = (torch.rand(n, device="cuda") for _ in range(3))
    met = compare(
        "blend",
        lambda: module.blend(x, y, a=0.25, z=z),
        lambda: hand.blend_by_hand(x.data_ptr(), y.data_ptr(), z.data_ptr(), 0.25, n, None),
        rounds,
        3 * 4 * n,
    )
    a, b, c = (torch.rand(side, side, device="cuda") for _ in range(3))
    met &= compare(
        "matmul",
        lambda: module.matmul(a, b, c=c),
        lambda: hand.matmul_by_hand(a.data_ptr(), b.data_ptr(), c.data_ptr(), side, side, side, None),
        rounds,
        0,
    )
    return 0 if met else 1


if __name__ == "__main__":
    sys.exit(main())
