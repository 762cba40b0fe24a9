"""Device functions in kernels of Numba-CUDA: types, PTX and what it is linked with. What they compute is tested on the CPU
by test_numba_cpu.py, in kernels by test/gpu/test_numba.py."""

import os
import re
import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any

import kernix
import kernix.numba
import numpy as np
import pytest
from conftest import SOURCES, needs_toolkit

pytest.importorskip("numba.cuda")
pytestmark = needs_toolkit

from kernix import toolchain  # noqa: E402
from numba import cuda, errors, from_dtype, types  # noqa: E402
from numba_cases import calls_of_all  # noqa: E402

F, D, I = types.float32, types.float64, types.int32
STATS = np.dtype([("count", "i4"), ("sum", "f4"), ("sum_sq", "f4")], align=True)
RECORD = from_dtype(STATS)


@pytest.fixture(scope="module", autouse=True)
def toolkit() -> None:
    os.environ.setdefault("CUDA_HOME", toolchain.find_cuda().path)


@pytest.fixture(scope="module")
def m() -> Any:
    return kernix.load(SOURCES / "for_numba.cuh", target="numba")


def ptx_of(kernel: Callable[..., None], *arguments: Any) -> str:
    return str(cuda.compile(kernel, arguments, cc=(9, 0), output="ptx", device=False, abi="numba")[0])


def functions(ptx: str) -> dict[str, list[str]]:
    """Parameters by the names of shims: a wrong list is nothing that linkers refuse."""
    found = re.findall(r"\.func\s+\(\.param \.b32 func_retval0\) (kernix_numba_\w+)\s*\(([^)]*)\)", ptx)
    return {name: re.findall(r"\.param (\.\w+(?: \.\w+ \d+)?)", parameters) for name, parameters in found}


def check(m: Any, kernel: Callable[..., None], *arguments: Any) -> str:
    """Shims are inlined, which they are only where their types are those of the calls; of the others the kernel's PTX
    declares functions that the module's PTX has."""
    defined = functions(m._kernix.ptx[0])
    ptx = ptx_of(kernel, *arguments)
    declared = functions(ptx)
    assert set(re.findall(r"\bkernix_numba_[0-9a-f]+\b", ptx)) == set(declared)
    assert not declared.keys() & m._kernix.nvvm.keys()
    for name, parameters in declared.items():
        assert parameters == defined[name], name
    return ptx


def signatures(function: Any) -> list[str]:
    """As the seed writes them, longest first for each function."""
    return [f"({', '.join(map(str, each.arguments))}) -> {each.result}" for each in function.overloads]


# -- signatures -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("stats_update", ["(STATS*, float32) -> none"]),
        ("stats_get_mean", ["(STATS, float32*) -> none"]),
        ("stats_update_and_get_zscore", ["(STATS*, float32) -> Tuple(bool, float32)"]),
        ("stats_get_matrix_3x4", ["() -> UniTuple(float32 x 12)"]),
        ("stats_get_vectors", ["() -> UniTuple(float32x4 x 3)"]),
        ("area", ["(float32, float32) -> float32", "(float32) -> float32"]),
        ("square", ["(float32) -> float32", "(float64) -> float64", "(int32) -> int32"]),
        ("by_value", ["(STATS) -> none"]),
        ("two_results", ["(float32) -> Tuple(float64, int32)"]),
        ("all_results", ["(float32) -> Tuple(int32, bool, UniTuple(float64 x 2))"]),
        ("by_reference", ["() -> UniTuple(int32 x 3)"]),
        ("scaled", ["(float32x4, float32) -> float32x4"]),
        ("halved", ["(float16) -> float16"]),
        ("small_numbers", ["(bool, int8, uint8, int16, uint16, uint32, int64, uint64) -> int64"]),
        ("sum_of", ["(float32*, int32) -> float32"]),
        ("cube_bwd", ["(float32, float32, float32) -> UniTuple(float32 x 2)"]),
        ("weighted_bwd", ["(float32*, float32*, float32, float32) -> float32"]),
    ],
)
def test_signatures(m: Any, name: str, expected: list[str]) -> None:
    stats = str(m._kernix.struct_types["RunningStats"])
    found = [each.replace(stats, "STATS") for each in signatures(getattr(m, name))]
    assert found == expected


# -- calls in kernels -----------------------------------------------------------------------------------------------


