"""Derivatives of complex numbers as torch records them, by kinds of kernels; ways of calling are in
test_torch_complex_calls.py."""

import warnings
from pathlib import Path
from typing import Any

import kernix
import pytest

torch = pytest.importorskip("torch")
from torch.autograd import gradcheck, gradgradcheck  # noqa: E402
from torch.func import grad, jvp, vmap  # noqa: E402

pytestmark = pytest.mark.filterwarnings("ignore::FutureWarning")  # torch's own, when forward_ad is imported
SOURCE = Path(__file__).parent / "sources" / "complex_derivatives.cu"


@pytest.fixture(scope="module")
def m() -> Any:
    return kernix.load(SOURCE, target="cpu")


def tensor(row: Any) -> Any:
    return torch.tensor(row, dtype=torch.complex128 if isinstance(row[0], complex) else torch.float64, requires_grad=True)


X, A, B = tensor([0.5, -1.5, 2.0]), tensor([1 + 2j, 2 - 1j, -0.5 + 1j]), tensor([1j, 1 - 1j, 2 + 0.5j])
TWINS: dict[str, tuple[Any, tuple[Any, ...]]] = {
    "spiral": (lambda x: torch.complex(x * x, x * x * x), (X,)),
    "power": (lambda z: z.real * (z.real**2 + z.imag**2), (A,)),
    "turn": (lambda a, b: a * a * b, (A, B)),
    "mix": (lambda a, x: a.conj() * a * x + 1j * a.conj(), (A, X)),
    "grow": (lambda x, z: z * z * x, (X, A)),
    "total": (lambda a: (a * a).sum().reshape(1), (A,)),
    "scaled": (lambda x, a: x * a * a, (A, torch.tensor(2 + 1j, dtype=torch.complex128, requires_grad=True))),
}
SECOND = [name for name in TWINS if name != "grow"]


def ours(m: Any, name: str) -> Any:
    def grow(x: Any, z: Any) -> Any:
        z = z.clone()
        m.grow(x, z)
        return z

    return grow if name == "grow" else getattr(m, name)


def loss(f: Any) -> Any:
    return lambda *arguments: (f(*arguments).abs() ** 2 * (1 + 2j)).sum().imag + (f(*arguments) * (2 - 3j)).sum().imag


def every(arguments: Any) -> tuple[int, ...]:
    return tuple(range(len(arguments)))


@pytest.mark.parametrize("name", TWINS)
def test_gradcheck(m, name):
    _, arguments = TWINS[name]
    assert gradcheck(ours(m, name), arguments, check_forward_ad=True)
    if name in SECOND:
        assert gradgradcheck(ours(m, name), arguments)


WAYS: dict[str, Any] = {
    "backward": lambda f, at: torch.autograd.grad(loss(f)(*at), at),
    "conjugated gradient": lambda f, at: torch.autograd.grad(f(*at), at, (f(*at) * (1 + 1j)).conj().detach()),
    "func.grad": lambda f, at: grad(loss(f), every(at))(*at),
    "conjugated tangents": lambda f, at: (jvp(f, at, tuple((each * 3).conj() for each in at))[1],),
    "vmap of grad": lambda f, at: vmap(grad(loss(f), every(at)))(*(torch.stack([each, 2 * each]) for each in at)),
    "compile": lambda f, at: torch.autograd.grad(loss(torch.compile(f, backend="aot_eager", fullgraph=True))(*at), at),
}


@pytest.mark.parametrize("how", WAYS)
@pytest.mark.parametrize("name", TWINS)
def test_as_torch_does(m, name, how):
    twin, arguments = TWINS[name]
    if how == "conjugated gradient" and not twin(*arguments).is_complex():
        pytest.skip("of real outputs there is none")
    if name == "scaled" and how == "vmap of grad":
        pytest.skip("a scalar is one number")
    with warnings.catch_warnings():
        warnings.filterwarnings("error", message=".*imaginary part.*")
        got = WAYS[how](ours(m, name), arguments)
    torch.testing.assert_close(got, WAYS[how](twin, arguments))


@pytest.mark.parametrize("name", ["spiral", "power", "turn", "mix"])
def test_gradients_of_tangents(m, name):
    twin, arguments = TWINS[name]
    tangents = tuple((each * (1 - 2j if each.is_complex() else 2)).detach() for each in arguments)

    def by_values(f: Any) -> Any:
        return grad(loss(lambda *at: jvp(f, at, tangents)[1]), every(arguments))(*arguments)

    def by_tangents(f: Any) -> Any:
        return grad(loss(lambda *at: jvp(f, arguments, at)[1]), every(arguments))(*tangents)

    for way in (by_values, by_tangents):
        torch.testing.assert_close(way(ours(m, name)), way(twin))
