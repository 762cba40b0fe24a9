"""What programs do with torch beside calling backward(): each compared with the same in torch's own operations."""

import functools
import threading

import pytest

import kernix
from conftest import SOURCES

torch = pytest.importorskip("torch")
pytestmark = pytest.mark.filterwarnings("ignore::FutureWarning", "ignore::UserWarning")
ONES = torch.ones(3, dtype=torch.float64)


@pytest.fixture(scope="module")
def functions():
    return kernix.load(SOURCES / "torch_functions.cu")


def leaf(*shape):
    return torch.rand(shape, dtype=torch.float64, requires_grad=True)


def same(ours, theirs, *leaves, weights=None):
    """Values and gradients, of which the latter may come in any layout."""
    rows = [[tensor.detach().clone().requires_grad_() for tensor in leaves] for _ in range(2)]
    found, expected = ours(*rows[0]), theirs(*rows[1])
    torch.testing.assert_close(found, expected)
    weights = torch.rand_like(expected) if weights is None else weights
    found.backward(weights)
    expected.backward(weights)
    for mine, other in zip(*rows, strict=True):
        torch.testing.assert_close(mine.grad, other.grad)


def mixed(derivatives, x, w):
    """A call that changes a tensor and one that returns two."""
    z = x * 1
    derivatives.squared_in_place(z, w)
    left, right = derivatives.two_ways(z)
    return left + right


def mixed_in_torch(x, w):
    z = x * x * w
    return 3 * z + z * z


# -- layouts --------------------------------------------------------------------------------------------------------


def test_channels_last(derivatives, functions):
    """Pointers refuse it, views honour its strides."""
    x = torch.rand(2, 3, 4, 5, dtype=torch.float64).to(memory_format=torch.channels_last).requires_grad_()
    with pytest.raises(kernix.KernelValueError, match=r"argument 'x': expected a contiguous tensor"):
        derivatives.scaled_sine(x, 2.0, 1.0)
    same(lambda x: derivatives.scaled_sine(x.contiguous(), 2.0, 1.0), lambda x: 2 * torch.sin(x) + 1, x)
    same(lambda x: functions.row_sums(x[:, :, 0].flatten(1)), lambda x: (x[:, :, 0].flatten(1) ** 2).sum(1), x)


def test_views_of_every_layout(functions):
    sums = lambda x: (x**2).sum(1)  # noqa: E731
    for view in (
        lambda x: x.t(),
        lambda x: x[::2, 1:],
        lambda x: x[:, :1].expand(-1, 5),
        lambda x: x[None, 0].expand(3, -1),
        lambda x: torch.view_as_real(torch.complex(x, x))[..., 0],
        lambda x: x[:0],
        lambda x: x[:, :0],
    ):
        same(lambda x, view=view: functions.row_sums(view(x)), lambda x, view=view: sums(view(x)), leaf(4, 6))


def test_gradients_of_every_layout(derivatives):
    sine = lambda x: derivatives.scaled_sine(x, 2.0, 1.0)  # noqa: E731
    theirs = lambda x: 2 * torch.sin(x) + 1  # noqa: E731
    x = leaf(3, 4)
    weights = [
        torch.rand(4, 3, dtype=torch.float64).t(),
        torch.rand(3, 8, dtype=torch.float64)[:, ::2],
        torch.rand(1, 1, dtype=torch.float64).expand(3, 4),
        torch.rand(3, 4, dtype=torch.complex128).conj().imag,
        torch._efficientzerotensor((3, 4), dtype=torch.float64),
    ]
    for each in weights:
        same(sine, theirs, x, weights=each)


def test_outputs_of_every_layout(derivatives):
    def filled(x, y):
        derivatives.products(x, y)
        return y

    for make in (
        lambda: torch.empty_strided((2, 3), (1, 2), dtype=torch.float64),
        lambda: torch.zeros(3, 2, dtype=torch.float64).t(),
        lambda: torch.zeros(4, 6, dtype=torch.float64)[::2, 1:4],
    ):
        same(lambda x, make=make: filled(x, make()) * 1, lambda x: x * x[0, 0], leaf(2, 3))


def test_nothing(derivatives, functions):
    a = torch.tensor(2.0, dtype=torch.float64, requires_grad=True)
    x = leaf(0)
    derivatives.scaled_sine(x, a, 1.0).sum().backward()
    assert (x.grad.shape, a.grad.item()) == ((0,), 0)
    same(lambda x: mixed(derivatives, x, x.detach()), lambda x: mixed_in_torch(x, x.detach()), leaf(0))
    (gradient,) = torch.autograd.grad(functions.cubed(x, 2.0).sum(), x, create_graph=True)
    assert torch.autograd.grad(gradient.sum(), x)[0].shape == (0,)


