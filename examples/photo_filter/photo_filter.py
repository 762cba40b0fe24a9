"""Smooths a photograph with a bilateral filter and writes it beside the original, as a PNG."""

import sys
import time
from pathlib import Path

import kernix
import numpy as np
import skimage.data
from PIL import Image

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent))
from example import get, parser, put  # noqa: E402

RADIUS, SIGMA_SPACE, SIGMA_COLOR = 7, 4.0, 30.0


def reference(photo: np.ndarray) -> np.ndarray:
    """The same filter in NumPy: one shifted copy of the photograph per neighbour, in double precision."""
    height, width, _ = photo.shape
    padded = np.pad(photo.astype(np.float64), ((RADIUS, RADIUS), (RADIUS, RADIUS), (0, 0)), mode="edge")
    total, weighted = np.zeros((height, width, 1)), np.zeros(photo.shape)
    for dy in range(2 * RADIUS + 1):
        for dx in range(2 * RADIUS + 1):
            other = padded[dy : dy + height, dx : dx + width]
            space = ((dy - RADIUS) ** 2 + (dx - RADIUS) ** 2) / SIGMA_SPACE**2
            color = np.sum((other - photo) ** 2, axis=2, keepdims=True) / SIGMA_COLOR**2
            weight = np.exp(-0.5 * (space + color))
            total += weight
            weighted += weight * other
    return weighted / total


arguments = parser(__doc__)
arguments.add_argument("--output", type=Path, default=Path("photo_filter.png"))
options = arguments.parse_args()

photo = np.ascontiguousarray(skimage.data.astronaut())  # 512 x 512 x 3, part of the scikit-image package

module = kernix.load(HERE / "bilateral.cu")
pixels = put(photo, options.device)
start = time.perf_counter()
filtered = get(module.bilateral(pixels, RADIUS, SIGMA_SPACE, SIGMA_COLOR))
print(f"bilateral filter of {photo.shape[1]} x {photo.shape[0]} pixels on {options.device}: "
      f"{1e3 * (time.perf_counter() - start):.1f} ms, first call")

# The kernel rounds to whole levels after a sum in single precision: right where that is the nearest or the next level.
worst = np.abs(filtered.astype(np.float64) - reference(photo)).max()
if not worst < 0.51:
    sys.exit(f"MISMATCH bilateral: {worst:.3f} levels from the reference")
print(f"equal to the NumPy reference up to rounding ({worst:.3f} levels)")

Image.fromarray(np.concatenate([photo, filtered], axis=1)).save(options.output)
print(f"before and after: {options.output.resolve()}")
