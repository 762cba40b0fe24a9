"""Which variant tensors of given dtypes take, and which casts that needs."""

import subprocess
import sys

import pytest

import kernix
from kernix import KernelCapability, KernelDtype, KernelSelector
from kernix.variants import choose

CODE = """
#include <kernix/kernix.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>

/// Weights are float in every variant.
template <class T>
[[kernix::bind, kernix::instantiate("float", "double", "__half", "__nv_bfloat16")]]
__global__ void weigh(const T *x, const T *z, const float *w, [[kernix::shape("x")]] T *y,
                      [[kernix::value("x.numel()")]] int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    y[i] = T((float(x[i]) + float(z[i])) * w[0]);
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
    c[i] = __half2float(a[i]) + b[i];
}

[[kernix::bind("blend")]] __global__ void blend(const __half *a, const __half *b, [[kernix::shape("a")]] __half *c,
                                                [[kernix::value("a.numel()")]] int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    c[i] = __hadd(a[i], b[i]);
}

template <class T>
[[kernix::bind, kernix::instantiate("float", "__half")]]
__global__ void add_to(const T *x, T *sum, [[kernix::value("x.numel()")]] int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    sum[i] = T(float(sum[i]) + float(x[i]));
}
template <class T>
[[kernix::bind, kernix::instantiate("int", "double")]]
__global__ void count(const T *x, [[kernix::shape("x")]] T *y, [[kernix::value("x.numel()")]] int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    y[i] = x[i];
}
"""


@pytest.fixture(scope="module")
def module():
    return kernix.load_cuda_inline("variants", CODE)


def summary(choice):
    return choice.dtype, dict(choice.casts), choice.reason


def test_exact(module):
    assert summary(choose(module.weigh, ["float16", "float16", "float32"])) == (KernelDtype.Float16, {}, "input")
    assert summary(choose(module.weigh, {"x": "float64", "z": "float64"})) == (KernelDtype.Auto, {}, "input")
    assert choose(module.weigh, ["float64"]).variant == 1
    assert summary(choose(module.count, ["int32"])) == (KernelDtype.Auto, {}, "input")


def test_variant_for_mixed_inputs(module):
    assert summary(choose(module.blend, ["float16", "float32"])) == (KernelDtype.Mixed, {}, "mixed")
    assert summary(choose(module.blend, ["float32", "float32"])) == (KernelDtype.Float32, {}, "input")


def test_preferred_dtype_casts_float32_to_it(module):
    chosen = choose(module.weigh, ["float32", "bfloat16", "float32"], "bfloat16")
    assert summary(chosen) == (KernelDtype.BFloat16, {"x": "bfloat16"}, "preferred")
    chosen = choose(module.weigh, ["float16", "float16", "float32"], "float32")
    assert summary(chosen) == (KernelDtype.Float32, {"x": "float32", "z": "float32"}, "preferred")


def test_preferred_dtype_that_cannot_be_is_left(module):
    """Neither another half nor float64 is cast, nor an output that the caller gives or that is read and written."""
    for dtypes in (["float16"] * 2, ["float64"] * 2):
        assert choose(module.weigh, dtypes, "bfloat16").reason == "input"
    assert choose(module.weigh, {"x": "float32", "z": "float32", "y": "float32"}, "float16").dtype is KernelDtype.Float32
    assert choose(module.add_to, {"x": "float32", "sum": "float32"}, "float16").dtype is KernelDtype.Float32
    assert choose(module.count, ["int32"], "float16").reason == "input"
    assert choose(module.weigh, ["float32"] * 3, "auto").dtype is KernelDtype.Float32


def test_availability_counts_for_what_is_preferred(module):
    selector = KernelSelector("cpu")
    selector.register_kernel_capability("weigh", KernelCapability("bfloat16", is_available=False))
    selector.register_kernel_capability("weigh", KernelCapability("float16"))
    assert choose(module.weigh, ["float32"] * 3, "bfloat16", selector=selector).dtype is KernelDtype.Float32
    assert choose(module.weigh, ["float32"] * 3, "float16", selector=selector).dtype is KernelDtype.Float16


def test_what_is_unavailable_does_not_fit(module):
    selector = selector_with("promote", KernelCapability("float32"), KernelCapability("float16", is_available=False))
    chosen = choose(module.weigh, ["float16", "float16"], selector=selector)
    assert summary(chosen) == (KernelDtype.Float32, {"x": "float32", "z": "float32"}, "promoted")
    selector.set_policy("weigh", "seed")
    with pytest.raises(TypeError) as error:
        choose(module.weigh, ["float16", "float16"], selector=selector)
    assert [line.endswith("(not available)") for line in str(error.value).splitlines()[1:]] == [False, False, True, False]
    # One that nobody has registered is there all the same.
    assert choose(module.weigh, ["bfloat16", "bfloat16"], selector=selector).dtype is KernelDtype.BFloat16


def selector_with(policy, *capabilities):
    selector = KernelSelector("cpu")
    for capability in capabilities:
        selector.register_kernel_capability("weigh", capability)
    selector.set_policy("weigh", policy)
    return selector


