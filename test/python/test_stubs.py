"""Stubs: compared with what is expected, and checked by mypy."""

import subprocess
import sys
from pathlib import Path

import pytest

import kernix
from kernix.stubs import module_stub

HERE = Path(__file__).parent


@pytest.mark.parametrize("name", ["calls", "results"])
def test_stub_is_as_expected(request, name):
    stub = module_stub(request.getfixturevalue(name))
    expected = HERE / "stubs" / f"{name}.pyi"
    assert stub == expected.read_text(), f"if the difference is wanted: python -m kernix stubs {name}.cu -o {expected}"


@pytest.mark.parametrize(("name", "written"), [("a b", "a_b"), ("1", "_1"), ("class", "class_"), ("a.b-c", "a_b_c")])
def test_name_of_the_module_is_one_of_python(source, name, written):
    stub = module_stub(kernix.load(source("[[kernix::bind]] int f() { return 1; }"), name=name))
    assert stub.endswith(f"class _{written}:\n    def f(self) -> int: ...\n\n{written}: _{written}\n")


def check(folder):
    return subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--no-incremental", "user.py"],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )


def test_mypy_accepts_the_stubs_and_right_uses(tmp_path):
    pytest.importorskip("mypy")
    for name in ("calls", "results"):
        (tmp_path / f"{name}.pyi").write_text((HERE / "stubs" / f"{name}.pyi").read_text())
    (tmp_path / "user.py").write_text(
        "import calls, results\n"
        "from typing import Any\n"
        "def f(x: Any) -> float:\n"
        "    calls.calls.add(x, x, x, block=(32, 1))\n"
        "    plus, pair = calls.calls.both(x)\n"
        "    ok, quotient, remainder = results.results.divide(7, 2)\n"
        "    middle = results.results.geo.middle({'low': (0, 0), 'high': (1, 1), 'tag': (0, 0)})\n"
        "    box = results.results.geo.Box(low=results.results.Box_low(0, 0), high=results.results.Box_high(1, 1), tag=(0, 0))\n"
        "    area: float = results.results.geo.area(box)\n"
        "    made: results.Settings = results.results.Settings(byte=3)\n"
        "    return middle.x + results.results.defaults(2.0, c=quotient)\n"
    )
    result = check(tmp_path)
    assert result.returncode == 0, result.stdout


def test_mypy_accepts_variants(tmp_path):
    """Overloads stand in mypy's order; variants that it could not tell apart are one signature."""
    pytest.importorskip("mypy")
    module = kernix.load_cuda_inline(
        "variants",
        """
        #include <kernix/kernix.h>
        #include <complex>
        [[kernix::bind("doubled")]] std::complex<double> a1(std::complex<double> a) { return 2.0 * a; }
        [[kernix::bind("doubled")]] float a2(float a) { return 2 * a; }
        [[kernix::bind("doubled")]] int a3(int a) { return 2 * a; }
        [[kernix::bind("mixed")]] int b1(float a) { return 1; }
        [[kernix::bind("mixed")]] double b2(int a) { return 2; }
        [[kernix::bind("kind")]] int c1(const kernix::TensorView<float> x) { return 1; }
        [[kernix::bind("kind")]] double c2(const kernix::TensorView<double> x) { return 2; }
        """,
    )
    stub = module_stub(module)
    (tmp_path / "variants.pyi").write_text(stub)
    (tmp_path / "user.py").write_text(
        "from variants import variants as m\n"
        "a: int = m.doubled(1)\nb: float = m.doubled(1.5)\nc: complex = m.doubled(1j)\n"
        "d: float = m.mixed(1)\ne: int | float = m.kind(object())\n"
    )
    result = check(tmp_path)
    assert result.returncode == 0, result.stdout
    assert stub.count("@overload") == 3


def test_mypy_refuses_wrong_uses(tmp_path):
    pytest.importorskip("mypy")
    (tmp_path / "results.pyi").write_text((HERE / "stubs" / "results.pyi").read_text())
    (tmp_path / "user.py").write_text(
        "from results import results\n"
        "results.as_int('text')\n"
        "results.as_int()\n"
        "results.nothing(block=3)\n"
        "x: str = results.as_float(1.0)\n"
    )
    result = check(tmp_path)
    assert [line.split(":")[1] for line in result.stdout.splitlines() if "error" in line and ":" in line][:4] == ["2", "3", "4", "5"]


def test_package_is_typed():
    pytest.importorskip("mypy")
    # Of the sources: in a build tree the files of the package are links.
    root = Path(kernix.errors.__file__).resolve().parent
    settings = f"--config-file={HERE.parent.parent / 'pyproject.toml'}"
    result = subprocess.run(
        [sys.executable, "-m", "mypy", settings, "--no-incremental", str(root)], capture_output=True, text=True, check=False
    )
    assert result.returncode == 0, result.stdout
