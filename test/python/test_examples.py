"""Every example runs on the device at hand and is right; every code block of the documentation runs or is quoted.

What a fenced block of README.md and docs/*.md is, its language says:

    pycon    examples of calls with their results, run by doctest, page by page as one program
    python   run in order with them
    cpp, cmake, yaml, cuda   preceded by a comment: `file: NAME` writes it where the blocks of the page run,
             `part of: PATH` says that it is a verbatim part of a file of the repository; cpp without
             a comment is a source of its own, which is built and loaded
    sh       lines that begin with `python -m kernix` are run; others are not
    text     output, not run
"""

import doctest
import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import kernix
import pytest
from conftest import has_toolkit

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "examples"
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
SCRIPTS = sorted(
    name for name in (folder.name for folder in EXAMPLES.iterdir()) if (EXAMPLES / name / f"{name}.py").is_file()
)

# Fewer steps than an example takes by itself.
SHORTER = {
    "gaussians": ("--steps", "40"),
    "gaussians_jax": ("--size", "96", "--ellipses", "600", "--steps", "60"),
    "digits": ("--steps", "200"),
    "hash_grid": ("--size", "96", "--steps", "100"),
    "splatting": ("--width", "80", "--gaussians", "600", "--steps", "60"),
}


def _run(command: list[object], folder: Path) -> subprocess.CompletedProcess[str]:
    package = Path(kernix.__file__).parents[1]
    environment = {**os.environ, "PYTHONPATH": str(package), "CMAKE_PREFIX_PATH": str(package), "KERNIX_VERBOSE": "0"}
    return subprocess.run(
        [str(part) for part in command], cwd=folder, env=environment, capture_output=True, text=True, check=False
    )


def _devices() -> list[str]:
    return ["cpu", "cuda"] if kernix.gpu.driver().usable else ["cpu"]


# -- examples -------------------------------------------------------------------------------------------------------


def test_examples_are_known() -> None:
    folders = {folder.name for folder in EXAMPLES.iterdir() if folder.is_dir()} - {"out", "__pycache__"}
    assert folders == {*SCRIPTS, "cpp_caller"}
    command = (EXAMPLES / "run.sh").read_text()
    assert all(re.search(rf"\b{name}\b", command) for name in folders), "examples/run.sh all runs every example"


@pytest.mark.parametrize("device", _devices())
@pytest.mark.parametrize("name", SCRIPTS)
def test_example(name: str, device: str, tmp_path: Path) -> None:
    result = _run([sys.executable, EXAMPLES / name / f"{name}.py", "--device", device, *SHORTER.get(name, ())], tmp_path)
    assert result.returncode == 0, result.stdout + result.stderr
    assert "reference" in result.stdout, "the example compares its results"
    assert device in result.stdout


def test_photograph(tmp_path: Path) -> None:
    """The PNG shows the photograph and, beside it, a smoother one of the same colours."""
    numpy = pytest.importorskip("numpy")
    image = pytest.importorskip("PIL.Image")
    script = EXAMPLES / "photo_filter" / "photo_filter.py"
    result = _run([sys.executable, script, "--device", "cpu", "--output", "out.png"], tmp_path)
    assert result.returncode == 0, result.stdout + result.stderr
    picture = numpy.asarray(image.open(tmp_path / "out.png")).astype(float)
    before, after = numpy.split(picture, 2, axis=1)
    assert before.shape == (512, 512, 3)

    def roughness(pixels: object) -> float:
        return float(numpy.abs(numpy.diff(pixels, axis=1)).mean())

    assert roughness(after) < 0.8 * roughness(before)
    assert numpy.abs(before.mean(axis=(0, 1)) - after.mean(axis=(0, 1))).max() < 2


def test_example_notices_a_wrong_result(tmp_path: Path) -> None:
    """The same script with a kernel that is wrong ends with an error."""
    shutil.copytree(EXAMPLES / "scale_shift", tmp_path / "scale_shift")
    shutil.copy(EXAMPLES / "example.py", tmp_path)
    source = tmp_path / "scale_shift" / "scale_shift.cu"
    text = source.read_text()
    source.write_text(text.replace("sinf(x[i])", "cosf(x[i])"))
    assert source.read_text() != text
    result = _run([sys.executable, tmp_path / "scale_shift" / "scale_shift.py", "--device", "cpu"], tmp_path)
    assert result.returncode != 0
    assert "MISMATCH" in result.stderr


