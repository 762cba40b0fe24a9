"""The examples of arg_spec's documentation, each as it stands there, run on the CPU target and compiled for CUDA."""

import numpy as np
import pytest

import kernix
from conftest import needs_toolkit

# "CUDA Header Convention", with something in the place of its dots.
HEADER_CONVENTION = """
#include <cuda_runtime.h>        // ← required for cudaStream_t, etc.
#include "brainevent/common.h"   // BE::Tensor, BE_CUDA_CHECK, ...

__global__ void twice(const float *x, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    y[i] = 2 * x[i];
}

// @BE my_kernel arg ret stream
void my_kernel(const BE::Tensor x, BE::Tensor out, int64_t stream) {
    auto s = (cudaStream_t)stream;
    twice<<<(x.numel() + 255) / 256, 256, 0, s>>>(x.data_ptr<float>(), out.data_ptr<float>(), x.numel());
    BE_CHECK_KERNEL_LAUNCH();
}
"""

FUNCTIONS = """
#include <cuda_runtime.h>
#include "brainevent/common.h"

template <class F> __global__ void apply(float *y, int n, F f) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    y[i] = f(i);
}
template <class F> void launch(BE::Tensor y, int64_t stream, F f) {
  apply<<<(y.numel() + 255) / 256, 256, 0, (cudaStream_t)stream>>>(static_cast<float *>(y.data_ptr()), y.numel(), f);
  BE_CHECK_KERNEL_LAUNCH();
}

void vector_add(const BE::Tensor a, const BE::Tensor b, BE::Tensor out, int64_t stream) {
  const float *p = a.data_ptr<const float>(), *q = b.data_ptr<const float>();
  launch(out, stream, [=] __device__(int i) { return p[i] + q[i]; });
}
void scale_by(const BE::Tensor x, BE::Tensor out, float scale_factor, int64_t stream) {
  const float *p = x.data_ptr<const float>();
  launch(out, stream, [=] __device__(int i) { return scale_factor * p[i]; });
}
void split(const BE::Tensor x, BE::Tensor first, BE::Tensor second, int64_t stream) {
  const float *p = x.data_ptr<const float>();
  const int n = first.numel();
  launch(first, stream, [=] __device__(int i) { return p[i]; });
  launch(second, stream, [=] __device__(int i) { return p[i + n]; });
}
void scale_add(const BE::Tensor x, BE::Tensor out, float scale, float offset, int64_t stream) {
  const float *p = x.data_ptr<const float>();
  launch(out, stream, [=] __device__(int i) { return scale * p[i] + offset; });
}
"""

# "Examples": what functions= is, and whether the call is right.
X = np.arange(4, dtype="float32")


def check_vector_add(module):
    out = np.zeros(4, "float32")
    module.vector_add(X, 10 * X, out)
    assert (out == 11 * X).all()


def check_scale_by(module):
    out = np.zeros(4, "float32")
    module.scale_by(X, out, scale_factor=np.float32(3.0))
    assert (out == 3 * X).all()


def check_split(module):
    first, second = np.zeros(2, "float32"), np.zeros(2, "float32")
    module.split(X, first, second)
    assert (first.tolist(), second.tolist()) == ([0, 1], [2, 3])


def check_scale_add(module):
    out = np.zeros(4, "float32")
    module.scale_add(X, out, scale=2.0, offset=0.5)
    assert (out == 2 * X + 0.5).all()


EXAMPLES = {
    "basic": (dict(functions={"vector_add": ["arg", "arg", "ret", "stream"]}), check_vector_add),
    "bare form": (dict(functions={"scale_by": ["arg", "ret", "attr.scale_factor", "stream"]}), check_scale_by),
    "explicit form": (dict(functions={"scale_by": ["arg", "ret", "attr.scale_factor:float32", "stream"]}), check_scale_by),
    "multiple outputs": (dict(functions={"split": ["arg", "ret", "ret", "stream"]}), check_split),
    "multiple attributes": (
        dict(functions={"scale_add": ["arg", "ret", "attr.scale", "attr.offset", "stream"]}),
        check_scale_add,
    ),
    "kernix style": (dict(functions={"vector_add": ["args", "args", "rets", "ctx.stream"]}), check_vector_add),
    "kernix style, attribute": (
        dict(functions={"scale_by": ["args", "rets", "attrs.scale_factor", "ctx.stream"]}),
        check_scale_by,
    ),
}

