"""Second derivatives where what is added to a first gradient is 0: its own derivative need not be."""

from pathlib import Path

import numpy as np
import pytest

import kernix

torch = pytest.importorskip("torch")

COUNT = 70


@pytest.fixture(scope="module")
def at_zero():
    return kernix.load(Path(__file__).parent / "sources" / "second_at_zero.cu")


def calls(at_zero):
    """By name: a function of z and w, and z."""
    torch.manual_seed(0)
    z = torch.rand(COUNT, 2, dtype=torch.float64) + 0.5
    launch = {"block": 64, "grid": 2}
    at = torch.arange(COUNT, dtype=torch.int32) // 3

    def on_host(z, w):
        y = torch.zeros_like(w)
        at_zero.on_host(z, w, y)
        return y

    return {
        "own": (lambda z, w: at_zero.own(z, w, **launch), z),
        "gathered": (lambda z, w: at_zero.gathered(z, w, at, **launch), z),
        "of_warps": (lambda z, w: at_zero.of_warps(z, w, **launch), z[:3]),
        "of_block": (lambda z, w: at_zero.of_block(z, w, **launch), z[:1]),
        "in_loop": (lambda z, w: at_zero.in_loop(z, w, **launch), z),
        "seldom": (lambda z, w: at_zero.seldom(z, w, at, **launch), z),
        "in_shared": (lambda z, w: at_zero.in_shared(z, w, block=128, grid=1), z),
        "powers": (lambda z, w: at_zero.powers(torch.view_as_complex(z), w + 1, **launch), z),
        "on_host": (on_host, z),
    }


NAMES = ["own", "gathered", "of_warps", "of_block", "in_loop", "seldom", "in_shared", "powers", "on_host"]
# All are 0, some are, or the branch that is taken for 0 is not taken by all.
WEIGHTS = {
    "zeros": torch.zeros(COUNT, dtype=torch.float64),
    "some": torch.arange(COUNT, dtype=torch.float64) % 3 / 4,
    "branches": torch.tensor([-2, 0, 0.5, 1], dtype=torch.float64)[torch.arange(COUNT) % 4],
}


def gradients(f, z, w, create_graph=False):
    z, w = z.detach().requires_grad_(), w.detach().requires_grad_()
    factors = torch.linspace(0.5, 1.5, COUNT, dtype=torch.float64)
    return (z, w), torch.autograd.grad((f(z, w) * factors).sum(), (z, w), create_graph=create_graph)


@pytest.mark.parametrize("weights", WEIGHTS)
@pytest.mark.parametrize("name", NAMES)
def test_reverse_over_reverse(at_zero, name, weights):
    f, z = calls(at_zero)[name]
    w = WEIGHTS[weights]
    if name == "powers" and weights == "branches":
        w = w.abs()
    u, v = torch.rand_like(z), torch.rand_like(w)
    inputs, first = gradients(f, z, w, create_graph=True)
    for along_z, along_w in ((u, v), (u, 0 * v), (0 * u, v)):
        found = torch.autograd.grad((first[0] * along_z).sum() + (first[1] * along_w).sum(), inputs, retain_graph=True)
        step = 1e-5
        after = gradients(f, z + step * along_z, w + step * along_w)[1]
        before = gradients(f, z - step * along_z, w - step * along_w)[1]
        for each, a, b in zip(found, after, before, strict=True):
            torch.testing.assert_close(each, (a - b) / (2 * step), rtol=1e-6, atol=1e-7)


@pytest.mark.filterwarnings("ignore")  # of torch itself
@pytest.mark.parametrize("name", [name for name in NAMES if name != "on_host"])
def test_forward_over_reverse(at_zero, name):
    f, z = calls(at_zero)[name]
    w = WEIGHTS["some"]
    v = torch.rand_like(w)

    def first(w):
        return torch.func.grad(lambda z: f(z, w).sum())(z)

    found = torch.func.jvp(first, (w,), (v,))[1]
    torch.testing.assert_close(found, (first(w + 1e-5 * v) - first(w - 1e-5 * v)) / 2e-5, rtol=1e-6, atol=1e-7)


def test_by_hand(at_zero):
    z, v, gy = np.full((5, 2), 2.0), np.linspace(1, 2, 5), np.linspace(0.5, 1, 5)
    result = at_zero.own.bwd.fwd(z=(z, 0 * z), w=(0 * v, v), y_grad=(gy, 0 * gy))
    np.testing.assert_allclose(result.z_grad[0], np.stack([0 * gy, gy], 1))
    np.testing.assert_allclose(result.z_grad[1], np.stack([gy * v, 0 * gy], 1))
    np.testing.assert_allclose(result.w_grad[0], 2 * gy)


@pytest.mark.filterwarnings("ignore")
def test_in_jax(at_zero, jax_in_doubles):
    jax = jax_in_doubles
    z, w = jax.numpy.full((5, 2), 2.0), jax.numpy.zeros(5)

    def total(z, w):
        return at_zero.own(z, w).sum()

    expected = np.stack([np.eye(5), np.zeros((5, 5))], 1)  # element of the gradient, slope or height, weight
    np.testing.assert_allclose(jax.jacfwd(jax.grad(total, 0), 1)(z, w), expected)
    np.testing.assert_allclose(jax.jacrev(jax.grad(total, 1), 0)(z, w), expected.transpose(2, 0, 1))


@pytest.mark.parametrize("weights", WEIGHTS)
def test_gradients_taken_in_code(at_zero, weights):
    inputs = torch.rand(12, 2, dtype=torch.float64).requires_grad_(), WEIGHTS[weights][:12].clone().requires_grad_()
    assert torch.autograd.gradcheck(lambda z, w: at_zero.in_code(z, w, block=4, grid=3), inputs)
