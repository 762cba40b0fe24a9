"""The same as splatting.cu in PyTorch: every Gaussian at every pixel, for comparison on small pictures."""

import torch


def project(
    places: torch.Tensor,
    sizes: torch.Tensor,
    turns: torch.Tensor,
    logits: torch.Tensor,
    view: torch.Tensor,
    focal: float,
    middle: tuple[float, float],
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor]:
    """Centres, conics, opacities, depths of Gaussians in front of the camera."""
    camera = places @ view[:, :3].T + view[:, 3]
    x, y, z = camera.unbind(1)
    w, a, b, c = torch.nn.functional.normalize(turns, dim=1).unbind(1)
    rows = [
        [1 - 2 * (b * b + c * c), 2 * (a * b - w * c), 2 * (a * c + w * b)],
        [2 * (a * b + w * c), 1 - 2 * (a * a + c * c), 2 * (b * c - w * a)],
        [2 * (a * c - w * b), 2 * (b * c + w * a), 1 - 2 * (a * a + b * b)],
    ]
    axes = torch.stack([torch.stack(row, dim=1) for row in rows], dim=1) * torch.exp(sizes)[:, None]
    zero = torch.zeros_like(z)
    perspective = torch.stack(
        [torch.stack([focal / z, zero, -focal * x / z**2], 1), torch.stack([zero, focal / z, -focal * y / z**2], 1)], 1
    )
    flat = perspective @ view[:, :3] @ axes
    covariance = flat @ flat.transpose(1, 2) + 0.3 * torch.eye(2, dtype=places.dtype, device=places.device)
    inverse = torch.linalg.inv(covariance)
    centres = torch.stack([focal * x / z + middle[0], focal * y / z + middle[1]], dim=1)
    return centres, torch.stack([inverse[:, 0, 0], inverse[:, 0, 1], inverse[:, 1, 1]], 1), torch.sigmoid(logits), z


def composite(
    centres: torch.Tensor,
    conics: torch.Tensor,
    opacities: torch.Tensor,
    colours: torch.Tensor,
    height: int,
    width: int,
) -> torch.Tensor:
    """The picture of ellipses that are sorted by depth."""
    y, x = torch.meshgrid(
        torch.arange(height, device=centres.device) + 0.5, torch.arange(width, device=centres.device) + 0.5, indexing="ij"
    )
    dx, dy = centres[:, 0] - x[..., None], centres[:, 1] - y[..., None]
    power = -0.5 * (conics[:, 0] * dx * dx + conics[:, 2] * dy * dy) - conics[:, 1] * dx * dy
    full = opacities * torch.exp(power)
    alpha = torch.where((power > 0) | (full < 1 / 255), torch.zeros_like(full), full.clamp_max(0.99))
    left = torch.cumprod(1 - alpha, dim=-1)
    before = torch.cat([torch.ones_like(left[..., :1]), left[..., :-1]], dim=-1)
    # A pixel ends where next to no light is left.
    return torch.where(left < 1e-4, torch.zeros_like(alpha), alpha * before) @ colours
