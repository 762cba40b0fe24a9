"""Outputs without a gradient, which no derivative is given: what is sized after them is as large as in f."""

from typing import Any

import numpy as np
import pytest
from conftest import SOURCES

import kernix

X = np.array([1.0, 2.0, 3.0])
ALLOCATED = ("first", "first_no_diff", "in_value", "in_grid", "in_shape", "returned", "tested", "view")
GIVEN = ("given", "given_view")
OTHERS = ("strided", "optional", "strided_value", "on_host")


@pytest.fixture(scope="module")
def m() -> kernix.Module:
    return kernix.load(SOURCES / "outputs_without_gradients.cu", target="cpu")


def outputs(name: str, make: Any) -> dict[str, Any]:
    """What a call is given beside x."""
    return {"at": make()} if name in (*GIVEN, "optional") else {}


def y_of(results: Any) -> Any:
    """The last one with a gradient."""
    row = results if isinstance(results, tuple) else (results,)
    return [each for each in row if "float" in str(each.dtype)][-1]


@pytest.mark.parametrize("name", (*ALLOCATED, "strided", "strided_value", "on_host"))
def test_numpy(m: kernix.Module, name: str) -> None:
    assert np.array_equal(m[name].bwd(X, y=(None, np.ones(3))).x, 2 * X)
    assert np.array_equal(m[name].bwd(X[:0], y=(None, np.ones(0))).x, X[:0])


def test_arrays(m: kernix.Module) -> None:
    value, powers, digits = m.arrays(3.0)
    assert (value, powers, list(digits)) == (9 * 117, (1, 3, 9), [3 * i for i in range(40)])
    assert m.arrays.bwd(3.0, result=2.0).x == 2 * 6 * 117
    assert m.arrays.bwd(3.0, powers=None, digits=None, result=1.0).x == 6 * 117
    assert m.arrays.fwd(x=(3.0, 2.0)).result == (9 * 117, 2 * 6 * 117)
    with pytest.raises(kernix.KernelTypeError, match="'powers' is a result of the call and cannot be given"):
        m.arrays.bwd(3.0, powers=(1.0, 3.0, 9.0), result=1.0)


@pytest.mark.parametrize("name", ["strided_value", "on_host"])
def test_cotangents_have_strides_of_their_own(m: kernix.Module, name: str) -> None:
    for cotangent in (np.broadcast_to(1.0, 3), np.ones(6)[::2]):
        assert np.array_equal(m[name].bwd(X, y=(None, cotangent)).x, 2 * X)
    factor = 2 if name == "strided_value" else 1
    assert np.array_equal(m[name].bwd(X, y=(np.zeros(6)[::2], np.ones(3))).x, 2 * factor * X)


@pytest.mark.parametrize("name", ALLOCATED)
def test_derivatives_of_backwards(m: kernix.Module, name: str) -> None:
    backward = m[name].bwd
    assert np.array_equal(backward.fwd(x=(X, np.ones(3)), y_grad=(np.ones(3), np.zeros(3))).x_grad[1], [2, 2, 2])
    assert np.array_equal(backward.bwd(x=X, y_grad=np.ones(3), x_grad=(None, np.ones(3))).x, [2, 2, 2])


@pytest.mark.parametrize("name", GIVEN)
def test_sizes_that_nobody_knows(m: kernix.Module, name: str) -> None:
    with pytest.raises(kernix.KernelTypeError, match="the sizes of 'at', which is not given, are not known: give it"):
        m[name].bwd(X, y=(None, np.ones(3)))
    assert np.array_equal(m[name].bwd(X, at=np.zeros(3, "int32"), y=(None, np.ones(3))).x, 2 * X)


def test_sizes_that_nobody_asks_for(m: kernix.Module) -> None:
    assert np.array_equal(m.given.bwd(X, y=(None, np.ones(3)), grid=1).x, 2 * X)
    with pytest.raises(kernix.KernelTypeError, match="the sizes of 'at'"):  # the kernel itself may ask a view
        m.given_view.bwd(X, y=(None, np.ones(3)), grid=1)


def test_what_is_optional_is_absent(m: kernix.Module) -> None:
    assert np.array_equal(m.optional.bwd(X, y=(None, np.ones(3)), grid=1).x, [1, 1, 1])
    assert np.array_equal(m.optional.bwd(X, at=np.zeros(3, "int32"), y=(None, np.ones(3))).x, 2 * X)


@pytest.mark.parametrize("given", [{}, {"y": np.zeros(3)}])
def test_no_default_grid_without_the_first_output(m: kernix.Module, given: dict[str, Any]) -> None:
    message = "no grid size: it is taken from the first output, 'at', which is left out, so give `grid=`"
    with pytest.raises(kernix.KernelTypeError, match=message):
        m.optional(X, **given)
    with pytest.raises(kernix.KernelTypeError, match=message):
        m.optional.fwd((X, X))
    assert np.array_equal(m.optional(X, grid=1), X)
    assert m.optional(X[:0]).shape == (0,)


