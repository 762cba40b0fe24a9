"""brainevent's own tests with kernix behind it, on the CPU target: its loaders, and its operators on its CUDA kernels.

They run in a Python 3.12 that has the package: $KERNIX_BRAINEVENT_PYTHON, which test/run.sh sets, or this one.
"""

import functools
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import kernix
from kernix import cache

HERE = Path(__file__).parent


@functools.cache
def python() -> str:
    candidate = os.environ.get("KERNIX_BRAINEVENT_PYTHON") or sys.executable
    program = "import sys, brainevent, brainstate; print(sys.version_info[:2], brainevent.__version__)"
    result = subprocess.run([candidate, "-c", program], capture_output=True, text=True, check=False)
    if result.returncode != 0:
        pytest.skip(
            f"{candidate} has no brainevent, which wants Python 3.12: test/run.sh brainevent makes an environment, or set "
            "$KERNIX_BRAINEVENT_PYTHON to one with the packages of test/brainevent/requirements.txt"
        )
    return candidate


def run(module: str) -> tuple[int, str]:
    """How many tests passed, and the output."""
    command = [python(), "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "own_tests", "--engine=kernix", "--level=1"]
    command += ["--cuda-kernels", "--tb=short", "-m", "", "--pyargs", f"brainevent.{module}"]
    path = os.pathsep.join([str(Path(kernix.__file__).parents[1]), str(HERE)])
    environment = {**os.environ, "PYTHONPATH": path, "JAX_PLATFORMS": "cpu", "KERNIX_TARGET": "cpu"}
    environment["KERNIX_CACHE_DIR"] = os.path.join(cache.folder(), "own_tests")  # of which they clear parts
    result = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stdout + result.stderr
    passed = re.search(r"(\d+) passed", result.stdout)
    return int(passed.group(1)) if passed else 0, result.stdout


# How many tests pass at least: all that are not skipped with a reason.
LOADERS = {"_op.kernix_pipeline_test": 49, "_op.kernix_codegen_test": 62}
OPERATORS = {
    "_csr.float_test": 49,
    "_csr.delay_layout_test": 47,
    "_dense.plasticity_binary_test": 50,
    "_fcn.float_test": 22,
    "_jit_normal.csr_test": 15,
    "_jit_scalar.csr_test": 15,
    "_jit_uniform.csr_test": 15,
}
MORE_OPERATORS = {
    "_csr.binary_test": 367,
    "_csr.binary_indexed_test": 331,
    "_csr.delay_test": 123,
    "_csr.dt2t_test": 36,
    "_csr.slice_test": 33,
    "_dense.binary_test": 318,
    "_event.compact_test": 87,
    "_fcn.binary_test": 397,
    "_jit_scalar.binary_test": 316,
    "_jit_scalar.float_test": 113,
    "_jit_normal.float_test": 181,
    "_jit_uniform.float_test": 109,
}


@pytest.mark.parametrize("module", LOADERS)
def test_loaders(module):
    passed, output = run(module)
    assert passed >= LOADERS[module], output


@pytest.mark.parametrize("module", [*OPERATORS, *(pytest.param(name, marks=pytest.mark.all_files) for name in MORE_OPERATORS)])
def test_operators(module):
    passed, output = run(module)
    assert passed >= (OPERATORS | MORE_OPERATORS)[module], output
