"""What a call changes, where its derivative reads the value from before: given or allocated, in every front."""

from pathlib import Path

import numpy as np
import pytest

import kernix

SOURCE = Path(__file__).parent / "sources" / "values_before.cu"
X = (1.0, -2.0, 3.0)
GRADIENTS = {
    "counted": (12, -24, 48),
    "weighted": (10, -24, 42),
    "cubed": (3, 12, 27),
    "numbered": (2, -8, 18),
    "squared_and_scaled": (1 + 4 + 9 + 2, -4, 6),
    "total": (2, -4, 6),
}


@pytest.fixture(scope="module")
def m():
    return kernix.load(SOURCE, target="cpu")


def changed(name, make):
    """What a call is given beside x."""
    if name == "counted":
        return {"count": make([5, 6, 7], "int32")}
    return {"weight": make([5, 6, 7], "float64")} if name == "weighted" else {}


def first(results):
    return results[0] if isinstance(results, tuple) else results


@pytest.mark.parametrize("front", ["eager", "compiled", "func", "reverse_of_batches"])
@pytest.mark.parametrize("name", GRADIENTS)
def test_torch(m, name, front):
    torch = pytest.importorskip("torch")

    def f(x, **given):
        # torch.func does not let a function change what it has not made.
        results = m[name](x, **{key: value.clone() for key, value in given.items()})
        return results[-1] if name == "squared_and_scaled" else first(results)

    x = torch.tensor(X, dtype=torch.float64)
    given = changed(name, lambda values, dtype: torch.tensor(values, dtype=getattr(torch, dtype)))
    if front == "func":
        gradient = torch.func.grad(lambda x: f(x, **given).sum())(x)
    elif front == "reverse_of_batches":
        gradient = torch.func.jacrev(lambda x: f(x, **given))(x).sum(0)
    else:
        run = torch.compile(f, backend="aot_eager", fullgraph=True) if front == "compiled" else f
        x.requires_grad_()
        run(x, **given).sum().backward()
        gradient = x.grad
    assert gradient.tolist() == list(GRADIENTS[name])


@pytest.mark.filterwarnings("ignore::FutureWarning")  # torch's own, when forward_ad is imported
@pytest.mark.parametrize("name", ["counted", "weighted"])
def test_tangents_of_torch(m, name):
    torch = pytest.importorskip("torch")
    x = torch.tensor(X, dtype=torch.float64)
    given = changed(name, lambda values, dtype: torch.tensor(values, dtype=getattr(torch, dtype)))
    with torch.autograd.forward_ad.dual_level():
        y = m[name](torch.autograd.forward_ad.make_dual(x, torch.ones_like(x)), **given)
        tangent = torch.autograd.forward_ad.unpack_dual(y).tangent
    assert tangent.tolist() == list(GRADIENTS[name])


@pytest.mark.filterwarnings("ignore::FutureWarning")  # torch's own, when forward_ad is imported
@pytest.mark.parametrize("front", ["eager", "func", "tangents"])
def test_arrays_of_numpy_are_not_changed_where_torch_records(m, front):
    """What they held before the call is kept nowhere."""
    torch = pytest.importorskip("torch")
    x, count = torch.tensor(X, dtype=torch.float64), np.array([5, 6, 7], np.int32)
    forward_ad = torch.autograd.forward_ad
    with pytest.raises(kernix.KernelTypeError, match="argument 'count': expected a torch tensor, since torch records the call"):
        if front == "eager":
            m.counted(x.requires_grad_(), count=count)
        elif front == "func":
            torch.func.grad(lambda x: m.counted(x, count=count).sum())(x)
        else:
            with forward_ad.dual_level():
                m.counted(forward_ad.make_dual(x, x), count=count)
    assert count.tolist() == [5, 6, 7]


# By what is given for the number: what the call does to y, and whether the number has a gradient.
NUMBERS = {
    "tensor": (lambda m, y: m.scaled(y, y[0]), True),
    "tensor without a gradient": (lambda m, y: m.scaled(y, y[0].detach()), False),
    "array": (lambda m, y: m.scaled(y, y.detach().numpy()[0, ...]), False),
    "struct": (lambda m, y: m.scaled_by_struct(y, {"by": (y[0].detach(), 1.0)}), False),
    "struct of an array": (lambda m, y: m.scaled_by_struct(y, {"by": y.detach().numpy()[:2]}), False),
}


