"""What is marked no_diff is computed as ever and constant for the derivative, wherever the mark stands."""

import textwrap
from pathlib import Path

import numpy as np
import pytest
from conftest import SOURCES

import kernix

X = np.array([2.0, 3.0])


@pytest.fixture(scope="module")
def module() -> kernix.Module:
    return kernix.load(SOURCES / "no_diff.cu", target="cpu")


@pytest.mark.parametrize(
    ("name", "value", "gradient"),
    [
        ("by_value", X * X, X),
        ("by_const_reference", X * X, X),
        ("by_reference", X**3, X * X),
        ("elsewhere", X**3 + X * X, X * X + 2 * X),
        ("by_pointer", (X + X * X + 1) * X + X * X, (X + X * X + 1) + 2 * X),
        ("by_struct", X * X + X, X),
        ("by_large_struct", (3 * X + 5) * X, 3 * X + 5),
        ("by_struct_of_pointers", X * X, X),
        ("by_lambda", X * X, X),
        ("by_assigned_value", X**3, X * X),
        ("by_simplified_calls", X**3 + 3 * X * X, X * X + 3 * X),
        ("by_shuffle", 2 * X * X[::-1], 2 * X[::-1]),
        ("by_other_shuffles", 6 * X * X[::-1] + 10 * X, 6 * X[::-1] + 10),
        ("by_rules", 2 * X**3, 2 * X * X),
        ("by_returned_structs", 3 * X * X, 3 * X),
        ("local_reference", X * X, X),
        ("local_pointer", X**3 + X * X, X * X + 2 * X),
        ("by_chosen_reference", X**3, X * X),
        ("to_chosen_reference", X * X, [4, 3]),
        ("by_chosen_pointer", [4, 2], [4, 0]),
        ("by_returned_pointer", X**3, X * X),
        ("by_returned_references", X**3, X * X),
        ("by_chosen_struct", X**3, X * X),
        ("to_chosen_struct", X * X, [4, 3]),
        ("to_copied_struct", X * X, [4, 3]),
        ("to_member_of_chosen", X * X, [4, 3]),
        ("to_table", X * X, [4, 3]),
        ("to_pointed_pointer", X * X, [4, 3]),
        ("to_struct_of_chosen", 2 * X * X, [8, 6]),
        ("to_chosen_marked_pointer", X * X, [4, 3]),
        ("by_address", X * X, X),
        ("by_copied_bytes", X * X, X),
        ("by_halves_of_address", X * X, X),
        ("by_recursion", X**3, X * X),
        ("by_mutual_recursion", X**3, X * X),
        ("by_recursion_in_a_statement", X**3, X * X),
        ("by_unmarked_specialization", X * X, 2 * X),
        ("by_specialized_parameters", X**3, 2 * X * X),
        ("by_specialized_member", 2 * X * X, 2 * X),
        ("bits", X * X, X),
        ("bits_before", 2 * X * X, 2 * X),
        ("bits_behind", 2 * X * X, 2 * X),
        ("bits_in_turn", X * X / 4, X / 4),
        ("bits_of_words", 2 * X * X, 2 * X),
        ("bits_shuffled", X * X[::-1], X[::-1]),
        ("bits_in_a_struct", 3 * X * X, 3 * X),
        ("bits_in_an_array", 2 * X * X, 2 * X),
        ("bits_by_pointer", 2 * X * X, 2 * X),
        ("bits_by_function", X * X, X),
        ("bits_stored", X * X, X),
        ("bits_shifted", X * X, X),
        ("bits_counted", X * X, 2 * X),
        ("in_argument", X**3, X * X),
        ("in_nodebug", X**3, X * X),
    ],
)
def test_kernels(module: kernix.Module, name: str, value: np.ndarray, gradient: np.ndarray) -> None:
    f = module[name]
    assert np.allclose(f(X, block=2, grid=1), value)
    assert np.allclose(f.bwd(X, (None, np.ones(2)), block=2, grid=1).x, gradient)
    assert np.allclose(f.fwd((X, np.ones(2)), block=2, grid=1).y, [value, gradient])


