"""Finds how to throw masses on springs so that each hits its target, through the derivative of 1500 time steps.

NumPy only: gradients come from swing.bwd. Two backward calls give the Jacobian of each landing place, one for each
coordinate, and Newton's method does the rest.
"""

import sys
from pathlib import Path

import kernix
import numpy as np

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent))
from example import check, get, parser, put  # noqa: E402

STEPS, H, MASSES = 1500, 1e-3, 64

options = parser(__doc__).parse_args()
module = kernix.load(HERE / "spring.cu")


def swing(start: np.ndarray) -> np.ndarray:
    return get(module.swing(put(start, options.device), steps=STEPS, h=H, block=64, grid=1))


def jacobian(start: np.ndarray) -> np.ndarray:
    """d end / d start of each mass: 2 x 4."""
    rows = []
    for coordinate in range(2):
        cotangent = np.zeros((MASSES, 2))
        cotangent[:, coordinate] = 1
        gradients = module.swing.bwd(
            start=put(start, options.device), end=(None, put(cotangent, options.device)), steps=STEPS, h=H, block=64, grid=1
        )
        rows.append(get(gradients.start))
    return np.stack(rows, axis=1)


random = np.random.default_rng(0)
start = np.concatenate([random.uniform(0.5, 1.0, (MASSES, 2)), np.zeros((MASSES, 2))], axis=1)

step = 1e-5
differences = [
    (swing(start + step * np.eye(4)[k]) - swing(start - step * np.eye(4)[k])) / (2 * step) for k in range(4)
]
check("Jacobian against differences", jacobian(start), np.stack(differences, axis=2), rtol=1e-5, atol=1e-5)

# Targets that some throw reaches; which one, the search does not know.
throws = random.uniform(-0.5, 0.5, (MASSES, 2))
targets = swing(np.concatenate([start[:, :2], throws], axis=1))
miss = np.linalg.norm(swing(start) - targets, axis=1)
for iteration in range(60):
    print(f"after {iteration:2} steps the masses miss by {miss.max():.2e}")
    if miss.max() < 1e-9:
        break
    error = swing(start) - targets
    towards = np.zeros_like(start)
    towards[:, 2:] = np.linalg.solve(jacobian(start)[:, :, 2:], -error[..., None])[..., 0]
    # Each mass goes as far as it comes nearer.
    length = np.full(MASSES, 1.0)
    for _ in range(30):
        tried = np.linalg.norm(swing(start + length[:, None] * towards) - targets, axis=1)
        worse = tried > (1 - 1e-4 * length) * miss
        if not worse.any():
            break
        length[worse] /= 2
    length[tried > miss] = 0
    start += length[:, None] * towards
    miss = np.linalg.norm(swing(start) - targets, axis=1)
check(f"landing places on {options.device}", swing(start), targets, atol=1e-6)
print("reference: the targets themselves")
