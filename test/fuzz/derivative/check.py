"""Builds random kernels and compares their gradients with differences, thread by thread.

    python test/fuzz/derivative/check.py --first 0 --count 1000 [--batch 40] [--opt-level 3]

Prints wrong gradients and crashes with their seeds, and at the end how many programs were right, refused (by message)
or could not be judged.
"""

import argparse
import collections
import re
import sys
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import generate
import numpy as np

import kernix

THREADS = 24
_ERROR = re.compile(r"\.cu:(\d+):\d+: error: (.*)")
_NAMED = re.compile(r"cannot differentiate 'f(\d+)'")


@dataclass
class Report:
    """What became of the programs."""

    right: list[int] = field(default_factory=list)
    wrong: dict[int, str] = field(default_factory=dict)
    crashed: list[int] = field(default_factory=list)
    refused: dict[int, str] = field(default_factory=dict)
    unclear: list[int] = field(default_factory=list)  # no thread could be judged
    threads: int = 0

    def add(self, other: "Report") -> None:
        self.right += other.right
        self.wrong.update(other.wrong)
        self.crashed += other.crashed
        self.refused.update(other.refused)
        self.unclear += other.unclear
        self.threads += other.threads

    def __str__(self) -> str:
        total = len(self.right) + len(self.wrong) + len(self.crashed) + len(self.refused) + len(self.unclear)
        lines = [
            f"{total} programs: {len(self.right)} right ({self.threads} points), {len(self.wrong)} wrong, "
            f"{len(self.crashed)} crashed, {len(self.refused)} refused, {len(self.unclear)} not judged"
        ]
        reasons = collections.Counter(re.sub(r"'[^']*'", "'...'", reason) for reason in self.refused.values())
        lines += [f"  refused {count}: {reason}" for reason, count in reasons.most_common()]
        lines += [f"  WRONG {seed}: {text}" for seed, text in self.wrong.items()]
        lines += [f"  CRASH {seed}" for seed in self.crashed]
        return "\n".join(lines)


def build(seeds: Iterable[int], folder: Path, opt_level: int, report: Report) -> tuple[Any, list[int]]:
    """A module of the programs that compile. The others are reported; a crash is narrowed down by halving."""
    left = list(seeds)
    while left:
        text, starts = generate.HEADER, {}
        for seed in left:
            starts[seed] = text.count("\n") + 1
            text += generate.program(seed)
        path = folder / f"programs_{left[0]}_{len(left)}_{opt_level}.cu"
        path.write_text(text)
        try:
            return kernix.load(path, target="cpu", opt_level=opt_level), left
        except kernix.CompileError as error:
            refused = _by_seed(error.output, starts)
            crashed = "PLEASE submit a bug report" in error.output or not refused
            if not crashed:
                report.refused.update(refused)
                left = [seed for seed in left if seed not in refused]
            elif len(left) == 1:
                report.crashed += left
                return None, []
            else:
                half = len(left) // 2
                one, good = build(left[:half], folder, opt_level, report)
                two, also_good = build(left[half:], folder, opt_level, report)
                return _Both(one, two), good + also_good
    return None, []


class _Both:
    """Two modules as one."""

    def __init__(self, one: Any, two: Any) -> None:
        self.modules = [module for module in (one, two) if module is not None]

    def __getitem__(self, name: str) -> Any:
        for module in self.modules:
            try:
                return module[name]
            except KeyError:
                continue
        raise KeyError(name)


def _by_seed(output: str, starts: dict[int, int]) -> dict[int, str]:
    refused: dict[int, str] = {}
    for line, message in _ERROR.findall(output):
        # The place may be in a helper of all programs; the message then names the program.
        named = _NAMED.match(message)
        owners = [int(named[1])] if named else [seed for seed, start in starts.items() if start < int(line)]
        if owners:
            refused.setdefault(owners[-1], message)
    return refused


def inputs(seed: int) -> dict[str, Any]:
    random = np.random.default_rng(seed)
    return {
        "x": random.uniform(-1.5, 1.5, (THREADS, generate.INPUTS)),
        "w": random.uniform(-1, 1, generate.WEIGHTS),
        "k": random.integers(0, 7, (THREADS, generate.INTEGERS), "int32"),
    }


