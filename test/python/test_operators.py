"""Operators of torch: schemas, names, what opcheck says, fake kernels, and every form of call."""

import re

import numpy as np
import pytest

import kernix
from conftest import ADD_ONE, SOURCES, run_python

torch = pytest.importorskip("torch")
pytestmark = pytest.mark.filterwarnings("ignore::FutureWarning", "ignore::UserWarning")


@pytest.fixture(scope="module")
def functions():
    return kernix.load(SOURCES / "torch_functions.cu")


def doubles(*values, needs=True):
    return torch.tensor(values, dtype=torch.float64, requires_grad=needs)


def schema(overload):
    text = str(overload._schema)
    return text[text.index("(") :]


LAUNCH = "SymInt[]? block=None, SymInt[]? grid=None, SymInt? shared_bytes=None"


def test_schema_has_the_names_and_defaults_of_cxx(functions):
    assert schema(functions.named.torch_op.default) == (
        "(Tensor in_, Tensor(a!) out, float lambda_=0.5, SymInt from_=2, bool is_=True, Tensor? extra=None, SymInt? n=None, "
        f"*, {LAUNCH}) -> ()"
    )


def test_a_zero_of_the_other_sign_is_not_taken_for_the_default(functions):
    x = doubles(1.0, 2.0, needs=False)
    traced = torch.fx.experimental.proxy_tensor.make_fx(lambda x: functions.with_sign_of(x, -0.0))(x)
    for f in (traced, torch.compile(lambda x: functions.with_sign_of(x, -0.0), backend="aot_eager", fullgraph=True)):
        assert f(x).tolist() == [-1, -2]
    assert functions.with_sign_of.torch_op(x).tolist() == [1, 2]


def test_arrays_that_must_not_be_written(calls):
    x, out = np.ones(3, np.float32), np.zeros(3, np.float32)
    out.flags.writeable = False
    with Watching(), pytest.raises(kernix.KernelValueError, match="argument 'out': expected a writable tensor .* read-only one"):
        calls.twice(torch.from_numpy(x), out=out)
    assert out.tolist() == [0, 0, 0]


class Watching(torch.utils._python_dispatch.TorchDispatchMode):
    def __torch_dispatch__(self, function, types, args=(), keywords=None):
        return function(*args, **(keywords or {}))


def test_schema_of_outputs_that_may_be_given(calls):
    packet = calls.twice.torch_op
    assert set(packet.overloads()) == {"default", "out_out"}
    assert schema(packet.default) == f"(Tensor x, SymInt? n=None, *, {LAUNCH}) -> Tensor"
    assert schema(packet.out_out) == f"(Tensor x, SymInt? n=None, *, Tensor(a!) out, {LAUNCH}) -> ()"


def test_schema_of_changed_arguments_structs_and_numbers(calls, derivatives, functions):
    assert schema(calls.increment.torch_op.default) == f"(Tensor(a!) x, SymInt? n=None, *, {LAUNCH}) -> ()"
    assert schema(derivatives.on_a_line.torch_op.default) == (
        f"(Tensor x, Scalar[] line, SymInt? n=None, *, {LAUNCH}) -> Tensor"
    )
    assert schema(functions.first_of.torch_op.default) == "(Tensor x) -> float"


def test_parameters_named_like_launch_sizes(calls):
    assert schema(calls.named.torch_op.default).startswith("(SymInt block, SymInt grid, *, ")
    assert calls.named.torch_op(1, 2, launchBlockSize=[32], launchGridSize=[3]).tolist() == [1, 2, 32, 3]


def test_names_carry_the_content(source, tmp_path):
    first = kernix.load(source(ADD_ONE), target="cpu")
    again = kernix.load(tmp_path / "inline.cu", target="cpu")
    assert first.add_one.torch_op.default is again.add_one.torch_op.default
    other = kernix.load(source(ADD_ONE.replace("+ 1", "+ 2")), target="cpu")
    x = torch.zeros(2)
    assert other.add_one.torch_op(x).tolist() == [2, 2]
    assert first.add_one.torch_op(x).tolist() == [1, 1]
    # Without the hash: that of the module that was loaded last.
    assert torch.ops.kernix.add_one is other.add_one.torch_op
    kernix.load(source(ADD_ONE.replace("+ 1", "+ 3")), target="cpu")
    assert torch.ops.kernix.add_one(x).tolist() == [3, 3]
    with pytest.raises(AttributeError):
        _ = torch.ops.kernix.no_such_function


