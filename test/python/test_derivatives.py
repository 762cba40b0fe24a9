"""m.f.fwd and m.f.bwd: pairs, results, allocation, what is refused."""

import numpy as np
import pytest

import kernix


@pytest.fixture
def x():
    return np.array([0.5, -1.0, 2.0])


@pytest.fixture
def ones():
    return np.ones(3)


# -- backward -------------------------------------------------------------------------------------------------------


def test_allocated_gradients(derivatives, x, ones):
    gradients = derivatives.scaled_sine.bwd(x, y=(None, ones), a=2.0, b=0.0)
    assert gradients._fields == ("x", "a")
    np.testing.assert_allclose(gradients.x, 2 * np.cos(x))
    assert gradients.a.shape == (1,)
    np.testing.assert_allclose(gradients.a, np.sin(x).sum())


def test_given_gradients_are_added_to(derivatives, x, ones):
    gx, ga = np.full(3, 10.0), np.full(1, 20.0)
    gradients = derivatives.scaled_sine.bwd(x=(x, gx), y=(None, ones), a=(2.0, ga), b=0.0)
    assert gradients.x is gx
    assert gradients.a is ga
    np.testing.assert_allclose(gx, 10 + 2 * np.cos(x))
    np.testing.assert_allclose(ga, 20 + np.sin(x).sum())
    derivatives.scaled_sine.bwd(x=(x, gx), y=(None, ones), a=(2.0, ga), b=0.0)
    np.testing.assert_allclose(gx, 10 + 4 * np.cos(x))


def test_gradient_of_a_scalar_without_axes(derivatives, x, ones):
    ga = np.zeros(())
    assert derivatives.scaled_sine.bwd(x, (None, ones), (2.0, ga), 0.0).a is ga
    np.testing.assert_allclose(ga, np.sin(x).sum())


def test_a_gradient_that_is_not_wanted(derivatives, x, ones):
    gradients = derivatives.scaled_sine.bwd(x=(x, None), y=(None, ones), a=2.0, b=0.0)
    assert gradients.x is None
    np.testing.assert_allclose(gradients.a, np.sin(x).sum())


def test_positions_are_those_of_the_parameters(derivatives, x, ones):
    gradients = derivatives.scaled_sine.bwd(x, (None, ones), 2.0, 0.0)
    np.testing.assert_allclose(gradients.x, 2 * np.cos(x))


def test_variants_are_chosen_by_dtype(derivatives, x):
    gradients = derivatives.scaled_sine.bwd(x.astype("float32"), (None, np.ones(3, "float32")), 2.0, 0.0)
    assert gradients.x.dtype == np.float32
    assert gradients.a.dtype == np.float32


def test_launch_of_many_threads_with_few_weights(derivatives):
    # The launch is that of the function, not one thread per element of the smallest gradient.
    x = np.linspace(-1, 1, 1000)
    gradients = derivatives.polynomial.bwd(x=x, w=np.ones(3), y=(None, np.ones(1000)), n=1000)
    np.testing.assert_allclose(gradients.w, [1000, x.sum(), (x * x).sum()], atol=1e-9)


def test_launch_sizes_of_the_call(derivatives):
    x = np.linspace(-1, 1, 100)
    cotangent = np.ones(100)
    first = derivatives.polynomial.bwd(x=x, w=np.ones(3), y=(None, cotangent), n=100, block=32, grid=4)
    second = derivatives.polynomial.bwd(x=x, w=np.ones(3), y=(None, cotangent), n=100, launchBlockSize=64, launchGridSize=2)
    np.testing.assert_allclose(first.w, second.w, atol=1e-12)


def test_outputs_without_a_gradient(derivatives):
    x, at = np.array([3.0, -4.0]), np.array([0, 1, 1], "int32")
    gradients = derivatives.gathered.bwd(x=x, at=at, y=(None, np.ones(3)), positive=None)
    np.testing.assert_allclose(gradients.x, [6, -16])


def test_in_place(derivatives):
    y, gy = np.array([2.0, 3.0]), np.array([1.0, 10.0])
    x = np.array([5.0, 7.0])
    gradients = derivatives.squared_in_place.bwd(y=(y, gy), x=x)
    assert gradients.y is gy
    np.testing.assert_allclose(gy, [2 * 2 * 5 * 1, 2 * 3 * 7 * 10])
    np.testing.assert_allclose(gradients.x, [4, 90])
    assert y.tolist() == [2, 3]


def test_views_and_their_strides(derivatives):
    wide = np.arange(12.0).reshape(3, 4)
    gradient = np.zeros((4, 3))
    cotangent = np.broadcast_to(np.float64(1), (2, 3))
    x = wide[:, :2].T
    gradients = derivatives.products.bwd(x=(x, gradient[:2]), y=(None, cotangent))
    expected = np.full((2, 3), x[0, 0])
    expected[0, 0] += x.sum()
    np.testing.assert_allclose(gradients.x, expected)
    assert gradient[2:].tolist() == [[0, 0, 0], [0, 0, 0]]


