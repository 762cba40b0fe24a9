"""Bound functions called with arrays of JAX, on the real jaxlib."""

import json
import os
import re
import shutil
import subprocess
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import kernix
import numpy as np
import pytest

jax = pytest.importorskip("jax")
import jax.export  # noqa: E402
import jax.numpy as jnp  # noqa: E402
from jax.sharding import Mesh, NamedSharding, PartitionSpec  # noqa: E402
from jax.test_util import check_grads  # noqa: E402
from kernix import jax as kernix_jax  # noqa: E402
from kernix import toolchain  # noqa: E402
from kernix.options import make_options  # noqa: E402
from kernix.ptx import PtxBuild  # noqa: E402

SOURCE = Path(__file__).parent / "sources" / "jax_calls.cu"


def devices() -> list[str]:
    return ["cpu", "cuda"] if kernix.gpu.driver().usable and _has_cuda() else ["cpu"]


def _has_cuda() -> bool:
    try:
        return bool(jax.devices("cuda"))
    except RuntimeError:
        return False


@pytest.fixture(params=devices(), autouse=True)
def device(request: pytest.FixtureRequest) -> Iterator[str]:
    before = jax.config.jax_enable_x64
    jax.config.update("jax_enable_x64", True)
    with jax.default_device(jax.devices(request.param)[0]):
        yield request.param
    jax.config.update("jax_enable_x64", before)


@pytest.fixture(scope="module")
def m() -> Any:
    return kernix.load(SOURCE)


@pytest.fixture
def x() -> Any:
    return jnp.linspace(0.1, 1.0, 8).reshape(2, 4)


def close(a: Any, b: Any, tolerance: float = 1e-12) -> None:
    np.testing.assert_allclose(np.asarray(a), np.asarray(b), rtol=tolerance, atol=tolerance)


# -- calls --------------------------------------------------------------------------------------------------------------


def test_eager_and_jit(m, x):
    close(m.cube(x), x**3)
    close(jax.jit(m.cube)(x), x**3)
    close(jax.jit(lambda x: m.cube(x + 1, scale=2.0) - 1)(x), 2 * (x + 1) ** 3 - 1)
    assert isinstance(m.cube(x), jax.Array)


def test_variants_by_dtype(m, x):
    assert m.cube(x.astype("float32")).dtype == np.float32
    assert m.cube(x).dtype == np.float64
    with pytest.raises(kernix.KernelTypeError, match="no variant takes these arguments"):
        m.cube(x.astype("int32"))


def test_scalars_of_zero_and_nan_are_not_confused(m, x):
    assert not np.signbit(m.cube(x, scale=0.0)).any()
    assert np.signbit(m.cube(x, scale=-0.0)).all()
    assert np.isnan(m.cube(x, scale=float("nan"))).all()


def test_results_in_the_order_of_the_parameters(m, x):
    w = jnp.arange(1.0, 4.0)
    y, total = m.weighted(x, w)
    close(y, x * jnp.resize(w, 8).reshape(2, 4))
    close(total, jnp.sin(x).sum().reshape(1))


def test_output_without_a_shape(m, x):
    close(m.twice(x, jax.ShapeDtypeStruct(x.shape, x.dtype), 8), 2 * x)
    with pytest.raises(kernix.KernelTypeError, match=r"argument 'y' is missing; without a shape attribute give jax.ShapeDtypeStruct"):
        m.twice(x, None, 8)


def test_output_that_is_given_keeps_what_is_not_written(m, x):
    given = x + 0
    got = m.twice(x, given, 3)
    close(got.ravel(), jnp.where(jnp.arange(8) < 3, 2 * x.ravel(), x.ravel()))
    close(given, x)


def test_in_place_gives_a_new_array(m, x):
    y = x + 1
    close(m.step(x, y), y * x + x)
    close(y, x + 1)
    close(jax.jit(m.step, donate_argnums=1)(x, x + 1), (x + 1) * x + x)


def test_in_place_of_an_array_that_is_also_read(m, x):
    """XLA hands out one buffer for both, of which neither the function nor its derivative writes to."""
    close(m.step(x, x), x * x + x)
    close(jax.grad(lambda y: m.step(x, y).sum())(x), x)
    close(jax.jit(jax.grad(lambda y: m.step(y, y).sum()))(x), 2 * x + 1)


def test_optional(m, x):
    close(m.with_bias(x), x)
    close(m.with_bias(x, x), 2 * x)
    close(m.with_bias(x, None), x)