def test_functions_named_like_attributes_of_a_namespace(source):
    text = ADD_ONE.replace("add_one", "name")
    module = kernix.load(source(text + ADD_ONE), target="cpu")
    x = torch.zeros(2)
    assert torch.ops.kernix.add_one(x).tolist() == [1, 1]
    assert module["name"].torch_op(x).tolist() == [1, 1]
    assert torch.ops.kernix.name == "kernix"


def test_a_namespace_is_stable(source):
    first = kernix.load(source(ADD_ONE), namespace="of_a_test")
    x = torch.zeros(2)
    kept = torch.ops.of_a_test.add_one.default
    assert kept(x).tolist() == [1, 1]
    assert first.add_one.torch_op.default is kept
    second = kernix.load(source(ADD_ONE.replace("+ 1", "+ 2")), namespace="of_a_test")
    # The name stands for the new code, also where it was kept; the old module has its own.
    assert kept(x).tolist() == torch.ops.of_a_test.add_one(x).tolist() == second.add_one(x).tolist() == [2, 2]
    assert first.add_one(x).tolist() == first.add_one.torch_op(x).tolist() == [1, 1]
    changed = ADD_ONE.replace("const float *x,", "const float *x, float by,").replace("+ 1", "+ by")
    kernix.load(source(changed), namespace="of_a_test")
    assert torch.ops.of_a_test.add_one(x, 5.0).tolist() == [5, 5]
    assert second.add_one.torch_op(x).tolist() == [2, 2]


WEIGHTED = """
    [[kernix::bind, kernix::differentiable]]
    __global__ void weighted(const float *x, const float *w, [[kernix::intent(out_return), kernix::shape("x")]] float *y,
                             [[kernix::value("x.numel()")]] int n) {
      int i = blockIdx.x * blockDim.x + threadIdx.x;
      if (i < n)
        y[i] = 3 * x[i] + w[i];
    }
"""


def test_programs_of_a_source_that_was_edited(source):
    kernix.load(source(WEIGHTED), namespace="edited", target="cpu")
    x, w = torch.tensor([2.0, 3.0], requires_grad=True), torch.tensor([5.0, 7.0], requires_grad=True)
    run = torch.compile(lambda: torch.ops.edited.weighted(x, w), backend="aot_eager", fullgraph=True)
    gradients = lambda: [each.tolist() for each in torch.autograd.grad(run().sum(), (x, w))]  # noqa: E731
    assert gradients() == [[3, 3], [1, 1]]
    before = run()
    kernix.load(source(WEIGHTED.replace("3 * x[i] + w[i]", "x[i] * x[i] * w[i]")), namespace="edited", target="cpu")
    assert run().tolist() == [20, 63]
    assert gradients() == [[20, 42], [4, 9]]
    # What was kept is not what the new derivative takes.
    with pytest.raises(kernix.KernelError, match=r"weighted_bwd\(.*\): this program was made before the source was edited"):
        before.sum().backward()


def test_programs_on_disk_are_those_of_a_build(source):
    builds = []
    for factor in ("3", "4", "4"):
        kernix.load(source(WEIGHTED.replace("3", factor)), namespace="on_disk", target="cpu")
        (mark,) = re.findall(r"kernix on_disk/\w+: (\w+)", torch.compiler.config.cache_key_tag)
        builds.append(mark)
    assert builds[0] != builds[1] == builds[2]


@pytest.mark.parametrize("value, error", [(3, TypeError), ("aten", ValueError), ("a b", ValueError), ("", ValueError)])
def test_bad_namespaces(source, value, error):
    with pytest.raises(error, match="namespace: expected a"):
        kernix.load(source(ADD_ONE), namespace=value)


