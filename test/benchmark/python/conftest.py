"""The modules under test, and the budgets: ratios of two measurements of the same run, printed at the end."""

import ctypes
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import kernix
from kernix import gpu, toolchain

SOURCES = Path(__file__).parent / "sources"

# (what, measurement, microseconds at most)
TIMES = [
    ("three arrays, output given", "test_kernix", 1.0),
]
# (what, measurement, measurement it is compared with, ratio at most)
RATIOS = [
    ("three arrays, against tvm-ffi by hand", "test_kernix", "test_tvm_ffi", None),
    ("three arrays, against ctypes", "test_kernix", "test_ctypes", None),
    ("three arrays by keyword, against positional", "test_kernix_keywords", "test_kernix", 1.5),
    ("three arrays and two scalars by keyword, against positional", "test_scalars_keywords", "test_scalars", 1.5),
    ("three arrays and a launch, against tvm-ffi by hand", "test_kernix_launch", "test_tvm_ffi_launch", None),
    ("three arrays and a launch, against ctypes", "test_kernix_launch", "test_ctypes_launch", None),
]
# (what, measurement, measurement that is taken off, microseconds at most). The framework's own share of an allocated
# result is in the table, as test_allocation_alone.
DIFFERENCES = [("result allocated by the call, on top of the call", "test_kernix_allocates", "test_kernix_gives", 1.2)]


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "framework" in metafunc.fixturenames:
        metafunc.parametrize("framework", ["numpy", "torch", *(["torch-cuda"] if gpu.driver().usable else [])])


@pytest.fixture(scope="session")
def calls() -> Any:
    return kernix.load(SOURCES / "calls.cu")


@pytest.fixture
def arrays(framework: str) -> tuple[Any, Any, Any]:
    """x, y and z of one framework."""
    if framework == "numpy":
        numpy = pytest.importorskip("numpy")
        return tuple(numpy.zeros((10, 100), dtype=numpy.float32) for _ in range(3))  # type: ignore[return-value]
    torch = pytest.importorskip("torch")
    device = "cuda" if framework == "torch-cuda" else "cpu"
    if device == "cuda":
        # The first work of a process on a GPU starts threads of the driver, which take their time beside what is measured.
        torch.zeros(1, device=device).add_(1)
        torch.cuda.synchronize()
        time.sleep(0.5)
    return tuple(torch.zeros(10, 100, device=device) for _ in range(3))  # type: ignore[return-value]


@pytest.fixture(scope="session")
def by_hand(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """sources/by_hand.cpp, compiled against the installed tvm-ffi."""
    libinfo = pytest.importorskip("tvm_ffi.libinfo")
    output = tmp_path_factory.mktemp("by_hand") / "by_hand.so"
    includes = {libinfo.find_include_path(), libinfo.find_dlpack_include_path()}
    command = [toolchain.find_compiler().path, "-std=c++17", "-O2", "-shared", "-fPIC"]
    command += [word for path in sorted(includes) for word in ("-isystem", path)]
    subprocess.run([*command, str(SOURCES / "by_hand.cpp"), "-o", str(output)], check=True)
    return output


@pytest.fixture(scope="session")
def tvm_ffi_function(by_hand: Path) -> Callable[..., Any]:
    import tvm_ffi

    return tvm_ffi.load_module(str(by_hand)).nothing


@pytest.fixture(scope="session")
def c_function(by_hand: Path) -> Any:
    function = ctypes.CDLL(str(by_hand)).nothing_c
    function.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int64]
    return function


@pytest.fixture(scope="session")
def by_hand_launch(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """sources/by_hand_launch.cu, compiled for the GPU at hand."""
    if not gpu.driver().usable:
        pytest.skip("no GPU")
    libinfo = pytest.importorskip("tvm_ffi.libinfo")
    output = tmp_path_factory.mktemp("by_hand_launch") / "by_hand_launch.so"
    cuda = toolchain.find_cuda()
    command = [toolchain.find_compiler().path, "--no-offload-new-driver", f"--cuda-path={cuda.path}", "-std=c++17", "-O2"]
    command += ["-Wno-unknown-cuda-version", "-shared", "-fPIC"]
    command += [f"--cuda-gpu-arch={architecture}" for architecture in gpu.architectures()]
    includes = {libinfo.find_include_path(), libinfo.find_dlpack_include_path()}
    command += [word for path in sorted(includes) for word in ("-isystem", path)]
    command += ["-x", "cuda", str(SOURCES / "by_hand_launch.cu")]
    command += [f"-L{path}" for path in cuda.library_dirs] + ["-lcudart_static", "-ldl", "-lrt", "-lpthread"]
    command += toolchain.find_compiler().linker_flags
    subprocess.run([*command, "-o", str(output)], check=True)
    return output


@pytest.fixture(scope="session")
def tvm_ffi_launch(by_hand_launch: Path) -> Callable[..., Any]:
    import tvm_ffi

    return tvm_ffi.load_module(str(by_hand_launch)).launched


@pytest.fixture(scope="session")
def c_launch(by_hand_launch: Path) -> Any:
    function = ctypes.CDLL(str(by_hand_launch)).launched_c
    function.argtypes = [ctypes.c_void_p] * 4
    return function


@pytest.hookimpl(trylast=True)  # after the table of pytest-benchmark, since it may end the session
def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    session = getattr(config, "_benchmarksession", None)
    found = {each.name: each.stats.min * 1e6 for each in session.benchmarks if not each.has_error} if session else {}
    if not found:
        return
    write = terminalreporter.write_line
    terminalreporter.section("budgets (fastest round of each)")
    missed = 0
    for framework in ("numpy", "torch", "torch-cuda"):

        def microseconds(name: str, framework: str = framework) -> float | None:
            return found.get(f"{name}[{framework}]")

        rows: list[tuple[str, float, str, float | None]] = []
        for what, name, most in TIMES:
            if (value := microseconds(name)) is not None:
                rows.append((what, value, " us", most))
        for what, name, other, ratio in RATIOS:
            if (value := microseconds(name)) is not None and (base := microseconds(other)) is not None:
                rows.append((what, value / base, "x", ratio))
        for what, name, other, most in DIFFERENCES:
            if (value := microseconds(name)) is not None and (base := microseconds(other)) is not None:
                rows.append((what, value - base, " us", most))
        for what, value, unit, limit in rows:
            verdict = "" if limit is None else f"at most {limit}: {'met' if value <= limit else 'MISSED'}"
            missed += limit is not None and value > limit
            write(f"{framework:10} {what:62} {value:6.2f}{unit:3} {verdict}")
    if missed and os.environ.get("KERNIX_BUDGETS") == "fail":
        print(f"{missed} budgets missed", file=sys.stderr)
        pytest.exit(f"{missed} budgets missed", returncode=1)