def test_vector_types_and_struct(m):
    points = jnp.arange(6, dtype="float32").reshape(2, 3)
    close(m.moved(points, by=jnp.array([1, 2, 3], "float32")), points * jnp.array([1, 2, 3]))
    line = {"slope": 2, "order": 3, "offsets": (0, 0.5)}
    close(m.on_line(points, line=line), 2 * points + 3.5)
    close(m.on_line(points, line=(2, 3, (0, jnp.float32(0.5)))), 2 * points + 3.5)


def test_returned_array(m):
    close(m.total(jnp.arange(5, dtype="float32")), [10, 30])
    close(jax.jit(m.negated)(jnp.arange(5, dtype="float32")), -jnp.arange(5))


def test_all_kinds_of_scalars(m, device):
    if device == "cuda":
        pytest.skip("its body writes on the CPU only")
    like = jnp.zeros(9, "float32")
    got = m.scalars(True, -3, 65535, 2**40, 2**63 + 5, 0.5, 1 - 2j, "ab", y=like)
    close(got, [1, -3, 65535, 2**40, 8, 0.5, 1, -2, ord("b")])


def test_numpy_arrays_beside(m, x):
    close(m.weighted(np.asarray(x), jnp.ones(2))[0], x)


def test_empty(m):
    assert m.cube(jnp.zeros((0, 3))).shape == (0, 3)


def test_launch_sizes(m, x):
    close(m.cube(x, block=4, grid=2), x**3)
    close(m.cube(x, block=(4, 1), grid=(2,)), x**3)
    with pytest.raises(jax.errors.JaxRuntimeError, match=r"INVALID_ARGUMENT: .*block.x: expected 1 to 1024, got 2000"):
        m.cube(x, block=2000).block_until_ready()
    with pytest.raises(kernix.KernelTypeError, match="block: expected an int or up to three of them, got "):
        m.cube(x, block=x)


# -- refusals -----------------------------------------------------------------------------------------------------------


def test_refusals(m, x):
    xf = x.astype("float32")
    for arguments, keywords, function, message in [
        ((xf.astype("int32"),), {"line": (1, 1, (0, 0))}, m.on_line, "argument 'x': expected a tensor of float32, got one of int32"),
        ((xf,), {}, m.on_line, "argument 'line' is missing"),
        ((xf,), {"line": (1, 2.5, (0, 0))}, m.on_line, r"argument 'line.order': expected an integer \(int32\), got float 2.5"),
        ((x,), {"scale": 1e400}, None, None),
        ((x,), {"scale": "a"}, m.cube, "no variant takes these arguments"),
        ((x, x[0]), {}, m.with_bias, None),
        ((x,), {"y": x[0]}, m.cube, r"argument 'y': expected shape \(2, 4\), that of 'x', got \(4,\)"),
        ((x[0],), {}, m.transposed, None),
        ((jax.random.key(0),), {}, m.cube, "argument 'x': expected numbers, got dtype key"),
        ((xf,), {}, m.number, "returns a number, for which XLA has no place"),
        ((jax.ShapeDtypeStruct((2,), "float64"),), {}, m.cube, "expected an array, got a ShapeDtypeStruct"),
        ((x, [1.0]), {}, m.with_bias, "argument 'bias': expected an array of JAX or NumPy, got builtins.list"),
        ((xf,), {"line": (jnp.zeros(2), 1, (0, 0))}, m.on_line, r"argument 'line': expected a number, got an array of shape \(2,\)"),
    ]:
        if message is None:
            continue
        with pytest.raises(kernix.KernelTypeError if "shape" not in message else kernix.KernelError, match=message):
            function(*arguments, **keywords)


def test_traced_scalars_are_refused(m, x):
    with pytest.raises(kernix.KernelTypeError, match=r"argument 'scale': .* known when the call is traced.*static_argnums"):
        jax.jit(lambda x, scale: m.cube(x, scale=scale))(x, 2.0)
    with pytest.raises(kernix.KernelTypeError, match=r"make the parameter a pointer \(const float \*\), which .*has a gradient"):
        jax.grad(lambda scale: m.cube(x, scale=scale).sum())(2.0)
    with pytest.raises(kernix.KernelTypeError, match=r"argument 'n': .*make the parameter a pointer \(const int \*\)(\n|$)"):
        jax.vmap(lambda n: m.twice(x, like(x), n))(jnp.arange(3, dtype="int32"))
    with pytest.raises(kernix.KernelTypeError, match=r"argument 'line': .*make the parameter a pointer \(const Line \*\)(\n|$)"):
        jax.jit(lambda slope: m.on_line(x.astype("float32"), line=(slope, 1, (0, 0))))(2.0)