def test_intents(m: Any) -> None:
    def kernel(states, x, means, scores):
        i = cuda.grid(1)
        m.stats_update(states[i:], x[i])
        m.stats_get_mean(states[i], means[i:])
        ok, score = m.stats_update_and_get_zscore(states[i:], x[i])
        if ok:
            scores[i] = score + m.stats_get_matrix_3x4()[7] + m.stats_get_vectors()[1].w

    check(m, kernel, RECORD[::1], F[::1], F[::1], F[::1])


def test_results(m: Any) -> None:
    def kernel(x, y):
        half, floor = m.two_results(x[0])
        seven, positive, powers = m.all_results(x[1])
        y[0] = half + floor + seven + powers[1] + m.by_reference()[2]
        if positive:
            y[1] = 1.0
        m.by_value(m.made(3, x[2]))

    check(m, kernel, F[::1], D[::1])


def test_overloads_and_defaults(m: Any) -> None:
    def kernel(x, n, y):
        y[0] = m.square(x[0]) + m.square(y[1]) + m.square(n[0])
        y[2] = m.geo.area(x[1]) + m.area(x[1], 3.0) + m.geo.inner.doubled(n[1]) + m.doubled(2)

    check(m, kernel, F[::1], I[::1], D[::1])


def test_numbers(m: Any) -> None:
    def kernel(a, b, c, d, e, f, g, h, x, y):
        y[0] = m.small_numbers(a[0], b[0], c[0], d[0], e[0], f[0], g[0], h[0]) + m.color(4)
        x[0] = m.halved(x[1])

    kinds = [types.boolean, types.int8, types.uint8, types.int16, types.uint16, types.uint32, types.int64, types.uint64]
    check(m, kernel, *(kind[::1] for kind in kinds), types.float16[::1], types.int64[::1])


def test_vectors(m: Any) -> None:
    def kernel(x, y):
        v = m.scaled(cuda.float32x4(x[0], x[1], x[2], x[3]), 2.0)
        y[0] = v.x + v.w + m.swapped(cuda.int32x2(1, 2)).x

    check(m, kernel, F[::1], F[::1])


def test_structs(m: Any) -> None:
    def kernel(states, y):
        state = m.RunningStats(1, y[0], y[1])
        y[2] = m.count_of(state) + m.count_of(states[0]) + m.made(2, y[3]).sum_sq + m.RunningStats(count=1, sum=2.0, sum_sq=3.0).sum
        made = m.nested_made(3)
        y[4] = m.nested(made) + made.inner.weights[1] + made.place.z

    check(m, kernel, RECORD[::1], F[::1])


def test_layout_of_records(m: Any) -> None:
    """An array with other gaps between its members would be misread."""
    members = [("key", "i2"), ("value", "f8")]

    def kernel(x):
        m.doubled_in_place(x[1:])

    check(m, kernel, from_dtype(np.dtype(members, align=True))[::1])
    assert "No implementation of function" in refusal(kernel, from_dtype(np.dtype(members))[::1])


def test_pointers(m: Any) -> None:
    def kernel(x, y):
        y[0] = m.sum_of(x, 4) + m.sum_of(x[2:], 2)
        m.fill(y[1:], 3, 2.0)

    check(m, kernel, F[::1], D[::1])


def test_derivatives(m: Any) -> None:
    def kernel(x, w, gw, y):
        gx, gk = m.cube.bwd(x[0], 2.0, 1.0)
        dual = m.cube.fwd(x[0], 1.0, 2.0, 0.0)
        y[0] = gx + gk + dual.value + dual.tangent + m.weighted.bwd(w, gw, x[0], 1.0)

    check(m, kernel, F[::1], F[::1], F[::1], F[::1])


def test_function_as_a_global(m: Any) -> None:
    square, space = m.square, m.geo

    def kernel(x):
        x[0] = square(x[0]) + space.area(x[1])

    check(m, kernel, F[::1])


def test_functions_that_are_linked(m: Any) -> None:
    """Libnvvm's text has no counterpart of an assertion's call, nor of an atomic operation."""

    def kernel(x, w, gw):
        x[0] = m.positive_only(x[1]) + m.weighted.bwd(w, gw, x[0], 1.0) + m.square(x[2])

    ptx = check(m, kernel, F[::1], F[::1], F[::1])
    linked = {each.symbol for function in (m.positive_only, m.weighted.bwd) for each in function.overloads}
    assert set(functions(ptx)) == linked


