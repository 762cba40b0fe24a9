"""What a renderer of a million Gaussians computes for each of them: covariance, projection, colour."""

from typing import Any

import torch

from . import SOURCES, Case, uniform

FILES = (SOURCES / "derivatives.cu", SOURCES / "gaussians.cu")


def covariance(q: torch.Tensor, s: torch.Tensor) -> tuple[torch.Tensor]:
    w, a, b, d = (q / q.norm(dim=1, keepdim=True)).unbind(1)
    rows = [
        [1 - 2 * (b * b + d * d), 2 * (a * b - w * d), 2 * (a * d + w * b)],
        [2 * (a * b + w * d), 1 - 2 * (a * a + d * d), 2 * (b * d - w * a)],
        [2 * (a * d - w * b), 2 * (b * d + w * a), 1 - 2 * (a * a + b * b)],
    ]
    scaled = torch.stack([torch.stack(row, dim=1) for row in rows], dim=1) * torch.exp(s)[:, None]
    full = scaled @ scaled.transpose(1, 2)
    j, k = torch.triu_indices(3, 3, device=q.device)
    return (full[:, j, k],)


def projection(p: torch.Tensor, c: torch.Tensor, view: torch.Tensor, focal: float) -> tuple[torch.Tensor]:
    turn, shift = view[:, :3], view[:, 3]
    x, y, z = (p @ turn.T + shift).unbind(1)
    zero = torch.zeros_like(x)
    jacobian = torch.stack(
        [torch.stack([focal / z, zero, -focal * x / z**2], 1), torch.stack([zero, focal / z, -focal * y / z**2], 1)], 1
    )
    full = c[:, [0, 1, 2, 1, 3, 4, 2, 4, 5]].reshape(-1, 3, 3)
    flat = jacobian @ turn @ full @ turn.T @ jacobian.transpose(1, 2)
    return (torch.stack([focal * x / z, focal * y / z, flat[:, 0, 0], flat[:, 0, 1], flat[:, 1, 1]], 1),)


def colours(d: torch.Tensor, k: torch.Tensor) -> tuple[torch.Tensor]:
    x, y, z = (d / d.norm(dim=1, keepdim=True)).unbind(1)
    xx, yy, zz = x * x, y * y, z * z
    basis = [
        0.2820947918 * torch.ones_like(x),
        -0.4886025119 * y,
        0.4886025119 * z,
        -0.4886025119 * x,
        1.0925484306 * x * y,
        -1.0925484306 * y * z,
        0.3153915653 * (2 * zz - xx - yy),
        -1.0925484306 * x * z,
        0.5462742153 * (xx - yy),
        -0.5900435899 * y * (3 * xx - yy),
        2.8906114426 * x * y * z,
        -0.4570457995 * y * (4 * zz - xx - yy),
        0.3731763326 * z * (2 * zz - 3 * xx - 3 * yy),
        -0.4570457995 * x * (4 * zz - xx - yy),
        1.4453057213 * z * (xx - yy),
        -0.5900435899 * x * (xx - 3 * yy),
    ]
    return (torch.relu(0.5 + (torch.stack(basis, dim=1)[..., None] * k).sum(1)),)


def cases(device: str, small: bool, m: Any, hand: Any) -> list[Case]:
    n = 300 if small else 1 << 20
    q, s, p = uniform(n, 4, device=device), uniform(n, 3, device=device), uniform(n, 3, device=device)
    p[:, 2] += 4
    c, d, k = uniform(n, 6, device=device), uniform(n, 3, device=device), uniform(n, 16, 3, device=device)
    view = torch.tensor([[0.9, 0.1, 0, 0.1], [-0.1, 0.95, 0.2, 0], [0, -0.2, 0.9, 0.3]], device=device)
    gc, gu, gk = uniform(n, 6, device=device), uniform(n, 5, device=device), uniform(n, 3, device=device)
    out, pixel, colour = (torch.empty_like(each) for each in (gc, gu, gk))
    return [
        Case(
            "covariance",
            [q, s],
            [gc],
            lambda: (m.covariance(q, s, c=out),),
            lambda: (hand.covariance_forward_by_hand(q, s, c=out),),
            lambda a, b: m.covariance.bwd((q, a), (s, b), (None, gc)),
            lambda a, b: m.covariance_by_hand(q, a, s, b, gc),
            covariance,
            goal=1.0,
        ),
        Case(
            "projection",
            [p, c],
            [gu],
            lambda: (m.projection(p, c, view, u=pixel, focal=1.5),),
            lambda: (hand.projection_forward_by_hand(p, c, view, u=pixel, focal=1.5),),
            lambda a, b: m.projection.bwd((p, a), (c, b), view, (None, gu), 1.5),
            lambda a, b: m.projection_by_hand(p, a, c, b, view, gu, 1.5),
            lambda p, c: projection(p, c, view.double(), 1.5),
            goal=1.0,
        ),
        Case(
            "colours",
            [d, k],
            [gk],
            lambda: (m.colours(d, k, c=colour),),
            lambda: (hand.colours_forward_by_hand(d, k, c=colour),),
            lambda a, b: m.colours.bwd((d, a), (k, b), (None, gk)),
            lambda a, b: m.colours_by_hand(d, a, k, b, gk),
            colours,
            goal=1.0,
        ),
    ]
