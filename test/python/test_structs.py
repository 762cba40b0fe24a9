"""Structs by value: namedtuples of the module, dicts, tuples; nested and with arrays."""

import inspect

import numpy
import pytest

import kernix

BOX = ((0.0, 0.0), (2.0, 3.0), (7, 1))


def as_dict():
    return {"low": {"x": 0, "y": 0}, "high": {"x": 2, "y": 3}, "tag": [7, 1]}


def test_tuples_dicts_and_mixtures(results):
    for box in (BOX, as_dict(), {**as_dict(), "high": (2, 3)}, list(BOX)):
        assert results.geo.area(box) == 7.0


def test_namedtuple_of_the_module(results):
    box = results.geo.Box(low=(0, 0), high=results.geo.Point(2, 3), tag=(7, 1))
    assert results.geo.area(box) == 7.0
    assert results.geo.area(box._replace(tag=(0, 0))) == 6.0


def test_result_is_a_namedtuple(results):
    middle = results.geo.middle(BOX)
    assert type(middle).__name__ == "Point"
    assert middle._fields == ("x", "y")
    assert middle == (1.0, 1.5)
    assert type(middle) is results.geo.Point


def test_missing_and_unknown_fields(results):
    box = as_dict()
    del box["low"]
    box["hihg"] = 1
    expected = r"argument 'box': expected the fields low, high, tag; missing: low; unknown: hihg"
    with pytest.raises(kernix.KernelTypeError, match=expected):
        results.geo.area(box)


def test_missing_field_of_a_nested_struct(results):
    with pytest.raises(kernix.KernelTypeError, match=r"argument 'box\.low': expected the fields x, y; missing: y"):
        results.geo.area({**as_dict(), "low": {"x": 1}})


def test_too_few_values(results):
    with pytest.raises(kernix.KernelTypeError, match=r"argument 'box': expected 3 values \(low, high, tag\), got 2"):
        results.geo.area(BOX[:2])


def test_array_of_wrong_length(results):
    with pytest.raises(kernix.KernelTypeError, match=r"argument 'box\.tag': expected 2 numbers, got 3"):
        results.geo.area({**as_dict(), "tag": (1, 2, 3)})
    with pytest.raises(kernix.KernelTypeError, match=r"argument 'box\.tag': expected 2 numbers, got int"):
        results.geo.area({**as_dict(), "tag": 3})


def test_wrong_type_of_a_field(results):
    with pytest.raises(kernix.KernelTypeError, match=r"argument 'box\.low\.x': expected"):
        results.geo.area({**as_dict(), "low": ("a", 0)})
    with pytest.raises(kernix.KernelTypeError, match=r"argument 'box\.tag.*': expected"):
        results.geo.area({**as_dict(), "tag": (1.5, 0)})


def test_not_a_struct(results):
    with pytest.raises(kernix.KernelTypeError, match=r"argument 'box': expected a geo::Box as a namedtuple, dict or tuple"):
        results.geo.area(3)


def test_defaults(results):
    expected = ((1.0, (2.0, 3.0)), 4 + 5j, True, 255, -(1 << 40))
    assert results.settings() == expected
    default = inspect.signature(results.settings).parameters["settings"].default
    assert default == expected
    assert default.vector.y == (2.0, 3.0)
    assert results.settings(default) == expected
    assert results.sum_of() == 10 + 20 + 0 + 1 + 3
    assert results.sum_of((0, (0, 0))) == 4
    assert results.sum_of(w=(1, (0, 2))) == 30 + 3


