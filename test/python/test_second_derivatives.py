"""Functions marked differentiable(2): derivatives of derivatives, by hand and through torch."""

from pathlib import Path

import numpy as np
import pytest

import kernix


@pytest.fixture(scope="module")
def second():
    return kernix.load(Path(__file__).parent / "sources" / "second.cu")


def damped_sine(x, a, b):
    """Value, first and second derivatives in x, and the mixed one."""
    wave, slope = np.sin(x) * np.exp(-b * x), (np.cos(x) - b * np.sin(x)) * np.exp(-b * x)
    curve = ((b * b - 1) * np.sin(x) - 2 * b * np.cos(x)) * np.exp(-b * x)
    return a * a * wave, a * a * slope, a * a * curve, 2 * a * slope


# -- by hand --------------------------------------------------------------------------------------------------------


def test_names(second):
    assert second.damped_sine.bwd.fwd is second.damped_sine_bwd_fwd
    assert second.damped_sine.bwd.bwd is second.damped_sine_bwd_bwd
    assert second.damped_sine_bwd_funcinfo()[2:] == ("damped_sine_bwd_fwd", "damped_sine_bwd_bwd")
    with pytest.raises(kernix.KernelError, match="no backward derivative"):
        _ = second.damped_sine.bwd.bwd.bwd


def test_forward_over_reverse_without_a_value_that_is_not_read(second):
    """Of what f adds to: f_bwd knows its sizes from the gradient."""
    x, v, given = np.array([1.0, 2.0, 3.0]), np.array([1.0, 10.0, 100.0]), np.array([2.0])
    for array in (np.asarray, torch.from_numpy):
        arrays = {"x": (array(x), array(v)), "y_grad": (array(given), array(np.array([0.5])))}
        result = second.sum_of_cubes.bwd.fwd(**arrays, y=None, block=32, grid=1)
        np.testing.assert_allclose(result.x_grad[0], 6 * x * x)
        np.testing.assert_allclose(result.x_grad[1], 12 * x * v + 1.5 * x * x)
    with pytest.raises(kernix.KernelTypeError, match="argument 'y' is missing: expected its value, or None where it is not read"):
        second.sum_of_cubes.bwd.fwd(x=(x, v), y_grad=given, block=32, grid=1)


def test_forward_over_reverse_by_hand(second):
    x, v, gy = np.linspace(-1, 1, 5), np.linspace(1, 2, 5), np.linspace(0.5, 1, 5)
    result = second.damped_sine.bwd.fwd(x=(x, v), y_grad=gy, a=1.5, b=0.25)
    _, slope, curve, mixed = damped_sine(x, 1.5, 0.25)
    np.testing.assert_allclose(result.x_grad[0], gy * slope)
    np.testing.assert_allclose(result.x_grad[1], gy * curve * v)
    np.testing.assert_allclose(result.a_grad[1], (gy * mixed * v).sum())


def test_reverse_over_reverse(second):
    x, v, gy = np.linspace(-1, 1, 5), np.linspace(1, 2, 5), np.linspace(0.5, 1, 5)
    result = second.damped_sine.bwd.bwd(x=x, x_grad=(None, v), y_grad=gy, a=1.5, a_grad=(None, np.zeros(1)), b=0.25)
    assert result._fields == ("x", "y_grad", "a")
    _, slope, curve, mixed = damped_sine(x, 1.5, 0.25)
    np.testing.assert_allclose(result.x, gy * curve * v)
    np.testing.assert_allclose(result.y_grad, slope * v)
    np.testing.assert_allclose(result.a, (gy * mixed * v).sum())


def test_outputs_that_are_not_given_are_not_null(second):
    x, v, gy, gz = np.random.default_rng(0).uniform(-1, 1, (4, 5))
    cotangents = {"y_grad": gy, "z_grad": gz, "block": 5, "grid": 1}
    wanted, product = 2 * gy * x + gz * np.cos(x), (2 * gy - gz * np.sin(x)) * v
    for given in ({}, {"y": None, "z": None}, {"y": np.zeros(5), "z": np.zeros(5)}):
        value, tangent = second.where_wanted.bwd.fwd(x=(x, v), **given, **cotangents).x_grad
        np.testing.assert_allclose(value, wanted)
        np.testing.assert_allclose(tangent, product)
        np.testing.assert_allclose(second.where_wanted.bwd.bwd(x=x, x_grad=(None, v), **given, **cotangents).x, product)