def test_a_struct_cannot_be_returned(source):
    module = kernix.load(
        source("struct Pair { float a, b; };\n[[kernix::bind]] Pair pair(const kernix::Tensor x) { return {1, 2}; }")
    )
    with pytest.raises(kernix.KernelTypeError, match=r"pair\(.*\): has no torch operator: it returns Pair"):
        _ = module.pair.torch_op
    assert module.pair(torch.ones(1)).b == 2


def test_a_namespace_of_functions_that_return_structs(source):
    text = "struct Pair { float a, b; };\n[[kernix::bind]] Pair pair(const kernix::Tensor x) { return {1, 2}; }\n"
    module = kernix.load(source(ADD_ONE + text), namespace="with_structs")
    assert torch.ops.with_structs.add_one(torch.zeros(2)).tolist() == [1, 1]
    assert not hasattr(torch.ops.with_structs, "pair")
    assert module.pair(torch.ones(1)).b == 2
    with pytest.raises(kernix.KernelTypeError, match=r"pair\(.*\): has no torch operator: it returns Pair"):
        _ = module.pair.torch_op


def call_cases(calls, derivatives, functions):
    x, y = doubles(0.5, -1.0, 2.0), doubles(3.0, 4.0, 5.0, needs=False)
    a = torch.tensor(1.5, dtype=torch.float64, requires_grad=True)
    single = torch.ones(3)
    return {
        "scaled_sine": (derivatives.scaled_sine.torch_op.default, (x, 1.5, 0.5), {}),
        "a tensor for a number": (derivatives.scaled_sine.torch_op.tensor_a, (x, a, 0.5), {}),
        "launch sizes": (derivatives.scaled_sine.torch_op.default, (x, 1.5, 0.5), {"block": [64], "grid": [2, 1, 1]}),
        "in place": (derivatives.squared_in_place.torch_op.default, (y, x.detach()), {}),
        "an output": (derivatives.polynomial.torch_op.default, (x.detach(), y, torch.zeros_like(y), 3), {}),
        "an output given": (derivatives.looked_up.torch_op.out_y, (y, y, y), {"y": torch.zeros_like(y)}),
        "several": (derivatives.gathered.torch_op.default, (x, torch.tensor([0, 1, 1], dtype=torch.int32)), {}),
        "struct": (derivatives.on_a_line.torch_op.default, (x, [1.0, 2, 3.0]), {}),
        "views": (functions.row_sums.torch_op.default, (torch.rand(2, 3, dtype=torch.float64).t().requires_grad_(),), {}),
        "no tensor": (calls.geometry.torch_op.default, (), {}),
        "optional": (calls.weighted.torch_op.default, (single, None), {"factor": 2.0}),
        "second": (functions.cubed.torch_op.default, (x, 2.0), {}),
        "a derivative": (functions.cubed_bwd.torch_op.default, (x,), {"y_grad": y, "a": 2.0}),
        "vectors": (functions.lengths.torch_op.default, (torch.rand(3, 4),), {}),
        "names": (functions.named.torch_op.default, (x.detach(), torch.zeros_like(y)), {}),
    }


CASES = [
    "scaled_sine", "a tensor for a number", "launch sizes", "in place", "an output", "an output given", "several", "struct",
    "views", "no tensor", "optional", "second", "a derivative", "vectors", "names",
]  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_opcheck(calls, derivatives, functions, name):
    overload, args, keywords = call_cases(calls, derivatives, functions)[name]
    torch.library.opcheck(overload, args, keywords)


