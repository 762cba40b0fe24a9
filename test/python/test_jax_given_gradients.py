"""Tangents of m.f.bwd in JAX where it is given gradients: it is linear in these and in the cotangents together."""

from typing import Any

import kernix
import numpy as np
import pytest

jax = pytest.importorskip("jax")
import jax.numpy as jnp  # noqa: E402
from test_jax import close, device  # noqa: E402, F401  (a fixture: every test runs on each device, with 64 bits)

SOURCE = """
#include <kernix/kernix.h>
#define INDEX (blockIdx.x * blockDim.x + threadIdx.x)
#define COUNT [[kernix::value("x.numel()")]] int n
struct Line { double slope, offset; };
struct Mixed { float slope; double offset; int order; };

[[kernix::bind, kernix::differentiable]] __global__ void
scaled(const double *x, [[kernix::shape("x")]] double *y, [[kernix::diff]] double a, COUNT) {
  if (int i = INDEX; i < n) y[i] = a * x[i] * x[i];
}
[[kernix::bind, kernix::differentiable(2)]] __global__ void
squares(const double *x, [[kernix::shape("x")]] double *y, COUNT) {
  if (int i = INDEX; i < n) y[i] = x[i] * x[i];
}
[[kernix::bind, kernix::differentiable]] __global__ void
first_half([[kernix::diff(once)]] const double *x, [[kernix::shape("n / 2")]] double *y, COUNT) {
  if (int i = INDEX; i < n / 2) y[i] = x[i] * x[i];
}
[[kernix::bind, kernix::differentiable]] __global__ void
state(const double *x, [[kernix::intent(inout_ptr)]] double *y, [[kernix::intent(inout_ptr)]] int *steps, COUNT) {
  if (int i = INDEX; i < n) y[i] = y[i] * y[i] * x[i] * ++steps[i];
}
template <class Struct> __device__ double on(Struct s, double x) { return s.slope * x + s.offset * s.offset * x; }
[[kernix::bind, kernix::differentiable]] __global__ void
line(const double *x, [[kernix::diff]] Line s, [[kernix::shape("x")]] double *y, COUNT) {
  if (int i = INDEX; i < n) y[i] = on(s, x[i]);
}
[[kernix::bind, kernix::differentiable]] __global__ void
mixed(const double *x, [[kernix::diff]] Mixed s, [[kernix::shape("x")]] double *y, COUNT) {
  if (int i = INDEX; i < n) y[i] = on(s, x[i]);
}
"""
ROW = np.array([1.0, 2, 3, 4])
X, GX, ONE, STEPS = ROW, 100 * ROW, np.ones(1), np.arange(4, dtype="int32")


@pytest.fixture(scope="module")
def m() -> Any:
    return kernix.load_cuda_inline("given_gradients", SOURCE)


# By what a backward is linear in, the rest being given.
MAPS: dict[str, tuple[Any, tuple[Any, ...]]] = {
    "cotangent": (lambda m, c: m.scaled.bwd(x=(X, GX), y=(None, c), a=2.0), (ROW,)),
    "cotangent, all gradients given": (lambda m, c: m.scaled.bwd(x=(X, GX), y=(None, c), a=(2.0, ONE)), (ROW,)),
    "gradient": (lambda m, g: m.scaled.bwd(x=(X, g), y=(None, ROW), a=2.0), (ROW,)),
    "gradient of a number": (lambda m, g: m.scaled.bwd(x=(X, GX), y=(None, ROW), a=(2.0, g)), (ONE,)),
    "both": (lambda m, c, g: m.scaled.bwd(x=(X, g), y=(None, c), a=2.0), (ROW, GX)),
    "second order": (lambda m, c, g: m.squares.bwd(x=(X, g), y=(None, c)), (ROW, GX)),
    "second order, gradient given": (lambda m, c: m.squares.bwd(x=(X, GX), y=(None, c)), (ROW,)),
    "assigned": (lambda m, c: m.first_half.bwd(x=(X, GX), y=(None, c)), (ROW[:2],)),
    "assigned, both": (lambda m, c, g: m.first_half.bwd(x=(X, g), y=(None, c)), (ROW[:2], GX)),
    "in place": (lambda m, c: m.state.bwd(x=(X, GX), y=(2 * X, c), steps=STEPS), (ROW,)),
    "in place, both": (lambda m, c, g: m.state.bwd(x=(X, g), y=(2 * X, c), steps=STEPS), (ROW, GX)),
    "struct": (lambda m, c, g: m.line.bwd(X, {"slope": 2.0, "offset": 3.0}, y=(None, c)), (ROW, GX)),
    "struct, given": (
        lambda m, c, g: m.line.bwd(X, ({"slope": 2.0, "offset": 3.0}, {"slope": g, "offset": ONE}), y=(None, c)),
        (ROW, ONE),
    ),
}


