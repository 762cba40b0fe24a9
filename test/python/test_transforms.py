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


def test_linearize_of_what_a_function_changes_is_refused(derivatives):
    """torch would keep the copy that the function changes, from one call of the result to the next."""

    def squared(x):
        y = x * 1.0
        derivatives.squared_in_place(y, x)
        return y

    with pytest.raises(kernix.KernelError, match="torch.func.linearize keeps the copies.*torch.func.jvp"):
        func.linearize(squared, X)
    func.jvp(squared, (X,), (X,))


def test_derivatives_by_hand_are_not_taken_for_linear():
    """Gradients that are cut off: by cotangents with differentiable(2) only, and not through tangents."""
    m = kernix.load(SOURCES / "custom_rules.cu", target="cpu")
    x, weights = (torch.tensor([0.5, 3.0], dtype=torch.float64, requires_grad=True) for _ in range(2))

    def of_weights(f):
        (gradient,) = torch.autograd.grad((f(x) * weights).sum(), x, create_graph=True)
        assert gradient.tolist() == [0.5, 1]
        return torch.autograd.grad(gradient.sum(), weights)[0].tolist()

    assert of_weights(m.cut_off_twice) == [1, 0]
    for f in (m.cut_off_in_code, m.cut_off_whole):
        with pytest.raises(kernix.KernelError, match="no derivative of its own"):
            of_weights(f)
    with pytest.raises(kernix.KernelError, match="a derivative that is written by hand may take part"):
        func.grad(lambda v: func.jvp(m.cut_off_twice, (x.detach(),), (v,))[1].sum())(x.detach())


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


def test_scalars_without_a_mark(derivatives, functions):
    """They have neither gradients nor tangents, and are constant where nobody asks for one."""
    b = torch.tensor(0.5, dtype=torch.float64)
    sine = lambda x, b: derivatives.scaled_sine(x, 2.0, b)  # noqa: E731
    of_b = lambda b: sine(X, b)  # noqa: E731
    for call in (
        lambda: func.grad(lambda b: of_b(b).sum())(b),
        lambda: func.grad(lambda b: (of_b(b) * b).sum())(b),
        lambda: func.jacrev(of_b)(b),
        lambda: func.vmap(func.grad(lambda b: of_b(b).sum()))(X),
        lambda: of_b(b.clone().requires_grad_()),
        lambda: torch.compile(of_b, backend="aot_eager")(b.clone().requires_grad_()),
    ):
        with pytest.raises(kernix.KernelTypeError, match=r"argument 'b' requires a gradient, .*\[\[kernix::diff\]\]; mark it"):
            call()
    scaled = lambda b: functions.forward_scaled(X, b)  # noqa: E731
    for call in (
        lambda: func.jvp(of_b, (b,), (b,)),
        lambda: func.jacfwd(of_b)(b),
        lambda: func.jvp(scaled, (b,), (b,)),
        lambda: tangent_of(of_b, b),
        lambda: tangent_of(scaled, b),
    ):
        with pytest.raises(kernix.KernelTypeError, match=r"argument '[ab]' has a tangent, .*\[\[kernix::diff\]\]; mark it"):
            call()
    gradients = 2 * torch.cos(X)
    torch.testing.assert_close(func.grad(lambda x: sine(x, b).sum())(X), gradients)
    torch.testing.assert_close(func.jvp(lambda x: sine(x, b), (X,), (torch.ones_like(X),))[1], gradients)
    rows = func.vmap(func.grad(lambda x, b: sine(x, b).sum()), in_dims=(None, 0))(X, X)
    torch.testing.assert_close(rows, gradients.expand(3, 3))
    torch.testing.assert_close(func.grad(lambda x: func.grad(lambda b: sine(x, b.detach()).sum() * b)(b))(X), gradients)


def tangent_of(f, x):
    with torch.autograd.forward_ad.dual_level():
        return torch.autograd.forward_ad.unpack_dual(f(torch.autograd.forward_ad.make_dual(x, x))).tangent


def test_scalars_without_a_mark_in_gradients_of_tangents():
    m = kernix.load(SOURCES / "second.cu")
    f = lambda x, b: m.damped_sine(x, 2.0, b).sum()  # noqa: E731
    b = torch.tensor(0.5, dtype=torch.float64)
    func.jacrev(func.jacfwd(f))(X, b)
    with pytest.raises(kernix.KernelTypeError, match="argument 'b' requires a gradient"):
        func.jacrev(func.jacfwd(f), argnums=1)(X, b)


