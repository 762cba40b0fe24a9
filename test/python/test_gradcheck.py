"""kernix.gradcheck finds what is wrong and passes what is right."""

import numpy as np
import pytest

import kernix
from kernix.derivative import Derivative


def test_right(derivatives):
    result = kernix.gradcheck(derivatives.scaled_sine, np.linspace(-2, 2, 7, dtype="float32"), 1.5, 0.5)
    assert result.ok
    assert result
    assert result.precision == "float64"
    assert [row.name for row in result.rows] == ["x", "a"]
    text = str(result)
    assert "noise bound" in text
    assert text.splitlines()[0].endswith("in float64: ok")
    assert text.count("ok") >= 3


def test_in_place_and_given_outputs(derivatives):
    y, x = np.array([1.0, 2.0]), np.array([3.0, 4.0])
    assert kernix.gradcheck(derivatives.squared_in_place, y, x).ok
    assert y.tolist() == [1, 2]
    out = np.zeros(3)
    assert kernix.gradcheck(derivatives.polynomial, np.linspace(0, 1, 3), np.ones(3), out, 3).ok
    assert out.tolist() == [0, 0, 0]


def test_torch_tensors(derivatives):
    torch = pytest.importorskip("torch")
    x = torch.rand(5, requires_grad=True)
    assert kernix.gradcheck(derivatives.scaled_sine, x, torch.tensor(2.0), 0.0).ok


def test_single_precision_prints_its_noise(derivatives):
    result = kernix.gradcheck(derivatives.single_precision, np.linspace(-1, 1, 9, dtype="float32"))
    assert result.ok, str(result)
    assert result.precision == "float32"
    assert result.rows[0].difference_bound > 1e-5


def test_kinks_are_counted_apart(derivatives):
    result = kernix.gradcheck(derivatives.half_wave, np.array([-1.0, 0.0, 1.0]))
    assert result.ok, str(result)
    assert result.rows[0].kinks == 1


def test_what_differences_leave_out_is_no_error(derivatives):
    """Of sin(30 x), far more than rounding does."""
    result = kernix.gradcheck(derivatives.fast_sine, np.linspace(-1, 1, 9))
    assert result.ok, str(result)
    assert 1e-10 < result.rows[0].difference_error < result.rows[0].difference_bound < 1e-6


def test_structs(derivatives):
    line = {"slope": 2.0, "shift": 1, "offset": 3.0}
    result = kernix.gradcheck(derivatives.on_a_line, np.linspace(-1, 1, 5), line)
    assert result.ok, str(result)
    assert [(row.name, row.elements) for row in result.rows] == [("x", 5), ("line", 2)]
    assert line == {"slope": 2.0, "shift": 1, "offset": 3.0}


def test_a_result_that_is_a_number(derivatives):
    result = kernix.gradcheck(derivatives.half_of, 3.0)
    assert result.ok, str(result)
    assert [row.name for row in result.rows] == ["x"]


def test_forward_alone(derivatives):
    result = kernix.gradcheck(derivatives.only_forward, np.linspace(-1, 1, 5))
    assert result.ok, str(result)
    assert result.rows[0].adjoint_error is None
    assert "  -  " in str(result)


def test_backward_alone(derivatives):
    result = kernix.gradcheck(derivatives.only_backward, np.linspace(-1, 1, 5))
    assert result.ok, str(result)
    assert result.rows[0].adjoint_error is None


def spoiled(monkeypatch, which, spoil):
    """Derivatives of one kind give what `spoil` makes of their result."""
    original = Derivative.__call__

    def call(self, *args, **kwargs):
        result = original(self, *args, **kwargs)
        if self._record["derivative"] == which:
            spoil(result)
        return result

    monkeypatch.setattr(Derivative, "__call__", call)


@pytest.mark.parametrize("which", ["forward", "backward"])
def test_wrong(derivatives, monkeypatch, which):
    def spoil(result):
        array = result.x if which == "backward" else result.y[1]
        array[1] *= 1.001

    spoiled(monkeypatch, which, spoil)
    result = kernix.gradcheck(derivatives.scaled_sine, np.linspace(0.5, 1, 7), 1.5, 0.5)
    assert not result.ok
    assert "WRONG" in str(result)
    wrong = "reverse" if which == "backward" else "forward"
    assert [(each.name, str(each).endswith(f": {wrong} is wrong")) for each in result.rows[0].worst] == [("x[1]", True)]
    with pytest.raises(kernix.KernelValueError, match=r"WRONG(?s:.)*\nx\[1\]: reverse .* forward .* central difference"):
        kernix.gradcheck(derivatives.scaled_sine, np.linspace(0.5, 1, 7), 1.5, 0.5, raise_exception=True)