def test_64_bits_without_x64(m):
    jax.config.update("jax_enable_x64", False)
    for array in (np.zeros(3), jnp.zeros(3, "float32")):
        with pytest.raises(kernix.KernelTypeError, match=r"argument 'x': expected a tensor of float64, got one of float(64|32); .*jax_enable_x64"):
            m.with_bias(array, jnp.zeros(3, "float32"))


def test_errors_of_functions(m, x):
    with pytest.raises(jax.errors.JaxRuntimeError, match=r"INTERNAL: fails\(In x, Out y\): the reason, with ü"):
        m.fails(x.astype("float32")).block_until_ready()
    with pytest.raises(jax.errors.JaxRuntimeError, match="the reason, with ü"):
        jax.jit(m.fails)(x.astype("float32")).block_until_ready()


def test_symbolic_shapes_are_refused(m):
    (size,) = jax.export.symbolic_shape("n")
    with pytest.raises(kernix.KernelTypeError, match="sizes that are symbols are not supported"):
        jax.export.export(jax.jit(m.cube))(jax.ShapeDtypeStruct((size,), "float64"))


# -- derivatives --------------------------------------------------------------------------------------------------------


def test_gradients(m, x):
    w = jnp.arange(3.0)
    check_grads(m.cube, (x,), order=1)
    check_grads(lambda x: m.cube(x, scale=2.0), (x,), order=2, modes=("rev",))
    check_grads(lambda x, y: m.step(jnp.asarray(x), jnp.asarray(y)), (x, x + 1), order=1)
    check_grads(m.weighted, (x, w), order=1)
    check_grads(m.with_bias, (x,), order=1)
    check_grads(m.with_bias, (x, x), order=1)
    check_grads(m.transposed, (x,), order=1)


def test_every_transformation_of_derivatives(m, x):
    flat = x.ravel()

    def loss(x):
        return (m.cube(x) ** 2).sum()  # x^6

    close(jax.jacfwd(m.cube)(flat), jnp.diag(3 * flat**2))
    close(jax.jacrev(m.cube)(flat), jnp.diag(3 * flat**2))
    close(jax.hessian(loss)(flat), jnp.diag(30 * flat**4))
    close(jax.jacrev(jax.jacrev(loss))(flat), jnp.diag(30 * flat**4))
    close(jax.jit(jax.grad(loss))(x), 6 * x**5)
    close(jax.grad(jax.checkpoint(loss))(x), 6 * x**5)
    close(jax.linearize(m.cube, x)[1](x), 3 * x**3)
    close(jax.vmap(jax.grad(loss))(x), 6 * x**5)
    close(jax.grad(lambda x: jax.vmap(loss)(x).sum())(x), 6 * x**5)
    close(jax.grad(lambda x: jax.lax.scan(lambda c, _: (m.cube(c), None), x, None, length=2)[0].sum())(x), 9 * x**8)
    close(jax.lax.cond(True, m.cube, lambda x: x, x), x**3)
    close(jax.lax.while_loop(lambda c: c[0] < 2, lambda c: (c[0] + 1, m.cube(c[1])), (0, x))[1], x**9)
    assert jax.eval_shape(m.cube, x).shape == x.shape
    close(jax.jit(m.cube).lower(x).compile()(x), x**3)
    # The cotangent is the operand itself, and the same array is given twice.
    close(jax.grad(lambda x: (m.cube(x) * jax.lax.stop_gradient(x)).sum())(x), 3 * x**3)
    close(jax.grad(lambda x: m.weighted(x, x)[0].sum())(x.ravel()), 2 * x.ravel())
    close(jax.grad(lambda x, n: m.cube(x).sum() * n)(x, 3), 9 * x**2)


def test_gradient_of_one_argument_of_several(m, x):
    w = jnp.arange(1.0, 4.0)
    got = jax.grad(lambda w: m.weighted(x, w)[0].sum())(w)
    close(got, [x.ravel()[k::3].sum() for k in range(3)])


def test_pairs(m, x):
    x = x.ravel()
    got = m.cube.bwd(x=x, y=(None, jnp.ones(8)), scale=2.0)
    close(got.x, 6 * x**2)
    close(got.scale, (x**3).sum().reshape(1))
    close(m.cube.bwd(x=(x, jnp.ones(8)), y=(None, jnp.ones(8)), scale=2.0).x, 6 * x**2 + 1)
    value, tangent = m.cube.fwd(x=(x, jnp.ones(8)), scale=(2.0, 1.0)).y
    close(value, 2 * x**3)
    close(tangent, 6 * x**2 + x**3)


