"""Stubs of modules for Numba: compared with what is expected, and checked by mypy."""

import subprocess
import sys
from pathlib import Path

import kernix
import kernix.cli
import pytest

pytest.importorskip("numba.cuda")

from kernix.numba.stubs import module_stub  # noqa: E402

HERE = Path(__file__).parent
NAMES = ["for_numba", "box_members"]


@pytest.mark.parametrize("name", NAMES)
def test_stub_is_as_expected(name: str) -> None:
    source, expected = HERE / "sources" / f"{name}.cuh", HERE / "stubs" / f"{name}.pyi"
    stub = module_stub(kernix.load(source, target="numba"))
    assert stub == expected.read_text(), f"if the difference is wanted: python -m kernix stubs --numba {source} -o {expected}"


def test_on_the_command_line(tmp_path: Path) -> None:
    source, written = tmp_path / "f.cu", tmp_path / "f.pyi"
    source.write_text("#include <kernix/kernix.h>\n[[kernix::bind]] __device__ int f(float x) { return x; }\n")
    assert kernix.cli.main(["stubs", "--numba", str(source), "-o", str(written)]) == 0
    assert written.read_text().endswith("class _f:\n    def f(self, x: float) -> int: ...\n\nf: _f\n")


def errors_of(folder: Path, body: str) -> str:
    pytest.importorskip("mypy")
    for name in NAMES:
        (folder / f"{name}.pyi").write_text((HERE / "stubs" / f"{name}.pyi").read_text())
    head = "import for_numba, box_members\nfrom typing import Any\nm, boxes = for_numba.for_numba, box_members.box_members\n"
    (folder / "user.py").write_text(f"{head}def kernel(states: Any, x: Any) -> float:\n{body}")
    command = [sys.executable, "-m", "mypy", "--strict", "--no-incremental", "user.py"]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False).stdout


def test_mypy_accepts_kernels(tmp_path: Path) -> None:
    body = """
    m.stats_update(states[0:], x[0])
    ok, score = m.stats_update_and_get_zscore(states[0:], x[0])
    score += m.stats_get_matrix_3x4()[7]
    gx, gk = m.cube.bwd(x[0], 2.0, 1.0)
    n: int = m.count_of(m.RunningStats(1, 2.0, 3.0)) + m.geo.inner.doubled(3) + m.doubled(2)
    box = boxes.geo.Box(2.0) + boxes.geo.Box(2.0, 3.0)
    if ok and box < -box and box[1] > 2:
        score += box.area(scale=2.0) + boxes.geo.Box.unit().area() + boxes.area(box)
    boxes.geo.Box.grow(x, 2.0)
    score += boxes.used(boxes.Settings(1.0, 3)) + m.outer_made(3, 1.0).inner.weights[1]
    return m.defaults(1.0, d=False) + gx + gk + score + n + m.cube(2.0, 3.0)
"""
    assert "Success" in errors_of(tmp_path, body)


def test_mypy_refuses_mistakes(tmp_path: Path) -> None:
    found = errors_of(tmp_path, '    m.count_of(3)\n    m.area("2")\n    return m.nothing(boxes.geo.Box(1.0).width)\n')
    assert 'Argument 1 to "count_of" of "_for_numba" has incompatible type "int"; expected "RunningStats"' in found
    assert 'Argument 1 to "area" of "_for_numba" has incompatible type "str"; expected "float"' in found
    assert '"_for_numba" has no attribute "nothing"' in found
