"""A sparse product in JAX with a gradient that is written by hand, compared with jax.experimental.sparse."""

import sys
from pathlib import Path

import kernix
import numpy as np

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent))
from example import check, jax_device, parser  # noqa: E402

device = parser(__doc__).parse_args().device
jax_device(device)

import jax  # noqa: E402  (where it is not installed, the line above ends the program)
import jax.numpy as jnp  # noqa: E402
from jax.experimental import sparse  # noqa: E402

ROWS, COLUMNS, ENTRIES = 2000, 3000, 20  # of each row

random = np.random.default_rng(1)
columns = jnp.asarray(np.sort(random.integers(0, COLUMNS, (ROWS, ENTRIES)).astype(np.int32)).ravel())
starts = jnp.arange(0, ROWS * ENTRIES + 1, ENTRIES, dtype=jnp.int32)
values = jnp.asarray(random.normal(size=ROWS * ENTRIES).astype(np.float32))
x, target = (jnp.asarray(random.normal(size=size).astype(np.float32)) for size in (COLUMNS, ROWS))

module = kernix.load(HERE / "sparse_matvec.cu")


def loss(values, x):
    return jnp.mean((module.sparse_matvec(values, columns, starts, x) - target) ** 2)


def reference(values, x):
    return jnp.mean((sparse.BCSR((values, columns, starts), shape=(ROWS, COLUMNS)) @ x - target) ** 2)


got = jax.jit(jax.value_and_grad(loss, argnums=(0, 1)))(values, x)
expected = jax.jit(jax.value_and_grad(reference, argnums=(0, 1)))(values, x)
check(f"loss on {device}", got[0], expected[0], rtol=1e-5)
check("gradient of the matrix", got[1][0], expected[1][0], atol=1e-6)
check("gradient of the vector", got[1][1], expected[1][1], atol=1e-6)
