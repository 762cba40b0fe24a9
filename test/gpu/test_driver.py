"""A module from the cache is loaded without starting CUDA's driver, which takes some tenths of a second."""

import os
import subprocess
import sys

import pytest

from bank import KERNELS
from kernix import gpu

CODE = f"""
import kernix
module = kernix.load({str(KERNELS / "maps.cu")!r})
assert list(module._kernix.libraries) == ["cuda"]
print("libcuda" in open("/proc/self/maps").read())
"""


def test_second_process_asks_nobody():
    if gpu._state() is None:
        pytest.skip("/proc/driver/nvidia is not there to tell the state of the driver")
    for expected in (None, "False"):
        found = subprocess.run([sys.executable, "-c", CODE], env=os.environ, capture_output=True, text=True, check=True).stdout
        assert expected is None or found.strip() == expected


def test_what_is_kept_is_right():
    assert gpu.driver() == gpu.ask_driver()
    assert gpu.driver().usable
