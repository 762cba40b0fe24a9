"""A project that builds kernix as a part of itself."""

import sys

from conftest import HERE, configure, run


def test_add_subdirectory(project, checkout):
    folder = project("add_subdirectory")
    # The build folder lies where that of kernix itself would: the same compiler runs, which ccache answers.
    build = configure(
        folder,
        f"-DKERNIX_SOURCE={checkout}",
        "-DCMAKE_C_COMPILER=clang-22",
        "-DCMAKE_CXX_COMPILER=clang++-22",
        build=checkout / "build",
    )
    run("cmake", "--build", build, CCACHE_BASEDIR=str(checkout))
    run(sys.executable, HERE / "call_from_python.py", build / "project_kernels", PYTHONPATH=str(build / "kernix"))
    assert run(build / "caller") == "saxpy from C++: right\n"
    # It is a part: the project's installation, tests and benchmarks are the project's.
    assert not (build / "kernix" / "test").exists()
    installed = folder / "installed"
    run("cmake", "--install", build, "--prefix", installed)
    assert not installed.exists()
