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

ONES, WEIGHTS = torch.ones(2, dtype=torch.float64), torch.ones(3, dtype=torch.float64)
AT = torch.tensor([1, 1], dtype=torch.int32)


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


def changed(start, call):
    z = start * 1
    call(z)
    return z


def filled(like, call):
    z = torch.zeros_like(like)
    call(z)
    return z


# By what a call returns and changes: it, and the same in torch.
CALLS = {
    "one result": (lambda d, x: d.scaled_sine(x, 2.0, 0.0), lambda x: 2 * torch.sin(x)),
    "two results": (lambda d, x: sum(d.two_ways(x)), lambda x: 3 * x + x**2),
    "the first of two": (lambda d, x: d.two_ways(x)[0], lambda x: 3 * x),
    "the second of two": (lambda d, x: d.two_ways(x)[1], lambda x: x**2),
    "a result of integers": (lambda d, x: d.gathered(x, AT)[0], lambda x: x[AT.long()] ** 2),
    "in and out": (lambda d, x: changed(x, lambda z: d.squared_in_place(z, ONES)), lambda x: x**2),
    "in and out, and what is read": (lambda d, x: changed(ONES, lambda z: d.squared_in_place(z, x)), lambda x: x * 1),
    "added to": (lambda d, x: changed(x, lambda z: d.added(z, x * 1)), lambda x: x + x**2),
    "an output": (lambda d, x: filled(x, lambda z: d.polynomial(x, WEIGHTS, z, 2)), lambda x: 1 + x + x**2),
    "an output that is returned": (lambda d, x: d.looked_up(x, ONES, ONES, y=torch.zeros_like(x)), lambda x: x**2),
    "an output with a history": (lambda d, x: d.looked_up(x, ONES, ONES, y=x * 1), lambda x: x**2),
    "integers in and out": (lambda d, x: d.counted(x, times=AT + 1, total=AT[:1].clone()), lambda x: 2 * x),
    "an optional output": (lambda d, x: filled(x, lambda z: d.with_extra(x, torch.zeros_like(x), z)), lambda x: 3 * x),
    "without the optional output": (lambda d, x: filled(x, lambda z: d.with_extra(x, z)), lambda x: x**2),
}


@pytest.mark.parametrize("name", CALLS)
def test_such_calls_do_not_come_to_python(derivatives, x, monkeypatch, name):
    from kernix.torch import autograd

    ours, theirs = CALLS[name]
    ours(derivatives, x)  # it is found out once
    monkeypatch.delattr(autograd, "_Apply")
    monkeypatch.delattr(autograd, "recorder_of")
    monkeypatch.delattr(autograd, "backward")
    y, expected = ours(derivatives, x), theirs(x)
    torch.testing.assert_close(y, expected)
    weights = torch.tensor([0.5, -2.0], dtype=torch.float64)
    torch.testing.assert_close(torch.autograd.grad(y, x, weights), torch.autograd.grad(expected, x, weights))


def test_what_a_call_changes_is_an_output_of_its_node(derivatives, x):
    z = x * 1
    node, version = z.grad_fn, z._version
    assert derivatives.squared_in_place(z, ONES) is None
    assert z.grad_fn.name() == "squared_in_placeBackward"
    assert z.grad_fn.next_functions[0][0] is node
    assert z._version > version
    y = torch.zeros_like(x)
    assert derivatives.looked_up(x, ONES, ONES, y=y) is y
    assert y.grad_fn.name() == "looked_upBackward"
    y, positive = derivatives.gathered(x, AT)
    assert y.requires_grad
    assert not positive.requires_grad


def test_of_what_is_changed_only_what_is_read_is_copied(derivatives, x):
    z = x * 1
    derivatives.added(z, x)
    assert len(z.grad_fn.saved_tensors) == 1  # x
    z = x * 1
    derivatives.squared_in_place(z, ONES)
    saved = z.grad_fn.saved_tensors
    assert [tensor.tolist() for tensor in saved] == [x.tolist(), [1, 1]]