@pytest.fixture(scope="module")
def declarations() -> kernix.Module:
    return kernix.load(SOURCES / "declarations.cu", target="cpu")


@pytest.mark.parametrize(
    ("name", "value", "gradient"),
    [
        ("specialization", 4 * X + 1, [4, 4]),
        ("specialization_of_stored", 2 * X, [2, 2]),
        ("marked_specialization", 7 * X, [1, 1]),
        ("instantiation", X**3 + X, [1, 1]),
        ("specialized_classes", X * X + 9 * X, [9, 9]),
        ("specialized_members", X**3 + X * X + 16 * X, [16, 16]),
        ("specialized_variable", 12 * X, [12, 12]),
        ("defined_outside", 2 * X * X + X, X + 1),
        ("friends", X * X + 3 * X, [1, 1]),
        ("lambdas", X**3 + 3 * X * X, X),
        ("declared_again", X**4 + X**3 + 2 * X * X + 3 * X, [1, 1]),
        ("space.declared_again_after_use", X * X + X, [1, 1]),
        ("declared_again_elsewhere", X / 2 + X / 3 + X, [1, 1]),
        ("overload", 2 * X * X, 2 * X),
    ],
)
def test_declarations(declarations: kernix.Module, name: str, value: np.ndarray, gradient: np.ndarray) -> None:
    test_kernels(declarations, name, value, gradient)


@pytest.mark.parametrize("flag", ["-gno-column-info", "-gcodeview"])
def test_without_columns(tmp_path: Path, flag: str) -> None:
    source = tmp_path / "columns.cu"
    source.write_text(
        """#include <kernix/kernix.h>
        inline __device__ double squared(double v) { return v * v; }
        [[kernix::bind, kernix::differentiable]] __device__ double f(double x) {
          double w = 0;
          [[kernix::no_diff]] w = squared(x);
          return w * x;
        }
        [[kernix::bind, kernix::differentiable]]
        __global__ void cubed(const double *x, [[kernix::shape("x")]] double *y) { y[threadIdx.x] = f(x[threadIdx.x]); }
        """
    )
    f = kernix.load(source, target="cpu", extra_cflags=[flag]).cubed
    assert np.allclose(f.bwd(X, (None, np.ones(2)), block=2, grid=1).x, X * X)


@pytest.mark.parametrize(("name", "gradient"), [("output", 2 * X), ("view", 2 * X), ("counted", 2 * X)])
def test_outputs_without_a_derivative(module: kernix.Module, name: str, gradient: np.ndarray) -> None:
    f, kept = getattr(module, name), np.zeros(2)
    log = {"total" if name == "counted" else "log": kept}
    assert np.allclose(f(X, **log, block=2, grid=1), gradient * X / (1 if name == "output" else 2))
    assert np.allclose(kept, [5, 0] if name == "counted" else 2 * X)
    assert np.allclose(f.bwd(x=X, y=(None, np.ones(2)), **log, block=2, grid=1).x, gradient)
    assert np.allclose(f.fwd(x=(X, np.ones(2)), **log, block=2, grid=1).y[1], gradient)


def test_output_that_a_chosen_pointer_leads_to(module: kernix.Module) -> None:
    f, log = module.to_output_of_chosen, np.zeros(2)
    assert np.allclose(f(X, log=log, block=2, grid=1), 2 * X)
    assert np.allclose(log, [0, 3])
    assert np.allclose(f.bwd(x=X, y=(None, np.ones(2)), log=log, block=2, grid=1).x, [2, 1])
    assert np.allclose(f.fwd(x=(X, np.ones(2)), log=log, block=2, grid=1).y[1], [2, 1])


def test_reference_of_a_bound_function(module: kernix.Module) -> None:
    assert np.allclose(module.step.bwd(a=2.0, b=3.0, r=(0.0, np.ones(1))).b, 6)
    a = np.array(2.0)
    value = module.step.fwd(a=a, b=(3.0, 1.0))
    assert value.r == (18, 6)
    assert value.a == (6, None)
    assert a == 6


