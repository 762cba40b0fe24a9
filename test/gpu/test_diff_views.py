"""Views that carry their gradients: values, tangents and gradients of every kernel are those of the CPU target."""

from pathlib import Path
from typing import Any

import pytest
import torch

import kernix

SOURCE = Path(__file__).parents[1] / "python" / "sources" / "diff_views.cu"


def uniform(*shape: int, dtype: torch.dtype = torch.float64, seed: int = 0) -> torch.Tensor:
    generator = torch.Generator().manual_seed(seed)
    return (torch.rand(shape, generator=generator, dtype=torch.float64) * 2 - 1).to(dtype)


def on_gpu(value: Any) -> Any:
    return value.cuda() if isinstance(value, torch.Tensor) else value


def compare(cpu: Any, gpu: Any, name: str, *arguments: Any, tolerance: float = 1e-11, **launch: Any) -> None:
    """Values and gradients of a call that autograd records."""
    rows = []
    for module, move in ((cpu, lambda value: value), (gpu, on_gpu)):
        given = [move(each) for each in arguments]
        leaves = [
            each.clone().requires_grad_() if isinstance(each, torch.Tensor) and each.is_floating_point() else each
            for each in given
        ]
        result = module[name](*leaves, **launch)
        result.backward(move(uniform(*result.shape, dtype=result.dtype, seed=9)))
        gradients = [each.grad for each in leaves if isinstance(each, torch.Tensor) and each.requires_grad]
        rows.append([result.detach(), *gradients])
    for expected, found in zip(*rows, strict=True):
        assert expected.abs().max() > 0
        torch.testing.assert_close(found.cpu(), expected, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize(
    ("dtype", "tolerance"),
    [(torch.float64, 1e-12), (torch.float32, 1e-4), (torch.float16, 5e-2), (torch.bfloat16, 4e-1)],
)
def test_every_load(cpu: Any, gpu: Any, dtype: torch.dtype, tolerance: float) -> None:
    arrays = [uniform(12, 9, dtype=dtype, seed=seed) for seed in range(4)]
    compare(cpu, gpu, "all_loads", *arrays, tolerance=tolerance, grid=(2, 2))


def test_every_load_in_many_blocks(cpu: Any, gpu: Any) -> None:
    arrays = [uniform(300, 170, seed=seed) for seed in range(4)]
    compare(cpu, gpu, "all_loads", *arrays, grid=(38, 22))


@pytest.mark.parametrize(("block", "grid"), [(32, 1), (7, 3), (64, 4), (256, 40)])
def test_more_or_fewer_elements_than_threads(cpu: Any, gpu: Any, block: int, grid: int) -> None:
    compare(cpu, gpu, "in_strides", uniform(5003), uniform(1, seed=1), block=block, grid=grid)


def test_casts(cpu: Any, gpu: Any) -> None:
    x, w = uniform(1000, dtype=torch.float16), uniform(1000, dtype=torch.bfloat16, seed=1)
    compare(cpu, gpu, "cast", x, w, tolerance=1e-2)


def test_vectors(cpu: Any, gpu: Any) -> None:
    arrays = [uniform(70, 3, dtype=torch.float32), uniform(70, 4, dtype=torch.float32), uniform(1, 2, dtype=torch.float32)]
    compare(cpu, gpu, "vectors", *arrays, tolerance=1e-4)


def test_loops_and_functions(cpu: Any, gpu: Any) -> None:
    compare(cpu, gpu, "in_loops", uniform(500, 5), uniform(3, seed=1))


def test_beside_other_parameters(cpu: Any, gpu: Any) -> None:
    index = torch.randint(0, 5, (1200,), generator=torch.Generator().manual_seed(3), dtype=torch.int32)
    found = []
    for module, move in ((cpu, lambda value: value), (gpu, on_gpu)):
        x, w, k = (move(uniform(size, seed=size)) for size in (5, 1200, 1201))
        given = move(uniform(1200, seed=9))
        found.append(module.mixed.bwd(x, w, move(index), k[:1200], a=1.5, y=(None, given)))
    for name in ("x", "w", "a"):
        expected = getattr(found[0], name)
        torch.testing.assert_close(getattr(found[1], name).cpu(), expected, rtol=1e-11, atol=1e-11)


def test_a_view_of_the_users(cpu: Any, gpu: Any) -> None:
    compare(cpu, gpu, "sampled", uniform(6, 6), uniform(3000, 2, seed=1) * 2 + 2.5)


def test_rules_that_are_no_members(cpu: Any, gpu: Any) -> None:
    compare(cpu, gpu, "with_rule", uniform(4000), uniform(1, seed=1))


def test_derivatives_by_hand(cpu: Any, gpu: Any) -> None:
    compare(cpu, gpu, "cubes", uniform(5000, dtype=torch.float32), tolerance=1e-5)
    compare(cpu, gpu, "doubles", uniform(5000))


def test_bwd_diff(gpu: Any) -> None:
    x, gradient = uniform(400).cuda(), torch.zeros(400, dtype=torch.float64, device="cuda")
    gpu.slopes(x, gradient, block=64, grid=7)
    torch.testing.assert_close(gradient, 3 * x**2)


@pytest.mark.parametrize(
    ("name", "shape"),
    [("int", (8,)), ("unsigned", (8,)), ("int2", (4, 3)), ("uint2", (4, 3)), ("int3", (4, 3, 2)), ("uint3", (4, 3, 2))]
    + [("int4", (4, 3, 2, 5)), ("uint4", (4, 3, 2, 5))],
)
def test_indices(gpu: Any, name: str, shape: tuple[int, ...]) -> None:
    x, given = uniform(*shape).cuda(), uniform(*shape, seed=1).cuda()
    block, grid = shape[:3], shape[3] if len(shape) == 4 else 1
    y = torch.zeros_like(x)
    function = gpu[f"by_{name}"]
    function(x, y, block=block, grid=grid)
    torch.testing.assert_close(y, x.sin() * x)
    found = function.bwd(x, (None, given), block=block, grid=grid).x
    torch.testing.assert_close(found, (x.cos() * x + x.sin()) * given)


def test_strides(cpu: Any, gpu: Any) -> None:
    """A gradient has strides of its own."""
    rows = []
    for module, move in ((cpu, lambda value: value), (gpu, on_gpu)):
        x = move(uniform(9, 12)).t()
        others = [move(uniform(12, 9, seed=seed)) for seed in (1, 2, 3)]
        given = move(uniform(18, 24, seed=4))[::2, ::2].t()[:12, :9]
        gradients = [torch.zeros(24, 18, dtype=torch.float64, device=x.device)[::2, ::2] for _ in range(4)]
        pairs = zip((x, *others), gradients, strict=True)
        module.all_loads.bwd(*pairs, (None, given), grid=(2, 2))
        rows.append(gradients)
    for expected, found in zip(*rows, strict=True):
        assert expected.abs().max() > 0
        torch.testing.assert_close(found.cpu(), expected, rtol=1e-12, atol=1e-12)


def test_tangents(gpu: Any) -> None:
    x, t = uniform(40, dtype=torch.float32).cuda(), uniform(40, dtype=torch.float32, seed=1).cuda()
    room = (torch.empty_like(x), torch.empty_like(x))
    value, tangent = gpu.sqr.fwd((x, t), output=room, block=64, grid=1).output
    torch.testing.assert_close(value, x * x)
    torch.testing.assert_close(tangent, 2 * x * t)


def test_a_gradient_that_nobody_wants(gpu: Any) -> None:
    ones = torch.ones(8, device="cuda")
    assert gpu.sqr.bwd((ones, None), (None, ones), block=8, grid=1).input is None


def test_several_threads_that_store_one_element(gpu: Any) -> None:
    x = torch.ones(4, dtype=torch.float64, device="cuda")
    with pytest.raises(kernix.KernelError, match=r"does not depend on threadIdx.y, and the block has 2"):
        gpu.by_int.bwd(x, (None, x), block=(4, 2), grid=1)
