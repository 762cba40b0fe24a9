"""Several devices: a call runs on that of its arrays and leaves the current device as it was."""

import subprocess
import sys
from pathlib import Path

import pytest
import torch

import kernix
from bank import CASES, module

pytestmark = pytest.mark.skipif(torch.cuda.device_count() < 2, reason="needs two GPUs")


@pytest.fixture
def both():
    return [f"cuda:{index}" for index in range(torch.cuda.device_count())]


@pytest.fixture(autouse=True)
def current_device_stays():
    """Not always the first one: XLA leaves that current which it has opened last."""
    before = torch.cuda.current_device()
    yield
    assert torch.cuda.current_device() == before


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_every_kernel_of_the_bank_on_every_device(case, both):
    expected = case.run("cpu")
    for device in both:
        for name, value in case.run(device).items():
            torch.testing.assert_close(value, expected[name], rtol=case.rtol, atol=case.atol, equal_nan=True)


def test_results_and_current_device(maps, both):
    for current in both:
        with torch.cuda.device(current):
            for device in both:
                y = maps.scale_shift(torch.ones(100, device=device), 0.0, 2.0)
                assert y.device == torch.device(device)
                assert y.unique().tolist() == [2]
                assert torch.device("cuda", torch.cuda.current_device()) == torch.device(current)


def test_host_functions_see_the_device_of_their_arrays(host, both):
    for index, device in enumerate(both):
        x = torch.ones(1000, device=device)
        assert host.current_device(x) == index
        assert host.sum(x) == 1000
        assert host.add(x, x).device == x.device


def test_current_stream_of_each_device(maps, both):
    streams = [torch.cuda.Stream(device) for device in both]
    arrays = [torch.zeros(1 << 20, device=device) for device in both]
    ones = [torch.ones(1 << 20, device=device) for device in both]
    for device in both:
        torch.cuda.synchronize(device)
    for _ in range(20):
        for stream, x, y in zip(streams, arrays, ones, strict=True):
            with torch.cuda.stream(stream):
                maps.axpy(y, x, 1.0)
    for stream, x in zip(streams, arrays, strict=True):
        stream.synchronize()
        assert x.unique().tolist() == [20]


def test_arrays_of_two_devices(host, both):
    x, y = (torch.ones(10, device=device) for device in both[:2])
    with pytest.raises(kernix.KernelValueError, match=r"add\(.*argument 'y': expected .*cuda:0.*got .*cuda:1"):
        host.add(x, y)


def test_large_shared_memory_on_each_device(both):
    m = module("shared.cu")
    for device in reversed(both):
        x = torch.arange(20000, dtype=torch.int32, device=device)
        assert torch.equal(m.reverse(x), x.flip(0))


def test_training_in_two_processes_through_nccl():
    script = Path(__file__).resolve().parents[2] / "examples" / "data_parallel" / "data_parallel.py"
    result = subprocess.run([sys.executable, script, "--device", "cuda"], capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stdout + result.stderr
    for rank in range(2):
        assert f"process {rank} of 2 on cuda:{rank}: " in result.stdout


def test_graph_across_devices(both):
    """The backward of each node runs on the device and stream of its forward."""
    derivatives = kernix.load(Path(__file__).resolve().parents[1] / "python" / "sources" / "derivatives.cu")
    x = torch.rand(100, dtype=torch.float64, device=both[0], requires_grad=True)
    y = derivatives.scaled_sine(derivatives.scaled_sine(x, 2.0, 0.0).to(both[1]), 3.0, 0.0)
    assert y.device == torch.device(both[1])
    y.sum().backward()
    torch.testing.assert_close(x.grad, 6 * torch.cos(2 * torch.sin(x.detach())) * torch.cos(x.detach()))
