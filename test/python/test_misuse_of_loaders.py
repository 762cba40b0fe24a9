"""Wrong arguments of the loaders: each is a KernelError that names the argument, before anything is run."""

import pytest

import kernix

GOOD = "#include <kernix/kernix.h>\n[[kernix::bind]] int f(int x) { return x; }\n"
PLAIN = "__global__ void k(float *x) { x[0] = 1; }\n"


@pytest.fixture
def good(tmp_path):
    path = tmp_path / "good.cu"
    path.write_text(GOOD)
    return path


@pytest.fixture(autouse=True)
def no_compiler(monkeypatch, request):
    """Nothing here needs to be built, unless the test says so."""
    if "builds" not in request.keywords:
        monkeypatch.setenv("KERNIX_CLANG", "/nowhere/clang++")


@pytest.mark.parametrize("path", [None, 3, b"good.cu", ["good.cu"]])
def test_path_of_another_type(path):
    with pytest.raises(kernix.KernelTypeError, match="path: expected a path, got"):
        kernix.load(path)
    with pytest.raises(kernix.KernelTypeError, match="filepath: expected a path, got"):
        kernix.load_cuda_file(path)
    with pytest.raises(kernix.KernelTypeError, match="directory: expected a path, got"):
        kernix.load_cuda_dir(path)


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("", "path: expected a path, got ''"),
        ("a\0b", r"path: expected a path, got 'a\\x00b'"),
        ("/nowhere/f.cu", r"path: /nowhere/f\.cu: no such file"),
        ("/tmp", "path: /tmp is a folder, not a file"),
        ("/nowhere/f.cpu.so", r"/nowhere/f\.cpu\.so: no such file"),
        ("/nowhere/f.so.1", r"/nowhere/f\.so\.1: no such file"),
    ],
)
def test_paths_that_lead_nowhere(path, message):
    with pytest.raises(kernix.KernelError, match=message):
        kernix.load(path)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"extra_cuda_cflags": "-DX"}, r"extra_cuda_cflags: expected a sequence of strings, got '-DX'; write \['-DX'\]"),
        ({"extra_cuda_cflags": 0}, "extra_cuda_cflags: expected a sequence of strings, got 0"),
        ({"extra_ldflags": ""}, "extra_ldflags: expected a sequence of strings, got ''"),
        ({"extra_include_paths": "/tmp"}, "extra_include_paths: expected a sequence of strings"),
        ({"optimization_level": "3"}, "optimization_level: expected 0, 1, 2 or 3, got '3'"),
        ({"use_fast_math": 1}, "use_fast_math: expected True or False, got 1"),
        ({"compute_capability": "abc"}, r"compute_capability: expected '9\.0' or 'sm_90', 75 or newer, got 'abc'"),
        ({"compute_capability": "7.0"}, "compute_capability: .*, got '7.0'"),
        ({"auto_register": 1}, "auto_register: expected True or False, got 1"),
        ({"allow_cuda_graph": "x"}, "allow_cuda_graph: expected True or False, got 'x'"),
    ],
)
def test_options_of_inline_sources_by_their_own_names(options, message):
    with pytest.raises(kernix.KernelError, match=message):
        kernix.load_cuda_inline("own", "#include <kernix/kernix.h>\n[[kernix::bind]] int f() { return 1; }", **options)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"target": 3}, "target: expected 'cpu' or 'cuda', got 3"),
        ({"target": ["cpu"]}, r"target: expected 'cpu' or 'cuda', got \['cpu'\]"),
        ({"name": 3}, "name: expected a str, got 3"),
        ({"config": 3}, "config: expected a path, got 3"),
        ({"config": "/nowhere.yaml"}, r"config: /nowhere\.yaml: no such file"),
        ({"config": "/tmp"}, "config: /tmp is a folder, not a file"),
        ({"opt_level": 3.0}, r"opt_level: expected 0, 1, 2 or 3, got 3\.0"),
        ({"opt_level": "3"}, "opt_level: expected 0, 1, 2 or 3, got '3'"),
        ({"opt_level": [3]}, r"opt_level: expected 0, 1, 2 or 3, got \[3\]"),
        ({"defines": 3}, "defines: expected a sequence of strings, got 3"),
        ({"defines": {3: 4}}, "defines: expected names, got 3"),
        ({"defines": {"A B": 4}}, "defines: expected NAME or NAME=VALUE on one line, got 'A B=4'"),
        ({"defines": {"A": "x\ny"}}, "defines: expected NAME or NAME=VALUE on one line"),
        ({"defines": ["-DA"]}, "defines: expected NAME or NAME=VALUE on one line, got '-DA'"),
        ({"include_paths": 3}, "include_paths: expected a sequence of strings, got 3"),
        ({"include_paths": [b"/tmp"]}, "include_paths: expected strings, got b'/tmp'"),
        ({"extra_cflags": ["-DA=\0"]}, "extra_cflags: expected no null characters"),
        ({"checks": 3}, "checks: expected a sequence of strings, got 3"),
        ({"verbose": "x"}, "verbose: expected True or False, got 'x'"),
        ({"force_rebuild": 1}, "force_rebuild: expected True or False, got 1"),
        ({"arch": "sm_70"}, "arch: expected sm_75 or newer, got 'sm_70'"),
        ({"arch": 5.2}, r"arch: expected sm_75 or newer, got 5\.2"),
        ({"arch": object()}, "arch: expected 'sm_90'"),
        ({"arch": {"sm_90": 1}}, "arch: expected 'sm_90'"),
    ],
)
def test_options(good, options, message):
    with pytest.raises(kernix.KernelError, match=message):
        kernix.load(good, **options)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((3, GOOD), "name: expected a str, got 3"),
        (("../x", GOOD), r"name: expected an identifier, got '\.\./x'"),
        (("m", GOOD.encode()), "cuda_sources: expected a str or a list of them"),
        (("m", []), r"cuda_sources: expected a str or a list of them, got \[\]"),
        (("m", [GOOD, None]), "cuda_sources: expected a str or a list of them"),
        (("m", "// \ud800"), "m: the source has a lone surrogate at position 3"),
        (("m", GOOD, "f"), r"functions: expected a sequence of strings, got 'f'; write \['f'\]"),
        (("m", GOOD, 3), "functions: expected a sequence of strings, got 3"),
        (("m", GOOD, {"f": ["arg ret"]}), "functions: 'f' has the token 'arg ret'; a token is one word"),
    ],
)
def test_inline(arguments, message):
    with pytest.raises(kernix.KernelError, match=message):
        kernix.load_cuda_inline(*arguments)


