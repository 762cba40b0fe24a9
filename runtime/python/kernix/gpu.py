"""Asks the CUDA driver for usable GPUs, through libcuda alone.

Neither torch nor the CUDA toolkit is needed or imported. The answer is kept for the process.
"""

import ctypes
import functools
import os
from dataclasses import dataclass

_COMPUTE_CAPABILITY_MAJOR = 75
_COMPUTE_CAPABILITY_MINOR = 76


@dataclass(frozen=True)
class Driver:
    """What the driver answers: its CUDA version as 13020, the devices' compute capabilities as (9, 0)."""

    version: int
    devices: tuple[tuple[int, int], ...]
    problem: str | None = None

    @property
    def usable(self) -> bool:
        return bool(self.devices)


@functools.cache
def driver() -> Driver:
    # Without the device nodes of the driver (or of WSL) there is no GPU, and libcuda need not be opened.
    if not os.path.exists("/dev/nvidiactl") and not os.path.exists("/dev/dxg"):
        return Driver(0, (), "no NVIDIA driver is loaded (/dev/nvidiactl is missing)")
    try:
        library = ctypes.CDLL("libcuda.so.1")
    except OSError as error:
        return Driver(0, (), f"libcuda.so.1 cannot be opened: {error}")
    if status := library.cuInit(0):
        return Driver(0, (), f"cuInit failed with error {status}")
    return Driver(_integer(library, "cuDriverGetVersion"), _devices(library))


def _integer(library: ctypes.CDLL, function: str, *args: object) -> int:
    value = ctypes.c_int(0)
    status = getattr(library, function)(ctypes.byref(value), *args)
    return value.value if status == 0 else 0


def _devices(library: ctypes.CDLL) -> tuple[tuple[int, int], ...]:
    result = []
    for index in range(_integer(library, "cuDeviceGetCount")):
        device = _integer(library, "cuDeviceGet", index)
        major = _integer(library, "cuDeviceGetAttribute", _COMPUTE_CAPABILITY_MAJOR, device)
        minor = _integer(library, "cuDeviceGetAttribute", _COMPUTE_CAPABILITY_MINOR, device)
        result.append((major, minor))
    return tuple(result)


def architectures() -> tuple[str, ...]:
    """The devices' architectures, each once."""
    return tuple(dict.fromkeys(f"sm_{major}{minor}" for major, minor in driver().devices))
