"""Calls whose graph the extension makes: what is kept of them, their nodes, and what torch does with nodes beside running
them. That their gradients are right is in test_autograd.py."""

import gc
import threading
import weakref

import numpy as np
import pytest

import kernix
from conftest import SOURCES

torch = pytest.importorskip("torch")
pytestmark = pytest.mark.filterwarnings("ignore::FutureWarning", "ignore::UserWarning")

ONES = torch.ones(2, dtype=torch.float64)


@pytest.fixture(scope="module")
def functions():
    return kernix.load(SOURCES / "torch_functions.cu")


@pytest.fixture
def x():
    return torch.tensor([1.0, 2.0], dtype=torch.float64, requires_grad=True)


@pytest.fixture
def expected(x):
    return 2 * torch.cos(x.detach())


@pytest.fixture
def sine(derivatives):
    return lambda x: derivatives.scaled_sine(x, 2.0, 0.0)


def test_nodes_have_the_name_of_the_function(sine, x):
    sine(x)
    assert sine(x).grad_fn.name() == "scaled_sineBackward"


def test_such_calls_do_not_come_to_python(derivatives, sine, x, monkeypatch):
    from kernix.torch import autograd

    sine(x)  # it is found out once
    monkeypatch.delattr(autograd, "_Apply")
    monkeypatch.delattr(autograd, "recorder_of")
    monkeypatch.delattr(autograd, "backward")
    sine(x).sum().backward()
    assert x.grad is not None


def test_launch_sizes_reach_the_backward(derivatives, x, expected):
    derivatives.scaled_sine(x, 2.0, 0.0, block=64, grid=2).sum().backward()
    torch.testing.assert_close(x.grad, expected)
    y = derivatives.scaled_sine(x, 2.0, 0.0, launchBlockSize=1, grid=1)  # of two elements it computes one
    (gradient,) = torch.autograd.grad(y.sum(), x)
    torch.testing.assert_close(gradient, expected * torch.tensor([1.0, 0.0]))


def test_numbers_by_tensors_without_axes(functions):
    x = torch.rand(3, requires_grad=True)
    times = torch.tensor(2)
    torch.testing.assert_close(functions.repeated(x, times).detach(), x.detach().repeat(2))
    x = torch.rand(3, dtype=torch.float64, requires_grad=True)
    a = torch.tensor(2.0, dtype=torch.float32, requires_grad=True)
    functions.cubed(x, a).sum().backward()
    torch.testing.assert_close(x.grad, 6 * x.detach() ** 2)
    assert a.grad.dtype is torch.float32
    torch.testing.assert_close(a.grad, (x.detach() ** 3).sum().float())


def test_a_number_by_a_tensor_is_noticed_when_it_changes(functions):
    x, a = torch.rand(3, dtype=torch.float64, requires_grad=True), torch.tensor(2.0)
    y = functions.cubed(x, a)
    a.zero_()
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        y.sum().backward()


def test_of_what_is_not_read_only_sizes_are_kept(derivatives):
    x, at = torch.rand(3, dtype=torch.float64, requires_grad=True), torch.tensor([2, 0], dtype=torch.int32)
    kept = x * 1
    memory = weakref.ref(kept.untyped_storage())
    y = derivatives.linear(kept, at)
    del kept
    gc.collect()
    assert memory() is None or memory()._use_count() == 1
    y.sum().backward()
    assert x.grad.tolist() == [3, 0, 3]


def test_outputs_of_other_frameworks_are_refused(derivatives):
    a = torch.tensor(2.0, dtype=torch.float64, requires_grad=True)
    for _ in range(2):  # by Python and by the extension
        with pytest.raises(TypeError, match=r"scaled_sine.*: returns ndarray, to which no graph of torch leads; pass"):
            derivatives.scaled_sine(np.ones(3), a, 0.0)
    assert derivatives.scaled_sine(np.ones(3), a.detach(), 0.0).shape == (3,)
    x, w = torch.ones(2, requires_grad=True), torch.ones(3)
    with pytest.raises(TypeError, match=r"argument 'y': expected a torch tensor, since torch records the call; got ndarray"):
        derivatives.polynomial(x, w, np.zeros(2, "float32"), 2)
    y, _ = derivatives.gathered(x, np.zeros(2, "int32"))  # what is not torch's is only read
    y.sum().backward()
    assert x.grad.tolist() == [4, 0]


def test_hooks(sine, x, expected):
    seen = []
    y = sine(x)
    y.grad_fn.register_prehook(lambda gradients: (gradients[0] * 2,))
    y.grad_fn.register_hook(lambda to, of: seen.append((to[0].tolist(), of[0].tolist())))
    y.register_hook(lambda gradient: gradient * 3)
    y.sum().backward()
    torch.testing.assert_close(x.grad, 6 * expected)
    assert seen == [(x.grad.tolist(), [6.0, 6.0])]


