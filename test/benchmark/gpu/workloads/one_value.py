"""A value that four million threads read."""

from typing import Any

import torch

from . import SOURCES, Case, uniform

FILES = (SOURCES / "one_value.cu",)


def cases(device: str, small: bool, m: Any) -> list[Case]:
    n = 1000 if small else 1 << 22
    x, w, g = uniform(n, 4, device=device), torch.full((1,), 0.7, device=device), uniform(n, 4, device=device)
    y = torch.empty(n, 4, device=device)
    return [
        Case(
            "one_value",
            [x, w],
            [g],
            lambda: (m.one_value(x, w, y=y),),
            lambda: (m.one_value_forward_by_hand(x, w, y), y)[1:],
            lambda gx, gw: m.one_value.bwd((x, gx), (w, gw), (None, g)),
            lambda gx, gw: m.one_value_by_hand(x, gx, w, gw, g),
            lambda x, w: (w * x * x,),
            goal=1.0,
        )
    ]
