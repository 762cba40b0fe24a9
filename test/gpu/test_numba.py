"""Bound device functions in kernels of Numba-CUDA: the tests of test/python/numba_cases.py, and what only kernels do."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import kernix
import numpy as np
import pytest

pytest.importorskip("numba.cuda")
sys.path.append(str(Path(__file__).parents[1] / "python"))

import kernix.numba  # noqa: E402
from numba import cuda  # noqa: E402
from numba_cases import *  # noqa: E402, F403
from numba_cases import COUNT, SOURCE, SOURCES, calls_of_all, for_each, numbers  # noqa: E402

pytestmark = pytest.mark.filterwarnings("ignore:.*(Grid size|Host array)")  # about speed


@pytest.fixture(scope="module")
def m() -> Any:
    return kernix.load(SOURCE, target="numba")


@pytest.fixture
def run() -> Any:
    """Calls a function with a thread for each element; arrays are changed in place."""

    def launch(element: Any, *arrays: np.ndarray) -> None:
        kernel = for_each(cuda.jit(element, device=True), len(arrays), "i = cuda.grid(1)\n    if i < count:")
        cuda.jit(kernel)[-(-COUNT // 32), 32](COUNT, *arrays)
        cuda.synchronize()

    return launch


def test_halves(m: Any, run: Any) -> None:
    def element(i, x):
        x[i] = m.halved(x[i])

    x = numbers(2, "float16")
    expected = x / 2
    run(element, x)
    np.testing.assert_array_equal(x, expected)


def test_two_modules_in_one_kernel(m: Any, tmp_path: Path) -> None:
    """They have functions and variables of the same names, which stay apart."""
    text = "#include <kernix/kernix.h>\n__device__ float offset = {}f;\n__device__ float own(float x) {{ return x + offset; }}\n"
    text += "[[kernix::bind]] __device__ float shifted(float x) {{ return own(x); }}\n"
    for name, number in (("a", "1."), ("b", "10.")):
        (tmp_path / f"{name}.cu").write_text(text.format(number))
    a, b = (kernix.load(tmp_path / f"{name}.cu", target="numba") for name in "ab")

    @cuda.jit
    def kernel(x):
        i = cuda.grid(1)
        if i < x.size:
            x[i] = a.shifted(x[i]) + b.shifted(x[i])

    x = numbers()
    expected = 2 * x + 11
    kernel[-(-COUNT // 32), 32](x)
    cuda.synchronize()
    np.testing.assert_allclose(x, expected, rtol=1e-5)


MEETING = """
#include <kernix/kernix.h>
[[kernix::bind]] __device__ float sum_of_block(float x) {
  __shared__ float sums[32];
  for (int offset = 16; offset; offset /= 2)
    x += __shfl_down_sync(0xffffffff, x, offset);
  __syncthreads();
  if (threadIdx.x % 32 == 0)
    sums[threadIdx.x / 32] = x;
  __syncthreads();
  x = 0;
  for (int i = 0; i < static_cast<int>(blockDim.x) / 32; ++i)
    x += sums[i];
  return x;
}
[[kernix::bind]] __device__ float add(float *sum, float x) { return atomicAdd(sum, x); }
[[kernix::bind]] __device__ float cube(float x) { return x * x * x; }
"""


@pytest.fixture(scope="module")
def meeting(tmp_path_factory: pytest.TempPathFactory) -> Any:
    source = tmp_path_factory.mktemp("meeting") / "meeting.cu"
    source.write_text(MEETING)
    return kernix.load(source, target="numba")


@pytest.mark.parametrize("options", [{}, {"fastmath": True}, {"lineinfo": True}, {"debug": True, "opt": False}])
def test_threads_meet_in_functions(meeting: Any, options: Any) -> None:
    """After a branch that a compiler would like to carry the call into."""

    @cuda.jit(**options)
    def kernel(x, sums, total):
        i = cuda.grid(1)
        value = meeting.cube(x[i]) if x[i] > 0 else x[i]
        found = meeting.sum_of_block(value)
        if x[i] > 0:
            sums[i] = found
        else:
            sums[i] = found + 1.0
        meeting.add(total, value)

    x = np.random.default_rng(4).uniform(-1, 1, 512).astype("f4")
    sums, total = np.zeros(512, "f4"), np.zeros(1, "f4")
    kernel[4, 128](x, sums, total)
    cuda.synchronize()
    values = np.where(x > 0, x**3, x)
    expected = np.repeat(values.reshape(4, 128).sum(1), 128) + (x <= 0)
    np.testing.assert_allclose(sums, expected, rtol=1e-4, atol=1e-4)
    np.testing.assert_allclose(total[0], values.sum(), rtol=1e-4, atol=1e-3)


CACHED = """
import sys, kernix, numpy as np
from numba import cuda
m = kernix.load(sys.argv[1], target="numba")
@cuda.jit(cache=True)
def kernel(x):
    x[0] = m.scaled(x[0])