def test_without_a_derivative(m, x):
    with pytest.raises(kernix.KernelTypeError, match=r"on_line.*has no forward derivative; mark it \[\[kernix::differentiable\]\]"):
        jax.grad(lambda x: m.on_line(x, line=(1, 1, (0, 0))).sum())(x.astype("float32"))
    close(jax.grad(lambda x: m.on_line(jax.lax.stop_gradient(x), line=(1, 1, (0, 0))).sum())(x.astype("float32")), 0 * x)
    with pytest.raises(kernix.KernelTypeError, match=r"weighted_bwd.*mark weighted \[\[kernix::differentiable\(2\)\]\]"):
        jax.hessian(lambda x: m.weighted(x, x)[0].sum())(x)
    with pytest.raises(kernix.KernelTypeError, match=r"cube_fwd.*forward derivative has no derivative of its own.*jax.hessian"):
        jax.jacfwd(jax.jacfwd(m.cube))(x)
    with pytest.raises(kernix.KernelTypeError, match="cannot be transposed, since it is not known to be linear"):
        jax.linear_transpose(m.cube, x)(x)


@pytest.mark.parametrize("how", ["jvp", "jacfwd", "linearize", "vjp", "hessian", "vmap of jvp"])
def test_numbers_of_python(m, how):
    """They are primals and tangents themselves."""
    ways = {
        "jvp": lambda f: jax.jvp(f, (2.0,), (3.0,)),
        "jacfwd": lambda f: jax.jacfwd(f)(2.0),
        "linearize": lambda f: jax.linearize(f, 2.0)[1](3.0),
        "vjp": lambda f: jax.vjp(f, 2.0)[1](3.0),
        "hessian": lambda f: jax.hessian(f)(2.0),
        "vmap of jvp": lambda f: jax.vmap(lambda t: jax.jvp(f, (2.0,), (t,)))(jnp.arange(3.0)),
    }
    got, want = (jax.tree.leaves(ways[how](f)) for f in (m.cube, lambda x: x**3))
    for one, other in zip(got, want, strict=True):
        close(one, other)


# -- vmap ---------------------------------------------------------------------------------------------------------------


def test_vmap(m, x):
    w = jnp.arange(1.0, 4.0)
    rows = [m.weighted(row, w) for row in x]
    for got, *expected in zip(jax.vmap(m.weighted, in_axes=(0, None))(x, w), *rows, strict=True):
        close(got, jnp.stack(expected))
    columns = [m.weighted(x[:, k], w)[0] for k in range(4)]
    close(jax.vmap(m.weighted, in_axes=(1, None), out_axes=1)(x, w)[0], jnp.stack(columns, 1))
    twice = jax.vmap(jax.vmap(m.weighted, in_axes=(0, None)), in_axes=(None, 0))(x, jnp.stack([w, w + 1, w + 2]))[0]
    for k in range(3):
        close(twice[k], jnp.stack([m.weighted(row, w + k)[0] for row in x]))
    close(jax.vmap(m.step, in_axes=(0, None))(x, x[0]), x[0] * x + x)
    assert jax.vmap(m.transposed)(x.reshape(2, 2, 2)).shape == (2, 2, 2)


def test_gradients_of_vmap(m, x):
    w = jnp.arange(1.0, 4.0)
    check_grads(lambda x, w: jax.vmap(jax.vmap(m.weighted, (0, None)), (1, None))(x.reshape(2, 2, 2), w), (x, w), order=1)
    check_grads(lambda x, y: jax.vmap(m.step, (0, None))(jnp.asarray(x), jnp.asarray(y)), (x, x[0]), order=1)
    check_grads(lambda x, y: jax.vmap(m.step, (None, 1))(jnp.asarray(x)[:, 0], jnp.asarray(y)), (x, x), order=1)
    one = jax.grad(lambda w: sum(m.weighted(row, w)[0].sum() for row in x))(w)
    close(jax.grad(lambda w: jax.vmap(m.weighted, (0, None))(x, w)[0].sum())(w), one)
    close(jax.vmap(jax.grad(lambda x, w: m.weighted(x, w)[0].sum(), 1), (0, None))(x, w).sum(0), one)
    close(jax.vmap(jax.hessian(lambda x: m.cube(x).sum()))(x), jnp.stack([jnp.diag(6 * row) for row in x]))


# -- several devices ----------------------------------------------------------------------------------------------------


@pytest.fixture
def mesh(device: str) -> Any:
    if device == "cuda" or len(jax.devices("cpu")) < 4:
        pytest.skip("needs four devices")
    return Mesh(np.array(jax.devices("cpu")[:4]), ("d",))