def test_what_the_first_derivative_refuses(second):
    x, v, given = np.array([1.0, 2.0, 3.0]), np.array([1.0, 0.0, 2.0]), np.arange(1.0, 7.0)
    result = second.two_planes.bwd.bwd(x=x, x_grad=(None, v), y_grad=given, stride=3)
    np.testing.assert_allclose(result.x, v * (2 * given[:3] - np.sin(x) * given[3:]))
    with pytest.raises(kernix.KernelError, match="several stores may be to the same element of 'y'"):
        second.two_planes.bwd(x, y=(None, given), stride=0)
    with pytest.raises(kernix.KernelError, match="several stores may be to the same element of 'y'"):
        second.two_planes.bwd.bwd(x=x, x_grad=(None, v), y_grad=given, stride=0)
    with pytest.raises(kernix.KernelError, match="several stores may be to the same element of 'y'"):
        second.two_planes.bwd.fwd(x=(x, v), y_grad=given, stride=0)


def test_blocks_in_which_several_threads_store_to_one_element(second):
    x = np.linspace(-1, 1, 65)
    given = {"x": x, "x_grad": (None, np.ones(65)), "y_grad": np.ones(32), "grid": 1}
    expected = np.where((np.arange(65) > 0) & (np.arange(65) < 32), 2.0, 0.0)
    np.testing.assert_allclose(second.with_last.bwd.bwd(**given, block=32).x, expected)
    given["y_grad"] = np.ones(64)
    with pytest.raises(kernix.KernelError, match="with_last_bwd.*in blocks of this size several threads may store to one element"):
        second.with_last.bwd.bwd(**given, block=64)
    with pytest.raises(kernix.KernelError, match="with_last_bwd.*in blocks of this size several threads may store to one element"):
        second.with_last.bwd.fwd(x=(x, np.ones(65)), y_grad=np.ones(64), grid=1, block=64)


def test_launches_that_one_of_several_tests_ends(second):
    x, at = np.linspace(-1, 1, 32), np.arange(32, dtype=np.int32)
    launch = {"block": 32, "grid": 1}
    second.turned_and_summed.bwd(x, at, y=(None, x), **launch)
    for given in ({"x": x, "x_grad": (None, x), "y_grad": x}, {"x": (x, x), "y_grad": (x, x)}):
        derivative = second.turned_and_summed.bwd.bwd if "x_grad" in given else second.turned_and_summed.bwd.fwd
        with pytest.raises(kernix.KernelError, match="second.cu:.*several threads may store to one element of shared"):
            derivative(**given, at=at, **launch)


def test_what_the_first_derivative_of_a_host_function_refuses(second):
    given = {"x": 0.5, "x_grad": (np.zeros(1), np.ones(1)), "result_grad": 1.0}
    # By central differences.
    np.testing.assert_allclose(second.iterated.bwd.bwd(**given, n=3).x, [0.30679], rtol=1e-5)
    with pytest.raises(kernix.KernelError, match="a loop ran more often"):
        second.iterated.bwd(0.5, n=9, result=1.0)
    with pytest.raises(kernix.KernelError, match="what is differentiated ends the launch here"):
        second.iterated.bwd.bwd(**given, n=9)


def test_a_gradient_that_was_not_wanted(second):
    x, gy = np.linspace(-1, 1, 5), np.linspace(0.5, 1, 5)
    _, slope, _, mixed = damped_sine(x, 1.5, 0.25)
    for absent in ({}, {"x_grad": None}, {"x_grad": (None, None)}):
        result = second.damped_sine.bwd.bwd(x=x, **absent, y_grad=gy, a=1.5, a_grad=(None, np.ones(1)), b=0.25)
        np.testing.assert_allclose(result.x, gy * mixed)
        np.testing.assert_allclose(result.y_grad, 2 * damped_sine(x, 1.5, 0.25)[0] / 1.5)


def test_a_host_function_takes_cotangents_of_gradients_alone(second):
    for value in (None, np.full(1, 7.0)):
        v = np.full(1, 2.0)
        given = {"x": 0.5, "x_grad": (value, v), "result_grad": 1.0, "n": 3}
        np.testing.assert_allclose(second.iterated.bwd.bwd(**given).x, [2 * 0.30679], rtol=1e-5)
        assert v == 2 and (value is None or value == 7)
    unwanted = second.iterated.bwd.bwd(x=0.5, x_grad=None, result_grad=1.0, n=3)
    assert unwanted.x == 0 and unwanted.result_grad == 0

    x, w, v, gy = np.array([1.0, 2.0]), np.array([3.0, 5.0]), np.ones(2), np.array([1.0, 0.5])
    for value in (None, np.full(2, 7.0)):
        result = second.weighted.bwd.bwd(x=x, x_grad=(value, v), w=w, y_grad=gy)
        np.testing.assert_allclose(result.x, 2 * gy * w[0] ** 2 * w)
        np.testing.assert_allclose(result.y_grad, 2 * w[0] ** 2 * w * x)
        np.testing.assert_allclose(v, 1)
        assert value is None or (value == 7).all()


