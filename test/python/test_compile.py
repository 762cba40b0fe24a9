"""torch.compile, torch.export and make_fx of calls, and what is computed then is what is computed without."""

import pytest

import kernix
from conftest import SOURCES

torch = pytest.importorskip("torch")
pytest.importorskip("torch._dynamo")
pytestmark = pytest.mark.filterwarnings("ignore")  # of torch's compiler, about this machine


@pytest.fixture(scope="module")
def functions():
    return kernix.load(SOURCES / "torch_functions.cu")


@pytest.fixture(scope="module")
def sums():
    return kernix.load_cuda_inline(
        "sums",
        """
        #include <kernix/kernix.h>
        [[kernix::bind, kernix::differentiable]]
        __global__ void sum_of_squares(const double *x, [[kernix::shape("1")]] double *y,
                                       [[kernix::value("x.numel()")]] int n) {
          int i = blockIdx.x * blockDim.x + threadIdx.x;
          if (i < n)
            atomicAdd(y, x[i] * x[i]);
        }
        [[kernix::bind, kernix::differentiable]]
        __global__ void squared_in_place([[kernix::intent(inout_ptr)]] double *x, [[kernix::value("x.numel()")]] int n) {
          int i = blockIdx.x * blockDim.x + threadIdx.x;
          if (i < n)
            x[i] *= x[i];
        }
        """,
    )


@pytest.fixture(autouse=True)
def fresh():
    torch._dynamo.reset()


@pytest.fixture(params=["aot_eager", "inductor"])
def backend(request):
    return request.param


def compiled(function, backend="aot_eager", **options):
    return torch.compile(function, backend=backend, fullgraph=True, **options)


X = torch.tensor([0.5, -1.0, 2.0], dtype=torch.float64)


def gradients(function, *tensors):
    leaves = [tensor.detach().clone().requires_grad_() for tensor in tensors]
    function(*leaves).sum().backward()
    return [leaf.grad for leaf in leaves]


def test_values_and_gradients(derivatives, backend):
    def f(x, a):
        return derivatives.scaled_sine(x * 2, a, b=1.0, block=64) + x

    a = torch.tensor(1.5, dtype=torch.float64)
    torch.testing.assert_close(compiled(f, backend)(X, a), f(X, a))
    torch.testing.assert_close(gradients(compiled(f, backend), X, a), gradients(f, X, a))


def test_changes_in_place(derivatives, backend):
    def f(x):
        y = x + 1
        derivatives.squared_in_place(y, x)
        return y

    torch.testing.assert_close(compiled(f, backend)(X), f(X))
    torch.testing.assert_close(gradients(compiled(f, backend), X), gradients(f, X))
    y, z = X.clone(), X.clone()
    compiled(lambda y: derivatives.squared_in_place(y, X), backend)(y)
    derivatives.squared_in_place(z, X)
    torch.testing.assert_close(y, z)


def test_changes_of_parts_in_place(derivatives, backend):
    def f(x):
        y = torch.cat([x, x * 2, x * 3]).view(3, 3)
        derivatives.squared_in_place(y[1], x)
        derivatives.squared_in_place(y[2], x)
        return y * torch.arange(9.0, dtype=x.dtype).view(3, 3)

    torch.testing.assert_close(compiled(f, backend)(X), f(X))
    torch.testing.assert_close(gradients(compiled(f, backend), X), gradients(f, X))


def test_gradients_that_come_in_parts_and_are_changed(sums, backend):
    def f(x):
        y = x * 2
        sums.squared_in_place(y)
        return torch.cat([sums.sum_of_squares(x, grid=1), y, sums.sum_of_squares(y, grid=1), x]) * torch.arange(1.0, 9.0, dtype=x.dtype)

    torch.testing.assert_close(compiled(f, backend)(X), f(X))
    torch.testing.assert_close(gradients(compiled(f, backend), X), gradients(f, X))


def test_changes_in_place_under_vmap(sums, backend):
    def f(x):
        return torch.func.vmap(torch.func.grad(lambda x: (sums.sum_of_squares(x, grid=1) * x[:1]).sum()))(x.view(1, 3) * 2)

    torch.testing.assert_close(compiled(f, backend)(X), f(X))
    torch.testing.assert_close(f(X)[0], torch.func.grad(lambda x: (x**2).sum() * x[0])(X * 2))


def test_a_tensor_that_is_changed_and_read(derivatives, backend):
    def f(x):
        y, ones = x * 1, torch.ones_like(x)
        derivatives.squared_in_place(y, y)
        z = y * 1
        derivatives.looked_up(z, ones, ones, y=z)
        return y + z

    torch.testing.assert_close(compiled(f, backend)(X), f(X))
    torch.testing.assert_close(gradients(f, X), [3 * X**2 + 6 * X**5])
    torch.testing.assert_close(gradients(compiled(f, backend), X), gradients(f, X))