def test_second_derivatives(source):
    module = kernix.load(
        source(
            """
            [[kernix::bind, kernix::differentiable(2)]]
            __global__ void scale(const double *x, const double *y, double *z, [[kernix::value("x.numel()")]] int n) {
              int i = blockIdx.x * blockDim.x + threadIdx.x;
              if (i < n)
                z[i] = x[i] * x[i] * y[i];
            }
            [[kernix::bind, kernix::differentiable(2)]]
            __global__ void powers(const double *x, [[kernix::intent(out_return), kernix::shape("x")]] double *square,
                                   [[kernix::intent(out_return), kernix::shape("x")]] double *cube,
                                   [[kernix::value("x.numel()")]] int n) {
              int i = blockIdx.x * blockDim.x + threadIdx.x;
              if (i < n) {
                square[i] = x[i] * x[i];
                cube[i] = x[i] * x[i] * x[i];
              }
            }
            """
        )
    )

    def call(y, x):
        z = torch.zeros_like(x)
        module.scale(x, y, z)
        return z, *module.powers(x)

    rows = [torch.rand(3, dtype=torch.float64, requires_grad=True) for _ in range(2)]
    assert [each.grad_fn.name() for each in call(*rows)] == ["scaleBackward", "powersBackward", "powersBackward"]
    assert torch.autograd.gradcheck(call, rows, check_batched_grad=True)
    assert torch.autograd.gradgradcheck(call, rows)


def test_changes_that_python_records(derivatives, x):
    """Views, and arguments in one memory: their gradients are those of torch too."""
    z = x * 1
    derivatives.squared_in_place(z[:1], ONES[:1])
    derivatives.squared_in_place(z, z)
    (gradient,) = torch.autograd.grad(z.sum(), x)
    a, b = x.tolist()
    torch.testing.assert_close(gradient, torch.tensor([6 * a**5, 3 * b**2], dtype=torch.float64))
    both = torch.rand(4, dtype=torch.float64)
    y = both.as_strided((2,), (1,), 2)
    part = both.as_strided((2,), (1,), 1)
    kept = part.clone()
    derivatives.looked_up(x, part, ONES, y=y).sum().backward()
    torch.testing.assert_close(x.grad, 2 * x.detach() * kept)


def test_an_array_in_the_memory_of_what_is_changed(derivatives, x):
    y = torch.tensor([3.0, 4.0], dtype=torch.float64)
    derivatives.looked_up(x, y.numpy(), ONES, y=y).sum().backward()
    torch.testing.assert_close(x.grad, 2 * x.detach() * torch.tensor([3.0, 4.0], dtype=torch.float64))


def test_an_array_that_runs_backwards_through_what_is_changed(derivatives, x):
    memory = np.arange(1.0, 5.0)
    y = torch.from_numpy(memory[2:])
    derivatives.looked_up_from_the_end(y, x, memory[::-1])
    y.sum().backward()
    torch.testing.assert_close(x.grad, 2 * x.detach() * torch.tensor([3.0, 4.0], dtype=torch.float64))


def test_where_arrays_lie():
    from kernix.torch.in_place import _may_share

    tensor = torch.zeros(10)[4:6]
    array = tensor._base.numpy()
    inside = [array, array[::-1], array[5::-1], array.reshape(2, 5).T, array[5:6].reshape(())]
    outside = [array[6:], array[:4], array[:3:-1][:0], array[9:5:-1], np.zeros(10)]
    assert [_may_share(tensor, each.__array_interface__) for each in inside] == [True] * 5
    assert [_may_share(tensor, each.__array_interface__) for each in outside] == [False] * 5


def test_a_leaf_cannot_be_changed(derivatives, x):
    for _ in range(2):
        with pytest.raises(kernix.KernelValueError, match="argument 'y': .* got a leaf that requires a gradient"):
            derivatives.squared_in_place(x, ONES)
    assert x.tolist() == [1, 2]
    with torch.inference_mode():
        made = torch.ones(2, dtype=torch.float64)
    with pytest.raises(kernix.KernelValueError, match="argument 'y': .* made under torch.inference_mode"):
        derivatives.squared_in_place(made, x)


def test_several_gradients_of_which_some_arrive(derivatives, x):
    left, _ = derivatives.two_ways(x)
    node = left.grad_fn
    assert node.apply(None, None) == (None, None)
    torch.testing.assert_close(node.apply(None, ONES)[1], 2 * x.detach())
    torch.testing.assert_close(node.apply(ONES, None)[1], 3 * ONES)