def test_shard_map(m, mesh):
    x, w, P = jnp.arange(8.0), jnp.arange(3.0), PartitionSpec
    cube = jax.shard_map(m.cube, mesh=mesh, in_specs=P("d"), out_specs=P("d"))
    close(jax.jit(cube)(x), x**3)
    close(jax.jit(jax.grad(lambda x: cube(x).sum()))(x), 3 * x**2)
    close(jax.jit(jax.hessian(lambda x: cube(x).sum()))(x), jnp.diag(6 * x))
    weighted = jax.shard_map(lambda x, w: m.weighted(x, w)[0], mesh=mesh, in_specs=(P("d"), P()), out_specs=P("d"))
    # Each shard begins with the first weight; the gradient of weights that all shards share is a sum.
    close(jax.jit(jax.grad(lambda w: weighted(x, w).sum()))(w), [x[::2].sum(), x[1::2].sum(), 0])


def test_sharded_arguments(m, mesh):
    x = jax.device_put(jnp.arange(8.0), NamedSharding(mesh, PartitionSpec("d")))
    close(jax.jit(m.cube)(x), jnp.arange(8.0) ** 3)


# -- targets of XLA -----------------------------------------------------------------------------------------------------


@pytest.fixture
def registered(m, device) -> Any:
    m._kernix.open_target(device, "cube")
    kernix_jax.register(m, "mine")
    return lambda name, *results, **options: jax.ffi.ffi_call(f"mine.{name}", results if len(results) > 1 else results[0], **options)


def like(x: Any) -> Any:
    return jax.ShapeDtypeStruct(x.shape, x.dtype)


def test_ffi_call(registered, x):
    close(registered("cube", like(x))(x, scale=np.float64(2)), 2 * x**3)
    close(registered("twice", like(x))(x, n=np.int32(8)), 2 * x)
    one = jax.ShapeDtypeStruct((1,), x.dtype)
    close(registered("weighted", like(x), one)(x, jnp.ones(3))[0], x)
    close(registered("step", like(x), input_output_aliases={1: 0})(x, x), x * x + x)
    close(registered("cube", like(x))(x, block=np.int64(4), grid=np.array([2])), x**3)
    close(registered("with_bias", like(x))(x), x)
    close(registered("with_bias", like(x))(x, x), 2 * x)
    y = jnp.ones_like(x)
    close(registered("with_bias_bwd", like(x), like(x))(x, x, y, y + 0)[0], y)


def test_ffi_call_of_exact_types(registered, x, device):
    xf = x.astype("float32")
    for name, value, message in [
        ("twice", {"n": np.int64(9)}, "attribute 'n': expected int32, got int64"),
        ("twice", {"n": np.array([9], np.int32)}, "attribute 'n': expected int32, got an array of 1 int32"),
        ("twice", {"n": "9"}, "attribute 'n': expected int32, got a string"),
        ("twice", {"n": {"a": np.int32(9)}}, "attribute 'n': expected int32, got a dictionary"),
        ("twice", {}, "argument 'n' is missing"),
        ("twice", {"n": np.int32(9), "k": 1}, "there is no attribute 'k'; it has: n"),
        ("cube", {"block": 1.5}, "attribute 'block': expected an integer or an array of one to three, got float64"),
        ("cube", {"shared_bytes": "1"}, "attribute 'shared_bytes': expected an integer, got a string"),
    ]:
        with pytest.raises(jax.errors.JaxRuntimeError, match=f"INVALID_ARGUMENT: .*{message}"):
            jax.block_until_ready(registered(name, like(x))(x, **value))
    for line, message in [
        (np.float32(1), r"attribute 'line': expected a dictionary of the fields of Line, got float32"),
        ({"slope": np.float64(1)}, r"attribute 'line.slope': expected float32, got float64"),
        ({"slope": np.float32(1), "order": np.int32(1)}, r"argument 'line.offsets\[0\]' is missing"),
        ({"height": np.float32(1)}, r"attribute 'line.height': Line has no such field"),
        ({"offsets": np.float64(1)}, r"attribute 'line.offsets': expected an array of 2 float64, got float64"),
    ]:
        with pytest.raises(jax.errors.JaxRuntimeError, match=message):
            jax.block_until_ready(registered("on_line", like(xf))(xf, line=line))


def test_ffi_call_of_scalars(registered, device):
    if device == "cuda":
        pytest.skip("its body writes on the CPU only")
    nine = jax.ShapeDtypeStruct((9,), "float32")
    given = {
        "b": np.bool_(True), "c": np.int8(-3), "u": np.uint16(65535), "l": np.int64(2**40), "h": np.float16(0.5).view(np.uint16),
        "big": np.uint64(2**63 + 5).view(np.int64), "z": np.array([1, -2], np.float32), "text": "ab",
    }  # fmt: skip
    close(registered("scalars", nine)(**given), [1, -3, 65535, 2**40, 8, 0.5, 1, -2, ord("b")])
    for wrong, message in [
        ({"h": np.float32(0.5)}, r"attribute 'h': expected uint16 \(the bits of a float16\), got float32"),
        ({"z": np.array([5, 6], np.float64)}, "attribute 'z': expected an array of two float32"),
        ({"text": 3}, "attribute 'text': expected a string, got int64"),
        ({"b": np.int8(7)}, "attribute 'b': expected bool, got int8"),
    ]:
        with pytest.raises(jax.errors.JaxRuntimeError, match=message):
            jax.block_until_ready(registered("scalars", nine)(**(given | wrong)))


