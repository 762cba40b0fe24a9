"""Derivatives of functions of complex numbers, which are PyTorch's."""

from pathlib import Path
from typing import Any

import pytest

import kernix

torch = pytest.importorskip("torch")
from torch.autograd import gradcheck, gradgradcheck  # noqa: E402

pytestmark = pytest.mark.filterwarnings("ignore::FutureWarning")  # torch's own, when forward_ad is imported
SOURCE = Path(__file__).parent / "sources" / "complex_functions.cu"

UNARY = (
    *("exp", "log", "log10", "sqrt", "sin", "cos", "tan", "sinh", "cosh", "tanh"),
    *("asin", "acos", "atan", "asinh", "acosh", "atanh", "abs"),
)
Z = torch.tensor([0.3 + 1.2j, -0.8 + 0.4j, -1.1 - 0.7j, 0.6 - 1.5j], dtype=torch.complex128)
W = torch.tensor([-0.4 + 0.9j, 1.2 - 0.3j, -0.7 - 1.4j, 2.1 + 0.2j], dtype=torch.complex128)
X = torch.tensor([0.7, -1.3, 2.4, -0.2], dtype=torch.float64)

# By torch's functions, with the argument beside z.
TWINS: dict[str, tuple[Any, Any]] = {
    **{name: (getattr(torch, name), None) for name in UNARY},
    "conj": (lambda z: z.conj().resolve_conj(), None),
    "arg": (torch.angle, None),
    "norm": (lambda z: z.real**2 + z.imag**2, None),
    "real": (lambda z: z.real.clone(), None),
    "imag": (lambda z: z.imag.clone(), None),
    "polar": (lambda z, w: torch.polar(z * z, w), X),
    "cube": (lambda z, w: w * z**3, X),
    "pow": (torch.pow, W),
    "pow_of_real": (torch.pow, X),
    "pow_of_complex": (lambda z, w: w.to(z.dtype) ** z, X),
    "times": (torch.mul, W),
    "over": (torch.div, W),
    "over_real": (torch.div, X),
    "real_over": (lambda z, w: w / z, X),
}


@pytest.fixture(scope="module")
def m() -> Any:
    return kernix.load(SOURCE, target="cpu").kernels


def arguments(name: str, z: Any = Z) -> list[Any]:
    other = TWINS[name][1]
    first = X.flip(0) if name == "polar" else z
    return [each[: len(z)].clone().requires_grad_() for each in ((first,) if other is None else (first, other))]


def in_single(tensor: Any) -> Any:
    return tensor.to(torch.complex64 if tensor.is_complex() else torch.float32)


