"""Calls of operations with variants: a preferred dtype, policies, mixed inputs."""

import asyncio
import contextvars
import threading

import pytest

import kernix
from kernix import KernelCapability, KernelRegistry

np = pytest.importorskip("numpy")
ml_dtypes = pytest.importorskip("ml_dtypes")

CODE = """
#include <kernix/kernix.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>

template <class T>
[[kernix::bind, kernix::differentiable, kernix::instantiate("float", "double", "__half", "__nv_bfloat16")]]
__global__ void weigh(const T *x, const T *z, const float *w, [[kernix::shape("x")]] T *y, float scale = 1.0f,
                      [[kernix::value("x.numel()")]] int n = 0) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    y[i] = T(float(x[i]) * float(z[i]) * w[0] * scale);
}

[[kernix::bind("blend")]] __global__ void blend(const float *a, const float *b, [[kernix::shape("a")]] float *c,
                                                [[kernix::value("a.numel()")]] int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    c[i] = a[i] + b[i];
}
[[kernix::bind("blend")]] __global__ void blend(const __half *a, const float *b, [[kernix::shape("a")]] float *c,
                                                [[kernix::value("a.numel()")]] int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    c[i] = __half2float(a[i]) + b[i] + 100;
}

template <class T>
[[kernix::bind, kernix::instantiate("float", "__half")]]
__global__ void add_to(const T *x, T *sum, [[kernix::value("x.numel()")]] int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    sum[i] = T(float(sum[i]) + float(x[i]));
}

template <class T>
[[kernix::bind, kernix::instantiate("float", "__half")]]
__global__ void halve(const T *x, [[kernix::shape("x")]] T *y, [[kernix::value("x.numel()")]] int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    y[i] = T(float(x[i]) / 2);
}

[[kernix::bind]] __global__ void only_half(const __half *x, [[kernix::shape("x")]] __half *y,
                                           [[kernix::value("x.numel()")]] int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    y[i] = x[i];
}

[[kernix::bind]] __global__ void single(const float *x, [[kernix::shape("x")]] float *y,
                                        [[kernix::value("x.numel()")]] int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    y[i] = x[i];
}
"""

X = np.array([1.0, 2.0, 3.0], np.float32)
W = np.array([2.0], np.float32)


@pytest.fixture(scope="module")
def m():
    return kernix.load_cuda_inline("preferences", CODE)


@pytest.fixture(autouse=True)
def nothing_registered():
    KernelRegistry.clear()
    yield
    KernelRegistry.clear()
    kernix.prefer_everywhere(None)


@pytest.fixture
def selector():
    return KernelRegistry.get_or_create_selector("cpu")


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_float32_is_cast(m, dtype):
    with kernix.prefer(dtype):
        y = m.weigh(X, X, W)
    assert y.dtype == dtype
    np.testing.assert_array_equal(y.astype(np.float32), 2 * X * X)
    assert m.weigh(X, X, W).dtype == np.float32


def test_halves_become_float32_where_that_is_preferred(m):
    with kernix.prefer("float32"):
        assert m.weigh(X.astype(np.float16), X, W, scale=2.0).dtype == np.float32


def test_some_inputs_have_the_dtype_already(m):
    with kernix.prefer("bfloat16"):
        assert m.weigh(X, X.astype(ml_dtypes.bfloat16), W).dtype == ml_dtypes.bfloat16


def test_what_cannot_be_cast_keeps_its_dtypes(m):
    given = np.zeros_like(X)
    total = np.zeros_like(X)
    with kernix.prefer("float16"):
        assert m.weigh(X.astype(np.float64), X.astype(np.float64), W).dtype == np.float64
        assert m.weigh(X.astype(ml_dtypes.bfloat16), X.astype(ml_dtypes.bfloat16), W).dtype == ml_dtypes.bfloat16
        assert m.weigh(X, X, W, y=given) is given
        m.add_to(X, total)
        assert m.single(X).dtype == np.float32
    np.testing.assert_array_equal(given, 2 * X * X)
    np.testing.assert_array_equal(total, X)