def test_no_diff_and_unused(derivatives, x, ones):
    gradients = derivatives.looked_up.bwd(x=x, table=2 * ones, unused=ones, y=(None, ones))
    assert gradients._fields == ("x", "unused")
    np.testing.assert_allclose(gradients.x, 4 * x)
    assert gradients.unused.tolist() == [0, 0, 0]


def test_structs(derivatives, x, ones):
    line = {"slope": 2.0, "shift": 1, "offset": 3.0}
    gradients = derivatives.on_a_line.bwd(x=x, y=(None, ones), line=line)
    np.testing.assert_allclose(gradients.x, [2, 2, 2])
    assert gradients.line._fields == ("slope", "offset")
    np.testing.assert_allclose(gradients.line.slope, [(x - 1).sum()])
    np.testing.assert_allclose(gradients.line.offset, [18])
    given = {"slope": np.ones(1), "offset": np.zeros(())}
    result = derivatives.on_a_line.bwd(x=x, y=(None, ones), line=(line, given))
    assert result.line.slope is given["slope"]
    np.testing.assert_allclose(given["slope"], [1 + (x - 1).sum()])
    np.testing.assert_allclose(given["offset"], 18)


OPTIONS = r"""
#include <kernix/kernix.h>
struct Inner { float gain; int repeat; };
struct Options { Inner inner; float scale[3]; Inner both[2]; bool on; };
[[kernix::bind, kernix::differentiable]]
__global__ void f(const double *x, [[kernix::diff]] Options o, [[kernix::shape("x")]] double *y,
                  [[kernix::value("x.numel()")]] int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    y[i] = x[i] * o.inner.gain * o.scale[i % 3] + o.both[i % 2].gain * o.on;
}
template <class T> [[kernix::bind, kernix::differentiable, kernix::instantiate("float", "double")]]
__global__ void g(const T *x, [[kernix::optional]] const T *b, [[kernix::intent(out_return), kernix::shape("x")]] T *y,
                  [[kernix::diff]] T a, [[kernix::value("x.numel()")]] int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    y[i] = a * x[i] + (b ? b[i] : T(0));
}
"""
O = {"inner": (0.5, 2), "scale": (1, 2, 3), "both": ((1, 1), (2, 1)), "on": True}


@pytest.fixture(scope="module")
def options():
    return kernix.load_cuda_inline("gradients_of_options", OPTIONS)


def zeros(**changes):
    made = {
        "inner": {"gain": np.zeros(1, "float32")},
        "scale": np.zeros(3, "float32"),
        "both": [{"gain": np.zeros(1, "float32")}, {"gain": np.zeros((), "float32")}],
    }
    return {**made, **changes}


def test_gradients_of_nested_structs(options, ones):
    x = np.array([1.0, 2.0, 3.0])
    given = zeros()
    result = options.f.bwd(x, (O, given), (None, ones)).o
    assert result.inner.gain is given["inner"]["gain"]
    assert given["inner"]["gain"].tolist() == [14]
    assert given["scale"].tolist() == [0.5, 1, 1.5]
    assert [array.tolist() for each in given["both"] for array in each.values()] == [[2], 1]
    again = options.f.bwd(x, (O, result), (None, ones)).o  # as they came
    assert again.scale is given["scale"]
    assert given["scale"].tolist() == [1, 2, 3]


@pytest.mark.parametrize(
    ("gradient", "error", "message"),
    [
        (zeros(inner={"gain": 0.0}), TypeError, r"the gradient of 'inner.gain': expected an array of 1 float32, got float"),
        (zeros(inner={"gain": None}), TypeError, r"the gradient of 'inner.gain': expected an array of 1 float32, got NoneType"),
        (zeros(scale=[0.0, 0.0, 0.0]), TypeError, r"the gradient of 'scale': expected an array of 3 float32, got list"),
        (zeros(scale=np.zeros(3, int)), TypeError, r"the gradient of 'scale': expected an array of float32, got one of int64"),
        (zeros(scale=np.zeros(3)), TypeError, r"the gradient of 'scale': expected an array of float32, got one of float64"),
        (zeros(scale=np.zeros(4, "float32")), ValueError, r"the gradient of 'scale': expected the shape \(3,\), got \(4,\)"),
        (zeros(scale=np.broadcast_to(np.float32(0), 3)), ValueError, r"the gradient of 'scale': .* that can be written to"),
        (zeros(scal=np.zeros(3, "float32")), TypeError, r"'scal' is not a field of the gradient; it has inner, scale, both$"),
        ({"q": np.zeros(1, "float32")}, TypeError, r"'q' is not a field of the gradient; it has inner, scale, both$"),
        (zeros(inner={"repeat": 1}), TypeError, r"'inner.repeat' is not a field of the gradient; it has inner.gain$"),
        (zeros(inner={}), TypeError, r"the gradient has no field 'inner.gain'"),
        (zeros(both=[{"gain": np.zeros(1, "float32")}]), TypeError, r"the gradient has no field 'both.1.gain'"),
    ],
    ids=lambda value: value[:40] if isinstance(value, str) else "",
)
def test_gradients_of_structs_that_do_not_fit(options, ones, gradient, error, message):
    """Found before anything runs."""
    gx = np.zeros(3)
    with pytest.raises(error, match=rf"^f_bwd\(.*argument 'o': {message}"):
        options.f.bwd((ones, gx), (O, gradient), (None, ones))
    assert gx.tolist() == [0, 0, 0]