@pytest.mark.parametrize("name", TWINS)
def test_as_torch_has_them(m: Any, name: str) -> None:
    at, twin = arguments(name), TWINS[name][0]
    y = twin(*at)
    cotangent = torch.full_like(y, 2 - 1j if y.is_complex() else 1.5)
    torch.testing.assert_close(getattr(m, name)(*at), y)
    got, want = (torch.autograd.grad(f(*at), at, cotangent) for f in (getattr(m, name), twin))
    torch.testing.assert_close(got, want)
    narrow = [in_single(each.detach()).requires_grad_() for each in at]
    got = torch.autograd.grad(getattr(m, name)(*narrow), narrow, in_single(cotangent))
    torch.testing.assert_close([*got], [in_single(each) for each in want], rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("name", TWINS)
def test_gradcheck(m: Any, name: str) -> None:
    at = arguments(name, Z[:2])
    # Which version of a kernel runs depends on where the arrays lie, and on that how it rounds.
    assert gradcheck(getattr(m, name), at, check_forward_ad=True, nondet_tol=1e-12)
    assert gradgradcheck(getattr(m, name), at, nondet_tol=1e-12)
    assert kernix.gradcheck(getattr(m, name), *(each.detach() for each in at)).ok


# Where formulas by parts have branches: on the axes, and at 0.
AXES = torch.tensor([2, -2, 0.5, 1.5j, -2j, -0.5j, complex(-3, -0.0)], dtype=torch.complex128)
CUTS = {"asin": [0, 1, 6], "acos": [0, 1, 6]}  # torch's have the sign of the other side there


@pytest.mark.parametrize("name", UNARY)
def test_on_the_axes(m: Any, name: str) -> None:
    keep = [k for k in range(len(AXES)) if k not in CUTS.get(name, ())]
    at, twin = arguments(name, AXES[keep]), TWINS[name][0]
    got, want = (torch.autograd.grad(f(*at).sum().real, at) for f in (getattr(m, name), twin))
    torch.testing.assert_close(got, want)


@pytest.mark.parametrize("exponent", [0.0, 1.0, 2.0, 2.5, -1.0])
@pytest.mark.parametrize("name", ["pow", "pow_of_real"])
def test_powers_on_the_axes(m: Any, name: str, exponent: float) -> None:
    z = torch.cat([AXES, torch.zeros(1)]).requires_grad_()
    w = torch.full(z.shape, exponent, dtype=torch.complex128 if name == "pow" else torch.float64, requires_grad=True)
    got, want = (torch.autograd.grad(f(z, w).sum().real, (z, w)) for f in (getattr(m, name), torch.pow))
    torch.testing.assert_close(got, want, equal_nan=True)


@pytest.mark.parametrize("name", ["abs", "arg", "norm"])
def test_0_at_0(m: Any, name: str) -> None:
    z = torch.zeros(1, dtype=torch.complex128, requires_grad=True)
    (gradient,) = torch.autograd.grad(getattr(m, name)(z), z)
    assert gradient.item() == 0


def test_size_of_cucomplex(m: Any) -> None:
    z = torch.tensor([[3.0, -4.0], [0.0, 0.0]], dtype=torch.float64, requires_grad=True)
    (gradient,) = torch.autograd.grad(m.size(z).sum(), z)
    torch.testing.assert_close(gradient, torch.tensor([[0.6, -0.8], [0.0, 0.0]], dtype=torch.float64))


def test_poles(m: Any) -> None:
    z = torch.zeros(1, dtype=torch.complex128, requires_grad=True)
    for name in ("sqrt", "log"):
        got, want = (torch.autograd.grad(f(z), z, torch.tensor([1 - 2j])) for f in (getattr(m, name), getattr(torch, name)))
        torch.testing.assert_close(got, want)


INVERSES = ("asin", "acos", "atan", "asinh", "acosh", "atanh")


@pytest.mark.parametrize("name", [*INVERSES, "log", "sqrt", "over"])
def test_large_numbers(m: Any, name: str) -> None:
    """Of which the square is infinite, and the slope is not."""
    z = torch.tensor([2e19, -3e25, 5e30j, 1e38 + 1e38j, -2.3e38 + 2.3e38j, 2.3e38 - 2.3e38j], dtype=torch.complex64)
    others = {"over": (z.flip(0),)}.get(name, ())
    wide = [each.to(torch.complex128).requires_grad_() for each in (z, *others)]
    at = [each.clone().requires_grad_() for each in (z, *others)]
    got, want = (torch.autograd.grad(getattr(m, name)(*each), each, torch.full_like(each[0], 1 - 2j)) for each in (at, wide))
    for one, other in zip(got, want, strict=True):
        assert torch.isfinite(one).all()
        torch.testing.assert_close(one, in_single(other), rtol=1e-4, atol=4e-38 if name in ("atan", "atanh") else 1e-25)


@pytest.mark.parametrize("name", INVERSES)
def test_poles_of_inverses(m: Any, name: str) -> None:
    z = torch.tensor([1j, -1j] if name in ("atan", "asinh") else [1, -1], dtype=torch.complex128, requires_grad=True)
    (gradient,) = torch.autograd.grad(getattr(m, name)(z), z, torch.full_like(z, 1 - 2j))
    assert not gradient.isnan().any() and gradient.isinf().all()
