"""Which ellipses reach each tile of a picture, nearest first: what is decided before they are drawn."""

import torch

SIDE = 16


def tiles(
    centres: torch.Tensor, conics: torch.Tensor, opacities: torch.Tensor, depths: torch.Tensor, height: int, width: int
) -> tuple[torch.Tensor, torch.Tensor]:
    """The lists of all tiles, row by row, one behind the other, and where each begins: first [tiles + 1], members."""
    columns, rows = -(-width // SIDE), -(-height // SIDE)
    order = torch.argsort(depths)
    centres, conics, opacities = centres[order], conics[order], opacities[order]
    # Beyond this many standard deviations an ellipse is fainter than 1/255. Those that never are get no tile.
    deviations = torch.sqrt(2 * torch.log((255 * opacities).clamp_min(1)))
    variances = conics[:, [2, 0]] / (conics[:, 0] * conics[:, 2] - conics[:, 1].square())[:, None]
    reach = deviations[:, None] * torch.sqrt(variances)
    most = torch.tensor([columns, rows], device=centres.device)
    low = torch.floor((centres - reach) / SIDE).long().clamp_min(0).minimum(most)
    high = (torch.floor((centres + reach) / SIDE).long() + 1).clamp_min(0).minimum(most)
    extent = torch.where(reach > 0, high - low, 0)
    count = extent.prod(dim=1)
    member = torch.repeat_interleave(torch.arange(len(centres), device=centres.device), count)
    number = torch.arange(len(member), device=centres.device) - (torch.cumsum(count, 0) - count)[member]
    across = extent[member, 0]
    tile = (low[member, 1] + number // across) * columns + low[member, 0] + number % across
    tile, by_tile = torch.sort(tile, stable=True)
    first = torch.searchsorted(tile, torch.arange(rows * columns + 1, device=centres.device))
    return first.int(), order[member[by_tile]].int()