def test_ffi_call_of_wrong_arrays(registered, x):
    for name, results, operands, message in [
        ("cube", [like(x[0])], [x], r"result 'y': expected float64 of shape \(2, 4\), got float64 of shape \(4,\)"),
        ("with_bias", [like(x)], [x.astype("float32")], "argument 'x': expected a tensor of float64, got one of float32"),
        ("cube", [like(x)], [x, x], "expected 1 operands, got 2"),
        ("with_bias", [like(x)], [x, x, x], r"expected 2 operands \(or none of those that are optional\), got 3"),
        ("weighted", [like(x)], [x, x], "expected 2 results, got 1"),
        ("step", [like(x)], [x, x], r"'y' is read and written.*input_output_aliases=\{1: 0\}"),
        ("transposed", [like(x.T)], [x[0]], "argument 'x'"),
        ("number", [like(x)], [x.astype("float32")], "gives back a value that is no array, for which XLA has no place"),
    ]:
        attributes = {"n": np.int32(8)} if name == "twice" else {}
        with pytest.raises(jax.errors.JaxRuntimeError, match=message):
            jax.block_until_ready(registered(name, *results)(*operands, **attributes))


def test_a_module_loaded_again_replaces_the_targets(tmp_path, x, device):
    def load(factor: int) -> Any:
        source = tmp_path / "again.cu"
        source.write_text(
            "#include <kernix/kernix.h>\n"
            '[[kernix::bind]] __global__ void f(const double *x, [[kernix::shape("x")]] double *y,\n'
            '                                   int n [[kernix::value("x.numel()")]]) {\n'
            f"  for (int i = threadIdx.x; i < n; i += blockDim.x) y[i] = {factor} * x[i];\n}}\n"
        )
        return kernix.load(source, device)

    old = load(2)
    assert kernix_jax.register(old) == ["again.f"]
    compiled = jax.jit(lambda x: jax.ffi.ffi_call("again.f", like(x))(x))
    close(compiled(x), 2 * x)
    through_old = jax.jit(old.f)
    close(through_old(x), 2 * x)
    new = load(3)
    with pytest.warns(UserWarning, match=r"the XLA targets again\.\* are replaced"):
        kernix_jax.register(new)
    close(compiled(x), 3 * x)
    close(through_old(x), 2 * x)
    close(new.f(x), 3 * x)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        kernix_jax.register(new)


def test_register_wants_a_module():
    with pytest.raises(kernix.KernelTypeError, match="register: expected a kernix module, got str"):
        kernix_jax.register("m")


def test_export(m, x, device):
    pytest.importorskip("flatbuffers")
    m._kernix.open_target(device, "cube")
    checks = kernix_jax.export_checks(m)
    exported = jax.export.export(jax.jit(m.cube), platforms=[device], disabled_checks=checks)(x)
    close(jax.export.deserialize(exported.serialize()).call(x), x**3)


def test_inline_loaders_register(x):
    source = (
        "#include <brainevent/common.h>\n"
        "// @BE add_one\n"
        "void add_one(const BE::Tensor x, BE::Tensor y, int64_t stream) {\n"
        "  for (int64_t i = 0; i < x.numel(); ++i) y.data_ptr<float>()[i] = x.data_ptr<float>()[i] + 1;\n}\n"
    )
    kernix.load_cpp_inline("inline_for_jax", source)
    kernix.load_cpp_inline("inline_for_jax", source, target_prefix="other")
    x = x.astype("float32")
    for target in ("inline_for_jax.add_one", "other.add_one"):
        with jax.default_device(jax.devices("cpu")[0]):
            close(jax.jit(jax.ffi.ffi_call(target, like(x)))(jax.device_put(x, jax.devices("cpu")[0])), x + 1)
    kernix.load_cpp_inline("not_for_jax", source, auto_register=False)
    with pytest.raises(jax.errors.JaxRuntimeError, match="not_for_jax.add_one"):
        jax.jit(jax.ffi.ffi_call("not_for_jax.add_one", like(x)))(x)


