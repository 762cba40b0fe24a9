"""torch.func: grad, vjp, jvp, vmap, Jacobians and Hessians of calls, nested, and of functions that change tensors."""

import pytest

import kernix
from conftest import SOURCES

torch = pytest.importorskip("torch")
func = torch.func
pytestmark = pytest.mark.filterwarnings("ignore::FutureWarning", "ignore::UserWarning")

X = torch.tensor([0.5, -1.0, 2.0], dtype=torch.float64)
CUBES = 2 * X**3


@pytest.fixture(scope="module")
def functions():
    return kernix.load(SOURCES / "torch_functions.cu")


@pytest.fixture(params=["function", "operator"])
def cubed(request, functions):
    """x -> 2 x^3, by a call and by the operator itself."""
    function = functions.cubed if request.param == "function" else functions.cubed.torch_op
    return lambda x: function(x, 2.0)


def test_gradients(cubed):
    total = lambda x: cubed(x).sum()  # noqa: E731
    torch.testing.assert_close(func.grad(total)(X), 6 * X**2)
    torch.testing.assert_close(func.grad_and_value(total)(X), (6 * X**2, CUBES.sum()))
    value, pull = func.vjp(cubed, X)
    torch.testing.assert_close(value, CUBES)
    torch.testing.assert_close(pull(X)[0], 6 * X**3)


def test_tangents(cubed):
    torch.testing.assert_close(func.jvp(cubed, (X,), (X,)), (CUBES, 6 * X**3))
    _, push = func.linearize(cubed, X)
    torch.testing.assert_close(push(X), 6 * X**3)


def test_jacobians_and_hessians(cubed):
    torch.testing.assert_close(func.jacrev(cubed)(X), torch.diag(6 * X**2))
    torch.testing.assert_close(func.jacfwd(cubed)(X), torch.diag(6 * X**2))
    total = lambda x: cubed(x).sum()  # noqa: E731
    for hessian in (func.hessian, lambda f: func.jacrev(func.jacrev(f)), lambda f: func.jacrev(func.jacfwd(f))):
        if hessian is func.hessian or "jacfwd" not in hessian.__code__.co_names:
            torch.testing.assert_close(hessian(total)(X), torch.diag(12 * X))
    torch.testing.assert_close(func.grad(lambda x: func.grad(total)(x).sum())(X), 12 * X)


def test_batches(cubed):
    many = torch.rand(4, 3, dtype=torch.float64)
    torch.testing.assert_close(func.vmap(cubed)(many), 2 * many**3)
    torch.testing.assert_close(func.vmap(cubed, in_dims=1, out_dims=1)(many), 2 * many**3)
    torch.testing.assert_close(func.vmap(func.vmap(lambda x: cubed(x[None])[0]))(many), 2 * many**3)
    gradient = func.grad(lambda x: cubed(x).sum())
    torch.testing.assert_close(func.vmap(gradient)(many), 6 * many**2)
    torch.testing.assert_close(func.vmap(lambda t: func.jvp(cubed, (X,), (t,))[1])(many), 6 * X**2 * many)
    assert func.vmap(cubed)(many[:0]).shape == (0, 3)


def test_scalars(functions):
    a = torch.tensor(2.0, dtype=torch.float64)
    f = lambda a: functions.cubed(X, a)  # noqa: E731
    torch.testing.assert_close(func.grad(lambda a: f(a).sum())(a), (X**3).sum())
    torch.testing.assert_close(func.jacfwd(f)(a), X**3)
    several = torch.tensor([1.0, 2.0], dtype=torch.float64)
    torch.testing.assert_close(func.vmap(f)(several), several[:, None] * X**3)


def test_changes_in_place(derivatives):
    def f(x):
        y = x * 1
        derivatives.squared_in_place(y, x)
        return y

    torch.testing.assert_close(func.grad(lambda x: f(x).sum())(X), 3 * X**2)
    torch.testing.assert_close(func.jvp(f, (X,), (X,))[1], 3 * X**3)
    torch.testing.assert_close(func.jacfwd(f)(X), torch.diag(3 * X**2))
    torch.testing.assert_close(func.jacrev(f)(X), torch.diag(3 * X**2))
    many = torch.rand(4, 3, dtype=torch.float64)
    torch.testing.assert_close(func.vmap(f)(many), many**3)
    torch.testing.assert_close(func.vmap(func.grad(lambda x: f(x).sum()))(many), 3 * many**2)
    plain = torch.ones(3, dtype=torch.float64)
    with pytest.raises(RuntimeError, match="vmap"):
        func.vmap(lambda x: derivatives.squared_in_place(plain, x))(many)


