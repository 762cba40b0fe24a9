"""Fixtures of the Python tests: a cache of their own, modules built from sources/, arrays of each framework."""

import importlib.util
import os
import sys
import textwrap
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

os.environ.setdefault("KERNIX_VERBOSE", "0")
os.environ.pop("KERNIX_TARGET", None)
# Before JAX is imported: devices for tests of sharding, and memory of a GPU for others too.
os.environ.setdefault("XLA_FLAGS", "--xla_force_host_platform_device_count=4")
os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")

import kernix  # noqa: E402  (after the environment)

SOURCES = Path(__file__).parent / "sources"


def has_gpu() -> bool:
    from kernix import gpu

    return gpu.driver().usable


def has_toolkit() -> bool:
    from kernix import toolchain

    return any(toolchain.cuda_problem(path) is None for path in toolchain.cuda_candidates())


needs_toolkit = pytest.mark.skipif(not has_toolkit(), reason="no CUDA toolkit (set CUDA_HOME)")


@pytest.fixture(scope="session", autouse=True)
def session_cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """A fresh cache, unless one is given: then repeated runs are faster."""
    if "KERNIX_CACHE_DIR" in os.environ:
        yield
        return
    os.environ["KERNIX_CACHE_DIR"] = str(tmp_path_factory.mktemp("cache"))
    yield
    del os.environ["KERNIX_CACHE_DIR"]


@pytest.fixture
def fresh_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache for one test."""
    path = tmp_path / "kernix-cache"
    monkeypatch.setenv("KERNIX_CACHE_DIR", str(path))
    return path


@pytest.fixture
def jax_on_cpu() -> Iterator[Any]:
    """JAX whose arrays are on the CPU, also where there is a GPU."""
    jax = pytest.importorskip("jax")
    with jax.default_device(jax.devices("cpu")[0]):
        yield jax


@pytest.fixture
def jax_in_doubles(jax_on_cpu: Any) -> Iterator[Any]:
    """... and whose numbers have 64 bits."""
    before = jax_on_cpu.config.jax_enable_x64
    jax_on_cpu.config.update("jax_enable_x64", True)
    yield jax_on_cpu
    jax_on_cpu.config.update("jax_enable_x64", before)


@pytest.fixture(scope="session")
def calls() -> Any:
    return kernix.load(SOURCES / "calls.cu")


@pytest.fixture(scope="session")
def results() -> Any:
    return kernix.load(SOURCES / "results.cu")


@pytest.fixture(scope="session")
def derivatives() -> Any:
    return kernix.load(SOURCES / "derivatives.cu")


@pytest.fixture
def source(tmp_path: Path) -> Callable[..., Path]:
    """Writes a source file with kernix.h included; source(text, name="f.cu")."""

    def write(text: str, name: str = "inline.cu") -> Path:
        path = tmp_path / name
        path.write_text("#include <kernix/kernix.h>\n" + textwrap.dedent(text))
        return path

    return write


ADD_ONE = """
    [[kernix::bind]]
    __global__ void add_one(const float *x, [[kernix::intent(out_return), kernix::shape("x")]] float *y,
                            [[kernix::value("x.numel()")]] int n) {
      int i = blockIdx.x * blockDim.x + threadIdx.x;
      if (i < n)
        y[i] = x[i] + 1;
    }
"""


class Framework:
    """Makes and reads arrays of one framework on one device."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.is_torch = name.startswith("torch")
        self.device = "cuda" if name.endswith("cuda") else "cpu"

    def array(self, values: Any, dtype: str = "float32") -> Any:
        import numpy

        array = numpy.asarray(values, dtype=dtype)
        if not self.is_torch:
            return array
        import torch

        return torch.from_numpy(array.copy()).to(self.device)

    def numpy(self, array: Any) -> Any:
        return array.cpu().numpy() if self.is_torch else array

    def is_own(self, array: Any) -> bool:
        """Whether the framework, on this device, made the array."""
        if not self.is_torch:
            return type(array).__name__ == "ndarray"
        return type(array).__name__ == "Tensor" and bool(array.device.type == self.device)


def framework_names() -> list[Any]:
    no_gpu = pytest.mark.skipif(not has_gpu(), reason="no GPU")
    return ["numpy", "torch", pytest.param("torch-cuda", marks=no_gpu)]


@pytest.fixture(params=framework_names())
def xp(request: pytest.FixtureRequest) -> Framework:
    if request.param != "numpy":
        pytest.importorskip("torch")
    return Framework(request.param)


def run_python(code: str, **environment: str) -> Any:
    """A fresh interpreter that sees the same kernix."""
    import subprocess

    root = str(Path(importlib.util.find_spec("kernix").origin).parent.parent)  # type: ignore[union-attr,arg-type]
    env = {**os.environ, "PYTHONPATH": root, **environment}
    return subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)], env=env, capture_output=True, text=True, timeout=300, check=False
    )
