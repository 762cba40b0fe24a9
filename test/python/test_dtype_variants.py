"""Operations with a variant for each dtype: instantiated or written by hand, with derivatives, wide sums of narrow values."""

import pytest

import kernix
from kernix import KernelCapability, KernelDtype, KernelRegistry

np = pytest.importorskip("numpy")
ml_dtypes = pytest.importorskip("ml_dtypes")

DTYPES = {"float32": np.float32, "float64": np.float64, "float16": np.float16, "bfloat16": ml_dtypes.bfloat16}
HALVES = ("float16", "bfloat16")

CODE = """
#include <kernix/kernix.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>

/// Explicit instantiations of the file are the variants.
template <class T>
[[kernix::bind, kernix::differentiable]]
__global__ void cube(const T *x, [[kernix::shape("x")]] T *y, [[kernix::value("x.numel()")]] int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    y[i] = x[i] * x[i] * x[i];
}
template __global__ void cube<float>(const float *, float *, int);
template __global__ void cube<double>(const double *, double *, int);
template __global__ void cube<__half>(const __half *, __half *, int);
template __global__ void cube<__nv_bfloat16>(const __nv_bfloat16 *, __nv_bfloat16 *, int);

template <class T> struct Wide { using Type = float; };
template <> struct Wide<double> { using Type = double; };

/// Rows are stored as T and summed in float.
template <class T>
[[kernix::bind, kernix::differentiable, kernix::instantiate("float", "double", "float16", "bfloat16")]]
__global__ void row_sums(kernix::TensorView<const T> x, [[kernix::shape("x.size(0)")]] T *y) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= x.size(0))
    return;
  typename Wide<T>::Type sum = 0;
  for (int i = 0; i < x.size(1); ++i)
    sum += typename Wide<T>::Type(x(row, i));
  y[row] = T(sum);
}

/// One weight is read by all threads; it is float for the halves.
template <class T>
[[kernix::bind, kernix::differentiable, kernix::instantiate("float", "__half", "__nv_bfloat16")]]
__global__ void weigh(const T *x, const float *w, [[kernix::shape("x")]] T *y, [[kernix::value("x.numel()")]] int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    y[i] = T(float(x[i]) * w[0]);
}

/// The weight is as narrow as the rest.
template <class T>
[[kernix::bind, kernix::differentiable, kernix::instantiate("float", "__half", "__nv_bfloat16")]]
__global__ void weigh_narrow(const T *x, const T *w, [[kernix::shape("x")]] T *y,
                             [[kernix::value("x.numel()")]] int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    y[i] = T(float(x[i]) * float(w[0]));
}

/// Storage and sums of two types each, bound by variables, each with launch sizes and a capability of its own.
template <class Storage, class Sum>
__global__ void dot(const Storage *a, const Storage *b, [[kernix::intent(out_return), kernix::shape("1")]] Sum *result,
                    [[kernix::value("a.numel()")]] int n) {
  if (threadIdx.x == 0) {
    Sum sum = 0;
    for (int i = 0; i < n; ++i)
      sum += Sum(a[i]) * Sum(b[i]);
    result[0] = sum;
  }
}
[[kernix::bind("dot"), kernix::block(1), kernix::grid(1)]] constexpr auto dot_float = &dot<float, double>;
[[kernix::bind("dot"), kernix::block(32), kernix::grid(1), kernix::capability(tensor_cores, 2.0, 2.0)]] constexpr auto
    dot_half = &dot<__half, float>;

/// The same by one attribute, for blocks of different size.
template <class Storage, class Sum = float, int Size = 64>
[[kernix::bind, kernix::differentiable, kernix::block(Size), kernix::grid("(x.numel() + 31) / 32"),
  kernix::instantiate("float, double, 32", "__half", "__nv_bfloat16, float")]]
__global__ void square_sum(const Storage *x, Sum scale, [[kernix::shape("1")]] Sum *y,
                           [[kernix::value("x.numel()")]] int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    atomicAdd(y, scale * Sum(x[i]) * Sum(x[i]));
}

template <class T> [[kernix::bind, kernix::instantiate("float", "double", "int", "int64", "__half")]] T twice(T x) {
  return x + x;
}
template <class T> [[kernix::bind, kernix::differentiable, kernix::instantiate("float", "double")]] T cubed(T x) {
  return x * x * x;
}

/// A function of its own for each dtype, with other shapes and attributes.
[[kernix::bind("pooled"), kernix::differentiable]]
__global__ void pooled(const float *x, [[kernix::shape("x.size(0) / 2")]] float *y, float scale,
                       [[kernix::value("x.size(0) / 2")]] int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    y[i] = scale * (x[2 * i] + x[2 * i + 1]);
}
[[kernix::bind("pooled"), kernix::differentiable, kernix::block(64)]]
__global__ void pooled(const __half *x, [[kernix::shape("x.size(0) / 4")]] float *y, float scale,
                       [[kernix::value("x.size(0) / 4")]] int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  float sum = 0;
  for (int k = 0; k < 4; ++k)
    sum += __half2float(x[4 * i + k]);
  y[i] = scale * sum;
}
"""