def test_saved_tensors_are_where_torch_wants_them(sine, x, expected):
    with torch.autograd.graph.save_on_cpu():
        y = sine(x)
    y.sum().backward()
    torch.testing.assert_close(x.grad, expected)
    with torch.autograd.graph.allow_mutation_on_saved_tensors():
        z = x * 1
        y = sine(z)
        z.zero_()
        (gradient,) = torch.autograd.grad(y.sum(), x)
    torch.testing.assert_close(gradient, expected)
    node = sine(x).grad_fn
    assert [tensor is x for tensor in node.saved_tensors] == [True]


def test_checkpoints(sine, x, expected):
    from torch.utils.checkpoint import checkpoint

    for reentrant in (False, True):
        x.grad = None
        checkpoint(lambda x: sine(sine(x) * 0 + x), x, use_reentrant=reentrant).sum().backward()
        torch.testing.assert_close(x.grad, expected)


def test_compiled_autograd(sine, x, expected):
    pytest.importorskip("torch._dynamo")
    with torch._dynamo.compiled_autograd._enable(torch.compile(backend="eager")):
        sine(x).sum().backward()
    torch.testing.assert_close(x.grad, expected)


def test_anomalies(derivatives, x):
    with torch.autograd.detect_anomaly():
        y = derivatives.scaled_sine(x, float("nan"), 0.0)
        with pytest.raises(RuntimeError, match="Function 'scaled_sineBackward' returned nan values in its 0th output"):
            y.sum().backward()


def test_a_gradient_that_does_not_arrive(sine, x):
    class Stops(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x.clone()

        @staticmethod
        def backward(ctx, gradient):
            return None

    Stops.apply(sine(x)).sum().backward()
    assert x.grad.tolist() == [0, 0]
    assert sine(x).grad_fn.apply(None) == (None, None)


def test_nodes_are_not_for_others(sine, x):
    node = sine(x).grad_fn
    with pytest.raises(kernix.KernelTypeError, match="takes one gradient"):
        node.apply()
    with pytest.raises(kernix.KernelTypeError, match="is run by the call only"):
        node._forward_cls.apply(x)
    with pytest.raises(kernix.KernelTypeError, match="is run by the call only"):
        node._forward_cls.apply(node.kept, x)
    (_, gradient) = node.apply(ONES)
    torch.testing.assert_close(gradient, 2 * torch.cos(x.detach()))


def test_freed_with_the_graph(sine, x):
    y = sine(x)
    node = weakref.ref(y.grad_fn)
    del y
    assert node() is None
    y = sine(x)
    y.sum().backward()
    with pytest.raises(RuntimeError, match="second time"):
        y.sum().backward()
    node = weakref.ref(y.grad_fn)
    del y
    gc.collect()
    assert node() is None


def test_a_cycle_through_an_argument_is_collected(derivatives, x):
    class Number:
        def __float__(self):
            return 2.0

    number = Number()
    number.y = derivatives.scaled_sine(x, number, 0.0)
    gone = weakref.ref(number)
    del number
    gc.collect()
    assert gone() is None


def test_nothing_is_left_behind(derivatives, x):
    def step():
        derivatives.scaled_sine(x, 2.0, 0.0, block=32).sum().backward()

    for _ in range(20):
        step()
    gc.collect()
    before = len(gc.get_objects())
    for _ in range(200):
        step()
    gc.collect()
    assert len(gc.get_objects()) < before + 50


def test_errors_leave_no_graph(derivatives, x):
    for _ in range(3):
        with pytest.raises(kernix.KernelValueError, match="block.x: expected 1 to 1024, got 3200"):
            derivatives.scaled_sine(x, 2.0, 0.0, block=3200)
        with pytest.raises(kernix.KernelTypeError, match="no variant takes these arguments"):
            derivatives.scaled_sine(x, "2", 0.0)


def test_threads(sine, x, expected):
    found = []

    def work():
        for _ in range(50):
            found.append(torch.autograd.grad(sine(x).sum(), x)[0])

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 200
    for gradient in found:
        torch.testing.assert_close(gradient, expected)


def test_a_call_inside_of_a_call(derivatives, x, expected):
    """A number that is computed when it is asked for, by a recorded call."""

    class Number:
        def __float__(self):
            return float(derivatives.scaled_sine(x, 1.0, 0.0).sum().detach()) * 0 + 2

    derivatives.scaled_sine(x, Number(), 0.0).sum().backward()
    torch.testing.assert_close(x.grad, expected)


def test_what_cannot_be_asked_yet_is_all_saved(derivatives, x, monkeypatch):
    """As while a stream is captured, where kernels cannot be read."""
    module = kernix.load(SOURCES / "derivatives.cu", extra_cflags=["-DFRESH"])

    def fail(*_):
        raise kernix.KernelError("captured")

    with monkeypatch.context() as patch:
        patch.setattr(kernix._binding, "read_values", fail)
        y = module.linear(x, torch.tensor([1], dtype=torch.int32))
        assert len(y.grad_fn.saved_tensors) == 2
    y.sum().backward()
    assert x.grad.tolist() == [0, 3]
    y = module.linear(x, torch.tensor([1], dtype=torch.int32))
    assert len(y.grad_fn.saved_tensors) == 1