@pytest.mark.parametrize("folder", [3, b"/tmp"])
def test_build_directory(folder):
    with pytest.raises(kernix.KernelTypeError, match="build_directory: expected a path, got"):
        kernix.load_cuda_inline("m", GOOD, build_directory=folder)


def test_build_directory_that_is_a_file(good):
    with pytest.raises(kernix.KernelError, match="the cache cannot be written: .*Not a directory"):
        kernix.load_cuda_inline("m", GOOD, build_directory=good)


@pytest.mark.parametrize("compiler", ["/tmp", "/usr/bin/false", "/nowhere"])
def test_something_else_as_the_compiler(good, monkeypatch, compiler):
    monkeypatch.setenv("KERNIX_CLANG", compiler)
    with pytest.raises(kernix.KernelError, match=r"clang 22 is needed .*: install clang 22 .*set \$KERNIX_CLANG"):
        kernix.load(good)


@pytest.mark.builds
def test_nothing_is_bound(tmp_path):
    path = tmp_path / "plain.cu"
    path.write_text(PLAIN)
    for _ in range(2):  # built, and from the cache
        with pytest.raises(kernix.KernelError, match=r"plain\.cu: no function is bound; write \[\[kernix::bind\]\]"):
            kernix.load(path, target="cpu")


@pytest.mark.builds
def test_functions_that_are_not_there():
    with pytest.raises(kernix.CompileError, match="functions:1:1: error: the source declares no function 'k'"):
        kernix.load_cuda_inline("m", GOOD, functions=["k"])
    # Without an annotation they are bound too.
    assert list(kernix.load_cuda_inline("m", PLAIN, functions=["k"])) == ["k"]


def test_libraries_of_others(tmp_path):
    (tmp_path / "text.so").write_text("text")
    with pytest.raises(kernix.KernelError, match=r"text\.so cannot be opened"):
        kernix.load(tmp_path / "text.so")
    with pytest.raises(kernix.KernelError, match=r"libm\.so\.6 has no bound functions"):
        kernix.load("/lib/x86_64-linux-gnu/libm.so.6")