def test_launch_sizes_reach_the_backward(derivatives, x, expected):
    derivatives.scaled_sine(x, 2.0, 0.0, block=64, grid=2).sum().backward()
    torch.testing.assert_close(x.grad, expected)
    y = derivatives.scaled_sine(x, 2.0, 0.0, launchBlockSize=1, grid=1)  # of two elements it computes one
    (gradient,) = torch.autograd.grad(y.sum(), x)
    torch.testing.assert_close(gradient, expected * torch.tensor([1.0, 0.0]))


def test_what_the_caller_changes_later_does_not_reach_the_backward(derivatives, x, expected):
    grid, a = [2], np.array(2.0)
    y = derivatives.scaled_sine(x, a, 0.0, block=1, grid=grid)
    grid[0], a[...] = 1, 100.0
    y.sum().backward()
    torch.testing.assert_close(x.grad, expected)


@pytest.mark.parametrize("is_transformed", [False, True])
@pytest.mark.parametrize("kind", ["number", "array", "tensor"])
def test_structs_that_the_caller_changes_later(derivatives, x, is_transformed, kind):
    slope = {"number": 2.0, "array": np.array(2.0), "tensor": torch.tensor(2.0)}[kind]
    line = {"slope": slope, "shift": 0, "offset": 1.0}
    if is_transformed:
        y, pull = torch.func.vjp(lambda x: derivatives.on_a_line(x, line), x.detach())
    else:
        y = derivatives.on_a_line(x, line)
    if kind == "number":
        line["slope"] = 100.0
    else:
        slope.fill(100.0) if kind == "array" else slope.fill_(100.0)
    (gradient,) = pull(ONES) if is_transformed else torch.autograd.grad(y, x, ONES)
    torch.testing.assert_close(gradient, 2 * ONES)


def test_arrays_beside_tensors_that_the_caller_changes_later(functions):
    x = torch.rand(3, dtype=torch.float64, requires_grad=True)
    weights = np.array([1.0, 2.0, 3.0])
    y = functions.product(x, weights)
    weights[:] = 100
    y.sum().backward()
    torch.testing.assert_close(x.grad, torch.tensor([1.0, 2.0, 3.0], dtype=torch.float64))


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


@pytest.mark.parametrize("is_view", [False, True])
def test_gradients_are_of_the_framework_of_their_tensors(derivatives, is_view):
    x = np.array([2.0, 3.0])
    w = torch.tensor([1.0, 2.0, 3.0], dtype=torch.float64, requires_grad=True)
    y = torch.zeros(4, dtype=torch.float64)[:2] if is_view else torch.zeros(2, dtype=torch.float64)
    derivatives.polynomial(x, w, y, 2)
    y.backward(ONES)
    torch.testing.assert_close(w.grad, torch.tensor([2.0, 5.0, 13.0], dtype=torch.float64))


def test_gradients_of_arrays_beside_tensors(derivatives):
    x, w = np.array([2.0, 3.0]), torch.tensor([1.0, 2.0, 3.0], dtype=torch.float64)
    of_x, of_w = derivatives.polynomial.bwd(x=x, w=w, y=(None, ONES), n=2)[:2]
    assert isinstance(of_x, np.ndarray) and isinstance(of_w, torch.Tensor)
    np.testing.assert_allclose(of_x, 2 + 6 * x)
    of_w, of_x = derivatives.polynomial.bwd(x=w[:2], w=x[[0, 0, 1]], y=(None, ONES), n=2)[1::-1]
    assert isinstance(of_x, torch.Tensor) and isinstance(of_w, np.ndarray)
    np.testing.assert_allclose(of_w, [2, 3, 5])
    of_x, of_a = derivatives.scaled_sine.bwd(x=x, a=torch.tensor(2.0), b=0.0, y=(None, np.ones(2)))[:2]
    assert isinstance(of_x, np.ndarray) and isinstance(of_a, torch.Tensor)
    assert of_a.item() == pytest.approx(np.sin(x).sum())


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
    y = sine(x)
    assert [tensor is x for tensor in y.grad_fn.saved_tensors] == [True]


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
    y = sine(x)  # torch 2.11 frees what a node has saved with its output
    node = y.grad_fn
    with pytest.raises(kernix.KernelTypeError, match="takes a gradient for each of its outputs"):
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