@pytest.mark.parametrize("name", MAPS)
def test_tangents(m, name):
    run, at = MAPS[name]
    at = tuple(map(jnp.asarray, at))
    directions = tuple(jnp.cos(3 * each + k) for k, each in enumerate(at))

    def f(*linear):
        return tuple(jnp.concatenate(jax.tree.leaves(each)) for each in run(m, *linear))

    def same(got, expected):
        assert len(got) == len(expected)
        for one, other in zip(got, expected, strict=True):
            close(one, other, 1e-12)

    # An affine map is its own linearization.
    moved = f(*(point + direction for point, direction in zip(at, directions, strict=True)))
    expected = [after - before for after, before in zip(moved, f(*at), strict=True)]
    same(jax.jvp(f, at, directions)[1], expected)
    same(jax.jit(lambda *at: jax.jvp(f, at, directions)[1])(*at), expected)
    same(jax.linearize(f, *at)[1](*directions), expected)
    same(jax.linearize(f, *at)[1](*(0 * each for each in at)), [0 * each for each in expected])
    rows = jax.vmap(lambda *directions: jax.jvp(f, at, directions)[1])(*(jnp.stack([each, 2 * each]) for each in directions))
    same(rows, [jnp.stack([each, 2 * each]) for each in expected])
    rows = jax.vmap(lambda *at: jax.jvp(f, at, directions)[1])(*(jnp.stack([each, 2 * each]) for each in at))
    same(rows, [jnp.stack([each, each]) for each in expected])
    jacobians = jax.jacfwd(f, argnums=tuple(range(len(at))))(*at)
    same([sum(j @ d for j, d in zip(row, directions, strict=True)) for row in jacobians], expected)


@pytest.mark.parametrize("name", MAPS)
def test_as_with_numpy(m, name, monkeypatch):
    """There what is given is changed; here the call returns what becomes of it."""
    run, at = MAPS[name]
    ours = jax.tree.leaves(run(m, *map(jnp.asarray, at)))
    for each in ("X", "GX", "ONE", "STEPS"):
        monkeypatch.setitem(globals(), each, globals()[each].copy())
    theirs = jax.tree.leaves(run(m, *(each.copy() for each in at)))
    assert len(ours) == len(theirs)
    for one, other in zip(ours, theirs, strict=True):
        assert isinstance(one, jax.Array)
        close(one, other, 1e-12)


def test_tangents_of_what_a_call_changes(m):
    x, dx, y, dy = X, np.cos(X), 2 * X, np.sin(X)
    value, tangent = y * y * x * (STEPS + 1), y * y * dx * (STEPS + 1) + 2 * y * dy * x * (STEPS + 1)
    run = lambda x, dx, y, dy: m.state.fwd(x=(x, dx), y=(y, dy), steps=STEPS)  # noqa: E731
    for each in (run, jax.jit(run)):
        result = each(*map(jnp.asarray, (x, dx, y, dy)))
        close(result.y[0], value, 1e-12)
        close(result.y[1], tangent, 1e-12)
        close(result.steps[0], STEPS + 1, 0)


def test_what_else_depends_needs_a_second_derivative(m):
    x, c = jnp.asarray(X), jnp.ones(4)
    with pytest.raises(kernix.KernelTypeError, match=r"no forward derivative of its own; mark scaled \[\[kernix::differentiable\(2\)"):
        jax.jvp(lambda x: m.scaled.bwd(x=(x, GX), y=(None, c), a=2.0).x, (x,), (x,))
    for of in (lambda c, g: c, lambda c, g: g):
        with pytest.raises(kernix.KernelTypeError, match=r"backward derivative of its own; mark scaled \[\[kernix::differentiable\(2\)"):
            jax.grad(lambda z, of=of: m.scaled.bwd(x=(X, of(GX, z)), y=(None, of(z, c)), a=2.0).x.sum())(c)
    close(jax.grad(lambda g: m.squares.bwd(x=(X, g), y=(None, c)).x.sum())(c), c)


def test_gradients_of_structs_in_bytes(m):
    """Integers have no tangents: this would be zero."""
    s, c = {"slope": 2.0, "offset": 3.0, "order": 1}, jnp.ones(4)
    close(m.mixed.bwd(X, s, y=(None, c)).s.offset, [60.0])
    for transformed in (lambda f: jax.jvp(f, (c,), (c,)), lambda f: jax.grad(f)(c)):
        with pytest.raises(kernix.KernelTypeError, match=r"argument 's': the gradient of a struct.*pass s=\(s, None\) where"):
            transformed(lambda c: m.mixed.bwd(X, s, y=(None, c)).s.offset.sum())
    close(jax.jvp(lambda c: m.mixed.bwd(X, (s, None), y=(None, c)).x, (c,), (2 * c,))[1], [22.0] * 4)
