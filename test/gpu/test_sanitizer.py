"""The bank under compute-sanitizer: no access out of bounds, no race, no wrong barrier. And each tool finds its fault."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from bank import CASES, module
from kernix import toolchain

TOOL = toolchain.find_cuda().tool("compute-sanitizer") or shutil.which("compute-sanitizer")
pytestmark = pytest.mark.skipif(TOOL is None, reason="compute-sanitizer is not installed")
FOUND = 86  # exit status of the sanitizer where it found something


def sanitize(tool: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    # Everything is built before: the sanitizer would follow the compiler too.
    for source in {case.source for case in CASES} | {"faults.cu"}:
        module(source)
    environment = {**os.environ, "PYTORCH_NO_CUDA_MEMORY_CACHING": "1", "KERNIX_VERBOSE": "0"}
    command = [str(TOOL), "--tool", tool, "--error-exitcode", str(FOUND), "--target-processes", "application-only"]
    return subprocess.run(
        [*command, sys.executable, str(Path(__file__).parent / "sanitize.py"), *arguments],
        env=environment, capture_output=True, text=True, timeout=550, check=False,
    )  # fmt: skip


@pytest.mark.parametrize("tool", ["memcheck", "racecheck", "synccheck", "initcheck"])
def test_bank_is_clean(tool):
    result = sanitize(tool)
    ran = re.findall(r"^ran (\S+)", result.stdout, re.MULTILINE)
    assert ran == [case.name for case in CASES], result.stdout + result.stderr
    assert result.returncode == 0, result.stdout
    summary = r"RACECHECK SUMMARY: 0 hazards" if tool == "racecheck" else r"ERROR SUMMARY: 0 errors"
    assert re.search(summary, result.stdout), result.stdout


@pytest.mark.parametrize(
    ("tool", "fault", "size", "message"),
    [
        ("memcheck", "out_of_bounds", 1024, r"Invalid __global__ write of size 4 bytes[^=]*=+\s+at out_of_bounds"),
        ("racecheck", "race", 128, r"hazard"),
        ("synccheck", "half_a_barrier", 64, r"Barrier error detected"),
    ],
)
def test_fault_is_found_at_its_line(tool, fault, size, message):
    result = sanitize(tool, fault, str(size))
    assert result.returncode == FOUND, result.stdout + result.stderr
    assert re.search(message, result.stdout), result.stdout
    # The build carries line tables.
    assert re.search(rf"{fault}\(.*faults\.cu:\d+|faults\.cu:\d+", result.stdout), result.stdout


@pytest.mark.parametrize("tool", ["memcheck", "racecheck", "synccheck"])
def test_right_kernel_of_the_same_file_is_clean(tool):
    result = sanitize(tool, "fine", "1024")
    assert result.returncode == 0, result.stdout + result.stderr