INITIALIZERS = """
#include <kernix/kernix.h>
#include <array>
#include <complex>
#include <cuda_fp16.h>
int number() { return 7; }
struct Inner { float a = 1.5f; int b[2] = {3}; };
struct Whole {
  float x;
  int n = 5;
  Inner in;
  Inner two = {2.5f};
  std::complex<float> z = {1, 2};
  bool flag = true;
  __half h = 0.5f;
};
[[kernix::bind]] Whole whole(Whole w) { return w; }
struct Called { int a = number(); int b = 2; };
[[kernix::bind]] int called(Called c) { return c.a * 10 + c.b; }
struct OfOther { int a = 4; int b = a + 1; };
[[kernix::bind]] int of_other(OfOther o) { return o.a * 10 + o.b; }
template <class T> struct Generic { T v = T(3); T w{}; };
[[kernix::bind]] double generic(Generic<double> g) { return g.v; }
struct Initializes { int a, b = 9; __host__ __device__ Initializes() : a(3) {} };
[[kernix::bind]] int initializes(Initializes i) { return i.a * 10 + i.b; }
struct Computes { int a, b = 9; __host__ __device__ Computes() { a = 3; } };
[[kernix::bind]] int computes(Computes c) { return c.a * 10 + c.b; }
struct Base { int k = 8; };
struct Derived : Base { std::array<int, 2> m = {1, 2}; Base list[2]; int grid[2][3]; };
[[kernix::bind]] Derived derived(Derived d) { return d; }
[[kernix::bind]] int without(Called c = {}, int n = number()) { return c.a + n; }

[[kernix::bind]] int three(std::array<int, 3> a) { return a[0] + 10 * a[1] + 100 * a[2]; }
[[kernix::bind]] int one(const std::array<int, 1> &a) { return a[0]; }
[[kernix::bind]] float of_structs(std::array<Inner, 2> a) { return a[0].a + a[1].b[1]; }
[[kernix::bind]] int of_arrays(std::array<std::array<int, 2>, 2> a) { return a[0][1] * 10 + a[1][0]; }
[[kernix::bind]] std::array<float, 3> times(float x) { return {x, 2 * x, 3 * x}; }
[[kernix::bind]] std::array<int, 1> single(std::array<int, 2> a = {4, 5}) { return {a[0] + a[1]}; }
"""


@pytest.fixture(scope="module")
def own():
    return kernix.load_cuda_inline("structs_of_their_own", INITIALIZERS)


def test_members_have_the_constants_of_their_initializers(own):
    expected = (1.0, 5, (1.5, (3, 0)), (2.5, (3, 0)), 1 + 2j, True, 0.5)
    assert own.Whole(x=1) == own.Whole(1) == expected
    assert own.whole({"x": 1}) == own.whole(own.Whole(1)) == expected
    assert own.whole({"x": 1, "two": {"a": 4}}).two == (4.0, (3, 0))
    assert own.Whole(x=1)._replace(n=6).n == 6
    assert own.Whole._field_defaults["two"] == (2.5, (3, 0))
    assert own.Generic_double() == (3.0, 0.0)
    assert own.generic({}) == 3.0
    assert own.Initializes() == (3, 9)
    derived = own.derived({"grid": range(6)})
    assert derived == (8, (1, 2), ((8,), (8,)), (0, 1, 2, 3, 4, 5))


def test_a_member_without_a_constant_has_to_be_given(own):
    lost = r"; the initializer of {} in C\+\+ is not a constant, so a value has to be given"
    with pytest.raises(kernix.KernelTypeError, match="Whole: expected the fields x, n, .*; missing: x$"):
        own.Whole(n=3)
    with pytest.raises(kernix.KernelTypeError, match="Called: expected the fields a, b; missing: a" + lost.format("a")):
        own.Called()
    with pytest.raises(kernix.KernelTypeError, match=r"called\(Called c\): argument 'c': .*; missing: a" + lost.format("a")):
        own.called({"b": 3})
    assert own.called({"a": 1}) == 12
    with pytest.raises(kernix.KernelTypeError, match="missing: b" + lost.format("b")):
        own.of_other({"a": 1})
    with pytest.raises(kernix.KernelTypeError, match="missing: a, b" + lost.format("b")):
        own.Computes()
    with pytest.raises(kernix.KernelTypeError, match=r"'c' is missing; its default in C\+\+ is not a constant, so a value"):
        own.without()
    assert own.without({"a": 1}, 2) == 3


def test_making_a_struct_wrongly(own):
    with pytest.raises(kernix.KernelTypeError, match=r"Called: expected 2 values \(a, b\), got 3"):
        own.Called(1, 2, 3)
    with pytest.raises(kernix.KernelTypeError, match="Called: the field 'a' is given twice"):
        own.Called(1, a=2)
    with pytest.raises(kernix.KernelTypeError, match="Called: expected the fields a, b; unknown: c"):
        own.Called(1, 2, c=3)


def test_array_of_the_standard_library(own):
    for array in ((1, 2, 3), [1, 2, 3], numpy.array([1, 2, 3]), range(1, 4)):
        assert own.three(array) == 321
    assert own.one((4,)) == 4
    assert own.of_structs(({}, {"b": (1, 2)})) == 3.5
    assert own.of_arrays(((1, 2), (3, 4))) == own.of_arrays(numpy.arange(1, 5).reshape(2, 2)) == 23
    assert own.times(2) == (2.0, 4.0, 6.0)
    assert own.single() == (9,)
    assert own.derived({"m": numpy.array([3, 4]), "grid": range(6)}).m == (3, 4)
    for wrong, message in [
        ((1, 2), "'a': expected 3 numbers, got 2"),
        (range(4), "'a': expected 3 numbers, got 4"),
        (7, "'a': expected 3 numbers, got int"),
        ("abc", "'a': expected 3 numbers, got str"),
        ((1, 2.5, 3), r"'a\[1\]': expected an integer"),
    ]:
        with pytest.raises(kernix.KernelTypeError, match=message):
            own.three(wrong)
    with pytest.raises(kernix.KernelTypeError, match="'a': expected 2 values, got 1"):
        own.of_structs(({},))
    with pytest.raises(kernix.KernelTypeError, match=r"'a\[1\]': expected 2 numbers, got 1"):
        own.of_arrays(((1, 2), (3,)))