MATH = {
    "sines": "sinf(x) + cosf(x) + tanhf(x) + asinf(x)",
    "powers": "powf(fabsf(x), 1.7f) + exp2f(x) + expf(x) + cbrtf(x)",
    "logarithms": "logf(x) + log1pf(x) + __log2f(x) + lgammaf(x)",
    "roots": "sqrtf(x) + rsqrtf(x) + hypotf(x, 2) + __frcp_rn(x)",
    "rests": "fmodf(x, 3) + remainderf(x, 3) + roundf(x) + __float2int_rn(x)",
    "bits": "__brev(__float_as_int(x)) + __popc(__float_as_int(x)) + __clz(__float_as_int(x)) + isnan(x)",
    "turned": "static_cast<float>((unsigned(x) << 7) | (unsigned(x) >> 25)) + min(int(x), 3) + abs(int(x))",
    "wide": "erf(double(x)) + sin(double(x)) + pow(double(x), 1.7) + floor(double(x))",
    "choices": "[&] { switch (int(x)) { case 0: return 5.0f; case 1: return x; case 7: return -1.0f; default: return 2.0f; } }()",
    "arrays": "[&] { float a[4] = {1, 2, 3, 4}; a[int(x) & 3] = x; return a[1] + a[int(x + 1) & 3]; }()",
}


@pytest.mark.parametrize("cc", [(9, 0), (10, 0)])
def test_math_is_inlined(tmp_path: Path, cc: tuple[int, int]) -> None:
    source = tmp_path / "math.cu"
    text = "".join(f"[[kernix::bind]] __device__ float {name}(float x) {{ return {it}; }}\n" for name, it in MATH.items())
    source.write_text("#include <kernix/kernix.h>\n" + text)
    math = kernix.load(source, target="numba")
    for name in MATH:
        function = math[name]

        def call(x):
            x[0] = function(x[1])  # noqa: B023  (compiled at once)

        ptx = cuda.compile(call, (F[::1],), cc=cc, output="ptx", device=False, abi="numba")[0]
        assert "kernix_numba_" not in ptx, name


@pytest.fixture(scope="module")
def inlined() -> Any:
    return kernix.load(SOURCES / "inlined.cu", target="numba")


@pytest.mark.parametrize("cc", [(9, 0), (10, 0)])
def test_texts_of_all_instructions(inlined: Any, cc: tuple[int, int]) -> None:
    """Libnvvm reads them and inlines what they are; the rest is called."""
    element, names, kinds = calls_of_all(inlined)
    arguments = (types.int64, *(kind[::1] for kind in kinds), types.int64[:, ::1], D[:, ::1])
    ptx = cuda.compile(element, arguments, cc=cc, output="ptx", device=False, abi="numba")[0]
    linked = {inlined[name].overloads[0].symbol for name in names if name.startswith("linked_")}
    assert set(functions(ptx)) == linked
    assert linked == set(functions(inlined._kernix.ptx[0])) - set(inlined._kernix.nvvm)


def test_code_that_is_not_optimised() -> None:
    """All of it is linked: parameters are those of the calls for every kind of number."""
    m = kernix.load(SOURCES / "for_numba.cuh", target="numba", opt_level=0)

    def kernel(a, b, c, d, e, f, g, h, x, y, states):
        y[0] = m.small_numbers(a[0], b[0], c[0], d[0], e[0], f[0], g[0], h[0]) + m.nested(m.nested_made(3))
        x[0] = m.halved(x[1])
        m.stats_update(states[1:], m.scaled(cuda.float32x4(1, 2, 3, 4), 2.0).x + m.stats_get_matrix_3x4()[5])

    kinds = [types.boolean, types.int8, types.uint8, types.int16, types.uint16, types.uint32, types.int64, types.uint64]
    ptx = check(m, kernel, *(kind[::1] for kind in kinds), types.float16[::1], D[::1], RECORD[::1])
    assert len(functions(ptx)) == 7


