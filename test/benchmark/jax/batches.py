"""A kernel under jax.vmap on a GPU: one launch for the batch, against a launch for each element, and against one call with
all numbers as one array, which is what somebody would write who knows that the kernel goes over single numbers.

Medians of rounds in turns, of calls that are waited for. Needs jax for CUDA.
"""

import argparse
import os
import shutil
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")

import jax  # noqa: E402  (reads the environment)
import jax.numpy as jnp  # noqa: E402
import kernix  # noqa: E402
import numpy as np  # noqa: E402


def seconds(call: Callable[[], Any]) -> float:
    start = time.perf_counter()
    call().block_until_ready()
    return time.perf_counter() - start


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=50)
    options = parser.parse_args()
    if jax.default_backend() != "gpu":
        print("skipped: JAX has no GPU here")
        return 0
    module = kernix.load(Path(__file__).parent / "gpu_call.cu", target="cuda")
    with tempfile.TemporaryDirectory() as folder:
        # Without its source a module has no kernels for batches.
        shutil.copy(module._kernix.built["cuda"].path, Path(folder) / "elsewhere.cuda.so")
        elsewhere = kernix.load(Path(folder) / "elsewhere.cuda.so")
        print(f"jax {jax.__version__}, {jax.devices()[0].device_kind}")
        for batch, size in ((8, 1 << 10), (256, 1 << 10), (4096, 1 << 10), (64, 1 << 20)):
            x = jnp.asarray(np.random.default_rng(1).normal(size=(batch, size)).astype(np.float32))
            ways = {
                "one array": jax.jit(lambda x: module.scale(x.reshape(-1), 0.5).reshape(x.shape)),
                "batch": jax.jit(jax.vmap(lambda x: module.scale(x, 0.5))),
                "elements": jax.jit(jax.vmap(lambda x: elsewhere.scale(x, 0.5))),
            }
            for way in ways.values():
                np.testing.assert_array_equal(way(x), x * 0.5)
            times: dict[str, list[float]] = {name: [] for name in ways}
            for _ in range(options.rounds):
                for name, way in ways.items():
                    times[name].append(seconds(lambda way=way: way(x)))
            row = {name: statistics.median(each) * 1e6 for name, each in times.items()}
            text = "  ".join(f"{name} {each:9.1f} us" for name, each in row.items())
            print(f"{batch:>5} x {size:>8} floats: {text}  {row['batch'] / row['one array']:5.2f}x of one array")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
