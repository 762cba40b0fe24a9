"""Structural similarity of two pictures, window 11 x 11: twelve planes of 1080 x 1920."""

from typing import Any

import torch

from . import SOURCES, Case, uniform

FILES = (SOURCES / "ssim.cu",)


def similarity(x: torch.Tensor, z: torch.Tensor) -> torch.Tensor:
    along = torch.exp(-(torch.arange(-5, 6, device=x.device, dtype=torch.float64).square()) / (2 * 1.5**2))
    along = along / along.sum()
    window = torch.outer(along, along)[None, None]

    def mean(v: torch.Tensor) -> torch.Tensor:
        return torch.nn.functional.conv2d(v[:, None], window, padding=5)[:, 0]

    a, b = mean(x), mean(z)
    va, vb, cov = mean(x * x) - a * a, mean(z * z) - b * b, mean(x * z) - a * b
    return (2 * a * b + 1e-4) * (2 * cov + 9e-4) / ((a * a + b * b + 1e-4) * (va + vb + 9e-4))


def cases(device: str, small: bool, m: Any) -> list[Case]:
    planes, height, width = (2, 45, 53) if small else (12, 1080, 1920)
    z = uniform(planes, height, width, device=device, low=0)
    x = (z + uniform(planes, height, width, device=device, low=-0.2, high=0.2)).clamp(0, 1)
    y, g = torch.empty_like(x), uniform(planes, height, width, device=device)
    kept = torch.empty(3, planes, height, width, device=device)
    m.ssim_forward_by_hand(x, z, y, kept)
    return [
        Case(
            "ssim",
            [x],
            [g],
            lambda: (m.ssim(x, z, y=y),),
            lambda: (m.ssim_forward_by_hand(x, z, y), y)[1:],
            lambda gx: m.ssim.bwd((x, gx), z, (None, g)),
            lambda gx: m.ssim_by_hand(x, gx, z, kept, g),
            lambda x: (similarity(x, z.double()),),
            note="by hand, the forward kernel keeps three derivatives for each pixel (not in its time)",
            # Variances are differences of squares, which single precision leaves four digits of.
            tolerance=2e-3,
        )
    ]
