"""A rod spread over several devices with jax.shard_map: from how it ends up to how it began, by gradients.

Each device has a part of the rod. In each step it gets an element from either neighbour and runs the kernel on its own
part; gradients go the same way back. On the CPU, JAX is told to have four devices.
"""

import os
import sys
from pathlib import Path

os.environ["XLA_FLAGS"] = os.environ.get("XLA_FLAGS", "") + " --xla_force_host_platform_device_count=4"

import kernix  # noqa: E402
import numpy as np  # noqa: E402

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent))
from example import check, jax_device, parser  # noqa: E402

device = parser(__doc__).parse_args().device
jax_device(device)

import jax  # noqa: E402  (where it is not installed, the line above ends the program)
import jax.numpy as jnp  # noqa: E402
from jax.sharding import PartitionSpec as P  # noqa: E402

SIZE, STEPS, RATE = 1024, 40, 0.8

advance = kernix.load(HERE / "shards.cu").advance
devices = jax.devices(device)[:4]
mesh = jax.make_mesh((len(devices),), ("part",), devices=devices, axis_types=(jax.sharding.AxisType.Auto,))


def step_of_part(u, conductivity):
    """The rod is a ring: the last device's right neighbour is the first one."""
    right = [(k, (k + 1) % len(devices)) for k in range(len(devices))]
    left = [(to, at) for at, to in right]
    before = jax.lax.ppermute(u[-1:], "part", right)
    behind = jax.lax.ppermute(u[:1], "part", left)
    return advance(jnp.concatenate([before, u, behind]), conductivity)


def run(step, u, conductivity):
    return jax.lax.fori_loop(0, STEPS, lambda _, u: step(u, conductivity), u)


on_parts = jax.shard_map(step_of_part, mesh=mesh, in_specs=(P("part"), P()), out_specs=P("part"))


def reference(u, conductivity):
    return u + conductivity * (jnp.roll(u, 1) - 2 * u + jnp.roll(u, -1))


def distance(step, u, conductivity, end):
    return ((run(step, u, conductivity) - end) ** 2).sum()


spread = jax.sharding.NamedSharding(mesh, P("part"))
conductivity = jnp.array([0.2], "float32")
truth = np.sin(np.linspace(0, 6 * np.pi, SIZE, endpoint=False)).astype(np.float32)
end = jax.device_put(run(reference, jnp.asarray(truth), conductivity), spread)
guess = jax.device_put(jnp.zeros(SIZE), spread)

print(f"{SIZE} elements on {len(devices)} devices ({device}), {STEPS} steps")
anything = jax.device_put(np.random.default_rng(1).normal(size=SIZE).astype(np.float32), spread)
gradients = [jax.jit(jax.grad(distance, (1, 2)), static_argnums=0)(step, anything, conductivity, end)
             for step in (on_parts, reference)]  # fmt: skip
check("gradient of the beginning", gradients[0][0], gradients[1][0], rtol=1e-4, atol=1e-4)
check("gradient of the conductivity", gradients[0][1], gradients[1][1], rtol=1e-4, atol=1e-2)

descend = jax.jit(lambda u: u - RATE * jax.grad(distance, 1)(on_parts, u, conductivity, end), donate_argnums=0)
for _ in range(40):
    # Steps that are started ahead may take all of XLA's threads, while those of an earlier one wait for each other.
    guess = jax.block_until_ready(descend(guess))
assert guess.sharding.is_equivalent_to(spread, 1), "the rod stays where it is"
check("the beginning that was found", guess, truth, atol=2e-2)