def test_gradients_of_structs_that_overlap(options, ones):
    row, cotangent = np.zeros(4, "float32"), np.ones(3)
    with pytest.raises(ValueError, match=r"argument 'o': the gradient of 'scale' overlaps the gradient of 'inner.gain': "):
        options.f.bwd(ones, (O, zeros(inner={"gain": row[:1]}, scale=row[:3])), (None, ones))
    with pytest.raises(ValueError, match=r"argument 'o': the gradient of 'scale' overlaps 'y_grad': "):
        options.f.bwd(ones, (O, zeros(scale=cotangent.view("float32")[2:5])), (None, cotangent))
    with pytest.raises(ValueError, match=r"argument 'o': the gradient of 'scale' overlaps 'x': "):
        options.f.bwd(cotangent, (O, zeros(scale=cotangent.view("float32")[4:1:-1])), (None, ones))
    assert row.tolist() == [0, 0, 0, 0]
    assert cotangent.tolist() == [1, 1, 1]
    given = zeros(inner={"gain": row[:1]}, scale=row[1:])
    options.f.bwd(np.array([1.0, 2.0, 3.0]), (O, given), (None, ones))
    assert row.tolist() == [14, 0.5, 1, 1.5]


def test_messages_before_a_variant_is_chosen(options, ones):
    """Name none of the variants, and none by its hash."""
    with pytest.raises(TypeError, match=r"^g_bwd: argument 'y' is missing"):
        options.g.bwd(ones, a=2.0)
    with pytest.raises(TypeError, match=r"^g_bwd: expected at most 3 positional arguments, got 4; by keyword only: y, a$"):
        options.g.bwd(ones, None, (None, ones), 2.0)
    with pytest.raises(TypeError, match=r"\n  g_bwd<double>\(const double \*x, double \*x_grad, "):
        options.g.bwd(ones.astype("float32"), y=(None, ones), a=2.0)
    with pytest.raises(ValueError, match=r"^g_bwd<double>\(.*argument 'y_grad': expected shape \(3,\)"):
        options.g.bwd(ones, y=(None, ones[:2]), a=2.0)


def test_values_that_are_not_read(derivatives):
    at, gx = np.array([2, 0], "int32"), np.zeros(3)
    gradients = derivatives.linear.bwd(x=(None, gx), at=at, y=(None, np.array([10.0, 100.0])))
    assert gradients.x is gx
    assert gx.tolist() == [300, 0, 30]


def test_values_that_are_read(derivatives, x, ones):
    with pytest.raises(kernix.KernelTypeError, match="argument 'x': expected a tensor, whose elements the derivative reads"):
        derivatives.scaled_sine.bwd(x=(None, np.zeros(3)), y=(None, ones), a=2.0, b=0.0)
    with pytest.raises(kernix.KernelTypeError, match="argument 'x': expected a tensor of float64, got None"):
        derivatives.linear.bwd(x=None, at=np.array([2, 0], "int32"), y=(None, np.ones(2)))


def test_an_optional_output(derivatives):
    x, ones = np.array([1.0, 2.0]), np.ones(2)
    assert derivatives.with_extra.bwd(x=x, y=(None, ones)).x.tolist() == [2, 4]
    # Without its value, but with a gradient: the function had it.
    assert derivatives.with_extra.bwd(x=x, y=(None, ones), extra=(None, 10 * ones)).x.tolist() == [32, 34]


# -- forward --------------------------------------------------------------------------------------------------------


def test_forward(derivatives, x, ones):
    result = derivatives.scaled_sine.fwd(x=(x, ones), a=2.0, b=1.0)
    assert result._fields == ("y",)
    value, tangent = result.y
    np.testing.assert_allclose(value, 2 * np.sin(x) + 1)
    np.testing.assert_allclose(tangent, 2 * np.cos(x))


def test_tangents_left_out_are_zero(derivatives, x, ones):
    assert derivatives.scaled_sine.fwd(x=x, a=2.0, b=1.0).y[1].tolist() == [0, 0, 0]
    np.testing.assert_allclose(derivatives.scaled_sine.fwd(x=x, a=(2.0, 1.0), b=1.0).y[1], np.sin(x))


def test_forward_into_given_outputs(derivatives, x, ones):
    y, dy = np.zeros(3), np.zeros(3)
    result = derivatives.polynomial.fwd(x=(x, ones), w=np.array([0.0, 1.0, 1.0]), y=(y, dy), n=3)
    assert result.y == (y, dy) or (result.y[0] is y and result.y[1] is dy)
    np.testing.assert_allclose(dy, 1 + 2 * x)


