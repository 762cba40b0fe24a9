"""What cannot be differentiated is refused, at its place and in words that name it: never a crash, never a zero.

A line ``// refused: PATTERN`` in refusals/ asks for an error on the line below it.
"""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import kernix

FILES = sorted((Path(__file__).parent / "refusals").glob("*.cu"))
_outputs: dict[Path, str] = {}


def expectations() -> Iterator[object]:
    for file in FILES:
        function = ""
        lines = file.read_text().splitlines()
        for number, line in enumerate(lines, 1):
            if match := re.search(r"// refused: (.*)", line):
                name = function
                if lines[number].startswith(("PLAIN_KERNEL", "volatile")):
                    name = re.search(r"(\w+)\(", lines[number])[1]  # type: ignore[index]
                yield pytest.param(file, number + 1, match[1], id=f"{file.stem}-{name}")
            elif match := re.match(r"(?:PLAIN_KERNEL|__device__).* (\w+)\(", line):
                function = match[1]


def errors(file: Path) -> str:
    """What the compiler says about the file."""
    if file not in _outputs:
        with pytest.raises(kernix.CompileError) as caught:
            kernix.load(file, target="cpu", extra_cflags=["-ferror-limit=0"])
        _outputs[file] = caught.value.output
    return _outputs[file]


@pytest.mark.parametrize(("file", "line", "pattern"), list(expectations()))
def test_refused(file: Path, line: int, pattern: str) -> None:
    found = re.findall(rf"{re.escape(file.name)}:(\d+):\d+: error: (.*)", errors(file))
    assert any(int(at) == line and re.search(pattern, text) for at, text in found), "\n".join(
        f"line {at}: {text}" for at, text in found
    )


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_no_crash_and_no_error_elsewhere(file: Path) -> None:
    output = errors(file)
    assert "PLEASE submit a bug report" not in output
    places = re.findall(r"^(.*?):\d+:\d+: error:", output, re.MULTILINE)
    assert places
    assert {Path(place).name for place in places} == {file.name}