@pytest.mark.parametrize(("fast_math", "root"), [(False, "sqrt.rn.f32"), (True, "sqrt.approx.f32")])
def test_square_roots(tmp_path: Path, fast_math: bool, root: str) -> None:
    """Rounded as nvcc and Numba do it, where the source's options do not say otherwise: also where it is linked."""
    source = tmp_path / "roots.cu"
    source.write_text(
        "#include <kernix/kernix.h>\n[[kernix::bind]] __device__ float f(float x) { return sqrtf(x); }\n"
        "__device__ float kept;\n[[kernix::bind]] __device__ float g(float x) { return kept = sqrtf(x); }\n"
    )
    m = kernix.load(source, target="numba", fast_math=fast_math)

    def kernel(x):
        x[0] = m.f(x[1])

    for ptx in (ptx_of(kernel, F[::1]), m._kernix.ptx[0]):
        assert set(re.findall(r"sqrt\.\S+", ptx)) == {root}


def test_text_that_libnvvm_does_not_read(tmp_path: Path) -> None:
    """Another one than this may know less: then the function is linked."""
    source = tmp_path / "unread.cu"
    source.write_text(
        "#include <kernix/kernix.h>\n[[kernix::bind]] __device__ float f(float x) { return x * 5; }\n"
        "[[kernix::bind]] __device__ float g(float x) { return x * 7; }\n"
    )
    m = kernix.load(source, target="numba")
    symbol = m.f.overloads[0].symbol
    m._kernix.nvvm[symbol] = m._kernix.nvvm[symbol].replace("fmul", "fnothing")

    def kernel(x):
        x[0] = m.f(x[1]) + m.g(x[1])

    ptx = ptx_of(kernel, F[::1])
    assert set(functions(ptx)) == {symbol}
    assert functions(ptx)[symbol] == functions(m._kernix.ptx[0])[symbol]


def test_code_in_numbas_cache(tmp_path: Path) -> None:
    """Numba looks at the kernel's own file only: a kernel is taken from there where a module with its code is loaded."""
    import pickle

    from kernix.numba import compilers

    source = tmp_path / "cached.cu"
    text = "#include <kernix/kernix.h>\n[[kernix::bind]] __device__ float f(float x) {{ return x * {}; }}\n"
    source.write_text(text.format(5))
    m = kernix.load(source, target="numba")
    code = [str(compilers._Text(each)) for each in m._kernix.nvvm.values()]
    stored = pickle.dumps(code)
    assert pickle.loads(stored) == code
    forgotten = compilers._texts.copy()
    compilers._texts.clear()
    try:
        source.write_text(text.format(6))
        kernix.load(source, target="numba")
        with pytest.raises(OSError, match="no module with this code is loaded"):  # to Numba: it is not in the cache
            pickle.loads(stored)
    finally:
        compilers._texts.update(forgotten)


CHANGING = """#include <kernix/kernix.h>
#include "factor.h"
#ifndef MORE
#define MORE 1
#endif
[[kernix::bind]] __device__ float inlined(float x) { return factor(x) * MORE; }
__device__ float kept;
[[kernix::bind]] __device__ float called(float x) { return kept = factor(kept) * MORE * x; }
"""


def multipliers(ptx: str) -> set[float]:
    return {struct.unpack(">f", bytes.fromhex(digits))[0] for digits in re.findall(r"mul\S*\.f32.*0f([0-9A-F]{8});", ptx)}


def test_loads_of_one_source_in_one_kernel(tmp_path: Path) -> None:
    """Each function is that of its load, whatever has changed between them: the source, a header, a macro, an option, the
    environment. Where nothing has, they are the same ones."""
    source, header, folder = tmp_path / "changing.cuh", tmp_path / "factor.h", tmp_path / "later"

    def load(number: int, **options: Any) -> Any:
        header.write_text(f"__device__ inline float factor(float x) {{ return x * {number}; }}\n")
        return kernix.load(source, target="numba", **options)

    def kernel(x):
        x[0], x[1] = one.inlined(x[2]), other.inlined(x[3])
        x[4], x[5] = one.called(x[6]), other.called(x[7])

    def linked_with(module: Any) -> set[float]:
        return multipliers(module._kernix.ptx[0])

    def check_both(numbers: set[float]) -> None:
        ptx = ptx_of(kernel, F[::1])
        assert multipliers(ptx) == numbers
        called = [each.called.overloads[0].symbol for each in (one, other)]
        assert set(functions(ptx)) == set(called) and called[0] != called[1]
        for module, symbol in zip((one, other), called, strict=True):
            assert functions(ptx)[symbol] == functions(module._kernix.ptx[0])[symbol]
        assert linked_with(one) | linked_with(other) == numbers

    source.write_text(CHANGING)
    one, other = load(3), load(5)
    check_both({3, 5})
    other = load(3, defines={"MORE": 7})
    check_both({3, 7})
    for more in (11, 17):
        (tmp_path / "more.h").write_text(f"#define MORE {more}\n")
        one, other = other, load(3, extra_cflags=["-imacros", str(tmp_path / "more.h")])
    check_both({3, 11, 17})
    one = load(3)
    folder.mkdir()
    (folder / "factor.h").write_text("__device__ inline float factor(float x) { return x * 13; }\n")
    header.unlink()
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("CPATH", str(folder))
        other = kernix.load(source, target="numba")
    check_both({3, 13})
    other = load(3)
    assert one.called.overloads[0].symbol == other.called.overloads[0].symbol
    assert len(functions(ptx_of(kernel, F[::1]))) == 1


