"""The bank's kernels and how to call them, read from the sources: every lane runs them from here.

Above each kernel stand one or more comment lines ``// bank: FIELD | FIELD | ...``. A field is one of

    NAME in [SIZES] LOW:HIGH          tensor of T, uniform; `nodiff` at the end: no gradient
    NAME inout [SIZES] LOW:HIGH       read and written, also where it is read back only; without a range it starts at zero
    NAME out [SIZES]                  written only
    NAME in i32 [SIZES] LOW:HIGH      other element types: f16, bf16, f32, f64, i32 (HIGH excluded)
    NAME in perm [SIZE]               a permutation, int32
    NAME in rowptr [SIZE]             non-decreasing from 0 to `n`, int32
    NAME same OTHER                   the same tensor again
    NAME real LOW:HIGH                scalar of T with a gradient
    NAME const LOW:HIGH               scalar of T without one
    NAME struct {JSON}                struct without a gradient; `realstruct`: with one
    NAME = EXPRESSION                 integer argument, if the kernel has such a parameter; usable in sizes
    @threads EXPRESSION               threads along x (default: n), in blocks of 32
    @block X,Y  @grid X,Y             launch sizes as they are
    @shared N                         bytes of dynamic shared memory
    @strided NAMES                    tensors to hand over with strides that are not contiguous
    @types T ...                      precisions it exists in (default: f32 f64); not a template then
    @tol R  @float_tol R              relative tolerances against differences, and of float against double
"""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

FOLDER = Path(__file__).parent / "kernels"
_FIELD = re.compile(r"\s*// bank: (.*)")
_KERNEL = re.compile(r"\s*(PLAIN_|ONCE_)?KERNEL void (\w+)(?: \[\[.*\]\] )?\(")
_DTYPES = {"f32": "float32", "f64": "float64", "f16": "float16", "i32": "int32", "perm": "int32", "rowptr": "int32"}


@dataclass
class Argument:
    """One parameter of a kernel. `kind`: in, inout, out, real, const, struct, realstruct, integer, same."""

    name: str
    kind: str
    type: str = "T"
    sizes: tuple[int, ...] = ()
    low: float = 0.0
    high: float = 0.0
    value: Any = None
    differentiable: bool = True
    strided: bool = False

    @property
    def is_tensor(self) -> bool:
        return self.kind in ("in", "inout", "out")

    @property
    def is_float(self) -> bool:
        return self.type in ("T", "f16", "bf16", "f32", "f64")

    @property
    def has_gradient(self) -> bool:
        tensor = self.is_tensor and self.is_float and self.differentiable
        return tensor or self.kind in ("real", "realstruct")

    def dtype(self, precision: str) -> Any:
        name = precision if self.type == "T" else self.type
        if name == "bf16":
            import ml_dtypes

            return np.dtype(ml_dtypes.bfloat16)
        return np.dtype(_DTYPES[name])


@dataclass
class Kernel:
    """One kernel of the bank."""

    name: str
    file: Path
    line: int
    is_template: bool
    has_second: bool  # a second derivative
    arguments: dict[str, Argument] = field(default_factory=dict)
    constants: dict[str, int] = field(default_factory=dict)
    launch: dict[str, Any] = field(default_factory=dict)
    types: tuple[str, ...] = ("f32", "f64")
    tolerance: float = 1e-6
    float_tolerance: float = 1e-3

    def gradients(self) -> list[str]:
        """Parameters that have a gradient or a cotangent."""
        return [name for name, argument in self.arguments.items() if argument.has_gradient]

    def inputs(self) -> list[str]:
        return [name for name in self.gradients() if self.arguments[name].kind != "out"]

    def outputs(self) -> list[str]:
        return [name for name in self.gradients() if self.arguments[name].kind in ("out", "inout")]

    def make(self, precision: str, seed: int) -> dict[str, Any]:
        """Arguments of one call: the same numbers in every precision."""
        random = np.random.default_rng([seed, *self.name.encode()])
        made: dict[str, Any] = {}
        for name, argument in self.arguments.items():
            made[name] = _make(self, argument, precision, random, made)
        return made


def _make(kernel: Kernel, argument: Argument, precision: str, random: Any, made: dict[str, Any]) -> Any:
    if argument.kind == "same":
        return made[argument.value]
    if argument.kind == "integer":
        return argument.value
    if argument.kind in ("struct", "realstruct"):
        return dict(argument.value)
    if argument.kind in ("real", "const"):
        return float(np.float32(random.uniform(argument.low, argument.high)))
    if argument.type == "perm":
        return random.permutation(argument.sizes[0]).astype("int32")
    if argument.type == "rowptr":
        inner = np.sort(random.integers(0, kernel.constants["n"] + 1, argument.sizes[0] - 2))
        return np.concatenate(([0], inner, [kernel.constants["n"]])).astype("int32")
    if argument.type == "i32":
        return random.integers(int(argument.low), max(int(argument.high), int(argument.low) + 1), argument.sizes, "int32")
    # Through float32, so that every precision starts from the same numbers.
    values = random.uniform(argument.low, argument.high, argument.sizes).astype("float32")
    return strided(values.astype(argument.dtype(precision)), argument)