def test_forward_in_place(derivatives):
    y, dy = np.array([2.0, 3.0]), np.array([1.0, 0.0])
    derivatives.squared_in_place.fwd(y=(y, dy), x=(np.array([5.0, 7.0]), np.array([0.0, 1.0])))
    assert y.tolist() == [20, 63]
    assert dy.tolist() == [20, 9]


def test_forward_of_a_struct(derivatives, x, ones):
    line = {"slope": 2.0, "shift": 1, "offset": 3.0}
    assert derivatives.on_a_line.fwd(x=(x, ones), line=line).y[1].tolist() == [2, 2, 2]
    value, tangent = derivatives.on_a_line.fwd(x=x, line=(line, {"slope": 1.0, "offset": 0.5})).y
    np.testing.assert_allclose(tangent, x - 1 + 3)
    np.testing.assert_allclose(value, 2 * (x - 1) + 9)


def test_results_that_are_numbers(derivatives):
    assert derivatives.half_of.fwd(x=(3.0, 1.0)).result == (1.5, 0.5)
    assert derivatives.half_of.bwd(x=3.0, result=4.0).x.tolist() == [2]
    with pytest.raises(kernix.KernelTypeError, match="argument 'result' is missing"):
        derivatives.half_of.bwd(x=3.0)


def test_outputs_without_a_tangent(derivatives):
    result = derivatives.gathered.fwd(x=(np.array([3.0]), np.ones(1)), at=np.zeros(2, "int32"))
    assert result.y[1].tolist() == [6, 6]
    assert result.positive[0].tolist() == [1, 1]
    assert result.positive[1] is None


# -- what they are --------------------------------------------------------------------------------------------------


def test_names(derivatives):
    assert derivatives.scaled_sine.bwd is derivatives.scaled_sine_bwd
    assert derivatives.scaled_sine.fwd is derivatives["scaled_sine_fwd"]
    assert derivatives.scaled_sine_funcinfo()[2:] == ("scaled_sine_fwd", "scaled_sine_bwd")
    assert "scaled_sine_bwd" in dir(derivatives)
    assert "scaled_sine_bwd of scaled_sine" in repr(derivatives.scaled_sine.bwd)
    assert list(derivatives.scaled_sine.bwd.__signature__.parameters)[:4] == ["x", "y", "a", "b"]


def test_funcinfo_is_of_what_a_call_takes(derivatives):
    sizes = ("__kernix_blockSize", "__kernix_gridSize")
    names, types, forward, backward = derivatives.scaled_sine_bwd_funcinfo()
    assert names == (*sizes, "x", "y", "a", "b", "n")
    assert types[2:4] == ("(const float *, float *)", "(float *, const float *)")
    assert types[4:] == ("(float, float *)", "float", "int")
    assert (forward, backward) == (None, None)
    assert derivatives.scaled_sine.bwd.funcinfo() == derivatives.scaled_sine_bwd_funcinfo()
    names, types, _, _ = derivatives.scaled_sine_fwd_funcinfo()
    assert names == (*sizes, "x", "y", "a", "b", "n")
    assert types[4:] == ("(float, float)", "float", "int")


def test_one_sided(derivatives):
    assert derivatives.only_forward.fwd(x=(np.ones(1), np.ones(1))).y[1].tolist() == [2]
    with pytest.raises(kernix.KernelError, match="no backward derivative"):
        _ = derivatives.only_forward.bwd
    with pytest.raises(kernix.KernelError, match=r"plain\(.*no backward derivative: .*not marked"):
        _ = derivatives.plain.bwd


# -- what is refused ------------------------------------------------------------------------------------------------


STARTS_FROM = r"argument 'y': expected \(value, gradient\), since its gradient is what the derivative starts from; "


@pytest.mark.parametrize(
    ("changes", "error", "message"),
    [
        ({"y": np.ones(3)}, TypeError, STARTS_FROM + "got ndarray"),
        ({"y": None}, TypeError, STARTS_FROM + "got NoneType"),
        ({"y": (None, None)}, TypeError, r"argument 'y': expected a gradient in \(value, gradient\), got None"),
        ({"y": (None, np.ones(2))}, ValueError, r"shape"),
        ({"y": (None, np.ones(3, "float32"))}, TypeError, r"float64.*float32"),
        ({"x": (np.ones(3), np.ones(4))}, ValueError, r"shape"),
        ({"x": (np.ones(3), np.ones(3, "float32"))}, TypeError, r"float64.*float32"),
        ({"x": (np.ones(3), np.broadcast_to(1.0, 3))}, ValueError, r"contiguous|read-only"),
        ({"a": (1.0, np.zeros(2))}, ValueError, r"shape"),
        ({"b": (1.0, np.zeros(1))}, TypeError, r"argument 'b' has no gradient"),
        ({"n": (3, np.zeros(1))}, TypeError, r"argument 'n' has no gradient"),
        ({"z": 1}, TypeError, r"unknown argument 'z'"),
    ],
)
def test_refused(derivatives, changes, error, message):
    arguments = {"x": np.ones(3), "y": (None, np.ones(3)), "a": 1.0, "b": 0.0}
    with pytest.raises(error, match=message) as caught:
        derivatives.scaled_sine.bwd(**{**arguments, **changes})
    assert isinstance(caught.value, kernix.KernelError)


