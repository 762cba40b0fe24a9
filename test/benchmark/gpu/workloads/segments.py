"""Weighted sums over segments (CSR): 64 channels, 16 entries in a row on average and a few rows that are long."""

from typing import Any

import torch

from . import SOURCES, Case, uniform

FILES = (SOURCES / "segments.cu",)


def cases(device: str, small: bool, m: Any) -> list[Case]:
    rows = 37 if small else 1 << 17
    lengths = (-12 * torch.log(torch.rand(rows, device=device))).int()
    lengths[::64] *= 5
    first = torch.zeros(rows + 1, dtype=torch.int32, device=device)
    first[1:] = torch.cumsum(lengths, 0)
    entries = int(first[-1])
    column = torch.randint(rows, (entries,), dtype=torch.int32, device=device)
    weight, x = uniform(entries, device=device), uniform(rows, 32, 2, device=device)
    y, g = torch.empty(rows, 32, 2, device=device), uniform(rows, 32, 2, device=device)

    def reference(weight: torch.Tensor, x: torch.Tensor) -> tuple[torch.Tensor]:
        row = torch.repeat_interleave(torch.arange(rows, device=device), lengths)
        parts = weight[:, None, None] * x[column.long()]
        return (torch.zeros(rows, 32, 2, dtype=torch.float64, device=device).index_add(0, row, parts),)

    return [
        Case(
            "segments",
            [weight, x],
            [g],
            lambda: (m.segments(first, column, weight, x, y=y),),
            lambda: (m.segments_forward_by_hand(first, column, weight, x, y), y)[1:],
            lambda gw, gx: m.segments.bwd(first, column, (weight, gw), (x, gx), (None, g)),
            lambda gw, gx: m.segments_by_hand(first, column, weight, gw, x, gx, g),
            reference,
        )
    ]
