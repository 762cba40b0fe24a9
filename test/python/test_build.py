"""What a build shows: progress, warnings, errors; dependency files; command lines."""

import os
import stat

import pytest

import kernix
from conftest import ADD_ONE, needs_toolkit
from kernix import toolchain
from kernix.build import _without_repeats, parse_dependencies

WARNING = "[[kernix::bind]] int f() { int unused_thing = 1; return 2; }"


@pytest.fixture(autouse=True)
def own_cache(fresh_cache):
    return fresh_cache


def test_progress_line(source, capfd, monkeypatch):
    monkeypatch.setenv("KERNIX_VERBOSE", "1")
    path = source(ADD_ONE)
    kernix.load(path, target="cpu")
    assert __import__("re").fullmatch(
        r"kernix: building inline\.cu for cpu \(native\) \.\.\. \d+\.\d s\n", capfd.readouterr().err
    )
    kernix.load(path, target="cpu")
    assert capfd.readouterr().err == ""


def test_silence(source, capfd):
    kernix.load(source(ADD_ONE), target="cpu")
    assert capfd.readouterr() == ("", "")


def test_progress_of_a_failure(source, capfd, monkeypatch):
    monkeypatch.setenv("KERNIX_VERBOSE", "1")
    with pytest.raises(kernix.CompileError):
        kernix.load(source("[[kernix::bind]] int f() { return x; }"), target="cpu")
    assert capfd.readouterr().err == "kernix: building inline.cu for cpu (native) ... failed\n"


def test_verbose_shows_the_commands(source, capfd):
    kernix.load(source(ADD_ONE), target="cpu", verbose=True)
    lines = capfd.readouterr().err.splitlines()
    assert len(lines) == 3
    assert sum("-shared" in line for line in lines) == 1


def test_compile_error_is_as_the_compiler_wrote_it(source):
    path = source("[[kernix::bind]] int f() { return undeclared_thing; }")
    with pytest.raises(kernix.CompileError) as caught:
        kernix.load(path, target="cpu")
    text = str(caught.value)
    assert text.startswith("building inline.cu for cpu (native) failed (clang++ exited with status 1)\n")
    assert f"{path}:2:35: error: use of undeclared identifier 'undeclared_thing'" in text
    assert text.count("error: use of undeclared") == 1
    assert caught.value.output in text + "\n"
    assert caught.value.commands[0][0] == toolchain.find_compiler().path
    assert isinstance(caught.value, kernix.KernelError)


def test_plugin_error_arrives(source):
    with pytest.raises(kernix.CompileError, match=r"inline\.cu:\d+:\d+: error: .*"):
        kernix.load(source("[[kernix::bind]] int f(int *p) { return *p; }"), target="cpu")


def test_link_error(source):
    with pytest.raises(kernix.CompileError, match="undefined symbol: .*missing_thing"):
        kernix.load(source("int missing_thing(); [[kernix::bind]] int f() { return missing_thing(); }"), target="cpu")


def test_warnings_are_shown_once_when_built(source, capfd):
    path = source(WARNING)
    for _ in range(2):
        kernix.load(path, target="cpu", extra_cflags=["-Wall"])
    assert capfd.readouterr().err.count("unused variable 'unused_thing'") == 1


def test_each_pass_adds_only_what_is_new(source, capfd):
    # The first warning comes from both passes, the second from one of them.
    path = source(
        """
        #warning both of them
        #ifdef __KERNIX_CPU_DEVICE__
        #warning one of them
        #endif
        [[kernix::bind]] int f() { return 1; }
        """
    )
    kernix.load(path, target="cpu")
    printed = capfd.readouterr().err
    assert printed.count("both of them [-W") == 1
    assert printed.count("one of them [-W") == 1
    assert "generated" not in printed


@needs_toolkit
def test_errors_of_several_architectures_are_one(source):
    path = source("[[kernix::bind]] __global__ void f(float *y) { oops; }")
    with pytest.raises(kernix.CompileError) as caught:
        kernix.load(path, target="cuda", arch=["sm_80", "sm_90"])
    assert str(caught.value).count("use of undeclared identifier 'oops'") == 1


INCLUDED = "In file included from a.cu:1:\n"
FIRST = "a.h:2:3: warning: first\n   2 | text\n     | ^\n"
NOTE = "b.h:1:1: note: declared here\n   1 | int\n"
SECOND = "a.cu:9:1: error: second\n"


