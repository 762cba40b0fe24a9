"""Complex numbers through all ways of calling from torch, whose convention it is: a gradient along a direction is
Re(conj(gradient) * direction). Kinds of kernels are in test_torch_complex.py."""

import numpy as np
import pytest
import torch
from numpy.testing import assert_allclose
from torch.func import grad, jvp, vmap
from torch.testing import assert_close

import kernix

pytestmark = pytest.mark.filterwarnings("ignore::FutureWarning")  # torch's own, when forward_ad is imported

SOURCE = """
#include <complex>
#include <kernix/kernix.h>
#define AT_EACH const int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n)
typedef std::complex<double> C;
struct Factor { double real; int count; };
struct Mixed { float real; std::complex<float> factor; C factors[2]; int count; };

[[kernix::bind, kernix::differentiable(2)]]
__global__ void square(const C *x, [[kernix::shape("x")]] C *y, [[kernix::value("x.numel()")]] int n) { AT_EACH y[i] = x[i] * x[i]; }

[[kernix::bind, kernix::differentiable(2)]]
__global__ void scaled(const C *x, [[kernix::shape("x")]] C *y, [[kernix::diff]] C a, [[kernix::value("x.numel()")]] int n) {
  AT_EACH y[i] = x[i] * x[i] * a;
}

[[kernix::bind, kernix::differentiable]]
__global__ void unmarked(const C *x, [[kernix::shape("x")]] C *y, C a, [[kernix::value("x.numel()")]] int n) { AT_EACH y[i] = x[i] * a; }

[[kernix::bind, kernix::differentiable]]
__global__ void with_struct(const C *x, [[kernix::shape("x")]] C *y, Factor s, [[kernix::value("x.numel()")]] int n) {
  AT_EACH y[i] = x[i] * x[i] * s.real;
}

[[kernix::bind, kernix::differentiable]]
__global__ void mixed(const C *x, [[kernix::shape("x")]] C *y, [[kernix::diff]] Mixed s, [[kernix::value("x.numel()")]] int n) {
  AT_EACH y[i] = x[i] * x[i] * C(s.factor) * double(s.real) + x[i] * s.factors[1];
}

[[kernix::bind, kernix::differentiable]]
__global__ void square_(C *x, [[kernix::value("x.numel()")]] int n) { AT_EACH x[i] = x[i] * x[i]; }

[[kernix::bind, kernix::differentiable]]
__global__ void squared_size(const C *x, [[kernix::shape("x")]] double *y, [[kernix::value("x.numel()")]] int n) {
  AT_EACH y[i] = x[i].real() * x[i].real() + x[i].imag() * x[i].imag();
}

[[kernix::bind, kernix::differentiable]]
__global__ void from_real(const double *x, [[kernix::shape("x")]] C *y, [[kernix::value("x.numel()")]] int n) {
  AT_EACH y[i] = C(x[i] * x[i], 3 * x[i]);
}

__global__ void by_hand_bwd(const C *x, C *gx, C *, const C *gy, int n) { AT_EACH gx[i] += 2.0 * std::conj(x[i]) * gy[i]; }
[[kernix::bind, kernix::backward_derivative(by_hand_bwd)]]
__global__ void by_hand(const C *x, [[kernix::shape("x")]] C *y, [[kernix::value("x.numel()")]] int n) { AT_EACH y[i] = x[i] * x[i]; }

[[kernix::bind, kernix::differentiable]]
__global__ void square_and_count(const C *x, [[kernix::shape("x")]] C *y, [[kernix::shape("x")]] int *k,
                                 [[kernix::value("x.numel()")]] int n) {
  AT_EACH { y[i] = x[i] * x[i]; k[i] = i; }
}
"""


@pytest.fixture(scope="module")
def m():
    return kernix.load_cuda_inline("complex_gradients", SOURCE)


X = torch.tensor([1 + 2j, 3 - 1j, 0.5j], dtype=torch.complex128)
W = torch.tensor([1j, 2 - 1j, 1 + 1j], dtype=torch.complex128)


def square(x):
    return x * x


def in_place(square_, part):
    def function(x):
        state = x * 1
        square_(state[part])
        return state

    return function


def torch_square_(x):
    x.copy_(x.clone() ** 2)


EVERY = slice(None)
CASES = {
    "square": (lambda m: m.square, square, X),
    "hand-written": (lambda m: m.by_hand, square, X),
    "beside integers": (lambda m: lambda x: m.square_and_count(x)[0], square, X),
    "struct by value": (lambda m: lambda x: m.with_struct(x, (2.0, 1)), lambda x: 2 * x * x, X),
    "scalar": (lambda m: lambda a: m.scaled(X, a), lambda a: X * X * a, torch.tensor(2 - 1j, dtype=torch.complex128)),
    "real scalar": (lambda m: lambda a: m.scaled(X, a), lambda a: X * X * a, torch.tensor(2.0, dtype=torch.float64)),
    "in place": (lambda m: in_place(m.square_, EVERY), in_place(torch_square_, EVERY), X),
    "in place on a view": (lambda m: in_place(m.square_, slice(1, None)), in_place(torch_square_, slice(1, None)), X),
    "real output": (lambda m: m.squared_size, lambda x: (x * x.conj()).real, X),
    "real input": (lambda m: m.from_real, lambda x: torch.complex(x * x, 3 * x), X.real.clone()),
}
each_case = pytest.mark.parametrize("case", CASES)


def loss(function):
    """A real number, of which the gradient by the result is a conjugate view in part."""

    def of(x):
        y = function(x)
        if not y.is_complex():
            return (y * W.real).sum()
        return (y * W).real.sum() + (y.conj() * W.conj()).imag.sum() + (y.abs() ** 2).sum()

    return of


