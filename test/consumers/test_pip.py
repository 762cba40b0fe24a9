"""pip install: what the wheel holds, and that it works where it was installed."""

import os
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from conftest import HERE, configure, run


@pytest.fixture(scope="session")
def wheel(checkout, tmp_path_factory):
    folder = tmp_path_factory.mktemp("dist")
    # A build folder in the usual place, so that ccache answers.
    settings = f"--config-settings=build-dir={checkout}/build-wheel"
    run(
        sys.executable, "-m", "pip", "wheel", "--no-deps", "--disable-pip-version-check", settings, "-w", folder, checkout,
        CCACHE_BASEDIR=str(checkout),
    )
    (found,) = folder.iterdir()
    return found


def install(python, wheel, folder):
    """A virtual environment with the wheel; the folder of its packages."""
    run(python, "-m", "venv", folder)
    run(folder / "bin" / "python", "-m", "pip", "install", "--disable-pip-version-check", wheel, "numpy<2.5")
    return Path(
        run(folder / "bin" / "python", "-c", "import sysconfig; print(sysconfig.get_path('platlib'))").strip()
    )


@pytest.fixture(scope="session")
def installed(wheel, tmp_path_factory):
    folder = tmp_path_factory.mktemp("an environment") / "virtual environment"
    return folder / "bin" / "python", install(sys.executable, wheel, folder)


def test_name(wheel):
    assert re.fullmatch(r"kernix-[\d.]+-cp311-abi3-linux_x86_64\.whl", wheel.name)


def test_content(wheel):
    with zipfile.ZipFile(wheel) as file:
        names = file.namelist()
        sizes = {info.filename: info.file_size for info in file.infolist()}
        record = next(name for name in names if name.endswith("/METADATA"))
        metadata = file.read(record).decode()
    assert "License-Expression: Apache-2.0" in metadata
    assert [name for name in names if name.endswith("/LICENSE")] == [record.replace("METADATA", "licenses/LICENSE")]
    libraries = sorted(name for name in names if re.search(r"\.so\b", name))
    assert libraries == [
        "kernix/_binding.abi3.so",
        "kernix/lib/kernix-front.so",
        "kernix/lib/kernix.so",
        "kernix/lib/libkernix_runtime.so.0",
    ]
    folders = {name.split("/")[0] for name in names}
    assert {folder for folder in folders if not folder.endswith(".dist-info")} == {"kernix"}
    for needed in (
        "kernix/py.typed",
        "kernix/include/kernix/kernix.h",
        "kernix/include/kernix/cpu/cuda_runtime.h",
        "kernix/share/kernix/kernix-cpu-host.cfg",
        "kernix/lib/cmake/kernix/kernixConfig.cmake",
        "kernix/lib/cmake/kernix/KernixAddLibrary.cmake",
    ):
        assert needed in names
    assert not [name for name in names if "__pycache__" in name or "CMakeLists" in name or "test" in name.split("/")]
    assert sum(sizes.values()) < 12e6


def test_libraries_need_only_what_every_system_has(installed):
    _, packages = installed
    allowed = {"libc.so.6", "libm.so.6", "libstdc++.so.6", "libgcc_s.so.1", "ld-linux-x86-64.so.2"}
    own = {"libkernix_runtime.so.0", "kernix.so"}
    for library in ("_binding.abi3.so", "lib/kernix.so", "lib/kernix-front.so", "lib/libkernix_runtime.so.0"):
        printed = run("readelf", "-d", packages / "kernix" / library)
        assert set(re.findall(r"\(NEEDED\).*\[(.*)\]", printed)) <= allowed | own, library


def test_source_is_built_and_called(installed, tmp_path):
    python, packages = installed
    source = tmp_path / "some kernels" / "saxpy.cu"
    source.parent.mkdir()
    shutil.copy(HERE / "sources" / "saxpy.cu", source)
    printed = run(python, "-W", "error", HERE / "call_from_python.py", source)
    assert str(packages / "kernix") in printed


def test_command_line(installed):
    python, _ = installed
    assert run(python.parent / "kernix", "--version").startswith("kernix ")
    for command in ("info", "doctor"):
        # doctor's status says whether something is missing that this machine does not have, such as a GPU.
        result = subprocess.run([python.parent / "kernix", command], capture_output=True, text=True, check=False)
        assert "Traceback" not in result.stdout + result.stderr
        assert str(python.parent.parent) in result.stdout


def test_cmake_package_of_the_wheel(installed, project):
    python, packages = installed
    build = configure(project("find_package"), f"-DCMAKE_PREFIX_PATH={packages}")
    run("cmake", "--build", build)
    run(python, HERE / "call_from_python.py", build / "project_kernels")
    assert run(build / "caller") == "saxpy from C++: right\n"


def test_newer_python_of_the_same_wheel(wheel, tmp_path):
    newer = next((found for minor in (14, 13, 12) if (found := _interpreter(f"python3.{minor}"))), None)
    if newer is None:
        pytest.skip("no Python 3.12 to 3.14 is installed")
    folder = tmp_path / "newer"
    install(newer, wheel, folder)
    run(folder / "bin" / "python", HERE / "call_from_python.py", HERE / "sources" / "saxpy.cu")


def _interpreter(name):
    """One that really runs: tools such as pyenv put stand-ins of every version on the path."""
    path = shutil.which(name)
    works = path and not subprocess.run([path, "-c", "import venv"], capture_output=True, check=False).returncode
    return path if works else None
