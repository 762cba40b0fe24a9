"""Calls that torch records: gradients, what is saved, several passes, second derivatives."""

import pytest

import kernix

torch = pytest.importorskip("torch")
pytestmark = pytest.mark.filterwarnings("ignore::FutureWarning")  # torch's own, when forward_ad is imported


def leaf(*values):
    return torch.tensor(values, dtype=torch.float64, requires_grad=True)


def test_gradcheck(derivatives):
    x, a = leaf(0.5, -1.0, 2.0), torch.tensor(1.5, dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(lambda x, a: derivatives.scaled_sine(x, a, 0.25), (x, a))


def test_gradcheck_in_place(derivatives):
    def f(y, x):
        y = y * 1
        derivatives.squared_in_place(y, x)
        return y

    assert torch.autograd.gradcheck(f, (leaf(2.0, 3.0), leaf(5.0, 7.0)))


def test_gradcheck_of_a_given_output(derivatives):
    def f(x, w):
        y = torch.zeros(3, dtype=torch.float64)
        assert derivatives.polynomial(x, w, y, 3) is None
        return y

    assert torch.autograd.gradcheck(f, (leaf(0.5, -1.0, 2.0), leaf(1.0, 2.0, -0.5)))


def test_an_output_that_is_a_view(derivatives):
    """Whatever stands before it: torch takes the first input for the one that is changed."""
    x, base = leaf(1.0, 2.0), torch.zeros(4, dtype=torch.float64)
    derivatives.looked_up(x, torch.ones(2, dtype=torch.float64), x.detach(), y=base[1:3])
    (base * torch.tensor([1.0, 10, 100, 1000])).sum().backward()
    assert base.tolist() == [0, 1, 4, 0]
    assert x.grad.tolist() == [20, 400]
    x, w, start = leaf(0.5, -1.0), leaf(1.0, 2.0, 3.0), leaf(7.0, 7.0, 7.0)
    base = start * 2
    derivatives.polynomial(x, w, base[1:], 2)
    base.sum().backward()
    torch.testing.assert_close(x.grad, 2 + 6 * x.detach())
    torch.testing.assert_close(w.grad, torch.tensor([2, -0.5, 1.25], dtype=torch.float64))
    assert start.grad.tolist() == [2, 0, 0]


def test_arguments_that_share_memory_with_what_is_changed(derivatives):
    start, ones = leaf(2.0, 3.0, 4.0), torch.ones(3, dtype=torch.float64)
    y = start * 1
    derivatives.squared_in_place(y, y)
    assert y.tolist() == [8, 27, 64]
    (gradient,) = torch.autograd.grad(y.sum(), start)
    torch.testing.assert_close(gradient, 3 * start.detach() ** 2)
    y = start * 1
    derivatives.looked_up(y, ones, ones, y=y)
    (gradient,) = torch.autograd.grad(y.sum(), start)
    torch.testing.assert_close(gradient, 2 * start.detach())
    y = start * 1
    derivatives.squared_in_place(y[:2], y[1:])  # as it was before the call
    assert y.tolist() == [12, 36, 4]
    (gradient,) = torch.autograd.grad(y.sum(), start)
    assert gradient.tolist() == [12, 28, 10]
    plain = torch.tensor([2.0, 3.0], dtype=torch.float64)
    x = leaf(5.0, 7.0)
    derivatives.looked_up(x, plain, x.detach(), y=plain)
    plain.sum().backward()
    assert x.grad.tolist() == [20, 42]
    x, y = leaf(1.0, 2.0), torch.zeros(2, dtype=torch.float64)
    with pytest.raises(kernix.KernelValueError, match="'y' and 'extra' are both written and share memory"):
        derivatives.with_extra(x, y, y)
    assert y.tolist() == [0, 0]
    # Columns of one matrix share none.
    matrix = torch.tensor([[1.0, 2.0], [3.0, 4.0]], dtype=torch.float64)
    x = matrix[:, :1].clone().requires_grad_()
    buffer = torch.zeros(2, 2, dtype=torch.float64)
    derivatives.products(x, buffer[:, :1])
    from kernix.torch import in_place

    rows = buffer.t()
    assert in_place.part("", {"y": rows[0], "x": rows[1]}, frozenset("y"))["x"].data_ptr() == rows[1].data_ptr()
    assert in_place.part("", {"y": rows[0], "x": buffer}, frozenset("y"))["x"].data_ptr() != buffer.data_ptr()


def test_a_cotangent_that_is_known_to_be_zero(derivatives):
    x = leaf(1.0, 2.0)
    derivatives.scaled_sine(x, 2.0, 0.0).backward(torch._efficientzerotensor(2, dtype=torch.float64))
    assert x.grad.tolist() == [0, 0]
    start, x = leaf(2.0, 3.0), leaf(5.0, 7.0)
    y = start * 1
    derivatives.squared_in_place(y, x)
    y.backward(torch._efficientzerotensor(2, dtype=torch.float64))
    assert x.grad.tolist() == [0, 0]


def test_an_output_that_may_be_given_or_allocated(derivatives):
    x, table, unused = leaf(1.0, 2.0), torch.ones(2, dtype=torch.float64), leaf(0.0, 0.0)
    y = torch.zeros(2, dtype=torch.float64)
    assert derivatives.looked_up(x, table, unused, y=y) is y
    y.sum().backward()
    assert x.grad.tolist() == [2, 4]
    assert unused.grad.tolist() == [0, 0]
    derivatives.looked_up(x, table, unused).sum().backward()
    assert x.grad.tolist() == [4, 8]


def test_no_diff_tensor_gets_none(derivatives):
    x, table = leaf(1.0, 2.0), leaf(1.0, 1.0)
    derivatives.looked_up(x, table, x.detach()).sum().backward()
    assert table.grad is None


def test_several_outputs(derivatives):
    x, at = leaf(3.0, -4.0), torch.tensor([0, 1, 1], dtype=torch.int32)
    y, positive = derivatives.gathered(x, at)
    assert y.requires_grad
    assert not positive.requires_grad
    y.sum().backward()
    assert x.grad.tolist() == [6, -16]


def test_views_with_any_strides(derivatives):
    def f(x):
        y = torch.zeros(3, 2, dtype=torch.float64)
        derivatives.products(x.t(), y)
        return y.t()

    assert torch.autograd.gradcheck(f, torch.rand(2, 3, dtype=torch.float64, requires_grad=True))


def test_partial_needs(derivatives):
    x, w = leaf(0.5, -1.0), torch.ones(3, dtype=torch.float64, requires_grad=True)
    y = torch.zeros(2, dtype=torch.float64)
    derivatives.polynomial(x, w, y, 2)
    (gradient,) = torch.autograd.grad(y.sum(), w)
    torch.testing.assert_close(gradient, torch.tensor([2, -0.5, 1.25], dtype=torch.float64))
    assert x.grad is None


@pytest.mark.parametrize("kind", ["expanded", "transposed", "sliced"])
def test_cotangents_of_any_layout(derivatives, kind):
    x = torch.rand(4, 3, dtype=torch.float64, requires_grad=True)
    y = derivatives.scaled_sine(x, 2.0, 0.0)
    given = {
        "expanded": torch.ones(1, 1, dtype=torch.float64).expand(4, 3),
        "transposed": torch.rand(3, 4, dtype=torch.float64).t(),
        "sliced": torch.rand(8, 3, dtype=torch.float64)[::2],
    }[kind]
    y.backward(given)
    torch.testing.assert_close(x.grad, 2 * torch.cos(x.detach()) * given)


def test_expanded_cotangent_of_an_in_place_call(derivatives):
    start, x = leaf(2.0, 3.0), leaf(5.0, 7.0)
    y = start * 1
    derivatives.squared_in_place(y, x)
    y.sum().backward()
    assert start.grad.tolist() == [20, 42]
    assert x.grad.tolist() == [4, 9]


def test_several_backward_passes(derivatives):
    x = leaf(1.0, 2.0)
    y = derivatives.scaled_sine(x, 2.0, 0.0).sum()
    y.backward(retain_graph=True)
    y.backward()
    torch.testing.assert_close(x.grad, 4 * torch.cos(x.detach()))
    with pytest.raises(RuntimeError, match="second time"):
        y.backward()


def test_views_beside_other_outputs(derivatives):
    """Parts of one tensor, of which torch cannot be told that the function has changed them: it copies to them itself."""
    x, base = leaf(1.0, 2.0), leaf(*range(5)) * 1
    derivatives.with_extra(x, base[:2], base[2:4])
    assert base.tolist() == [1, 4, 3, 6, 4]
    gradient = torch.tensor([1.0, 2.0, 10.0, 20.0, 1.0], dtype=torch.float64)
    base.backward(gradient)
    assert x.grad.tolist() == [2 * 1 + 30, 2 * 2 * 2 + 60]
    rows = torch.zeros(2, 2, dtype=torch.float64)
    derivatives.with_extra(leaf(1.0, 2.0), rows[:, 0].contiguous(), rows[1])
    assert rows.tolist() == [[0, 0], [3, 6]]


def unchangeable_tensors():
    base, custom = leaf(1.0, 2.0, 3.0, 4.0), torch.zeros(2, dtype=torch.float64)
    with torch.no_grad():
        of_no_grad = custom[:2]
    with torch.inference_mode():
        of_inference, view_of_inference = torch.zeros(2, dtype=torch.float64), custom[:2]
    return [
        (leaf(3.0, 3.0), "a leaf that requires a gradient; pass tensor.detach"),
        (base[:3][1:], "a view of a leaf that requires a gradient; pass tensor.detach"),
        ((base * 1).split(2)[0], "one of several views that a function returned"),
        (custom.view(2, 1).unbind(1)[0], "one of several views"),
        (of_no_grad, r"a view that was made under torch.no_grad\(\)"),
        (of_inference, r"one that was made under torch.inference_mode\(\)"),
        (view_of_inference, r"a view that was made under torch.inference_mode\(\)"),
    ]


@pytest.mark.parametrize("index", range(7))
def test_a_tensor_that_torch_lets_nobody_change(derivatives, index):
    y, message = unchangeable_tensors()[index]
    y.data.fill_(3.0)
    with pytest.raises(
        kernix.KernelValueError, match="argument 'y': expected a tensor that a recorded call may change, got " + message
    ):
        derivatives.squared_in_place(y, leaf(5.0, 6.0))
    assert y.tolist() == [3.0, 3.0]
    with torch.no_grad():
        derivatives.squared_in_place(y, leaf(5.0, 6.0))
    assert y.tolist() == [45.0, 54.0]


def test_a_saved_tensor_changed_in_place(derivatives):
    start = leaf(1.0, 2.0)
    x = start * 1
    y = derivatives.scaled_sine(x, 2.0, 0.0)
    with torch.no_grad():
        x.add_(1)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        y.sum().backward()


def test_a_changed_index_is_noticed_too(derivatives):
    x, at = leaf(3.0, -4.0), torch.tensor([0, 1], dtype=torch.int32)
    y, _ = derivatives.gathered(x, at)
    at.zero_()
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        y.sum().backward()


def test_outputs_are_not_saved(derivatives):
    saved = []

    def pack(tensor):
        saved.append(tensor)
        return tensor

    x = leaf(1.0, 2.0)
    with torch.autograd.graph.saved_tensors_hooks(pack, lambda tensor: tensor):
        y = derivatives.scaled_sine(x, 2.0, 0.0)
    assert [tensor.data_ptr() for tensor in saved] == [x.data_ptr()]
    y.sum().backward()


def saved_by(call):
    """Addresses of the tensors that a call keeps, and its result."""
    saved = []

    def pack(tensor):
        saved.append(tensor.data_ptr())
        return tensor

    with torch.autograd.graph.saved_tensors_hooks(pack, lambda tensor: tensor):
        result = call()
    return saved, result


def test_inputs_that_the_backward_does_not_read_are_not_saved(derivatives):
    x, table, unused = leaf(1.0, 2.0), torch.tensor([3.0, 4.0], dtype=torch.float64), leaf(5.0, 6.0)
    saved, y = saved_by(lambda: derivatives.looked_up(x, table, unused))
    assert sorted(saved) == sorted([x.data_ptr(), table.data_ptr()])
    with torch.no_grad():
        unused.add_(1)  # nobody minds
    y.sum().backward()
    assert x.grad.tolist() == [6, 16]
    assert unused.grad.tolist() == [0, 0]


def test_a_linear_function_saves_nothing(derivatives):
    x, at = leaf(1.0, 2.0, 3.0), torch.tensor([2, 0], dtype=torch.int32)
    saved, y = saved_by(lambda: derivatives.linear(x, at))
    assert saved == [at.data_ptr()]
    y.backward(torch.tensor([10.0, 100.0], dtype=torch.float64))
    assert x.grad.tolist() == [300, 0, 30]


def test_no_copy_of_what_is_only_added_to(derivatives):
    y, x = leaf(1.0, 2.0), leaf(3.0, 4.0)
    z = y * 1
    saved, _ = saved_by(lambda: derivatives.added(z, x))
    assert saved == [x.data_ptr()]
    z.sum().backward()
    assert y.grad.tolist() == [1, 1]
    assert x.grad.tolist() == [6, 8]


def test_an_output_of_which_no_gradient_arrives(derivatives):
    x = leaf(1.0, 2.0)
    left, right = derivatives.two_ways(x)
    (gradient,) = torch.autograd.grad(right.sum(), x, retain_graph=True)
    assert gradient.tolist() == [2, 4]
    (gradient,) = torch.autograd.grad(left.sum(), x)
    assert gradient.tolist() == [3, 3]


def test_an_optional_output_that_is_given(derivatives):
    x = leaf(1.0, 2.0)
    y, extra = torch.zeros(2, dtype=torch.float64), torch.zeros(2, dtype=torch.float64)
    derivatives.with_extra(x, y, extra)
    (y.sum() + 10 * extra.sum()).backward()
    assert x.grad.tolist() == [32, 34]
    x.grad = None
    y = torch.zeros(2, dtype=torch.float64)
    derivatives.with_extra(x, y)
    y.sum().backward()
    assert x.grad.tolist() == [2, 4]


def test_a_cotangent_that_is_a_negative_view(derivatives):
    x = leaf(1.0, 2.0)
    y = derivatives.scaled_sine(x, 2.0, 0.0)
    y.backward(torch._neg_view(torch.ones(2, dtype=torch.float64)))
    torch.testing.assert_close(x.grad, -2 * torch.cos(x.detach()))


def test_a_number_is_no_tensor_to_record(derivatives):
    with pytest.raises(kernix.KernelError, match=r"half_of\(.*returns a number.*write it to a tensor"):
        derivatives.half_of(torch.tensor(3.0, dtype=torch.float64, requires_grad=True))
    with torch.no_grad():
        assert derivatives.half_of(torch.tensor(3.0, dtype=torch.float64, requires_grad=True)) == 1.5


def test_a_number_without_a_derivative_is_refused_too():
    m = kernix.load_cuda_inline(
        "numbers",
        """
        #include <kernix/kernix.h>
        [[kernix::bind]] double sum(const kernix::TensorView<double> x) { return x(0) + x(1); }
        [[kernix::bind]] int count(const kernix::TensorView<double> x) { return static_cast<int>(x.numel()); }
        [[kernix::bind]] void parts(const kernix::TensorView<double> x, [[kernix::intent(out_return)]] double &first) {
          first = x(0);
        }
        """,
    )
    x = leaf(1.0, 2.0)
    for function in (m.sum, m.parts):
        with pytest.raises(kernix.KernelError, match=r"returns a number, .* and 'x' requires a gradient"):
            function(x)
        with torch.no_grad():
            function(x)
        function(x.detach())
    assert m.count(x) == 2


# -- forward mode ---------------------------------------------------------------------------------------------------


def test_tangents(derivatives):
    forward_ad = torch.autograd.forward_ad
    x, a = torch.tensor([1.0, 2.0], dtype=torch.float64), torch.tensor(3.0, dtype=torch.float64)
    dx, da = torch.tensor([0.5, -1.0], dtype=torch.float64), torch.tensor(2.0, dtype=torch.float64)
    with forward_ad.dual_level():
        y = derivatives.scaled_sine(forward_ad.make_dual(x, dx), forward_ad.make_dual(a, da), 0.0)
        value, tangent = forward_ad.unpack_dual(y)
        torch.testing.assert_close(value, 3 * torch.sin(x))
        torch.testing.assert_close(tangent, 3 * torch.cos(x) * dx + 2 * torch.sin(x))
        assert forward_ad.unpack_dual(derivatives.scaled_sine(x, 3.0, 0.0)).tangent is None


def test_gradcheck_with_forward_mode(derivatives):
    x = leaf(0.5, -1.0, 2.0)
    assert torch.autograd.gradcheck(lambda x: derivatives.scaled_sine(x, 1.5, 0.25), (x,), check_forward_ad=True)
    at = torch.tensor([0, 1, 1], dtype=torch.int32)
    assert torch.autograd.gradcheck(lambda x: derivatives.gathered(x, at)[0], (x,), check_forward_ad=True)


def test_tangents_of_what_is_changed(derivatives):
    forward_ad = torch.autograd.forward_ad
    x, y = torch.full((2,), 3.0, dtype=torch.float64), torch.full((2,), 2.0, dtype=torch.float64)
    with forward_ad.dual_level():
        dual = forward_ad.make_dual(y, torch.ones_like(y))
        derivatives.squared_in_place(dual, forward_ad.make_dual(x, 10 * torch.ones_like(x)))
        value, tangent = forward_ad.unpack_dual(dual)
        assert value.tolist() == [12, 12]
        assert tangent.tolist() == [52, 52]  # 2 y x dy + y^2 dx
        with pytest.raises(kernix.KernelTypeError, match=r"no forward derivative; mark it \[\[kernix::diff"):
            derivatives.plain(forward_ad.make_dual(x, x))



@pytest.mark.parametrize("is_compiled", [False, True])
def test_integers_that_are_changed(derivatives, is_compiled):
    def f(x, times, total):
        return derivatives.counted(x, times=times, total=total)

    x, times, total = leaf(1.0, 2.0), torch.tensor([3, 5], dtype=torch.int32), torch.zeros(1, dtype=torch.int32)
    y = (torch.compile(f, backend="aot_eager", fullgraph=True) if is_compiled else f)(x, times, total)
    times.zero_()
    y.sum().backward()
    assert y.tolist() == [3, 10]
    assert x.grad.tolist() == [3, 5]  # as they were before the call
    assert total.item() == 2


def test_the_same_tensor_twice(derivatives):
    x = leaf(1.0, 2.0)
    derivatives.looked_up(x, torch.ones(2, dtype=torch.float64), x).sum().backward()
    assert x.grad.tolist() == [2, 4]


def test_scalars(derivatives):
    x = torch.ones(2)
    a = torch.tensor(2.0, requires_grad=True, dtype=torch.float64)
    y = derivatives.scaled_sine(x, a, 0.0)
    assert y.dtype == torch.float32
    y.sum().backward()
    assert a.grad.dtype == torch.float64
    assert a.grad.shape == ()
    assert not derivatives.scaled_sine(x, 2.0, 0.0).requires_grad


def test_scalar_without_diff_that_requires_a_gradient(derivatives):
    b = torch.tensor(2.0, requires_grad=True)
    with pytest.raises(TypeError, match=r"argument 'b' requires a gradient.*\[\[kernix::diff\]\]"):
        derivatives.scaled_sine(torch.ones(2), 1.0, b)


def test_struct_field_that_requires_a_gradient(derivatives):
    line = {"slope": torch.tensor(2.0, requires_grad=True), "shift": 1, "offset": 3.0}
    with pytest.raises(TypeError, match=r"argument 'line': a field requires a gradient"):
        derivatives.on_a_line(torch.ones(2, dtype=torch.float64), line)


IN_FIELDS = """
#include <kernix/kernix.h>
struct Inner { float gain; int repeat; };
struct Options { Inner inner; float scale[2]; };
[[kernix::bind, kernix::differentiable]]
__global__ void scale(const double *x, [[kernix::diff]] Options o, [[kernix::shape("x")]] double *y,
                      [[kernix::value("x.numel()")]] int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    y[i] = o.inner.gain * x[i] * o.scale[i % 2];
}
[[kernix::bind, kernix::differentiable]]
__global__ void through_view(const kernix::DiffTensorViewAA<double> x, [[kernix::shape("x")]] double *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < x.size(0))
    y[i] = x[i] * x[i];
}
"""


@pytest.fixture(scope="module")
def in_fields():
    return kernix.load_cuda_inline("gradients_in_fields", IN_FIELDS)


@pytest.mark.parametrize(
    "place",
    [
        lambda t: {"inner": {"gain": t, "repeat": 1}, "scale": (1, 2)},
        lambda t: {"inner": (1, 1), "scale": (1, t)},
        lambda t: ((t, 1), (1, 2)),
        lambda t: {"inner": (1, 1), "scale": torch.stack([t, t])},
    ],
    ids=["struct in a struct", "array", "tuples", "tensor"],
)
def test_gradients_and_tangents_in_inner_fields(in_fields, place):
    x, t = torch.ones(2, dtype=torch.float64), torch.tensor(2.0, requires_grad=True)
    for given in (x, x.clone().requires_grad_()):
        with pytest.raises(TypeError, match=r"argument 'o': a field requires a gradient, which torch cannot record"):
            in_fields.scale(given, place(t))
    with torch.no_grad():
        assert in_fields.scale(x, place(t)).shape == (2,)
    with torch.autograd.forward_ad.dual_level():
        dual = torch.autograd.forward_ad.make_dual(t.detach(), torch.tensor(1.0))
        with pytest.raises(TypeError, match=r"argument 'o': a field has a tangent"):
            in_fields.scale(x, place(dual))


def test_second_derivatives_of_views_are_not_advised(in_fields):
    x = leaf(1.0, 2.0)
    (gradient,) = torch.autograd.grad(in_fields.through_view(x).sum(), x, create_graph=True)
    with pytest.raises(kernix.KernelError, match=r"no second derivatives through views .*: use kernix::TensorView<T>"):
        gradient.sum().backward()


def test_second_derivative_that_was_not_made(derivatives):
    x = leaf(1.0, 2.0)
    (gradient,) = torch.autograd.grad(derivatives.scaled_sine(x, 2.0, 0.0).sum(), x, create_graph=True)
    torch.testing.assert_close(gradient.detach(), 2 * torch.cos(x.detach()))
    with pytest.raises(kernix.KernelError, match=r"mark scaled_sine \[\[kernix::differentiable\(2\)\]\]"):
        gradient.sum().backward()


def test_second_derivative_in_place(derivatives):
    start, x = leaf(2.0, 3.0), leaf(5.0, 7.0)
    y = start * 1
    derivatives.squared_in_place(y, x)
    (gradient,) = torch.autograd.grad(y.sum(), x, create_graph=True)
    with pytest.raises(kernix.KernelError, match=r"mark squared_in_place \[\[kernix::differentiable\(2\)\]\]"):
        gradient.sum().backward()


@pytest.mark.parametrize(
    ("name", "advice"), [("plain", "mark it"), ("only_forward", r"write \[\[kernix::differentiable\]\] without arguments")]
)
def test_no_backward(derivatives, name, advice):
    y = derivatives[name](leaf(1.0, 2.0))
    with pytest.raises(kernix.KernelError, match=rf"{name}\(.*has no backward derivative; {advice}"):
        y.sum().backward()


def test_keywords_and_launch_sizes(derivatives):
    x, w, y = leaf(0.5, -1.0), torch.ones(3, dtype=torch.float64), torch.zeros(2, dtype=torch.float64)
    derivatives.polynomial(w=w, x=x, n=2, y=y, block=32, grid=1)
    y.sum().backward()
    torch.testing.assert_close(x.grad, 1 + 2 * x.detach())


def test_training_a_little(derivatives):
    # Fits a polynomial: the whole way from loss to step.
    torch.manual_seed(0)
    x = torch.linspace(-1, 1, 200)
    target = 0.5 - 2 * x + 3 * x * x
    w = torch.zeros(3, requires_grad=True)
    optimizer = torch.optim.Adam([w], lr=0.1)
    for _ in range(300):
        optimizer.zero_grad()
        y = torch.zeros(200)
        derivatives.polynomial(x, w, y, 200)
        (y - target).square().mean().backward()
        optimizer.step()
    torch.testing.assert_close(w.detach(), torch.tensor([0.5, -2.0, 3.0]), atol=1e-2, rtol=0)


def test_a_number_that_is_changed(source):
    text = "[[kernix::bind, kernix::differentiable]] void step(double a, [[kernix::intent(inout_ptr)]] double &r) { r *= r * a; }"
    m = kernix.load(source(text), target="cpu")
    for shape in ((), (1,)):
        r = torch.full(shape, 3.0, dtype=torch.float64, requires_grad=True)
        for _ in range(2):
            changed = r * 1
            m.step(2.0, changed)
            assert changed.item() == 18
            (gradient,) = torch.autograd.grad(changed.sum(), r, retain_graph=True)
            assert gradient.item() == 12 and gradient.shape == shape
            with pytest.raises(kernix.KernelTypeError, match="argument 'r': a number that the call changes, of whose gradient"):
                torch.autograd.grad(changed.sum(), r, create_graph=True)


FOUR_NUMBERS = """
    __device__ float4 mixed(float4 v) { return make_float4(v.x * v.x, v.y * v.z, v.w, v.z * v.z); }
    [[kernix::bind, kernix::differentiable]]
    __global__ void raw(const float4 *x, [[kernix::shape("x")]] float4 *y, [[kernix::value("x.size(0)")]] int n) {
      int i = blockIdx.x * blockDim.x + threadIdx.x;
      if (i < n)
        y[i] = mixed(x[i]);
    }
    [[kernix::bind, kernix::differentiable]]
    __global__ void view(kernix::TensorView<const float4> x, [[kernix::shape("x")]] kernix::TensorView<float4> y) {
      int i = blockIdx.x * blockDim.x + threadIdx.x;
      if (i < x.size(0))
        y[i] = mixed(x[i]);
    }
    [[kernix::bind, kernix::differentiable]]
    __global__ void carried(const kernix::DiffTensorViewAA<float4> x,
                            [[kernix::shape("x")]] kernix::DiffTensorViewAA<float4> y) {
      int i = blockIdx.x * blockDim.x + threadIdx.x;
      if (i < x.size(0))
        y[i] = mixed(x[i]);
    }
    // After a variant that reads numbers in any layout.
    [[kernix::bind("second"), kernix::differentiable]]
    __global__ void of_numbers(kernix::TensorView<const double> x, [[kernix::shape("x")]] kernix::TensorView<double> y) {
      int i = blockIdx.x * blockDim.x + threadIdx.x;
      if (i < x.size(0))
        y[i] = x[i] * x[i];
    }
    [[kernix::bind("second"), kernix::differentiable]]
    __global__ void of_vectors(kernix::TensorView<const float4> x, [[kernix::shape("x")]] kernix::TensorView<float4> y) {
      int i = blockIdx.x * blockDim.x + threadIdx.x;
      if (i < x.size(0))
        y[i] = mixed(x[i]);
    }
"""


@pytest.mark.parametrize("name", ["raw", "view", "carried", "second"])
def test_gradients_of_vectors_in_any_layout(source, name):
    """torch's gradients are expanded, transposed, or parts of larger ones: no vectors for the kernel, until copied."""
    function = kernix.load(source(FOUR_NUMBERS), target="cpu")[name]

    def reference(x):
        return torch.stack([x[:, 0] ** 2, x[:, 1] * x[:, 2], x[:, 3], x[:, 2] ** 2], 1)

    three, x = torch.arange(3.0), torch.linspace(-1, 1, 24).view(6, 4)
    losses = [
        lambda f, x: f(x).sum(),
        lambda f, x: (f(x).mean(0) * torch.arange(4.0)).sum(),
        lambda f, x: (f(x).T @ torch.arange(12.0).view(6, 2)).sum(),
        lambda f, x: (torch.cat([three, f(x).flatten()]) * torch.arange(27.0)).sum(),
        lambda f, x: (torch.cat([three.expand(6, 3), f(x)], 1) * torch.arange(42.0).view(6, 7)).sum(),
    ]
    for loss in losses:
        (expected,) = torch.autograd.grad(loss(reference, leaf := x.clone().requires_grad_()), leaf)
        (gradient,) = torch.autograd.grad(loss(function, leaf := x.clone().requires_grad_()), leaf)
        torch.testing.assert_close(gradient, expected)
        torch.testing.assert_close(torch.func.grad(lambda x, loss=loss: loss(function, x))(x), expected)
    for tangent in (torch.ones(1, 1).expand(6, 4), torch.arange(24.0).view(4, 6).T, torch.arange(27.0)[3:].view(6, 4)):
        _, expected = torch.func.jvp(reference, (x,), (tangent,))
        torch.testing.assert_close(torch.func.jvp(function, (x,), (tangent,))[1], expected)
        with torch.autograd.forward_ad.dual_level():
            dual = torch.autograd.forward_ad.make_dual(x, tangent)
            torch.testing.assert_close(torch.autograd.forward_ad.unpack_dual(function(dual)).tangent, expected)


@pytest.fixture(scope="module")
def unlike():
    return kernix.load_cuda_inline(
        "unlike",
        """
        #include <kernix/kernix.h>
        [[kernix::bind("squares"), kernix::differentiable]]
        __global__ void written(const float *x, float *y, [[kernix::value("x.numel()")]] int n) {
          for (int i = threadIdx.x; i < n; i += blockDim.x)
            y[i] = x[i] * x[i];
        }
        [[kernix::bind("squares"), kernix::differentiable]]
        __global__ void added(const double *x, double *y, [[kernix::value("x.numel()")]] int n) {
          for (int i = threadIdx.x; i < n; i += blockDim.x)
            y[i] += x[i] * x[i];
        }
        [[kernix::bind("takes"), kernix::differentiable]]
        __global__ void reads(const float *x, const float *y, float *z) { z[0] = x[0] * y[0]; }
        [[kernix::bind("takes"), kernix::differentiable]]
        __global__ void writes(const double *x, double *y, double *z) { y[0] = x[0], z[0] = x[0]; }
        [[kernix::bind("times"), kernix::differentiable]]
        __global__ void by_number(const float *x, [[kernix::shape("x")]] float *y, float t,
                                  [[kernix::value("x.numel()")]] int n) {
          for (int i = threadIdx.x; i < n; i += blockDim.x)
            y[i] = x[i] * t;
        }
        [[kernix::bind("times"), kernix::differentiable]]
        __global__ void by_integer(const float *x, [[kernix::shape("x")]] float *y, int t,
                                   [[kernix::value("x.numel()")]] int n) {
          for (int i = threadIdx.x; i < n; i += blockDim.x)
            y[i] = x[i] * 100 * t;
        }
        template <class T>
        [[kernix::bind("plus"), kernix::differentiable, kernix::instantiate("float", "double")]]
        __global__ void plus(const T *x, [[kernix::shape("x")]] T *y, T t = sizeof(T) == 4 ? T(2) : T(3),
                             [[kernix::value("x.numel()")]] int n = 0) {
          for (int i = threadIdx.x; i < n; i += blockDim.x)
            y[i] = x[i] + t;
        }
        """,
    )


def test_variants_that_do_not_do_the_same(unlike):
    """What is recorded is that of the first."""

    def f(x, y):
        z = y * 1
        unlike.squares(x, z, block=4, grid=1)
        return z

    for _ in range(2):
        x, y = (torch.tensor([2.0, 3.0], requires_grad=True) for _ in range(2))
        f(x, y).sum().backward()
        assert x.grad.tolist() == [4, 6]
        assert y.grad is None
        message = r"torch cannot record this call, since 'y' is written in .*float \*y, .* and read and written in .*double \*y"
        with pytest.raises(kernix.KernelTypeError, match=message):
            f(x.detach().double().requires_grad_(), y.detach().double())
    assert f(x.detach().double(), y.detach().double()).tolist() == [6, 12]
    with pytest.raises(Exception, match="squares_bwd|written_bwd.* has no torch operator: .*; bind them under names"):
        torch.compile(f, backend="aot_eager", fullgraph=True)(x, y)


def test_transforms_of_variants_that_do_not_do_the_same(unlike):
    def f(x, y):
        z = y * 1
        unlike.squares(x, z, block=4, grid=1)
        return z.sum()

    x, y = torch.tensor([2.0, 3.0]), torch.tensor([1.0, 1.0])
    gradients = torch.func.grad(f, (0, 1))
    assert [each.tolist() for each in gradients(x, y)] == [[4, 6], [0, 0]]
    a, b = x.double(), y.double()
    message = r"torch cannot record this call, since 'y' is written in .* and read and written in "
    for transform in (
        gradients,
        torch.func.vmap(gradients),
        lambda x, y: torch.func.grad(lambda x, y: torch.func.vmap(f)(x, y).sum())(x, y),
        lambda x, y: torch.func.jvp(lambda y: f(x, y), (y,), (y,)),
    ):
        with pytest.raises(kernix.KernelTypeError, match=message):
            transform(*((a, b) if transform is gradients else (a[None], b[None])))
    # Where no derivative is followed, nothing of the first is taken for the other.
    assert torch.func.vmap(f)(torch.stack([a, b]), torch.stack([b, a])).tolist() == [15, 7]
    assert torch.func.grad(lambda z: z.sum() + f(a, b))(a).tolist() == [1, 1]


def test_a_batch_of_variants_that_change_other_tensors(unlike):
    def f(x, y):
        y, z = y * 1, y * 1
        unlike.takes(x, y, z, block=1, grid=1)
        return y

    x, y = torch.tensor([[2.0], [3.0]]), torch.tensor([[4.0], [5.0]])
    assert torch.func.vmap(f)(x, y).tolist() == y.tolist()
    assert f(x[0].double(), y[0].double()).tolist() == [2]
    with pytest.raises(kernix.KernelTypeError, match=r"'y' is read in reads\(.* and written in writes\("):
        torch.func.vmap(f)(x.double(), y.double())


def test_a_batch_of_variants_of_any_dtype(tmp_path):
    """kernix::Tensor takes what the first does not."""
    path = tmp_path / "unlike_of_any_dtype.cu"
    path.write_text(
        """
        #include <kernix/kernix.h>
        [[kernix::bind("t")]] void writes(kernix::TensorView<const float> x, kernix::TensorView<float> y) { y(0) = 2 * x(0); }
        [[kernix::bind("t")]] void changes([[kernix::intent(inout_ptr)]] kernix::Tensor x, const kernix::Tensor y) {
          x.data_ptr<double>()[0] += y.data_ptr<const double>()[0];
        }
        """
    )
    m = kernix.load(path, target="cpu")

    def f(x, y):
        x, y = x * 1, y * 1
        m.t(x, y)
        return x, y

    x, y = torch.tensor([[2.0], [3.0]]), torch.tensor([[4.0], [5.0]])
    assert [each.tolist() for each in f(x[0].double(), y[0].double())] == [[6], [4]]
    with pytest.raises(kernix.KernelTypeError, match=r"torch cannot record this call, since .* in changes\(kernix::Tensor x, "):
        torch.func.vmap(f)(x.double(), y.double())


def test_variants_that_an_operator_cannot_tell_apart(unlike):
    x = torch.ones(2)
    f = lambda x: unlike.times(x, 2, block=4, grid=1)  # noqa: E731
    assert f(x).tolist() == [200, 200]
    assert torch.compile(f, backend="aot_eager")(x).tolist() == [200, 200]  # beside the graph
    torch._dynamo.reset()
    with pytest.raises(Exception, match=r"has no torch operator: 't' is float in its schema where 't' SymInt is in that of "):
        torch.compile(f, backend="aot_eager", fullgraph=True)(x)


def test_defaults_of_variants(unlike):
    f = lambda x, *t: unlike.plus(x, *t, block=4, grid=1)  # noqa: E731
    for g in (f, torch.compile(f, backend="aot_eager", fullgraph=True)):
        for dtype, expected in ((torch.float32, 2), (torch.float64, 3)):
            x = torch.zeros(2, dtype=dtype)
            assert g(x).tolist() == [expected, expected]
            assert g(x, 2.0).tolist() == [2, 2]
            assert g(x, 3.0).tolist() == [3, 3]
