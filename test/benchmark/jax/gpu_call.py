"""A call of a bound kernel inside jax.jit on a GPU against the same kernel in Pallas, compiled by Triton.

Both multiply an array by a number. `step` is one of many calls that follow each other in one compiled program, `call` one
call of a compiled program that is waited for; medians of rounds in turns. XLA records calls in CUDA graphs (command
buffers) where it may; `--no-graphs` forbids that. Needs jax for CUDA.
"""

import argparse
import os
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--rounds", type=int, default=50)
parser.add_argument("--steps", type=int, default=200)
parser.add_argument("--no-graphs", action="store_true")
options = parser.parse_args()
# CUSTOM_CALL is not among what XLA records by default; other kinds are.
graphs = "" if options.no_graphs else "FUSION,CUSTOM_CALL"
os.environ["XLA_FLAGS"] = os.environ.get("XLA_FLAGS", "") + f" --xla_gpu_enable_command_buffer={graphs}"
os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")

import jax  # noqa: E402  (reads the environment)
import jax.numpy as jnp  # noqa: E402
import kernix  # noqa: E402
import numpy as np  # noqa: E402
from jax.experimental import pallas as pl  # noqa: E402
from jax.experimental.pallas import triton as plgpu  # noqa: E402

FACTOR = 0.999
BLOCK = 1024  # elements of a program in Pallas: four for each of 256 threads, the size of kernix's default block


def in_pallas(x: Any) -> Any:
    def kernel(x_ref: Any, y_ref: Any) -> None:
        y_ref[...] = FACTOR * x_ref[...]

    spec = pl.BlockSpec((BLOCK,), lambda i: (i,))
    made = pl.pallas_call(
        kernel,
        out_shape=jax.ShapeDtypeStruct(x.shape, x.dtype),
        grid=(x.size // BLOCK,),
        in_specs=[spec],
        out_specs=spec,
        compiler_params=plgpu.CompilerParams(num_warps=8),
    )
    return made(x)


def seconds(call: Callable[[], Any]) -> float:
    start = time.perf_counter()
    call().block_until_ready()
    return time.perf_counter() - start


def main() -> int:
    if jax.default_backend() != "gpu":
        print("skipped: JAX has no GPU here")
        return 0
    module = kernix.load(Path(__file__).parent / "gpu_call.cu", target="cuda")
    ways = {"Pallas": in_pallas, "kernix": lambda x: module.scale(x, FACTOR)}
    print(f"jax {jax.__version__}, {jax.devices()[0].device_kind}, graphs: {graphs or 'none'}")
    for size in (1 << 10, 1 << 20, 1 << 26):
        x = jnp.asarray(np.random.default_rng(1).normal(size=size).astype(np.float32))

        def chain(x: Any, way: Any) -> Any:
            for _ in range(options.steps):
                x = way(x)
            return x

        calls, chains = {}, {}
        for name, way in ways.items():
            calls[name] = jax.jit(way)
            chains[name] = jax.jit(lambda x, way=way: chain(x, way))
            np.testing.assert_allclose(calls[name](x), x * np.float32(FACTOR), rtol=1e-6)
            np.testing.assert_allclose(chains[name](x), x * np.float32(FACTOR) ** options.steps, rtol=1e-3)
        times: dict[tuple[str, str], list[float]] = {}
        for _ in range(options.rounds):
            for name in ways:
                times.setdefault((name, "call"), []).append(seconds(lambda name=name: calls[name](x)))
                times.setdefault((name, "step"), []).append(seconds(lambda name=name: chains[name](x)) / options.steps)
        for what in ("call", "step"):
            row = {name: statistics.median(times[name, what]) * 1e6 for name in ways}
            text = "  ".join(f"{name} {row[name]:8.2f} us" for name in ways)
            print(f"{size:>9} floats, {what}: {text}  {row['kernix'] / row['Pallas']:5.2f}x")
    return 0


if __name__ == "__main__":
    sys.exit(main())
