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


# -- brainevent's comments ----------------------------------------------------------------------------------------------

COMMENTS = """
#include <brainevent/common.h>
#define MAKE(SUFFIX, T) void fill##SUFFIX(BE::Tensor y, T value) { y.data_ptr<T>()[0] = value; }
// @BE fill_f32
MAKE(_f32, float)
// @BE fill_f64 ret attr.value:float64
MAKE(_f64, double)
MAKE(_i32, int)
[[kernix::bind]] int annotated() { return 1; }
"""


def test_comments_and_attributes():
    module = kernix.load_cuda_inline("comments", COMMENTS)
    assert sorted(module) == ["annotated", "fill_f32", "fill_f64"]
    y = np.zeros(1, "float32")
    module.fill_f32(y, 2)
    assert y[0] == 2


def test_functions_instead_of_comments():
    assert sorted(kernix.load_cuda_inline("chosen", COMMENTS, ["fill_i32"])) == ["annotated", "fill_i32"]


def test_comments_in_a_file_and_in_plain_cpp(tmp_path):
    path = tmp_path / "comments.cu"
    path.write_text(COMMENTS)
    for module in (kernix.load(path), kernix.load_cuda_file(path), kernix.load_cpp_file(path)):
        assert "fill_f32" in module


def test_wrong_comment():
    with pytest.raises(kernix.CompileError, match=r"comment\.cu:2:8: error: the source declares no function 'fil'; did you mean 'fill'\?"):
        kernix.load_cuda_inline("comment", "#include <brainevent/common.h>\n// @BE fil\nvoid fill(BE::Tensor y) {}")


def test_functions_of_several_files(tmp_path):
    for name in "ab":
        (tmp_path / f"{name}.cu").write_text(f"int {name}() {{ return {ord(name)}; }}\nint other_{name}() {{ return 0; }}")
    module = kernix.load_cuda_dir(tmp_path, ["a", "b"], name="several")
    assert (sorted(module), module.a(), module.b()) == (["a", "b"], 97, 98)
    with pytest.raises(kernix.KernelError, match=r"functions: 'c' is not defined in a\.cu, b\.cu"):
        kernix.load_cuda_dir(tmp_path, ["a", "c"], name="several")


def test_overloads_and_namespaces():
    source = """
    namespace geo { double area(double a) { return a; } float area(float a, float b) { return a * b; } }
    double length(double a) { return a; }
    """
    module = kernix.load_cuda_inline("overloads", source, {"area(float, float)": "attr.a attr.b", "::length": "attr.a"})
    assert (module.area(2, 3), module.length(4)) == (6, 4)


# -- what JAX will be told ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({}, ("tiny.add_one", True, True)),
        ({"target_prefix": "my.prefix"}, ("my.prefix.add_one", True, True)),
        ({"auto_register": False, "allow_cuda_graph": False}, ("tiny.add_one", False, False)),
    ],
)
def test_registration(options, expected):
    registration = kernix.load_cuda_inline("tiny", HEADER + ADD_ONE, **options)._kernix.registration
    assert (registration.target_name("add_one"), registration.enabled, registration.allow_cuda_graph) == expected


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"target_prefix": ""}, "target_prefix: expected a name, got ''"),
        ({"target_prefix": " x"}, "target_prefix: expected a name, got ' x'"),
        ({"target_prefix": 5}, "target_prefix: expected a str, got 5"),
        ({"auto_register": 1}, "auto_register: expected True or False, got 1"),
        ({"allow_cuda_graph": None}, "allow_cuda_graph: expected True or False, got None"),
    ],
)
def test_wrong_registration(options, message):
    with pytest.raises(kernix.KernelError, match=message):
        kernix.load_cuda_inline("tiny", HEADER + ADD_ONE, **options)


def test_another_module_of_the_same_name():
    """Said once, at the caller's line, where JAX could have the names; the same build again replaces nothing."""
    pytest.importorskip("jax")
    kernix.load_cuda_inline("taken", "int f() { return 1; }", ["f"])
    kernix.load_cuda_inline("taken", "int f() { return 1; }", ["f"])
    with pytest.warns(UserWarning, match="a module 'taken' is loaded already") as warned:
        kernix.load_cuda_inline("taken", "int f() { return 2; }", ["f"])
    assert (len(warned), warned[0].filename) == (1, __file__)
    kernix.load_cuda_inline("taken", "int f() { return 3; }", ["f"], auto_register=False)
    kernix.load_cuda_inline("taken", "int f() { return 4; }", ["f"], target_prefix="other")


def test_unusual_functions():
    """Kinds of functions, ends of lines, and places of comments that are easily forgotten."""
    source = """
    #include <brainevent/common.h>
    extern "C" int in_c() { return 1; }
    static int in_file() { return 2; }
    struct S { static int in_class() { return 3; } };
    int with_default(float a = 0.5f) { return int(4 * a); }
    void with_intent([[kernix::intent(out_return)]] double &r, double a) { r = 2 * a; }
    double by_reference(const float &a) { return a; }
    int narrow(bool b) { return b; }
    template <class T> T twice(T a) { return 2 * a; }
    [[kernix::bind("twice_f", "attr.b:float32")]] constexpr auto twice_f = &twice<float>;
    int main2() {
      // @BE in_body
      return 0;
    }
    int in_body(int a) { return a; }
    """.replace("\n", "\r\n")
    functions = {
        "in_c": "",
        "in_file": [],
        "S::in_class": "",
        "with_default": "attr.a:float64",
        "with_intent": "ret attr.a",
        "by_reference": "attr.a:int64",
        "narrow": "attr.b:int32",
    }
    module = kernix.load_cpp_inline("unusual", source, functions, extra_cflags=["-fplugin-arg-kernix-Wno-kernix-arg-spec"])
    assert (module.in_c(), module.in_file(), module.S.in_class(), module.with_default()) == (1, 2, 3, 2)
    assert (module.with_intent(3.0), module.by_reference(5), module.narrow(7), module.twice_f(b=4)) == (6, 5, 1, 8)
    assert sorted(kernix.load_cpp_inline("unusual_comment", source)) == ["in_body", "twice_f"]


def test_comment_in_a_shared_header(tmp_path):
    header = "#pragma once\n#include <brainevent/common.h>\n// @BE shared\ninline int shared(int a) { return a + 1; }\n"
    (tmp_path / "shared.cuh").write_text(header)
    for name in "ab":
        (tmp_path / f"{name}.cu").write_text(f'#include "shared.cuh"\n// @BE {name}\nint {name}(int x) {{ return shared(x); }}\n')
    module = kernix.load_cuda_dir(tmp_path, name="headers")
    assert (sorted(module), module.shared(1), module.b(2)) == (["a", "b", "shared"], 2, 3)
