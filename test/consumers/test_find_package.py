"""Projects that find an installed kernix."""

import os
import shutil
import sys
import time

import pytest

from conftest import CUDA, HERE, configure, needs_cuda, run

PROJECT = "cmake_minimum_required(VERSION 3.25)\nproject(p LANGUAGES CXX)\nfind_package(kernix REQUIRED)\n"


@pytest.fixture
def found(project, prefix):
    """The project, configured for the CPU, and its build folder."""
    folder = project("find_package")
    return folder, configure(folder, f"-DCMAKE_PREFIX_PATH={prefix}")


def call(prefix, what):
    return run(sys.executable, HERE / "call_from_python.py", what, PYTHONPATH=str(prefix))


def test_cpu_from_python_and_cpp(found, prefix):
    _, build = found
    run("cmake", "--build", build)
    assert "<kernix module project_kernels (cpu): " in call(prefix, build / "project_kernels")
    assert run(build / "caller") == "saxpy from C++: right\n"


@needs_cuda
def test_both_targets(project, prefix):
    folder = project("find_package")
    build = configure(folder, f"-DCMAKE_PREFIX_PATH={prefix}", "-DTARGETS=cpu;cuda", f"-DKERNIX_CUDA_ROOT={CUDA}")
    run("cmake", "--build", build)
    assert "no work to do" in run("cmake", "--build", build)
    call(prefix, build / "project_kernels")
    # That of CUDA can be looked at on a machine without a GPU.
    listed = run(sys.executable, "-m", "kernix", "inspect", build / "project_kernels.cuda.so", PYTHONPATH=str(prefix))
    assert "saxpy" in listed and "fill_with" in listed


def test_another_compiler_of_the_project(project, prefix):
    compiler = shutil.which("g++")
    if compiler is None:
        pytest.skip("no g++ is installed")
    build = configure(project("find_package"), f"-DCMAKE_PREFIX_PATH={prefix}", f"-DCMAKE_CXX_COMPILER={compiler}")
    run("cmake", "--build", build)
    assert run(build / "caller") == "saxpy from C++: right\n"


def test_edits_are_built_and_nothing_else(found):
    folder, build = found
    library = build / "project_kernels.cpu.so"
    run("cmake", "--build", build)
    first = library.stat().st_mtime_ns
    assert "no work to do" in run("cmake", "--build", build)
    header = folder.parent / "sources" / "include" / "project.h"
    header.write_text(header.read_text().replace("40", "41"))
    os.utime(header, (time.time() + 1, time.time() + 1))
    printed = run("cmake", "--build", build)
    assert library.stat().st_mtime_ns > first
    assert "twin" not in printed and "1.saxpy.host.o" in printed and "0.saxpy" not in printed


SETTINGS = '''
include_directories(before)
add_compile_definitions(BEFORE=1)
add_library(other SHARED other.cpp)
target_include_directories(other INTERFACE with)
target_compile_definitions(other INTERFACE WITH=2)
add_library(headers INTERFACE)
target_include_directories(headers INTERFACE only)
add_custom_command(OUTPUT made.cu COMMAND ${CMAKE_COMMAND} -E copy ${CMAKE_SOURCE_DIR}/k.cu made.cu)
kernix_add_library(k SOURCES ${CMAKE_BINARY_DIR}/made.cu TARGETS cpu LINK_LIBRARIES other headers m -lpthread
                   DEFINITIONS -DOWN=4 INCLUDE_DIRECTORIES own OUTPUT_DIRECTORY out)
'''


