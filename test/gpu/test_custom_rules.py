"""Derivatives that are written by hand, inside automatic ones: gradients and tangents are those of the CPU target."""

from pathlib import Path
from typing import Any

import pytest
import torch

SOURCE = Path(__file__).parents[1] / "python" / "sources" / "custom_rules.cu"
LAUNCH = {"block": 32, "grid": 4}
N = 100

ELEMENTWISE = ["loops", "references", "written", "overloads", "result_needed", "clipped", "objects", "class_templates"]
ELEMENTWISE += ["members_of_templates", "member_templates", "member_templates_of_templates", "changed_objects"]
ELEMENTWISE += ["specializations", "library_functions"]
WITH_TANGENTS = ["loops", "references", "member_templates", "library_functions"]


def uniform(*shape: int, dtype: torch.dtype = torch.float64, seed: int = 0) -> torch.Tensor:
    """Above zero, where all of the functions are smooth."""
    generator = torch.Generator().manual_seed(seed)
    return (torch.rand(shape, generator=generator, dtype=torch.float64) * 0.8 + 0.2).to(dtype)


def close(found: torch.Tensor, expected: torch.Tensor) -> None:
    tolerance = 1e-4 if expected.dtype == torch.float32 else 1e-11
    assert expected.abs().max() > 0
    torch.testing.assert_close(found.cpu(), expected, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("name", ELEMENTWISE)
def test_gradients(cpu: Any, gpu: Any, name: str) -> None:
    x, given = uniform(N), uniform(N, seed=1)
    expected = cpu[name].bwd(x=x, y=(None, given), n=N, **LAUNCH).x
    close(gpu[name].bwd(x=x.cuda(), y=(None, given.cuda()), n=N, **LAUNCH).x, expected)


@pytest.mark.parametrize("name", WITH_TANGENTS)
def test_tangents(cpu: Any, gpu: Any, name: str) -> None:
    x, tangent = uniform(N), uniform(N, seed=1)
    expected = cpu[name].fwd(x=(x, tangent), y=(torch.zeros(N).double(), torch.zeros(N).double()), n=N, **LAUNCH).y
    room = tuple(torch.zeros(N, dtype=torch.float64, device="cuda") for _ in range(2))
    found = gpu[name].fwd(x=(x.cuda(), tangent.cuda()), y=room, n=N, **LAUNCH).y
    close(found[0], expected[0])
    close(found[1], expected[1])


def test_a_rule_for_one_mode(gpu: Any) -> None:
    x, ones, zeros = uniform(N).cuda(), torch.ones(N).double().cuda(), torch.zeros(N).double().cuda()
    found = gpu.one_mode.bwd(x=x, y=(None, ones), z=(None, zeros), n=N, **LAUNCH).x
    torch.testing.assert_close(found, 20 * x)
    found = gpu.one_mode.bwd(x=x, y=(None, zeros), z=(None, ones), n=N, **LAUNCH).x
    torch.testing.assert_close(found, 2 * x)
    y, z = ((zeros.clone(), zeros.clone()) for _ in range(2))
    both = gpu.one_mode.fwd(x=(x, ones), y=y, z=z, n=N, **LAUNCH)
    torch.testing.assert_close(both.y[1], 2 * x)
    torch.testing.assert_close(both.z[1], 20 * x)


def test_structs(cpu: Any, gpu: Any) -> None:
    x, s, given = uniform(N, 3, dtype=torch.float32), uniform(N, dtype=torch.float32, seed=1), torch.ones(N)
    expected = cpu.structs.bwd(x=x, s=s, y=(None, given), n=N, **LAUNCH)
    found = gpu.structs.bwd(x=x.cuda(), s=s.cuda(), y=(None, given.cuda()), n=N, **LAUNCH)
    close(found.x, expected.x)
    close(found.s, expected.s)


def test_pointers(cpu: Any, gpu: Any) -> None:
    x, given = uniform(N, 4), uniform(N, seed=1)
    expected = cpu.pointers.bwd(x=x, y=(None, given), n=N, **LAUNCH).x
    close(gpu.pointers.bwd(x=x.cuda(), y=(None, given.cuda()), n=N, **LAUNCH).x, expected)


def test_views_with_strides(gpu: Any) -> None:
    x = uniform(2, N).t().cuda()
    gradient = torch.zeros(N, 5, dtype=torch.float64, device="cuda")[:, ::2][:, :2]
    gpu.views.bwd(x=(x, gradient), y=(None, torch.ones(N).double().cuda()), n=N, **LAUNCH)
    torch.testing.assert_close(gradient, 10 * x.flip(1))


def test_an_object_that_holds_its_gradients(gpu: Any) -> None:
    x, w = uniform(N).cuda(), uniform(N, seed=1).cuda()
    gradient, given = torch.zeros_like(x), torch.ones_like(x)
    found = gpu.members.bwd(x=x, gx=gradient, w=w, y=(None, given), n=N, **LAUNCH)
    torch.testing.assert_close(gradient, 10 * w)
    torch.testing.assert_close(found.w, x)
