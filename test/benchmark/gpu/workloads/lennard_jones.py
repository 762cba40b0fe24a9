"""Lennard-Jones forces: particles near the points of a cubic lattice, 56 neighbours each."""

from itertools import product
from typing import Any

import torch

from . import SOURCES, Case, uniform

FILES = (SOURCES / "lennard_jones.cu",)
SPACING, REACH = 1.15, 2.5


def lattice(side: int, device: str) -> tuple[torch.Tensor, torch.Tensor]:
    """Places with a little disorder, and the neighbours of each: [n, 4] and [56, n]."""
    axis = torch.arange(side, device=device)
    point = torch.stack(torch.meshgrid(axis, axis, axis, indexing="ij"), dim=-1).reshape(-1, 3)
    place = SPACING * (point + uniform(*point.shape, device=device, low=-0.1, high=0.1))
    near = [step for step in product(range(-2, 3), repeat=3) if 0 < sum(k * k for k in step) <= 5]
    lists = []
    for step in near:
        other = (point + torch.tensor(step, device=device)) % side
        lists.append((other[:, 0] * side + other[:, 1]) * side + other[:, 2])
    return torch.nn.functional.pad(place, (0, 1)).contiguous(), torch.stack(lists).int()


def cases(device: str, small: bool, m: Any) -> list[Case]:
    side = 5 if small else 64
    x, neighbours = lattice(side, device)
    box, n = SPACING * side, side**3
    y, g = torch.empty(n, 4, device=device), uniform(n, 4, device=device)

    def reference(x: torch.Tensor) -> tuple[torch.Tensor]:
        r = x[None, :, :3] - x[neighbours.long(), :3]
        r = r - box * torch.round(r / box)
        square = r.square().sum(-1)
        s = torch.where(square < REACH * REACH, 1 / square, torch.zeros_like(square))
        force = ((48 * s**7 - 24 * s**4)[..., None] * r).sum(0)
        return (torch.cat([force, 2 * (s**6 - s**3).sum(0)[:, None]], dim=1),)

    def case(twin: str, title: str, note: str) -> Case:
        return Case(
            "forces",
            [x],
            [g],
            lambda: (m.forces(x, neighbours, y=y, box=box, reach=REACH),),
            lambda: (m.forces_forward_by_hand(x, neighbours, y, box, REACH), y)[1:],
            lambda gx: m.forces.bwd((x, gx), neighbours, (None, g), box, REACH),
            lambda gx: getattr(m, twin)(x, gx, neighbours, g, box, REACH),
            reference,
            [twin],
            note=note,
            title=title,
        )

    return [
        case("forces_by_hand", "forces", ""),
        case("forces_symmetric", "forces, symmetric", "knows that the list is symmetric, which the kernel does not say"),
    ]
