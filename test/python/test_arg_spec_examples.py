"""The examples of arg_spec's documentation, each as it stands there: called with NumPy arrays on the CPU target, as FFI
calls of JAX, and compiled for CUDA."""

import ml_dtypes
import numpy as np
import pytest

import kernix
from conftest import needs_toolkit

jax = pytest.importorskip("jax")  # before the sources are loaded: their functions are registered under its names

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


# -- calls through jax.ffi: "Passing Attributes at Call Time" -----------------------------------------------------------------


def called(function, results, *operands, **attributes):
    return [np.asarray(result) for result in jax.ffi.ffi_call(f"example.{function}", results)(*operands, **attributes)]


SPEC = jax.ShapeDtypeStruct((4,), "float32")
HALF = jax.ShapeDtypeStruct((2,), "float32")
# For each of the examples: results, operands, attributes, and what comes out.
CALLS = {
    "vector_add": ([SPEC], (X, 10 * X), {}, [11 * X]),
    "scale_by": ([SPEC], (X,), {"scale_factor": np.float32(3.0)}, [3 * X]),
    "split": ([HALF, HALF], (X,), {}, [X[:2], X[2:]]),
    "scale_add": ([SPEC], (X,), {"scale": np.float32(2), "offset": np.float32(0.5)}, [2 * X + 0.5]),
}


@pytest.mark.parametrize("example", EXAMPLES)
def test_example_in_jax(example):
    arguments, _ = EXAMPLES[example]
    load(FUNCTIONS, **arguments)
    (function,) = arguments["functions"]
    results, operands, attributes, expected = CALLS[function]
    for got, right in zip(called(function, results, *operands, **attributes), expected, strict=True):
        assert (got == right).all()
    jitted = jax.jit(lambda *operands: jax.ffi.ffi_call(f"example.{function}", results)(*operands, **attributes))
    for got, right in zip(jitted(*operands), expected, strict=True):
        assert (np.asarray(got) == right).all()


def test_header_convention_in_jax():
    load(HEADER_CONVENTION)
    assert (called("my_kernel", [SPEC], X)[0] == 2 * X).all()


@pytest.mark.parametrize("functions", [["add_one"], {"add_one": ["arg", "ret"]}])
def test_auto_detection_in_jax(functions, monkeypatch):
    monkeypatch.setenv("KERNIX_TARGET", "cpu")  # it goes over the elements on the host
    load(DECLARATIONS, functions)
    with jax.default_device(jax.devices("cpu")[0]):
        assert (called("add_one", [SPEC], X)[0] == X + 1).all()


def test_attributes_at_call_time():
    load(FUNCTIONS, {"scale_by": "arg ret attr.scale_factor stream"}, target_prefix="target")
    spec = jax.ShapeDtypeStruct((4,), "float32")
    # CORRECT
    assert (np.asarray(jax.ffi.ffi_call("target.scale_by", spec)(X, scale_factor=np.float32(3.0))) == 3 * X).all()
    # WRONG
    with pytest.raises(TypeError, match="scale_factor"):
        jax.ffi.ffi_call("target.scale_by", spec, scale_factor=np.float32(3.0))(X)


# A result that takes the memory of an operand is not cleared, which it is where nothing is said: the function adds to it.
ADDS = """
#include <cuda_runtime.h>
#include "brainevent/common.h"

__global__ void add_kernel(const float *x, float *total, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    atomicAdd(&total[i % 2], x[i]);
}

// @BE add_to arg arg ret stream
void add_to(const BE::Tensor before, const BE::Tensor x, BE::Tensor total, int64_t stream) {
  add_kernel<<<1, 32, 0, (cudaStream_t)stream>>>(static_cast<const float *>(x.data_ptr()),
                                                 static_cast<float *>(total.data_ptr()), x.numel());
}
"""


