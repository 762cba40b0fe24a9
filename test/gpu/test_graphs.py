"""CUDA graphs capture calls: kernels, host functions that launch, large shared memory, allocated outputs."""

import pytest
import torch

from bank import CASES, module


def capture(work):
    """Runs once on a side stream, as torch asks for, then captures."""
    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        work()
    torch.cuda.current_stream().wait_stream(side)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        result = work()
    return graph, result


def test_replay_reads_new_values(maps):
    x = torch.ones(1000, device="cuda")
    graph, y = capture(lambda: maps.scale_shift(x, 0.0, 3.0))
    graph.replay()
    torch.cuda.synchronize()
    assert y.unique().tolist() == [3]
    x.fill_(0.5)
    graph2, z = capture(lambda: maps.polynomial(x))
    for value in (0.0, 1.0, 2.0):
        x.fill_(value)
        graph2.replay()
        torch.cuda.synchronize()
        assert z.unique().tolist() == pytest.approx([0.5 - value + 0.25 * value**2 + 2 * value**3])


def test_several_calls_in_one_graph(maps, host):
    x = torch.ones(5000, device="cuda")
    y = torch.zeros(5000, device="cuda")

    def work():
        maps.axpy(x, y, 2.0)
        return host.add(x, y)

    graph, z = capture(work)
    y.zero_()
    for _ in range(3):
        graph.replay()
    torch.cuda.synchronize()
    assert y.unique().tolist() == [6]
    assert z.unique().tolist() == [7]


# sum() synchronises and allocates by itself, which no capture allows; a call without work has nothing to capture.
CAPTURED = [case for case in CASES if case.function != "sum" and case.label != "empty"]


@pytest.mark.parametrize("case", CAPTURED, ids=lambda case: case.name)
def test_every_kernel_of_the_bank(case):
    expected = case.run("cuda")
    fresh = case.make()
    arguments = {name: value.cuda() if isinstance(value, torch.Tensor) else value for name, value in fresh.items()}
    function = getattr(module(case.source), case.function)
    graph, returned = capture(lambda: function(**arguments, **case.launch))
    for name, value in fresh.items():
        if isinstance(value, torch.Tensor):
            arguments[name].copy_(value)
    graph.replay()
    torch.cuda.synchronize()
    # Additions of floats by atomics differ in their order.
    tolerance = {"rtol": 1e-4, "atol": 1e-3} if case.rtol or case.atol else {"rtol": 0.0, "atol": 0.0}
    if returned is not None:
        torch.testing.assert_close(returned.cpu(), expected["result 0"], equal_nan=True, **tolerance)
    for name, value in arguments.items():
        if isinstance(value, torch.Tensor):
            torch.testing.assert_close(value.cpu(), expected[name], equal_nan=True, **tolerance)


def test_call_that_cannot_be_captured(host):
    x = torch.ones(100, device="cuda")
    host.sum(x)
    graph = torch.cuda.CUDAGraph()
    side = torch.cuda.Stream()
    with torch.cuda.stream(side):
        graph.capture_begin(capture_error_mode="thread_local")
        try:
            with pytest.raises(Exception, match="captur"):
                host.sum(x)
        finally:
            with pytest.raises(Exception, match="captur"):
                graph.capture_end()
    # The process goes on. torch's generator takes itself for captured until a capture ends well.
    assert host.sum(x) == 100
    with torch.cuda.graph(torch.cuda.CUDAGraph()):
        x.add_(1)
    torch.rand(1, device="cuda")
