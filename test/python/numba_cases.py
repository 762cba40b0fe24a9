"""What device functions give to code that Numba compiles, called for each element of arrays.

These are the tests of test_numba_cpu.py and of test/gpu/test_numba.py, which say by `run` where: the same functions, in
loops on the CPU or in kernels.
"""

from pathlib import Path
from typing import Any

import kernix
import numpy as np
import pytest
from numba import cuda
from numba.cuda import types

SOURCES = Path(__file__).parent / "sources"
SOURCE = SOURCES / "for_numba.cuh"
STATS = np.dtype([("count", "i4"), ("sum", "f4"), ("sum_sq", "f4")], align=True)
COUNT = 100


def for_each(element: Any, number: int, header: str) -> Any:
    """A function of a count and `number` arrays that calls `element(i, arrays...)`; the header says for which i."""
    names = ", ".join(f"array{k}" for k in range(number))
    scope: dict[str, Any] = {"element": element, "cuda": cuda}
    exec(f"def loop(count, {names}):\n    {header}\n        element(i, {names})\n", scope)
    return scope["loop"]


def calls_of_all(m: Any) -> tuple[Any, list[str], list[Any]]:
    """A function `element(i, given..., integers, reals)` that calls every function of a module of functions of numbers, and
    keeps the results in the rows of two arrays; the names of the functions, and the types of what is given."""
    names = list(m._kernix.functions)
    kinds: dict[str, Any] = {}
    lines, scope = [], {"types": types}
    for k, name in enumerate(names):
        function = scope[f"f{k}"] = m[name]
        overload = function.overloads[0]
        kinds.update((str(each), each) for each in overload.arguments)
        arguments = ", ".join(f"{each}_[{shift} + i]" for shift, each in enumerate(overload.arguments))
        is_real = isinstance(overload.result, types.Float)
        lines.append(f"{'reals' if is_real else 'integers'}[{k}, i] = {'' if is_real else 'types.int64'}(f{k}({arguments}))")
    header = f"def element(i, {''.join(f'{each}_, ' for each in kinds)}integers, reals):"
    exec("\n    ".join([header, *lines]), scope)
    return scope["element"], names, list(kinds.values())


def numbers(seed: int = 0, dtype: str = "float32") -> np.ndarray:
    return np.random.default_rng(seed).uniform(-2, 2, COUNT).astype(dtype)


def test_the_example_of_intents(m: Any, run: Any) -> None:
    def element(i, states, x, means, ok, scores, matrices, vectors):
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
    run(element, states, x, means, ok, scores, matrices, vectors)
    assert (states["count"] == 2).all()
    np.testing.assert_allclose(states["sum"], 3 * x, rtol=1e-6)
    np.testing.assert_allclose(means, 1.5 * x, rtol=1e-6)
    np.testing.assert_allclose(scores[ok], np.sign(x[ok]), rtol=1e-2)
    assert ok.sum() > COUNT / 2
    np.testing.assert_array_equal(matrices, np.tile(np.arange(12), (COUNT, 1)))
    np.testing.assert_array_equal(vectors, np.tile([60, 64, 68], (COUNT, 1)))


def test_results(m: Any, run: Any) -> None:
    def element(i, x, y):
        y[i, 0], y[i, 1] = m.two_results(x[i])
        y[i, 2], positive, powers = m.all_results(x[i])
        y[i, 3] = 1.0 if positive else -1.0
        y[i, 4], y[i, 5] = powers
        array = m.by_reference()
        y[i, 6] = array[0] + 10 * array[1] + 100 * array[2]

    x, y = numbers(), np.zeros((COUNT, 7))
    run(element, x, y)
    wide = x.astype("f8")
    expected = [wide / 2, np.trunc(wide), 7 + 0 * wide, np.sign(wide), wide, x * x, 321 + 0 * wide]
    np.testing.assert_allclose(y, np.stack(expected, 1), rtol=1e-6)


