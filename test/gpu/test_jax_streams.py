"""Handlers of XLA on a GPU: recorded in CUDA graphs (XLA's command buffers), on XLA's stream, without waiting."""

import os
import subprocess
import sys
from pathlib import Path

import kernix
import pytest

pytest.importorskip("jax")
HERE = Path(__file__).parent

# In a process of its own: XLA reads its flags once.
RECORDED = """
import sys
import jax, jax.numpy as jnp, numpy as np
import kernix, kernix.jax

m = kernix.load(sys.argv[1], target="cuda")
kernix.jax.register(m, "graphs", allow_cuda_graph=True)
x = jnp.arange(1000, dtype="float32")
counted = jax.ffi.ffi_call("graphs.counted", jax.ShapeDtypeStruct(x.shape, x.dtype))

@jax.jit
def run(x):
    y = m.add_one(m.add_one(x))
    y = counted(y)
    return m.add_one(m.add_one(y))

for k in range(20):
    np.testing.assert_array_equal(run(x + k), np.arange(1000) + k + 5)
print("counted", m.calls())
"""


def has_cuda() -> bool:
    import jax

    try:
        return bool(jax.devices("cuda"))
    except RuntimeError:
        return False


needs_jax_on_cuda = pytest.mark.skipif(not kernix.gpu.driver().usable or not has_cuda(), reason="needs jax for CUDA")


def counts(flags: str) -> int:
    environment = {**os.environ, "XLA_FLAGS": flags, "XLA_PYTHON_CLIENT_PREALLOCATE": "false"}
    command = [sys.executable, "-c", RECORDED, str(HERE / "kernels" / "jax_streams.cu")]
    result = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr
    return int(result.stdout.split("counted")[-1])


@needs_jax_on_cuda
def test_calls_are_recorded_in_graphs() -> None:
    """A host function that counts its calls runs as often as its program without graphs, and less often with them."""
    assert counts("--xla_gpu_enable_command_buffer=") == 20
    recorded = counts("--xla_gpu_enable_command_buffer=FUSION,CUSTOM_CALL --xla_gpu_graph_min_graph_size=1")
    assert recorded < 20


@needs_jax_on_cuda
def test_calls_do_not_wait() -> None:
    import jax
    import jax.numpy as jnp

    m = kernix.load(HERE / "kernels" / "jax_streams.cu", target="cuda")
    cuda = jax.devices("cuda")[0]
    x = jax.device_put(jnp.arange(1000, dtype="float32"), cuda)
    both = jax.jit(lambda x: m.add_one(m.spin(x, cycles=2_000_000_000)))
    both(x).block_until_ready()
    y = both(x)  # about a second
    assert not y.is_ready()
    assert (y == x + 1).all()