def test_a_given_second_gradient_is_added_to(second):
    x, v, gy = np.linspace(-1, 1, 5), np.linspace(1, 2, 5), np.linspace(0.5, 1, 5)
    gx, ggy = np.full(5, 10.0), np.full(5, 20.0)
    second.damped_sine.bwd.bwd(x=(x, gx), x_grad=(None, v), y_grad=(gy, ggy), a=1.5, b=0.25)
    _, slope, curve, _ = damped_sine(x, 1.5, 0.25)
    np.testing.assert_allclose(gx, 10 + gy * curve * v)
    np.testing.assert_allclose(ggy, 20 + slope * v)


def test_bessel_functions_at_zero(second):
    orders, x, ones = np.arange(5, dtype=np.int32), np.zeros(5), np.ones(5)
    assert second.bessel.bwd(x, orders, (None, ones)).x.tolist() == [0, 0.5, 0, 0, 0]
    found = second.bessel.bwd.bwd(x=x, order=orders, x_grad=(None, ones), y_grad=ones)
    assert found.x.tolist() == [-0.5, 0, 0.25, 0, 0]


def test_powers_of_zero(second):
    """d2 x^e / dx de is x^(e - 1) (1 + e log x), and for x = 0 the slope is 0 where e is."""
    x, e = np.array([2.0, 3.0, 2.0, 0.0]), np.array([0.0, 0.0, 1.0, 0.0])
    assert second.powers.bwd(x, e, (None, np.ones(4))).x.tolist() == [0, 0, 1, 0]
    expected = x[:3] ** (e[:3] - 1) * (1 + e[:3] * np.log(x[:3]))
    found = second.powers.bwd.bwd(x=x[:3], e=e[:3], x_grad=(None, np.ones(3)), e_grad=None, y_grad=np.ones(3))
    np.testing.assert_allclose(found.e, expected)
    found = second.powers.bwd.bwd(x=x[:3], e=e[:3], x_grad=None, e_grad=(None, np.ones(3)), y_grad=np.ones(3))
    np.testing.assert_allclose(found.x, expected)


# -- through torch --------------------------------------------------------------------------------------------------

torch = pytest.importorskip("torch")


def rand(*sizes):
    return torch.rand(*sizes, dtype=torch.float64, requires_grad=True)


def calls(second):
    """By name: a function of tensors that require a gradient, and such tensors."""

    def with_given_output(f, x, *rest):
        y = torch.zeros_like(x)
        f(x, *rest, y)
        return y

    return {
        "damped_sine": (lambda x, a: second.damped_sine(x, a, 0.25), (rand(5), torch.tensor(1.5).double().requires_grad_())),
        "polynomial": (
            lambda x, w: with_given_output(lambda x, w, y: second.polynomial(x, w, y, 5), x, w),
            (rand(5), rand(3)),
        ),
        "products": (lambda x: with_given_output(second.products, x), (rand(2, 3),)),
        "transposed": (lambda x: with_given_output(second.products, x.t()), (rand(2, 3),)),
        "relaxed": (lambda x, w: second.relaxed(x, w, 3), (rand(5), rand(2))),
        "softmax": (second.softmax, (rand(2, 3),)),
        "both_ways": (second.both_ways, (rand(4), rand(1))),
        "one_of_both": (lambda x, s: second.both_ways(x, s)[1], (rand(4), rand(1))),
        "sum_of_cubes": (lambda x: second.sum_of_cubes(x, grid=1), (rand(5),)),
        "perhaps_weighted": (second.perhaps_weighted, (rand(5), rand(5))),
        "unweighted": (second.perhaps_weighted, (rand(5),)),
        "weighted": (lambda x, w: with_given_output(second.weighted, x, w), (rand(5), rand(2))),
        "scaled_sum": (
            lambda x, s: with_given_output(second.scaled_sum, x, s),
            (rand(2), torch.tensor(1.5).double().requires_grad_()),
        ),
    }


NAMES = ["damped_sine", "polynomial", "products", "transposed", "relaxed", "softmax", "both_ways", "one_of_both"]
NAMES += ["sum_of_cubes", "perhaps_weighted", "unweighted"]
NAMES += ["weighted", "scaled_sum"]  # host functions