@pytest.mark.parametrize(("missing", "expected"), [("x", "$"), ("y", r": expected \(value, gradient\)$"), ("a", "$")])
def test_missing(derivatives, missing, expected):
    arguments = {"x": np.ones(3), "y": (None, np.ones(3)), "a": 1.0, "b": 0.0}
    del arguments[missing]
    with pytest.raises(kernix.KernelTypeError, match=f"argument '{missing}' is missing{expected}"):
        derivatives.scaled_sine.bwd(**arguments)


def test_overlap_of_cotangent_and_gradient(derivatives):
    shared = np.ones(3)
    with pytest.raises(kernix.KernelValueError, match="overlap"):
        derivatives.scaled_sine.bwd(x=(np.ones(3), shared), y=(None, shared), a=1.0, b=0.0)


def test_torch_tensors(derivatives):
    torch = pytest.importorskip("torch")
    x = torch.tensor([0.5, 1.0], dtype=torch.float64)
    gradients = derivatives.scaled_sine.bwd(x=x, y=(None, torch.ones(2, dtype=torch.float64)), a=2.0, b=0.0)
    torch.testing.assert_close(gradients.x, 2 * torch.cos(x))
    assert isinstance(gradients.a, torch.Tensor)
    line = {"slope": 2.0, "shift": 1, "offset": 3.0}
    gradients = derivatives.on_a_line.bwd(x=x, y=(None, torch.ones(2, dtype=torch.float64)), line=line)
    assert gradients.line.offset.tolist() == [12]


def test_power_of_one_half_at_its_edge(derivatives):
    x = np.array([0.0, 4.0, -1.0])
    expected = [np.inf, 0.25, np.nan]
    np.testing.assert_array_equal(derivatives.root.bwd(x, y=(None, np.ones(3))).x, expected)
    np.testing.assert_array_equal(derivatives.root.fwd(x=(x, np.ones(3))).y[1], expected)


def test_stores_that_these_arguments_send_to_one_element(derivatives, x):
    given = np.arange(1.0, 7.0)
    gradients = derivatives.two_planes.bwd(x, y=(None, given), stride=3)
    np.testing.assert_allclose(gradients.x, 2 * x * given[:3] + np.cos(x) * given[3:])
    with pytest.raises(kernix.KernelError, match="several stores may be to the same element of 'y'"):
        derivatives.two_planes.bwd(x, y=(None, given), stride=0)
    tiles, ones = np.arange(8.0), np.ones(8)
    gradients = derivatives.squares_of_tiles.bwd(tiles, y=(None, ones), columns=2, block=2, grid=1)
    np.testing.assert_allclose(gradients.x, 2 * tiles)
    with pytest.raises(kernix.KernelError, match="several stores may be to the same element of 'y'"):
        derivatives.squares_of_tiles.bwd(tiles, y=(None, ones), columns=1, block=2, grid=1)
    sizes = {"rows": 2, "columns": 3, "block": 2, "grid": 1}
    gradients = derivatives.squares_of_rows.bwd(tiles, y=(None, ones), stride=4, **sizes)
    np.testing.assert_allclose(gradients.x, 2 * tiles * [1, 1, 1, 0, 1, 1, 1, 0])
    with pytest.raises(kernix.KernelError, match="several stores may be to the same element of 'y'"):
        derivatives.squares_of_rows.bwd(tiles, y=(None, ones), stride=2, **sizes)
    gradient, sizes["block"] = np.ones(8), 1
    derivatives.squares_in_place.bwd(a=(tiles, gradient), stride=4, **sizes)
    np.testing.assert_allclose(gradient, np.where([1, 1, 1, 0, 1, 1, 1, 0], 2 * tiles, 1))
    with pytest.raises(kernix.KernelError, match="several stores may be to the same element of 'a'"):
        derivatives.squares_in_place.bwd(a=(tiles, gradient), stride=2, **sizes)