def strided(values: Any, argument: Argument) -> Any:
    """A view with gaps and a swapped order of axes in memory, where the argument asks for one."""
    if not argument.strided:
        return values
    axes = values.ndim
    wide = np.zeros((*values.shape[:0:-1], values.shape[0] * 2), values.dtype)
    view = wide.transpose()[::2]
    assert view.shape == values.shape and axes > 1
    view[...] = values
    return view


def kernels(file: Path | None = None) -> Iterator[Kernel]:
    """All kernels, or those of one file, in order."""
    for path in [file] if file else sorted(FOLDER.glob("*.cu")):
        fields: list[str] = []
        for number, line in enumerate(path.read_text().splitlines(), 1):
            if match := _FIELD.fullmatch(line):
                fields += [part.strip() for part in match[1].split("|")]
            elif match := _KERNEL.match(line):
                yield _parse(Kernel(match[2], path, number, match[1] != "PLAIN_", match[1] is None), fields, line)
                fields = []


def _parse(kernel: Kernel, fields: list[str], line: str) -> Kernel:
    assert fields, f"{kernel.file}:{kernel.line}: {kernel.name} has no bank: line"
    for text in fields:
        if match := re.fullmatch(r"(\w+) = (.+)", text):
            kernel.constants[match[1]] = int(_evaluate(kernel, match[2]))
    strided_names: list[str] = []
    for text in fields:
        if text.startswith("@"):
            word, _, rest = text[1:].partition(" ")
            if word == "strided":
                strided_names = rest.split()
            else:
                _set_option(kernel, word, rest)
        elif not re.fullmatch(r"(\w+) = (.+)", text):
            argument = _parse_argument(kernel, text)
            kernel.arguments[argument.name] = argument
    for name in strided_names:
        kernel.arguments[name].strided = True
    for name, value in kernel.constants.items():
        if name in _parameter_names(kernel):
            kernel.arguments[name] = Argument(name, "integer", value=value)
    if not kernel.launch:
        _set_option(kernel, "threads", "n")
    return kernel


def _parameter_names(kernel: Kernel) -> list[str]:
    lines = kernel.file.read_text().splitlines()[kernel.line - 1 :]
    head = " ".join(lines[:4]).partition(") {")[0].partition("(")[2]
    return [re.sub(r".*\W", "", part.strip()) for part in head.split(",")]


def _set_option(kernel: Kernel, word: str, rest: str) -> None:
    if word == "threads":
        kernel.launch = {"block": (32,), "grid": (-(-_evaluate(kernel, rest) // 32),)}
    elif word in ("block", "grid"):
        kernel.launch[word] = tuple(int(part) for part in rest.split(","))
    elif word == "shared":
        kernel.launch["shared_bytes"] = int(rest)
    elif word == "types":
        kernel.types = tuple(rest.split())
    elif word == "tol":
        kernel.tolerance = float(rest)
    elif word == "float_tol":
        kernel.float_tolerance = float(rest)
    else:
        raise ValueError(f"{kernel.file}:{kernel.line}: unknown option @{word}")


def _parse_argument(kernel: Kernel, text: str) -> Argument:
    name, kind, rest = re.fullmatch(r"(\w+) (\w+)\s*(.*)", text).groups()  # type: ignore[union-attr]
    if kind == "same":
        return Argument(name, kind, value=rest)
    if kind in ("struct", "realstruct"):
        return Argument(name, kind, value=json.loads(rest))
    if kind in ("real", "const"):
        low, high = (float(part) for part in rest.split(":"))
        return Argument(name, kind, low=low, high=high)
    match = re.fullmatch(r"(\w+)?\s*\[(.*?)\]\s*(\S+:\S+)?\s*(nodiff)?", rest)
    if kind not in ("in", "out", "inout") or not match:
        raise ValueError(f"{kernel.file}:{kernel.line}: cannot read '{text}'")
    sizes = tuple(int(_evaluate(kernel, part)) for part in match[2].split(","))
    low, high = (float(part) for part in (match[3] or "0:0").split(":"))
    return Argument(name, kind, match[1] or "T", sizes, low, high, differentiable=not match[4])


def _evaluate(kernel: Kernel, expression: str) -> int:
    return int(eval(expression.replace("/", "//"), {"__builtins__": {}}, dict(kernel.constants)))
