"""Gaussians composited from front to back, tile by tile: 1080 x 1920 pixels, 300 000 Gaussians."""

from typing import Any

import torch

from . import SOURCES, Case, uniform

FILES = (SOURCES / "compositing.cu",)
SIDE = 16


def tiles(centre: torch.Tensor, reach: torch.Tensor, height: int, width: int) -> tuple[torch.Tensor, torch.Tensor]:
    """For each tile the Gaussians that reach it, in their order: the lists one behind the other, and where each begins."""
    columns, rows = -(-width // SIDE), -(-height // SIDE)
    low = ((centre - reach[:, None]) / SIDE).floor().long()
    high = ((centre + reach[:, None]) / SIDE).floor().long() + 1
    most = torch.tensor([columns, rows], device=centre.device)
    low, high = low.clamp_min(0).minimum(most), high.clamp_min(0).minimum(most)
    extent = high - low
    member = torch.repeat_interleave(torch.arange(len(centre), device=centre.device), extent.prod(dim=1))
    begin = torch.cumsum(extent.prod(dim=1), 0) - extent.prod(dim=1)
    number = torch.arange(len(member), device=centre.device) - begin[member]
    x, y = low[member, 0] + number % extent[member, 0], low[member, 1] + number // extent[member, 0]
    tile, order = torch.sort(y * columns + x, stable=True)
    first = torch.searchsorted(tile, torch.arange(rows * columns + 1, device=centre.device))
    return first.int(), member[order].int()


def composited(
    centres: torch.Tensor, conics: torch.Tensor, opacities: torch.Tensor, colours: torch.Tensor, lists: Any, size: Any
) -> torch.Tensor:
    (first, members), (height, width) = lists, size
    picture = torch.zeros(height, width, 3, dtype=torch.float64, device=centres.device)
    rows = []
    for top in range(0, height, SIDE):
        row = []
        for left in range(0, width, SIDE):
            tile = top // SIDE * -(-width // SIDE) + left // SIDE
            of = members[first[tile] : first[tile + 1]].long()
            y, x = torch.meshgrid(
                torch.arange(top, min(top + SIDE, height), device=centres.device) + 0.5,
                torch.arange(left, min(left + SIDE, width), device=centres.device) + 0.5,
                indexing="ij",
            )
            dx, dy = centres[of, 0] - x[..., None], centres[of, 1] - y[..., None]
            a, b, c = conics[of].unbind(-1)
            power = -0.5 * (a * dx * dx + c * dy * dy) - b * dx * dy
            full = opacities[of] * torch.exp(power)
            alpha = torch.where((power > 0) | (full < 1 / 255), torch.zeros_like(full), full.clamp_max(0.99))
            left_over = torch.cumprod(1 - alpha, dim=-1)
            before = torch.cat([torch.ones_like(alpha[..., :1]), left_over[..., :-1]], dim=-1)
            weight = torch.where(left_over < 1e-4, torch.zeros_like(alpha), alpha * before)
            row.append(weight @ colours[of])
        rows.append(torch.cat(row, dim=1) if row else picture)
    return torch.cat(rows, dim=0)


def cases(device: str, small: bool, m: Any) -> list[Case]:
    height, width, n = (45, 50, 300) if small else (1080, 1920, 300_000)
    centres = torch.rand(n, 2, device=device) * torch.tensor([float(width), float(height)], device=device)
    deviation = 2 + 8 * torch.rand(n, 2, device=device).square()
    angle = uniform(n, device=device, high=3, low=0)
    c, s = torch.cos(angle), torch.sin(angle)
    p, q = 1 / deviation[:, 0].square(), 1 / deviation[:, 1].square()
    conics = torch.stack([p * c * c + q * s * s, (p - q) * c * s, p * s * s + q * c * c], dim=1)
    opacities, colours = uniform(n, device=device, low=0.05), uniform(n, 3, device=device, low=0)
    first, members = tiles(centres, 3.4 * deviation.max(dim=1).values, height, width)
    y, g = torch.empty(height, width, 3, device=device), uniform(height, width, 3, device=device)
    left, looked_at = torch.empty(height, width, device=device), torch.empty(height, width, dtype=torch.int32, device=device)
    given = (centres, conics, opacities, colours)
    m.composite_forward_by_hand(*given, first, members, y, left, looked_at)

    def by_hand(*gradients: torch.Tensor) -> None:
        pairs = [each for pair in zip(given, gradients, strict=True) for each in pair]
        m.composite_by_hand(*pairs, first, members, left, looked_at, g)

    return [
        Case(
            "composite",
            list(given),
            [g],
            lambda: (m.composite(*given, first, members, picture=y, height=height, width=width),),
            lambda: (m.composite_forward_by_hand(*given, first, members, y), y)[1:],
            lambda *gradients: m.composite.bwd(
                *zip(given, gradients, strict=True), first, members, (None, g), height=height, width=width
            ),
            by_hand,
            lambda *inputs: (composited(*inputs, (first, members), (height, width)),),
            note="by hand, the forward kernel keeps two numbers for each pixel (not in its time)",
            tolerance=5e-4,
        )
    ]