def test_array_of_several_axes_in_a_struct(own):
    for grid in (range(6), ((0, 1, 2), (3, 4, 5)), numpy.arange(6).reshape(2, 3)):
        assert own.derived({"grid": grid}).grid == (0, 1, 2, 3, 4, 5)
    with pytest.raises(kernix.KernelTypeError, match=r"'d.grid': expected 6 numbers, got 3"):
        own.derived({"grid": numpy.zeros((3, 2), int)})
    with pytest.raises(kernix.KernelTypeError, match=r"'d.grid\[1\]': expected 3 numbers, got 2"):
        own.derived({"grid": ((0, 1, 2), (3, 4))})


def test_derivatives_of_defaults_and_of_arrays():
    kernel = """
    [[kernix::bind, kernix::differentiable]]
    __global__ void NAME(const double *x, [[kernix::diff]] TYPE l, [[kernix::shape("x")]] double *y,
                         [[kernix::value("x.numel()")]] int n) {
      int i = blockIdx.x * blockDim.x + threadIdx.x;
      if (i < n)
        y[i] = FIRST * x[i] + SECOND;
    }
    """
    text = "#include <kernix/kernix.h>\n#include <array>\nstruct Line { double a = 2, b = 3; };\n"
    for name, kind, first, second in (("f", "Line", "l.a", "l.b"), ("g", "std::array<double, 2>", "l[0]", "l[1]")):
        text += kernel.replace("NAME", name).replace("TYPE", kind).replace("FIRST", first).replace("SECOND", second)
    m = kernix.load_cuda_inline("derivatives_of_structs", text)
    x, ones = numpy.array([1.0, 2.0, 3.0]), numpy.ones(3)
    assert m.f.fwd(x=(x, ones), l=({}, {"a": 1, "b": 0})).y[1].tolist() == [3, 4, 5]
    # What a tangent lacks is not what the value would have.
    with pytest.raises(kernix.KernelTypeError, match="argument 'l_tangent': expected the fields a, b; missing: b"):
        m.f.fwd(x=(x, ones), l=({}, {"a": 1}))
    assert m.f.bwd(x=x, l={}, y=(None, ones)).l == (6, 3)
    assert m.g.fwd(x=(x, ones), l=((2, 3), (1, 0))).y[1].tolist() == [3, 4, 5]
    gradient = numpy.ones(2)
    assert m.g.bwd(x=x, l=((2, 3), gradient), y=(None, ones)).l is gradient
    assert gradient.tolist() == [7, 4]
    assert kernix.gradcheck(m.g, x, (2.0, 3.0)).ok


SMALL = """
#include <kernix/kernix.h>
struct Half { float a; int k; };
struct Indexed { float a; int k; float s[2]; };
struct IndexedFirst { float s[2]; int k; float a; };
struct OddArray { int k; float s[3]; };
struct Wide { double a; int k; float b; };
struct Small { signed char k; float s[2]; };
struct Flags { float s[2]; bool is_on; short k; };
__device__ double of(Half h, double v) { h.a *= static_cast<float>(v); return h.a * h.k + v; }
__device__ double of(Indexed o, double v, int i) { o.s[i & 1] += o.a; return o.s[0] * o.s[1] * v + o.k; }
#define KERNEL(name, T, ...) \\
  [[kernix::bind, kernix::differentiable]] __global__ void name(const double *x, [[kernix::diff]] T o, \\
      [[kernix::shape("x")]] double *y, [[kernix::value("x.numel()")]] int n) { \\
    int i = blockIdx.x * blockDim.x + threadIdx.x; \\
    if (i >= n) \\
      return; \\
    double v = x[i]; \\
    y[i] = __VA_ARGS__; \\
  }
KERNEL(half, Half, o.a * v + o.k)
KERNEL(indexed, Indexed, o.a * v * o.s[i % 2] + o.k)
KERNEL(indexed_first, IndexedFirst, o.s[i & 1] * v + o.k * o.a)
KERNEL(odd_array, OddArray, o.s[i % 3] * v * v + o.k)
KERNEL(wide, Wide, o.a * v * o.b * o.k)
KERNEL(small, Small, o.s[i % 2] * v * o.k)
KERNEL(flags, Flags, o.s[i % 2] * v * (o.is_on ? o.k : 2))
KERNEL(passed_on, Half, of(o, v) * of(o, 2 * v))
KERNEL(changed_copy, Indexed, of(o, v, i) * of(o, v, 1))
"""