@pytest.mark.parametrize("generator", ["Ninja", "Unix Makefiles", "Ninja Multi-Config"])
def test_what_the_project_says_of_headers_and_libraries(tmp_path, prefix, generator):
    for folder in ("before", "with", "only", "own"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / f"{folder}.h").touch()
    (tmp_path / "other.cpp").write_text('extern "C" int other() { return 8; }\n')
    (tmp_path / "k.cu").write_text(
        '#include "before.h"\n#include "with.h"\n#include "only.h"\n#include "own.h"\n#include <kernix/kernix.h>\n'
        'extern "C" int other();\n[[kernix::bind]] int saxpy() { return BEFORE + WITH + OWN + other(); }\n'
    )
    (tmp_path / "CMakeLists.txt").write_text(PROJECT + SETTINGS)
    build = tmp_path / "build"
    run("cmake", "-G", generator, "-S", tmp_path, "-B", build, f"-DCMAKE_PREFIX_PATH={prefix}")
    run("cmake", "--build", build)
    program = f"import kernix; print(kernix.load({str(build / 'out' / 'k')!r}).saxpy())"
    assert run(sys.executable, "-c", program, PYTHONPATH=str(prefix)) == "15\n"


@needs_cuda
def test_header_of_the_device_pass_of_cuda(tmp_path, prefix):
    folder = tmp_path / "a project"
    folder.mkdir()
    (folder / "device.h").touch()
    (folder / "k.cu").write_text("#ifdef __CUDA_ARCH__\n#include \"device.h\"\n#endif\n__global__ void k() {}\n")
    (folder / "CMakeLists.txt").write_text(PROJECT + "kernix_add_library(k SOURCES k.cu TARGETS cuda)\n")
    build = configure(folder, f"-DCMAKE_PREFIX_PATH={prefix}", f"-DKERNIX_CUDA_ROOT={CUDA}")
    run("cmake", "--build", build)
    assert "no work to do" in run("cmake", "--build", build)
    os.utime(folder / "device.h", (time.time() + 1, time.time() + 1))
    assert "Linking k.cuda.so" in run("cmake", "--build", build)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("k SOURCES x.cu", r"kernix_add_library(k) needs SOURCES and TARGETS (cpu, cuda)"),
        ("k SOURCES x.cu TARGETS gpu", "kernix_add_library(k): unknown target 'gpu'; there are cpu and cuda"),
        ("k x.cu TARGETS cpu", "kernix_add_library(k): unknown arguments x.cu"),
        ("k SOURCES x.cu TARGETS cpu cpu", "kernix_add_library(k): TARGETS names something twice: cpu cpu"),
        ("k SOURCES x.cu x.cu TARGETS cpu", "kernix_add_library(k): SOURCES names something twice: x.cu x.cu"),
        ("SOURCES x.cu TARGETS cpu", "kernix_add_library: the first argument is the name of the library, not SOURCES"),
        ("a/b SOURCES x.cu TARGETS cpu", "kernix_add_library(a/b): the name is that of a target and a file"),
        ("k SOURCES y.cu TARGETS cpu", "kernix_add_library(k): the source y.cu is not there"),
        ("k SOURCES . TARGETS cpu", "kernix_add_library(k): the source . is a folder"),
        ("k SOURCES x.cu TARGETS cpu CONFIG", "kernix_add_library(k): CONFIG needs a value"),
        ("k SOURCES x.cu TARGETS cpu CONFIG b.yaml", "kernix_add_library(k): the file b.yaml is not there"),
        ("k SOURCES x.cu TARGETS cuda CUDA_ARCHITECTURES sm_90", "'sm_90' is no CUDA architecture; they are numbers"),
        ("k SOURCES x.cu TARGETS cuda CUDA_ARCHITECTURES 70", "CUDA architecture 70: 75 is the oldest one"),
        ("k SOURCES x.cu TARGETS cpu)\nkernix_add_library(k SOURCES x.cu TARGETS cpu", "there is a target of this name already"),
    ],
)
def test_misuse_is_an_error_of_cmake(tmp_path, prefix, arguments, message):
    (tmp_path / "x.cu").touch()
    (tmp_path / "CMakeLists.txt").write_text(PROJECT + f"kernix_add_library({arguments})\n")
    printed = run("cmake", "-S", tmp_path, "-B", tmp_path / "build", f"-DCMAKE_PREFIX_PATH={prefix}", fails=True)
    assert message in " ".join(printed.split())