@pytest.mark.parametrize(
    ("name", "apart", "meeting"),
    [
        ("rows_of_low_half", {"columns": 4, "sizes": 4}, {"columns": 4, "sizes": (8 << 32) + 2}),
        ("rows_of_sums_of_words", {"columns": 4, "step": 4}, {"columns": 4, "step": (8 << 32) + 2}),
        ("rows_of_shifted_words", {"columns": 4, "step": 4}, {"columns": 4, "step": (8 << 32) + 2}),
        ("rows_without_area", {"columns": 5, "side": 1, "stride": 4}, {"columns": 4, "side": 1 << 16, "stride": 2}),
        (
            "rows_of_wrapped_product",
            {"columns": 4, "step": 2, "width": 2, "stride": 2},
            {"columns": 4, "step": 1 << 16, "width": 2, "stride": 2},
        ),
        ("rows_of_rest_of_block", {"block": 34}, {"block": 32}),
    ],
)
def test_stores_at_what_is_left_of_a_number(derivatives, name, apart, meeting):
    given, rows = np.arange(1.0, 9.0), np.arange(2.0)
    function = getattr(derivatives, name).bwd
    if "columns" in apart:
        expected = [given[:4] @ np.arange(4.0), given[4:] @ np.arange(4.0)]
    else:
        expected = rows * given[[0, 2]]
    launch = {"block": 1, "grid": 1, "rows": 2}
    np.testing.assert_allclose(function(rows, y=(None, given), **launch | apart).x, expected)
    with pytest.raises(kernix.KernelError, match="several stores may be to the same element of 'y'"):
        function(rows, y=(None, given), **launch | meeting)


def test_constants_that_these_arguments_store_over_others(derivatives):
    tiles, ones = np.arange(1.0, 9.0), np.ones(8)
    gradients = derivatives.rows_with_ends.bwd(tiles, y=(None, ones), columns=3, end=3, block=2, grid=1)
    np.testing.assert_allclose(gradients.x, 2 * tiles * [1, 1, 1, 0, 1, 1, 1, 0])
    with pytest.raises(kernix.KernelError, match="several stores may be to the same element of 'y'"):
        derivatives.rows_with_ends.bwd(tiles, y=(None, ones), columns=3, end=1, block=2, grid=1)


def test_reads_that_in_this_launch_are_of_what_others_have_written(derivatives):
    values, gradient = np.arange(16.0), np.ones(16)
    derivatives.rows_of_four.bwd(a=(values, gradient), rows=4, block=4, grid=1)
    np.testing.assert_allclose(gradient, 2 * values)
    with pytest.raises(kernix.KernelError, match="another thread may have written what is read behind a barrier"):
        derivatives.rows_of_four.bwd(a=(values, gradient), rows=2, block=8, grid=1)


def test_stores_that_in_this_launch_replace_those_of_others(derivatives):
    x, given = np.arange(16.0), np.arange(1, 25.0)
    gradients = derivatives.two_rows_of_eight.bwd(x, y=(None, given), block=8, grid=1)
    np.testing.assert_allclose(gradients.x[:8], given[:8] + 2 * x[:8] * given[8:16])
    with pytest.raises(kernix.KernelError, match="another thread may have stored before a barrier"):
        derivatives.two_rows_of_eight.bwd(x, y=(None, given), block=16, grid=1)
    gradients = derivatives.rows_in_steps.bwd(x, y=(None, given), steps=3, width=8, block=8, grid=1)
    np.testing.assert_allclose(gradients.x[:8], [1, 2, 3] @ given.reshape(3, 8))
    with pytest.raises(kernix.KernelError, match="another thread may have stored before a barrier"):
        derivatives.rows_in_steps.bwd(x, y=(None, given), steps=3, width=7, block=8, grid=1)
    x, given = np.arange(64.0), np.arange(200.0)
    gradients = derivatives.rows_of_warps.bwd(x, y=(None, given), rows=5, columns=40, block=64, grid=1)
    rows = [(row + 1) * given[40 * row : 40 * row + 32] for row in range(5)]
    np.testing.assert_allclose(gradients.x, np.concatenate([rows[0] + rows[2] + rows[4], rows[1] + rows[3]]))
    # A second warp of eight lanes that nobody counts, and rows that are shorter than a warp.
    for misfit in ({"columns": 40, "block": 40}, {"columns": 20, "block": 64}):
        with pytest.raises(kernix.KernelError, match="another thread may have stored before a barrier"):
            derivatives.rows_of_warps.bwd(x, y=(None, given), rows=5, **misfit, grid=1)
    # No element is stored twice, whichever threads are outside.
    planes, sizes = np.arange(90.0), {"steps": 2, "rows": 9, "columns": 5}
    gradients = derivatives.planes_in_steps.bwd(planes[:45], y=(None, planes), **sizes, block=(8, 8), grid=(2, 2))
    np.testing.assert_allclose(gradients.x, planes[:45] + 2 * planes[45:])


def test_strides_of_a_view_are_numbers_to_other_tensors(derivatives):
    x, w, ones = np.arange(16.0)[::2], np.arange(16.0), np.ones(8)
    gradient = np.zeros(24)
    gradients = derivatives.by_strides_of_another.bwd(x=(x, gradient[::3]), w=w, y=(None, ones))
    np.testing.assert_allclose(gradient[::3], w[::2])
    np.testing.assert_allclose(gradients.w[::2], x)
    assert not gradients.w[1::2].any()
    tangent = np.arange(24.0)
    result = derivatives.by_strides_of_another.fwd(x=(x, tangent[::3]), w=(w, w))
    np.testing.assert_allclose(result.y[1], tangent[::3] * w[::2] + x * w[::2])