@pytest.mark.parametrize("device", _devices())
def test_cpp_caller(device: str, tmp_path: Path) -> None:
    result = _run([EXAMPLES / "cpp_caller" / "run.sh", "--device", device, "--build", tmp_path / "build"], tmp_path)
    assert result.returncode == 0, result.stdout + result.stderr
    assert f"from C++ on {device}: equal to the reference" in result.stdout


# -- documentation --------------------------------------------------------------------------------------------------

RUN = ("python", "pycon", "sh")
QUOTED = ("cpp", "cuda", "cmake", "yaml")
SHOWN = ("text",)


@dataclass(frozen=True)
class Block:
    language: str
    text: str
    line: int
    role: str | None
    path: str | None


def _blocks(page: Path) -> list[Block]:
    result = []
    pattern = re.compile(r"(?:<!-- (file|part of): (\S+) -->\n)?^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
    text = page.read_text(encoding="utf-8")
    for match in pattern.finditer(text):
        line = text.count("\n", 0, match.start(4)) + 1
        result.append(Block(match[3], match[4], line, match[1], match[2]))
    return result


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_blocks_are_covered(page: Path) -> None:
    for block in _blocks(page):
        where = f"{page.name}:{block.line}"
        assert block.language in RUN + QUOTED + SHOWN, f"{where}: what is a block of '{block.language}'?"
        if block.language in ("cmake", "yaml"):
            assert block.role, f"{where}: neither written to a file nor part of one"
        if block.role == "part of":
            assert block.text in (ROOT / str(block.path)).read_text(encoding="utf-8"), f"{where}: not in {block.path}"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    prose = re.sub(r"^```.*?^```$", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
    for target in re.findall(r"\]\(([^)#\s]+)[^)\s]*\)", prose):
        if "://" not in target:
            assert (page.parent / target).exists(), f"{page.name}: {target}"


def _run_commands(block: Block, folder: Path, where: str) -> None:
    for line in block.text.splitlines():
        words = line.partition("#")[0].split()
        if words[:3] == ["python", "-m", "kernix"]:
            result = _run([sys.executable, *words[1:]], folder)
            assert result.returncode == 0, f"{where}: {line}\n{result.stdout}{result.stderr}"


@pytest.mark.filterwarnings("ignore::FutureWarning", "ignore::UserWarning")  # torch's own, of its compiler and transforms
@pytest.mark.parametrize("page", [page for page in PAGES if _blocks(page)],
                         ids=lambda page: page.name)  # fmt: skip
def test_blocks_run(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """All blocks of a page as one program, on the CPU: the pages show what it prints there."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("KERNIX_TARGET", "cpu")
    monkeypatch.setenv("KERNIX_VERBOSE", "0")
    names: dict[str, object] = {"__name__": "__main__"}
    flags = doctest.ELLIPSIS | doctest.REPORT_NDIFF
    runner = doctest.DocTestRunner(optionflags=flags)
    printed: list[str] = []
    if page.name == "jax.md":
        jax = pytest.importorskip("jax")
        jax.config.update("jax_default_device", jax.devices("cpu")[0])
    if page.name == "numba.md":
        pytest.importorskip("numba.cuda")
        if not has_toolkit():
            pytest.skip("no CUDA toolkit (set CUDA_HOME)")
    for block in _blocks(page):
        if block.role == "file":
            (tmp_path / str(block.path)).write_text(block.text, encoding="utf-8")
        elif block.role == "part of" and block.language in QUOTED:
            # A page that quotes a source may load it by its name.
            shutil.copy(ROOT / str(block.path), tmp_path)
        elif block.language == "python":
            exec(compile("\n" * (block.line - 1) + block.text, str(page), "exec"), names)
        elif block.language in ("cpp", "cuda"):
            kernix.load_cuda_inline(f"{page.stem}_{block.line}", "#include <kernix/kernix.h>\n" + block.text)
        elif block.language == "sh":
            _run_commands(block, tmp_path, f"{page.name}:{block.line}")
        elif block.language == "pycon":
            found = doctest.DocTestParser().get_doctest(block.text, names, page.name, str(page), block.line - 1)
            runner.run(found, out=printed.append, clear_globs=False)
            names.update(found.globs)
            if runner.failures:
                break  # what follows would fail for want of it
    assert runner.summarize(verbose=False).failed == 0, "".join(printed)


def test_helper_needs_no_torch() -> None:
    """The examples run on the CPU where PyTorch is not installed."""
    requirements = (EXAMPLES / "requirements.txt").read_text()
    assert "torch" not in requirements
    for script in SCRIPTS:
        assert not re.search(r"^\s*(?:import|from) torch", (EXAMPLES / script / f"{script}.py").read_text(), re.MULTILINE)
