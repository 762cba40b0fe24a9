"""Sources that are unusual and right: each function is bound, called and gives the right answer."""

import numpy as np
import pytest

import kernix

SOURCE = r"""
#include <array>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <cuComplex.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <kernix/kernix.h>
#include <string_view>

// Where the attribute stands.
__global__ void after_name [[kernix::bind]] (float *y) { y[0] = 1; }
__global__ [[kernix::bind]] void after_global(float *y) { y[0] = 2; }
[[using kernix: bind, block(32)]] __global__ void with_using(float *y) { y[threadIdx.x] = 3; }
extern "C" [[kernix::bind]] int c_linkage(int a) { return a + 1; }
extern "C" {
[[kernix::bind]] __global__ void c_kernel(float *y) { y[0] = 4; }
}
#define KERNEL [[kernix::bind]] __global__ void
#define IN(T, name) const T *__restrict__ name
KERNEL from_macro(IN(float, x), float *y) { y[0] = 2 * x[0]; }

// How a function is declared.
[[kernix::bind]] static int internal(int a) { return 2 * a; }
[[kernix::bind]] inline int inlined(int a) { return 3 * a; }
[[kernix::bind]] constexpr int constant(int a) { return 4 * a; }
[[kernix::bind]] auto deduced(int a) { return a * 0.5; }
[[kernix::bind]] auto trailing(int a) noexcept -> long { return 1l << a; }
using Function = int(int);
[[kernix::bind]] Function by_alias;
int by_alias(int a) { return 5 * a; }
int bound_late(int a);
inline int user_of_it() { return bound_late(1); }
[[kernix::bind]] int bound_late(int a) { return 6 * a; }
__global__ void described_later(const float *x, float *y) { y[0] = x[0] + 1; }
[[kernix::bind]] __global__ void described_later(const float *in, [[kernix::shape("in")]] float *out);
namespace { [[kernix::bind]] int in_no_name(int a) { return 7 * a; } }
inline namespace v1 { [[kernix::bind]] int in_inline_namespace(int a) { return 8 * a; } }
class Owner {
  [[kernix::bind]] static int hidden(int a) { return 9 * a; }
public:
  [[kernix::bind]] static __global__ void kernel(float *y) { y[0] = 5; }
  template <class T> [[kernix::bind, kernix::instantiate("float", "int")]] static T doubled(T a) { return a + a; }
  friend int befriended(int a) { return 10 * a; }
  [[kernix::bind]] friend int bound_friend(int a) { return 11 * a; }
};
struct V { float x, y; };
[[kernix::bind("add")]] V operator+(V a, V b) { return {a.x + b.x, a.y + b.y}; }
[[kernix::bind("kilometres")]] double operator""_km(unsigned long long x) { return 1000.0 * x; }

// Variables that bind.
int overloaded(int a) { return a; }
float overloaded(float a) { return a / 2; }
[[kernix::bind("of_int")]] constexpr int (*of_int)(int) = overloaded;
[[kernix::bind("of_float")]] constexpr auto of_float = static_cast<float (*)(float)>(&overloaded);
template <class T, int N> __global__ void filled(T *y) { for (int i = 0; i < N; ++i) y[i] = N; }
[[kernix::bind("filled")]] constexpr auto filled_f = &filled<float, 2>;
[[kernix::bind("filled")]] constexpr auto filled_d = &filled<double, 3>;
namespace a::b { __global__ void far(float *y) { y[0] = 6; } }
namespace c { [[kernix::bind]] constexpr auto near = &a::b::far; }
struct Static { static int m(int a) { return 12 * a; } [[kernix::bind]] static constexpr auto p = &m; };

// Types.
typedef const float *Input;
template <class T> using Output = T *;
[[kernix::bind]] __global__ void aliases(Input x, Output<float> y, float *const __restrict__ z) { y[0] = z[0] = x[0]; }
[[kernix::bind]] __global__ void volatiles(volatile float *y, const volatile float *x) { y[0] = x[0]; }
[[kernix::bind]] __global__ void arrays(float y[], const float x[4]) { y[0] = x[3]; }
enum class Small : unsigned char { A = 1, B = 200 };
enum Plain { X, Y };
enum class Wide : long { Z = 1L << 40 };
[[kernix::bind]] long enums(Small a, Plain b, Wide c) { return static_cast<long>(a) + b + static_cast<long>(c); }
[[kernix::bind]] __global__ void enum_elements(Small *y) { y[0] = Small::B; }
[[kernix::bind]] __global__ void bytes(bool *a, const char *b, signed char *c, unsigned char *d) { a[0] = b[0]; c[0] = d[0] = 9; }
[[kernix::bind]] __global__ void longs(long *a, long long *b, unsigned long *c, unsigned long long *d) { a[0] = b[0] = c[0] = d[0] = -1; }
[[kernix::bind]] __global__ void vectors(float4 *a, const double2 *b, int3 *c, uchar4 *d) { a[0].w = b[0].y; c[0].z = 1; d[0].x = 2; }
[[kernix::bind]] __global__ void vector_values(float *y, float4 v, int2 w, dim3 d) { y[0] = v.w + w.y + d.z; }
struct Point { float x, y, z; };
[[kernix::bind]] __global__ void points(Point *y, const Point *x, kernix::TensorView<Point> z) { y[0] = x[1]; z(0) = x[0]; }
struct Base { int a; };
struct Derived : Base { double c[2][2]; std::complex<float> z; };
[[kernix::bind]] double derived(const Derived &d) { return d.a + d.c[1][0] + d.z.imag(); }
[[kernix::bind]] int std_array(std::array<int, 3> a) { return a[0] + a[2]; }
struct Add { int c; __device__ float operator()(float a) const { return a + c; } };
template <class F> [[kernix::bind]] __global__ void functor(float *y, F f) { y[0] = f(2); }
template __global__ void functor<Add>(float *, Add);
[[kernix::bind]] __global__ void complexes(std::complex<float> *y, const cuDoubleComplex *x) { y[0] = {static_cast<float>(x[0].y), 1}; }
[[kernix::bind]] __half halves(__half a, __nv_bfloat16 b, _Float16 c) { return __half(__half2float(a) + __bfloat162float(b) + static_cast<float>(c)); }
[[kernix::bind]] std::size_t sizes(std::size_t n, std::ptrdiff_t m, std::uint8_t a, std::int16_t b) { return n + m + a + b; }
template <class... T> [[kernix::bind("packed")]] int packed(T... t) { return (t + ...); }
template int packed<int, short, int>(int, short, int);
"""