def test_outputs_that_are_given(derivatives, backend):
    def f(x, y):
        return derivatives.looked_up(x, x, x, y=y) * 2

    y = torch.zeros_like(X)
    torch.testing.assert_close(compiled(f, backend)(X, y), 2 * X**3)
    torch.testing.assert_close(y, X**3)


def test_several_results_structs_and_derivatives(derivatives):
    at = torch.tensor([0, 2], dtype=torch.int32)

    def f(x):
        y, positive = derivatives.gathered(x, at)
        z = derivatives.on_a_line(y, {"slope": 2.0, "shift": 1, "offset": 3.0})
        return z, positive, derivatives.scaled_sine_bwd(x=x, y=(None, x), a=2.0, b=0.0).x

    for found, expected in zip(compiled(f)(X), f(X), strict=True):
        torch.testing.assert_close(found, expected)


def test_arrays_in_structs(backend):
    m = kernix.load_cuda_inline(
        "arrays_in_structs",
        """
        #include <kernix/kernix.h>
        struct Inner { float gain; int repeat; };
        struct Options { Inner inner; float scale[2]; Inner last[1]; bool on; };
        [[kernix::bind, kernix::differentiable]]
        __global__ void scale(const double *x, Options o, [[kernix::shape("x")]] double *y,
                              [[kernix::value("x.numel()")]] int n) {
          int i = blockIdx.x * blockDim.x + threadIdx.x;
          if (i < n)
            y[i] = o.inner.gain * x[i] * o.scale[i % 2] + o.last[0].repeat * o.on;
        }
        """,
    )
    options = {"inner": {"gain": 0.5, "repeat": 1}, "scale": (1.0, 4.0), "last": ((0.0, 3),), "on": True}
    x = torch.tensor([1.0, 2.0], dtype=torch.float64, requires_grad=True)
    torch._dynamo.reset()
    y = torch.compile(lambda x: m.scale(x, options) * 1, backend=backend, fullgraph=True)(x)
    assert y.tolist() == [3.5, 7]
    assert torch.autograd.grad(y.sum(), x)[0].tolist() == [0.5, 2]
    assert m.scale.torch_op(x, [0.5, 1, 1.0, 4.0, 0.0, 3, True]).tolist() == [3.5, 7]


def test_sizes_stay_open(derivatives, functions, backend):
    from torch._dynamo.testing import CompileCounterWithBackend

    counter = CompileCounterWithBackend(backend)

    def f(x):
        y = functions.shaped(x, 2)
        y.zero_()
        return derivatives.scaled_sine(x.double(), 2.0, 1.0), y

    g = torch.compile(f, backend=counter, fullgraph=True, dynamic=True)
    for shape in ((4, 5), (7, 9), (11, 6)):
        x = torch.rand(shape)
        for found, expected in zip(g(x), f(x), strict=True):
            torch.testing.assert_close(found, expected)
    assert counter.frame_count == 1


def test_open_sizes_are_divided_as_in_cxx(functions):
    f = lambda x: functions.divided(x).shape  # noqa: E731
    g = compiled(f, dynamic=True)
    for n in (4, 5, 6, 7, 8, 12):
        assert g(torch.zeros(n, dtype=torch.float64)) == f(torch.zeros(n, dtype=torch.float64))


def test_sizes_that_data_decides_are_divided_as_in_cxx(functions):
    f = lambda x: functions.divided(x[x > 0]).shape  # noqa: E731
    with torch._dynamo.config.patch(capture_dynamic_output_shape_ops=True):
        assert compiled(f)(torch.ones(4, dtype=torch.float64)) == (9, 2)


def test_gradients_with_open_sizes(derivatives):
    f = lambda x: derivatives.scaled_sine(x, 2.0, 1.0)  # noqa: E731
    g = compiled(f, dynamic=True)
    for count in (3, 5, 8):
        x = torch.rand(count, dtype=torch.float64)
        torch.testing.assert_close(gradients(g, x), gradients(f, x))


def test_expanded_gradients_are_made_contiguous(derivatives, backend):
    f = lambda x: derivatives.scaled_sine(x, 2.0, 1.0).sum()  # noqa: E731
    torch.testing.assert_close(gradients(compiled(f, backend), X), [2 * torch.cos(X)])


def test_transforms_inside(derivatives):
    f = lambda x: derivatives.scaled_sine(x, 2.0, 1.0).sum()  # noqa: E731
    torch.testing.assert_close(compiled(torch.func.grad(f))(X), 2 * torch.cos(X))
    many = torch.rand(3, 4, dtype=torch.float64)
    torch.testing.assert_close(compiled(torch.func.vmap(torch.func.grad(f)))(many), 2 * torch.cos(many))


