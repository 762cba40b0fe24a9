"""Bound device functions in functions that Numba compiles for the CPU: the tests of numba_cases.py, and what is special
there."""

import os
from typing import Any

import kernix
import kernix.numba
import numpy as np
import pytest
from conftest import has_toolkit
from kernix import toolchain

pytest.importorskip("numba.cuda")

import numba  # noqa: E402
from numba import cuda, errors  # noqa: E402
from numba_cases import *  # noqa: E402, F403
from numba_cases import COUNT, SOURCE, for_each  # noqa: E402


@pytest.fixture(scope="module")
def m() -> Any:
    return kernix.load(SOURCE, target="numba")


@pytest.fixture
def run() -> Any:
    """Calls a function for one element after the other; arrays are changed in place. That it can be compiled as a kernel is
    tested on the way, where there is a toolkit."""

    def loop(element: Any, *arrays: np.ndarray) -> None:
        if has_toolkit():
            os.environ.setdefault("CUDA_HOME", toolchain.find_cuda().path)
            arguments = (numba.int64, *map(numba.typeof, arrays))
            cuda.compile_all(element, arguments, cc=(9, 0), output="ptx", device=False, abi="numba")
        numba.njit(for_each(numba.njit(element), len(arrays), "for i in range(count):"))(COUNT, *arrays)

    return loop


def test_halves_are_numbers_of_float32(m: Any) -> None:
    """Numba has them in kernels only."""

    @numba.njit
    def halved(x):
        return m.halved(x)

    x = np.concatenate([np.random.default_rng(0).uniform(-7e4, 7e4, 200), [0.0, -0.0, np.inf, np.nan, 1e-8, 65519.0]])
    with np.errstate(over="ignore"):
        expected = x.astype("f4").astype("f2") * np.float16(0.5)
    np.testing.assert_array_equal(np.array([halved(each) for each in x]), expected.astype("f8"))


def test_rounding_to_bfloat16(m: Any) -> None:
    """To the nearest, ties to the even one."""

    @numba.njit
    def rounded(x):
        return m.brain(x)

    for bits, expected in [
        (0x3F808000, 0x3F80),
        (0x3F818000, 0x3F82),
        (0x3F808001, 0x3F81),
        (0x7F7FFFFF, 0x7F80),
        (0xFF800000, 0xFF80),
        (0x00000001, 0x0000),
    ]:
        x = np.array([bits], "u4").view("f4")[0]
        assert np.array([rounded(x)], "f4").view("u4")[0] >> 16 == expected, hex(bits)
    assert np.isnan(rounded(np.array([0x7F800001], "u4").view("f4")[0]))


def test_structs_of_python(m: Any) -> None:
    """A module's named tuples may be given to compiled functions; those of other modules are not known there."""

    @numba.njit
    def count_of(state):
        return m.count_of(state)

    assert count_of(m.RunningStats(5, 2.0, 3.0)) == 5
    with pytest.raises(errors.TypingError, match="count_of: there is count_of"):
        count_of(m.Outer(m.Inner(5, (2.0, 3.0)), 6))
    other = kernix.load(SOURCE, target="cpu", name="other")
    made = other.RunningStats
    with pytest.raises(kernix.KernelTypeError, match="RunningStats: a struct of a module that Numba does not know"):
        numba.njit(lambda x: made(x, 2.0, 3.0).count)(1)


def test_defaults_of_halves(m: Any) -> None:
    assert numba.njit(lambda x: (m.of_halves(x), m.of_halves(x, brain=2.0), m.of_halves(half=2.0, in_=x)))(1.0) == (4.5, 3.0, 6.0)


def test_vectors_are_made_of_vectors() -> None:
    @numba.njit
    def made(x):
        v = cuda.float32x4(x, cuda.float32x2(2, 3), 4)
        return v.x, v.y, v.z, v.w

    assert made(1.0) == (1.0, 2.0, 3.0, 4.0)