STRUCTS = """
    #include <complex>
    using Complex = std::complex<double>;
    struct Five { double at[5]; };
    #define KERNEL(name, T, product)                                                                            \\
      [[kernix::bind, kernix::differentiable(2)]]                                                               \\
      __global__ void name(const T *x, [[kernix::shape("n")]] double *y,                                        \\
                           [[kernix::shape("x"), kernix::no_diff]] T *log, [[kernix::value("x.size(0)")]] int n) { \\
        if (int i = threadIdx.x; i < n) {                                                                       \\
          T z = x[i];                                                                                           \\
          log[i] = z;                                                                                           \\
          y[i] = product;                                                                                       \\
        }                                                                                                       \\
      }
    KERNEL(of_complex, Complex, z.real() * z.imag())
    KERNEL(of_single, std::complex<float>, double(z.real()) * z.imag())
    KERNEL(of_vectors, float4, double(z.x) * z.y)
    KERNEL(of_arrays, Five, z.at[0] * z.at[1])
    [[kernix::bind, kernix::differentiable]]
    __global__ void in_view(kernix::TensorView<const Complex> x, [[kernix::shape("x")]] kernix::TensorView<double> y,
                            [[kernix::shape("x"), kernix::no_diff]] kernix::TensorView<Complex> log) {
      if (int i = threadIdx.x; i < x.size(0)) {
        log(i) = x(i);
        y(i) = log(i).real() * x(i).imag();
      }
    }
    """


@pytest.fixture(scope="module")
def structs(tmp_path_factory: pytest.TempPathFactory) -> kernix.Module:
    path = tmp_path_factory.mktemp("sources") / "structs.cu"
    path.write_text("#include <kernix/kernix.h>\n" + textwrap.dedent(STRUCTS))
    return kernix.load(path, target="cpu")


ELEMENTS = {"of_complex": (np.complex128, 1), "of_single": (np.complex64, 1), "of_vectors": (np.float32, 4), "of_arrays": (float, 5)}


@pytest.mark.parametrize("name", ELEMENTS)
def test_outputs_that_are_structs(structs: kernix.Module, name: str) -> None:
    """They are copied as a whole."""
    dtype, count = ELEMENTS[name]
    x = np.arange(3.0 * max(count, 2)).reshape(3, -1) + 1
    x = (x[:, 0] + 1j * x[:, 1] if count == 1 else x).astype(dtype)
    first, second = (x.real, x.imag) if count == 1 else (x[:, 0], x[:, 1])
    y, log = getattr(structs, name)(x)
    assert np.array_equal(log, x)
    assert np.allclose(y, first * second)
    gradient = getattr(structs, name).bwd(x, y=(None, np.ones(3)), log=log).x
    wanted = second + 1j * first if count == 1 else np.stack([second, first, *(0 * x.T[2:])], -1)
    assert np.allclose(gradient, wanted)
    value, tangent = getattr(structs, name).fwd(x=(x, x)).log
    assert np.array_equal(value, x) and tangent is None
    assert kernix.gradcheck(getattr(structs, name), x).ok


def test_views_of_structs(structs: kernix.Module) -> None:
    """What is read from there is constant."""
    x = np.array([1 + 2j, 3 - 1j])
    y, log = structs.in_view(x)
    assert np.array_equal(log, x) and np.array_equal(y, x.real * x.imag)
    assert np.array_equal(structs.in_view.bwd(x, y=(None, np.ones(2)), log=log).x, 1j * x.real)


@pytest.mark.parametrize("name", ELEMENTS)
def test_torch_knows_what_has_no_gradient(structs: kernix.Module, name: str) -> None:
    """However the call is recorded."""
    torch = pytest.importorskip("torch")
    dtype, count = ELEMENTS[name]
    x = torch.from_numpy(np.ones(3 if count == 1 else (3, count), dtype)).requires_grad_()
    operation = getattr(structs, name)
    for call in (operation, operation.torch_op, torch.compile(operation, backend="aot_eager", fullgraph=True)):
        y, log = call(x)
        assert [each.requires_grad for each in (y, log)] == [True, False]
        y.sum().backward()
    torch._dynamo.reset()
    given = torch.zeros_like(x).detach()
    y, _ = operation(x, log=given)
    assert y.requires_grad and not given.requires_grad


