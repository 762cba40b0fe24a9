"""The entry points as tvm-ffi calls them, with torch tensors on the GPU."""

import pytest
import torch

from bank import module

tvm_ffi = pytest.importorskip("tvm_ffi")


@pytest.fixture(scope="module")
def m():
    return tvm_ffi.load_module(module("maps.cu")._kernix.built["cuda"].path)


@pytest.fixture(scope="module")
def host_functions():
    return tvm_ffi.load_module(module("host.cu")._kernix.built["cuda"].path)


def test_given_output(m):
    x, y = torch.ones(1000, device="cuda"), torch.ones(1000, device="cuda")
    m.axpy(x, y, 3.0, None)
    assert y.unique().tolist() == [4]


def test_allocated_output(m):
    x = torch.full((10,), 0.5, device="cuda")
    y = torch.from_dlpack(m.scale_shift(x, 0.0, 2.0, None))
    assert y.is_cuda
    assert y.tolist() == [2.0] * 10


def test_stream_of_torch(m, host_functions):
    x = torch.ones(1 << 20, device="cuda")
    y = torch.zeros(1 << 20, device="cuda")
    side = torch.cuda.Stream()
    torch.cuda.synchronize()
    with torch.cuda.stream(side):
        for _ in range(30):
            m.axpy(x, y, 1.0, None)
        total = y.sum()
    side.synchronize()
    assert total.item() == 30 * x.numel()
    assert host_functions.sum(x[:10000]) == 10000


def test_captured_in_a_graph(m):
    x, y = torch.ones(100, device="cuda"), torch.zeros(100, device="cuda")
    m.axpy(x, y, 1.0, None)
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        m.axpy(x, y, 1.0, None)
    for _ in range(3):
        graph.replay()
    torch.cuda.synchronize()
    assert y.unique().tolist() == [4]


def test_launch_sizes_come_first(m):
    x, y = torch.ones(1000, device="cuda"), torch.zeros(1000, device="cuda")
    m.axpy(128, 8, x, y, 1.0, None)
    assert y.unique().tolist() == [1]


def test_wrong_device(m):
    with pytest.raises(Exception, match="argument '[xy]': expected"):
        m.axpy(torch.ones(3), torch.ones(3), 1.0, None)