def test_overloads_and_defaults(m: Any, run: Any) -> None:
    def element(i, x, n, y):
        y[i, 0] = m.square(x[i])
        y[i, 1] = m.square(y[i, 1])
        y[i, 2] = m.square(n[i])
        y[i, 3] = m.geo.area(x[i]) + m.area(x[i], 3.0)
        y[i, 4] = m.geo.inner.doubled(n[i])

    x, n, y = numbers(), np.arange(COUNT, dtype="i4"), np.full((COUNT, 5), 1.1)
    run(element, x, n, y)
    np.testing.assert_allclose(y, np.stack([x * x, 1.21 + 0 * x, n * n, 5 * x, 2 * n], 1), rtol=1e-6)


def test_named_arguments(m: Any, boxes: Any, run: Any) -> None:
    def element(i, x, y):
        y[i, 0] = m.defaults(x[i], d=False)
        y[i, 1] = m.defaults(c=4, a=x[i])
        y[i, 2] = m.defaults(x[i], 2.0, e=5) + m.geo.area(height=3.0, width=x[i])
        y[i, 3] = boxes.sum(a=x[i]) + boxes.sum(x[i], y=1.0) + boxes.sum(k=i, j=2, i=1)
        y[i, 4] = boxes.geo.Box(side=x[i]).area(scale=2.0) + boxes.geo.Box(h=2.0, w=x[i]).area()
        y[i, 5] = boxes.used(boxes.Settings(rate=x[i], on=True))

    x, y = numbers(), np.zeros((COUNT, 6))
    run(element, x, y)
    i = np.arange(COUNT)
    expected = [x + 25 - 300 + 0.25, x + 25 + 400 + 1000.25, x + 20 - 300 + 1000.5 + 3 * x]
    expected += [2 * x + 1 + i + 3, 2 * x * x + 2 * x, 3 * x]
    np.testing.assert_allclose(y, np.stack(expected, 1), rtol=1e-5, atol=1e-5)


def test_elements_of_structured_arrays(m: Any, run: Any) -> None:
    """Given and set, with arrays and structs in them."""

    def element(i, outers, states, y):
        y[i] = m.outer(outers[i])
        outers[i] = m.outer_made(i, y[i])
        states[i] = m.RunningStats(i, 2.0, 3.0)
        made = m.Outer(m.Outer_inner(i, (1.0, 2.0)), 5)
        y[i] = m.outer(made) + m.key_of(made.inner)

    outers = np.zeros(COUNT, np.dtype([("inner", [("key", "i2"), ("weights", "f8", 2)]), ("count", "i4")], align=True))
    outers["inner"]["weights"] = np.arange(2 * COUNT).reshape(COUNT, 2)
    weights = outers["inner"]["weights"] @ [10.0, 100.0]
    states, y = np.zeros(COUNT, STATS), np.zeros(COUNT)
    run(element, outers, states, y)
    np.testing.assert_array_equal(y, 2 * np.arange(COUNT) + 215)
    np.testing.assert_array_equal(outers["count"], np.arange(COUNT))
    np.testing.assert_array_equal(outers["inner"]["key"], 7)
    np.testing.assert_array_equal(outers["inner"]["weights"], np.stack([weights, 2 * weights], 1))
    np.testing.assert_array_equal(states["count"], np.arange(COUNT))
    np.testing.assert_array_equal(states["sum_sq"], 3)


