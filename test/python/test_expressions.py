"""Expressions of attributes when a call evaluates them: 64 bits, checked, whatever the arguments."""

import numpy as np
import pytest

import kernix

SOURCE = r"""
#include <kernix/kernix.h>
#define BOUND(name, expression) \
  [[kernix::bind]] void name([[kernix::shape(expression)]] kernix::TensorView<float> y, long long n, long long m = 0) {}
BOUND(sum, "n + m")
BOUND(difference, "n - m")
BOUND(product, "n * m")
BOUND(quotient, "n / m")
BOUND(remainder_, "n % m")
BOUND(rounded_up, "ceil_div(n, m)")
BOUND(negated, "-n")
BOUND(least, "min(n, m)")
BOUND(most, "max(n, m)")
[[kernix::bind]] void both([[kernix::shape("n", "m")]] kernix::TensorView<float> y, long long n, long long m) {}
[[kernix::bind]] void large([[kernix::shape("n")]] kernix::TensorView<float> y, unsigned long long n) {}
[[kernix::bind]] void third(const kernix::TensorView<float> x, [[kernix::shape("x.size(2)")]] kernix::TensorView<float> y) {}
[[kernix::bind]] void last(const kernix::TensorView<float> x, [[kernix::shape("x.size(-1)", "x.rank()")]] kernix::TensorView<float> y) {}
[[kernix::bind]] int narrow(long long n, [[kernix::value("n + 1")]] signed char m) { return m; }
[[kernix::bind]] int natural(long long n, [[kernix::value("n - 1")]] unsigned m) { return m; }
[[kernix::bind, kernix::grid("n / m"), kernix::block(32)]] __global__ void blocks(float *y, int n, int m) {}
[[kernix::bind, kernix::shared_bytes("n")]] __global__ void shared(float *y, int n) {}
[[kernix::bind]] __global__ void optional(float *y, [[kernix::optional]] const float *x, [[kernix::value("x.numel()")]] int n) { y[0] = n; }
"""
LEAST, MOST = -(2**63), 2**63 - 1


@pytest.fixture(scope="module")
def m():
    return kernix.load_cuda_inline("expressions", SOURCE)


@pytest.mark.parametrize(
    ("name", "n", "k", "size"),
    [
        ("sum", 2, 3, 5), ("difference", 5, 3, 2), ("product", 2, 3, 6), ("quotient", 7, 2, 3), ("quotient", -7, -2, 3),
        ("remainder_", 7, 4, 3), ("remainder_", LEAST, -1, 0), ("rounded_up", 7, 2, 4), ("rounded_up", 0, 5, 0),
        ("rounded_up", -7, -2, 4), ("negated", -4, 0, 4), ("least", 3, 4, 3), ("most", 3, 4, 4), ("product", 0, MOST, 0),
    ],
)  # fmt: skip
def test_values(m, name, n, k, size):
    assert m[name](n=n, m=k).shape == (size,)


@pytest.mark.parametrize(
    ("name", "n", "k", "message"),
    [
        ("sum", MOST, 1, "does not fit in 64 bits"),
        ("sum", LEAST, -1, "does not fit in 64 bits"),
        ("difference", LEAST, 1, "does not fit in 64 bits"),
        ("product", 2**62, 2, "does not fit in 64 bits"),
        ("product", LEAST, -1, "does not fit in 64 bits"),
        ("quotient", LEAST, -1, "does not fit in 64 bits"),
        ("rounded_up", LEAST, -1, "does not fit in 64 bits"),
        ("negated", LEAST, 0, "does not fit in 64 bits"),
        ("quotient", 1, 0, "division by zero"),
        ("remainder_", 1, 0, "division by zero"),
        ("rounded_up", 1, 0, "division by zero"),
        ("sum", -3, 1, "is negative: -2"),
        ("remainder_", -7, 3, "is negative: -1"),
        ("rounded_up", 7, -2, "is negative: -3"),
        ("sum", 2**62, 0, "is too large"),
    ],
)
def test_errors(m, name, n, k, message):
    with pytest.raises(kernix.KernelValueError, match=f"shape of 'y'.*{message}"):
        m[name](n=n, m=k)


def test_shapes_beyond_memory(m):
    for n, k in ((2**40, 2**40), (2**62, 0), (0, 2**62)):
        with pytest.raises(kernix.KernelValueError, match="is too large"):
            m.both(n=n, m=k)


def test_numbers_beyond_64_bits(m):
    with pytest.raises(kernix.KernelValueError, match=r"expected an integer below 2\*\*63 \(it is used in an expression\)"):
        m.large(n=2**63)
    with pytest.raises(kernix.KernelValueError, match="expected uint64"):
        m.large(n=-1)


def test_axes_that_are_not_there(m):
    assert m.third(np.zeros((1, 2, 3), np.float32)).shape == (3,)
    with pytest.raises(kernix.KernelValueError, match=r"x\.size\(2\): 'x' has shape \(2, 2\)"):
        m.third(np.zeros((2, 2), np.float32))
    assert m.last(np.zeros((4, 5), np.float32)).shape == (5, 2)
    with pytest.raises(kernix.KernelValueError, match=r"x\.size\(-1\): 'x' has shape \(\)"):
        m.last(np.zeros((), np.float32))


def test_values_that_do_not_fit(m):
    assert m.narrow(126) == 127
    with pytest.raises(kernix.KernelValueError, match=r"value of 'm': expected int8 \(-128 to 127\), got .*= 128"):
        m.narrow(127)
    with pytest.raises(kernix.KernelValueError, match=r"value of 'm': expected uint32 .*got .*= -1"):
        m.natural(0)


def test_launches(m):
    y = np.zeros(1, np.float32)
    m.blocks(y, 1, 2)  # no block
    with pytest.raises(kernix.KernelValueError, match="grid: `n / m` .*division by zero"):
        m.blocks(y, 1, 0)
    with pytest.raises(kernix.KernelValueError, match="grid.x: expected 0 to 2147483647, got -2"):
        m.blocks(y, -4, 2)
    with pytest.raises(kernix.KernelValueError, match="shared_bytes: expected 0 to 2147483647, got -1"):
        m.shared(y, -1)
    with pytest.raises(kernix.KernelValueError, match="shared_bytes: expected at most"):
        m.shared(y, 2**31 - 1)
    with pytest.raises(kernix.KernelTypeError, match=r"shared_bytes: expected an int, got 1\.5"):
        m.shared(y, 1, shared_bytes=1.5)


def test_what_is_not_given_has_no_elements(m):
    y = np.ones(1, np.float32)
    m.optional(y, block=1, grid=1)
    assert y[0] == 0
    with pytest.raises(kernix.KernelValueError, match="argument 'n': expected 0"):
        m.optional(y, n=7)
