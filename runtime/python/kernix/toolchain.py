"""Finds the compiler and the CUDA toolkit.

Both are identified without running anything, so that a module comes from the cache in milliseconds: the compiler by
the state of its files, the toolkit by the version in its header. What the compiler says about itself is asked once
per state and kept in the cache folder.
"""

import functools
import glob
import hashlib
import json
import os
import re
import shutil
import subprocess
import sysconfig
from dataclasses import dataclass

from . import _paths
from .errors import KernelError, NoToolkit

CLANG_VERSION = 22
INSTALL_CLANG = (
    "install clang 22 (Debian and Ubuntu: apt install clang-22 llvm-22, from https://apt.llvm.org where the system has "
    "none), or set $KERNIX_CLANG to clang++ of version 22"
)
INSTALL_CUDA = "install the CUDA 13 toolkit in /usr/local/cuda, or set $CUDA_HOME to where it is"


@dataclass(frozen=True)
class Compiler:
    path: str
    version: str
    resource_dir: str
    identity: str

    @property
    def linker_flags(self) -> tuple[str, ...]:
        """lld where it is there: it links faster, and every linker will do."""
        folder = os.path.dirname(os.path.realpath(self.path))
        for name in (os.path.join(folder, "ld.lld"), "ld.lld-22"):
            if found := shutil.which(name):
                return (f"--ld-path={found}",)
        return ()


@dataclass(frozen=True)
class Cuda:
    path: str
    version: str

    def tool(self, name: str) -> str | None:
        return shutil.which(os.path.join(self.path, "bin", name)) or shutil.which(name)

    @property
    def include_flags(self) -> tuple[str, ...]:
        """cub, thrust and <cuda/...> lie in a folder of their own that clang does not know of."""
        folder = os.path.join(self.path, "include", "cccl")
        return ("-isystem", folder) if os.path.isdir(folder) else ()

    @property
    def library_dirs(self) -> tuple[str, ...]:
        folders = (os.path.join(self.path, name) for name in ("lib64", "lib", "targets/x86_64-linux/lib"))
        return tuple(folder for folder in folders if os.path.isdir(folder))


def compiler_candidates() -> list[str]:
    """Compilers in the order in which they are tried; the first that exists and has the version is taken."""
    if chosen := os.environ.get("KERNIX_CLANG"):
        return [chosen]
    return [f"clang++-{CLANG_VERSION}", f"/usr/lib/llvm-{CLANG_VERSION}/bin/clang++", "clang++"]


def find_compiler() -> Compiler:
    tried = []
    for candidate in compiler_candidates():
        path = shutil.which(candidate)
        if path is None:
            tried.append(f"{candidate}: not found")
            continue
        compiler = _describe(path, _file_identity(path))
        if re.match(rf"{CLANG_VERSION}\.", compiler.version):
            return compiler
        tried.append(f"{path}: version {compiler.version or 'unknown'}")
    raise KernelError(f"clang {CLANG_VERSION} is needed to build kernels ({'; '.join(tried)}): {INSTALL_CLANG}")


@functools.cache
def _file_identity(path: str) -> str:
    """State of the compiler's files. Distributions put nearly all of clang into two shared libraries."""
    real = os.path.realpath(path)
    libraries = os.path.join(os.path.dirname(os.path.dirname(real)), "lib")
    files = [real]
    for pattern in ("libclang-cpp.so*", "libLLVM.so*", "libLLVM-*.so*"):
        files += sorted({os.path.realpath(name) for name in glob.glob(os.path.join(libraries, pattern))})
    state = [(name, info.st_size, info.st_mtime_ns) for name in files for info in (os.stat(name),)]
    return hashlib.sha256(json.dumps(state).encode()).hexdigest()


@functools.cache
def _describe(path: str, identity: str) -> Compiler:
    from . import cache

    record = os.path.join(cache.folder(), "compilers", f"{hashlib.sha256((path + identity).encode()).hexdigest()}.json")
    try:
        with open(record, encoding="utf-8") as file:
            answer = json.load(file)
    except (OSError, ValueError):
        answer = {"version": _version(path), "resource_dir": _output(path, "-print-resource-dir")}
        cache.write_atomically(record, json.dumps(answer).encode())
    return Compiler(path, answer["version"], answer["resource_dir"], identity)


def _version(path: str) -> str:
    match = re.search(r"clang version (\S+)", _output(path, "--version"))
    return match[1] if match else ""


def _output(*command: str) -> str:
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    return result.stdout.strip()


def cuda_candidates() -> list[str]:
    if chosen := os.environ.get("CUDA_HOME") or os.environ.get("CUDA_PATH"):
        return [chosen]
    wheels = sorted(glob.glob(os.path.join(sysconfig.get_path("purelib"), "nvidia", "cu*")), reverse=True)
    return ["/usr/local/cuda", *wheels]


def find_cuda() -> Cuda:
    tried = []
    for candidate in cuda_candidates():
        if problem := cuda_problem(candidate):
            tried.append(f"{candidate}: {problem}")
            continue
        return Cuda(candidate, _cuda_version(candidate))
    raise NoToolkit(f"a CUDA toolkit is needed for the target 'cuda' ({'; '.join(tried)}): {INSTALL_CUDA}")


def cuda_problem(path: str) -> str | None:
    """Why a folder cannot serve as the toolkit, or None."""
    if not os.path.isdir(path):
        return "not there"
    for part in ("include/cuda.h", "include/cuda_runtime.h", "nvvm/libdevice/libdevice.10.bc", "bin/ptxas"):
        if not os.path.exists(os.path.join(path, part)):
            return f"no {part}"
    version = _cuda_version(path)
    if not version.startswith("13."):
        return f"version {version}, not 13"
    return None


@functools.cache
def _cuda_version(path: str) -> str:
    try:
        with open(os.path.join(path, "include", "cuda.h"), encoding="utf-8", errors="replace") as file:
            match = re.search(r"^#define CUDA_VERSION (\d+)", file.read(), re.MULTILINE)
    except OSError:
        return "unknown"
    return f"{int(match[1]) // 1000}.{int(match[1]) % 1000 // 10}" if match else "unknown"


def plugin_identity() -> str:
    """Content of what takes part in every build, besides the headers that the dependencies name."""
    files = [_paths.PLUGIN, _paths.PLUGIN_FRONT, *sorted(glob.glob(os.path.join(_paths.CONFIG, "*.cfg")))]
    present = [(name, os.stat(name)) for name in files if os.path.exists(name)]
    return _content_hash(tuple((name, info.st_size, info.st_mtime_ns) for name, info in present))


@functools.lru_cache(maxsize=4)
def _content_hash(files: tuple[tuple[str, int, int], ...]) -> str:
    digest = hashlib.sha256()
    for name, size, _ in files:
        digest.update(f"{os.path.basename(name)}:{size}:".encode())
        with open(name, "rb") as file:
            digest.update(file.read())
    return digest.hexdigest()


@functools.cache
def cpu_identity() -> str:
    """The instruction sets of this machine: objects for `-march=native` are not for another one."""
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as file:
            for line in file:
                if line.startswith("flags"):
                    return hashlib.sha256(line.encode()).hexdigest()[:16]
    except OSError:
        pass
    return "unknown"