def test_an_operation_of_one_function(m, selector):
    with pytest.raises(TypeError, match="expected a tensor of float16, got one of float32"):
        m.only_half(X)
    with kernix.prefer("float16"):
        assert m.only_half(X).dtype == np.float16
    with pytest.raises(TypeError, match="expected a tensor of float32, got one of float16"):
        m.single(X.astype(np.float16))
    selector.set_policy(m.single, "promote")
    assert m.single(X.astype(np.float16)).dtype == np.float32


def test_launch_sizes_and_keywords_go_through(m):
    with kernix.prefer("float16"):
        y = m.weigh(z=X, x=X, w=W, scale=0.5, block=32, grid=1)
    np.testing.assert_array_equal(y, (X * X).astype(np.float16))


def test_errors_are_those_of_any_call(m):
    with kernix.prefer("float16"), pytest.raises(kernix.KernelTypeError, match=r"weigh: no variant takes these arguments \(x: a tensor of int32"):
        m.weigh(X.astype(np.int32), X, W)
    with kernix.prefer("float16"), pytest.raises(TypeError):
        m.weigh(X)


def test_blocks_nest_and_end(m):
    with kernix.prefer("bfloat16"):
        with kernix.prefer("float16"):
            assert m.weigh(X, X, W).dtype == np.float16
        with kernix.prefer("auto"):
            assert m.weigh(X, X, W).dtype == np.float32
        assert m.weigh(X, X, W).dtype == ml_dtypes.bfloat16
        with pytest.raises(ZeroDivisionError), kernix.prefer("float16"):
            raise ZeroDivisionError
        assert m.weigh(X, X, W).dtype == ml_dtypes.bfloat16
    assert m.weigh(X, X, W).dtype == np.float32


def test_as_a_decorator(m):
    @kernix.prefer("float16")
    def f():
        return m.weigh(X, X, W)

    assert f().dtype == f().dtype == np.float16


def test_everywhere(m):
    kernix.prefer_everywhere("float16")
    found = []
    thread = threading.Thread(target=lambda: found.append(m.weigh(X, X, W).dtype))
    thread.start()
    thread.join()
    assert found == [np.float16]
    with kernix.prefer("bfloat16"):
        assert m.weigh(X, X, W).dtype == ml_dtypes.bfloat16
    with kernix.prefer("auto"):
        assert m.weigh(X, X, W).dtype == np.float32
    kernix.prefer_everywhere(None)
    assert m.weigh(X, X, W).dtype == np.float32


def test_other_threads_and_tasks_are_not_concerned(m):
    found = {}

    def in_thread():
        found["thread"] = m.weigh(X, X, W).dtype

    with kernix.prefer("float16"):
        thread = threading.Thread(target=in_thread)
        thread.start()
        thread.join()
        context = contextvars.copy_context()
    assert found["thread"] == np.float32 or hasattr(threading.Thread, "context")
    assert context.run(lambda: m.weigh(X, X, W).dtype) == np.float16

    async def task(dtype):
        with kernix.prefer(dtype):
            await asyncio.sleep(0)
            return m.weigh(X, X, W).dtype

    async def both():
        return await asyncio.gather(task("float16"), task("bfloat16"))

    assert asyncio.run(both()) == [np.float16, ml_dtypes.bfloat16]


@pytest.mark.parametrize("wrong", ["float17", "float64", "mixed", None, 3])
def test_wrong_preferences(wrong):
    with pytest.raises(ValueError):
        kernix.prefer(wrong)


def test_an_unavailable_variant_is_not_preferred(m, selector):
    selector.register_kernel_capability(m.weigh, KernelCapability("float16", is_available=False))
    with kernix.prefer("float16"):
        assert m.weigh(X, X, W).dtype == np.float32


def test_calls_do_not_take_an_unavailable_variant(m, selector):
    half = X.astype(np.float16)
    selector.register_kernel_capability(m.weigh, KernelCapability("float16", is_available=False))
    with pytest.raises(kernix.KernelTypeError, match="weigh: no variant takes these arguments") as error:
        m.weigh(half, half, W)
    rows = str(error.value).splitlines()[1:]
    assert [row.endswith("(not available on cpu)") for row in rows] == [False, False, True, False]
    assert m.weigh(X, X, W).dtype == np.float32
    selector.set_policy(m.weigh, "promote")
    assert m.weigh(half, half, W).dtype == np.float32
    selector.register_kernel_capability(m.weigh, KernelCapability("float16"))
    assert m.weigh(half, half, W).dtype == np.float16