def test_a_tensor_that_is_changed_and_read(derivatives):
    def f(x):
        y = x * 1
        derivatives.squared_in_place(y, y)
        return y

    torch.testing.assert_close(func.grad(lambda x: f(x).sum())(X), 3 * X**2)
    torch.testing.assert_close(func.jvp(f, (X,), (X,))[1], 3 * X**3)
    torch.testing.assert_close(func.jacfwd(f)(X), torch.diag(3 * X**2))
    torch.testing.assert_close(func.vmap(func.grad(lambda x: f(x).sum()))(X[None]), 3 * X[None] ** 2)


def test_what_is_only_added_to(derivatives):
    """Its backward does not read the tensor, its tangents do: neither minds that it is written afterwards."""

    def f(x):
        y = x * 3
        derivatives.added(y, x)
        return y

    torch.testing.assert_close(func.grad(lambda x: f(x).sum())(X), 3 + 2 * X)
    torch.testing.assert_close(func.jvp(f, (X,), (X,))[1], 3 * X + 2 * X * X)
    torch.testing.assert_close(func.jacrev(f)(X), torch.diag(3 + 2 * X))
    torch.testing.assert_close(func.vmap(func.grad(lambda x: f(x).sum()))(torch.stack([X, -X])), 3 + 2 * torch.stack([X, -X]))


def test_several_outputs_and_views(derivatives, functions):
    at = torch.tensor([0, 2, 2], dtype=torch.int32)
    f = lambda x: derivatives.gathered(x, at)[0]  # noqa: E731
    torch.testing.assert_close(func.grad(lambda x: f(x).sum())(X), torch.tensor([1.0, 0, 8], dtype=torch.float64))
    values, positive = func.vmap(lambda x: derivatives.gathered(x, at))(torch.stack([X, -X]))
    assert positive.tolist() == [[1, 1, 1], [0, 0, 0]]
    many = torch.rand(2, 3, 4, dtype=torch.float64)
    torch.testing.assert_close(func.vmap(functions.row_sums)(many), (many**2).sum(-1))
    torch.testing.assert_close(func.vmap(functions.row_sums, in_dims=2)(many), (many**2).sum(1).T)


def test_per_sample_gradients_of_parameters(functions):
    w = torch.rand(3)
    batch = torch.rand(5, 3)
    loss = lambda w, x: functions.product(x, w).sum()  # noqa: E731
    torch.testing.assert_close(func.vmap(func.grad(loss), in_dims=(None, 0))(w, batch), batch)


def test_batched_gradients_of_autograd(functions):
    x = X.clone().requires_grad_()
    y = functions.cubed(x, 2.0)
    rows = torch.eye(3, dtype=torch.float64)
    (found,) = torch.autograd.grad(y, x, rows, is_grads_batched=True)
    torch.testing.assert_close(found, torch.diag(6 * X**2))
    jacobian = torch.autograd.functional.jacobian(lambda x: functions.cubed(x, 2.0), X, vectorize=True)
    torch.testing.assert_close(jacobian, torch.diag(6 * X**2))


def test_missing_derivatives_say_so(derivatives, functions):
    with pytest.raises(kernix.KernelError, match=r"plain\(.*has no backward derivative; mark it \[\[kernix::differentiable\]\]"):
        func.grad(lambda x: derivatives.plain(x).sum())(X)
    with pytest.raises(kernix.KernelError, match=r"plain\(.*no forward derivative; mark it \[\[kernix::differentiable\]\]"):
        func.jvp(derivatives.plain, (X,), (X,))
    with pytest.raises(kernix.KernelError, match=r"mark scaled_sine \[\[kernix::differentiable\(2\)\]\]"):
        func.hessian(lambda x: derivatives.scaled_sine(x, 1.0, 0.0).sum())(X)
    second = lambda x: func.grad(lambda x: functions.cubed(x, 2.0).sum())(x).sum()  # noqa: E731
    with pytest.raises(kernix.KernelError, match="third derivatives are not available"):
        func.grad(lambda x: func.grad(second)(x).sum())(X)
    with pytest.raises(kernix.KernelError, match="third derivatives are not available"):
        func.jvp(func.grad(second), (X,), (X,))
    with pytest.raises(kernix.KernelTypeError, match="returns a number, which transforms of torch.func cannot follow"):
        func.vmap(functions.first_of)(torch.ones(2, 2))


def test_functionalize_is_refused(calls):
    with pytest.raises(kernix.KernelTypeError, match="torch.func.functionalize does not know functions that"):
        func.functionalize(calls.increment)(torch.ones(2))