@pytest.mark.filterwarnings("ignore::FutureWarning")  # torch's own, when forward_ad is imported
@pytest.mark.parametrize("front", ["eager", "view", "tangents", "graph_of_tangents"])
@pytest.mark.parametrize("kind", NUMBERS)
def test_a_number_that_lies_in_what_is_changed(m, kind, front):
    torch = pytest.importorskip("torch")
    forward_ad = torch.autograd.forward_ad
    change, is_followed = NUMBERS[kind]

    def f(x):
        y = torch.cat([x, x])[: len(X)] if front == "view" else x * 1
        change(m, y)
        return y

    x = torch.tensor(X, dtype=torch.float64)
    by = torch.tensor([1.0, 0.0, 0.0], dtype=torch.float64) if is_followed else torch.zeros(3, dtype=torch.float64)
    jacobian = X[0] * torch.eye(3, dtype=torch.float64) + torch.outer(x, by)
    x.requires_grad_(front != "tangents")
    with forward_ad.dual_level():
        y = f(forward_ad.make_dual(x, torch.ones_like(x)) if "tangents" in front else x)
        y, tangent = forward_ad.unpack_dual(y)
    assert y.tolist() == [X[0] * each for each in X]
    if "tangents" in front:
        assert tangent.tolist() == jacobian.sum(1).tolist()
    if front != "tangents":
        assert torch.autograd.grad(y.sum(), x)[0].tolist() == jacobian.sum(0).tolist()


@pytest.mark.parametrize("front", ["compiled", "func"])
def test_a_number_that_lies_in_what_is_changed_is_noticed_elsewhere(m, front):
    torch = pytest.importorskip("torch")

    def f(x):
        y = x * 1
        m.scaled(y, y[0])
        return y.sum()

    x = torch.tensor(X, dtype=torch.float64)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        if front == "func":
            torch.func.grad(f)(x)
        else:
            torch.compile(f, backend="aot_eager", fullgraph=True)(x.requires_grad_())


def test_a_number_that_lies_in_an_output_that_is_given(m):
    torch = pytest.importorskip("torch")
    x, y = torch.tensor(X, dtype=torch.float64, requires_grad=True), torch.full((3,), 5.0, dtype=torch.float64)
    m.product(x, y[0], y=y).sum().backward()
    assert x.grad.tolist() == [5, 5, 5]


@pytest.mark.parametrize("name", GRADIENTS)
def test_jax(m, name, jax_in_doubles):
    jax = jax_in_doubles
    given = changed(name, lambda values, dtype: jax.numpy.array(values, dtype))

    def f(x):
        results = m[name](x, **given)
        return (results[-1] if name == "squared_and_scaled" else first(results)).sum()

    assert jax.jit(jax.grad(f))(jax.numpy.array(X)).tolist() == list(GRADIENTS[name])


def test_what_an_output_held_has_no_gradient_in_jax(m, jax_in_doubles):
    jax = jax_in_doubles
    x = jax.numpy.array(X)
    with pytest.raises(kernix.KernelTypeError, match=r"argument 'y': what an output holds before the call has no grad"):
        jax.grad(lambda x: m.every_other(x, 3 * x).sum())(x)
    kept = jax.grad(lambda x: m.every_other(x, jax.lax.stop_gradient(3 * x)).sum())(x)
    assert kept.tolist() == [2, 0, 6]
    assert jax.grad(lambda x: m.every_other_in_place(x, 3 * x).sum())(x).tolist() == [2, 3, 6]
    _, tangent = jax.jvp(lambda x: m.every_other(x, 3 * x), (x,), (jax.numpy.ones(3),))
    assert tangent.tolist() == [2, 3, 6]