def test_fields_of_structs(derivatives):
    slope = torch.tensor(2.0, dtype=torch.float64)
    f = lambda slope: derivatives.on_a_line(X, {"slope": slope, "shift": 0, "offset": 1.0}).sum()  # noqa: E731
    for call in (lambda: func.grad(f)(slope), lambda: torch.compile(f, backend="aot_eager")(slope.clone().requires_grad_())):
        with pytest.raises(kernix.KernelTypeError, match="argument 'line': a field requires a gradient"):
            call()
    with pytest.raises(kernix.KernelTypeError, match="argument 'line': a field has a tangent"):
        func.jvp(f, (slope,), (slope,))


def test_gradients_of_structs():
    m = kernix.load_cuda_inline(
        "transformed_structs",
        """
        #include <kernix/kernix.h>
        struct Line { double slope, offset; };
        [[kernix::bind, kernix::differentiable(2)]] __global__ void
        on_line(const double *x, [[kernix::diff]] Line s, [[kernix::shape("x")]] double *y, [[kernix::value("x.numel()")]] int n) {
          if (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n) y[i] = s.slope * s.slope * x[i] + s.offset;
        }
        """,
    )
    line, ones = {"slope": 2.0, "offset": 3.0}, torch.ones_like(X)
    given = lambda c: (line, {name: 3 * c[:1] for name in line})  # noqa: E731
    for pair, more in ((lambda c: line, 0.0), (given, torch.tensor([3.0, 0, 0], dtype=torch.float64))):
        f = lambda c, pair=pair: m.on_line.bwd(X, pair(c), y=(None, c)).s.slope  # noqa: E731
        torch.testing.assert_close(func.jvp(f, (ones,), (2 * ones,))[1], 2 * (4 * X + more).sum().reshape(1))
        torch.testing.assert_close(func.grad(lambda c, f=f: f(c).sum())(ones), 4 * X + more)


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


def powers(functions, x, a):
    return functions.cubed(x, a)


def powers_in_torch(_, x, a):
    return a * x**3


def test_gradients_of_tangents(functions):
    x, v = torch.rand(2, 3, dtype=torch.float64).unbind()
    a = torch.tensor(1.5, dtype=torch.float64)

    def found(f):
        def squares(x, a, v, b):
            y, tangent = func.jvp(lambda x, a: f(functions, x, a), (x, a), (v, b))
            return tangent.square().sum() + (y * v).sum()

        total = lambda x: f(functions, x, a).sum()  # noqa: E731
        many = torch.stack([x, v])
        return [
            *func.grad(squares, argnums=(0, 1, 2, 3))(x, a, v, a * 2),
            func.jacrev(func.jacfwd(total))(x),
            func.vmap(func.jacrev(func.jacfwd(total)))(many),
            *func.vjp(lambda x: func.jvp(lambda x: f(functions, x, 2.0), (x,), (v,)), x)[1]((v, x)),
        ]

    torch.testing.assert_close(found(powers), found(powers_in_torch))


def test_gradients_of_tangents_without_transforms(functions, derivatives):
    forward_ad = torch.autograd.forward_ad
    x, v = (tensor.requires_grad_() for tensor in torch.rand(2, 3, dtype=torch.float64).unbind())
    with forward_ad.dual_level():
        y, tangent = forward_ad.unpack_dual(functions.cubed(forward_ad.make_dual(x, v), 2.0))
    torch.testing.assert_close(tangent, 6 * x**2 * v)
    found = torch.autograd.grad((y + tangent).sum(), (x, v))
    torch.testing.assert_close(found, ((6 * x**2 + 12 * x * v).detach(), (6 * x**2).detach()))
    # The same of a derivative that is called by itself; a number has a tangent that is one.
    y, tangent = functions.cubed.fwd((x, v), a=(2.0, 0.5)).y
    found = torch.autograd.grad(tangent.sum(), (x, v))
    torch.testing.assert_close(found, ((12 * x * v + 1.5 * x**2).detach(), (6 * x**2).detach()))
    with forward_ad.dual_level():
        y, tangent = forward_ad.unpack_dual(derivatives.scaled_sine(forward_ad.make_dual(x, v), 2.0, 0.0))
    torch.testing.assert_close(torch.autograd.grad(y.sum(), x), (2 * torch.cos(x).detach(),))
    with pytest.raises(kernix.KernelError, match=r"scaled_sine_fwd.*has no backward derivative; mark scaled_sine \[\["):
        tangent.sum().backward()