def test_an_error_is_an_exception(m: Any) -> None:
    @numba.njit
    def call(x):
        return m.positive_only(x)

    assert call(2.0) == 2.0
    with pytest.raises(kernix.KernelError, match=r"positive_only\(float x\): .*assertion `x > 0' failed"):
        call(-1.0)


ALONE = """
#include <kernix/kernix.h>
[[kernix::bind]] __device__ unsigned place(unsigned a) {
  return a + 1000 * blockDim.x + 100 * gridDim.x + 10 * threadIdx.x + blockIdx.x;
}
[[kernix::bind]] __device__ int lanes(int a) {
  return __shfl_sync(0xffffffff, a, 0) + __popc(__ballot_sync(0xffffffff, a > 0)) + __activemask();
}
[[kernix::bind]] __device__ int meeting(int a) {
  __syncthreads();
  __syncwarp();
  return __syncthreads_count(a > 0) + 10 * __syncthreads_and(a > 0) + 100 * __syncthreads_or(a < 0);
}
[[kernix::bind]] __device__ int shared(int a) {
  __shared__ int values[32];
  extern __shared__ int others[];
  values[threadIdx.x] = a;
  others[threadIdx.x] = 2 * a;
  __syncthreads();
  return values[0] + atomicAdd(&others[0], 1) + others[0];
}
[[kernix::bind]] __global__ void launched(int *x) { x[threadIdx.x + blockIdx.x * blockDim.x] = threadIdx.x; }
"""


def test_a_function_that_is_called_is_alone(tmp_path: Any) -> None:
    """As the only thread of a launch, whatever ran before."""
    source = tmp_path / "alone.cu"
    source.write_text(ALONE)
    alone = kernix.load(source, target="numba")
    on_cpu = alone._kernix.on_cpu
    on_cpu.launched(np.zeros(64, "i4"), launchBlockSize=(16, 1, 1), launchGridSize=(4, 1, 1))

    @numba.njit
    def call(x):
        return alone.place(x), alone.lanes(x), alone.meeting(x), alone.shared(x)

    assert call(5) == (1105, 7, 11, 26)
    assert (on_cpu.place(5), on_cpu.lanes(5), on_cpu.meeting(5), on_cpu.shared(5)) == (1105, 7, 11, 26)


def test_code_is_not_cached(m: Any, tmp_path: Any) -> None:
    """It has addresses in it."""
    source = tmp_path / "cached.py"
    source.write_text("import numba\n@numba.njit(cache=True)\ndef call(x):\n    return m.square(x)\n")
    scope: dict[str, Any] = {"m": m, "__name__": "cached", "__file__": str(source)}
    exec(compile(source.read_text(), str(source), "exec"), scope)
    with pytest.warns(errors.NumbaWarning, match="Cannot cache compiled function"):
        assert scope["call"](3.0) == 9.0


def test_in_threads(m: Any) -> None:
    @numba.njit(parallel=True)
    def squares(x):
        y = np.empty_like(x)
        for i in numba.prange(x.size):
            y[i] = m.square(x[i])
        return y

    x = np.arange(1000.0)
    np.testing.assert_array_equal(squares(x), x * x)


def test_a_source_that_changes(tmp_path: Any) -> None:
    """One that is loaded again has symbols of its own; the old module cannot be built any more."""
    source = tmp_path / "changing.cuh"
    text = "#include <kernix/kernix.h>\n[[kernix::bind]] __device__ int f(int x) {{ return x + {}; }}\n"
    source.write_text(text.format(1))
    first, late = (kernix.load(source, target="numba", name=name) for name in ("changing", "late"))
    call_first = numba.njit(lambda x: first.f(x))
    assert call_first(1) == 2
    source.write_text(text.format(2))
    second = kernix.load(source, target="numba", name="changing")
    both = numba.njit(lambda x: 10 * first.f(x) + second.f(x))
    assert both(1) == 23
    assert first.f.overloads[0].symbol != second.f.overloads[0].symbol
    if has_toolkit():
        with pytest.raises(kernix.KernelError, match=r"late: .*changing.cuh has changed since the module was loaded"):
            numba.njit(lambda x: late.f(x))(1)