def test_kernels_are_for_debugging_too(m: Any) -> None:
    def kernel(x):
        x[0] = m.square(x[1])

    options = {"cc": (9, 0), "output": "ptx", "device": False, "abi": "numba", "debug": True, "opt": False}
    code = "".join(str(part) for part in cuda.compile_all(kernel, (F[::1],), **options)[0])
    assert re.search(r"\.func .*kernix_numba_\w+\(", code)


# -- what is refused ------------------------------------------------------------------------------------------------


def refusal(kernel: Callable[..., None], *arguments: Any) -> str:
    with pytest.raises((errors.NumbaError, kernix.KernelError)) as raised:
        ptx_of(kernel, *arguments)
    return str(raised.value)


def test_refusals(m: Any) -> None:
    def view(x):
        x[0] = m.viewed(x)

    def pairs(x):
        x[0] = m.pairs()[0].first

    def named(x):
        x[0] = m.square(y=x[0])

    def twice(x):
        x[0] = m.square(x[0], x=x[0])

    def few(x):
        x[0] = m.defaults(b=x[0])

    def member(x):
        x[0] = m.Outer_inner(1, 2.0).key

    def unknown(x):
        x[0] = m.nothing(x[0])

    def strided(x):
        x[0] = m.sum_of(x[::2], 2)

    def read_only(x):
        m.fill(x, 1, 1.0)

    def other_element(x):
        x[0] = m.sum_of(x, 1)

    def members(x):
        x[0] = m.RunningStats(1, 2.0).sum

    assert "'x' of type 'kernix::TensorView<const float>' has no counterpart in Numba" in refusal(view, F[::1])
    assert "what 'out' of type 'Pair[2]' leads to has no counterpart in Numba" in refusal(pairs, F[::1])
    assert "square: there is square(float x), called with (x: float32) and square(double x), called with (x: float64) and" in refusal(named, F[::1])
    assert "not with (y=float32)" in refusal(named, F[::1])
    assert "not with (float32, x=float32)" in refusal(twice, F[::1])
    assert "called with (a: float32, b: float32 = 2.5, c: int32 = -3, d: bool = True, e: uint64" in refusal(few, F[::1])
    assert "Outer_inner: member 'weights': expected UniTuple(float64 x 2), got float64" in refusal(member, F[::1])
    assert "Unknown attribute 'nothing'" in refusal(unknown, F[::1])
    assert "sum_of: there is sum_of(const float *values, int count), called with (values: float32*, count: int32)" in refusal(strided, F[::1])
    assert "; arrays need C layout" in refusal(strided, F[::1])
    assert "; an array that is read-only cannot be written" in refusal(read_only, types.Array(D, 1, "C", readonly=True))
    assert "not with (array(float64, 1d, C), " in refusal(other_element, D[::1])
    assert "RunningStats: expected the members count, sum, sum_sq" in refusal(members, F[::1])


def test_module_that_is_not_declared(tmp_path: Path) -> None:
    source = tmp_path / "plain.cu"
    source.write_text("#include <kernix/kernix.h>\n[[kernix::bind]] __device__ float f(float x) { return x; }\n")
    plain = kernix.load(source, target="cpu")

    def kernel(x):
        x[0] = plain.f(x[0])

    assert "kernix.numba.declare(module) makes it known to Numba" in refusal(kernel, F[::1])
    declared = kernix.numba.declare(plain)
    check(declared, kernel, F[::1])


