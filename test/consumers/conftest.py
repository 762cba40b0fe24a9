"""Fixtures of the consumer tests: copies of the projects, runs of CMake, kernix as it is installed.

Everything lies in folders whose names have spaces. The builds of kernix repeat that of the repository from a copy of it;
with ccache they take seconds.
"""

import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

HERE = Path(__file__).parent
REPOSITORY = HERE.parent.parent
CUDA = Path(os.environ.get("CUDA_HOME") or os.environ.get("CUDA_PATH") or "/usr/local/cuda")

needs_cuda = pytest.mark.skipif(
    not (CUDA / "include" / "cuda_runtime.h").exists(), reason=f"no CUDA toolkit in {CUDA} (set CUDA_HOME)"
)


@pytest.fixture(scope="session", autouse=True)
def environment(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """None of the repository's own build is seen, and compiled objects are shared with it through ccache."""
    with pytest.MonkeyPatch.context() as patch:
        for name in ("PYTHONPATH", "KERNIX_CLANG", "KERNIX_TARGET", "CMAKE_PREFIX_PATH"):
            patch.delenv(name, raising=False)
        patch.setenv("KERNIX_VERBOSE", "0")
        patch.setenv("KERNIX_CACHE_DIR", str(tmp_path_factory.mktemp("kernix cache")))
        if shutil.which("ccache"):
            patch.setenv("CMAKE_C_COMPILER_LAUNCHER", "ccache")
            patch.setenv("CMAKE_CXX_COMPILER_LAUNCHER", "ccache")
            patch.setenv("CCACHE_NOHASHDIR", "1")
        yield


def run(*command: object, fails: bool = False, **environment: str) -> str:
    """What a command printed; its failure, or that it does not fail where it should, is the test's."""
    words = [str(word) for word in command]
    result = subprocess.run(
        words,
        env={**os.environ, **environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
        timeout=3000,
    )
    assert bool(result.returncode) == fails, f"{words} exited with status {result.returncode}:\n{result.stdout}"
    return result.stdout


@pytest.fixture(scope="session")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The files of the repository that git knows, without what was built from them."""
    folder = tmp_path_factory.mktemp("a copy") / "check out"
    names = run("git", "-C", REPOSITORY, "ls-files", "--cached", "--others", "--exclude-standard", "-z").split("\0")
    for name in filter(None, names):
        if (REPOSITORY / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(REPOSITORY / name, folder / name)
    return folder


@pytest.fixture(scope="session")
def prefix(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The repository's build, installed."""
    folder = tmp_path_factory.mktemp("an installation") / "the prefix"
    run("cmake", "--install", REPOSITORY / "build", "--prefix", folder)
    return folder


@pytest.fixture
def project(tmp_path: Path) -> Callable[[str], Path]:
    """Copies one of the projects: project("find_package") is its folder."""

    def copy(name: str) -> Path:
        folder = tmp_path / "a project"
        for part in ("sources", name):
            shutil.copytree(HERE / part, folder / part)
        return folder / name

    return copy


def configure(folder: Path, *options: object, build: Path | None = None, **kwargs: object) -> Path:
    build = build or folder / "build"
    run("cmake", "-S", folder, "-B", build, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release", *options, **kwargs)  # type: ignore[arg-type]
    return build
