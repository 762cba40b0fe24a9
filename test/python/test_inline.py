"""Loaders for text, files and folders."""

import numpy as np
import pytest

import kernix
from conftest import ADD_ONE

HEADER = "#include <kernix/kernix.h>\n"
X = np.zeros(2, "float32")


def test_inline():
    module = kernix.load_cuda_inline("tiny", HEADER + ADD_ONE)
    assert module.add_one(X).tolist() == [1, 1]
    assert repr(module).startswith("<kernix module tiny (")


def test_inline_of_several_texts():
    module = kernix.load_cuda_inline("parts", [HEADER, "static const int base = 3;", "[[kernix::bind]] int f() { return base; }"])
    assert module.f() == 3


def test_inline_functions_are_checked():
    assert kernix.load_cuda_inline("tiny", HEADER + ADD_ONE, ["add_one"]).add_one(X).tolist() == [1, 1]
    message = r"functions:1:1: error: the source declares no function 'add_two'; did you mean 'add_one'\?"
    with pytest.raises(kernix.CompileError, match=message):
        kernix.load_cuda_inline("tiny", HEADER + ADD_ONE, ["add_two"])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("not a name", HEADER), "name: expected an identifier, got 'not a name'"),
        (("tiny", 5), "cuda_sources: expected a str or a list"),
        (("tiny", [1]), "cuda_sources: expected a str or a list"),
        (("tiny", []), "cuda_sources: expected a str or a list"),
        (("tiny", HEADER, "f"), "functions: expected a sequence of strings, got 'f'"),
        (("tiny", HEADER, [1]), r"functions: expected strings, got 1"),
    ],
)
def test_wrong_arguments(arguments, message):
    with pytest.raises((kernix.KernelError, TypeError), match=message):
        kernix.load_cuda_inline(*arguments)


def test_inline_options():
    text = HEADER + "[[kernix::bind]] int f() { return VALUE; }"
    assert kernix.load_cuda_inline("options", text, extra_cuda_cflags=["-DVALUE=6"], optimization_level=1).f() == 6


def test_build_directory(tmp_path):
    folder = tmp_path / "here"
    kernix.load_cuda_inline("tiny", HEADER + ADD_ONE, build_directory=folder)
    assert list((folder / "sources").glob("*/tiny.cu"))
    assert list((folder / "objects").iterdir())


def test_error_names_the_written_source():
    with pytest.raises(kernix.CompileError, match=r"sources/[0-9a-f]+/broken\.cu:2:1: error"):
        kernix.load_cuda_inline("broken", HEADER + "nonsense;")


def test_file(source):
    assert kernix.load_cuda_file(source(ADD_ONE), ["add_one"]).add_one(X).tolist() == [1, 1]
    with pytest.raises(kernix.KernelError, match="no such file"):
        kernix.load_cuda_file("missing.cu")


def test_folder(source, tmp_path):
    source("[[kernix::bind]] int a() { return 1; }", "a.cu")
    source("[[kernix::bind]] int b() { return 2; }", "b.cu")
    source("[[kernix::bind]] int c() { return 3; }", "c.cuh")
    module = kernix.load_cuda_dir(tmp_path, name="folder")
    assert (list(module), module.a(), module.b()) == (["a", "b"], 1, 2)
    assert list(kernix.load_cuda_dir(tmp_path, name="folder", file_patterns=["[ac].cu*"])) == ["a", "c"]


def test_folder_mistakes(tmp_path):
    with pytest.raises(kernix.KernelError, match="nowhere: no such folder"):
        kernix.load_cuda_dir(tmp_path / "nowhere")
    with pytest.raises(kernix.KernelError, match=r"no file matches \*\.cu"):
        kernix.load_cuda_dir(tmp_path)
    with pytest.raises(kernix.KernelTypeError, match=r"file_patterns: expected a sequence of strings, got '\*\.cu'"):
        kernix.load_cuda_dir(tmp_path, file_patterns="*.cu")


CPP = HEADER + "[[kernix::bind]] double half(const kernix::Tensor x) { return x.numel() / 2.0; }"


def test_cpp_inline():
    module = kernix.load_cpp_inline("plain", CPP)
    assert module.half(np.zeros(3)) == 1.5
    assert module._kernix.targets == ("cpu",)


def test_cpp_file(tmp_path):
    path = tmp_path / "plain.cpp"
    path.write_text(CPP)
    assert kernix.load_cpp_file(path, extra_cflags=["-DX"]).half(np.zeros(4)) == 2.0
