"""Finds the shape of a hanging chain by Newton's method, without ever forming its matrix of second derivatives.

Each step solves H d = -g by conjugate gradients, which only need products H v. One call of energy.bwd.fwd, the forward
derivative of the backward derivative, gives such a product and the gradient beside it. NumPy only.
"""

import sys
from pathlib import Path

import kernix
import numpy as np

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent))
from example import check, get, parser, put  # noqa: E402

MASSES = 101
CHAIN = {"stiffness": 2e4, "length": 0.012, "weight": 0.01}

options = parser(__doc__).parse_args()
module = kernix.load(HERE / "chain.cu")
ones = put(np.ones(MASSES - 1), options.device)


def energy(place: np.ndarray) -> float:
    return float(get(module.energy(put(place, options.device), chain=CHAIN)).sum())


def with_fixed_ends(change: np.ndarray) -> np.ndarray:
    change[[0, -1]] = 0
    return change


def gradient(place: np.ndarray) -> np.ndarray:
    result = module.energy.bwd(place=put(place, options.device), of=(None, ones), chain=CHAIN)
    return with_fixed_ends(get(result.place).copy())


def times_hessian(place: np.ndarray, v: np.ndarray) -> np.ndarray:
    pair = (put(place, options.device), put(v, options.device))
    result = module.energy.bwd.fwd(place=pair, of_grad=ones, chain=CHAIN)
    return with_fixed_ends(get(result.place_grad[1]).copy())


def newton_step(place: np.ndarray, g: np.ndarray) -> np.ndarray:
    """Conjugate gradients for H d = -g, as long as H bends upwards along the way."""
    d, r = np.zeros_like(g), -g
    p, size = r, (r * r).sum()
    for _ in range(4 * MASSES):
        hp = times_hessian(place, p)
        bend = (p * hp).sum()
        if bend <= 0:
            return d if d.any() else p
        d = d + size / bend * p
        r = r - size / bend * hp
        last, size = size, (r * r).sum()
        if size < 1e-16 * (g * g).sum():
            break
        p = r + size / last * p
    return d


random = np.random.default_rng(0)
place = np.stack([np.linspace(0, 1, MASSES), -0.4 * np.sin(np.linspace(0, np.pi, MASSES))], axis=1)

v, step = with_fixed_ends(random.uniform(-1, 1, place.shape)), 1e-6
difference = (gradient(place + step * v) - gradient(place - step * v)) / (2 * step)
check("H v against differences of gradients", times_hessian(place, v), difference, atol=1e-3)
# The other way round, reverse over reverse, gives the same: H is symmetric.
reverse = module.energy.bwd.bwd(
    place=put(place, options.device), place_grad=(None, put(v, options.device)), of_grad=ones, chain=CHAIN
)
check("H v, reverse over reverse", with_fixed_ends(get(reverse.place).copy()), times_hessian(place, v), rtol=1e-9, atol=1e-6)

for iteration in range(60):
    g = gradient(place)
    print(f"after {iteration:2} steps the largest force is {np.abs(g).max():.2e}, the energy {energy(place):.9f}")
    if np.abs(g).max() < 1e-9:
        break
    d, length, before = newton_step(place, g), 1.0, energy(place)
    while energy(place + length * d) > before + 1e-4 * length * (d * g).sum() and length > 1e-12:
        length /= 2
    place = place + length * d

# What holds the chain up at its ends is its weight, and to the sides it pulls as much at one end as at the other.
result = module.energy.bwd(place=put(place, options.device), of=(None, ones), chain=CHAIN)
forces = get(result.place)[[0, -1]]
check("weight at the ends", forces[:, 1].sum(), CHAIN["weight"] * (MASSES - 1), rtol=1e-7)
check(f"pull to the sides on {options.device}", forces[0, 0], -forces[1, 0], rtol=1e-6, atol=1e-8)
print("reference: differences of gradients, and the balance of forces")
