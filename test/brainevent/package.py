"""The package brainevent as test data: its CUDA sources and its own reader of `// @BE` comments.

It is taken from PyPI and unpacked into the user's cache, never installed: its dependencies are not needed here.
"""

import importlib.util
import os
import shutil
import subprocess
import sys
import tempfile
import types
import zipfile
from pathlib import Path
from typing import Any

VERSION = "0.3.0"
# Includes a header that the package does not contain.
INCOMPLETE = "_tcsr/tile_mm/binary_csrmm_tile.cu"
# The only one that needs a library beside CUDA's runtime.
CUBLAS = "_dense/binary_dense_cublas.cu"


def folder() -> Path:
    """The package's folder, fetched on first use."""
    cache = os.environ.get("KERNIX_VENV_DIR") or os.path.join(
        os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"), "kernix-venv"
    )
    place = Path(cache) / f"brainevent-{VERSION}"
    if not place.exists():
        place.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=place.parent) as unfinished:
            command = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps"]
            command += ["--only-binary=:all:", "--python-version=3.12", f"--dest={unfinished}", f"brainevent=={VERSION}"]
            subprocess.run(command, check=True)
            (wheel,) = Path(unfinished).glob("*.whl")
            unpacked = Path(unfinished) / "unpacked"
            with zipfile.ZipFile(wheel) as archive:
                archive.extractall(unpacked)
            try:
                unpacked.rename(place)
            except OSError:  # another process was faster
                if not place.exists():
                    raise
                shutil.rmtree(unpacked)
    return place / "brainevent"


def sources() -> list[str]:
    """All CUDA files, by their path in the package."""
    root = folder()
    return sorted(path.relative_to(root).as_posix() for path in root.rglob("*.cu"))


def include_paths(source: str) -> list[str]:
    """Beside kernix's own headers: the package's (behind them, where brainevent/common.h is kernix's) and the file's."""
    root = folder()
    paths = [str(root / "include"), str((root / source).parent)]
    if source == INCOMPLETE:
        paths.append(str(Path(__file__).parent / "missing"))
    return paths


def reader() -> Any:
    """brainevent's module that reads comments and signatures; it needs nothing of the package but its exception."""
    errors = types.ModuleType("brainevent._error")
    errors.KernelError = type("KernelError", (Exception,), {})  # type: ignore[attr-defined]
    path = folder() / "_op" / "kernix_codegen.py"
    spec = importlib.util.spec_from_file_location("brainevent_codegen", path)
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    outer = {name: sys.modules.get(name) for name in ("brainevent", "brainevent._error", spec.name)}
    sys.modules.update({"brainevent": types.ModuleType("brainevent"), "brainevent._error": errors, spec.name: module})
    try:
        spec.loader.exec_module(module)
    finally:
        for name, before in outer.items():
            if before is None:
                del sys.modules[name]
            else:
                sys.modules[name] = before
    return module