@pytest.mark.parametrize("strict", [False, True])
def test_export(source, tmp_path, strict):
    from conftest import ADD_ONE

    module = kernix.load(source(ADD_ONE), namespace=f"exported_{strict}")

    class Model(torch.nn.Module):
        def forward(self, x):
            return module.add_one(x) * 2

    sizes = ({0: torch.export.Dim("n", min=2)},)
    program = torch.export.export(Model(), (torch.rand(3),), dynamic_shapes=sizes, strict=strict)
    assert [str(node.target) for node in program.graph.nodes if "add_one" in str(node.target)] == [
        f"exported_{strict}.add_one.default"
    ]
    torch.export.save(program, tmp_path / "program.pt2")
    loaded = torch.export.load(tmp_path / "program.pt2")
    assert loaded.module()(torch.ones(5)).tolist() == [4.0] * 5


def test_make_fx(derivatives):
    from torch.fx.experimental.proxy_tensor import make_fx

    f = lambda x: derivatives.scaled_sine(x, 2.0, 1.0).sum()  # noqa: E731
    traced = make_fx(torch.func.grad(f))(X)
    names = [str(node.target) for node in traced.graph.nodes]
    assert any("scaled_sine_bwd" in name for name in names)
    torch.testing.assert_close(traced(X), 2 * torch.cos(X))


def test_jit_trace(derivatives):
    traced = torch.jit.trace(lambda x: derivatives.scaled_sine(x, 2.0, 1.0), (X,))
    torch.testing.assert_close(traced(X + 1), derivatives.scaled_sine(X + 1, 2.0, 1.0))


def test_a_number_is_refused(functions):
    with pytest.raises(Exception, match="returns a number, which is not known before it runs"):
        compiled(lambda x: functions.first_of(x) * x)(torch.ones(2))


UNTRACEABLE = """
#include <kernix/kernix.h>
struct Range { float low, high; };
[[kernix::bind]] float first(const kernix::Tensor x) { return *static_cast<const float *>(x.data_ptr()); }
[[kernix::bind]] int count(const kernix::Tensor x) { return static_cast<int>(x.numel()); }
[[kernix::bind]] bool is_long(const kernix::Tensor x) { return x.numel() > 2; }
[[kernix::bind]] void parts(const kernix::Tensor x, [[kernix::intent(out_return)]] int &n) { n = static_cast<int>(x.numel()); }
[[kernix::bind]] Range range(const kernix::Tensor x) { return {static_cast<const float *>(x.data_ptr())[0], 7}; }
"""


@pytest.fixture(scope="module")
def untraceable():
    return kernix.load_cuda_inline("untraceable", UNTRACEABLE)


CALLS = {
    "first": lambda m, x: m.first(x),
    "count": lambda m, x: m.count(x),
    "is_long": lambda m, x: 2 if m.is_long(x) else 1,
    "parts": lambda m, x: m.parts(x),
    "range": lambda m, x: m.range(x).low + m.range(x).high,
}


@pytest.mark.parametrize("name", CALLS)
def test_the_graph_breaks_at_a_result_that_is_no_tensor(untraceable, calls, name, backend):
    from torch._dynamo.testing import CompileCounterWithBackend

    def f(x):
        y = calls.twice(x) + 1
        return calls.twice(y) * CALLS[name](untraceable, y)

    counter = CompileCounterWithBackend(backend)
    g = torch.compile(f, backend=counter)
    for x in (torch.rand(3), torch.rand(3), torch.rand(5)):
        torch.testing.assert_close(g(x), f(x))
    assert counter.frame_count >= 2  # before and after
    torch._dynamo.reset()
    with pytest.raises(Exception, match=r"returns (\w+, for which schemas|.*a number, which is not known before)"):
        compiled(f)(x)


def test_the_graph_breaks_at_a_size_that_a_tensor_decides(functions):
    f = lambda x, times: functions.repeated(x + 1, times) * 2  # noqa: E731
    x, times = torch.rand(3), torch.tensor(2)
    torch.testing.assert_close(torch.compile(f, backend="aot_eager")(x, times), f(x, times))
    torch._dynamo.reset()
    with pytest.raises(Exception, match="a size depends on 'times', which is a tensor: its value is not known when"):
        compiled(f)(x, times)


def test_gradients_beside_a_result_that_is_no_tensor(untraceable, derivatives):
    def f(x):
        y = derivatives.scaled_sine(x * 2, 2.0, 1.0)
        return derivatives.scaled_sine(y, float(untraceable.count(y.detach())), 0.0)

    torch.testing.assert_close(gradients(torch.compile(f, backend="aot_eager"), X), gradients(f, X))


def test_missing_derivatives_say_so(calls):
    with pytest.raises(Exception, match=r"twice\(.*has no backward derivative; mark it"):
        gradients(compiled(lambda x: calls.twice(x)), torch.ones(2))


