"""Depthwise convolution, 3 x 3, of 16 images with 128 channels of 128 x 128."""

from typing import Any

import torch

from . import SOURCES, Case, uniform

FILES = (SOURCES / "depthwise.cu",)


def cases(device: str, small: bool, m: Any) -> list[Case]:
    images, channels, height, width = (2, 3, 37, 41) if small else (16, 128, 128, 128)
    x, g = (uniform(images, channels, height, width, device=device) for _ in range(2))
    w, y = uniform(channels, 9, device=device), torch.empty_like(x)
    return [
        Case(
            "depthwise",
            [x, w],
            [g],
            lambda: (m.depthwise(x, w, y=y),),
            lambda: (m.depthwise_forward_by_hand(x, w, y), y)[1:],
            lambda gx, gw: m.depthwise.bwd((x, gx), (w, gw), (None, g)),
            lambda gx, gw: m.depthwise_by_hand(x, gx, w, gw, g),
            lambda x, w: (
                torch.nn.functional.conv2d(x, w.reshape(channels, 1, 3, 3), padding=1, groups=channels),
            ),
        )
    ]