# -- intents from Python --------------------------------------------------------------------------------------------

PLAIN = """
struct Stats { int count; float sum; };
__device__ void update(Stats &state, float x) { state.count += 1; state.sum += x; }
__device__ void matrix(float *out) { for (int i = 0; i < 12; ++i) out[i] = i; }
__device__ void vectors(float4 out[3]) { out[2].x = 1; }
__device__ bool both(float &a, const float &b) { a = b; return true; }
"""
CONFIG = "Functions:\n  update: {bind: true}\n  matrix: {bind: true}\n  vectors: {bind: true}\n  both: {bind: true}\n"


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> Any:
    folder = tmp_path_factory.mktemp("plain")
    (folder / "plain.cuh").write_text(PLAIN)
    config = CONFIG + "Function Argument Intents:\n  matrix: {out: {intent: out_array_return, length: 12}}\n  both: {0: out_ptr}\n"
    (folder / "bind.yaml").write_text(config)
    return kernix.load(folder / "plain.cuh", target="numba", config=folder / "bind.yaml")


def test_intents_from_a_file(plain: Any) -> None:
    assert signatures(plain.matrix) == ["() -> UniTuple(float32 x 12)"]
    assert signatures(plain.both) == ["(float32*, float32) -> bool"]


def test_intents_from_python(plain: Any) -> None:
    declared = kernix.numba.declare(
        plain,
        arg_intent={
            "update": {"state": "inout_ptr"},
            "vectors": {0: kernix.numba.out_array_return(dtype=cuda.float32x4, length=3)},
            "matrix": {"out": kernix.numba.out_array_return(dtype=F, length=6)},
            "both": {"a": {"intent": "out_return"}},
        },
    )
    assert signatures(declared.update)[0].startswith("(kernix.Stats(count: int32, sum: float32)*, float32)")
    assert signatures(declared.vectors) == ["() -> UniTuple(float32x4 x 3)"]
    assert signatures(declared.matrix) == ["() -> UniTuple(float32 x 6)"]
    assert signatures(declared.both) == ["(float32) -> Tuple(bool, float32)"]


@pytest.mark.parametrize(
    ("arg_intent", "error", "message"),
    [
        ({"both": {"c": "out_ptr"}}, kernix.CompileError, "'both' has no parameter 'c'"),
        ({"both": {2: "out_ptr"}}, kernix.CompileError, "no parameter 2: 'both' has 2 parameters"),
        ({"both": {"b": "out_ptr"}}, kernix.CompileError, "'b' is a reference to const and cannot be an output"),
        ({"bot": {"b": "out_ptr"}}, kernix.CompileError, "'bot'"),
        ({"update": {"x": "out_ptr"}}, kernix.CompileError, "'out_ptr' needs a reference; 'x' of type 'float' is passed by value"),
        ({"matrix": {"out": kernix.numba.out_array_return()}}, kernix.CompileError, "'out' needs its number of elements"),
        ({"matrix": {"out": kernix.numba.out_array_return("double", 3)}}, kernix.CompileError, "'out' has elements of type 'float', not 'double'"),
        ({"matrix": {"out": "output"}}, kernix.KernelValueError, "matrix: parameter 'out': unknown intent 'output'"),
        ({"matrix": {"out": 3}}, kernix.KernelTypeError, "matrix: parameter 'out': expected an intent, got 3"),
        ({"matrix": {1.5: "in"}}, kernix.KernelTypeError, "matrix: expected the name or index of a parameter, got 1.5"),
        ({"matrix": "in"}, kernix.KernelTypeError, "matrix: expected a dict of parameters, got 'in'"),
        ({3: {}}, kernix.KernelTypeError, "expected the name of a function, got 3"),
        ("matrix", kernix.KernelTypeError, "expected a dict of functions"),
        ({"both": {"a": {"length": 3}}}, kernix.KernelTypeError, "expected 'intent' and perhaps 'dtype' and 'length'"),
        ({"both": {"a": {"intent": "in", "length": 3}}}, kernix.KernelTypeError, "belong to out_array_return"),
        ({"matrix": {"out": kernix.numba.out_array_return(dtype=types.void, length=3)}}, kernix.KernelValueError, "unknown dtype none"),
    ],
)
def test_wrong_intents(plain: Any, arg_intent: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=re.escape(message)):
        kernix.numba.declare(plain, arg_intent=arg_intent)


