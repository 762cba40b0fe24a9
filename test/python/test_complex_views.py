"""Derivatives by views of complex numbers: of strides of their own, as gradients and cotangents have them too."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import kernix

pytestmark = pytest.mark.filterwarnings("ignore::FutureWarning")  # torch's own, when forward_ad is imported
SOURCE = Path(__file__).parent / "sources" / "complex_views.cu"


@pytest.fixture(scope="module")
def m() -> Any:
    return kernix.load(SOURCE, target="cpu")


def numbers(*shape: int, is_complex: bool = True) -> Any:
    real, imaginary = np.random.default_rng(len(shape)).normal(size=(2, *shape))
    return real + 1j * imaginary if is_complex else real


def newton(z: Any) -> Any:
    for _ in range(3):
        z = z - (z * z * z - 1) / (3 * z * z)
    return z


def gather(a: Any, b: Any) -> Any:
    every_twice = [k // 2 for k in range(2 * len(a))]
    return a[every_twice] * b[0] * a[0].conj()


# The same with arrays, and arguments.
TWINS: dict[str, tuple[Any, tuple[Any, ...]]] = {
    "turn": (lambda a, b: a * a * b, (numbers(5), numbers(5)[::-1].copy())),
    "plane": (lambda a, x: a.conj() * a * x[None] + a[0:1], (numbers(3, 4), numbers(4, is_complex=False))),
    "parts": (lambda a: a.real * a.imag + 1j * a.imag**2, (numbers(5),)),
    "grow": (lambda x, z: z * z * x, (numbers(5, is_complex=False), numbers(5))),
    "product": (lambda a: a[:, 0] * a[:, 1] ** 2, (numbers(4, 2),)),
    "gather": (gather, (numbers(3), numbers(2))),
    "matmul": (lambda a, b: a @ b, (numbers(3, 4), numbers(4, 2))),
    "newton": (newton, (numbers(3) + 2,)),
    "neighbours": (lambda a: a * a[:, [1, 2, 0]], (numbers(4, 3),)),
}
STRIDED = ["turn", "plane", "parts", "grow", "gather", "matmul", "newton"]


def every_other(array: Any) -> Any:
    """The same in every other place of larger memory."""
    wide = np.zeros([2 * size for size in array.shape], array.dtype)
    found = wide[tuple(slice(None, None, 2) for _ in array.shape)]
    found[...] = array
    return found


@pytest.mark.parametrize("is_strided", [False, True])
@pytest.mark.parametrize("name", TWINS)
def test_torch(m: Any, name: str, is_strided: bool) -> None:
    torch = pytest.importorskip("torch")
    if is_strided and name not in STRIDED:
        pytest.skip("elements that are several numbers lie beside each other")
    twin, arguments = TWINS[name]
    at = [torch.from_numpy(every_other(each) if is_strided else each).requires_grad_() for each in arguments]

    def ours(*given: Any) -> Any:
        if name != "grow":
            return getattr(m, name)(*given)
        z = given[1].clone()
        m.grow(given[0], z)
        return z

    y = twin(*at)
    torch.testing.assert_close(ours(*at), y)
    cotangents = [torch.full((), 1 - 2j, dtype=y.dtype).expand(y.shape), torch.from_numpy(every_other(numbers(*y.shape)))]
    for cotangent in cotangents:
        got, want = (torch.autograd.grad(f(*at), at, cotangent) for f in (ours, twin))
        torch.testing.assert_close(got, want)
    got, want = (torch.autograd.grad(f(*at).sum().real, at) for f in (ours, twin))
    torch.testing.assert_close(got, want)
    assert torch.autograd.gradcheck(ours, at, check_forward_ad=True)


def test_second_derivatives(m: Any) -> None:
    torch = pytest.importorskip("torch")
    at = [torch.from_numpy(every_other(each)).requires_grad_() for each in TWINS["turn"][1]]
    assert torch.autograd.gradgradcheck(m.turn, at)


def test_numpy(m: Any) -> None:
    """Given gradients have strides of their own, and are added to."""
    a, b = every_other(numbers(5)), numbers(10)[::-2]
    of_a, of_b = np.ones(15, complex)[::3], np.zeros(10, complex)[::-2]
    cotangent = np.broadcast_to(2 - 1j, 5)
    m.turn.bwd((a, of_a), (b, of_b), (None, cotangent))
    np.testing.assert_allclose(of_a, 1 + cotangent * (2 * a * b).conj())
    np.testing.assert_allclose(of_b, cotangent * (a * a).conj())
    np.testing.assert_allclose(m.turn.fwd((a, cotangent), (b, of_b)).z[1], 2 * a * b * cotangent + a * a * of_b)
    assert kernix.gradcheck(m.turn, a, b).ok


@pytest.mark.parametrize("name", ["turn", "plane", "parts"])
def test_jax(m: Any, name: str, jax_in_doubles: Any) -> None:
    jax = jax_in_doubles
    twin, arguments = TWINS[name]
    at = tuple(jax.numpy.asarray(each) for each in arguments)
    for loss in (lambda y: y.sum().real, lambda y: (y * (1 - 2j)).sum().imag, lambda y: (abs(y) ** 2).sum()):
        got, want = (jax.grad(lambda *v, f=f: loss(f(*v)), range(len(at)))(*at) for f in (getattr(m, name), twin))
        for one, other in zip(got, want, strict=True):
            np.testing.assert_allclose(one, other)
