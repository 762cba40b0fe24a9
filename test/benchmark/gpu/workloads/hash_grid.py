"""Encoding of points by a multi-resolution hash grid: 16 levels of two features."""

from math import log2
from typing import Any

import torch

from . import SOURCES, Case, uniform

FILES = (SOURCES / "hash_grid.cu",)


def encoded(x: torch.Tensor, table: torch.Tensor, growth: float) -> torch.Tensor:
    levels, size = table.shape[:2]
    outputs = []
    for level in range(levels):
        # The kernel's cells: their number and the place inside are decided in single precision there.
        scale = 16 * torch.exp2(torch.tensor(level * growth, dtype=torch.float32, device=x.device)) - 1
        side = int(torch.ceil(scale)) + 1
        place = x * scale
        cell = place.floor().long()
        inside = (place - place.floor()).double()
        total = torch.zeros(len(x), 2, dtype=torch.float64, device=x.device)
        for corner in range(8):
            bits = torch.tensor([corner & 1, corner >> 1 & 1, corner >> 2], device=x.device)
            at = cell + bits
            if side**3 <= size:
                slot = at[:, 0] + side * (at[:, 1] + side * at[:, 2])
            else:
                hashed = at[:, 0] ^ (at[:, 1] * 2654435761 & 0xFFFFFFFF) ^ (at[:, 2] * 805459861 & 0xFFFFFFFF)
                slot = hashed & (size - 1)
            weight = torch.where(bits == 1, inside, 1 - inside).prod(dim=1)
            total = total + weight[:, None] * table[level][slot]
        outputs.append(total)
    return torch.stack(outputs)


def cases(device: str, small: bool, m: Any) -> list[Case]:
    n, levels, size = (700, 6, 1 << 13) if small else (1 << 20, 16, 1 << 19)
    growth = log2(1.5)
    x, table = uniform(n, 3, device=device, low=0), uniform(levels, size, 2, device=device)
    y, g = torch.empty(levels, n, 2, device=device), uniform(levels, n, 2, device=device)
    return [
        Case(
            "encode",
            [table],
            [g],
            lambda: (m.encode(x, table, y=y, growth=growth),),
            lambda: (m.encode_forward_by_hand(x, table, y, growth), y)[1:],
            lambda gtable: m.encode.bwd(x, (table, gtable), (None, g), growth),
            lambda gtable: m.encode_by_hand(x, gtable, g, growth),
            lambda t: (encoded(x, t, growth),),
            # Places inside a cell are differences of numbers near a hundred.
            tolerance=2e-4,
        )
    ]
