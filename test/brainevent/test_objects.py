"""Every file compiles unchanged: for CUDA, and for the CPU target but the one that needs cuBLAS."""

import compiling
import package
import pytest

from kernix import toolchain

needs_toolkit = pytest.mark.skipif(
    not any(toolchain.cuda_problem(path) is None for path in toolchain.cuda_candidates()), reason="no CUDA toolkit"
)
WHOLE = [path for path in package.sources() if path != package.INCOMPLETE]


@needs_toolkit
@pytest.mark.parametrize("source", [p if p == package.CUBLAS else pytest.param(p, marks=pytest.mark.all_files) for p in WHOLE])
def test_object_for_cuda(source, tmp_path):
    compiling.for_cuda(source, "-O3", "-c", "-o", str(tmp_path / "object.o"))


@needs_toolkit
def test_arg_specs_with_cublas():
    records = compiling.for_cuda(package.CUBLAS, "--cuda-host-only", "-fsyntax-only", "-fplugin-arg-kernix-dump=json")
    assert compiling.arg_specs(records) == compiling.expected(package.CUBLAS)


# Those that are run are built by test_run.py.
@pytest.mark.all_files
@pytest.mark.parametrize("compiler_pass", ["host", "device"])
@pytest.mark.parametrize("source", [path for path in WHOLE if path != package.CUBLAS])
def test_object_for_cpu(source, compiler_pass, tmp_path):
    compiling.for_cpu(source, compiler_pass, "-O1", "-c", "-o", str(tmp_path / "object.o"))


def test_cublas_is_refused_on_the_cpu():
    with pytest.raises(AssertionError, match="<cublas_v2.h> has no CPU target"):
        compiling.for_cpu(package.CUBLAS, "host", "-fsyntax-only")