@pytest.mark.parametrize("name", ["r3", "asr4"])
def test_views_that_carry_their_gradients(name, device):
    views = kernix.load(SOURCE.parent / "gathered_views.cu")
    index, x = jnp.array([2, 3, 1, 0, 2], "int32"), jnp.linspace(0.1, 0.9, 5)
    table = jnp.array([0.3, 0.7, -0.2])

    def expected(table, x):
        rows = [sum((table[k % 3] * jnp.sin(x[i] + k) for k in range(count)), 0 * x[i]) for i, count in enumerate([2, 3, 1, 0, 2])]
        return jnp.stack(rows) * table[0]

    def blend(table, x):
        return views[f"blend_{name}"](table, index, x)

    close(blend(table, x), expected(table, x))
    for got, right in zip(*(jax.grad(lambda t, x: f(t, x).sum(), (0, 1))(table, x) for f in (blend, expected)), strict=True):
        close(got, right)
    close(*(jax.jvp(f, (table, x), (table, x))[1] for f in (blend, expected)))
    tables = jnp.stack([table, 2 * table])
    close(*(jax.vmap(jax.grad(lambda t: f(t, x).sum()))(tables) for f in (blend, expected)))


def test_one_view_whose_gradient_is_all_there_is(device):
    square = kernix.load(SOURCE.parent / "diff_views.cu").by_int
    x = jnp.linspace(0.1, 0.9, 8)
    y = jax.ShapeDtypeStruct(x.shape, x.dtype)

    def call(x):
        return square(x, y, block=8, grid=1)

    def expected(x):
        return jnp.sin(x) * x

    close(*(jax.jvp(f, (x,), (2 * x,))[1] for f in (call, expected)))
    close(*(jax.grad(lambda x: (f(x) ** 2).sum())(x) for f in (call, expected)))
    close(*(jax.vmap(jax.grad(lambda x: f(x).sum()))(jnp.stack([x, 2 * x])) for f in (call, expected)))


# -- kernels for batches on CUDA -------------------------------------------------------------------------------------------


def test_kernels_for_batches_are_assembled(tmp_path):
    """PTX of all kernels that the tests of the GPU call with batches."""
    try:
        cuda = toolchain.find_cuda()
    except kernix.KernelError as error:
        pytest.skip(str(error))
    ptxas = os.path.join(cuda.path, "bin", "ptxas")
    if not shutil.which(ptxas):
        pytest.skip("no ptxas")
    source = Path(__file__).parents[1] / "gpu" / "kernels" / "batches.cu"
    plan = PtxBuild("batches", [str(source)], "batched", make_options(arch="sm_90"))
    plan.run(str(tmp_path))
    (text,) = json.loads((tmp_path / "module.so").read_text())["ptx"]
    names = re.findall(r"\.entry (\w+)\(", text)
    kernels = ["scale", "planes", "total", "reversed", "far", "vectors", "accumulate", "maybe", "twice"]
    for name in [*kernels, *(f"{name}_{way}" for name in kernels[:4] for way in ("fwd", "bwd"))]:
        assert any(re.match(rf"kernix_batched_\d__Z\d+{name}[A-Z0-9]", each) for each in names), name
    assert not any("counts" in name for name in names)
    (tmp_path / "a.ptx").write_text(text)
    subprocess.run([ptxas, "-arch=sm_90", "a.ptx", "-o", "a.cubin"], cwd=tmp_path, check=True)


def test_second_derivatives_of_optional_inputs():
    m = kernix.load_cuda_inline(
        "optional_input",
        """
        #include <kernix/kernix.h>
        [[kernix::bind, kernix::differentiable(2)]]
        __global__ void f(const float *x, [[kernix::optional]] const float *w, [[kernix::shape("x")]] float *y,
                          [[kernix::value("x.numel()")]] int n) {
          int i = blockIdx.x * blockDim.x + threadIdx.x;
          if (i < n)
            y[i] = x[i] * (w ? w[i] * w[i] * w[i] : 1);
        }
        """,
    )
    x, w = jnp.array([2.0, 3.0, 4.0], "float32"), jnp.array([1.0, 2.0, 3.0], "float32")
    close(jax.hessian(lambda w: m.f(x, w).sum())(w), jnp.diag(6 * x * w))
    close(jax.jit(jax.jacrev(jax.grad(lambda w: m.f(x, w).sum())))(w), jnp.diag(6 * x * w))
    close(jax.hessian(lambda x: m.f(x).sum())(x), jnp.zeros((3, 3)))
    ones = jnp.ones_like(x)
    close(m.f.bwd.fwd(x=x, w=(w, ones), y_grad=ones).w_grad[1], 6 * x * w)


