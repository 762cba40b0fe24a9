"""Variants of one name in JAX whose parameters are used differently: the one that is called says how."""

from typing import Any

import kernix
import kernix.jax
import numpy as np
import pytest

jax = pytest.importorskip("jax")
import jax.numpy as jnp  # noqa: E402
from test_jax import close, device  # noqa: E402, F401  (a fixture: every test runs on each device, with 64 bits)

SOURCE = """
#include <kernix/kernix.h>
#define INDEX (blockIdx.x * blockDim.x + threadIdx.x)
#define LAUNCH kernix::block(32), kernix::grid("ceil_div(n, 32)")
#define COUNT [[kernix::value("x.numel()")]] int n

// Of integers there is no derivative.
[[kernix::bind("total"), LAUNCH]] __global__ void
total_i(const int *x, [[kernix::shape("1")]] int *y, COUNT) { if (int i = INDEX; i < n) atomicAdd(y, x[i] * x[i]); }
[[kernix::bind("total"), kernix::differentiable, LAUNCH]] __global__ void
total_d(const double *x, [[kernix::shape("1")]] double *y, COUNT) { if (int i = INDEX; i < n) atomicAdd(y, x[i] * x[i]); }

// Added to, or written: what f_bwd takes and gives differs.
#define ADDS { if (int i = INDEX; i < n) atomicAdd(&y[i], x[i] * x[i]); }
#define WRITES { if (int i = INDEX; i < n) y[i] = x[i] * x[i]; }
[[kernix::bind("adds_first"), kernix::differentiable, LAUNCH]] __global__ void
adds_f(const float *x, [[kernix::shape("x")]] float *y, COUNT) ADDS
[[kernix::bind("adds_first"), kernix::differentiable, LAUNCH]] __global__ void
writes_d(const double *x, [[kernix::shape("x")]] double *y, COUNT) WRITES
[[kernix::bind("writes_first"), kernix::differentiable, LAUNCH]] __global__ void
writes_f(const float *x, [[kernix::shape("x")]] float *y, COUNT) WRITES
[[kernix::bind("writes_first"), kernix::differentiable, LAUNCH]] __global__ void
adds_d(const double *x, [[kernix::shape("x")]] double *y, COUNT) ADDS

// In place, or not.
[[kernix::bind("scaled"), kernix::differentiable, LAUNCH]] __global__ void
scaled_d(const double *x, [[kernix::shape("x")]] double *y, COUNT) WRITES
[[kernix::bind("scaled"), kernix::differentiable, LAUNCH]] __global__ void
scaled_f(const float *x, [[kernix::intent(inout_ptr)]] float *y, COUNT) { if (int i = INDEX; i < n) y[i] *= x[i]; }

// Equally many operands and results, the other way round.
[[kernix::bind("swapped"), LAUNCH]] __global__ void
swapped_d(const double *x, [[kernix::shape("x")]] double *y, COUNT) { if (int i = INDEX; i < n) y[i] = 2 * x[i]; }
[[kernix::bind("swapped"), kernix::block(32), kernix::grid("ceil_div(n, 32)")]] __global__ void
swapped_f(float *x, const float *y, [[kernix::value("y.numel()")]] int n) { if (int i = INDEX; i < n) x[i] = 3 * y[i]; }

// Described, or given.
[[kernix::bind("written_first"), LAUNCH]] __global__ void
written_f(const float *x, float *y, COUNT) WRITES
[[kernix::bind("written_first"), LAUNCH]] __global__ void
changed_d(const double *x, [[kernix::intent(inout_ptr)]] double *y, COUNT) { if (int i = INDEX; i < n) y[i] += x[i]; }
[[kernix::bind("read_first"), LAUNCH]] __global__ void
read_d(const double *x, const double *y, [[kernix::shape("x")]] double *z, COUNT) {
  if (int i = INDEX; i < n) z[i] = x[i] * y[i];
}
[[kernix::bind("read_first"), LAUNCH]] __global__ void
written_too(const float *x, float *y, [[kernix::shape("x")]] float *z, COUNT) {
  if (int i = INDEX; i < n) y[i] = z[i] = 2 * x[i];
}
[[kernix::bind("read_last"), LAUNCH]] __global__ void
written_three(const float *x, float *y, [[kernix::shape("x")]] float *z, COUNT) {
  if (int i = INDEX; i < n) y[i] = z[i] = 2 * x[i];
}
[[kernix::bind("read_last"), LAUNCH]] __global__ void
read_last(const double *x, const double *y, [[kernix::shape("x")]] double *z, COUNT) {
  if (int i = INDEX; i < n) z[i] = x[i] * y[i];
}

// Told apart by a number.
[[kernix::bind("either"), kernix::differentiable, LAUNCH]] __global__ void
by_number(const double *x, double *y, double t, COUNT) { if (int i = INDEX; i < n) y[i] = t * x[i]; }
[[kernix::bind("either"), kernix::differentiable, LAUNCH]] __global__ void
by_integer(const double *x, [[kernix::intent(inout_ptr)]] double *y, int t, COUNT) { if (int i = INDEX; i < n) y[i] *= t * x[i]; }
"""
ROW = np.array([1.0, 2.0])