def test_elements_of_a_view_that_all_threads_read(derivatives):
    torch = pytest.importorskip("torch")
    x, w = torch.full((1,), 3.0, dtype=torch.float64).expand(8), torch.arange(8.0, dtype=torch.float64)
    gradients = derivatives.by_strides_of_another.bwd(x, w=w, y=(None, torch.ones(8, dtype=torch.float64)))
    assert gradients.w.tolist() == [24] + [0] * 7


def test_a_view_accessed_by_its_address_has_a_gradient_of_its_strides(derivatives):
    x, ones = np.arange(8.0), np.ones(8)
    np.testing.assert_allclose(derivatives.by_address.bwd(x, y=(None, ones)).x, 2 * x)
    for gradient in (np.zeros(16)[::2], np.zeros(8)[::-1]):
        with pytest.raises(kernix.KernelError, match="'x' is accessed in other ways than by its own indices"):
            derivatives.by_address.bwd(x=(x, gradient), y=(None, ones))
    with pytest.raises(kernix.KernelError, match="'x' is accessed in other ways than by its own indices"):
        derivatives.by_address.fwd(x=(x, np.zeros(16)[::2]))


@pytest.mark.parametrize("checks", ["undefined", "signed-integer-overflow"])
def test_elements_of_a_view_whose_indices_are_checked_for_overflow(source, checks):
    m = kernix.load(
        source(
            """
            [[kernix::bind, kernix::differentiable]]
            __global__ void products(kernix::TensorView<const double> x, [[kernix::shape("x")]] kernix::TensorView<double> y) {
              int i = threadIdx.x, j = blockIdx.x;
              y(j, i) = x(j, i) * sin(x(j, (i * 3 + 1) % 5));
            }
            """
        ),
        target="cpu",
        extra_cflags=[f"-fsanitize={checks}", "-fsanitize-trap=undefined"],
    )
    x = np.random.default_rng(0).standard_normal((4, 10))
    for view in (x[:, :5].copy(), np.asfortranarray(x[:, :5]), x[:, ::2]):
        kernix.gradcheck(m.products, view, block=5, grid=4)


def test_values_that_neighbours_replace_between_barriers(derivatives):
    y, tangent = np.arange(1.0, 9.0), np.linspace(1, 2, 8)
    result = derivatives.replaced_by_neighbours.fwd(
        x=(np.zeros(9), np.zeros(9)), y=(y, tangent), block=8, grid=1
    )
    values = np.concatenate(([y[0] ** 2], 3 * y[:-1]))
    tangents = np.concatenate(([2 * y[0] * tangent[0]], 3 * tangent[:-1]))
    np.testing.assert_allclose(result.z[0], values**2)
    np.testing.assert_allclose(result.z[1], 2 * values * tangents)


def test_an_element_that_a_lane_of_every_warp_stores(derivatives):
    x, ones = np.arange(1.0, 4.0), np.ones(3)
    np.testing.assert_allclose(derivatives.stored_by_warps.bwd(x, y=(None, ones), block=32, grid=3).x, 2 * x)
    with pytest.raises(kernix.KernelError, match="depends on no more than threadIdx.x % 32, and the block has 64"):
        derivatives.stored_by_warps.bwd(x, y=(None, ones), block=64, grid=3)


@pytest.mark.parametrize(("host", "device"), [("[[kernix::diff]]", ""), ("", "[[kernix::no_diff]]")])
def test_a_declaration_that_differs_between_host_and_device(source, host, device):
    m = kernix.load(
        source(
            f"""
            #ifdef __CUDA_ARCH__
            #define MARK {device}
            #else
            #define MARK {host}
            #endif
            [[kernix::bind, kernix::differentiable]]
            __global__ void scaled(const double *x, [[kernix::intent(out_return), kernix::shape("x")]] double *y,
                                   MARK {"double" if host else "const double *"} a) {{
              y[threadIdx.x] = x[threadIdx.x] * {"a" if host else "a[0]"};
            }}
            """
        ),
        target="cpu",
    )
    a = 2.0 if host else np.full(1, 2.0)
    assert m.scaled(np.ones(3), a, block=3, grid=1).tolist() == [2, 2, 2]
    message = r"the facts about its launch cannot be read from the device: does the source differ by __CUDA_ARCH__ between"
    with pytest.raises(kernix.KernelError, match=message):
        m.scaled.bwd(np.ones(3), a=a, y=(None, np.ones(3)), block=3, grid=1)