x = np.ones(1, "f4")
kernel[1, 1](x)
print(x[0], sum(kernel.stats.cache_hits.values()))
"""


def test_numbas_cache(tmp_path: Path) -> None:
    """A kernel is taken from it until the function is another one."""
    source, program = tmp_path / "scaled.cu", tmp_path / "program.py"
    program.write_text(CACHED)
    text = "#include <kernix/kernix.h>\n[[kernix::bind]] __device__ float scaled(float x) {{ return x * {}; }}\n"
    found = []
    for factor in (3, 3, 4, 4):
        source.write_text(text.format(factor))
        environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path / "cache")}
        command = [sys.executable, "-W", "ignore", str(program), str(source)]
        found.append(subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout.split())
    assert found == [["3.0", "0"], ["3.0", "1"], ["4.0", "0"], ["4.0", "1"]]


def test_inlined_and_linked_code_are_the_same(run: Any) -> None:
    """What libNVVM makes of the text of functions, against the PTX of the same; and against the CPU target."""
    results = []
    for name in ("inlined", "linked"):
        m = kernix.load(SOURCES / "inlined.cu", target="numba", name=name)
        if name == "linked":
            m._kernix.nvvm.clear()
        element, names, kinds = calls_of_all(m)
        random = np.random.default_rng(5)
        given = [values(random, np.dtype(str(kind))) for kind in kinds]
        integers, reals = np.zeros((len(names), COUNT), "int64"), np.zeros((len(names), COUNT))
        run(element, *given, integers, reals)
        results.append((integers, reals))
    for k, name in enumerate(names):
        np.testing.assert_array_equal(results[0][0][k], results[1][0][k], err_msg=name)
        close(name, results[0][1][k], results[1][1][k])
        if name in m._kernix.on_cpu:
            operation = m._kernix.on_cpu[name]
            parameters = operation.info["parameters"]
            order = {str(kind): array for kind, array in zip(kinds, given, strict=True)}
            columns = [order[each["dtype"]][k2:] for k2, each in enumerate(parameters)]
            expected = [operation(*(column[i].item() for column in columns)) for i in range(COUNT)]
            if results[0][0][k].any():
                np.testing.assert_array_equal(results[0][0][k].astype("u8"), np.array(expected).astype("i8").astype("u8"), err_msg=name)
            else:
                close(name, results[0][1][k], np.array(expected, "f8"))


def values(random: Any, dtype: Any) -> np.ndarray:
    """Some more than elements, since a second argument is the next one."""
    if dtype.kind == "f":
        return random.uniform(-4, 4, COUNT + 4).astype(dtype)
    if dtype.kind == "b":
        return random.integers(0, 2, COUNT + 4).astype(bool)
    small = random.integers(0, 100, COUNT + 4).astype(dtype)
    large = random.integers(np.iinfo(dtype).min // 2, np.iinfo(dtype).max // 2, COUNT + 4, dtype)
    return np.where(random.uniform(size=COUNT + 4) < 0.5, small, large)


def close(name: str, found: Any, expected: Any) -> None:
    is_short = name.startswith(("half", "brain"))
    tolerance = {"rtol": 1e-2, "atol": 0.1} if is_short else {"rtol": 1e-4, "atol": 1e-4}
    np.testing.assert_allclose(found, expected, err_msg=name, **tolerance)
