"""Reflection: info, funcinfo, code, resources."""

import pytest

import kernix
from conftest import SOURCES, has_gpu


def test_info_is_the_record(calls):
    info = calls.scale_shift.info
    assert info["name"] == "scale_shift"
    assert info["kind"] == "kernel"
    assert info["signature"].startswith("scale_shift(const float *")
    assert [parameter["name"] for parameter in info["parameters"]] == ["x", "y", "a", "b", "n"]
    assert info["parameters"][1]["intent"] == "out_return"
    assert info["parameters"][4]["value"] == "x.numel()"
    assert info["arg_spec"][:2] == ["arg", "ret"]
    assert "variants" not in info


def test_info_is_a_copy(calls):
    calls.add.info["name"] = "changed"
    assert calls.add.info["name"] == "add"


def test_info_of_variants(calls):
    assert [v["parameters"][0]["dtype"] for v in calls.negate.info["variants"]] == ["float32", "float64", "int32"]


def test_funcinfo_of_a_kernel(calls):
    names, types, forward, backward = calls.scale_shift_funcinfo()
    assert names == ("__kernix_blockSize", "__kernix_gridSize", "x", "y", "a", "b", "n")
    assert types[:2] == ("dim3", "dim3")
    assert types[4:] == ("float", "float", "int")
    assert (forward, backward) == (None, None)
    assert calls.scale_shift.funcinfo() == calls.scale_shift_funcinfo()


def test_funcinfo_of_a_host_function(results):
    assert results.defaults_funcinfo() == (("a", "b", "c", "d"), ("double", "double", "int", "bool"), None, None)


def test_resources(calls):
    resources = calls.total.resources()
    assert resources["block_size"] == 256
    assert 0 < resources["occupancy"] <= 1
    assert resources["max_threads_per_block"] >= 256
    assert resources["target"] == ("cuda" if has_gpu() else "cpu")
    assert (resources["registers"] > 0) == has_gpu()
    assert calls.total.resources(block_size=64)["block_size"] == 64


def test_fibers(source):
    """On the CPU: what runs as loops over its threads, and what needs a stack for each."""
    module = kernix.load(
        source(
            """
            [[kernix::bind, kernix::block(64)]] __global__ void plain(float *x) { x[threadIdx.x] = 1; }
            [[kernix::bind, kernix::block(64)]] __global__ void phases(float *x) {
              __shared__ float s[64];
              s[threadIdx.x] = x[threadIdx.x];
              __syncthreads();
              x[threadIdx.x] = s[63 - threadIdx.x];
            }
            __device__ __noinline__ float meet(float v, int depth) {
              __syncthreads();
              return depth ? meet(v + 1, depth - 1) : v;
            }
            [[kernix::bind, kernix::block(64)]] __global__ void recursive(float *x) { x[threadIdx.x] = meet(x[threadIdx.x], 3); }
            """
        ),
        target="cpu",
    )
    assert {name: module[name].resources()["fibers"] for name in module} == {
        "plain": False,
        "phases": False,
        "recursive": True,
    }


def test_resources_of_what_has_none(calls, results):
    with pytest.raises(kernix.KernelTypeError, match=r"nothing\(\): only kernels have resources"):
        results.nothing.resources()
    with pytest.raises(kernix.KernelValueError, match="total.*block size: expected 1 to 1024, got 5000"):
        calls.total.resources(block_size=5000)
    with pytest.raises(kernix.KernelValueError, match="total: variant: expected 0 to 0, got 1"):
        calls.total.resources(variant=1)


def test_ir(calls, results):
    text = calls.add.source("ir", target="cpu")
    assert text.startswith("define ") and text.endswith("}")
    assert "fadd" in text
    assert results.defaults.source("ir", target="cpu").startswith("define ")


def test_ir_of_a_variant(calls):
    assert "double" in calls.negate.source("ir", target="cpu", variant=1)


def test_source_refuses_what_it_does_not_know(calls):
    with pytest.raises(kernix.KernelValueError, match="source: expected one of 'ir', 'ptx', 'sass', got 'asm'"):
        calls.add.source("asm")
    with pytest.raises(kernix.KernelValueError, match="source: 'ptx' exists for the target 'cuda' only; use 'ir'"):
        calls.add.source("ptx", target="cpu")


@pytest.fixture(scope="module")
def cuda_calls():
    """For the target cuda: builds without a GPU."""
    from kernix import toolchain

    try:
        toolchain.find_cuda()
    except kernix.KernelError as error:
        pytest.skip(str(error))
    return kernix.load(SOURCES / "calls.cu", target="cuda")


def test_ptx(cuda_calls):
    text = cuda_calls.add.source("ptx")
    assert ".entry" in text and "add.rn.f32" in text or "add.f32" in text
    assert text.rstrip().endswith("}")


def test_ptx_of_a_kernel_with_inline_ptx(source):
    from kernix import toolchain

    try:
        toolchain.find_cuda()
    except kernix.KernelError as error:
        pytest.skip(str(error))
    path = source(
        """
        #include <cuda_fp16.h>
        [[kernix::bind]]
        __global__ void product(const __half *x, [[kernix::intent(out_return), kernix::shape("x")]] __half *y) {
          int i = blockIdx.x * blockDim.x + threadIdx.x;
          y[i] = __hmul_rn(x[i], x[i]); // { in a comment
        }
        """
    )
    text = kernix.load(path, target="cuda").product.source("ptx")
    assert "begin inline asm" in text
    assert "ret;" in text and text.endswith("}")
    assert text.count(".entry") == 1


def test_device_ir(cuda_calls):
    text = cuda_calls.add.source("ir")
    assert "llvm.nvvm.read.ptx.sreg" in text


def test_sass(cuda_calls):
    from kernix import toolchain

    if toolchain.find_cuda().tool("cuobjdump") is None:
        with pytest.raises(kernix.KernelError, match="source: cuobjdump of the CUDA toolkit was not found"):
            cuda_calls.add.source("sass")
        return
    assert "FADD" in cuda_calls.add.source("sass")