@pytest.mark.parametrize("name", NAMES)
def test_gradgradcheck(second, name):
    torch.manual_seed(0)
    f, inputs = calls(second)[name]
    assert torch.autograd.gradcheck(f, inputs)
    assert torch.autograd.gradgradcheck(f, inputs)


@pytest.mark.parametrize("name", NAMES)
def test_gradgradcheck_of_each_input_alone(second, name):
    torch.manual_seed(1)
    f, inputs = calls(second)[name]
    for k in range(len(inputs)):
        fixed = [each.detach() for each in inputs]
        assert torch.autograd.gradgradcheck(lambda each: f(*fixed[:k], each, *fixed[k + 1 :]), inputs[k])


# Transforms of torch change no tensor that is given.
GIVEN_OUTPUTS = {"polynomial", "products", "transposed", "weighted", "scaled_sum"}


@pytest.mark.filterwarnings("ignore")  # of torch itself
@pytest.mark.parametrize("name", [name for name in NAMES if name not in GIVEN_OUTPUTS])
def test_forward_over_reverse(second, name):
    torch.manual_seed(3)
    f, inputs = calls(second)[name]

    def loss(*inputs):
        outputs = f(*inputs)
        return sum((each**2).sum() for each in (outputs if isinstance(outputs, tuple) else (outputs,)))

    inputs = tuple(each.detach() for each in inputs)
    at = tuple(range(len(inputs)))
    expected = torch.func.jacrev(torch.func.jacrev(loss, at), at)(*inputs)
    torch.testing.assert_close(torch.func.hessian(loss, at)(*inputs), expected)


@pytest.mark.parametrize("name", NAMES)
def test_hessian_vector_products_against_differences(second, name):
    torch.manual_seed(2)
    f, inputs = calls(second)[name]
    directions = [torch.rand_like(each) for each in inputs]

    def loss(*inputs):
        outputs = f(*inputs)
        return sum((each**2).sum() for each in (outputs if isinstance(outputs, tuple) else (outputs,)))

    def gradients(step):
        moved = [(x + step * v).detach().requires_grad_() for x, v in zip(inputs, directions, strict=True)]
        return torch.autograd.grad(loss(*moved), moved)

    first = torch.autograd.grad(loss(*inputs), inputs, create_graph=True)
    products = torch.autograd.grad(sum((g * v).sum() for g, v in zip(first, directions, strict=True)), inputs)
    for product, after, before in zip(products, gradients(1e-5), gradients(-1e-5), strict=True):
        torch.testing.assert_close(product, (after - before) / 2e-5, rtol=1e-6, atol=1e-6)


def test_hessian_in_single_precision(second):
    x = torch.rand(4, requires_grad=True)
    hessian = torch.autograd.functional.hessian(lambda x: second.damped_sine(x, 1.5, 0.25).sum(), x)
    curve = damped_sine(x.detach().double().numpy(), 1.5, 0.25)[2]
    torch.testing.assert_close(hessian, torch.from_numpy(np.diag(curve)).float(), rtol=1e-4, atol=1e-5)


@pytest.mark.filterwarnings("ignore::FutureWarning")  # torch's own, when forward_ad is imported
def test_forward_over_reverse_through_torch(second):
    assert torch.autograd.gradgradcheck(
        lambda x: second.damped_sine(x, 1.5, 0.25), rand(4), check_fwd_over_rev=True, check_rev_over_rev=True
    )


def two_gradients_in_one(backward, x, z, start):
    """That of the sum of f(x) + f(z), and what was there before."""
    backward(x=(x, start), y=(None, torch.ones_like(x)))
    backward(x=(z, start), y=(None, torch.ones_like(x)))
    return start


@pytest.mark.filterwarnings("ignore::FutureWarning", "ignore::UserWarning")  # torch's own
@pytest.mark.parametrize("front", ["eager", "view", "compiled", "func"])
def test_what_a_given_gradient_held_has_a_gradient(second, front):
    def f(x, z, g):
        start = torch.cat([g, g])[:3] if front == "view" else g * 1
        return (two_gradients_in_one(second.cubed_bwd, x, z, start) * weights).sum()

    torch.manual_seed(4)
    weights = torch.rand(3, dtype=torch.float64)
    inputs = tuple(rand(3) for _ in range(3))
    if front == "func":
        found = torch.func.grad(f, (0, 1, 2))(*(each.detach() for each in inputs))
    else:
        run = torch.compile(f, backend="aot_eager", fullgraph=True) if front == "compiled" else f
        found = torch.autograd.grad(run(*inputs), inputs)
    x, z, _ = (each.detach() for each in inputs)
    torch.testing.assert_close(found, (6 * x * weights, 6 * z * weights, weights))


