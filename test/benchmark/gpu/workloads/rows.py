"""Layer norm and softmax of rows of 1024 numbers."""

from typing import Any

import torch

from . import SOURCES, Case, uniform

FILES = (SOURCES / "rows.cu",)


def cases(device: str, small: bool, m: Any) -> list[Case]:
    rows = 5 if small else 1 << 15
    # As by hand: as many blocks as run at a time, which of the backward kernel are five on a multiprocessor.
    at_a_time = {"grid": 5 * torch.cuda.get_device_properties(device).multi_processor_count} if device == "cuda" else {}
    x, g = (uniform(rows, 256, 4, device=device, low=-2, high=3) for _ in range(2))
    scale, shift = (uniform(256, 4, device=device) for _ in range(2))
    y, probability = torch.empty_like(x), torch.empty_like(x)
    # By hand the backward of softmax takes the result of the forward.
    m.softmax_forward_by_hand(x, probability)

    def normalised(x: torch.Tensor, scale: torch.Tensor, shift: torch.Tensor) -> tuple[torch.Tensor]:
        flat = x.reshape(rows, -1)
        return (torch.nn.functional.layer_norm(flat, flat.shape[1:]).reshape(x.shape) * scale + shift,)

    return [
        Case(
            "layer_norm",
            [x, scale, shift],
            [g],
            lambda: (m.layer_norm(x, scale, shift, y=y),),
            lambda: (m.layer_norm_forward_by_hand(x, scale, shift, y), y)[1:],
            lambda gx, ga, gb: m.layer_norm.bwd((x, gx), (scale, ga), (shift, gb), (None, g), **at_a_time),
            lambda gx, ga, gb: m.layer_norm_by_hand(x, gx, scale, ga, gb, g),
            normalised,
            goal=1.0,
        ),
        Case(
            "softmax",
            [x],
            [g],
            lambda: (m.softmax(x, y=y),),
            lambda: (m.softmax_forward_by_hand(x, y), y)[1:],
            lambda gx: m.softmax.bwd((x, gx), (None, g)),
            lambda gx: m.softmax_by_hand(probability, gx, g),
            lambda x: (torch.softmax(x.reshape(rows, -1), dim=1).reshape(x.shape),),
            goal=1.0,
            # Gradients are about as small as the probabilities, and are added to 1.
            tolerance=1e-3,
        ),
    ]
