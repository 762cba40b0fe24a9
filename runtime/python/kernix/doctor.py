"""What kernix finds on this machine, what is missing, and what to type."""

import os
import platform
import sys
from dataclasses import dataclass

from . import _paths, cache, gpu, toolchain
from .errors import KernelError


@dataclass(frozen=True)
class Finding:
    """One line of the report. `needed_for` is None for what is only a remark."""

    name: str
    ok: bool
    text: str
    needed_for: str | None = None


def examine() -> list[Finding]:
    return [_platform(), _python(), *_package(), _compiler(), _linker(), _cuda(), _gpu(), _cache(), *_frameworks()]


def _platform() -> Finding:
    system, machine = platform.system(), platform.machine()
    ok = (system, machine) == ("Linux", "x86_64")
    return Finding("platform", ok, f"{system} {machine}" + ("" if ok else ": kernix is for Linux on x86-64"), "everything")


def _python() -> Finding:
    version = ".".join(map(str, sys.version_info[:3]))
    free_threaded = not getattr(sys, "_is_gil_enabled", lambda: True)()
    ok = (3, 11) <= sys.version_info[:2] and not free_threaded
    remark = ": free-threaded Python is not supported" if free_threaded else ""
    return Finding("python", ok, version + remark, "everything")


def _package() -> list[Finding]:
    findings = []
    for name, path, purpose in (
        ("plugin", _paths.PLUGIN, "building kernels"),
        ("runtime", _paths.RUNTIME, "everything"),
        ("headers", os.path.join(_paths.INCLUDE, "kernix", "kernix.h"), "building kernels"),
    ):
        ok = os.path.exists(path)
        findings.append(Finding(name, ok, path if ok else f"{path} is missing: install kernix again", purpose))
    return findings


def _compiler() -> Finding:
    try:
        compiler = toolchain.find_compiler()
    except KernelError as error:
        return Finding("compiler", False, str(error), "building kernels")
    return Finding("compiler", True, f"{compiler.path} {compiler.version}", "building kernels")


def _linker() -> Finding:
    try:
        flags = toolchain.find_compiler().linker_flags
    except KernelError:
        return Finding("linker", False, "not looked for without a compiler")
    if flags:
        return Finding("linker", True, flags[0].partition("=")[2])
    return Finding("linker", False, "the system's; lld links faster: apt install lld-22")


def _cuda() -> Finding:
    try:
        cuda = toolchain.find_cuda()
    except KernelError as error:
        return Finding("cuda", False, str(error), "the target 'cuda'")
    return Finding("cuda", True, f"{cuda.path} {cuda.version}", "the target 'cuda'")


def _gpu() -> Finding:
    driver = gpu.ask_driver()
    if not driver.usable:
        return Finding("gpu", False, f"none: {driver.problem or 'the driver lists no device'}", "running on the GPU")
    version = f"{driver.version // 1000}.{driver.version % 1000 // 10}"
    old = [f"{major}.{minor}" for major, minor in driver.devices if (major, minor) < (7, 5)]
    text = f"{len(driver.devices)} ({', '.join(driver.architectures)}), driver for CUDA {version}"
    if old:
        return Finding("gpu", False, f"{text}; kernix needs compute capability 7.5 or newer", "running on the GPU")
    if driver.version < 13000:
        return Finding("gpu", False, f"{text}; CUDA 13 needs a newer driver (580 or newer)", "running on the GPU")
    return Finding("gpu", True, text, "running on the GPU")


def _cache() -> Finding:
    folder = cache.folder()
    place = folder
    while not os.path.exists(place):
        place = os.path.dirname(place)
    ok = os.access(place, os.W_OK)
    return Finding("cache", ok, folder if ok else f"{folder} cannot be written: set $KERNIX_CACHE_DIR", "building kernels")


def _frameworks() -> list[Finding]:
    from importlib import metadata

    findings = []
    for name in ("numpy", "torch", "ml_dtypes"):
        try:
            findings.append(Finding(name, True, metadata.version(name)))
        except metadata.PackageNotFoundError:
            findings.append(Finding(name, False, f"not installed: pip install {name}"))
    return findings
