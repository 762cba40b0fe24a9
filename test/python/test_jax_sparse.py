"""A sparse product with a backward kernel that is written by hand, in JAX against jax.experimental.sparse."""

from pathlib import Path
from typing import Any

import kernix
import numpy as np
import pytest

jax = pytest.importorskip("jax")
import jax.numpy as jnp  # noqa: E402
from jax.experimental import sparse  # noqa: E402
from test_jax import close, device  # noqa: E402, F401  (a fixture: every test runs on each device, with 64 bits)

SOURCE = Path(__file__).parents[2] / "examples" / "sparse_matvec" / "sparse_matvec.cu"
SHAPE = (9, 13)


@pytest.fixture(scope="module")
def m() -> Any:
    return kernix.load(SOURCE)


class Example:
    """A matrix with an empty row and an unused column; the product by kernix and by JAX, as functions of values and x."""

    def __init__(self, m: Any, dtype: str) -> None:
        random = np.random.default_rng(3)
        mask = random.random(SHAPE) < 0.35
        mask[4], mask[:, 6] = False, False
        self.starts = jnp.asarray(np.concatenate([[0], np.cumsum(mask.sum(1))]).astype(np.int32))
        self.columns = jnp.asarray(np.nonzero(mask)[1].astype(np.int32))
        self.values, self.x, self.g = (
            jnp.asarray(random.normal(size=size).astype(dtype)) for size in (int(mask.sum()), SHAPE[1], SHAPE[0])
        )
        self.function = m.sparse_matvec

    def by_kernix(self, values: Any, x: Any) -> Any:
        return self.function(values, self.columns, self.starts, x)

    def by_jax(self, values: Any, x: Any) -> Any:
        return sparse.BCSR((values, self.columns, self.starts), shape=SHAPE) @ x


@pytest.fixture(params=["float32", "float64"])
def example(m: Any, request: pytest.FixtureRequest, device: str) -> Example:  # noqa: F811
    return Example(m, request.param)


def same(example: Example, transformed: Any, *arguments: Any) -> None:
    """A transformation gives of both products the same."""
    tolerance = 1e-5 if arguments[0].dtype == np.float32 else 1e-12
    got, expected = transformed(example.by_kernix)(*arguments), transformed(example.by_jax)(*arguments)
    assert jax.tree.structure(got) == jax.tree.structure(expected)
    for one, other in zip(jax.tree.leaves(got), jax.tree.leaves(expected), strict=True):
        assert (one.shape, one.dtype) == (other.shape, other.dtype)
        close(one, other, tolerance)


def test_value(example):
    same(example, lambda f: f, example.values, example.x)
    same(example, jax.jit, example.values, example.x)


def test_gradients(example):
    def gradients(f):
        return jax.grad(lambda values, x: jnp.vdot(example.g, jnp.sin(f(values, x))), argnums=(0, 1))

    same(example, gradients, example.values, example.x)
    same(example, lambda f: jax.jit(gradients(f)), example.values, example.x)
    same(example, lambda f: jax.checkpoint(gradients(f)), example.values, example.x)


def test_gradient_of_one(example):
    for wanted in (0, 1):
        same(example, lambda f, wanted=wanted: jax.grad(lambda v, x: f(v, x) @ example.g, wanted), example.values, example.x)


def test_vmap(example):
    xs = jnp.stack([example.x, -example.x, example.x**2])
    many = jnp.stack([example.values, 2 * example.values, example.values**3])
    same(example, lambda f: jax.vmap(f, (None, 0)), example.values, xs)
    same(example, lambda f: jax.vmap(f, (0, None)), many, example.x)
    same(example, lambda f: jax.jit(jax.vmap(f)), many, xs)


def test_gradients_under_vmap(example):
    xs = jnp.stack([example.x, -example.x])
    many = jnp.stack([example.values, 2 * example.values])

    def gradients(f):
        return jax.grad(lambda values, x: jnp.vdot(example.g, f(values, x) ** 2), argnums=(0, 1))

    same(example, lambda f: jax.vmap(gradients(f), (None, 0)), example.values, xs)
    same(example, lambda f: jax.jit(jax.vmap(gradients(f))), many, xs)


def test_gradient_of_a_batch(example):
    xs = jnp.stack([example.x, -example.x, example.x**2])

    def gradient(f):
        return jax.grad(lambda values, xs: jnp.sum(jnp.tanh(jax.vmap(f, (None, 0))(values, xs))), argnums=(0, 1))

    same(example, gradient, example.values, xs)


def test_jacobian(example):
    same(example, lambda f: jax.jacrev(f, argnums=(0, 1)), example.values, example.x)


def test_backward_is_called(m, example):
    """The gradient is the hand-written kernel's: with its pairs it gives the same."""
    zeros = jnp.zeros_like
    gradients = m.sparse_matvec.bwd(
        (example.values, zeros(example.values)), example.columns, example.starts, (example.x, zeros(example.x)), (None, example.g)
    )
    expected = jax.vjp(example.by_jax, example.values, example.x)[1](example.g)
    for one, other in zip(jax.tree.leaves(gradients), expected, strict=True):
        close(one, other, 1e-5 if one.dtype == np.float32 else 1e-12)