NAMES = ("mode", "self", "keyset", "dispatch_key", "_mutable_op", "ctx", "args", "kwargs", "op", "func")


def test_parameters_that_are_called_as_what_torch_passes_itself():
    numbers = ", ".join(f"float {name}" for name in NAMES)
    module = kernix.load_cuda_inline(
        "names",
        f"""
        #include <kernix/kernix.h>
        [[kernix::bind, kernix::differentiable]]
        __global__ void f(const float *x, float *y, {numbers}, [[kernix::value("x.numel()")]] int n) {{
          int i = blockIdx.x * blockDim.x + threadIdx.x;
          if (i < n)
            y[i] = x[i] * ({" + ".join(NAMES)});
        }}
        """,
    )

    def f(x):
        y = torch.zeros_like(x)
        module.f(x, y, **dict.fromkeys(NAMES, 2.0))
        return y

    x = torch.rand(3)
    torch.testing.assert_close(gradients(compiled(f), x), [torch.full((3,), 20.0)])
    torch.testing.assert_close(torch.func.vmap(torch.func.grad(lambda x: f(x).sum()))(x[None]), torch.full((1, 3), 20.0))
    # In the schema those that torch would mistake have an underscore.
    names = [argument.name for argument in module.f.torch_op.default._schema.arguments]
    assert names[2:6] == ["mode_", "self_", "keyset_", "dispatch_key_"]
    torch.library.opcheck(module.f.torch_op.default, (x.requires_grad_(), torch.zeros(3), *[2.0] * len(NAMES)))


def test_autocast_inside(functions, backend):
    def f(x, w):
        with torch.autocast("cpu", torch.bfloat16):
            return functions.only_float(functions.product(x, w))

    x, w = torch.rand(4), torch.rand(4)
    torch.testing.assert_close(compiled(f, backend)(x, w), f(x, w))
    found = gradients(compiled(f, backend), x, w)
    assert [gradient.dtype for gradient in found] == [torch.float32] * 2
    torch.testing.assert_close(found, gradients(f, x, w), rtol=1e-2, atol=1e-2)


def test_structs_that_are_named_tuples():
    m = kernix.load_cuda_inline(
        "compiled_structs",
        """
        #include <kernix/kernix.h>
        struct Line { double slope = 3; int shift; };
        struct Lines { Line first; double gain = 2; Line last[2]; };
        [[kernix::bind, kernix::differentiable]]
        __global__ void line(const double *x, [[kernix::shape("x")]] double *y, Line l, [[kernix::value("x.numel()")]] int n) {
          const int i = blockIdx.x * blockDim.x + threadIdx.x;
          if (i < n)
            y[i] = l.slope * (x[i] - l.shift) * x[i];
        }
        [[kernix::bind, kernix::differentiable]]
        __global__ void lines(const double *x, [[kernix::shape("x")]] double *y, Lines l, [[kernix::value("x.numel()")]] int n) {
          const int i = blockIdx.x * blockDim.x + threadIdx.x;
          if (i < n)
            y[i] = (l.first.slope + 10 * l.last[0].slope + 100 * l.last[1].shift) * l.gain * x[i] * x[i];
        }
        """,
    )
    torch._dynamo.reset()
    x = torch.tensor([1.0, 2.0], dtype=torch.float64, requires_grad=True)
    made = m.Line(3.0, 1)
    for struct in (
        lambda: m.Line(3.0, 1),
        lambda: m.Line(slope=3.0, shift=1),
        lambda: m.Line(shift=1),
        lambda: made._replace(slope=3.0),
        lambda: made,
        lambda: (3.0, 1),
    ):
        f = torch.compile(lambda x, struct=struct: m.line(x * 1, struct()) * 1, fullgraph=True, backend="aot_eager")
        y = f(x)
        assert y.tolist() == [0, 6]
        assert torch.autograd.grad(y.sum(), x)[0].tolist() == [3, 9]
    given = torch.compile(lambda x, l: m.line(x * 1, l) * 1, fullgraph=True, backend="aot_eager")
    for slope in (3.0, 5.0, 7.0):
        assert given(x, m.Line(slope, 1)).tolist() == [0, 2 * slope]
    nested = torch.compile(
        lambda x: m.lines(x, m.Lines(m.Line(1.0, 2), last=(m.Line(3.0, 4), m.Line(5.0, 6)))), fullgraph=True, backend="aot_eager"
    )
    assert nested(x).tolist() == [631 * 2, 631 * 8]
    with pytest.raises(torch._dynamo.exc.Unsupported, match="a field requires a gradient, which torch cannot record for structs"):
        given(x, m.Line(torch.tensor(3.0, requires_grad=True), 1))