# "Function Signature Convention" and "Auto-Detection": declarations, defined below.
DECLARATIONS = """
#include <cuda_runtime.h>
#include "brainevent/common.h"

// Matches: ["arg", "ret", "attr.scale", "stream"]
void my_kernel(const BE::Tensor input,
               BE::Tensor output,
               float scale,
               int64_t stream);

// Auto-detected as ["arg", "ret"]
void add_one(const BE::Tensor x, BE::Tensor y);

void my_kernel(const BE::Tensor input, BE::Tensor output, float scale, int64_t) {
  output.data_ptr<float>()[0] = scale * input.data_ptr<float>()[0];
}
void add_one(const BE::Tensor x, BE::Tensor y) {
  for (int64_t i = 0; i < x.numel(); ++i)
    y.data_ptr<float>()[i] = x.data_ptr<float>()[i] + 1;
}
"""

# The note on float16 and bfloat16.
RAW_BITS = """
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include "brainevent/common.h"

void scaled(BE::Tensor out, uint16_t bits) {
  __half h = *reinterpret_cast<const __half*>(&bits);
  out.data_ptr<float>()[0] = __half2float(h);
}
"""


def load(source, functions=None, **options):
    return kernix.load_cuda_inline("example", source, functions, optimization_level=1, **options)


def test_header_convention():
    out = np.zeros(4, "float32")
    load(HEADER_CONVENTION).my_kernel(X, out)
    assert (out == 2 * X).all()


@pytest.mark.parametrize("example", EXAMPLES)
def test_example(example):
    arguments, check = EXAMPLES[example]
    check(load(FUNCTIONS, **arguments))


@pytest.mark.parametrize("functions", [["my_kernel"], {"my_kernel": ["arg", "ret", "attr.scale", "stream"]}])
def test_signature_convention(functions):
    module = load(DECLARATIONS, functions)
    assert module.my_kernel.info["arg_spec"] == ["arg", "ret", "attr.scale:float32", "stream"]
    out = np.zeros(1, "float32")
    module.my_kernel(np.ones(1, "float32"), out, 3)
    assert out[0] == 3


@pytest.mark.parametrize("functions", [["add_one"], {"add_one": ["arg", "ret"]}])
@pytest.mark.parametrize("loader", [kernix.load_cuda_inline, kernix.load_cpp_inline])
def test_auto_detection(loader, functions):
    module = loader("detected", DECLARATIONS, functions, optimization_level=1)
    assert module.add_one.info["arg_spec"] == ["arg", "ret"]
    y = np.zeros(4, "float32")
    module.add_one(X, y)
    assert (y == X + 1).all()


@pytest.mark.parametrize("spec", ["ret attr.bits:float16", None])
def test_raw_bits(spec):
    out = np.zeros(1, "float32")
    load(RAW_BITS, ["scaled"] if spec is None else {"scaled": spec}).scaled(out, bits=np.float16(1.5).view(np.uint16))
    assert out[0] == 1.5


@needs_toolkit
@pytest.mark.parametrize(
    ("source", "functions"),
    [
        (HEADER_CONVENTION, None),
        (FUNCTIONS, ["vector_add", "scale_by", "split", "scale_add"]),
        (DECLARATIONS, ["my_kernel", "add_one"]),
        (RAW_BITS, {"scaled": "ret attr.bits:float16"}),
    ],
)
def test_examples_for_cuda(source, functions, monkeypatch):
    monkeypatch.setenv("KERNIX_TARGET", "cuda")
    module = load(source, functions, compute_capability="9.0")
    assert list(module) == (["my_kernel"] if functions is None else list(functions))