# -- variants that do not do the same --------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def unlike(tmp_path_factory):
    path = tmp_path_factory.mktemp("unlike") / "unlike_derivatives.cu"
    path.write_text(
        """
        #include <kernix/kernix.h>
        #define COUNT [[kernix::value("x.numel()")]] int n
        #define EACH for (int i = threadIdx.x; i < n; i += blockDim.x)
        #define INOUT [[kernix::intent(inout_ptr)]]
        #define OUT [[kernix::shape("x")]]
        #define IS(NAME) [[kernix::bind(NAME), kernix::differentiable, kernix::block(32), kernix::grid(1)]] __global__ void
        IS("scale") scale_f(const float *x, INOUT float *y, COUNT) { EACH y[i] *= x[i]; }
        IS("scale") scale_d(const double *x, double *y, COUNT) { EACH y[i] = x[i] * x[i]; }
        IS("elacs") elacs_d(const double *x, double *y, COUNT) { EACH y[i] = x[i] * x[i]; }
        IS("elacs") elacs_f(const float *x, INOUT float *y, COUNT) { EACH y[i] *= x[i]; }
        IS("takes") takes_f(const float *x, float *y, OUT float *z, COUNT) {
          EACH { y[i] = 3 * x[i]; z[i] = x[i] * x[i]; }
        }
        IS("takes") takes_d(const double *x, const double *y, OUT double *z, COUNT) { EACH z[i] = x[i] * y[i]; }
        IS("gives") gives_d(const double *x, const double *y, OUT double *z, COUNT) { EACH z[i] = x[i] * y[i]; }
        IS("gives") gives_f(const float *x, float *y, OUT float *z, COUNT) {
          EACH { y[i] = 3 * x[i]; z[i] = x[i] * x[i]; }
        }
        IS("either") by_number(const double *x, double *y, double t, COUNT) { EACH y[i] = t * x[i]; }
        IS("either") by_integer(const double *x, INOUT double *y, int t, COUNT) { EACH y[i] *= t * x[i]; }
        IS("half") returned(const double *x, OUT double *y, COUNT) { EACH y[i] = x[i] / 2; }
        IS("half") in_place(const float *x, INOUT float *y, COUNT) { EACH y[i] *= x[i] / 2; }
        """
    )
    return kernix.load(path, target="cpu")


def rows(dtype, *rows):
    return [np.array(row, dtype) for row in rows]


def test_backward_of_variants_that_do_not_do_the_same(unlike):
    """The first is shown. What another would take and give is not known here, and was lost or never set."""
    x, y, w, other = rows("float32", [1, 2], [4, 5], [1, 1], [10, 10])
    gradients = unlike.scale.bwd(x, (y, w))
    assert [each.tolist() for each in gradients] == [[4, 5], [1, 2]]
    assert [each.tolist() for each in unlike.takes.bwd(x, (y, other), z=(None, np.ones(2, "float32")))] == [[32, 34]]
    message = r"^elacs_bwd: cannot be called with these arguments, since 'y' is written in .* and read and written in "
    with pytest.raises(kernix.KernelTypeError, match=message + r"elacs_f_bwd\(.*\); bind them under names of their own$"):
        unlike.elacs.bwd(x, (y, w))
    with pytest.raises(kernix.KernelTypeError, match=r"'y' is read in gives_d_bwd\(.* and written in gives_f_bwd\("):
        unlike.gives.bwd(x, (y, other), z=(None, w))
    x, y, w, other = (each.astype("float64") for each in (x, y, np.ones(2), other))
    assert [each.tolist() for each in unlike.elacs.bwd(x, (y, w))] == [[2, 4]]
    assert [each.tolist() for each in unlike.gives.bwd(x, (y, other), z=(None, w))] == [[4, 5], [11, 12]]
    for given in (y, (y, other)):  # before it says what the first wants
        with pytest.raises(kernix.KernelTypeError, match=r"'y' is written in takes_f_bwd\(.* and read in takes_d_bwd\("):
            unlike.takes.bwd(x, given, z=(None, w))
    with pytest.raises(kernix.KernelTypeError, match=r"'y' is read and written in scale_f_.* and written in scale_d_"):
        unlike.scale.bwd(x, (None, w))
    assert w.tolist() == [1, 1]


def test_forward_of_variants_that_do_not_do_the_same(unlike):
    x, dx, y, dy = rows("float32", [1, 2], [1, 1], [4, 5], [1, 1])
    (field,) = unlike.elacs.fwd((x, dx), (y, dy))  # its pairs are the same
    assert [each.tolist() for each in field] == [[4, 10], [5, 7]]
    with pytest.raises(kernix.KernelTypeError, match=r"'y' is written and returned in .* and read and written in "):
        unlike.half.fwd((x, dx), (y, dy))
    with pytest.raises(kernix.KernelTypeError, match=r"'y' is read in gives_d_fwd\(.* and written in gives_f_fwd\("):
        unlike.gives.fwd((x, dx), (y, dy))
    x, dx = x.astype("float64"), dx.astype("float64")
    assert [each.tolist() for each in unlike.half.fwd((x, dx)).y] == [[0.5, 1], [0.5, 0.5]]


def test_variants_that_numbers_tell_apart(unlike):
    x, y, w = rows("float64", [1, 2], [4, 5], [1, 1])
    assert unlike.either.bwd(x, (y, w), 2.5).x.tolist() == [2.5, 2.5]
    with pytest.raises(kernix.KernelTypeError, match=r"'y' is written in by_number_.* and read and written in by_integer_"):
        unlike.either.bwd(x, (y, w), 2)
    assert w.tolist() == [1, 1]