@pytest.fixture(scope="module")
def small():
    return kernix.load_cuda_inline("small_structs", SMALL)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("half", (0.5, 3)),
        ("indexed", (0.5, 3, (0.25, -2))),
        ("indexed_first", ((0.25, -2), 3, 0.5)),
        ("odd_array", (3, (0.25, -2, 1.5))),
        ("wide", (0.5, 3, 1.5)),
        ("small", (-3, (0.25, 1.5))),
        ("flags", ((0.25, 1.5), True, -3)),
        ("passed_on", (0.5, 3)),
        ("changed_copy", (0.5, 3, (0.25, -2))),
    ],
)
def test_gradients_of_structs_that_fit_two_registers(small, name, value):
    """Which the CPU target passes as integers, numbers that have a derivative beside those that have none."""
    x = numpy.linspace(0.5, 2, 7)
    assert kernix.gradcheck(small[name], x, value).ok
    gradient = small[name].bwd(x, value, (None, numpy.ones(7)))[1]
    assert all(array.all() for array in gradient)


def test_structs_of_two_are_no_pairs(small):
    x = numpy.ones(3)
    s = numpy.zeros(3, "float32")
    value = (3, (0.25, -2, 1.5))
    assert small.odd_array.bwd(x, value, (None, x)).o.s.tolist() == [1, 1, 1]
    assert small.odd_array.bwd(x, (value, {"s": s}), (None, x)).o.s is s
    assert small.odd_array.bwd(x, (value, None), (None, x)).o is None
    assert small.odd_array.fwd((x, x), value).y[1].tolist() == [0.5, -4, 3]
    assert small.odd_array.fwd((x, x), (value, ((0, 1, 0),))).y[1].tolist() == [0.5, -3, 3]
    with pytest.raises(kernix.KernelTypeError, match="argument 'o': the gradient has no field 's'"):
        small.odd_array.bwd(x, (value, s), (None, x))


MIXED = r"""
#include <kernix/kernix.h>
struct A { float a; int b; double c; };
struct B { float a; int b; float c; };
struct C { float a; bool b; };
struct D { double a, b; int c, d; float e, f; short g; };
struct E { int a; float b; short c, d; float e; };
#define BOUND [[kernix::bind, kernix::differentiable]] __device__
BOUND A make_a(double x, int n) { return {float(x * x), n, x * x * x}; }
BOUND B make_b(double x, int n) { return {float(x * x), n, float(3 * x)}; }
BOUND C make_c(double x, int n) {
  C c;
  c.b = n > 2;
  if (n > 2)
    c.a = float(x * x);
  else
    c.a = float(x);
  return c;
}
BOUND D make_d(double x, int n) { return {x * x, sin(x), n, n + 1, float(x), float(x * n), short(n)}; }
BOUND E make_e(double x, int n) { return {n, float(x * x), 1, short(n), float(5 * x)}; }
BOUND B chosen(double x, int n) { B a = make_b(x, n), b = make_b(2 * x, n); return n == 7 ? a : b; }
__device__ void by_reference(double x, int n, A &r) {
  double a = r.a * x, c = r.c;
  r.a = float(a);
  r.b = n;
  r.c = a * c;
}
__device__ A in_code(float x, int n) { return {x * x, n, x}; }
[[kernix::bind]] __global__ void asks(const float *x, float *gx, float *y, int n) {
  int i = threadIdx.x;
  float d = 0;
  kernix::bwd_diff<in_code>(x[i], &d, n, A{1, 0, 2});
  gx[i] = d;
  kernix::Dual<A> z = kernix::fwd_diff<in_code>(x[i], 1.f, n);
  y[i] = z.tangent.a + 10 * z.tangent.b + z.value.b;
  double dx = 0;
  A r{3, 1, 5}, gr{1, 0, 2};
  kernix::bwd_diff<by_reference>(2.0, &dx, n, r, &gr);
  gx[1] = float(dx);
  y[1] = gr.a;
  y[2] = float(gr.c);
}
"""


@pytest.fixture(scope="module")
def mixed(tmp_path_factory):
    path = tmp_path_factory.mktemp("mixed") / "mixed_results.cu"
    path.write_text(MIXED)
    return kernix.load(path, target="cpu")