def test_backward_by_itself(m):
    x = np.array(X)
    with pytest.raises(kernix.KernelTypeError, match="'y': expected a tensor with the elements from before the call"):
        m.cubed.bwd(x, y=(None, np.ones(3)))
    assert m.cubed.bwd(x, y=(np.zeros(3), np.ones(3))).x.tolist() == [3, 12, 27]
    with pytest.raises(kernix.KernelTypeError, match="'count': expected a tensor of int32, got None"):
        m.counted.bwd(x, y=(None, np.ones(3)), count=None)
    assert m.counted.bwd(x, y=(None, np.ones(3)), count=np.array([5, 6, 7], "int32")).x.tolist() == [12, -24, 48]
    assert m.total.bwd(x, y=(None, np.ones(1))).x.tolist() == [2, -4, 6]  # not read


def optional_calls(m, torch):
    """By name: the loss of x (and y, where one is changed), and the same in torch."""

    def changing(name):
        def f(x, y):
            y = y * 1
            m[name](x, y=y)
            return y.sum()

        return f

    integers = {name: lambda: torch.tensor([2, 3, 4], dtype=torch.int32) for name in ("optional_count", "optional_flags")}
    return {
        "optional_in_place": (changing("optional_in_place"), lambda x, y: (y**2 * x**2).sum()),
        "optional_written": (changing("optional_written"), lambda x, y: (x**3).sum() + 0 * y.sum()),
        "optional_sum": (changing("optional_sum"), lambda x, y: y.sum() + (x**3).sum()),
        "optional_count": (
            lambda x, y: m.optional_count(x, count=integers["optional_count"]()).sum() + 0 * y.sum(),
            lambda x, y: (x**2 * torch.tensor([2, 3, 4])).sum() + 0 * y.sum(),
        ),
        "optional_count left out": (lambda x, y: (m.optional_count(x) * y).sum(), lambda x, y: (x * y).sum()),
        "optional_flags": (
            lambda x, y: (m.optional_flags(x, flags=integers["optional_flags"]()) * y).sum(),
            lambda x, y: (x**2 * y).sum(),
        ),
        "count_beside": (lambda x, y: (m.count_beside(x)[0] * y).sum(), lambda x, y: (x**3 * y).sum()),
    }


OPTIONAL = ["optional_in_place", "optional_written", "optional_sum", "optional_count", "optional_count left out"]
OPTIONAL += ["optional_flags", "count_beside"]


@pytest.mark.parametrize("is_compiled", [False, True], ids=["eager", "compiled"])
@pytest.mark.parametrize("name", OPTIONAL)
def test_optional_values(m, name, is_compiled):
    torch = pytest.importorskip("torch")
    ours, theirs = optional_calls(m, torch)[name]
    if is_compiled:
        torch._dynamo.reset()
        ours = torch.compile(ours, backend="aot_eager", fullgraph=True)
    rows = []
    for f in (ours, theirs):
        x, y = (torch.tensor(values, dtype=torch.float64, requires_grad=True) for values in (X, (0.5, 2.0, -1.0)))
        rows.append(torch.autograd.grad(f(x, y), (x, y), allow_unused=True))
    torch.testing.assert_close(*([torch.zeros(3) if each is None else each for each in row] for row in rows), check_dtype=False)


@pytest.mark.parametrize("name", OPTIONAL[1:])
def test_second_gradients_of_optional_values(m, name):
    torch = pytest.importorskip("torch")
    rows = []
    for f in optional_calls(m, torch)[name]:
        x, y = (torch.tensor(values, dtype=torch.float64, requires_grad=True) for values in (X, (0.5, 2.0, -1.0)))
        (gradient,) = torch.autograd.grad(f(x, y), x, create_graph=True)
        if not gradient.requires_grad:
            gradient = gradient + 0 * x
        rows.append(torch.autograd.grad((gradient * torch.tensor([1.0, 2.0, 3.0])).sum(), (x, y), allow_unused=True))
    torch.testing.assert_close(*([torch.zeros(3) if each is None else each for each in row] for row in rows), check_dtype=False)


@pytest.mark.filterwarnings("ignore::FutureWarning")  # torch's own
def test_forward_over_reverse_of_what_is_counted(m):
    torch = pytest.importorskip("torch")
    count = torch.tensor([2, 3, 4], dtype=torch.int32)
    loss = lambda x: m.optional_count(x, count=count.clone()).sum()  # noqa: E731
    found = torch.func.hessian(loss)(torch.tensor(X, dtype=torch.float64))
    assert found.tolist() == [[4, 0, 0], [0, 6, 0], [0, 0, 8]]
