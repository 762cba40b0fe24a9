"""Tangents of output elements that a call leaves as they were are zero, in every front; gradcheck knows it."""

from pathlib import Path

import numpy as np
import pytest

import kernix

SOURCE = Path(__file__).parent / "sources" / "unwritten_elements.cu"
X = np.linspace(0.5, 1.5, 6)
TANGENT = [0, 3, 0, 3, 0, 3]
each = pytest.mark.parametrize("name", ["pointer", "returned", "tensor_view", "carried", "by_the_host"])


@pytest.fixture(scope="module")
def m():
    return kernix.load(SOURCE, target="cpu")


def leave_numbers_in_memory(make):
    """In what is allocated next."""
    _ = [make() for _ in range(50)]


@each
def test_numpy(m, name):
    leave_numbers_in_memory(lambda: np.full(6, 9e9))
    assert m[name].fwd((X, np.ones(6))).y[1].tolist() == TANGENT
    if name == "returned":
        return
    y = np.full(6, 5.0)
    leave_numbers_in_memory(lambda: np.full(6, 9e9))
    value, tangent = m[name].fwd((X, np.ones(6)), y=y).y
    assert value is y
    assert value[::2].tolist() == [5, 5, 5]
    assert tangent.tolist() == TANGENT
    m[name].fwd((X, np.ones(6)), y=(y, y_tangent := np.full(6, 7.0)))
    assert y_tangent.tolist() == [7, 3, 7, 3, 7, 3]


@each
def test_gradcheck(m, name):
    leave_numbers_in_memory(lambda: np.full(6, 9e9))
    result = kernix.gradcheck(m[name], X)
    assert result.ok, str(result)
    assert result.rows[0].kinks == 0


@pytest.mark.filterwarnings("ignore::FutureWarning")  # torch's own, when forward_ad is imported
@pytest.mark.parametrize("front", ["fwd", "func", "jacobian", "dual"])
@each
def test_torch(m, name, front):
    torch = pytest.importorskip("torch")
    x, ones, f = torch.tensor(X), torch.ones(6, dtype=torch.float64), m[name]
    leave_numbers_in_memory(lambda: torch.full((6,), 9e9, dtype=torch.float64))
    if front == "fwd":
        tangent = f.fwd((x, ones)).y[1]
    elif front == "jacobian":
        tangent = torch.func.jacfwd(f)(x).diag()
    elif front == "dual":
        with torch.autograd.forward_ad.dual_level():
            y = f(torch.autograd.forward_ad.make_dual(x, ones))
            tangent = torch.autograd.forward_ad.unpack_dual(y).tangent
    else:
        tangent = torch.func.jvp(f, (x,), (ones,))[1]
    assert tangent.tolist() == TANGENT


@each
def test_jax(m, name, jax_in_doubles):
    jax = jax_in_doubles
    x, ones = jax.numpy.array(X), jax.numpy.ones(6)
    leave_numbers_in_memory(lambda: np.full(6, 9e9))
    assert m[name].fwd((x, ones)).y[1].tolist() == TANGENT
    push = lambda x: jax.jvp(m[name], (x,), (ones,))[1]  # noqa: E731
    assert push(x).tolist() == TANGENT
    assert jax.jit(jax.vmap(push))(jax.numpy.stack([x, x])).tolist() == [TANGENT, TANGENT]
    if name != "returned":
        assert jax.jvp(lambda x: m[name](x, y=jax.numpy.zeros(6)), (x,), (ones,))[1].tolist() == TANGENT