def test_a_header_that_changes(tmp_path: Any) -> None:
    """As a source that does: nothing is built of another content than what is there already."""
    header, source = tmp_path / "number.h", tmp_path / "includes.cuh"
    source.write_text(
        '#include <kernix/kernix.h>\n#include "number.h"\n[[kernix::bind]] __device__ int f(int x) { return x + number; }\n'
    )
    header.write_text("constexpr int number = 1;\n")
    first, late = (kernix.load(source, target="numba", name=name) for name in ("includes", "late"))
    on_cpu = kernix.load(source, target="cpu")
    assert numba.njit(lambda x: first.f(x))(1) == 2
    header.write_text("constexpr int number = 2;\n")
    second = kernix.load(source, target="numba", name="includes")
    assert numba.njit(lambda x: 10 * first.f(x) + second.f(x))(1) == 23
    assert (first.f(1), second.f(1)) == (2, 3)
    with pytest.raises(kernix.KernelError, match=r"declare: .*number.h has changed since includes was loaded; load it again"):
        kernix.numba.declare(on_cpu)
    if has_toolkit():
        for call in (numba.njit(lambda x: late.f(x)), late.f, lambda x: kernix.numba.declare(late)):
            with pytest.raises(kernix.KernelError, match=r"late: .*number.h has changed since the module was loaded; load it again"):
                call(1)


MEMBERS = """#include <kernix/kernix.h>
struct Again {{
  float x, y = {0};
  [[kernix::bind]] __device__ float times() const {{ return {0} * x; }}
  [[kernix::bind]] __device__ static float unit() {{ return {0}; }}
  [[kernix::bind("{1}")]] __device__ Again operator+(const Again &other) const {{ return {{x + other.x, {0}}}; }}
  {2}
}};
struct Made {{
  float x;
  [[kernix::bind]] __device__ explicit Made(float by) : x({0} * by) {{}}
}};
[[kernix::bind]] __device__ float times(const Again &a) {{ return a.times(); }}
"""


def test_members_of_a_source_that_changes(tmp_path: Any) -> None:
    """Those of a value are of the last load, while code that was compiled before keeps its own."""
    source = tmp_path / "again.cuh"

    def load(number: int, plus: str = "plus", more: str = "") -> Any:
        source.write_text(MEMBERS.format(number, plus, more))
        return kernix.load(source, target="numba")

    def compiled(m: Any) -> Any:
        @numba.njit
        def f(x):
            a = m.Again(x)
            b = a + a
            b += a
            return a.times(), m.Again.times(a), m.times(a), m.Again.unit(), m.Made(x).x, a.y, b.y

        return f

    first = compiled(load(2, "sum", "[[kernix::bind]] __device__ float gone() const { return 1; }"))
    assert first(1.0) == (2,) * 7
    second = load(5)
    assert compiled(second)(1.0) == (5,) * 7
    assert first(1.0) == (2,) * 7
    assert "Unknown attribute 'gone'" in refusal(lambda x: second.Again(x).gone(), 1.0)
    assert compiled(load(7, "sum"))(1.0) == (7,) * 7


def test_an_operator_that_is_no_longer_there(tmp_path: Any) -> None:
    text = """#include <kernix/kernix.h>
    struct Left {{ float x; }};
    [[kernix::bind]] __device__ float of(Left a) {{ return a.x; }}
    #if {0}
    [[kernix::bind("sum")]] __device__ Left operator+(Left a, Left b) {{ return {{a.x + b.x + {0}}}; }}
    #endif
    """

    def load(name: str, number: int) -> Any:
        (tmp_path / f"{name}.cuh").write_text(text.format(number))
        return kernix.load(tmp_path / f"{name}.cuh", target="numba")

    m, _, _ = load("stays", 10), load("leaves", 1), load("leaves", 0)
    assert numba.njit(lambda x: (m.Left(x) + m.Left(x)).x)(1.0) == 12