def test_where_it_is_wrong(derivatives, monkeypatch):
    def spoil(result):
        result.x[1, 2] += 1
        result.x[0, 1] += 2

    spoiled(monkeypatch, "backward", spoil)
    result = kernix.gradcheck(derivatives.scaled_sine, np.linspace(0.5, 1, 6).reshape(2, 3), 1.5, 0.5)
    assert [each.name for each in result.rows[0].worst] == ["x[0, 1]", "x[1, 2]"]
    assert result.rows[1].ok
    assert result.rows[1].worst == ()
    worst = result.rows[0].worst[0]
    assert abs(worst.reverse - worst.difference - 2) < 1e-6
    assert abs(worst.forward - worst.difference) < 1e-6


def test_a_wrong_field(derivatives, monkeypatch):
    spoiled(monkeypatch, "backward", lambda result: result.line.offset.__iadd__(1))
    result = kernix.gradcheck(derivatives.on_a_line, np.linspace(-1, 1, 5), (2.0, 1, 3.0))
    assert [each.name for each in result.rows[1].worst] == ["line.offset"]


def test_wrong_without_a_forward_derivative(derivatives, monkeypatch):
    spoiled(monkeypatch, "backward", lambda result: result.x.__iadd__([0, 0, 1]))
    result = kernix.gradcheck(derivatives.only_backward, np.linspace(-1, 1, 3))
    assert not result.ok
    assert [each.name for each in result.rows[0].worst] == ["x[2]"]


def test_a_gradient_that_is_no_number(derivatives, monkeypatch):
    spoiled(monkeypatch, "backward", lambda result: result.x.__setitem__(1, np.nan))
    result = kernix.gradcheck(derivatives.scaled_sine, np.linspace(0.5, 1, 7), 1.5, 0.5)
    assert not result.ok
    assert result.rows[0].worst[0].name == "x[1]"


def test_a_wrong_input_of_many_elements_is_looked_at_in_parts(derivatives, monkeypatch):
    spoiled(monkeypatch, "backward", lambda result: result.x.__imul__(2))
    result = kernix.gradcheck(derivatives.scaled_sine, np.linspace(0.5, 1, 5000), 1.5, 0.5, directions=1)
    assert len(result.rows[0].worst) == 3


ONES = np.ones(2)


@pytest.mark.parametrize(
    ("name", "args", "keywords", "message"),
    [
        ("plain", (ONES,), {}, r"plain\(.*gradcheck: the function has no derivative; mark it \[\[kernix::differentiable"),
        ("scaled_sine", ((ONES, ONES), 1.0, 0.0), {}, "argument 'x': expected its value alone, as in a call, got a tuple"),
        ("scaled_sine", (ONES, 1.0, 0.0), {"x": ONES}, "argument 'x' is given twice"),
        ("scaled_sine", (ONES, 1.0, 0.0, 2, 3), {}, "expected at most 4 positional arguments, got 5"),
        ("scaled_sine", (ONES, 1.0), {}, "argument 'b'"),
        ("scaled_sine", (ONES, 1.0, 0.0), {"c": 1}, "unknown argument 'c'|unexpected"),
        ("looked_up", (ONES, ONES), {}, "argument 'unused'"),
    ],
)
def test_misuse(derivatives, name, args, keywords, message):
    with pytest.raises(kernix.KernelTypeError, match=message):
        kernix.gradcheck(derivatives[name], *args, **keywords)


@pytest.mark.parametrize("what", [np.sin, None, 3])
def test_what_is_no_operation(what):
    with pytest.raises(kernix.KernelTypeError, match="expected an operation of a kernix module"):
        kernix.gradcheck(what, np.ones(2))


def test_a_derivative_is_no_operation(derivatives):
    with pytest.raises(kernix.KernelTypeError, match="expected an operation of a kernix module, got <kernix derivative"):
        kernix.gradcheck(derivatives.scaled_sine.bwd, np.ones(2))