@pytest.fixture(scope="module")
def m():
    return kernix.load_cuda_inline("dtype_variants", CODE)


@pytest.mark.parametrize("dtype", DTYPES)
def test_explicit_instantiations(m, dtype):
    x = np.array([1, -2, 3, 0.5], DTYPES[dtype])
    y = m.cube(x)
    assert y.dtype == DTYPES[dtype]
    np.testing.assert_array_equal(y.astype(np.float64), x.astype(np.float64) ** 3)
    found = m.cube.bwd(x=x, y=(None, np.ones_like(x)))
    assert found.x.dtype == DTYPES[dtype]
    np.testing.assert_allclose(found.x.astype(np.float64), 3 * x.astype(np.float64) ** 2, rtol=1e-2)
    (pair,) = m.cube.fwd(x=(x, np.ones_like(x)))
    assert pair[1].dtype == DTYPES[dtype]
    np.testing.assert_allclose(pair[1].astype(np.float64), 3 * x.astype(np.float64) ** 2, rtol=1e-2)


@pytest.mark.parametrize("dtype", DTYPES)
def test_narrow_values_are_summed_in_float(m, dtype):
    # In a half itself the sum would stay at 2048, in bfloat16 at 256.
    x = np.ones((3, 4096), DTYPES[dtype])
    np.testing.assert_array_equal(m.row_sums(x).astype(np.float64), 4096)
    found = m.row_sums.bwd(x=x, y=(None, np.array([1, 2, 3], DTYPES[dtype])))
    assert found.x.dtype == DTYPES[dtype] and found.x.shape == x.shape
    np.testing.assert_array_equal(found.x.astype(np.float64), [[1] * 4096, [2] * 4096, [3] * 4096])


@pytest.mark.parametrize("dtype", ["float32", *HALVES])
def test_float_gradient_of_a_float_weight_of_halves(m, dtype):
    x, w = np.ones(5000, DTYPES[dtype]), np.array([0.5], np.float32)
    assert m.weigh(x, w).dtype == DTYPES[dtype]
    found = m.weigh.bwd(x=x, w=w, y=(None, np.ones_like(x)))
    assert found.x.dtype == DTYPES[dtype] and found.w.dtype == np.float32
    assert found.w[0] == 5000
    np.testing.assert_array_equal(found.x.astype(np.float32), 0.5)


@pytest.mark.parametrize("dtype", ["float32", *HALVES])
def test_gradient_of_a_narrow_weight_that_all_threads_read(m, dtype):
    # Few enough that the sum fits: a gradient has the type of its value.
    x, w = np.ones(200, DTYPES[dtype]), np.array([0.5], DTYPES[dtype])
    found = m.weigh_narrow.bwd(x=x, w=w, y=(None, np.ones_like(x)))
    assert found.w.dtype == DTYPES[dtype]
    assert float(found.w[0]) == pytest.approx(200, rel=0.01)


def test_storage_and_sums_of_different_types(m):
    a = np.full(4096, 1, np.float16)
    result = m.dot(a, a)
    assert result.dtype == np.float32 and result[0] == 4096
    a = np.full(3, 1 + 2**-20, np.float32)
    assert m.dot(a, a).dtype == np.float64
    assert m.dot(a, a)[0] == 3 * float(a[0]) ** 2
    first, second = m.dot.info["variants"]
    assert first["launch"]["block"] == ["1"] and second["launch"]["block"] == ["32"]
    selector = KernelRegistry.get_or_create_selector("cpu")
    assert selector.capability(m.dot, "float16") == KernelCapability("float16", True, True, 2.0, 2.0)
    assert selector.capability(m.dot, "float32") == KernelCapability("float32")