def test_optional_tensors_may_be_left_out_of_derivatives():
    m = kernix.load_cuda_inline(
        "left_out",
        """
        #include <kernix/kernix.h>
        [[kernix::bind, kernix::differentiable]]
        __global__ void f(const float *x, [[kernix::optional]] const float *w, [[kernix::shape("x")]] float *y,
                          [[kernix::optional, kernix::intent(inout_ptr)]] float *z, [[kernix::value("x.numel()")]] int n) {
          int i = blockIdx.x * blockDim.x + threadIdx.x;
          if (i >= n)
            return;
          y[i] = x[i] * x[i] * (w ? w[i] : 1);
          if (z)
            z[i] *= x[i];
        }
        """,
    )
    x, w, ones = jnp.array([2.0, 3.0], "float32"), jnp.array([5.0, 7.0], "float32"), jnp.ones(2, "float32")
    for left_out in ({}, {"w": None}, {"w": (None, None), "z": None}):
        gradients = m.f.bwd(x, **left_out, y=(None, ones))
        close(gradients.x, 2 * x)
        assert gradients.w is None and gradients.z is None
        tangents = m.f.fwd((x, ones), **left_out)
        close(tangents.y[1], 2 * x)
        assert tangents.z == (None, None)
    given = m.f.bwd(x, w, y=(None, ones))
    close(given.x, 2 * x * w)
    close(given.w, x * x)
    close(m.f.fwd((x, ones), (w, ones)).y[1], 2 * x * w + x * x)
    close(m.f.fwd((x, ones), z=(w, ones)).z[1], x + w)
    close(jax.jit(lambda x: m.f.bwd(x, y=(None, ones)).x)(x), 2 * x)


def test_tensor_has_the_dtype_of_the_tensor_whose_shape_it_has(tmp_path, device):
    if device != "cpu":
        pytest.skip("functions of the host read the elements")
    (tmp_path / "any_dtype.cu").write_text(
        """
        #include <kernix/kernix.h>
        [[kernix::bind]] void f(const kernix::Tensor k, [[kernix::shape("k")]] kernix::Tensor q) {
          for (int i = 0; i < k.size(0); ++i)
            static_cast<short *>(q.data())[i] = 2 * static_cast<const short *>(k.data())[i];
        }
        [[kernix::bind, kernix::differentiable]] void
        h(kernix::TensorView<const float> x, [[kernix::shape("x"), kernix::no_diff]] kernix::Tensor q,
          [[kernix::shape("x")]] kernix::TensorView<float> y) {
          for (int i = 0; i < x.size(0); ++i)
            y(i) = x(i) * x(i);
        }
        [[kernix::bind]] void g(kernix::TensorView<const float> x, [[kernix::shape("3")]] kernix::Tensor q) {
          for (int i = 0; i < 3; ++i)
            static_cast<short *>(q.data())[i] = i;
        }
        """
    )
    m = kernix.load(tmp_path / "any_dtype.cu", target="cpu")
    x, k = jnp.arange(3, dtype="float32"), jnp.arange(4, dtype="int16")
    for call in (m.f, jax.jit(m.f)):
        q = call(k)
        assert q.dtype == "int16"
        close(q, 2 * k)
    assert m.h(x)[0].dtype == "float32"
    close(jax.grad(lambda x: m.h(x)[1].sum())(x), 2 * x)
    advice = r"argument 'q': nothing says what dtype .*; make it a kernix::TensorView<T>"
    with pytest.raises(kernix.KernelTypeError, match=advice):
        m.g(x)


def test_derivatives_by_hand_are_not_taken_for_linear():
    """Gradients that are cut off: what depends on the cotangent, the compiler knows with differentiable(2) only."""
    m = kernix.load(SOURCE.parent / "custom_rules.cu")
    x, weights, ones = jnp.array([0.3, 1.7]), jnp.array([0.5, 3.0]), jnp.ones(2)

    def gradient(f):
        return lambda weights: jax.grad(lambda x: (f(x) * weights).sum())(x)

    for f in (m.cut_off_in_code, m.cut_off_whole, m.cut_off_twice):
        assert gradient(f)(weights).tolist() == [0.5, 1]
    for f in (m.cut_off_in_code, m.cut_off_whole):
        with pytest.raises(kernix.KernelError, match=r"differentiable\(2\)|forward derivative|by hand"):
            jax.jvp(gradient(f), (weights,), (ones,))
        with pytest.raises(kernix.KernelError, match=r"differentiable\(2\)|forward derivative|by hand"):
            jax.grad(lambda weights, f=f: gradient(f)(weights).sum())(weights)
    assert jax.jvp(gradient(m.cut_off_twice), (weights,), (ones,))[1].tolist() == [1, 0]
