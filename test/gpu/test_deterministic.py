"""Deterministic builds: gradients are the same bit for bit in every run, and what cannot be added in one order ends the launch."""

from pathlib import Path
from typing import Any

import pytest
import torch
from processes import failure

SOURCE = Path(__file__).parents[1] / "python" / "sources" / "fixed_order.cu"
OPTIONS = {"deterministic": True}


def normal(*shape: int, seed: int = 0) -> torch.Tensor:
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed))


def bits(tensor: torch.Tensor) -> bytes:
    return tensor.cpu().numpy().tobytes()


@pytest.mark.parametrize("block", [64, 256])
def test_every_run_gives_the_same(cpu: Any, gpu: Any, block: int) -> None:
    n = 1_000_003
    a, b, given = (normal(n, seed=seed) for seed in range(3))
    on_gpu = [tensor.cuda() for tensor in (a, b, given)]
    launch = {"block": block, "grid": -(-n // block)}
    runs = set()
    for _ in range(30):
        found = gpu.product.bwd(on_gpu[0], on_gpu[1], y=(None, on_gpu[2]), **launch)
        runs.add((bits(found.a), bits(found.b)))
    assert len(runs) == 1
    expected = cpu.product.bwd(a, b, y=(None, given))
    torch.testing.assert_close(found.a.cpu(), expected.a, rtol=1e-5, atol=1e-6)
    torch.testing.assert_close(found.b.cpu(), expected.b, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("width", [100, 127, 128, 255])
def test_rows_of_one_thread(cpu: Any, gpu: Any, width: int) -> None:
    x, given = normal(4 * width), normal(4, seed=1)
    launch = {"width": width, "block": 4, "grid": 1}
    found = [gpu.byte_rows.bwd(x.cuda(), (None, given.cuda()), **launch).x for _ in range(10)]
    assert len({bits(each) for each in found}) == 1
    torch.testing.assert_close(found[0].cpu(), cpu.byte_rows.bwd(x, (None, given), **launch).x)


def test_where_torch_asks_for_one_order(gpu: Any) -> None:
    a, b = normal(3000).cuda().requires_grad_(), normal(3000, seed=1).cuda().requires_grad_()
    torch.use_deterministic_algorithms(True)
    try:
        gpu.product(a, b).sum().backward()
    finally:
        torch.use_deterministic_algorithms(False)
    torch.testing.assert_close(a.grad, a.detach().cos() * b.detach())
    torch.testing.assert_close(b.grad, a.detach().sin())


def test_the_launch_that_was_proven(gpu: Any) -> None:
    x, ones = torch.arange(256.0, device="cuda"), torch.ones(256, device="cuda")
    torch.testing.assert_close(gpu.by_64.bwd(x, (None, ones), n=256, block=64, grid=4).x, 2 * x, rtol=0, atol=0)


def test_gradients_of_own_variables(gpu: Any) -> None:
    x, gradient = torch.tensor([2.0, 3.0], device="cuda"), torch.zeros(2, device="cuda")
    gpu.own(x, gradient, block=1, grid=1)
    assert gradient.tolist() == [3, 2]


SEVERAL = "this build is deterministic, and in this launch several threads may add to one element of the gradient of '{}'"


@pytest.mark.parametrize(
    ("code", "message"),
    [
        ("m.by_64.bwd(x=ones(256).float(), y=(None, ones(256).float()), n=256, block=128, grid=4)", SEVERAL.format("x")),
        (
            "m.wrapped_rows.bwd(x=ones(20).float(), y=(None, ones(4).float()), a=2, b=3, c=1, d=1, width=2, block=4, grid=1)",
            SEVERAL.format("x"),
        ),
        (
            "x = ones(64).float()\ngradient = zeros(64).float()\n"
            "m.product.bwd(a=(x, gradient), b=(x.clone(), gradient), y=(None, ones(64).float()))",
            "this build is deterministic",
        ),
        (
            "m.shared_by_all(ones(2).float(), zeros(2).float(), block=1, grid=1)",
            "this build is deterministic, and several threads may add to this gradient of 'p'",
        ),
    ],
    ids=["launch", "rows", "overlap", "device function"],
)
def test_what_has_no_order(gpu: Any, code: str, message: str) -> None:
    del gpu  # built before
    said = failure(SOURCE, OPTIONS, code)
    assert message in said, said