@pytest.mark.parametrize("name", ["make_a", "make_b", "make_c", "make_d", "make_e", "chosen"])
def test_results_of_numbers_and_integers(mixed, name):
    f = mixed[name]
    for n in (1, 7):
        result, step = f(1.5, n), 1e-3
        above, below = f(1.5 + step, n), f(1.5 - step, n)
        tangent = f.fwd((1.5, 1.0), n).result[1]
        for field in result._fields:
            value = getattr(result, field)
            if not isinstance(value, float):
                assert getattr(tangent, field) == 0
                continue
            slope = (getattr(above, field) - getattr(below, field)) / (2 * step)
            gradient = {other: float(other == field) for other in result._fields if type(getattr(result, other)) is float}
            assert getattr(tangent, field) == pytest.approx(slope, rel=1e-3)
            assert f.bwd((1.5, numpy.zeros(1)), n, gradient).x[0] == pytest.approx(slope, rel=1e-3)


def test_results_of_numbers_and_integers_in_code(mixed):
    x, gx, y = numpy.float32([1.5]), numpy.zeros(2, numpy.float32), numpy.zeros(3, numpy.float32)
    mixed.asks(x, gx, y, 3, block=1, grid=1)
    assert gx.tolist() == [5, 1 * 3 + 2 * 3 * 5]
    assert y.tolist() == [6, 1 * 2 + 2 * 2 * 5, 2 * 3 * 2]


DEFAULTS = r"""
#include <kernix/kernix.h>
struct A { float a = 1; int b = 7; };
struct B { double a; int b; float c[2]; short d; __device__ B() : a(5), b(3), c{1, 2}, d(4) {} };
struct C { int b = 9; A a; double d = 2; };
#define BOUND [[kernix::bind, kernix::differentiable]] __device__
BOUND A make_a(double x, int n) { A r; r.a = float(x * x); r.b = n; return r; }
BOUND A default_a(double x, int n) { A r; if (n > 2) r.a = float(x * x); return r; }
BOUND B make_b(double x, int n) { B r; r.a = x * x; r.b = n; r.c[0] = float(x); return r; }
BOUND C make_c(double x, int n) { C r; r.a.a = float(x * x); r.a.b = n; r.d = x * n; return r; }
BOUND double takes(A a, double x) { return a.a * x * a.b; }
[[kernix::bind]] __global__ void asks(const double *x, double *gx, double *y, int n) {
  double d = 0;
  A cotangent;
  kernix::bwd_diff<make_a>(x[0], &d, n, cotangent);
  gx[0] = d;
  kernix::Dual<A> z = kernix::fwd_diff<make_a>(x[0], 1., n);
  y[0] = z.tangent.a;
  y[1] = z.tangent.b;
  y[2] = z.value.b;
}
__device__ double slope(double x, int n) { return kernix::fwd_diff<make_a>(x, 1., n).tangent.a * x; }
BOUND double second(double x, int n) { return slope(x, n) + kernix::fwd_diff<make_c>(x, 1., n).tangent.d * x; }
"""


@pytest.fixture(scope="module")
def defaults(tmp_path_factory):
    path = tmp_path_factory.mktemp("defaults") / "default_results.cu"
    path.write_text(DEFAULTS)
    return kernix.load(path, target="cpu")


def test_integers_of_tangents_are_zero_whatever_the_constructor(defaults):
    for n in (1, 3):
        assert defaults.make_a.fwd((1.5, 1.0), n).result == ((2.25, n), (3, 0))
        assert defaults.default_a.fwd((1.5, 1.0), n).result == (((2.25, 7), (3, 0)) if n > 2 else ((1, 7), (0, 0)))
        assert defaults.make_b.fwd((1.5, 1.0), n).result == ((2.25, n, (1.5, 2), 4), (3, 0, (1, 0), 0))
        assert defaults.make_c.fwd((1.5, 1.0), n).result == ((9, (2.25, n), 1.5 * n), (0, (3, 0), n))
        assert defaults.make_a.bwd((1.5, numpy.zeros(1)), n, {"a": 1.0}).x[0] == 3


def test_integers_of_tangents_in_code_are_zero_whatever_the_constructor(defaults):
    x, gx, y = numpy.array([1.5]), numpy.zeros(1), numpy.zeros(3)
    defaults.asks(x, gx, y, 3, block=1, grid=1)
    assert gx.tolist() == [3]
    assert y.tolist() == [3, 0, 3]
    assert defaults.second(1.5, 3) == 3 * 1.5 + 3 * 1.5
    assert defaults.second.fwd((1.5, 1.0), 3).result == (9, 4 * 1.5 + 3)
