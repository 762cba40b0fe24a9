"""Finds how a photograph was turned, scaled and moved, by gradients through bilinear interpolation; then a texel by them."""

import sys
from pathlib import Path

import kernix
import numpy as np
import skimage.data
import skimage.filters
import skimage.transform
from PIL import Image

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent))
from example import get, parser, put  # noqa: E402

SIZE = 192
ANGLE, SCALE, SHIFT = 0.12, 0.94, (5.0, -3.0)


def blurred(photo: np.ndarray, sigma: float) -> np.ndarray:
    """Smooth enough for a step of some pixels to lead downhill."""
    return skimage.filters.gaussian(photo, sigma).astype(np.float32)


arguments = parser(__doc__)
arguments.add_argument("--output", type=Path, default=Path("texture.png"))
options = arguments.parse_args()

photo = skimage.transform.resize(skimage.data.camera(), (SIZE, SIZE), anti_aliasing=True)  # part of scikit-image
turn = SCALE * np.array([[np.cos(ANGLE), -np.sin(ANGLE)], [np.sin(ANGLE), np.cos(ANGLE)]])
wanted = np.concatenate([turn, np.array(SHIFT)[:, None]], axis=1).astype(np.float32).reshape(-1)

module = kernix.load(HERE / "texture.cu")

# The linear part moves pixels by as many as they lie from the middle: steps are taken in pixels.
in_pixels = np.array([SIZE / 2, SIZE / 2, 1, SIZE / 2, SIZE / 2, 1], np.float32)
found = np.array([1, 0, 0, 0, 1, 0], np.float32)
for sigma, steps in ((6.0, 120), (2.0, 80)):
    texture = put(blurred(photo, sigma), options.device)
    target = get(module.look(texture, put(wanted, options.device)))
    mean, square = np.zeros(6, np.float32), np.zeros(6, np.float32)
    for step in range(1, steps + 1):
        difference = get(module.look(texture, put(found, options.device))) - target
        cotangent = put((2 * difference / difference.size).astype(np.float32), options.device)
        # Nobody wants the gradient of the texture: None.
        gradient = get(module.look.bwd((texture, None), put(found, options.device), (None, cotangent)).map) / in_pixels
        mean, square = 0.9 * mean + 0.1 * gradient, 0.99 * square + 0.01 * gradient**2
        rate = 0.4 * (1 - step / (steps + 1))  # pixels
        found -= rate * (mean / (1 - 0.9**step)) / (np.sqrt(square / (1 - 0.99**step)) + 1e-12) / in_pixels
    print(f"blurred by {sigma} pixels: root mean square difference {np.sqrt((difference**2).mean()):.5f}")

distance = np.abs((found - wanted) * in_pixels).max()
print(f"the map is that of the reference up to {distance:.3f} pixels")
if not distance < 0.2:
    sys.exit(f"MISMATCH: the map is {distance:.3f} pixels from the one that was looked for: {found}, not {wanted}")

# The texels have a gradient too: the weights with which they are looked at.
texture = put(photo.astype(np.float32), options.device)
ones = put(np.ones((SIZE, SIZE), np.float32), options.device)
gradients = module.look.bwd(texture, put(wanted, options.device), (None, ones))
weights = get(gradients.texture)
if not abs(weights.sum() - SIZE * SIZE) < 1e-3 * SIZE * SIZE:
    sys.exit(f"MISMATCH: the weights of {SIZE * SIZE} pixels add up to {weights.sum()}")

seen, back = get(module.look(texture, put(wanted, options.device))), get(module.look(texture, put(found, options.device)))
row = np.concatenate([photo, seen, back, np.clip(weights / 2, 0, 1)], axis=1)
Image.fromarray((255 * np.clip(row, 0, 1)).astype(np.uint8)).save(options.output)
print(f"photograph, looked at, as found, and how much each texel counts: {options.output.resolve()}")