def check(module: Any, seed: int, report: Report) -> None:
    made = inputs(seed)
    random = np.random.default_rng(seed + 1)
    launch = {"n": THREADS, "grid": 1, "block": 32}
    twin, function = module[f"t{seed}"], module[f"f{seed}"]

    def primal(step: float, direction: dict[str, Any]) -> tuple[Any, Any]:
        y, h = np.zeros((THREADS, generate.OUTPUTS)), np.zeros(THREADS, "uint64")
        twin(x=made["x"] + step * direction["x"], w=made["w"] + step * direction["w"], k=made["k"], y=y, h=h, **launch)
        return y, h

    cotangent = random.uniform(-1, 1, (THREADS, generate.OUTPUTS))
    gradient = function.bwd(x=made["x"], w=made["w"], k=made["k"], y=(None, cotangent), **launch)
    problems: list[str] = []
    judged = 0
    for which in ("x", "w"):
        direction = {name: np.zeros_like(made[name]) for name in ("x", "w")}
        direction[which] = random.uniform(-1, 1, made[which].shape)
        y, dy = np.zeros((THREADS, generate.OUTPUTS)), np.zeros((THREADS, generate.OUTPUTS))
        result = function.fwd(
            x=(made["x"], direction["x"]), w=(made["w"], direction["w"]), k=made["k"], y=(y, dy), **launch
        )
        tangent = np.asarray(result.y[1])
        difference, clear = _differences(primal, direction)
        plain, _ = primal(0.0, direction)
        if not np.allclose(plain, y, rtol=1e-9, atol=1e-9, equal_nan=True):
            problems.append("forward mode computes other values")
        scale = 1 + np.abs(difference)
        off = np.abs(tangent - difference) / scale
        bad = clear & ~(off < 1e-5)
        if bad.any():
            at = tuple(int(place) for place in np.argwhere(bad)[0])
            problems.append(
                f"d y{list(at)} along {which}: forward {tangent[at]:.9g}, difference {difference[at]:.9g}, "
                f"{int(bad.any(1).sum())} of {int(clear.any(1).sum())} threads"
            )
        judged += int(clear.all(1).sum())
        problems += _adjoint(which, gradient, direction, cotangent, tangent)
    report.threads += judged
    if problems:
        report.wrong[seed] = "; ".join(problems)
    elif judged:
        report.right.append(seed)
    else:
        report.unclear.append(seed)


def _adjoint(which: str, gradient: Any, direction: Any, cotangent: Any, tangent: Any) -> list[str]:
    """Reverse against forward: for x by thread, for w over all."""
    forward = (cotangent * tangent).sum(1)
    size = np.abs(cotangent * tangent).sum(1)
    reverse_terms = np.asarray(getattr(gradient, which)) * direction[which]
    if which == "x":
        reverse = reverse_terms.sum(1)
        size = size + np.abs(reverse_terms).sum(1)
    else:
        forward, size = np.array([forward.sum()]), np.array([size.sum() + np.abs(reverse_terms).sum()])
        reverse = np.array([reverse_terms.sum()])
    known = np.isfinite(forward) & (size < 1e8)
    bad = known & ~(np.abs(reverse - forward) <= 1e-9 * size + 1e-12)
    if not bad.any():
        return []
    at = int(np.argwhere(bad)[0][0])
    return [f"gradient of {which}: reverse {reverse[at]:.9g}, forward {forward[at]:.9g}, {int(bad.sum())} of {known.sum()}"]


def _differences(primal: Any, direction: dict[str, Any]) -> tuple[Any, Any]:
    """Fourth-order differences, and where they can be trusted: one path at all points, and agreement of two steps."""
    step = 3e-4
    at = {k: primal(k * step, direction) for k in (-2, -1, 0, 1, 2)}
    narrow = (at[1][0] - at[-1][0]) / (2 * step)
    wide = (at[2][0] - at[-2][0]) / (4 * step)
    same_path = np.all([at[k][1] == at[0][1] for k in at], axis=0)
    with np.errstate(all="ignore"):
        difference = (4 * narrow - wide) / 3
        smooth = np.abs(narrow - wide) < 1e-4 * (1 + np.abs(difference))
        bounded = np.abs(at[0][0]) < 1e4
    return difference, same_path[:, None] & smooth & bounded


def run(first: int, count: int, batch: int, opt_levels: Iterable[int]) -> Report:
    report = Report()
    levels = list(opt_levels)
    with tempfile.TemporaryDirectory() as folder:
        for number, start in enumerate(range(first, first + count, batch)):
            seeds = range(start, min(start + batch, first + count))
            module, good = build(seeds, Path(folder), levels[number % len(levels)], report)
            for seed in good:
                check(module, seed, report)
    return report


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--batch", type=int, default=40)
    parser.add_argument("--opt-level", type=int, action="append")
    parser.add_argument("--print", action="store_true", help="print the programs and do nothing")
    options = parser.parse_args()
    if options.print:
        print(generate.HEADER + "\n".join(generate.program(options.first + k) for k in range(options.count)))
        return 0
    report = Report()
    for start in range(options.first, options.first + options.count, options.batch):
        last = min(options.batch, options.first + options.count - start)
        part = run(start, last, options.batch, options.opt_level or [3])
        report.add(part)
        if part.wrong or part.crashed:
            print(part, flush=True)
    print(report)
    return 1 if report.wrong or report.crashed else 0


if __name__ == "__main__":
    sys.exit(main())
