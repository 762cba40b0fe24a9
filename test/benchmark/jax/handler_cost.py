"""What a call costs in a loop that JAX compiled: kernix's handler against one by hand with XLA's C++ headers.

Both multiply four floats on the CPU. A round is a jitted loop of many calls; rounds of both alternate, and the fastest of
each counts. Also prints the CPU time that clang takes for the source of each. Needs jax; $KERNIX_CLANG names a clang++ 22.
"""

import argparse
import ctypes
import os
import resource
import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import kernix
import numpy as np

HERE = Path(__file__).parent
CLANG = os.environ.get("KERNIX_CLANG", "clang++-22")
BUDGET = 1.0


def children_time(command: list[str]) -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def by_hand(folder: Path) -> Callable[[Any], Any]:
    library = folder / "by_hand.so"
    command = [CLANG, "-std=c++20", "-O3", "-march=native", "-shared", "-fPIC", "-isystem", jax.ffi.include_dir()]
    subprocess.run([*command, str(HERE / "by_hand.cpp"), "-o", str(library)], check=True)
    handler = ctypes.CDLL(str(library)).scale_by_hand
    jax.ffi.register_ffi_target("scale_by_hand", jax.ffi.pycapsule(handler), platform="cpu")
    return lambda x: jax.ffi.ffi_call("scale_by_hand", jax.ShapeDtypeStruct(x.shape, x.dtype))(x, a=np.float32(1))


def loop(step: Callable[[Any], Any], count: int) -> Callable[[Any], Any]:
    compiled: Callable[[Any], Any] = jax.jit(lambda x: jax.lax.fori_loop(0, count, lambda _, x: step(x), x))
    return compiled


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--count", type=int, default=200_000)
    options = parser.parse_args()
    module = kernix.load(HERE / "bound.cu", target="cpu")
    with tempfile.TemporaryDirectory() as folder:
        steps = {
            "by hand": by_hand(Path(folder)),
            "kernix, host function": lambda x: module.scale(x, 1.0),
            "kernix, kernel": lambda x: module.scale_kernel(x, 1.0),
            "empty loop": lambda x: x * jnp.float32(1),
        }
        x = jnp.ones(4, "float32")
        loops = {name: loop(step, options.count) for name, step in steps.items()}
        best = dict.fromkeys(steps, float("inf"))
        for each in loops.values():
            each(x).block_until_ready()
        for _ in range(options.rounds):
            for name, each in loops.items():
                start = time.perf_counter()
                each(x).block_until_ready()
                best[name] = min(best[name], (time.perf_counter() - start) / options.count)
        hand = best["by hand"]
        for name, seconds in best.items():
            print(f"{name:24} {seconds * 1e6:6.3f} us {seconds / hand:6.2f}x")
        headers = [CLANG, "-std=c++20", "-O3", "-fPIC", "-isystem", jax.ffi.include_dir(), "-c", "-o", f"{folder}/a.o"]
        root = Path(kernix.__file__).parent
        resources = subprocess.run([CLANG, "-print-resource-dir"], check=True, capture_output=True, text=True).stdout.strip()
        own = [CLANG, f"--config={root}/share/kernix/kernix-cpu-host.cfg", "-idirafter", f"{resources}/include", "-O3"]
        xla = min(children_time([*headers, str(HERE / "by_hand.cpp")]) for _ in range(3))
        bound = min(children_time([*own, str(HERE / "bound.cu"), "-c", "-o", f"{folder}/b.o"]) for _ in range(3))
        print(f"compiling: {xla:.2f} s with XLA's headers, {bound:.2f} s bound ({bound / xla:.2f}x)")
    met = best["kernix, host function"] <= BUDGET * hand
    print(f"handler against by hand: at most {BUDGET}: {'met' if met else 'MISSED'}")
    return 0 if met else 1


if __name__ == "__main__":
    raise SystemExit(main())