@pytest.mark.parametrize(
    ("dtype", "summed", "block"),
    [("float32", "float64", "32"), ("float16", "float32", "64"), ("bfloat16", "float32", "64")],
)
def test_storage_and_sums_by_one_attribute(m, dtype, summed, block):
    x = np.ones(4096, DTYPES[dtype])
    y = np.zeros(1, DTYPES[summed])
    m.square_sum(x, 2.0, y=y)
    assert y[0] == 8192
    found = m.square_sum.bwd(x=x, scale=2.0, y=(y, np.full(1, 3, DTYPES[summed])))
    assert found.x.dtype == DTYPES[dtype]
    np.testing.assert_array_equal(found.x.astype(np.float64), 12)
    (variant,) = (each for each in m.square_sum.info["variants"] if each["parameters"][0]["dtype"] == dtype)
    assert variant["launch"]["block"] == [block]


def test_variants_of_scalars_alone(m):
    """Python's numbers take the widest of their kind."""
    assert m.twice(0.1) == 0.2
    assert m.twice(2**40) == 2**41 and type(m.twice(3)) is int
    assert m.twice(np.float32(1.5)) == 3.0
    assert m.cubed.bwd(x=0.1, result=(None, 1.0)).x == 3 * 0.1 * 0.1


def test_each_function_has_its_shapes_and_derivatives(m):
    x = np.arange(8, dtype=np.float32)
    np.testing.assert_array_equal(m.pooled(x, 2.0), [2, 10, 18, 26])
    np.testing.assert_array_equal(m.pooled(x.astype(np.float16), 0.5), [3, 11])
    single = m.pooled.bwd(x=x, scale=2.0, y=(None, np.ones(4, np.float32)))
    half = m.pooled.bwd(x=x.astype(np.float16), scale=0.5, y=(None, np.array([1, 2], np.float32)))
    np.testing.assert_array_equal(single.x, [2] * 8)
    assert half.x.dtype == np.float16
    np.testing.assert_array_equal(half.x, [0.5] * 4 + [1] * 4)


def test_kernel_dtypes_of_the_variants(m):
    selector = KernelRegistry.get_or_create_selector("cpu")
    single, half, bfloat = KernelDtype.Float32, KernelDtype.Float16, KernelDtype.BFloat16
    expected = {
        "cube": (single, half, bfloat),
        "row_sums": (single, half, bfloat),
        "weigh": (single, half, bfloat),
        "dot": (single, half),
        "pooled": (single, half),
    }
    for name, dtypes in expected.items():
        assert tuple(dtype for dtype in KernelDtype if selector.is_kernel_available(name, dtype)) == dtypes, name


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_torch_gradients_of_halves(m, dtype):
    torch = pytest.importorskip("torch")
    x = torch.linspace(-1, 1, 64).to(getattr(torch, dtype)).requires_grad_()
    w = torch.tensor([0.5], requires_grad=True)
    m.weigh(x, w).float().sum().backward()
    assert x.grad.dtype is x.dtype and w.grad.dtype is torch.float32
    torch.testing.assert_close(w.grad[0], x.detach().float().sum(), atol=1e-2, rtol=1e-2)
    np.testing.assert_array_equal(x.grad.float().numpy(), 0.5)


def test_gradcheck_uses_the_variant_of_doubles(m):
    result = kernix.gradcheck(m.cube, np.array([1.0, 2.0, 3.0], np.float32))
    assert result.ok, result


@pytest.mark.parametrize("dtype", HALVES)
def test_preferred_dtype_with_gradients(m, dtype):
    torch = pytest.importorskip("torch")
    x, w = torch.full((64,), 0.25, requires_grad=True), torch.tensor([3.0], requires_grad=True)
    with kernix.prefer(dtype):
        y = m.weigh(x, w)
    assert y.dtype is getattr(torch, dtype)
    y.float().sum().backward()
    assert x.grad.dtype is w.grad.dtype is torch.float32
    assert w.grad.item() == 16 and x.grad[0].item() == 3