@pytest.fixture(scope="module")
def m():
    return kernix.load_cuda_inline("unusual", SOURCE)


def first(function, *before, dtype=np.float32, size=1, after=(), **keywords):
    y = np.zeros(size, dtype)
    function(*before, y, *after, block=1, grid=1, **keywords)
    return y.tolist() if size > 1 else y.item()


def test_places_of_the_attribute(m):
    assert first(m.after_name) == 1
    assert first(m.after_global) == 2
    y = np.zeros(32, np.float32)
    m.with_using(y)
    assert (y == 3).all()
    assert m.c_linkage(1) == 2
    assert first(m.c_kernel) == 4
    assert first(m.from_macro, np.full(1, 4, np.float32)) == 8


@pytest.mark.parametrize(
    ("name", "result"),
    [
        ("internal", 20), ("inlined", 30), ("constant", 40), ("deduced", 5.0), ("trailing", 1024), ("by_alias", 50),
        ("bound_late", 60), ("in_no_name", 70), ("in_inline_namespace", 80), ("hidden", 90), ("bound_friend", 110),
        ("of_int", 10), ("of_float", 5.0), ("p", 120), ("kilometres", 10000.0),
    ],
)  # fmt: skip
def test_declarations(m, name, result):
    assert getattr(m, name)(10) == result


def test_what_is_not_bound(m):
    assert "befriended" not in m
    assert "overloaded" not in m


def test_members_and_operators(m):
    assert first(m.Owner.kernel) == 5
    assert m.Owner.doubled(2) == 4
    assert m.Owner.doubled(2.5) == 5.0
    assert m.add((1, 2), (3, 4)) == (4.0, 6.0)
    assert m.Static.p(1) == 12
    assert first(m.c.near) == 6


def test_later_declaration_describes(m):
    assert m.described_later(np.ones(1, np.float32)).tolist() == [2.0]


def test_variables_of_one_name_are_variants(m):
    assert first(m.filled, size=4) == [2, 2, 0, 0]
    assert first(m.filled, size=4, dtype=np.float64) == [3, 3, 3, 0]


def test_types(m):
    x = np.arange(4, dtype=np.float32) + 1
    y, z = np.zeros(1, np.float32), np.zeros(1, np.float32)
    m.aliases(x, y, z, block=1, grid=1)
    assert y[0] == z[0] == 1
    m.volatiles(y, x[1:], block=1, grid=1)
    assert y[0] == 2
    m.arrays(y, x, block=1, grid=1)
    assert y[0] == 4
    assert m.enums(200, 1, 1 << 40) == 201 + (1 << 40)
    assert first(m.enum_elements, dtype=np.uint8) == 200
    a, b, c, d = (np.zeros(1, t) for t in (np.bool_, np.int8, np.int8, np.uint8))
    b[0] = 3
    m.bytes(a, b, c, d, block=1, grid=1)
    assert (a[0], c[0], d[0]) == (True, 9, 9)
    row = [np.zeros(1, t) for t in (np.int64, np.int64, np.uint64, np.uint64)]
    m.longs(*row, block=1, grid=1)
    assert [int(each[0]) for each in row] == [-1, -1, 2**64 - 1, 2**64 - 1]


def test_vectors_and_structs(m):
    a, b = np.zeros((1, 4), np.float32), np.full((1, 2), 7.0)
    c, d = np.zeros((1, 3), np.int32), np.zeros((1, 4), np.uint8)
    m.vectors(a, b, c, d, block=1, grid=1)
    assert (a[0, 3], c[0, 2], d[0, 0]) == (7, 1, 2)
    y = np.zeros(1, np.float32)
    m.vector_values(y, (1, 2, 3, 4), (5, 6), {"x": 1, "y": 2, "z": 3}, block=1, grid=1)
    assert y[0] == 13
    x, y, z = np.arange(6, dtype=np.float32).reshape(2, 3), np.zeros((1, 3), np.float32), np.zeros((1, 3), np.float32)
    m.points(y, x, z, block=1, grid=1)
    assert y.tolist() == [[3, 4, 5]]
    assert z.tolist() == [[0, 1, 2]]
    assert m.derived({"a": 1, "c": (1, 2, 3, 4), "z": 5 + 6j}) == 1 + 3 + 6
    assert m.std_array((1, 2, 3)) == m.std_array(((1, 2, 3),)) == 4
    y = np.zeros(1, np.float32)
    m.functor(y, (40,), block=1, grid=1)
    assert y[0] == 42


def test_numbers(m):
    y = np.zeros(1, np.complex64)
    m.complexes(y, np.array([[1.0, 2.0]]), block=1, grid=1)  # cuDoubleComplex is a double2
    assert y[0] == 2 + 1j
    assert m.halves(0.5, 1.5, 2.5) == 4.5
    assert m.sizes(10, -3, 255, -1) == 261
    assert m.packed(1, 2, 3) == 6
