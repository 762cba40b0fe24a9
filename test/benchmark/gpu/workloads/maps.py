"""Threads that own their elements: products, scalars that all share, Newton's iteration, a recurrence."""

from typing import Any

import torch

from . import SOURCES, Case, uniform

FILES = (SOURCES / "derivatives.cu",)


def solved(mean: torch.Tensor, e: torch.Tensor) -> tuple[torch.Tensor]:
    t = mean
    for _ in range(10):
        t = t - (t - e * torch.sin(t) - mean) / (1 - e * torch.cos(t))
    return (t,)


def repeated(x: torch.Tensor, a: float, b: float) -> tuple[torch.Tensor]:
    h = torch.zeros_like(x[0])
    for each in x:
        h = torch.tanh(a * h + b * each)
    return (h,)


def cases(device: str, small: bool, m: Any) -> list[Case]:
    n = 64 if small else 1 << 20
    x, y, g = (uniform(16 * n, device=device) for _ in range(3))
    a, b = torch.full((1,), 0.3, device=device), torch.full((1,), 0.2, device=device)
    mean, e, gn = 3 * uniform(4 * n, device=device), uniform(4 * n, device=device, low=0, high=0.5), g[: 4 * n]
    steps, z, of_n = uniform(64, n, device=device), torch.empty_like(x), torch.empty(4 * n, device=device)
    last = torch.empty(n, device=device)
    values = m.kepler(mean, e)

    def kepler(twin: str, title: str, note: str) -> Case:
        first = values if twin == "kepler_implicit" else mean

        def by_hand(gm: torch.Tensor, ge: torch.Tensor) -> None:
            if twin == "kepler_implicit":
                m.kepler_implicit(first, e, gm, ge, gn)
            else:
                m.kepler_by_hand(first, gm, e, ge, gn)

        return Case(
            "kepler",
            [mean, e],
            [gn],
            lambda: (m.kepler(mean, e, y=of_n),),
            None,
            lambda gm, ge: m.kepler.bwd((mean, gm), (e, ge), (None, gn)),
            by_hand,
            solved,
            [twin],
            goal=1.0,
            note=note,
            title=title,
        )

    return [
        Case(
            "blend",
            [x, y],
            [g],
            lambda: (m.blend(x, y, z=z, a=0.3),),
            None,
            lambda gx, gy: m.blend.bwd((x, gx), (y, gy), (None, g), 0.3),
            lambda gx, gy: m.blend_by_hand(x, gx, y, gy, g, 0.3),
            lambda x, y: (0.3 * x * y + 0.7 * y,),
            goal=1.0,
        ),
        Case(
            "affine",
            [x, a, b],
            [g],
            lambda: (m.affine(x, z=z, a=0.3, b=0.2),),
            None,
            lambda gx, ga, gb: m.affine.bwd((x, gx), (None, g), (0.3, ga), (0.2, gb)),
            lambda gx, ga, gb: m.affine_by_hand(x, gx, g, 0.3, ga, gb),
            lambda x, a, b: (a * x + b,),
            goal=1.0,
        ),
        kepler("kepler_by_hand", "kepler", ""),
        kepler("kepler_implicit", "kepler, solved", "by hand it is known that the iteration solves an equation"),
        Case(
            "recurrence",
            [steps],
            [g[:n]],
            lambda: (m.recurrence(steps, y=last, a=0.9, b=0.7),),
            None,
            lambda gx: m.recurrence.bwd((steps, gx), (None, g[:n]), 0.9, 0.7),
            lambda gx: m.recurrence_by_hand(steps, gx, g[:n], 0.9, 0.7),
            lambda x: repeated(x, 0.9, 0.7),
            goal=1.0,
        ),
    ]
