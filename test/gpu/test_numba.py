"""Bound device functions in kernels of Numba-CUDA give what the same functions give on the CPU target, or NumPy."""

from pathlib import Path
from typing import Any

import kernix
import numpy as np
import pytest

pytest.importorskip("numba.cuda")

import kernix.numba  # noqa: E402
from numba import cuda  # noqa: E402

pytestmark = pytest.mark.filterwarnings("ignore:.*(Grid size|Host array)")  # about speed
SOURCE = Path(__file__).parents[1] / "python" / "sources" / "for_numba.cuh"
STATS = np.dtype([("count", "i4"), ("sum", "f4"), ("sum_sq", "f4")], align=True)
COUNT = 100


@pytest.fixture(scope="module")
def m() -> Any:
    return kernix.load(SOURCE, target="numba")


def numbers(seed: int = 0, dtype: str = "float32") -> np.ndarray:
    return np.random.default_rng(seed).uniform(-2, 2, COUNT).astype(dtype)


def run(kernel: Any, *arrays: np.ndarray) -> None:
    """With a thread for each element; arrays are changed in place."""
    kernel[-(-COUNT // 32), 32](*arrays)
    cuda.synchronize()


def test_the_example_of_intents(m: Any) -> None:
    @cuda.jit
    def kernel(states, x, means, ok, scores, matrices, vectors):
        i = cuda.grid(1)
        if i < x.size:
            m.stats_update(states[i:], x[i])
            ok[i], scores[i] = m.stats_update_and_get_zscore(states[i:], 2 * x[i])
            m.stats_get_mean(states[i], means[i:])
            matrix = m.stats_get_matrix_3x4()
            for k in range(12):
                matrices[i, k] = matrix[k]
            found = m.stats_get_vectors()
            for k in range(3):
                vectors[i, k] = found[k].x + found[k].y + found[k].z + found[k].w

    x = numbers()
    states = np.zeros(COUNT, STATS)
    means, scores, ok = np.zeros(COUNT, "f4"), np.zeros(COUNT, "f4"), np.zeros(COUNT, "bool")
    matrices, vectors = np.zeros((COUNT, 12), "f4"), np.zeros((COUNT, 3), "f4")
    run(kernel, states, x, means, ok, scores, matrices, vectors)
    assert (states["count"] == 2).all()
    np.testing.assert_allclose(states["sum"], 3 * x, rtol=1e-6)
    np.testing.assert_allclose(means, 1.5 * x, rtol=1e-6)
    np.testing.assert_allclose(scores[ok], np.sign(x[ok]), rtol=1e-2)
    assert ok.sum() > COUNT / 2
    np.testing.assert_array_equal(matrices, np.tile(np.arange(12), (COUNT, 1)))
    np.testing.assert_array_equal(vectors, np.tile([60, 64, 68], (COUNT, 1)))


def test_results(m: Any) -> None:
    @cuda.jit
    def kernel(x, y):
        i = cuda.grid(1)
        if i < x.size:
            y[i, 0], y[i, 1] = m.two_results(x[i])
            y[i, 2], positive, powers = m.all_results(x[i])
            y[i, 3] = 1.0 if positive else -1.0
            y[i, 4], y[i, 5] = powers
            array = m.by_reference()
            y[i, 6] = array[0] + 10 * array[1] + 100 * array[2]

    x, y = numbers(), np.zeros((COUNT, 7))
    run(kernel, x, y)
    wide = x.astype("f8")
    expected = [wide / 2, np.trunc(wide), 7 + 0 * wide, np.sign(wide), wide, x * x, 321 + 0 * wide]
    np.testing.assert_allclose(y, np.stack(expected, 1), rtol=1e-6)


def test_overloads_and_defaults(m: Any) -> None:
    @cuda.jit
    def kernel(x, n, y):
        i = cuda.grid(1)
        if i < x.size:
            y[i, 0] = m.square(x[i])
            y[i, 1] = m.square(y[i, 1])
            y[i, 2] = m.square(n[i])
            y[i, 3] = m.geo.area(x[i]) + m.area(x[i], 3.0)
            y[i, 4] = m.geo.inner.doubled(n[i])

    x, n, y = numbers(), np.arange(COUNT, dtype="i4"), np.full((COUNT, 5), 1.1)
    run(kernel, x, n, y)
    np.testing.assert_allclose(y, np.stack([x * x, 1.21 + 0 * x, n * n, 5 * x, 2 * n], 1), rtol=1e-6)


def test_numbers(m: Any) -> None:
    @cuda.jit
    def kernel(a, b, c, d, e, f, g, h, half, y):
        i = cuda.grid(1)
        if i < y.size:
            y[i] = m.small_numbers(a[i], b[i], c[i], d[i], e[i], f[i], g[i], h[i]) + m.color(4)
            half[i] = m.halved(half[i])

    random = np.random.default_rng(1)
    dtypes = ["int8", "uint8", "int16", "uint16", "uint32", "int64", "uint64"]
    given = [random.integers(np.iinfo(t).min // 2, np.iinfo(t).max // 2, COUNT, t) for t in dtypes]
    flags, half, y = random.integers(0, 2, COUNT).astype(bool), numbers(2, "float16"), np.zeros(COUNT, "int64")
    expected = flags.astype("int64") + sum(each.astype("int64") for each in given) + 40
    halves = half / 2
    run(kernel, flags, *given, half, y)
    np.testing.assert_array_equal(y, expected)
    np.testing.assert_array_equal(half, halves)


def test_vectors_and_structs(m: Any) -> None:
    @cuda.jit
    def kernel(states, x, y):
        i = cuda.grid(1)
        if i < x.size:
            v = m.scaled(cuda.float32x4(x[i], 2 * x[i], 3 * x[i], 4 * x[i]), 2.0)
            y[i, 0] = v.x + 10 * v.y + 100 * v.z + 1000 * v.w
            pair = m.swapped(cuda.int32x2(i, 7))
            y[i, 1] = 1000 * pair.x + pair.y
            state = m.RunningStats(i, x[i], 1.0)
            y[i, 2] = m.count_of(state) + m.count_of(states[i])
            m.by_value(state)
            made = m.made(state.count, x[i])
            y[i, 3] = made.count + made.sum_sq
            nested = m.nested_made(5)
            y[i, 4] = m.nested(nested) + nested.inner.weights[1] + nested.place.z

    x, y, states = numbers(), np.zeros((COUNT, 5)), np.zeros(COUNT, STATS)
    states["count"] = np.arange(COUNT) * 3
    run(kernel, states, x, y)
    i = np.arange(COUNT)
    expected = [8642 * x, 7000 + i, 4 * i, i + x * x, 5 + 3.75 + 4 + 2.5 + 3 + 0 * x]
    np.testing.assert_allclose(y, np.stack(expected, 1), rtol=1e-5)


def test_pointers(m: Any) -> None:
    @cuda.jit
    def kernel(x, y):
        i = cuda.grid(1)
        if i + 3 < x.size:
            y[i, 0] = m.sum_of(x[i:], 3)
            m.fill(y[i, 1:], 2, 1.5 + i)

    x, y = numbers(), np.zeros((COUNT, 3))
    run(kernel, x, y)
    sums = x[:-3].astype("f8") + x[1:-2] + x[2:-1]
    np.testing.assert_allclose(y[:-3, 0], sums, atol=1e-5)
    np.testing.assert_array_equal(y[:-3, 1], 1.5 + np.arange(COUNT - 3))
    np.testing.assert_array_equal(y[:-3, 2], y[:-3, 1])


def test_derivatives(m: Any) -> None:
    @cuda.jit
    def kernel(x, w, gradients, y):
        i = cuda.grid(1)
        if i < x.size:
            y[i, 0], y[i, 1] = m.cube.bwd(x[i], 2.0, 3.0)
            dual = m.cube.fwd(x[i], 1.0, 2.0, 0.5)
            y[i, 2], y[i, 3] = dual.value, dual.tangent
            y[i, 4] = m.weighted.bwd(w, gradients, x[i], 1.0)

    x, w, gradients, y = numbers(), np.array([2, 3], "f4"), np.zeros(2, "f4"), np.zeros((COUNT, 5))
    run(kernel, x, w, gradients, y)
    wide = x.astype("f8")
    expected = [18 * wide**2, 3 * wide**3, 2 * wide**3, 6 * wide**2 + 0.5 * wide**3, 2 + 6 * wide]
    np.testing.assert_allclose(y, np.stack(expected, 1), rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(gradients, [wide.sum(), (wide**2).sum()], rtol=1e-4)


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
    run(kernel, x)
    np.testing.assert_allclose(x, expected, rtol=1e-5)
