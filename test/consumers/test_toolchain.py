"""A toolchain that does not fit: one sentence says what to install."""

import re
import stat
import sys

import pytest

from conftest import REPOSITORY, run

PROJECT = "cmake_minimum_required(VERSION 3.25)\nproject(p LANGUAGES CXX)\nfind_package(kernix REQUIRED)\n"


@pytest.fixture
def configure_for(tmp_path, prefix):
    """Configures a project with a library for a target, which fails; the error as one line."""
    (tmp_path / "k.cu").touch()

    def configure(target, *options, **environment):
        (tmp_path / "CMakeLists.txt").write_text(PROJECT + f"kernix_add_library(k SOURCES k.cu TARGETS {target})\n")
        options = (f"-DCMAKE_PREFIX_PATH={prefix}", *options)
        return error_of(run("cmake", "-S", tmp_path, "-B", tmp_path / "build", *options, fails=True, **environment))

    return configure


def error_of(printed):
    """The text of CMake's first error, without its place and the stack of calls."""
    found = re.search(r"CMake Error at [^\n]*\n(.*?)(\nCall Stack|\n\n\n|\Z)", printed, re.DOTALL)
    assert found, printed
    return " ".join(found[1].split())


def compiler(folder, version):
    path = folder / "clang++"
    path.write_text(f"#!/bin/sh\necho '{version}'\n")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return path


def toolkit(folder, version):
    (folder / "include").mkdir(parents=True)
    (folder / "include" / "cuda_runtime.h").touch()
    (folder / "include" / "cuda.h").write_text(f"#define CUDA_VERSION {version}\n")
    return folder


@pytest.mark.parametrize(
    ("version", "found"),
    [("Debian clang version 19.1.7", "version 19.1.7"), ("g++ (Debian 12.2.0) 12.2.0", "something else")],
)
def test_clang_of_another_version(configure_for, tmp_path, version, found):
    path = compiler(tmp_path, version)
    for setting in ({"KERNIX_CLANG": str(path)}, {}):
        options = [] if setting else [f"-DKERNIX_CLANG={path}"]
        assert configure_for("cpu", *options, **setting) == (
            f"kernix needs clang++ 22, and {path} is {found}: apt-get install clang-22, or set KERNIX_CLANG to a clang++ "
            "of version 22"
        )


def test_no_toolkit(configure_for):
    assert configure_for("cuda", CUDA_HOME="/nonexistent") == (
        "kernix_add_library(k): the target cuda needs a CUDA toolkit, and /nonexistent has none: install the CUDA 13 toolkit "
        "in /usr/local/cuda, or set CUDA_HOME or KERNIX_CUDA_ROOT to where it is"
    )


def test_toolkit_of_another_version(configure_for, tmp_path):
    folder = toolkit(tmp_path / "cuda", 12080)
    message = configure_for("cuda", CUDA_HOME=str(folder))
    assert message.startswith(f"kernix_add_library(k): {folder} is CUDA 12080, not 13: install the CUDA 13 toolkit")


@pytest.mark.parametrize(
    ("option", "message"),
    [
        ("-DCMAKE_CXX_COMPILER=clang++-2222", "kernix: the compiler clang++-2222 was not found: apt-get install clang-22"),
        ("-DCMAKE_C_COMPILER=/nowhere/clang", "kernix: the compiler /nowhere/clang was not found: apt-get install clang-22"),
        (
            "-DCMAKE_DISABLE_FIND_PACKAGE_Clang=ON",
            "Clang 22.1 with its development files was not found: apt-get install clang-22 llvm-22-dev libclang-22-dev",
        ),
    ],
)
def test_what_kernix_itself_needs(tmp_path, option, message):
    printed = run("cmake", "-S", REPOSITORY, "--preset", "package", "-B", tmp_path / "build", option, fails=True)
    assert error_of(printed) == message


def test_python_package_without_clang(tmp_path, prefix):
    source = tmp_path / "f.cu"
    source.write_text("#include <kernix/kernix.h>\n[[kernix::bind]] int f() { return 1; }\n")
    printed = run(
        sys.executable, "-m", "kernix", "inspect", source, fails=True,
        PYTHONPATH=str(prefix), KERNIX_CLANG=str(compiler(tmp_path, "Debian clang version 14.0.6")),
    )  # fmt: skip
    assert printed.startswith("kernix: clang 22 is needed to build kernels (")
    assert printed.count("\n") == 1