# -- graphs ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("is_reentrant", [False, True])
def test_checkpoints(derivatives, is_reentrant):
    from torch.utils.checkpoint import checkpoint

    ours = functools.partial(mixed, derivatives)
    same(lambda *row: checkpoint(ours, *row, use_reentrant=is_reentrant), mixed_in_torch, leaf(3), leaf(3))


def test_checkpoints_that_keep_some_results(derivatives):
    from torch.utils.checkpoint import checkpoint, create_selective_checkpoint_contexts

    context = functools.partial(create_selective_checkpoint_contexts, [derivatives.scaled_sine.torch_op.default])
    twice = lambda x: derivatives.scaled_sine(derivatives.scaled_sine(x, 2.0, 1.0), 2.0, 1.0)  # noqa: E731
    theirs = lambda x: 2 * torch.sin(2 * torch.sin(x) + 1) + 1  # noqa: E731
    same(lambda x: checkpoint(twice, x, use_reentrant=False, context_fn=context), theirs, leaf(3))


def test_hooks_of_saved_tensors(derivatives):
    pack, unpack = (lambda tensor: tensor.numpy(force=True).copy()), torch.from_numpy

    def ours(x, w):
        with torch.autograd.graph.saved_tensors_hooks(pack, unpack):
            return mixed(derivatives, x, w)

    same(ours, mixed_in_torch, leaf(3), leaf(3))


def test_a_saved_tensor_that_is_changed(derivatives):
    for change in (lambda z: z.add_(1), lambda z: derivatives.squared_in_place(z, ONES)):
        x, w = leaf(3), leaf(3)
        z, v = x * 1, w * 1
        derivatives.squared_in_place(z, v)
        with torch.no_grad():
            change(v)
        with pytest.raises(RuntimeError, match="modified by an inplace operation"):
            z.sum().backward()


def test_changes_of_what_was_changed(derivatives):
    def ours(x):
        z = x * 1
        derivatives.squared_in_place(z, ONES)
        z.mul_(2)
        derivatives.squared_in_place(z[1:], ONES[1:])
        return z

    same(ours, lambda x: torch.cat([2 * x[:1] ** 2, (2 * x[1:] ** 2) ** 2]), leaf(3))


def test_twice_through_one_graph(derivatives):
    x, w = leaf(3), leaf(3)
    y = mixed(derivatives, x, w).sum()
    first = torch.autograd.grad(y, (x, w), retain_graph=True)
    torch.testing.assert_close(torch.autograd.grad(y, (x, w)), first)
    with pytest.raises(RuntimeError, match="second time"):
        torch.autograd.grad(y, (x, w))


def test_some_inputs_only(derivatives):
    x, w, other = leaf(3), leaf(3), leaf(3)
    y = mixed(derivatives, x, w).sum()
    found = torch.autograd.grad(y, (w, other), allow_unused=True, retain_graph=True)
    assert found[1] is None
    torch.testing.assert_close(found[0], torch.autograd.grad(mixed_in_torch(x, w).sum(), w)[0])
    y.backward(inputs=[w])
    assert x.grad is None
    torch.testing.assert_close(w.grad, found[0])


def test_gradients_of_edges_and_several_hooks(derivatives):
    x, seen = leaf(3), []
    left, right = derivatives.two_ways(x)
    torch.autograd.graph.register_multi_grad_hook((left, right), lambda rows: seen.append([row is not None for row in rows]))
    (left.sum() + right.sum()).backward()
    assert seen == [[True, True]]
    y = derivatives.scaled_sine(x, 2.0, 1.0)
    (gradient,) = torch.autograd.grad(torch.autograd.graph.get_gradient_edge(y), x, ONES)
    torch.testing.assert_close(gradient, 2 * torch.cos(x.detach()))


def test_batches_of_gradients(derivatives):
    x, eye = leaf(3), torch.eye(3, dtype=torch.float64)
    _, right = derivatives.two_ways(x)
    torch.testing.assert_close(torch.autograd.grad(right, x, eye, is_grads_batched=True)[0], torch.diag(2 * x.detach()))


def test_functional_jacobians(functions):
    x = torch.rand(3, dtype=torch.float64)
    ours, theirs = (lambda x: functions.cubed(x, 2.0)), (lambda x: 2 * x**3)
    functional = torch.autograd.functional
    for options in ({}, {"vectorize": True}, {"vectorize": True, "strategy": "forward-mode"}):
        torch.testing.assert_close(functional.jacobian(ours, x, **options), functional.jacobian(theirs, x))
    torch.testing.assert_close(functional.hessian(lambda x: ours(x).sum(), x), torch.diag(12 * x))
    torch.testing.assert_close(functional.vhp(lambda x: ours(x).sum(), x, x)[1], 12 * x * x)