GIVEN = """
    #include <kernix/kernix.h>
    [[kernix::bind, kernix::differentiable]]
    __global__ void written(const double *x, [[kernix::no_diff]] double *s, [[kernix::shape("x")]] double *y,
                            [[kernix::value("x.numel()")]] int n) {
      if (int i = threadIdx.x; i < n) {
        y[i] = x[i] * x[i];
        s[i] = 3 * x[i];
      }
    }
    [[kernix::bind, kernix::differentiable]]
    __global__ void allocated(const double *x, [[kernix::shape("x"), kernix::no_diff]] double *s,
                              [[kernix::shape("x")]] double *y, [[kernix::value("x.numel()")]] int n) {
      if (int i = threadIdx.x; i < n) {
        y[i] = x[i] * x[i];
        s[i] = 3 * x[i];
      }
    }
    [[kernix::bind, kernix::differentiable]]
    __global__ void changed(const double *x, [[kernix::intent(inout_ptr), kernix::no_diff]] double *s,
                            [[kernix::shape("x")]] double *y, [[kernix::value("x.numel()")]] int n) {
      if (int i = threadIdx.x; i < n) {
        y[i] = x[i] * x[i];
        s[i] += 2 * x[i];
      }
    }
    """


@pytest.fixture(scope="module")
def given(tmp_path_factory: pytest.TempPathFactory) -> kernix.Module:
    path = tmp_path_factory.mktemp("sources") / "given.cu"
    path.write_text(textwrap.dedent(GIVEN))
    return kernix.load(path, target="cpu")


@pytest.mark.filterwarnings("ignore::FutureWarning", "ignore:The .grad attribute:UserWarning")  # torch's own
@pytest.mark.parametrize("name", ["written", "allocated", "changed"])
@pytest.mark.parametrize("how", ["python", "fast", "op", "compiled"])
def test_torch_forgets_what_a_given_one_was(given: kernix.Module, name: str, how: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its gradient leads neither to what it held before nor to what it is computed of."""
    torch = pytest.importorskip("torch")
    operation = getattr(given, name)
    if how == "op" and name == "allocated":
        pytest.skip("the operator makes it")
    if how == "python":
        monkeypatch.setattr("kernix.torch.simple.prepare", lambda *_: False)
    call = operation.torch_op if how == "op" else operation
    if how == "compiled":
        call = torch.compile(operation, backend="aot_eager", fullgraph=True)
    x, before = (torch.ones(3, dtype=torch.float64, requires_grad=True) for _ in range(2))
    s = before * 1
    y = call(x, s=s)
    y = y[-1] if isinstance(y, tuple) else y
    assert s.tolist() == [3, 3, 3]
    if s.requires_grad:
        for gradient in torch.autograd.grad(s.sum(), (x, before), allow_unused=True, retain_graph=True):
            assert gradient is None or not gradient.any()
    gradients = torch.autograd.grad((y + s).sum(), (x, before), allow_unused=True)
    assert gradients[0].tolist() == [2, 2, 2]
    assert gradients[1] is None or not gradients[1].any()
    torch._dynamo.reset()


@pytest.mark.parametrize("name", ["written", "allocated", "changed"])
@pytest.mark.filterwarnings("ignore::FutureWarning")  # torch's own, when forward_ad is imported
def test_tangents_of_given_ones(given: kernix.Module, name: str) -> None:
    torch = pytest.importorskip("torch")
    x, s = torch.ones(3, dtype=torch.float64), torch.ones(3, dtype=torch.float64)
    with torch.autograd.forward_ad.dual_level():
        dual = torch.autograd.forward_ad.make_dual(s.clone(), s)
        getattr(given, name)(torch.autograd.forward_ad.make_dual(x, x), s=dual)
        value, tangent = torch.autograd.forward_ad.unpack_dual(dual)
        assert value.tolist() == [3, 3, 3]
        assert tangent is None or not tangent.any()
