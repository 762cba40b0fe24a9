"""Asks the CUDA driver for usable GPUs, through libcuda alone.

Neither torch nor the CUDA toolkit is needed or imported. To start the driver takes some tenths of a second, which a
module from the cache must not cost; therefore the answer is kept, for the process and in the cache folder, there by the
state of the driver and of the devices.
"""

import contextlib
import ctypes
import dataclasses
import functools
import glob
import hashlib
import json
import os
from dataclasses import dataclass

from .errors import KernelError

_PROC = "/proc/driver/nvidia"
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

    @property
    def architectures(self) -> tuple[str, ...]:
        """The devices' architectures, each once."""
        return tuple(dict.fromkeys(f"sm_{major}{minor}" for major, minor in self.devices))


@functools.cache
def driver() -> Driver:
    """What the driver answered last on this machine, as it is."""
    state = _state()
    if state is None:
        return ask_driver()
    from . import cache

    record = os.path.join(cache.folder(), "gpus", f"{state}.json")
    try:
        with open(record, encoding="utf-8") as file:
            answer = json.load(file)
        return Driver(answer["version"], tuple((major, minor) for major, minor in answer["devices"]))
    except (OSError, ValueError, KeyError, TypeError):
        found = ask_driver()
    if found.usable:
        with contextlib.suppress(KernelError):  # a cache that cannot be written costs time only
            cache.write_atomically(record, json.dumps(dataclasses.asdict(found)).encode())
    return found


def _state() -> str | None:
    """Hash of what decides the driver's answer, or None where that cannot be read."""
    devices = sorted(glob.glob(os.path.join(_PROC, "gpus", "*", "information")))
    if not devices:
        return None
    parts = []
    for name in (os.path.join(_PROC, "version"), *devices):
        try:
            with open(name, encoding="utf-8", errors="replace") as file:
                parts.append(file.read())
        except OSError:
            return None
    parts += sorted(glob.glob("/dev/nvidia[0-9]*"))
    parts += [f"{name}={os.environ.get(name)}" for name in ("CUDA_VISIBLE_DEVICES", "CUDA_DEVICE_ORDER")]
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()


def ask_driver() -> Driver:
    """What the driver answers now."""
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
    return driver().architectures