@pytest.fixture(scope="module")
def m() -> Any:
    return kernix.load_cuda_inline("jax_variants", SOURCE)


def test_without_a_derivative_in_the_first(m):
    close(jax.grad(lambda x: m.total(x).sum())(jnp.asarray(ROW)), 2 * ROW)
    assert m.total(jnp.arange(3, dtype="int32")).tolist() == [5]


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("name", ["adds_first", "writes_first"])
def test_access(m, name, dtype):
    f, x = getattr(m, name), jnp.asarray(ROW, dtype)
    close(jax.grad(lambda x: f(x).sum())(x), 2 * ROW)
    close(jax.vmap(jax.grad(lambda x: f(x).sum()))(jnp.stack([x, 2 * x])), [2 * ROW, 4 * ROW])
    close(jax.jvp(f, (x,), (x,))[1], 2 * ROW * ROW)
    adds = (name == "adds_first") == (dtype == "float32")
    close(jax.grad(lambda x: (f(x, y=jnp.ones_like(x)) ** 2).sum())(x), 4 * ROW * (ROW * ROW + adds))


def test_in_place(m):
    x, y = jnp.asarray(ROW, "float32"), jnp.asarray([3.0, 5.0], "float32")
    close(m.scaled(x, y=y), x * y)
    gradients = jax.grad(lambda x, y: m.scaled(x, y=y).sum(), (0, 1))(x, y)
    close(gradients[0], y)
    close(gradients[1], x)
    close(m.scaled(jnp.asarray(ROW)), ROW * ROW)


def test_operands_of_the_chosen_variant(m):
    """Where the call does not say which it is, and the first would take what is a result of another."""
    kernix.jax.register(m, "jax_variants")
    x = jnp.asarray(ROW, "float32")
    names = {"adds_first": x * x, "scaled": x * 3}
    aliases = {"adds_first": {}, "scaled": {1: 0}}
    for name, want in names.items():
        operands = (x, jnp.full(2, 3, "float32")) if name == "scaled" else (x,)
        call = jax.ffi.ffi_call(
            f"jax_variants.{name}", jax.ShapeDtypeStruct((2,), "float32"), input_output_aliases=aliases[name]
        )
        close(call(*operands), want)
    close(jax.ffi.ffi_call("jax_variants.swapped", jax.ShapeDtypeStruct((2,), "float32"))(x), 3 * x)
    close(jax.ffi.ffi_call("jax_variants.swapped", jax.ShapeDtypeStruct((2,), "float64"))(jnp.asarray(ROW)), 2 * ROW)


def test_outputs_that_are_described(m):
    """Memory of what the chosen variant reads would hold anything."""
    described = {dtype: jax.ShapeDtypeStruct((2,), dtype) for dtype in ("float32", "float64")}
    close(m.written_first(jnp.asarray(ROW, "float32"), described["float32"]), ROW * ROW)
    for each in m.read_first(jnp.asarray(ROW, "float32"), described["float32"]):  # whose first variant reads it
        close(each, 2 * ROW)
    for name in ("written_first", "read_first", "read_last"):
        message = f"^{name}: argument 'y': expected an array, got a ShapeDtypeStruct, which describes only outputs"
        for call in (getattr(m, name), jax.jit(lambda x, y, name=name: getattr(m, name)(x, y), static_argnums=1)):
            with pytest.raises(kernix.KernelTypeError, match=message):
                call(jnp.asarray(ROW), described["float64"])


def test_derivatives_of_variants_that_numbers_tell_apart(m):
    x = jnp.asarray(ROW)
    for transform in (jax.jit, lambda f: f):
        close(transform(lambda x: m.either.bwd(x, (x, x), 2.5).x)(x), 2.5 * ROW)
        with pytest.raises(kernix.KernelTypeError, match="'y' is written in by_number_.* and read and written in by_integer_"):
            transform(lambda x: m.either.bwd(x, (x, x), 2).x)(x)
