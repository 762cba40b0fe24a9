"""Variants on the GPU: dtypes, preferred ones, tensor cores of the device, times by events that nobody waits for."""

import pytest
import torch

import kernix
from kernix import KernelDtype, KernelRegistry

CODE = """
#include <kernix/kernix.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>

template <class T>
[[kernix::bind, kernix::differentiable, kernix::instantiate("float", "__half", "__nv_bfloat16")]]
__global__ void weigh(const T *x, const float *w, [[kernix::shape("x")]] T *y, [[kernix::value("x.numel()")]] int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    y[i] = T(float(x[i]) * w[0]);
}

[[kernix::bind, kernix::grid("1"), kernix::block(1)]]
__global__ void wait(const int *go, [[kernix::shape("1")]] int *y, int64_t cycles) {
  long long start = clock64();
  while (*static_cast<const volatile int *>(go) == 0 && clock64() - start < cycles) {
  }
  y[0] = 1;
}
"""


@pytest.fixture(scope="module")
def m():
    return kernix.load_cuda_inline("selector_on_gpu", CODE)


@pytest.fixture(autouse=True)
def nothing_measured():
    KernelRegistry.clear()
    yield
    kernix.stats(enable=False)
    KernelRegistry.clear()


def times(name):
    torch.cuda.synchronize()
    return {row.stats.dtype: row.stats for row in kernix.stats() if row.stats.operation_name == name}


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_preferred_dtype(m, dtype):
    x = torch.linspace(-1, 1, 5000, device="cuda", requires_grad=True)
    w = torch.tensor([2.0], device="cuda", requires_grad=True)
    with kernix.prefer(str(dtype).removeprefix("torch.")):
        y = m.weigh(x, w)
    assert y.dtype is dtype
    torch.testing.assert_close(y, (2 * x.detach().to(dtype).float()).to(dtype))
    y.float().sum().backward()
    assert x.grad.dtype is w.grad.dtype is torch.float32
    torch.testing.assert_close(x.grad, torch.full_like(x, 2))
    torch.testing.assert_close(w.grad[0], x.detach().to(dtype).float().sum(), atol=1e-2, rtol=1e-3)


def test_first_call_on_the_other_target():
    module = kernix.load_cuda_inline("selector_on_both", CODE.replace("weigh", "weigh_on_both"))
    with kernix.prefer("float16"):
        assert module.weigh_on_both(torch.ones(3), torch.ones(1)).dtype is torch.float16
        assert module.weigh_on_both(torch.ones(3).cuda(), torch.ones(1).cuda()).dtype is torch.float16


def test_tensor_cores_of_the_device():
    major, _ = torch.cuda.get_device_capability()
    # Not "matmul": a kernel of this name may have been loaded.
    found = KernelRegistry.get_or_create_selector("cuda").capability("conv2d", "bfloat16")
    assert found.supports_tensor_cores == (major >= 8)


def test_policy_of_a_device(m):
    x, w = torch.ones(10, device="cuda"), torch.ones(1, device="cuda")
    # Whichever target the module has opened.
    KernelRegistry.get_or_create_selector("cpu").set_policy(m.weigh, "promote")
    KernelRegistry.get_or_create_selector("cuda").set_policy(m.weigh, "ranked")
    for dtype, time in (("float32", 3.0), ("float16", 1.0), ("bfloat16", 2.0)):
        for _ in range(10):
            KernelRegistry.get_or_create_selector("cuda").update_performance_stats(m.weigh, dtype, time)
    assert m.weigh(x, w).dtype is torch.float16
    assert m.weigh(x.cpu(), w.cpu()).dtype is torch.float32


def test_times(m):
    x, w = torch.ones(1 << 24, device="cuda"), torch.ones(1, device="cuda")
    m.weigh(x, w)
    kernix.stats(enable=True, every_call=True)
    for _ in range(20):
        m.weigh(x, w)
        m.weigh(x.half(), w)
    found = times("weigh")
    assert found[KernelDtype.Float32].timed_count == found[KernelDtype.Float16].timed_count == 20
    # 128 MB move; a launch alone would be a few microseconds.
    assert 0.01 < found[KernelDtype.Float32].average_execution_time < 50
    stats = KernelRegistry.get_or_create_selector("cuda:0").get_performance_stats(m.weigh, "float32")
    assert stats == found[KernelDtype.Float32]


def test_small_calls_are_counted_and_a_share_is_timed(m):
    x, w = torch.ones(10, device="cuda"), torch.ones(1, device="cuda")
    kernix.stats(enable=True)
    for _ in range(2000):
        m.weigh(x, w)
    found = times("weigh")[KernelDtype.Float32]
    assert found.execution_count == 2000
    assert 10 <= found.timed_count < 200


def test_long_kernels_are_timed_once_that_is_known(m):
    is_open = torch.zeros(1, dtype=torch.int32, device="cuda")
    kernix.stats(enable=True)
    for _ in range(10):
        m.wait(is_open, 10_000_000)  # some milliseconds
        torch.cuda.synchronize()
    before = times("wait")[KernelDtype.Auto]
    assert before.timed_count == 10
    for _ in range(1000):
        m.wait(is_open, 1_000)
    assert times("wait")[KernelDtype.Auto].timed_count > before.timed_count


def test_first_time_without_a_selector(m):
    """Reading the table makes the selector that the first times are for."""
    x, w = torch.ones(10, device="cuda"), torch.ones(1, device="cuda")
    m.weigh(x, w)
    KernelRegistry.clear()
    kernix.stats(enable=True)
    m.weigh(x, w)
    assert times("weigh")[KernelDtype.Float32].timed_count == 1


def test_timing_waits_for_nothing(m):
    kernix.stats(enable=True, every_call=True)
    go, is_open = torch.zeros(1, dtype=torch.int32, device="cuda"), torch.ones(1, dtype=torch.int32, device="cuda")
    m.wait(is_open, 1)
    torch.cuda.synchronize()
    before = times("wait")[KernelDtype.Auto].timed_count
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        m.wait(go, 10_000_000_000)
    assert len(kernix.stats()) == 1
    assert kernix.stats()[0].stats.timed_count == before, "it cannot have ended"
    assert kernix.stats()[0].stats.execution_count == before + 1
    assert not stream.query()
    go.fill_(1)
    stream.synchronize()
    assert times("wait")[KernelDtype.Auto].timed_count == before + 1


def test_calls_in_a_graph_do_not_count(m):
    x, w, y = torch.ones(100, device="cuda"), torch.ones(1, device="cuda"), torch.zeros(100, device="cuda")
    m.weigh(x, w)
    torch.cuda.synchronize()
    kernix.stats(enable=True)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        m.weigh(x, w, y=y)
    graph.replay()
    assert times("weigh") == {}
    assert y.unique().tolist() == [1]