def test_policy_promote(module):
    selector = selector_with("promote", KernelCapability("float32"), KernelCapability("float16"))
    chosen = choose(module.weigh, ["float16", "float32", "float32"], selector=selector)
    assert summary(chosen) == (KernelDtype.Float32, {"x": "float32"}, "promoted")
    chosen = choose(module.weigh, ["float16", "bfloat16"], selector=selector)
    assert summary(chosen) == (KernelDtype.Float32, {"x": "float32", "z": "float32"}, "promoted")
    # Nothing is cast where it fits, and nothing is narrowed.
    assert choose(module.weigh, ["float16", "float16"], selector=selector).casts == {}
    with pytest.raises(TypeError, match="no variant takes"):
        choose(module.weigh, ["float32", "float64"], selector=selector)


def test_policy_ranked(module):
    fast = KernelCapability("float16", performance_factor=2.0)
    selector = selector_with("ranked", KernelCapability("float32"), fast)
    chosen = choose(module.weigh, ["float32", "float32", "float32"], selector=selector)
    assert summary(chosen) == (KernelDtype.Float16, {"x": "float16", "z": "float16"}, "factor")
    for _ in range(10):
        selector.update_performance_stats("weigh", "float16", 3.0)
        selector.update_performance_stats("weigh", "float32", 1.0)
    chosen = choose(module.weigh, ["float16", "float16"], selector=selector)
    assert summary(chosen) == (KernelDtype.Float32, {"x": "float32", "z": "float32"}, "measured")
    assert choose(module.weigh, ["float64", "float64"], selector=selector).reason == "input"


def test_what_there_is_not(module):
    with pytest.raises(kernix.KernelTypeError) as error:
        choose(module.weigh, ["float16", "float32", "float32"])
    text = str(error.value)
    assert text.startswith("weigh: no variant takes these arguments (x: a tensor of float16, z: a tensor of float32, w: ")
    assert text.count("\n") == 4 and "weigh<__half>(" in text
    with pytest.raises(TypeError, match="has no tensor argument 'q'"):
        choose(module.weigh, {"q": "float16"})
    with pytest.raises(TypeError, match="expected at most 3 dtypes"):
        choose(module.weigh, ["float16"] * 4)
    with pytest.raises(ValueError, match="got 'float17'"):
        choose(module.weigh, ["float17"])


def test_bound_variants_are_registered(module):
    for selector in (kernix.KernelRegistry.get_or_create_selector("cpu"), fresh()):
        assert [selector.is_kernel_available("weigh", dtype) for dtype in KernelDtype] == [True, True, True, False, False]
        assert [selector.is_kernel_available(module.blend, dtype) for dtype in KernelDtype] == [True, True, False, True, False]
        assert not any(selector.is_kernel_available("count", dtype) for dtype in KernelDtype)


BOUND_DEFAULT = """
import kernix
from kernix import KernelDtype, KernelRegistry

KernelRegistry.get_or_create_selector("cpu")
module = kernix.load_cuda_inline("default_names", '''
#include <kernix/kernix.h>
[[kernix::bind]] __global__ void matmul(const float *x, [[kernix::shape("x")]] float *y) { y[0] = x[0]; }
''')
for _ in range(2):
    selector = KernelRegistry.get_or_create_selector("cpu")
    assert [selector.is_kernel_available(module.matmul, dtype) for dtype in KernelDtype] == [True] + 4 * [False]
    assert selector.is_kernel_available("conv2d", "float16")
    KernelRegistry.clear()
"""


def test_bound_variants_take_the_place_of_defaults():
    """Kernels that nobody has written are never measured, and policy ranked would wait for them. In a process of its own,
    which keeps what it has bound."""
    subprocess.run([sys.executable, "-c", BOUND_DEFAULT], check=True)


def test_variants_are_known_to_targets_that_are_not_open_yet(module):
    for device in ("cpu", "cuda:0", "cuda:7"):
        selector = kernix.KernelRegistry.get_or_create_selector(device)
        assert selector.is_kernel_available(module.weigh, "bfloat16")
        selector.set_policy(module.weigh, "ranked")
    kernix.KernelRegistry.clear()


def fresh():
    kernix.KernelRegistry.clear()
    return kernix.KernelRegistry.get_or_create_selector("cpu")


def test_capability_attribute():
    module = kernix.load_cuda_inline(
        "with_capability",
        """
#include <kernix/kernix.h>
#include <cuda_fp16.h>
/// Not "capability":{"tensor_cores":true}.
[[kernix::bind("halve"), kernix::capability(plain, 1.5, 0.25)]]
__global__ void halve(const float *x, [[kernix::shape("x")]] float *y) { y[0] = x[0] / 2; }
[[kernix::bind("halve"), kernix::capability(tensor_cores, 4)]]
__global__ void halve(const __half *x, [[kernix::shape("x")]] __half *y) { y[0] = __hdiv(x[0], __half(2.0f)); }
[[kernix::bind, kernix::capability(plain, 1e300, 1e-300)]]
__global__ void extreme(const float *x, [[kernix::shape("x")]] float *y) { y[0] = x[0]; }
""",
    )
    selector = kernix.KernelRegistry.get_or_create_selector("cpu")
    assert selector.capability(module.halve, "float32") == KernelCapability("float32", True, False, 1.5, 0.25)
    assert selector.capability(module.halve, "float16") == KernelCapability("float16", True, True, 4.0, 1.0)
    extreme = selector.capability("extreme", "float32")
    assert extreme.performance_factor > 1e38 and 0 < extreme.memory_efficiency < 1e-44
