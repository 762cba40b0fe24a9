"""What the fits in PyTorch (gaussians.py) and JAX (gaussians_jax.py) share: the photograph, the ellipses to begin with, the
lists of tiles, and the picture that is written."""

from pathlib import Path

import numpy as np
import skimage.data
from PIL import Image, ImageDraw

TILE, REACH = 16, 3.5  # pixels; standard deviations beyond which an ellipse is not drawn
RATES = (0.15, 0.03, 0.05, 0.015)  # of learning: places, spreads, angles, colours


def photograph(size: int) -> np.ndarray:
    image = Image.fromarray(skimage.data.astronaut()).resize((size, size), Image.Resampling.LANCZOS)
    return np.asarray(image, dtype=np.float32) / 255


def first_ellipses(count: int, target: np.ndarray) -> list[np.ndarray]:
    """Places, logarithms of spreads, angles and colours."""
    size = len(target)
    random = np.random.default_rng(0)
    place = random.uniform(0, size, (count, 2))
    spread = np.full((count, 2), np.log(0.6 * size / np.sqrt(count)))
    angle = random.uniform(0, np.pi, (count, 1))
    color = 0.3 * target[place[:, 1].astype(int), place[:, 0].astype(int)]
    return [each.astype(np.float32) for each in (place, spread, angle, color)]


def tiles(ellipses: np.ndarray, size: int) -> tuple[np.ndarray, np.ndarray]:
    """For each tile the ellipses that reach it: where each list begins, and the lists one behind the other."""
    reach = REACH * np.exp(ellipses[:, 2:4].max(axis=1))
    count = -(-size // TILE)
    lists = []
    for row in range(count):
        near_y = np.abs(ellipses[:, 1] - (row + 0.5) * TILE) < reach + TILE / 2
        for column in range(count):
            near_x = np.abs(ellipses[:, 0] - (column + 0.5) * TILE) < reach + TILE / 2
            lists.append(np.flatnonzero(near_x & near_y))
    first = np.cumsum([0, *(len(each) for each in lists)])
    return first.astype(np.int32), np.concatenate(lists).astype(np.int32)


def save(path: Path, target: np.ndarray, before: np.ndarray, after: np.ndarray, losses: list[float]) -> None:
    """The photograph, the first picture, the fitted one and the loss curve."""
    shown = [(np.clip(each, 0, 1) * 255).astype(np.uint8) for each in (target, before, after)]
    Image.fromarray(np.concatenate([*shown, _curve(losses, len(target))], axis=1)).save(path)
    print(f"photograph, first picture, fit, loss: {path.resolve()}")


def _curve(losses: list[float], size: int) -> np.ndarray:
    """The loss over the steps, on a logarithmic scale."""
    image = Image.new("RGB", (size, size), "white")
    heights = np.log(np.array(losses))
    heights = (heights - heights.min()) / max(float(np.ptp(heights)), 1e-9)
    points = [(k * (size - 9) / max(len(losses) - 1, 1) + 4, 4 + (size - 9) * (1 - h)) for k, h in enumerate(heights)]
    ImageDraw.Draw(image).line(points, fill="black")
    return np.asarray(image)
