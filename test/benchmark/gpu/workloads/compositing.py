"""Gaussians composited from front to back, tile by tile: 1080 x 1920 pixels, 300 000 Gaussians."""

import sys
from typing import Any

import torch

from . import SOURCES, Case, uniform

EXAMPLE = SOURCES.parents[3] / "examples" / "splatting"
FILES = (EXAMPLE / "splatting.cu", SOURCES / "compositing.cu")

sys.path.append(str(EXAMPLE))
import plain  # noqa: E402
from tiles import tiles  # noqa: E402


def cases(device: str, small: bool, m: Any, hand: Any) -> list[Case]:
    height, width, n = (45, 50, 300) if small else (1080, 1920, 300_000)
    centres = torch.rand(n, 2, device=device) * torch.tensor([float(width), float(height)], device=device)
    deviation = 2 + 8 * torch.rand(n, 2, device=device).square()
    angle = uniform(n, device=device, high=3, low=0)
    c, s = torch.cos(angle), torch.sin(angle)
    p, q = 1 / deviation[:, 0].square(), 1 / deviation[:, 1].square()
    conics = torch.stack([p * c * c + q * s * s, (p - q) * c * s, p * s * s + q * c * c], dim=1)
    opacities, colours = uniform(n, device=device, low=0.05), uniform(n, 3, device=device, low=0)
    first, members = tiles(centres, conics, opacities, torch.arange(n, device=device), height, width)
    y, g = torch.empty(height, width, 3, device=device), uniform(height, width, 3, device=device)
    left, looked_at = torch.empty(height, width, device=device), torch.empty(height, width, dtype=torch.int32, device=device)
    given = (centres, conics, opacities, colours)
    hand.composite_forward_by_hand(*given, first, members, y, left, looked_at)

    def by_hand(*gradients: torch.Tensor) -> None:
        pairs = [each for pair in zip(given, gradients, strict=True) for each in pair]
        hand.composite_by_hand(*pairs, first, members, left, looked_at, g)

    return [
        Case(
            "composite",
            list(given),
            [g],
            lambda: (m.composite(*given, first, members, picture=y, height=height, width=width),),
            lambda: (hand.composite_forward_by_hand(*given, first, members, y), y)[1:],
            lambda *gradients: m.composite.bwd(
                *zip(given, gradients, strict=True), first, members, (None, g), height=height, width=width
            ),
            by_hand,
            lambda *inputs: (plain.composite(*inputs, height, width),),
            note="by hand, the forward kernel keeps two numbers for each pixel (not in its time)",
            tolerance=5e-4,
        )
    ]
