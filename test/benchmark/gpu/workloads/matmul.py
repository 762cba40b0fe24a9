"""Tiled product of matrices of 2048 x 2048."""

from typing import Any

import torch

from . import SOURCES, Case, uniform

FILES = (SOURCES / "matmul.cu",)


def cases(device: str, small: bool, m: Any) -> list[Case]:
    rows, depth, columns = (128, 128, 2048) if small else (2048, 2048, 2048)
    a, b = uniform(rows, depth, device=device), uniform(depth, columns, device=device)
    c, g = torch.empty(rows, columns, device=device), uniform(rows, columns, device=device)

    def by_hand(ga: torch.Tensor, gb: torch.Tensor) -> None:
        m.matmul_left_by_hand(ga, b, g)
        m.matmul_right_by_hand(a, gb, g)

    return [
        Case(
            "matmul",
            [a, b],
            [g],
            lambda: (m.matmul(a, b, c=c),),
            lambda: (m.matmul_forward_by_hand(a, b, c), c)[1:],
            lambda ga, gb: m.matmul.bwd((a, ga), (b, gb), (None, g)),
            by_hand,
            lambda a, b: (a @ b,),
            ["matmul_left_by_hand", "matmul_right_by_hand"],
        )
    ]