def test_numbers(m: Any, run: Any) -> None:
    def element(i, a, b, c, d, e, f, g, h, y):
        y[i] = m.small_numbers(a[i], b[i], c[i], d[i], e[i], f[i], g[i], h[i]) + m.color(4)

    random = np.random.default_rng(1)
    dtypes = ["int8", "uint8", "int16", "uint16", "uint32", "int64", "uint64"]
    given = [random.integers(np.iinfo(t).min // 2, np.iinfo(t).max // 2, COUNT, t) for t in dtypes]
    flags, y = random.integers(0, 2, COUNT).astype(bool), np.zeros(COUNT, "int64")
    expected = flags.astype("int64") + sum(each.astype("int64") for each in given) + 40
    run(element, flags, *given, y)
    np.testing.assert_array_equal(y, expected)


def test_vectors_and_structs(m: Any, run: Any) -> None:
    def element(i, states, x, y):
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
    run(element, states, x, y)
    i = np.arange(COUNT)
    expected = [8642 * x, 7000 + i, 4 * i, i + x * x, 5 + 3.75 + 4 + 2.5 + 3 + 0 * x]
    np.testing.assert_allclose(y, np.stack(expected, 1), rtol=1e-5)


def test_pointers(m: Any, run: Any) -> None:
    def element(i, x, y):
        if i + 3 < x.size:
            y[i, 0] = m.sum_of(x[i:], 3)
            m.fill(y[i, 1:], 2, 1.5 + i)

    x, y = numbers(), np.zeros((COUNT, 3))
    run(element, x, y)
    sums = x[:-3].astype("f8") + x[1:-2] + x[2:-1]
    np.testing.assert_allclose(y[:-3, 0], sums, atol=1e-5)
    np.testing.assert_array_equal(y[:-3, 1], 1.5 + np.arange(COUNT - 3))
    np.testing.assert_array_equal(y[:-3, 2], y[:-3, 1])


def test_derivatives(m: Any, run: Any) -> None:
    def element(i, x, w, gradients, y):
        y[i, 0], y[i, 1] = m.cube.bwd(x[i], 2.0, 3.0)
        dual = m.cube.fwd(x[i], 1.0, 2.0, 0.5)
        y[i, 2], y[i, 3] = dual.value, dual.tangent
        y[i, 4] = m.weighted.bwd(w, gradients, x[i], 1.0)

    x, w, gradients, y = numbers(), np.array([2, 3], "f4"), np.zeros(2, "f4"), np.zeros((COUNT, 5))
    run(element, x, w, gradients, y)
    wide = x.astype("f8")
    expected = [18 * wide**2, 3 * wide**3, 2 * wide**3, 6 * wide**2 + 0.5 * wide**3, 2 + 6 * wide]
    np.testing.assert_allclose(y, np.stack(expected, 1), rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(gradients, [wide.sum(), (wide**2).sum()], rtol=1e-4)


# -- members and operators --------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def boxes() -> Any:
    return kernix.load(SOURCES / "box_members.cuh", target="numba")


def test_constructors_and_methods(boxes: Any, run: Any) -> None:
    def element(i, x, y):
        square, box = boxes.geo.Box(x[i]), boxes.geo.Box(x[i], 3.0)
        y[i, 0] = square.area()
        y[i, 1] = box.area(2.0) + boxes.geo.Box.unit().area()
        y[i, 2] = boxes.geo.Box.area(box)

    x, y = numbers(), np.zeros((COUNT, 3))
    run(element, x, y)
    np.testing.assert_allclose(y, np.stack([x * x, 6 * x + 1, 3 * x], 1), rtol=1e-6)


def test_methods_that_change_their_object(boxes: Any, run: Any) -> None:
    def element(i, boxes_, x, y):
        boxes.geo.Box.grow(boxes_[i:], x[i])
        positive, left = boxes.geo.Box.shrink(boxes_[i:], 1.0)
        y[i] = left if positive else -left

    x, y = numbers(), np.zeros(COUNT)
    held = np.ones(COUNT, np.dtype([("width", "f4"), ("height", "f4")], align=True))
    run(element, held, x, y)
    np.testing.assert_allclose(held["width"], x, atol=1e-6)
    np.testing.assert_allclose(y, abs(x), atol=1e-6)


def test_operators(boxes: Any, run: Any) -> None:
    def element(i, x, y):
        a, b = boxes.geo.Box(x[i], 1.0), boxes.geo.Box(2.0, 5.0)
        both = -(a + b)
        y[i, 0] = both.width + 10 * both.height
        y[i, 1] = 1.0 if a < b else 0.0
        y[i, 2] = both[0] + 10 * both[1]
        y[i, 3] = boxes.box_call(b, x[i], 2.0)
        a += b
        a += boxes.geo.Box(1.0)
        y[i, 4] = a.width + 10 * a.height

    x, y = numbers(), np.zeros((COUNT, 5))
    run(element, x, y)
    sums = -(x + 2) - 60
    np.testing.assert_allclose(y, np.stack([sums, x < 10, sums, 2 * x + 10, x + 73], 1), rtol=1e-6)


def test_initialisers_of_members(boxes: Any, run: Any) -> None:
    def element(i, x, y):
        y[i, 0] = boxes.used(boxes.Settings(x[i]))
        y[i, 1] = boxes.used(boxes.Settings(x[i], 4)) + boxes.used(boxes.Settings(x[i], 5, False))

    x, y = numbers(), np.zeros((COUNT, 2))
    run(element, x, y)
    np.testing.assert_allclose(y, np.stack([3 * x, 4 * x], 1), rtol=1e-6)


def test_overloads_of_other_names_and_templates(boxes: Any, run: Any) -> None:
    def element(i, x, y):
        y[i, 0] = boxes.sum(x[i]) + boxes.sum(x[i], 2.0) + boxes.sum(i, 1, 2)
        y[i, 1] = boxes.cubed(x[i]) + boxes.plus_five(i)

    x, y = numbers(), np.zeros((COUNT, 2))
    i = np.arange(COUNT)
    run(element, x, y)
    np.testing.assert_allclose(y, np.stack([2 * x + i + 5, x**3 + i + 5], 1), rtol=1e-5)


def test_alignment(boxes: Any, run: Any) -> None:
    def element(i, x, y):
        made, place = boxes.wide(boxes.Wide(x[i], 2.0))
        y[i] = made.first + made.second + 100 * place

    x, y = numbers(), np.zeros(COUNT)
    run(element, x, y)
    np.testing.assert_allclose(y, x + 4, rtol=1e-6)


# -- headers that know nothing of kernix ------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def vectors() -> Any:
    return kernix.load(SOURCES / "vector_math.h", target="numba", config=SOURCES / "vector_math.yaml")


@pytest.fixture(scope="module")
def halves() -> Any:
    return kernix.load(SOURCES / "half_math.cu", target="numba", config=SOURCES / "half_math.yaml")


def test_a_header_of_vector_helpers(vectors: Any, run: Any) -> None:
    def element(i, a, b, y):
        u, v = cuda.float32x3(a[i, 0], a[i, 1], a[i, 2]), cuda.float32x3(b[i, 0], b[i, 1], b[i, 2])
        w = vectors.cross(2.0 * u + v * 0.5, -(u - v))
        y[i, 0], y[i, 1], y[i, 2] = w.x, w.y, w.z
        y[i, 3] = vectors.dot(u, v) + vectors.dot(cuda.float32x2(u.x, u.y), cuda.float32x2(v.x, v.y))
        positive, direction, size = vectors.split(v)
        y[i, 4] = size if positive else -1.0
        y[i, 5] = vectors.dot(direction, vectors.normalize(u)) + (1.0 if u == u else 0.0)
        axes = vectors.basis(direction)
        y[i, 6] = vectors.dot(axes[0], axes[1]) + vectors.dot(axes[0], direction) + vectors.length(axes[1])

    random = np.random.default_rng(3)
    a, b = (random.uniform(-2, 2, (COUNT, 3)).astype("f4") for _ in "ab")
    y = np.zeros((COUNT, 7))
    run(element, a, b, y)
    lengths = [np.linalg.norm(each, axis=1) for each in (a, b)]
    inner = (a * b).sum(1)
    np.testing.assert_allclose(y[:, :3], np.cross(2 * a + b / 2, b - a), rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(y[:, 3], inner + (a * b)[:, :2].sum(1), rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(y[:, 4], lengths[1], rtol=1e-5)
    np.testing.assert_allclose(y[:, 5], inner / lengths[0] / lengths[1] + 1, rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(y[:, 6], 1, rtol=1e-4)


def test_the_toolkits_header_of_halves(halves: Any, run: Any) -> None:
    def element(i, a, b, y):
        p, q = halves.float2half(a[i]), halves.float2half(b[i])
        y[i, 0] = halves.half2float(halves.hadd(p, q))
        y[i, 1] = halves.half2float(halves.hmul(p, q))
        y[i, 2] = halves.half2float(halves.hsqrt(halves.hmul(p, p)))
        y[i, 3] = 1.0 if halves.hlt(p, q) else 0.0
        y[i, 4] = halves.half2float(halves.hfma(p, q, p))

    a, b, y = numbers(1), numbers(2), np.zeros((COUNT, 5), "f4")
    run(element, a, b, y)
    p, q = a.astype("f2"), b.astype("f2")
    wide = (p.astype("f8") * q.astype("f8") + p.astype("f8")).astype("f2")
    expected = [p + q, p * q, np.sqrt(p * p), p < q, wide]
    np.testing.assert_array_equal(y, np.stack([each.astype("f4") for each in expected], 1))
