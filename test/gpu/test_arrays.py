"""Arrays on the GPU of frameworks other than torch, and unusual kinds of memory."""

import numpy as np
import pytest
import torch

import kernix


@pytest.fixture
def cupy():
    return pytest.importorskip("cupy")


def test_cupy_in_and_out(maps, cupy):
    x = cupy.arange(1000, dtype=cupy.float32)
    y = maps.weighted(x)
    assert type(y) is cupy.ndarray
    assert y.dtype == cupy.float32
    np.testing.assert_array_equal(y.get(), 3 * np.arange(1000, dtype=np.float32))
    maps.axpy(x, y, -3.0)
    assert not y.any()


def test_cupy_and_torch_in_one_call(maps, cupy):
    x = torch.arange(100, dtype=torch.float32, device="cuda")
    y = cupy.ones(100, dtype=cupy.float32)
    torch.cuda.synchronize()
    cupy.cuda.Device().synchronize()
    maps.axpy(x, y, 2.0)
    torch.cuda.synchronize()
    np.testing.assert_array_equal(y.get(), 2 * np.arange(100) + 1)


def test_cupy_views(cupy):
    from bank import module

    x = cupy.arange(24, dtype=cupy.int32).reshape(2, 3, 4)[:, ::2, 1:]
    np.testing.assert_array_equal(module("views.cu").rotate(x).get(), np.transpose(x.get(), (2, 0, 1)))


def test_cupy_refusals(maps, cupy):
    with pytest.raises(kernix.KernelTypeError, match=r"argument 'x': expected a tensor of float32, got one of float64"):
        maps.scale_shift(cupy.ones(3), 1.0, 0.0)
    with pytest.raises(kernix.KernelValueError, match="argument 'x': expected a contiguous tensor"):
        maps.scale_shift(cupy.ones((4, 4), dtype=cupy.float32).T[1:], 1.0, 0.0)


def test_managed_memory_runs_on_the_gpu(maps, cupy):
    memory = cupy.cuda.malloc_managed(4 * 256)
    x = cupy.ndarray(256, dtype=cupy.float32, memptr=memory)
    x[:] = 1
    cupy.cuda.Device().synchronize()
    y = maps.weighted(x)
    assert type(y) is cupy.ndarray
    np.testing.assert_array_equal(y.get(), np.full(256, 3, np.float32))


def test_numpy_and_cuda_do_not_mix(maps):
    with pytest.raises(kernix.KernelValueError, match=r"argument '[xy]': expected"):
        maps.axpy(torch.ones(3, device="cuda"), np.ones(3, np.float32), 1.0)


def test_only_what_is_named_allocates(maps):
    x, y = torch.ones(1000, device="cuda"), torch.ones(1000, device="cuda")
    maps.axpy(x, y, 1.0)
    torch.cuda.synchronize()
    before = torch.cuda.memory_stats()["allocation.all.allocated"]
    for _ in range(100):
        maps.axpy(x, y, 1.0)
    assert torch.cuda.memory_stats()["allocation.all.allocated"] == before
    maps.scale_shift(x, 1.0, 1.0)
    assert torch.cuda.memory_stats()["allocation.all.allocated"] == before + 1


def test_zeroed_output_is_zero_in_reused_memory():
    """The caching allocator hands out memory with old contents; sums start at zero anyway."""
    from bank import module

    m = module("reductions.cu")
    x = torch.ones(1000, device="cuda")
    for _ in range(5):
        old = torch.full((1,), 1e6, device="cuda")
        del old
        assert m.warp_sum(x).item() == 1000


def test_more_than_2_31_elements():
    """Sizes and offsets are of 64 bits."""
    if torch.cuda.mem_get_info()[0] < 8 << 30:
        pytest.skip("needs 8 GB of GPU memory")
    m = kernix.load_cuda_inline(
        "large",
        """
        #include <kernix/kernix.h>
        [[kernix::bind, kernix::grid("ceil_div(x.numel(), block.x)"), kernix::block(512)]]
        __global__ void mark([[kernix::intent(inout_ptr)]] kernix::TensorView<int8_t> x) {
          int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
          if (i < x.numel())
            x(i / x.size(1), i % x.size(1)) = static_cast<int8_t>(i % 100);
        }
        """,
    )
    n = (1 << 31) + 4096
    x = torch.zeros(n // 4096, 4096, dtype=torch.int8, device="cuda")
    m.mark(x)
    assert x[-1].tolist() == [i % 100 for i in range(n - 4096, n)]
    assert x[1].tolist() == [i % 100 for i in range(4096, 8192)]