BENDING = """
#include <kernix/kernix.h>
#define BOUND template <class T> [[kernix::bind, kernix::differentiable, kernix::instantiate("float", "double")]] __global__ void
#define MAP(NAME, VALUE)                                                                                               \\
  BOUND NAME(const T *x, [[kernix::intent(out_return), kernix::shape("x")]] T *y, [[kernix::value("x.numel()")]] int n) { \\
    if (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n) y[i] = VALUE;                                             \\
  }
MAP(cubes, pow(x[i], T(-3)))
MAP(inverse, 1 / x[i])
MAP(gamma, tgamma(x[i]))
MAP(logarithm, log(x[i]))
MAP(root, sqrt(x[i]))
MAP(wave, sin(200 * x[i]))
"""
BENT = ["cubes", "inverse", "gamma", "logarithm", "root", "wave"]


@pytest.fixture(scope="module")
def bending():
    return kernix.load_cuda_inline("bending", BENDING)


@pytest.mark.parametrize("name", BENT)
@pytest.mark.parametrize("x", [np.linspace(0.05, 2, 9), np.geomspace(1e-3, 1, 9), np.geomspace(1e-6, 3, 9)], ids=["far", "near", "at"])
def test_what_bends_strongly(bending, name, x):
    """Near a pole the series of the differences converges at a smaller step only."""
    result = kernix.gradcheck(bending[name], x)
    assert result.ok, str(result)
    assert result.rows[0].difference_bound < 1e-5


@pytest.mark.parametrize("name", BENT)
@pytest.mark.parametrize("which", ["forward", "backward"])
def test_what_bends_strongly_and_is_wrong(bending, monkeypatch, which, name):
    spoiled(monkeypatch, which, lambda result: (result.x if which == "backward" else result.y[1]).__imul__(1.001))
    result = kernix.gradcheck(bending[name], np.geomspace(1e-3, 1, 9))
    wrong = "reverse" if which == "backward" else "forward"
    assert result.rows[0].worst
    for each in result.rows[0].worst:
        assert str(each).endswith(f": {wrong} is wrong"), str(each)
    if which == "forward":
        assert result.rows[0].difference_error > result.rows[0].difference_bound


def test_single_precision_that_bends(bending):
    for name in BENT:
        result = kernix.gradcheck(bending[name], np.linspace(0.05, 2, 9, dtype="float32"))
        assert result.ok, str(result)


def test_nothing_to_check(derivatives):
    result = kernix.gradcheck(derivatives.scaled_sine, np.zeros(0), 2.0, 1.0)
    assert [(row.name, row.ok, row.compared) for row in result.rows] == [("x", True, False), ("a", True, False)]
    assert result.ok
    assert not result.compared
    assert str(result).splitlines()[0].endswith("in float64: nothing to check")
    assert str(result).splitlines()[2].split() == ["x", "0", "-", "-", "-", "-", "0", "nothing", "to", "check"]
    assert kernix.gradcheck(derivatives.scaled_sine, np.ones(1), 2.0, 1.0).compared


def test_no_input_was_given():
    m = kernix.load_cuda_inline(
        "no_input",
        """
        #include <kernix/kernix.h>
        [[kernix::bind, kernix::differentiable]]
        __global__ void squared_or_one([[kernix::optional]] const double *x, [[kernix::shape("n")]] double *y, int n) {
          int i = blockIdx.x * blockDim.x + threadIdx.x;
          if (i < n)
            y[i] = x ? x[i] * x[i] : 1;
        }
        """,
    )
    assert kernix.gradcheck(m.squared_or_one, np.ones(3), n=3).ok
    with pytest.raises(kernix.KernelTypeError, match=r"^squared_or_one\(.*\): gradcheck: no argument has a gradient$"):
        kernix.gradcheck(m.squared_or_one, None, n=3)


def test_only_kinks_without_a_forward_derivative():
    m = kernix.load_cuda_inline(
        "kink_backward",
        """
        #include <kernix/kernix.h>
        __global__ void slope(const double *x, double *gx, double *, const double *gy) { gx[threadIdx.x] += 3 * gy[threadIdx.x]; }
        [[kernix::bind, kernix::block("x.numel()"), kernix::grid(1), kernix::backward_derivative(slope)]] __global__ void
        bent(const double *x, [[kernix::intent(out_return), kernix::shape("x")]] double *y) { y[threadIdx.x] = fabs(x[threadIdx.x]); }
        """,
    )
    result = kernix.gradcheck(m.bent, np.zeros(2), block=2)
    assert (result.rows[0].kinks, result.rows[0].verdict) == (2, "nothing to check")
    assert not kernix.gradcheck(m.bent, np.ones(2), block=2).ok


