"""kernix.load: paths, targets, options."""

import shutil

import numpy as np
import pytest

import kernix
from conftest import ADD_ONE, has_gpu, needs_toolkit
from kernix.options import make_options

ONE = np.ones(2, "float32")


def test_path_objects_and_home(source, tmp_path, monkeypatch):
    path = source(ADD_ONE)
    monkeypatch.setenv("HOME", str(tmp_path))
    for spelling in (path, str(path), f"~/{path.name}"):
        assert kernix.load(spelling).add_one(ONE).tolist() == [2, 2]


def test_relative_path(source, monkeypatch, tmp_path):
    source(ADD_ONE, "relative.cu")
    monkeypatch.chdir(tmp_path)
    assert "relative" in repr(kernix.load("relative.cu"))


def test_no_such_file(tmp_path):
    with pytest.raises(kernix.KernelError, match=r"missing\.cu: no such file"):
        kernix.load(tmp_path / "missing.cu")


def test_not_a_path():
    with pytest.raises(kernix.KernelTypeError, match="path: expected a path, got 5"):
        kernix.load(5)


def test_name(source):
    assert repr(kernix.load(source(ADD_ONE), name="other")).startswith("<kernix module other (")


def test_nothing_bound(source):
    with pytest.raises(kernix.KernelError, match=r"no function is bound; write \[\[kernix::bind\]\]"):
        kernix.load(source("int unbound() { return 1; }"))


# -- targets ----------------------------------------------------------------------------------------------------------


def test_default_target(source):
    module = kernix.load(source(ADD_ONE))
    assert list(module._kernix.libraries) == ["cuda" if has_gpu() else "cpu"]


def test_target_is_the_only_one(source):
    module = kernix.load(source(ADD_ONE), target="cpu")
    assert module._kernix.targets == ("cpu",)
    with pytest.raises(kernix.KernelValueError, match=r"inline\.add_one: the module is for the target cpu only, and was given CUDA arrays"):
        module.add_one.need_target(1)


@needs_toolkit
def test_arrays_of_the_other_target(source):
    module = kernix.load(source(ADD_ONE), target="cuda")
    with pytest.raises(kernix.KernelValueError, match="the module is for the target cuda only, and was given arrays on the CPU"):
        module.add_one(ONE)


def test_other_target_is_built_on_first_use(source):
    if not has_gpu():
        pytest.skip("no GPU")
    torch = pytest.importorskip("torch")
    module = kernix.load(source(ADD_ONE))
    assert list(module._kernix.libraries) == ["cuda"]
    assert module.add_one(ONE).tolist() == [2, 2]
    assert list(module._kernix.libraries) == ["cuda", "cpu"]
    assert module.add_one(torch.ones(2, device="cuda")).tolist() == [2, 2]


def test_unknown_target(source):
    with pytest.raises(kernix.KernelValueError, match="target: expected 'cpu' or 'cuda', got 'gpu'"):
        kernix.load(source(ADD_ONE), target="gpu")


def test_environment_limits_targets(source, monkeypatch):
    path = source(ADD_ONE)
    monkeypatch.setenv("KERNIX_TARGET", "cpu")
    assert kernix.load(path)._kernix.targets == ("cpu",)
    with pytest.raises(kernix.KernelValueError, match=r"target: 'cuda' is excluded by \$KERNIX_TARGET=cpu"):
        kernix.load(path, target="cuda")
    monkeypatch.setenv("KERNIX_TARGET", "cpu, cuda")
    assert set(kernix.load(path)._kernix.targets) == {"cpu", "cuda"}
    monkeypatch.setenv("KERNIX_TARGET", "tpu")
    with pytest.raises(kernix.KernelValueError, match=r"\$KERNIX_TARGET: expected 'cpu' or 'cuda', got 'tpu'"):
        kernix.load(path)


# -- built modules ----------------------------------------------------------------------------------------------------


@pytest.fixture
def library(source, tmp_path):
    built = kernix.load(source(ADD_ONE), target="cpu")._kernix.built["cpu"].path
    return shutil.copy(built, tmp_path / "shipped.cpu.so")


def test_built_module(library, tmp_path):
    for path in (library, tmp_path / "shipped"):
        module = kernix.load(path)
        assert repr(module) == "<kernix module shipped (cpu): add_one>"
        assert module.add_one(ONE).tolist() == [2, 2]


def test_built_module_of_any_name(library, tmp_path):
    shutil.copy(library, tmp_path / "plain.so")
    assert kernix.load(tmp_path / "plain.so").add_one(ONE).tolist() == [2, 2]


def test_built_module_without_the_target(library):
    with pytest.raises(kernix.KernelValueError, match="target: 'cuda' is not possible here, only 'cpu'"):
        kernix.load(library, target="cuda")