def of_leaf(function, x):
    leaf = x.clone().requires_grad_()
    return torch.autograd.grad(function(leaf), leaf)[0]


@each_case
def test_gradients(m, case):
    make, twin, x = CASES[case]
    expected = of_leaf(loss(twin), x)
    assert_close(of_leaf(loss(make(m)), x), expected)
    assert_close(grad(loss(make(m)))(x), expected)
    both = torch.stack([x, 2 * x])
    assert_close(vmap(grad(loss(make(m))))(both), vmap(grad(loss(twin)))(both))


@each_case
@pytest.mark.parametrize("view", ["conj", "imag"])
def test_one_view_of_the_result(m, case, view):
    make, twin, x = CASES[case]
    shown = (lambda y: y.conj()) if view == "conj" else (lambda y: y.conj().imag if y.is_complex() else y)
    weights = W if view == "conj" else W.real

    def total(function):
        return lambda x: (shown(function(x)) * weights).real.sum()

    assert_close(of_leaf(total(make(m)), x), of_leaf(total(twin), x))


@each_case
def test_tangents(m, case):
    make, twin, x = CASES[case]
    if case == "hand-written":
        with pytest.raises(kernix.KernelTypeError, match="no forward derivative"):
            jvp(make(m), (x,), (x,))
        return
    tangent = (x * (1 - 2j)).conj() if x.is_complex() else 3 * x
    expected = jvp(twin, (x,), (tangent,))
    assert_close(jvp(make(m), (x,), (tangent,)), expected)
    with torch.autograd.forward_ad.dual_level():
        dual = torch.autograd.forward_ad.unpack_dual(make(m)(torch.autograd.forward_ad.make_dual(x, tangent)))
        assert_close(dual.tangent, expected[1])


@each_case
def test_compiled(m, case):
    make, twin, x = CASES[case]
    torch._dynamo.reset()
    assert_close(of_leaf(torch.compile(loss(make(m)), backend="aot_eager", fullgraph=True), x), of_leaf(loss(twin), x))


@pytest.mark.parametrize("case", ["square", "scalar", "real scalar"])
def test_second_derivatives(m, case):
    make, twin, x = CASES[case]

    def recorded(function):
        leaf = x.clone().requires_grad_()
        (first,) = torch.autograd.grad(loss(function)(leaf), leaf, create_graph=True)
        return torch.autograd.grad(first.abs() + (first.conj() * x).real if not x.shape else first.abs().sum(), leaf)[0]

    def reverse_over_reverse(function):
        return grad(lambda x: (grad(loss(function))(x) * (2 - 1j)).real.sum())(x)

    def forward_over_reverse(function):
        return jvp(grad(loss(function)), (x,), (x,))[1]

    def reverse_over_forward(function):
        return grad(lambda x: (jvp(function, (x,), (3 * x,))[1].conj() * W).real.sum())(x)

    for way in (recorded, reverse_over_reverse, forward_over_reverse, reverse_over_forward):
        assert_close(way(make(m)), way(twin))


def test_a_number_beside_tangents(m):
    def tangent(function, a):
        return lambda x: (jvp(lambda x: function(x, a), (x,), (W,))[1] * W).real.sum()

    for a in (2 - 1j, 2.0):
        assert_close(grad(tangent(m.scaled, a))(X), grad(tangent(lambda x, a: x * x * a, a))(X))


def test_finite_differences(m):
    leaf = X.clone().requires_grad_()
    assert torch.autograd.gradcheck(m.square, leaf, check_forward_ad=True, check_batched_grad=True)
    assert torch.autograd.gradgradcheck(m.square, leaf)


def test_outputs_of_integers_have_no_gradient(m):
    y, k = m.square_and_count(X.clone().requires_grad_())
    assert y.requires_grad and not k.requires_grad


@pytest.mark.parametrize("dtype", [torch.complex128, torch.float64])
def test_unmarked_scalars_are_refused(m, dtype):
    a = torch.tensor(2, dtype=dtype, requires_grad=True)
    with pytest.raises(kernix.KernelTypeError, match=r"argument 'a' requires a gradient, which scalars have only"):
        m.unmarked(X, a)
    with pytest.raises(kernix.KernelTypeError, match=r"argument 'a' has a tangent, which scalars have only"):
        jvp(lambda a: m.unmarked(X, a), (a.detach(),), (a.detach(),))


@pytest.mark.parametrize("place", [np.asarray, torch.as_tensor])
def test_complex_fields(m, place):
    x, w = X.numpy(), W.numpy()
    factor, second, given = 2 + 1j, 1 - 2j, np.array([1 + 1j, 2])
    s = (3.0, factor, (0, second), 4)
    found = m.mixed.bwd(place(x), y=(None, place(w)), s=s)
    assert_allclose(found.x, np.conj(2 * x * factor * 3 + second) * w)
    assert_allclose(found.s.real, [(np.conj(x * x * factor) * w).real.sum()], rtol=1e-6)
    assert_allclose(found.s.factor, [(np.conj(x * x * 3) * w).sum()], rtol=1e-6)
    assert_allclose(found.s.factors, [0, (np.conj(x) * w).sum()])
    added = {"real": place(np.ones(1, np.float32)), "factor": place(np.ones(1, np.complex64)), "factors": place(given.copy())}
    m.mixed.bwd(place(x), y=(None, place(w)), s=(s, added))
    assert_allclose(added["factors"], given + np.asarray(found.s.factors))
