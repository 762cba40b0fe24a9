"""Errors of launches: reported by the call, cleared, and found at their kernel with KERNIX_SYNC=1."""

import subprocess
import sys
import textwrap

import pytest
import torch

import kernix
from bank import KERNELS, module


@pytest.fixture(scope="module")
def faults():
    return module("faults.cu")


def works(faults):
    x = torch.zeros(10, device="cuda")
    faults.fine(x)
    assert x.unique().tolist() == [1]


def test_more_threads_than_the_kernel_allows(faults):
    x = torch.zeros(10, device="cuda")
    with pytest.raises(kernix.KernelError, match=r"bounded\(float \*x, int n\): launch failed: .*\(error \d+\)"):
        faults.bounded(x, block=1024)
    works(faults)
    faults.bounded(x, block=128)
    assert x.unique().tolist() == [1]


def test_more_registers_than_a_block_has(faults):
    """The derivative needs more than 64 for each of 1024 threads, unless the source says that there are so many."""
    x, y = torch.rand(1024, 40, device="cuda"), torch.ones(1024, device="cuda")
    gradient = torch.zeros_like(x)
    with pytest.raises(kernix.KernelError, match=r"with \d+ registers a thread, a block has at most \d+ threads, got 1024"):
        faults.many_registers.bwd((x, gradient), (None, y), block=1024)
    faults.many_registers.bwd((x, gradient), (None, y), block=128)
    declared = torch.zeros_like(x)
    faults.many_registers_of_1024.bwd((x, declared), (None, y))
    torch.testing.assert_close(declared, gradient)


def test_more_shared_memory_than_the_device_has():
    m = module("shared.cu")
    x = torch.zeros(10, dtype=torch.int32, device="cuda")
    with pytest.raises(kernix.KernelValueError, match=r"reverse\(.*\): shared_bytes: expected at most \d+ on this device"):
        m.reverse(x, shared_bytes=1 << 24)
    with pytest.raises(kernix.KernelValueError, match="shared_bytes: expected at most"):
        m.reverse(torch.zeros(100_000, dtype=torch.int32, device="cuda"))
    assert m.reverse(x).tolist() == [0] * 10


def test_launch_error_inside_a_host_function(host, faults):
    x = torch.zeros(10, device="cuda")
    with pytest.raises(kernix.KernelError, match=r"bad_launch\(.*a CUDA call in it failed: .*\(error \d+\)"):
        host.bad_launch(x)
    works(faults)
    assert host.sum(torch.ones(10, device="cuda")) == 10


def test_error_left_by_somebody_else_is_not_blamed_on_a_kernel(faults):
    """torch's failed call leaves an error in its own CUDA runtime; kernix's calls go on."""
    with pytest.raises(RuntimeError):
        torch.empty(1 << 50, device="cuda")
    works(faults)


def in_process(code: str, **environment: str) -> subprocess.CompletedProcess[str]:
    import os

    prologue = f"import torch, kernix\nfaults = kernix.load({str(KERNELS / 'faults.cu')!r})\n"
    prologue += "x = torch.zeros(10, device='cuda')\n"
    return subprocess.run(
        [sys.executable, "-c", prologue + textwrap.dedent(code)],
        env={**os.environ, **environment}, capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip


TRY = """
    try:
        faults.{call}
    except kernix.KernelError as error:
        print('at the call:', error)
    try:
        torch.cuda.synchronize()
    except RuntimeError as error:
        print('later:', str(error).splitlines()[0])
"""


@pytest.mark.parametrize(
    ("call", "message"),
    [("null_access(x)", "illegal memory access"), ("failed_assert(x)", "device-side assert")],
)
def test_sync_names_the_kernel(call, message, faults):
    name = call.partition("(")[0]
    found = in_process(TRY.format(call=call), KERNIX_SYNC="1").stdout
    assert f"at the call: {name}(float *x" in found, found
    assert "failed while it ran (KERNIX_SYNC=1)" in found and message in found
    without = in_process(TRY.format(call=call)).stdout
    assert "at the call" not in without and "later:" in without, without


def test_sync_without_a_failure(faults):
    found = in_process("faults.fine(x)\nprint(x.tolist())", KERNIX_SYNC="1")
    assert found.stdout.split() == "[1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0]".split(), found.stderr


def test_sync_in_a_capture_is_reported_or_passes(faults):
    """A stream that is captured cannot be waited for: the call must say so, or leave it; the process stays usable."""
    code = """
        faults.fine(x)
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            faults.fine(x)
        graph.replay()
        torch.cuda.synchronize()
        print(x.unique().tolist())
    """
    found = in_process(code, KERNIX_SYNC="1")
    assert found.stdout.split() == ["[2.0]"], found.stderr