def test_backward_by_hand_is_told_that_it_is_given_none(m: kernix.Module) -> None:
    assert np.array_equal(m.by_hand.bwd(X, y=(None, np.ones(3))).x, 2 * X)
    assert np.array_equal(m.by_hand.bwd(X, at=np.zeros(3, "int32"), y=(None, np.ones(3))).x, 2 * X + 100)


def test_variants_that_differ_in_nothing_else(m: kernix.Module) -> None:
    launch = {"grid": 1, "block": 3}
    with pytest.raises(kernix.KernelTypeError, match="several variants take these arguments"):
        m.variant.bwd(X, y=(None, np.ones(3)), **launch)
    for dtype, size in (("int32", 4), ("int16", 2)):
        at = np.zeros(3, dtype)
        assert np.array_equal(m.variant.bwd(X, at=at, y=(None, np.ones(3)), **launch).x, np.full(3, size))


@pytest.mark.parametrize("name", (*ALLOCATED, *GIVEN))
def test_gradcheck(m: kernix.Module, name: str) -> None:
    assert kernix.gradcheck(m[name], X, **outputs(name, lambda: np.zeros(3, "int32"))).ok


@pytest.mark.parametrize("front", ["eager", "compiled", "func", "batches", "second"])
@pytest.mark.parametrize("name", (*ALLOCATED, *GIVEN, *OTHERS))
def test_torch(m: kernix.Module, name: str, front: str) -> None:
    torch = pytest.importorskip("torch")

    def f(x: Any) -> Any:
        given = outputs(name, lambda: torch.zeros_like(x, dtype=torch.int32))
        return y_of(m[name](x, **given)).sum()

    x, gradient = torch.tensor(X, requires_grad=True), 2 * X
    if front == "second":
        if name in OTHERS:
            pytest.skip("has no second derivative")
        found, gradient = torch.autograd.functional.hessian(f, x), 2 * np.eye(3)
    elif front == "func":
        found = torch.func.grad(f)(x.detach())
    elif front == "batches":
        found = torch.func.vmap(torch.func.grad(f))(torch.stack([x.detach()] * 2))[1]
    else:
        torch._dynamo.reset()
        run = torch.compile(f, backend="aot_eager", fullgraph=True) if front == "compiled" else f
        run(x).backward()
        found = x.grad
    assert np.array_equal(found.numpy(), gradient)


@pytest.mark.parametrize("name", ["strided", "strided_value"])
def test_strides_of_what_torch_is_given(m: kernix.Module, name: str) -> None:
    torch = pytest.importorskip("torch")
    x = torch.tensor(X, requires_grad=True)
    key, dtype = ("at", torch.int32) if name == "strided" else ("y", torch.float64)
    given = torch.empty_strided((3,), (2,), dtype=dtype)
    results = m[name](x, **{key: given})
    (given if results is None else y_of(results)).sum().backward()
    assert np.array_equal(x.grad.numpy(), 4 * X)


@pytest.mark.parametrize(("dtype", "size"), [("int32", 4), ("int16", 2)])
def test_variants_through_torch(m: kernix.Module, dtype: str, size: int) -> None:
    torch = pytest.importorskip("torch")
    x = torch.tensor(X, requires_grad=True)
    m.variant(x, at=torch.zeros(3, dtype=getattr(torch, dtype)), grid=1, block=3).sum().backward()
    assert x.grad.tolist() == [size] * 3


@pytest.mark.parametrize("front", ["grad", "batches", "hessian", "reverse_twice"])
@pytest.mark.parametrize("name", (*ALLOCATED, *GIVEN, "strided", "optional", "strided_value"))
def test_jax(m: kernix.Module, jax_in_doubles: Any, name: str, front: str) -> None:
    jax = jax_in_doubles

    def f(x: Any) -> Any:
        return y_of(m[name](x, **outputs(name, lambda: jax.ShapeDtypeStruct((3,), "int32")))).sum()

    x, gradient = jax.numpy.asarray(X), 2 * X
    if front in ("hessian", "reverse_twice"):
        if name in OTHERS:
            pytest.skip("has no second derivative")
        second = jax.hessian(f) if front == "hessian" else jax.jacrev(jax.grad(f))
        found, gradient = second(x), 2 * np.eye(3)
    else:
        found = jax.vmap(jax.grad(f))(jax.numpy.stack([x, x]))[1] if front == "batches" else jax.grad(f)(x)
    assert np.array_equal(found, gradient)