def test_built_module_takes_no_options(library):
    with pytest.raises(kernix.KernelValueError, match="is built already: options of a build have no effect"):
        kernix.load(library, fast_math=True)


def test_built_module_knows_no_source(library):
    with pytest.raises(kernix.KernelError, match="was built elsewhere; its source is not known"):
        kernix.load(library).add_one.source("ir")


def test_not_a_shared_object(tmp_path):
    path = tmp_path / "text.so"
    path.write_text("nonsense")
    with pytest.raises(kernix.KernelError, match=r"text\.so cannot be opened: .*"):
        kernix.load(path)
    with pytest.raises(kernix.KernelError, match=r"missing\.so: no such file"):
        kernix.load(tmp_path / "missing.so")


def test_foreign_shared_object():
    import _ctypes

    with pytest.raises(kernix.KernelError, match="has no bound functions: .*symbol kernix_module_info is missing"):
        kernix.load(_ctypes.__file__)


def test_mislabelled_library(library, tmp_path):
    shutil.copy(library, tmp_path / "wrong.cuda.so")
    with pytest.raises(kernix.KernelError, match=r"wrong\.cuda\.so is built for cpu, not for cuda"):
        kernix.load(tmp_path / "wrong")


# -- options ----------------------------------------------------------------------------------------------------------

VALUE = """
    #ifndef VALUE
    #define VALUE 1
    #endif
    [[kernix::bind]] int value() { return VALUE; }
"""


def test_defines(source):
    path = source(VALUE)
    assert kernix.load(path).value() == 1
    assert kernix.load(path, defines={"VALUE": 7}).value() == 7
    assert kernix.load(path, defines=["VALUE=8"]).value() == 8
    assert kernix.load(path, extra_cflags=["-DVALUE=9"]).value() == 9


def test_include_paths(source, tmp_path):
    (tmp_path / "below").mkdir()
    (tmp_path / "below" / "value.h").write_text("#define VALUE 5\n")
    path = source('#include "value.h"\n' + VALUE)
    assert kernix.load(path, include_paths=[tmp_path / "below"]).value() == 5


def test_fast_math_and_debug_and_level(source):
    path = source(
        """
        [[kernix::bind]] bool fast() {
        #ifdef __FAST_MATH__
          return true;
        #else
          return false;
        #endif
        }
        [[kernix::bind]] bool optimized() {
        #ifdef __OPTIMIZE__
          return true;
        #else
          return false;
        #endif
        }
        """
    )
    plain = kernix.load(path)
    assert (plain.fast(), plain.optimized()) == (False, True)
    other = kernix.load(path, fast_math=True, opt_level=0, debug=True)
    assert (other.fast(), other.optimized()) == (True, False)


@pytest.fixture(scope="module")
def checked(tmp_path_factory):
    """x(i) and y(j) = ... through views, with every access checked."""
    path = tmp_path_factory.mktemp("sources") / "checked.cu"
    path.write_text(
        """
        #include <kernix/kernix.h>
        [[kernix::bind, kernix::grid("1"), kernix::block(1)]]
        __global__ void copy(kernix::TensorView<const float> x, [[kernix::intent(out_ptr)]] kernix::TensorView<float> y,
                             int from, int to) {
          y(to) = x(from);
        }
        [[kernix::bind, kernix::grid("1"), kernix::block(1)]]
        __global__ void element(kernix::TensorView<const float> x, [[kernix::intent(out_ptr)]] kernix::TensorView<float> y,
                                int row, int column) {
          y(0) = x(row, column);
        }
        """
    )
    return kernix.load(path, target="cpu", checks=["bounds"])


def test_bounds_that_hold(checked):
    x, y = np.array([1, 2, 3], "float32"), np.zeros(3, "float32")
    checked.copy(x, y, 2, 0)
    checked.copy(x[::-1], y[1:], 2, 1)
    assert y.tolist() == [3, 0, 1]
    checked.element(np.arange(6, dtype="float32").reshape(2, 3).T, y, 2, 1)
    assert y[0] == 5


@pytest.mark.parametrize(
    ("source_index", "target_index", "message"),
    [
        (3, 0, "index 3 is out of bounds for axis 0 of size 3"),
        (-1, 0, "index -1 is out of bounds for axis 0 of size 3"),
        (0, 3, "index 3 is out of bounds for axis 0 of size 3"),
    ],
)
def test_bounds_that_do_not(checked, source_index, target_index, message):
    x, y = np.array([1, 2, 3], "float32"), np.zeros(4, "float32")
    with pytest.raises(kernix.KernelError, match=message):
        checked.copy(x, y[:3], source_index, target_index)
    assert y.tolist() == [0, 0, 0, 0]
    checked.copy(x, y, 0, 3)  # the process goes on
    assert y[3] == 1