WORDS = ["seed", "directions", "raise_exception", "op", "args", "keywords", "self", "result", "block", "launchBlockSize", "shared_bytes"]


@pytest.fixture(scope="module")
def words():
    """A factor of each name, by which the derivative is wrong; in kernels and, as h_..., host functions."""
    text = "#include <kernix/kernix.h>\n"
    for word in WORDS:
        text += f"""
        __device__ __host__ void back_{word}(double x, double *gx, double f, double *gf, double g) {{ *gx += f * g; *gf += 2 * x * g; }}
        [[kernix::backward_derivative(back_{word})]] __device__ __host__ double of_{word}(double x, double f) {{ return x * f; }}
        [[kernix::bind, kernix::differentiable]] __global__ void
        k_{word}(const double *x, [[kernix::intent(out_return), kernix::shape("x")]] double *y, [[kernix::diff]] double {word} = 0) {{
          y[threadIdx.x] = of_{word}(x[threadIdx.x], {word});
        }}
        [[kernix::bind, kernix::differentiable]] double h_{word}(double x, double {word} = 0) {{ return of_{word}(x, {word}); }}
        """
    return kernix.load_cuda_inline("words", text)


@pytest.mark.parametrize("word", WORDS)
def test_arguments_called_like_a_word(words, word):
    """None is lost on the way: each of them is found wrong."""
    x = np.linspace(1, 2, 3)
    size = {"launchGridSize": 1, "block" if word == "launchBlockSize" else "launchBlockSize": 3}
    for result in (
        kernix.gradcheck(words[f"k_{word}"], x, 2.0, **size),
        kernix.gradcheck(words[f"h_{word}"], 3.0, 2.0),
        *([kernix.gradcheck(words[f"k_{word}"], x, **{word: 2.0}, **size)] if word not in WORDS[:3] else []),
    ):
        assert [(row.name, row.ok) for row in result.rows] == [("x", True), (word, False)], str(result)
    if word in WORDS[:3]:
        message = rf"k_{word}\(.*gradcheck: '{word}' is a word of gradcheck and an argument of the function; pass the argument by pos"
        with pytest.raises(kernix.KernelTypeError, match=message):
            kernix.gradcheck(words[f"k_{word}"], x, **{word: 2}, **size)


@pytest.mark.parametrize(
    ("word", "value", "expected"),
    [
        *(("directions", each, "an int of at least 1") for each in (0, -2, 1.5, True, "3", int)),
        *(("seed", each, "an int of at least 0") for each in (-1, 0.5, "0")),
        ("raise_exception", "yes", "True or False"),
    ],
)
def test_wrong_words(derivatives, word, value, expected):
    with pytest.raises(kernix.KernelValueError, match=f"gradcheck: {word}: expected {expected}, got"):
        kernix.gradcheck(derivatives.scaled_sine, ONES, 1.0, 0.0, **{word: value})


COMPLEX = """
#include <complex>
#include <kernix/kernix.h>
#define AT_EACH const int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n)
typedef std::complex<double> C;
struct Factor { double real; C factors[2]; };

[[kernix::bind, kernix::differentiable]]
__global__ void right(const C *x, [[kernix::shape("x")]] C *y, [[kernix::diff]] C a, [[kernix::diff]] Factor s,
                      [[kernix::value("x.numel()")]] int n) {
  AT_EACH y[i] = x[i] * x[i] * a + x[i] * s.factors[1] * s.real;
}
[[kernix::bind, kernix::differentiable]]
__global__ void single(std::complex<float> *x, [[kernix::value("x.numel()")]] int n) { AT_EACH x[i] = x[i] * x[i]; }
[[kernix::bind, kernix::differentiable]]
C on_host(kernix::TensorView<const C> x, [[kernix::diff]] C a) { return x(0) * x(0) * a; }

__global__ void imaginary_bwd(const C *x, C *gx, C *, const C *gy, int n) {
  AT_EACH gx[i] += C((2.0 * std::conj(x[i]) * gy[i]).real(), 17);
}
[[kernix::bind, kernix::backward_derivative(imaginary_bwd)]]
__global__ void imaginary(const C *x, [[kernix::shape("x")]] C *y, [[kernix::value("x.numel()")]] int n) { AT_EACH y[i] = x[i] * x[i]; }

__global__ void unconjugated_bwd(const C *x, C *gx, C *, const C *gy, int n) { AT_EACH gx[i] += 2.0 * x[i] * gy[i]; }
[[kernix::bind, kernix::differentiable(forward), kernix::backward_derivative(unconjugated_bwd)]]
__global__ void unconjugated(const C *x, [[kernix::shape("x")]] C *y, [[kernix::value("x.numel()")]] int n) { AT_EACH y[i] = x[i] * x[i]; }
"""