def test_gradcheck_of_operators(derivatives, functions):
    x, a = doubles(0.5, -1.0, 2.0), torch.tensor(1.5, dtype=torch.float64, requires_grad=True)
    scaled, cubed = derivatives.scaled_sine.torch_op, functions.cubed.torch_op
    assert torch.autograd.gradcheck(lambda x, a: scaled(x, a, 0.25), (x, a), check_forward_ad=True, check_batched_grad=True)
    assert torch.autograd.gradcheck(cubed, (x, a), check_forward_ad=True, check_batched_grad=True)
    assert torch.autograd.gradgradcheck(cubed, (x, a), check_fwd_over_rev=True, check_batched_grad=True)

    def in_place(y, x):
        y = y * 1
        derivatives.squared_in_place.torch_op(y, x)
        return y

    assert torch.autograd.gradcheck(in_place, (doubles(2.0, 3.0), doubles(5.0, 7.0)), check_forward_ad=True)


def test_backward_without_a_derivative_says_so(calls, derivatives):
    x = torch.ones(2, requires_grad=True)
    with pytest.raises(kernix.KernelError, match=r"twice\(.*\): has no backward derivative; mark it"):
        calls.twice.torch_op(x).sum().backward()
    y = doubles(1.0, 2.0)
    (gradient,) = torch.autograd.grad(derivatives.scaled_sine.torch_op(y, 1.0, 0.0).sum(), y, create_graph=True)
    with pytest.raises(kernix.KernelError, match=r"mark scaled_sine \[\[kernix::differentiable\(2\)\]\]"):
        gradient.sum().backward()


def test_a_change_in_place_is_noticed(calls):
    x, w = torch.ones(2, requires_grad=True), torch.ones(2)
    y = x * w
    calls.increment(w)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        y.sum().backward()


SHAPES = [(1, 1), (7, 4), (5, 2, 9), (6,)]


@pytest.mark.parametrize("shape", SHAPES)
def test_symbolic_shapes_are_those_of_the_runtime(functions, shape):
    from torch.fx.experimental.proxy_tensor import make_fx

    x = torch.rand(shape)
    traced = make_fx(lambda x: functions.shaped(x, 2), tracing_mode="symbolic")(x)
    node = next(node for node in traced.graph.nodes if "shaped" in str(node.target))
    hints = [size if isinstance(size, int) else size.node.hint for size in node.meta["val"].shape]
    assert hints == list(functions.shaped(x, 2).shape)
    if shape[0] > 1:
        assert any(not isinstance(size, int) for size in node.meta["val"].shape)


def test_shapes_of_vectors(functions):
    from torch.fx.experimental.proxy_tensor import make_fx

    x = torch.rand(3, 4)
    traced = make_fx(functions.lengths, tracing_mode="symbolic")(x)
    values = next(node for node in traced.graph.nodes if "lengths" in str(node.target)).meta["val"]
    assert [[int(size) for size in value.shape] for value in values] == [[3], [3, 2, 2]]


def test_sizes_by_values_that_are_not_known(functions):
    from torch._subclasses.fake_tensor import FakeTensorMode

    with FakeTensorMode():
        x, times = torch.rand(3), torch.tensor(2)
        assert functions.repeated(x, 2).shape == (6,)
        with pytest.raises(kernix.KernelTypeError, match="a size depends on 'times', which is a tensor: its value is not known"):
            functions.repeated(x, times)
        with pytest.raises(kernix.KernelTypeError, match="returns a number, which is not known before it runs"):
            functions.first_of(x)


def test_sizes_by_values_that_are_not_known_beside_symbolic_ones(functions):
    from torch.fx.experimental.proxy_tensor import make_fx

    message = "the shape of an output depends on 'times', which is a tensor: its value is not known when the call is traced"
    with pytest.raises(kernix.KernelTypeError, match=message):
        make_fx(functions.repeated, tracing_mode="symbolic")(torch.rand(3), torch.tensor(2))


def test_fake_kernels_check(calls):
    from torch._subclasses.fake_tensor import FakeTensorMode

    with FakeTensorMode():
        with pytest.raises(kernix.KernelTypeError, match=r"argument 'x': expected a tensor of float32, got one of float64"):
            calls.twice(torch.rand(2, dtype=torch.float64))


@pytest.fixture
def deterministic():
    torch.use_deterministic_algorithms(True)
    yield
    torch.use_deterministic_algorithms(False)