@pytest.mark.parametrize(
    ("outputs", "expected"),
    [
        ([FIRST + "1 warning generated when compiling for host.\n", FIRST + "1 warning generated.\n"], FIRST),
        ([INCLUDED + FIRST + NOTE, INCLUDED + FIRST + NOTE + SECOND], INCLUDED + FIRST + NOTE + SECOND),
        # A note belongs to its message, also where it was seen with another one.
        ([FIRST + INCLUDED + NOTE, SECOND + INCLUDED + NOTE], FIRST + INCLUDED + NOTE + SECOND + INCLUDED + NOTE),
        (["anything at all\n", "anything at all\n"], "anything at all\n"),
        (["", ""], ""),
    ],
)
def test_repeated_messages(outputs, expected):
    assert _without_repeats(outputs) == expected


def test_several_sources_of_one_name(tmp_path):
    for folder, value in (("a", 1), ("b", 2)):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "same.cu").write_text(
            "#include <kernix/kernix.h>\n"
            "namespace { __global__ void fill(int *y) { *y = " + str(value) + "; } }\n"
            "[[kernix::bind]] int " + folder + "() {\n"
            "  int *y, result; cudaMalloc(&y, 4); fill<<<1, 1>>>(y);\n"
            "  cudaMemcpy(&result, y, 4, cudaMemcpyDeviceToHost); cudaFree(y); return result;\n"
            "}\n"
        )
    module = kernix.load_cuda_dir(tmp_path, file_patterns=["*/same.cu"], name="both")
    assert (module.a(), module.b()) == (1, 2)


@pytest.mark.parametrize(
    ("text", "files"),
    [
        ("f.o: a.cu b.h\n", ["a.cu", "b.h"]),
        ("f.o: a.cu \\\n  b.h \\\n  c.h\n", ["a.cu", "b.h", "c.h"]),
        ("f.o: with\\ blank.h a\\#b $$c.h back\\slash\n", ["with blank.h", "a#b", "$c.h", "back\\slash"]),
        ("f.o: \n", []),
    ],
)
def test_dependency_files(text, files):
    assert parse_dependencies(text) == files


def test_path_with_blanks(tmp_path):
    folder = tmp_path / "with blank & $dollar"
    folder.mkdir()
    (folder / "h.h").write_text("#define VALUE 4\n")
    path = folder / "f.cu"
    path.write_text('#include "h.h"\n#include <kernix/kernix.h>\n[[kernix::bind]] int f() { return VALUE; }\n')
    assert kernix.load(path, target="cpu").f() == 4
    (folder / "h.h").write_text("#define VALUE 5\n")
    assert kernix.load(path, target="cpu").f() == 5


# -- finding the toolchain --------------------------------------------------------------------------------------------


def fake_compiler(folder, version):
    path = folder / "clang++"
    path.write_text(f"#!/bin/sh\necho 'Debian clang version {version}'\n")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return path


def test_compiler_of_another_version(tmp_path, monkeypatch):
    monkeypatch.setenv("KERNIX_CLANG", str(fake_compiler(tmp_path, "19.1.7")))
    with pytest.raises(kernix.KernelError, match=r"clang 22 is needed .*clang\+\+: version 19\.1\.7\): install clang 22"):
        toolchain.find_compiler()


def test_compiler_by_environment(tmp_path, monkeypatch):
    path = fake_compiler(tmp_path, "22.1.0")
    monkeypatch.setenv("KERNIX_CLANG", str(path))
    assert toolchain.find_compiler().path == str(path)


def test_no_compiler(monkeypatch):
    monkeypatch.setenv("KERNIX_CLANG", "/nowhere/clang++")
    with pytest.raises(kernix.KernelError, match=r"clang 22 is needed to build kernels \(/nowhere/clang\+\+: not found\)"):
        toolchain.find_compiler()


def test_no_cuda(tmp_path, monkeypatch, source):
    monkeypatch.setenv("CUDA_HOME", str(tmp_path))
    with pytest.raises(kernix.KernelError, match=r"a CUDA toolkit is needed .*no include/cuda\.h\): install the CUDA 13"):
        kernix.load(source(ADD_ONE), target="cuda")


def test_cuda_of_another_version(tmp_path, monkeypatch):
    for part in ("include/cuda_runtime.h", "nvvm/libdevice/libdevice.10.bc", "bin/ptxas"):
        (tmp_path / part).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / part).touch()
    (tmp_path / "include" / "cuda.h").write_text("#define CUDA_VERSION 12080\n")
    assert toolchain.cuda_problem(str(tmp_path)) == "version 12.8, not 13"


def test_environment_is_not_changed(source):
    before = dict(os.environ)
    kernix.load(source(ADD_ONE), target="cpu")
    assert dict(os.environ) == before