@pytest.mark.parametrize(("row", "column", "axis"), [(2, 0, 0), (0, 3, 1)])
def test_bounds_of_each_axis(checked, row, column, axis):
    with pytest.raises(kernix.KernelError, match=f"is out of bounds for axis {axis} of size"):
        checked.element(np.zeros((2, 3), "float32"), np.zeros(1, "float32"), row, column)


def test_bounds_in_derivatives(source):
    """They end where the function would, and neither read nor write anything beyond."""
    path = source(
        """
        [[kernix::bind, kernix::differentiable, kernix::block(64), kernix::grid("1")]]
        __global__ void squares(kernix::TensorView<const double> x, kernix::TensorView<double> y, int n) {
          int i = threadIdx.x;
          if (i < n)
            y(i) = x(i) * x(i);
        }
        """
    )
    m = kernix.load(path, target="cpu", checks=["bounds"])
    x, ones = np.linspace(-1, 1, 40), np.ones(64)
    np.testing.assert_allclose(m.squares.bwd(x, (None, ones), n=40).x, 2 * x)
    np.testing.assert_allclose(m.squares.fwd((x, x), (np.zeros(64), np.zeros(64)), n=40).y[1][:40], 2 * x * x)
    for call in (
        lambda: m.squares(x, np.zeros(64), 41),
        lambda: m.squares.bwd(x, (None, ones), n=41),
        lambda: m.squares.fwd((x, x), (np.zeros(64), np.zeros(64)), n=41),
        lambda: m.squares.fwd((ones, ones), (np.zeros(40), np.zeros(40)), n=41),
    ):
        with pytest.raises(kernix.KernelError, match=r"thread \(40,0,0\)"):
            call()


@pytest.mark.parametrize(
    ("option", "message"),
    [
        ({"opt_level": 4}, "opt_level: expected 0, 1, 2 or 3, got 4"),
        ({"opt_level": True}, "opt_level: expected 0, 1, 2 or 3, got True"),
        ({"fast_math": 1}, "fast_math: expected True or False, got 1"),
        ({"debug": "yes"}, "debug: expected True or False, got 'yes'"),
        ({"checks": ["bonds"]}, "checks: expected one of 'bounds', 'accumulation', got 'bonds'"),
        ({"checks": "bounds"}, r"checks: expected a sequence of strings, got 'bounds'; write \['bounds'\]"),
        ({"extra_cflags": "-DX"}, "extra_cflags: expected a sequence of strings"),
        ({"extra_ldflags": [1]}, "extra_ldflags: expected strings, got 1"),
        ({"include_paths": "here"}, "include_paths: expected a sequence of strings"),
        ({"defines": {"X": False}}, "defines: X=False is ambiguous"),
        ({"deterministic": 1}, "deterministic: expected True or False, got 1"),
        ({"arch": "what ever"}, "arch: expected 'sm_90'"),
        ({"arch": ["x86-64", "native"]}, "arch: expected one CPU, got x86-64, native"),
    ],
)
def test_wrong_options(option, message):
    with pytest.raises(kernix.KernelError, match=message):
        make_options(**option)


def test_both_checks():
    assert make_options(checks=["bounds", "accumulation", "bounds"]).checks == ("accumulation", "bounds")


def test_unknown_option(source):
    with pytest.raises(TypeError, match="fastmath"):
        kernix.load(source(ADD_ONE), fastmath=True)


def test_arch_spellings():
    for spelling in ("sm_90", "90", 90, "9.0", "compute_90"):
        assert make_options(arch=spelling).cuda_arch == ("sm_90",)
    options = make_options(arch=["sm_90a", "12.0", "x86-64-v3"])
    assert options.cuda_arch == ("sm_90a", "sm_120")
    assert options.cpu_arch == "x86-64-v3"


def test_config_binds_from_outside(source, tmp_path):
    config = tmp_path / "bind.yaml"
    config.write_text("Functions:\n  outside: {bind: true}\n")
    path = tmp_path / "unmodified.cu"
    path.write_text("int outside(int a) { return a + 1; }\n")
    assert kernix.load(path, config=config).outside(2) == 3


def test_config_binds_operators(tmp_path):
    config = tmp_path / "bind.yaml"
    config.write_text('Functions:\n  operator+: {bind: add}\n  "operator *(V, float)": {bind: scaled}\n')
    path = tmp_path / "operators.cu"
    path.write_text(
        "struct V { float x, y; };\n"
        "V operator+(V a, V b) { return {a.x + b.x, a.y + b.y}; }\n"
        "namespace n { V operator*(V a, float s) { return {a.x * s, a.y * s}; } }\n"
    )
    m = kernix.load(path, config=config)
    assert m.add((1, 2), (3, 4)) == (4, 6)
    assert m.scaled((1, 2), 3) == (3, 6)