ORDERS = """
#include <kernix/kernix.h>
#define I static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x)
#define BOUND [[kernix::bind, kernix::differentiable]] __global__ void
BOUND squares(const float *x, [[kernix::intent(out_return), kernix::shape("x")]] float *y,
              [[kernix::value("x.numel()")]] int n) {
  if (I < n)
    y[I] = x[I] * x[I];
}
BOUND rows(const float *x, float *y, int n, int m) {
  int j = blockIdx.y * blockDim.y + threadIdx.y;
  if (j < n && I < m)
    y[j * m + I] = x[j * m + I] * x[j * m + I];
}
BOUND looked_up(const float *x, const int *at, [[kernix::intent(out_return), kernix::shape("at")]] float *y,
                [[kernix::value("at.numel()")]] int n) {
  if (I < n)
    y[I] = x[at[I]];
}
BOUND scaled(const float *x, [[kernix::diff]] float a, [[kernix::intent(out_return), kernix::shape("x")]] float *y,
             [[kernix::value("x.numel()")]] int n) {
  if (I < n)
    y[I] = a * x[I];
}
BOUND weighted(const float *x, const float *w, const int *at, [[kernix::diff]] float a,
               [[kernix::intent(out_return), kernix::shape("x")]] float *y, [[kernix::value("x.numel()")]] int n) {
  if (I < n)
    y[I] = a * x[I] * w[at[I]];
}
[[kernix::bind, kernix::differentiable]]
void halves(kernix::TensorView<const double> x, kernix::TensorView<double> y) {
  for (int i = 0; i < x.size(0); ++i)
    y(0) += x(i) / 2;
}
__global__ void by_hand_bwd(const float *x, float *x_grad, float *y, const float *y_grad, int n) {
  if (I < n && x_grad)
    atomicAdd(&x_grad[I], y_grad[I]);
}
[[kernix::bind, kernix::backward_derivative(by_hand_bwd)]]
__global__ void by_hand(const float *x, [[kernix::intent(out_return), kernix::shape("x")]] float *y,
                        [[kernix::value("x.numel()")]] int n) {
  if (I < n)
    y[I] = x[I];
}
"""


def test_deterministic_algorithms(calls, deterministic):
    assert calls.twice(torch.ones(2)).tolist() == [2, 2]
    with pytest.raises(kernix.KernelError, match=r"total\(.*use_deterministic_algorithms\(True\) is on.*'sum'"):
        calls.total(torch.ones(2))
    torch.use_deterministic_algorithms(True, warn_only=True)
    with pytest.warns(UserWarning, match=r"use_deterministic_algorithms\(True\) is on"):
        calls.total(torch.ones(2))


@pytest.fixture(scope="module")
def orders():
    return kernix.load_cuda_inline("orders", ORDERS)


def test_gradients_that_threads_do_not_order(orders, deterministic):
    x = torch.rand(3000, requires_grad=True)
    orders.squares(x).sum().backward()
    torch.testing.assert_close(x.grad, 2 * x.detach())
    x, y = torch.rand(5, 7, requires_grad=True), torch.zeros(5, 7)
    orders.rows(x, y, 5, 7, block=(8, 8), grid=(1, 1))
    y.sum().backward()
    torch.testing.assert_close(x.grad, 2 * x.detach())
    x, y = doubles(1.0, 2.0), torch.zeros(1, dtype=torch.float64)
    with torch.no_grad():
        torch.use_deterministic_algorithms(False)  # it adds to its output, and might do so by atomic operations
        y = y.requires_grad_() * 1
    orders.halves(x, y)
    torch.use_deterministic_algorithms(True)
    y.sum().backward()
    assert x.grad.tolist() == [0.5, 0.5]


ANY_ORDER = "deterministic sums are asked for, and sums to '[xa]_grad' in this build may be added in any order; load the source"