def test_threads(derivatives):
    failures = []

    def work():
        try:
            for _ in range(30):
                same(functools.partial(mixed, derivatives), mixed_in_torch, leaf(5), torch.ones(5, dtype=torch.float64))
        except Exception as error:
            failures.append(error)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []


# -- tensors of other types -----------------------------------------------------------------------------------------


def test_pairs_of_tensors(derivatives):
    pairs = pytest.importorskip("torch.testing._internal.two_tensor")
    a, b = torch.rand(2, 3, dtype=torch.float64)
    pair = pairs.TwoTensor(a.clone(), b.clone()).requires_grad_()
    y = derivatives.scaled_sine(pair, 2.0, 1.0)
    assert isinstance(y, pairs.TwoTensor)
    y.sum().backward()
    torch.testing.assert_close(pair.grad.a, 2 * torch.cos(a))
    torch.testing.assert_close(pair.grad.b, 2 * torch.cos(b))


def test_parts_of_complex_numbers(functions):
    same(lambda z: functions.row_sums(z.real), lambda z: (z.real**2).sum(1), torch.rand(3, 2, dtype=torch.complex128))


def test_numbers_of_other_dtypes(derivatives):
    x = torch.rand(3, dtype=torch.float64)
    for dtype in (torch.float16, torch.bfloat16, torch.float32, torch.float64):
        a = torch.tensor(2.0, dtype=dtype, requires_grad=True)
        derivatives.scaled_sine(x, a, 0.0).sum().backward()
        assert a.grad.dtype is dtype
        torch.testing.assert_close(a.grad.double(), torch.sin(x).sum(), rtol=1e-2, atol=0)
    assert torch.equal(derivatives.scaled_sine(x, torch.tensor(2), 0.0), derivatives.scaled_sine(x, 2.0, 0.0))


def test_inference_mode(derivatives):
    with torch.inference_mode():
        x = torch.rand(3, dtype=torch.float64)
        y = derivatives.scaled_sine(leaf(3), 2.0, 1.0)
        assert y.is_inference()
        assert not y.requires_grad
    with pytest.raises(RuntimeError, match="Inference tensors cannot be saved for backward"):
        derivatives.looked_up(leaf(3), x, x)


# -- mixed precision ------------------------------------------------------------------------------------------------


def test_nested_autocast(functions):
    a, b = torch.rand(2, 4).requires_grad_().unbind()
    with torch.autocast("cpu", torch.bfloat16):
        outer = functions.product(a, b)
        with torch.autocast("cpu", enabled=False):
            off = functions.product(a, b)
        with torch.autocast("cpu", torch.float16):
            inner = functions.product(a, b)
        assert functions.product(a, b).dtype is torch.bfloat16
    assert (outer.dtype, off.dtype, inner.dtype) == (torch.bfloat16, torch.float32, torch.float16)
    (gradient,) = torch.autograd.grad((outer.float() + off + inner.float()).sum(), a)
    torch.testing.assert_close(gradient, 3 * b.detach(), rtol=2e-2, atol=2e-2)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_scaled_losses(functions, dtype):
    weight = torch.nn.Parameter(torch.rand(4))
    optimizer, scaler = torch.optim.SGD([weight], lr=0.5), torch.amp.GradScaler("cpu", init_scale=8.0)

    def step(x, factor):
        before = weight.detach().clone()
        with torch.autocast("cpu", dtype):
            y = functions.product(weight, x)
        optimizer.zero_grad()
        scaler.scale(factor * y.float().sum()).backward()
        scaler.step(optimizer)
        scaler.update()
        return before - weight.detach()

    torch.testing.assert_close(step(torch.ones(4), 1.0), 0.5 * torch.ones(4), rtol=1e-2, atol=1e-2)
    # A gradient that is not finite: the step is left out, and the next one is smaller.
    assert step(torch.ones(4), float("inf")).tolist() == [0] * 4
    assert scaler.get_scale() == 4.0
    torch.testing.assert_close(step(torch.ones(4), 1.0), 0.5 * torch.ones(4), rtol=1e-2, atol=1e-2)


@pytest.mark.parametrize("is_reentrant", [False, True])
def test_checkpoints_under_autocast(functions, is_reentrant):
    from torch.utils.checkpoint import checkpoint

    a, b = torch.rand(2, 4).unbind()
    a.requires_grad_()
    with torch.autocast("cpu", torch.bfloat16):
        y = checkpoint(functions.product, a, b, use_reentrant=is_reentrant)
    assert y.dtype is torch.bfloat16
    y.float().sum().backward()
    torch.testing.assert_close(a.grad, b, rtol=2e-2, atol=2e-2)