@pytest.mark.filterwarnings("ignore::FutureWarning")  # torch's own
def test_what_an_assigned_gradient_held_has_no_gradient(second):
    gradient = second.cubed_once.bwd.info["parameters"][1]
    assert (gradient["name"], gradient["accumulation"]) == ("x_grad", "once")
    x, z = rand(3), rand(3)
    start = torch.zeros(3, dtype=torch.float64)
    second.cubed_once.bwd(x=(x, start), y=(None, torch.ones(3, dtype=torch.float64)))
    torch.testing.assert_close(torch.autograd.grad(start.sum(), x), (6 * x.detach(),))
    message = r"argument 'x_grad' requires a gradient, and what it held before the call has none, since \[\[kernix::diff\(once\)"
    for _ in range(2):
        with pytest.raises(kernix.KernelTypeError, match=message):
            two_gradients_in_one(second.cubed_once_bwd, x, z, torch.zeros(3, dtype=torch.float64))
    with pytest.raises(kernix.KernelTypeError, match=message):
        torch.func.grad(lambda x: two_gradients_in_one(second.cubed_once_bwd, x, z.detach(), x * 1).sum())(x.detach())
    product = torch.func.jvp(lambda z: two_gradients_in_one(second.cubed_once_bwd, x.detach(), z, z * 1), (z,), (z,))[1]
    torch.testing.assert_close(product, 6 * z**2)


def test_what_a_given_gradient_held_in_jax(second, jax_in_doubles):
    jax = jax_in_doubles
    x, z, ones = jax.numpy.array([1.0, 2.0]), jax.numpy.array([3.0, 4.0]), jax.numpy.ones(2)

    def total(f, x, z, start):
        first = f.bwd(x=(x, start), y=(None, ones)).x
        return f.bwd(x=(z, first), y=(None, ones)).x.sum()

    found = jax.jit(jax.grad(lambda *each: total(second.cubed, *each), (0, 1, 2)))(x, z, ones)
    assert [each.tolist() for each in found] == [[6, 12], [18, 24], [1, 1]]
    assert jax.grad(lambda z: total(second.cubed_once, x, z, ones))(z).tolist() == [18, 24]
    with pytest.raises(kernix.KernelTypeError, match=r"'x_grad': what it held before the call has no gradient, since .*once"):
        jax.grad(lambda x: total(second.cubed_once, x, z, ones))(x)


def test_what_has_no_derivative_of_its_own(second):
    with pytest.raises(kernix.KernelError, match=r"no forward derivative of its own; second derivatives are those of the backward: m\.cubed"):
        second.cubed.fwd.fwd
    with pytest.raises(kernix.KernelError, match="no backward derivative of its own; third derivatives are not available"):
        second.cubed.bwd.bwd.bwd


def test_a_rule_in_a_checking_build(tmp_path):
    path = tmp_path / "checked.cu"
    path.write_text("""
#include <kernix/kernix.h>
__device__ void cube_bwd(double x, double *gx, double g) { *gx += 3 * x * x * g; }
[[kernix::backward_derivative(cube_bwd)]] __device__ double cube(double x) { return x * x * x; }
[[kernix::bind, kernix::differentiable(2)]] __global__ void
cubes(const double *x, [[kernix::shape("x")]] double *y, [[kernix::value("x.numel()")]] int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    y[i] = cube(x[i]);
}
""")
    m = kernix.load(path, target="cpu", checks=["accumulation"])
    x, ones = np.array([1.0, -2.0, 3.0]), np.ones(3)
    np.testing.assert_allclose(m.cubes.bwd(x=x, y=(None, ones)).x, 3 * x * x)
    np.testing.assert_allclose(m.cubes.bwd.fwd(x=(x, ones), y_grad=ones).x_grad[1], 6 * x)
    np.testing.assert_allclose(m.cubes.bwd.bwd(x=x, x_grad=(None, ones), y_grad=ones).x, 6 * x)


def test_third_derivatives_are_refused(second):
    x = rand(3)
    (first,) = torch.autograd.grad(second.damped_sine(x, 1.5, 0.25).sum(), x, create_graph=True)
    (again,) = torch.autograd.grad(first.sum(), x, create_graph=True)
    with pytest.raises(kernix.KernelError, match="has no backward derivative|no derivative of its own"):
        again.sum().backward()