def test_gradients_that_threads_order(orders, deterministic):
    x, at = torch.rand(3, requires_grad=True), torch.tensor([0, 1, 1], dtype=torch.int32)
    a = torch.tensor(2.0, requires_grad=True)
    for y in (orders.looked_up(x, at), orders.scaled(x.detach(), a)):
        with pytest.raises(kernix.KernelError, match=ANY_ORDER):
            y.sum().backward(retain_graph=True)
        torch.use_deterministic_algorithms(True, warn_only=True)
        with pytest.warns(UserWarning, match="in this build may be added in any order"):
            y.sum().backward()
        torch.use_deterministic_algorithms(True)
    assert x.grad.tolist() == [1, 2, 0]
    with pytest.raises(kernix.KernelError, match="is written by hand: nothing is known of how it adds"):
        orders.by_hand(x).sum().backward()


def test_gradients_that_nobody_asks_for(orders, deterministic):
    """Those of which threads decide the order may be left away; the others have one."""
    x, w, at = torch.rand(3), torch.rand(3), torch.tensor([0, 1, 1], dtype=torch.int32)
    a = torch.tensor(2.0)

    def gradient(tensor):
        leaf = tensor.clone().requires_grad_()
        given = {name: leaf if value is tensor else value for name, value in {"x": x, "w": w, "a": a}.items()}
        orders.weighted(given["x"], given["w"], at, given["a"]).sum().backward()
        return leaf.grad

    torch.testing.assert_close(gradient(x), 2 * w[at.long()])
    for tensor, name in ((w, "w"), (a, "a")):
        with pytest.raises(kernix.KernelError, match=f"sums to '{name}_grad' in this build may be added in any order"):
            gradient(tensor)
    with pytest.raises(kernix.KernelError, match="sums to 'w_grad' in this build"):
        orders.weighted.bwd(x, w, at, a=a, y=(None, torch.ones(3)))
    found = orders.weighted.bwd(x, (w, None), at, a=(a, None), y=(None, torch.ones(3)))
    torch.testing.assert_close(found.x, 2 * w[at.long()])


def test_launches_of_which_nothing_is_known(orders, deterministic):
    y, gradient = torch.zeros(1, 4), torch.ones(1, 4)
    x = torch.rand(1, 4, requires_grad=True)
    orders.rows(x, y, -1, 4, block=4, grid=1)  # nothing is computed, and it is no error
    orders.squares.bwd(x=x.detach()[0], y=(None, gradient[0]), block=4, grid=1)
    m = -4
    with pytest.raises(kernix.KernelError, match="with these sizes threads may add to an element of a gradient in any order"):
        orders.rows.bwd(x=x.detach(), y=(None, gradient), n=1, m=m, block=4, grid=1)


def test_compiled_backward_passes_in_one_order(orders, deterministic):
    torch._dynamo.reset()
    x = torch.rand(3, requires_grad=True)
    torch.compile(orders.squares, backend="aot_eager", fullgraph=True)(x).sum().backward()
    torch.testing.assert_close(x.grad, 2 * x.detach())


def test_deterministic_builds(source, deterministic):
    text = ADD_ONE.replace("[[kernix::bind]]", "[[kernix::bind, kernix::differentiable]]").replace("x[i] + 1", "x[i] * x[i]")
    module = kernix.load(source(text), deterministic=True)
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    module.add_one(x).sum().backward()
    assert x.grad.tolist() == [2, 4]


def test_checkpointing(derivatives):
    from torch.utils.checkpoint import checkpoint

    x = doubles(0.5, -1.0, 2.0)
    y = checkpoint(lambda x: derivatives.scaled_sine(x, 2.0, 1.0), x, use_reentrant=False)
    (found,) = torch.autograd.grad(y.sum(), x)
    torch.testing.assert_close(found, 2 * torch.cos(x.detach()))


def test_modules_that_were_loaded_before_torch(source):
    code = f"""
        import kernix
        m = kernix.load({str(source(ADD_ONE))!r})
        import torch
        x = torch.zeros(2)
        assert torch.compile(lambda x: m.add_one(x) * 2, backend="aot_eager", fullgraph=True)(x).tolist() == [2, 2]
        assert m.add_one.torch_op(x).tolist() == [1, 1]
    """
    result = run_python(code)
    assert result.returncode == 0, result.stderr