def test_members_with_other_macros(tmp_path: Any) -> None:
    source = tmp_path / "macros.cuh"
    source.write_text("""#include <kernix/kernix.h>
    struct Given { int x; [[kernix::bind]] __device__ int moved() const { return x + BY; } };
    """)
    one, ten = (kernix.load(source, target="numba", name=f"by{by}", defines={"BY": by}) for by in (1, 10))
    assert numba.njit(lambda x: one.Given.moved(one.Given(x)) + ten.Given.moved(ten.Given(x)))(0) == 11
    assert "Given::moved is bound by several modules, by1 and by10: call module" in refusal(lambda x: one.Given(x).moved(), 1)


def test_without_a_toolkit(monkeypatch: pytest.MonkeyPatch) -> None:
    """Functions on the CPU need none; kernels say that there was none."""
    monkeypatch.setattr(toolchain, "cuda_candidates", lambda: [])
    alone = kernix.load(SOURCE, target="numba", name="alone")

    @numba.njit
    def square(x):
        return alone.square(x)

    def kernel(x):
        x[0] = alone.square(x[0])

    assert square(3) == 9
    with pytest.raises(kernix.KernelError, match="alone has no code for kernels: a CUDA toolkit is needed"):
        cuda.compile(kernel, (numba.float32[::1],), cc=(9, 0), device=False, abi="numba")


def refusal(function: Any, *arguments: Any) -> str:
    with pytest.raises((errors.NumbaError, kernix.KernelError)) as raised:
        numba.njit(function)(*arguments)
    return str(raised.value)


def test_members_that_are_refused(boxes: Any) -> None:
    def changed(x):
        boxes.geo.Box(x).grow(1.0)

    def made(x):
        return boxes.geo.Box(x, x, x).width

    def other(x):
        return boxes.geo.Box(x).nothing()

    def named(x):
        return boxes.geo.Box(x).area(size=2.0)

    assert "geo::Box::grow changes its object, and a value has no place: call module.geo.Box.grow(array[i:], ...)" in refusal(changed, 1.0)
    assert "expected geo::Box::Box(float side) or geo::Box::Box(float w, float h) or the members width, height" in refusal(made, 1.0)
    assert "Unknown attribute 'nothing'" in refusal(other, 1.0)
    assert "geo::Box::area: there is geo::Box::area(const geo::Box &self, float scale), called with (" in refusal(named, 1.0)


def test_members_of_two_modules(tmp_path: Any) -> None:
    """By a value nobody can tell which one is meant."""
    text = """#include <kernix/kernix.h>
    struct Twin {{
      int x;
      [[kernix::bind]] __device__ int shifted() const {{ return x + {0}; }}
    }};
    [[kernix::bind("plus")]] __device__ Twin operator+(Twin a, Twin b) {{ return Twin{{a.x + b.x + {0}}}; }}
    """
    for name, number in (("one", 1), ("ten", 10)):
        (tmp_path / f"{name}.cuh").write_text(text.format(number))
    one, ten = (kernix.load(tmp_path / f"{name}.cuh", target="numba") for name in ("one", "ten"))

    def added(x):
        return (one.Twin(x) + ten.Twin(x)).x

    def method(x):
        return one.Twin(x).shifted()

    def by_module(x):
        return one.Twin.shifted(one.Twin(x)) + ten.plus(ten.Twin(x), ten.Twin(x)).x

    assert "operator+ of these types is bound by several modules, one and ten: call the function" in refusal(added, 1)
    assert "Twin::shifted is bound by several modules, one and ten: call module.Twin.shifted(value)" in refusal(method, 1)
    assert numba.njit(by_module)(5) == 26