def test_result_in_the_place_of_an_operand():
    load(ADDS)
    before = np.array([10, 20], "float32")
    aliased = jax.ffi.ffi_call("example.add_to", HALF, input_output_aliases={0: 0})
    for call in (aliased, jax.jit(aliased)):
        assert np.asarray(call(before, X)).tolist() == [12, 24]
    assert np.asarray(jax.jit(lambda x: aliased(2 * x, X))(before)).tolist() == [22, 44]
    empty = np.zeros(0, "float32")
    assert np.asarray(aliased(before, empty)).tolist() == [10, 20]
    alone = jax.ffi.ffi_call("example.add_to", HALF)
    for call in (alone, jax.jit(alone)):
        assert np.asarray(call(before, X)).tolist() == [2, 4]
    assert np.asarray(jax.jit(lambda x: alone(x[:0], X))(before)).tolist() == [2, 4]


# "Attribute Types": the C++ type and the Python value of each row. XLA has no complex attributes, other than the table says:
# they are pairs.
BFLOAT16 = ml_dtypes.bfloat16(1.5).view(np.uint16)
ATTRIBUTES = {
    "bool": ("bool", True, 1),
    "int8": ("int8_t", np.int8(-7), -7),
    "uint8": ("uint8_t", np.uint8(200), 200),
    "int16": ("int16_t", np.int16(-3000), -3000),
    "uint16": ("uint16_t", np.uint16(60000), 60000),
    "int32": ("int32_t", np.int32(-70000), -70000),
    "uint32": ("uint32_t", np.uint32(3000000000), 3000000000),
    "int64": ("int64_t", np.int64(-(2**40)), -(2**40)),
    "uint64": ("uint64_t", np.uint64(2**40), 2**40),
    "float32": ("float", np.float32(1.5), 1.5),
    "float64": ("double", np.float64(1.1), 1.1),
    "complex64": ("std::complex<float>", np.array([1.5, 2.5], np.float32), 1.5 + 2.5j),
    "complex128": ("std::complex<double>", np.array([1.1, -2.2]), 1.1 - 2.2j),
    "float16": ("uint16_t", np.float16(1.5).view(np.uint16), int(np.float16(1.5).view(np.uint16))),
    "bfloat16": ("uint16_t", BFLOAT16, int(BFLOAT16)),
}


@pytest.fixture
def wide_numbers():
    """Attributes of 64 bits need them."""
    before = jax.config.jax_enable_x64
    jax.config.update("jax_enable_x64", True)
    yield
    jax.config.update("jax_enable_x64", before)


@pytest.mark.parametrize("explicit", [True, False])
def test_attribute_types_in_jax(explicit, wide_numbers):
    """All rows in one call; the type is written, or inferred from the signature (16-bit floats are raw bits: as uint16)."""
    parameters = ", ".join(f"{cxx} a_{name}" for name, (cxx, _, _) in ATTRIBUTES.items())
    writes = "\n".join(f"  y[{i}] = z(a_{name});" for i, name in enumerate(ATTRIBUTES))
    source = (
        "#include <complex>\n#include <brainevent/common.h>\n"
        "template <class T> std::complex<double> z(T t) { return double(t); }\n"
        "template <class T> std::complex<double> z(std::complex<T> t) { return t; }\n"
        f"void all(BE::Tensor out, {parameters}) {{\n"
        f"  auto *y = out.data_ptr<std::complex<double>>();\n{writes}\n}}\n"
    )
    tokens = ["ret", *(f"attr.a_{name}:{name}" if explicit else f"attr.a_{name}" for name in ATTRIBUTES)]
    kernix.load_cpp_inline("rows", source, {"all": tokens})
    with jax.default_device(jax.devices("cpu")[0]):
        call = jax.ffi.ffi_call("rows.all", jax.ShapeDtypeStruct((len(ATTRIBUTES),), "complex128"))
        got = call(**{f"a_{name}": value for name, (_, value, _) in ATTRIBUTES.items()})
    assert np.asarray(got).tolist() == [complex(value) for _, _, value in ATTRIBUTES.values()]