def test_an_unavailable_function_without_other_variants(m, selector):
    selector.register_kernel_capability(m.single, KernelCapability("float32", is_available=False))
    with pytest.raises(kernix.KernelTypeError, match=r"\n  single\(.*\(not available on cpu\)$"):
        m.single(X)
    # Another device's does not concern this one.
    selector.register_kernel_capability(m.single, KernelCapability("float32"))
    KernelRegistry.get_or_create_selector("cuda").register_kernel_capability(
        m.single, KernelCapability("float32", is_available=False)
    )
    np.testing.assert_array_equal(m.single(X), X)


CALLER = """
#include <kernix/call.h>
#include <kernix/kernel_selector.h>
#include <kernix/kernix.h>

/// The bits of the result that the call of a module's operation has with tensors of float.
[[kernix::bind]] int result_bits(const char *path, const char *operation, kernix::TensorView<const float> x) {
  kernix::Module module(path);
  return module[operation](kernix::array(x.data(), {3})).tensor().raw().dtype.bits;
}
/// What C++ does with a preference itself.
[[kernix::bind]] int selected(const char *operation) {
  auto selector = kernix::KernelRegistry::get_or_create_selector("cpu");
  return static_cast<int>(selector.select_best_kernel(operation, {kernix::DType::Float32}, kernix::KernelDtype::Float16));
}
"""


def test_callers_from_cxx(m, selector):
    """They get the variant that their dtypes fit, and know the same selector."""
    caller = kernix.load_cuda_inline("caller", CALLER)
    path = m.only_half._details._module.libraries["cpu"].path
    selector.set_policy(m.halve, "ranked")
    selector.register_kernel_capability(m.halve, KernelCapability("float16", performance_factor=9.0))
    with kernix.prefer("float16"):
        assert m.halve(X).dtype == np.float16
        assert caller.result_bits(path, "halve", X) == 32
    assert m.halve(X).dtype == np.float16
    assert caller.result_bits(path, "halve", X) == 32
    assert caller.selected("halve") == kernix.KernelDtype.Float16
    selector.register_kernel_capability(m.halve, KernelCapability("float32", is_available=False))
    with pytest.raises(kernix.KernelError, match="halve: no variant takes these arguments"):
        caller.result_bits(path, "halve", X)


def test_variant_for_mixed_inputs(m):
    np.testing.assert_array_equal(m.blend(X.astype(np.float16), X), 2 * X + 100)
    np.testing.assert_array_equal(m.blend(X, X), 2 * X)
    with pytest.raises(TypeError, match="blend: no variant takes these arguments") as error:
        m.blend(X, X.astype(np.float16))
    assert str(error.value).count("\n") == 2


def test_mixed_inputs_without_such_a_variant(m, selector):
    with pytest.raises(TypeError, match="no variant takes"):
        m.weigh(X.astype(np.float16), X, W)
    selector.set_policy(m.weigh, "promote")
    y = m.weigh(X.astype(np.float16), X, W)
    assert y.dtype == np.float32
    np.testing.assert_array_equal(y, 2 * X * X)
    assert m.weigh(X.astype(np.float16), X.astype(ml_dtypes.bfloat16), W).dtype == np.float32
    assert m.weigh(X.astype(np.float16), X.astype(np.float16), W).dtype == np.float16
    with pytest.raises(TypeError, match="no variant takes"):
        m.weigh(X.astype(np.float64), X, W)
    selector.set_policy(m.weigh, "seed")
    with pytest.raises(TypeError, match="no variant takes"):
        m.weigh(X.astype(np.float16), X, W)


def test_ranked(m, selector):
    selector.register_kernel_capability(m.weigh, KernelCapability("float16", performance_factor=3.0))
    assert m.weigh(X, X, W).dtype == np.float32
    selector.set_policy(m.weigh, "ranked")
    assert m.weigh(X, X, W).dtype == np.float16
    assert m.weigh(X.astype(np.float64), X.astype(np.float64), W).dtype == np.float64
    for dtype, time in (("float32", 2.0), ("float16", 3.0), ("bfloat16", 1.0)):
        for _ in range(10):
            selector.update_performance_stats(m.weigh, dtype, time)
    assert m.weigh(X, X, W).dtype == ml_dtypes.bfloat16
    with kernix.prefer("float16"):
        assert m.weigh(X, X, W).dtype == np.float16