@pytest.fixture(scope="module")
def complexes():
    return kernix.load_cuda_inline("complex_gradcheck", COMPLEX)


def test_complex_numbers(complexes):
    """Their parts are looked at by themselves."""
    x = np.array([1 + 2j, 3 - 1j, 0.5j])
    torch = pytest.importorskip("torch")
    for a in (2 - 1j, 2, torch.tensor(2 - 1j)):
        result = kernix.gradcheck(complexes.right, torch.from_numpy(x).conj(), a, (3.0, (0.5, 1 - 2j)))
        assert result.ok and result.compared and result.precision == "float64"
        assert [row.elements for row in result.rows] == [6, 2, 5]
        assert [row.kinks for row in result.rows] == [0, 0, 0]
    result = kernix.gradcheck(complexes.single, x.astype("complex64"))
    assert result.ok and result.compared and result.precision == "float32"
    assert kernix.gradcheck(complexes.on_host, x, 1j).ok


def test_wrong_complex_gradients(complexes):
    x = np.array([1 + 2j, 3 - 1j, 0.5j])
    for operation in (complexes.imaginary, complexes.unconjugated):
        result = kernix.gradcheck(operation, x)
        assert not result.ok
        assert all(each.reverse is not None and not each._agrees(each.reverse) for each in result.rows[0].worst)
    assert {each.name for each in kernix.gradcheck(complexes.imaginary, x).rows[0].worst} == {f"x[{i}].imag" for i in range(3)}


REFERENCES = """
#include <complex>
#include <kernix/kernix.h>
using Complex = std::complex<double>;
#define OUT [[kernix::intent(out_return)]]
#define INOUT [[kernix::intent(inout_ptr)]]
struct Pair { double x; Complex z; };
[[kernix::bind, kernix::differentiable]] double several(double a, OUT double &b, OUT Complex &c) {
  b = a * a;
  c = Complex(a, a * a * a);
  return 2 * a;
}
[[kernix::bind, kernix::differentiable]] double changes(double a, INOUT double &b) { return b = b * a * a; }
[[kernix::bind, kernix::differentiable]] Pair pair(double a, Pair p) { return {a * p.x, p.z * p.z * a}; }
[[kernix::bind, kernix::differentiable]] __device__ double on_device(double a, OUT double &b) { b = a * a * a; return a * a; }
[[kernix::bind, kernix::differentiable]] void by_reference(double a, OUT Pair &p) { p.x = a; p.z = a * a; }
[[kernix::bind, kernix::differentiable]]
__global__ void square(const double *x, [[kernix::shape("x")]] double *y) { *y = *x * *x; }
"""


@pytest.fixture(scope="module")
def references(tmp_path_factory):
    path = tmp_path_factory.mktemp("references") / "gradcheck_references.cu"
    path.write_text(REFERENCES)
    return kernix.load(path, target="cpu")


def test_results_by_reference(references):
    for operation, arguments, inputs in (
        (references.several, (1.5,), ["a"]),
        (references.changes, (1.5, np.array([2.5])), ["a", "b"]),
        (references.changes, (1.5, np.array(2.5)), ["a", "b"]),
        (references.pair, (1.5, (2.0, 1 - 2j)), ["a", "p"]),
        (references.on_device, (1.5,), ["a"]),
    ):
        result = kernix.gradcheck(operation, *arguments)
        assert result.ok and result.compared, str(result)
        assert [row.name for row in result.rows] == inputs
        assert result.precision == "float64"


def test_what_it_has_no_values_for(references):
    with pytest.raises(kernix.KernelTypeError, match=r"argument 'b': expected a tensor of float64 with one element"):
        kernix.gradcheck(references.changes, 1.5, 2.5)
    with pytest.raises(kernix.KernelTypeError, match="argument 'p': a struct that is written by reference cannot be checked"):
        kernix.gradcheck(references.by_reference, 1.5)


def test_arrays_without_axes(references):
    torch = pytest.importorskip("torch")
    for x in (np.array(2.0), np.float64(2.0), torch.tensor(2.0, dtype=torch.float64)):
        result = kernix.gradcheck(references.square, x, block=1, grid=1)
        assert result.ok and result.compared, str(result)