@pytest.mark.parametrize("length", [0, -1, 1.5, True])
def test_wrong_length(length: Any) -> None:
    with pytest.raises(kernix.KernelValueError, match="out_array_return: length: expected an int of at least 1"):
        kernix.numba.out_array_return(length=length)


def test_intents_of_overloads(tmp_path: Path) -> None:
    """A signature selects one; a name means all that can have the intents."""
    source = tmp_path / "overloads.cuh"
    source.write_text(
        "__device__ void f(float x, float &y) { y = x; }\n__device__ void f(double x, double &y) { y = x; }\n"
        "__device__ void f(int x, const int &y) {}\n__device__ void f(float z) {}\n"
        "__device__ void g(float x, float &y) { y = x; }\n__device__ void g(double x, double &y) { y = x; }\n"
    )
    (tmp_path / "bind.yaml").write_text(
        "Functions:\n  f: {bind: true}\n  g: {bind: true}\n"
        "Function Argument Intents:\n  f: {y: out_return}\n  'g(double, double &)': {1: out_ptr}\n"
    )
    m = kernix.load(source, target="numba", config=tmp_path / "bind.yaml")
    assert signatures(m.f) == [
        "(float32) -> float32",
        "(float64) -> float64",
        "(int32, int32) -> none",
        "(float32) -> none",
    ]
    assert signatures(m.g) == ["(float32, float32) -> none", "(float64, float64*) -> none"]
    with pytest.raises(kernix.CompileError, match="'f' has no parameter 'w'"):
        kernix.numba.declare(m, arg_intent={"f": {"w": "out_return"}})
    with pytest.raises(kernix.CompileError, match="no overload of 'f' takes these types"):
        kernix.numba.declare(m, arg_intent={"f(char)": {0: "in"}})


def test_doors_that_disagree(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """Python before the file, the file before the source; a note says so."""
    source = tmp_path / "doors.cuh"
    source.write_text(
        "#include <kernix/kernix.h>\n"
        "[[kernix::bind]] __device__ void f([[kernix::intent(out_ptr)]] float &y) { y = 1; }\n"
    )
    (tmp_path / "bind.yaml").write_text("Function Argument Intents:\n  f: {y: out_return}\n")
    m = kernix.load(source, target="numba", config=tmp_path / "bind.yaml")
    assert signatures(m.f) == ["() -> float32"]
    assert "'kernix::intent' has no effect" in capfd.readouterr().err
    assert signatures(kernix.numba.declare(m, arg_intent={"f": {0: "inout_ptr"}}).f) == ["(float32*) -> none"]


def test_the_simulator_is_refused() -> None:
    import subprocess
    import sys

    found = subprocess.run(
        [sys.executable, "-c", "import kernix.numba"], env={**os.environ, "NUMBA_ENABLE_CUDASIM": "1"}, capture_output=True, text=True
    )
    assert "kernix.numba does not work with Numba's simulator" in found.stderr


def test_wrong_modules(tmp_path: Path) -> None:
    with pytest.raises(kernix.KernelTypeError, match="declare: expected a kernix module, got str"):
        kernix.numba.declare("m")
    source = tmp_path / "nothing.cu"
    source.write_text("__device__ float f(float x) { return x; }\n")
    with pytest.raises(kernix.KernelError, match="no function is bound"):
        kernix.load(source, target="numba")


# -- from Python ----------------------------------------------------------------------------------------------------


def test_calls_from_python(m: Any) -> None:
    """They run on the CPU target, with the signatures of a module for it."""
    assert m.square(3) == 9
    assert m.geo.area(2.0) == 4.0
    assert m.stats_get_matrix_3x4() == tuple(range(12))
    assert m.two_results(3.0) == (1.5, 3)
    assert m.RunningStats(1, 2.0, 3.0).sum == 2.0


def test_code_is_for_the_oldest_gpu(tmp_path: Path) -> None:
    source = SOURCES / "for_numba.cuh"
    assert ".target sm_75" in kernix.load(source, target="numba", arch=["sm_90", "sm_75"])._kernix.ptx[0]