def test_torch(m):
    torch = pytest.importorskip("torch")
    x = torch.tensor(X, requires_grad=True)
    with kernix.prefer("bfloat16"):
        y = m.weigh(x, x.detach(), torch.tensor(W))
    assert y.dtype is torch.bfloat16
    y.float().sum().backward()
    assert x.grad.dtype is torch.float32
    torch.testing.assert_close(x.grad, 2 * x.detach())


def test_backward_inside_of_the_block(m):
    torch = pytest.importorskip("torch")
    x = torch.tensor(X, requires_grad=True)
    y = m.weigh(x, x.detach(), torch.tensor(W))
    with kernix.prefer("float16"):
        y.sum().backward()
    torch.testing.assert_close(x.grad, 2 * x.detach())


def test_what_torch_compiles_is_refused(m):
    torch = pytest.importorskip("torch")
    x, w = torch.tensor(X), torch.tensor(W)
    compiled = torch.compile(lambda x, w: m.weigh(x, x, w), backend="eager", fullgraph=True)
    with kernix.prefer("float16"), pytest.raises(Exception, match="torch.compile keeps what it compiles"):
        compiled(x, w)
    assert compiled(x, w).dtype is torch.float32


def test_policy_with_torch_gradients(m, selector):
    torch = pytest.importorskip("torch")
    selector.set_policy(m.weigh, "promote")
    x = torch.tensor(X, dtype=torch.float16, requires_grad=True)
    y = m.weigh(x, torch.tensor(X), torch.tensor(W))
    assert y.dtype is torch.float32
    y.sum().backward()
    assert x.grad.dtype is torch.float16
    torch.testing.assert_close(x.grad, torch.tensor(2 * X, dtype=torch.float16))


def test_jax(m):
    jax = pytest.importorskip("jax")
    x, w = jax.numpy.asarray(X), jax.numpy.asarray(W)
    with kernix.prefer("bfloat16"):
        y = m.weigh(x, x, w)
    assert y.dtype == jax.numpy.bfloat16
    np.testing.assert_array_equal(y.astype(np.float32), 2 * X * X)
    with kernix.prefer("bfloat16"), pytest.raises(kernix.KernelTypeError, match="JAX keeps what it compiles"):
        jax.jit(m.weigh)(x, x, w)
    with kernix.prefer("bfloat16"), kernix.prefer("auto"):
        assert jax.jit(m.weigh)(x, x, w).dtype == np.float32


def test_promotion_under_jit(m, selector, jax_on_cpu):
    jax = jax_on_cpu
    selector.set_policy(m.weigh, "promote")
    x, w = jax.numpy.asarray(X), jax.numpy.asarray(W)
    assert jax.jit(m.weigh)(x.astype("float16"), x, w).dtype == np.float32


def test_without_ml_dtypes(m, monkeypatch):
    import sys

    from kernix import _support

    monkeypatch.setitem(sys.modules, "ml_dtypes", None)
    monkeypatch.setattr(_support, "_numpy_dtypes", {})
    with kernix.prefer("bfloat16"), pytest.raises(kernix.KernelError, match="install ml_dtypes"):
        m.weigh(X, X, W)


def test_arrays_that_kernix_cannot_cast(m):
    class Wrapped:
        """Somebody's array."""

        def __init__(self, array):
            self.array = array
            self.dtype = array.dtype

        def __dlpack__(self, **keywords):
            return self.array.__dlpack__(**keywords)

        def __dlpack_device__(self):
            return self.array.__dlpack_device__()

    assert m.weigh(Wrapped(X), Wrapped(X), W) is not None
    with kernix.prefer("float16"), pytest.raises(TypeError, match="argument 'x': expected a tensor of float16, and kernix cannot cast"):
        m.weigh(Wrapped(X), Wrapped(X), W)
