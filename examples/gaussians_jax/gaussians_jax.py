"""Fits a photograph with coloured ellipses in JAX: the kernel of examples/gaussians, differentiated, inside jax.jit.

Writes the photograph, the first picture, the fitted one and the loss curve as a PNG.
"""

import sys
import time
from pathlib import Path

import kernix
import numpy as np

EXAMPLES = Path(__file__).parent.parent
sys.path[:0] = [str(EXAMPLES), str(EXAMPLES / "gaussians")]
import fit  # noqa: E402
from example import check, jax_device, parser  # noqa: E402

arguments = parser(__doc__)
arguments.add_argument("--size", type=int, default=128, help="pixels along one side")
arguments.add_argument("--ellipses", type=int, default=1500)
arguments.add_argument("--steps", type=int, default=300)
arguments.add_argument("--output", type=Path, default=Path("gaussians_jax.png"))
options = arguments.parse_args()
size = options.size
jax_device(options.device)

import jax  # noqa: E402  (where it is not installed, the line above ends the program)
import jax.numpy as jnp  # noqa: E402

draw = kernix.load(EXAMPLES / "gaussians" / "gaussians.cu").draw


def reference(ellipses, colors, height, width):
    """The same picture in JAX, every ellipse at every pixel."""
    y, x = jnp.meshgrid(jnp.arange(height) + 0.5, jnp.arange(width) + 0.5, indexing="ij")
    offset = jnp.stack([x, y], -1)[:, :, None] - ellipses[:, :2]
    c, s = jnp.cos(ellipses[:, 4]), jnp.sin(ellipses[:, 4])
    along = jnp.stack([c * offset[..., 0] + s * offset[..., 1], c * offset[..., 1] - s * offset[..., 0]], -1)
    light = jnp.exp(-0.5 * ((along * jnp.exp(-ellipses[:, 2:4])) ** 2).sum(-1))
    return jnp.matmul(light, colors, precision="highest")  # on GPUs JAX multiplies matrices in TF32 otherwise


def compare_with_reference() -> None:
    """Values and gradients of a small picture."""
    random = np.random.default_rng(1)
    ellipses, colors, weight = (jnp.asarray(random.random(shape, np.float32)) for shape in ((12, 5), (12, 3), (20, 20, 3)))
    ellipses *= jnp.array([20, 20, 1, 1, 3])
    first, members = jnp.arange(0, 60, 12, dtype="int32"), jnp.tile(jnp.arange(12, dtype="int32"), 4)

    def mine(ellipses, colors):
        return draw(ellipses, colors, first, members, height=20, width=20)

    def theirs(ellipses, colors):
        return reference(ellipses, colors, 20, 20)

    check("picture", mine(ellipses, colors), theirs(ellipses, colors), rtol=1e-4, atol=1e-4)
    got, expected = (
        jax.grad(lambda e, c, f=f: (f(e, c) * weight).sum(), argnums=(0, 1))(ellipses, colors) for f in (mine, theirs)
    )
    check("gradient of the ellipses", got[0], expected[0], rtol=1e-3, atol=1e-2)
    check("gradient of the colours", got[1], expected[1], rtol=1e-3, atol=1e-3)


def loss(parameters, target, first, members):
    picture = draw(jnp.concatenate(parameters[:3], axis=1), parameters[3], first, members, height=size, width=size)
    return ((picture - target) ** 2).mean(), picture


@jax.jit
def adam(step, parameters, means, squares, target, first, members):
    (value, picture), gradients = jax.value_and_grad(loss, has_aux=True)(parameters, target, first, members)
    means = [0.9 * m + 0.1 * g for m, g in zip(means, gradients, strict=True)]
    squares = [0.999 * s + 0.001 * g * g for s, g in zip(squares, gradients, strict=True)]
    parameters = [
        p - rate * (m / (1 - 0.9**step)) / (jnp.sqrt(s / (1 - 0.999**step)) + 1e-8)
        for p, m, s, rate in zip(parameters, means, squares, fit.RATES, strict=True)
    ]
    return parameters, means, squares, value, picture


def tiles(parameters):
    """As long as a power of two, so that not every change of the lists is compiled anew."""
    first, members = fit.tiles(np.concatenate([np.asarray(each) for each in parameters[:3]], axis=1), size)
    padded = np.zeros(1 << int(members.size - 1).bit_length(), np.int32)
    padded[: members.size] = members
    return jnp.asarray(first), jnp.asarray(padded)


compare_with_reference()

photograph = fit.photograph(size)
target = jnp.asarray(photograph)
parameters = [jnp.asarray(each) for each in fit.first_ellipses(options.ellipses, photograph)]
means = squares = [jnp.zeros_like(each) for each in parameters]
losses, start, before = [], time.perf_counter(), None
for step in range(options.steps):
    if step % 10 == 0:
        first, members = tiles(parameters)
    parameters, means, squares, value, picture = adam(step + 1, parameters, means, squares, target, first, members)
    if before is None:
        before = np.asarray(picture)
    losses.append(float(value))
seconds = time.perf_counter() - start
print(f"{options.ellipses} ellipses, {size} x {size} pixels, {options.steps} steps on {options.device}: {seconds:.1f} s, "
      f"mean squared error {losses[0]:.5f} -> {losses[-1]:.5f} ({-10 * np.log10(losses[-1]):.1f} dB)")
if not losses[-1] < 0.5 * losses[0]:
    sys.exit("MISMATCH: the fit did not improve")
fit.save(options.output, photograph, before, np.asarray(picture), losses)
