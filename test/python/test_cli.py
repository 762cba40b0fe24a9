"""python -m kernix"""

import json
import os

import numpy as np
import pytest

import kernix
from conftest import ADD_ONE, SOURCES, has_gpu, needs_toolkit
from kernix import _paths
from kernix.cli import main


def test_info(capsys):
    assert main(["info"]) == 0
    lines = dict(line.split(maxsplit=1) for line in capsys.readouterr().out.splitlines())
    assert lines["kernix"] == kernix.__version__
    assert lines["include"] == _paths.INCLUDE
    assert set(lines) >= {"abi", "package", "plugin", "cache", "cmake", "gpus", "targets"}


def test_compile(source, tmp_path, capsys):
    path = source(ADD_ONE, "shipped.cu")
    assert main(["compile", str(path), "-t", "cpu", "-o", str(tmp_path / "out"), "-O", "2", "-D", "X=1"]) == 0
    output = tmp_path / "out" / "shipped.cpu.so"
    assert capsys.readouterr().out == f"{output}\n"
    assert kernix.load(output).add_one(np.zeros(2, "float32")).tolist() == [1, 1]


@needs_toolkit
def test_compile_for_both(source, tmp_path, capsys):
    path = source(ADD_ONE, "shipped.cu")
    assert main(["compile", str(path), "-t", "cpu", "-t", "cuda", "--arch", "sm_80", "-o", str(tmp_path)]) == 0
    assert sorted(p.name for p in tmp_path.glob("*.so")) == ["shipped.cpu.so", "shipped.cuda.so"]
    module = kernix.load(tmp_path / "shipped")
    assert set(module._kernix.targets) == {"cpu", "cuda"}


def test_compile_in_a_fixed_order(source, tmp_path, capfd):
    gather = """
#include <kernix/kernix.h>
[[kernix::bind, kernix::differentiable]] __global__ void gather(const float *x, const int *at, float *y) {
  y[threadIdx.x] = x[at[threadIdx.x]];
}
"""
    path = str(source(gather, "gather.cu"))
    assert main(["compile", path, "-t", "cpu", "-o", str(tmp_path)]) == 0
    assert main(["compile", path, "-t", "cpu", "-o", str(tmp_path), "--deterministic"]) == 1
    assert "a deterministic build adds in a fixed order" in capfd.readouterr().err


def test_compile_of_something_built(source, tmp_path, capsys):
    main(["compile", str(source(ADD_ONE, "shipped.cu")), "-t", "cpu", "-o", str(tmp_path)])
    assert main(["compile", str(tmp_path / "shipped.cpu.so")]) == 1
    assert "is built already" in capsys.readouterr().err


def test_errors_are_one_message(source, capsys):
    assert main(["compile", str(source("[[kernix::bind]] int f() { return x; }")), "-t", "cpu"]) == 1
    error = capsys.readouterr().err
    assert error.startswith("kernix: building inline.cu for cpu")
    assert "use of undeclared identifier 'x'" in error
    assert "Traceback" not in error


def test_inspect(capsys):
    assert main(["inspect", str(SOURCES / "calls.cu")]) == 0
    text = capsys.readouterr().out
    assert "add(x, y, z, n=..., *, block=None, grid=None, shared_bytes=None)\n" in text
    assert "  kernel   add(const float *x, const float *y, float *z, int n)\n" in text
    assert "  doc      Adds two vectors.\n" in text
    assert text.count("negate<") == 3


def test_inspect_json(capsys):
    assert main(["inspect", str(SOURCES / "calls.cu"), "add", "--json"]) == 0
    records = json.loads(capsys.readouterr().out)
    assert list(records) == ["add"]
    assert records["add"]["kind"] == "kernel"


def test_inspect_unknown(capsys):
    assert main(["inspect", str(SOURCES / "calls.cu"), "ad"]) == 1
    assert "module calls has no function 'ad' (did you mean 'add'?)" in capsys.readouterr().err


def test_stubs(tmp_path, capsys):
    assert main(["stubs", str(SOURCES / "results.cu"), "-o", str(tmp_path / "results.pyi")]) == 0
    assert "class _results:" in (tmp_path / "results.pyi").read_text()
    assert main(["stubs", str(SOURCES / "results.cu")]) == 0
    assert capsys.readouterr().out == (tmp_path / "results.pyi").read_text()


def test_cache(fresh_cache, source, capsys):
    assert main(["cache", "path"]) == 0
    assert capsys.readouterr().out == f"{fresh_cache}\n"
    kernix.load(source(ADD_ONE), target="cpu")
    main(["cache", "size"])
    assert capsys.readouterr().out.startswith("1 builds, ")
    main(["cache", "clear"])
    main(["cache", "size"])
    assert capsys.readouterr().out.startswith("0 builds, ")


def test_doctor(capsys):
    assert main(["doctor"]) == 0
    rows = {line[9:20].strip(): (line[:9].strip(), line[20:]) for line in capsys.readouterr().out.splitlines()}
    for name in ("platform", "python", "plugin", "runtime", "headers", "compiler", "cache"):
        assert rows[name][0] == "ok", rows[name]
    assert rows["gpu"][0] == ("ok" if has_gpu() else "MISSING")


def test_doctor_without_a_compiler(capsys, monkeypatch):
    monkeypatch.setenv("KERNIX_CLANG", "/nowhere/clang++")
    assert main(["doctor"]) == 1
    text = capsys.readouterr().out
    assert "MISSING  compiler   clang 22 is needed to build kernels (/nowhere/clang++: not found): install clang 22" in text
    assert "(needed for building kernels)" in text


def test_doctor_without_cuda(capsys, monkeypatch, tmp_path):
    monkeypatch.setenv("CUDA_HOME", str(tmp_path))
    main(["doctor"])
    assert "MISSING  cuda       a CUDA toolkit is needed" in capsys.readouterr().out


@pytest.mark.parametrize("system", ["Windows", "Darwin"])
def test_doctor_on_other_systems(capsys, monkeypatch, system):
    monkeypatch.setattr("platform.system", lambda: system)
    assert main(["doctor"]) == 1
    assert f"MISSING  platform   {system} x86_64: kernix is for Linux on x86-64" in capsys.readouterr().out


def test_unknown_command(capsys):
    with pytest.raises(SystemExit) as caught:
        main(["complie"])
    assert caught.value.code == 2


def test_as_a_module():
    from conftest import run_python

    result = run_python("import runpy, sys; sys.argv = ['kernix', '--version']; runpy.run_module('kernix', run_name='__main__')")
    assert result.stdout == f"kernix {kernix.__version__}\n", result.stderr


def test_reader_that_goes_away():
    import subprocess
    import sys

    root = os.path.dirname(_paths.ROOT)
    command = f"{sys.executable} -m kernix info | true"
    result = subprocess.run(
        ["bash", "-c", f"set -o pipefail; {command}"], env={**os.environ, "PYTHONPATH": root}, capture_output=True, text=True
    )
    assert "Traceback" not in result.stderr


@pytest.mark.parametrize("output", ["/proc/none/stub.pyi", "."])
@pytest.mark.parametrize("command", ["stubs", "compile"])
def test_output_that_cannot_be_written(source, command, output, tmp_path, capsys, monkeypatch):
    path = str(source(ADD_ONE, "written.cu"))
    monkeypatch.chdir(tmp_path)
    (tmp_path / "file").touch()
    assert main([command, path, "-o", "file/x" if command == "compile" else output]) == 1
    assert capsys.readouterr().err.startswith("kernix: ")