OUTPUTS = """
#include <kernix/kernix.h>
[[kernix::bind, kernix::differentiable(2)]]
__global__ void scale(const double *x, const double *y, double *z, [[kernix::value("x.numel()")]] int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    z[i] = x[i] * x[i] * y[i];
}
"""


def test_gradients_of_tangents_of_outputs_that_are_given(derivatives):
    module = kernix.load_cuda_inline("outputs", OUTPUTS)
    x, y, v = torch.rand(3, 2, dtype=torch.float64).unbind()

    def scale(x, y):
        z = torch.zeros_like(x)
        module.scale(x, y, z)
        return z

    def found(f):
        return func.grad(lambda x, v: func.jvp(f, (x, y), (v, x))[1].square().sum(), argnums=(0, 1))(x, v)

    torch.testing.assert_close(func.jvp(scale, (x, y), (v, x)), (x * x * y, 2 * x * v * y + x**3))
    many = torch.stack([x, y, v])
    torch.testing.assert_close(func.vmap(func.jacfwd(scale), (0, None))(many, y), func.vmap(torch.diag)(2 * many * y))
    torch.testing.assert_close(found(scale), found(lambda x, y: x * x * y))

    def in_place(x):
        y = x * 1
        derivatives.added(y, x)
        return y

    with pytest.raises(kernix.KernelError, match="through tangents of what a function changes in place are not available"):
        func.grad(lambda x: func.jvp(in_place, (x,), (v,))[1].sum())(x)


def test_tensors_without_data(derivatives):
    x = torch.rand(3, dtype=torch.float64, device="meta", requires_grad=True)
    y = derivatives.scaled_sine.torch_op(x, 2.0, 1.0)
    assert (y.shape, y.device.type) == ((3,), "meta")
    y.sum().backward()
    assert (x.grad.shape, x.grad.device.type) == ((3,), "meta")


def test_functionalize_is_refused(calls):
    with pytest.raises(kernix.KernelTypeError, match="torch.func.functionalize does not know functions that"):
        func.functionalize(calls.increment)(torch.ones(2))


def test_gradients_of_tangents_beside_integers():
    """What has no tangent, and begins anew in each call, stands in the way of none."""
    m = kernix.load_cuda_inline(
        "beside_integers",
        """
        #include <kernix/kernix.h>
        #define I (blockIdx.x * blockDim.x + threadIdx.x)
        [[kernix::bind, kernix::differentiable(2)]] __global__ void
        allocated(const double *x, [[kernix::shape("x")]] double *y, [[kernix::shape("x")]] int *k,
                  [[kernix::value("x.numel()")]] int n) {
          if (I < n) {
            y[I] = x[I] * x[I] * x[I];
            k[I] = (int)floor(x[I]);
          }
        }
        [[kernix::bind, kernix::differentiable(2)]] __global__ void
        given(const double *x, [[kernix::shape("x")]] double *y, int *k, [[kernix::value("x.numel()")]] int n) {
          if (I < n) {
            y[I] = x[I] * x[I] * x[I];
            k[I] = (int)floor(x[I]);
          }
        }
        [[kernix::bind, kernix::differentiable(2)]] __global__ void
        counted(const double *x, [[kernix::shape("x")]] double *y, int *k, [[kernix::value("x.numel()")]] int n) {
          if (I < n) {
            y[I] = x[I] * x[I] * x[I];
            atomicAdd(k, 1);
          }
        }
        """,
    )

    def slopes(function):
        return lambda x: func.jvp(function, (x,), (torch.ones_like(x),))[1].sum()

    def given(x, f=m.given):
        k = torch.zeros(3, dtype=torch.int32)
        y = f(x, k)
        assert f is not m.given or k.tolist() == [0, -1, 2]
        return y

    torch.testing.assert_close(func.grad(slopes(lambda x: m.allocated(x)[0]))(X), 6 * X)
    torch.testing.assert_close(func.jacrev(func.jacfwd(lambda x: m.allocated(x)[0].sum()))(X), torch.diag(6 * X))
    torch.testing.assert_close(func.grad(slopes(given))(X), 6 * X)
    with pytest.raises(kernix.KernelError, match="what a function changes in place are not available"):
        func.grad(slopes(lambda x: given(x, m.counted)))(X)
