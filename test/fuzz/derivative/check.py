"""Builds random kernels and compares their gradients with differences, thread by thread.

    python test/fuzz/derivative/check.py --first 0 --count 1000 [--kind shared] [--batch 40] [--opt-level 3] [--flag=-g]

Prints wrong gradients and crashes with their seeds, and at the end how many programs were right, refused (by message)
or could not be judged.
"""

import argparse
import collections
import re
import sys
import tempfile
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import check_narrow
import generate
import numpy as np

import kernix

THREADS = {"plain": 24, "shared": 2 * generate.SIZE, "narrow": 24}
_ERROR = re.compile(r"\.cu:(\d+):\d+: error: (.*)")
_NAMED = re.compile(r"cannot differentiate '[df](\d+)'")


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


def build(
    seeds: Iterable[int], kind: str, folder: Path, opt_level: int, flags: Sequence[str], report: Report
) -> tuple[Any, list[int]]:
    """A module of the programs that compile. The others are reported; a crash is narrowed down by halving."""
    left = list(seeds)
    while left:
        text, starts = generate.HEADER, {}
        for seed in left:
            starts[seed] = text.count("\n") + 1
            text += generate.make(seed, kind).source()
        path = folder / f"{kind}_{left[0]}_{len(left)}_{opt_level}.cu"
        path.write_text(text)
        try:
            return kernix.load(path, target="cpu", opt_level=opt_level, extra_cflags=flags), left
        except kernix.CompileError as error:
            refused = _by_seed(error.output, starts)
            crashed = "PLEASE submit a bug report" in error.output or not refused
            if not crashed:
                report.crashed += [seed for seed, message in refused.items() if "internal error" in message]
                report.refused.update({k: text for k, text in refused.items() if "internal error" not in text})
                left = [seed for seed in left if seed not in refused]
            elif len(left) == 1:
                report.crashed += left
                return None, []
            else:
                half = len(left) // 2
                one, good = build(left[:half], kind, folder, opt_level, flags, report)
                two, also_good = build(left[half:], kind, folder, opt_level, flags, report)
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


def inputs(seed: int, threads: int, *, updates: bool) -> dict[str, Any]:
    random = np.random.default_rng(seed)
    made = {
        "x": random.uniform(-1.5, 1.5, (threads, generate.INPUTS)),
        "w": random.uniform(-1, 1, generate.WEIGHTS),
        "k": random.integers(0, 7, (threads, generate.INTEGERS), "int32"),
    }
    if updates:
        made["z"] = random.uniform(-1, 1, (threads, generate.UPDATED))
    return made


class Program:
    """One program with its inputs. y is written, z updated, s added to by all threads; z and s are not always there."""

    def __init__(self, module: Any, seed: int, kind: str) -> None:
        self.twin, self.function = module[f"t{seed}"], module[f"f{seed}"]
        source = generate.make(seed, kind)
        self.threads = THREADS[kind]
        self.adds, self.updates = source.adds, source.updates
        self.made = inputs(seed, self.threads, updates=self.updates)
        self.is_apart = kind == "plain"  # threads have nothing in common
        self.launch = {"n": self.threads, "grid": -(-self.threads // 32), "block": 32}
        self.inputs = ["x", "w"] + ["z"] * self.updates
        self.outputs = ["y"] + ["z"] * self.updates + ["s"] * self.adds

    def empty(self, name: str) -> Any:
        return np.zeros(generate.ADDED) if name == "s" else np.zeros((self.threads, generate.OUTPUTS))

    def primal(self, step: float, direction: dict[str, Any]) -> tuple[dict[str, Any], Any]:
        """Outputs, and each thread's hash of its decisions."""
        moved = {name: self.made[name] + step * direction[name] for name in self.inputs}
        results = {name: moved["z"] if name == "z" else self.empty(name) for name in self.outputs}
        path = np.zeros(self.threads, "uint64")
        self.twin(**{**moved, **results}, k=self.made["k"], h=path, **self.launch)
        return results, path

    def forward(self, direction: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
        """Values and tangents."""
        arguments: dict[str, Any] = {"x": (self.made["x"], direction["x"]), "w": (self.made["w"], direction["w"])}
        for name in self.outputs:
            if name == "z":
                arguments["z"] = (self.made["z"].copy(), direction["z"].copy())
            else:
                arguments[name] = (self.empty(name), self.empty(name))
        result = self.function.fwd(**arguments, k=self.made["k"], **self.launch)
        pairs = {name: getattr(result, name) for name in self.outputs}
        return {k: np.asarray(v[0]) for k, v in pairs.items()}, {k: np.asarray(v[1]) for k, v in pairs.items()}

    def backward(self, cotangent: dict[str, Any]) -> dict[str, Any]:
        arguments: dict[str, Any] = {"x": self.made["x"], "w": self.made["w"]}
        # What an atomic addition updates enters with a value, too.
        for name in self.outputs:
            value = self.made["z"] if name == "z" else self.empty(name) if name == "s" else None
            arguments[name] = (value, cotangent[name].copy())
        result = self.function.bwd(**arguments, k=self.made["k"], **self.launch)
        return {name: np.asarray(getattr(result, name)) for name in self.inputs}


def check(module: Any, seed: int, kind: str, report: Report) -> None:
    if kind == "narrow":
        return _add(report, seed, *check_narrow.check(module, seed, inputs(seed, THREADS[kind], updates=False)))
    program = Program(module, seed, kind)
    random = np.random.default_rng(seed + 1)
    cotangent = {name: random.uniform(-1, 1, np.shape(program.primal(0, _nothing(program))[0][name])) for name in program.outputs}
    gradient = program.backward(cotangent)
    problems: list[str] = []
    judged = 0
    for which in program.inputs:
        direction = _nothing(program)
        direction[which] = random.uniform(-1, 1, program.made[which].shape)
        value, tangent = program.forward(direction)
        difference, clear = _differences(program, direction)
        plain, _ = program.primal(0.0, direction)
        for name in program.outputs:
            if not np.allclose(plain[name], value[name], rtol=1e-9, atol=1e-9, equal_nan=True):
                problems.append(f"forward mode computes other values of {name}")
            off = np.abs(tangent[name] - difference[name]) / (1 + np.abs(difference[name]))
            bad = clear[name] & ~(off < 1e-5)
            if bad.any():
                at = tuple(int(place) for place in np.argwhere(bad)[0])
                problems.append(
                    f"d {name}{list(at)} along {which}: forward {tangent[name][at]:.9g}, difference "
                    f"{difference[name][at]:.9g}, {int(bad.sum())} of {int(clear[name].sum())} numbers"
                )
        judged += int(clear["y"].all(1).sum())
        problems += _adjoint(program, which, gradient, direction, cotangent, tangent)
    return _add(report, seed, problems, judged)


def _add(report: Report, seed: int, problems: list[str], judged: int) -> None:
    report.threads += judged
    if problems:
        report.wrong[seed] = "; ".join(problems)
    elif judged:
        report.right.append(seed)
    else:
        report.unclear.append(seed)


def _nothing(program: Program) -> dict[str, Any]:
    return {name: np.zeros_like(program.made[name]) for name in program.inputs}


def _adjoint(program: Program, which: str, gradient: Any, direction: Any, cotangent: Any, tangent: Any) -> list[str]:
    """Reverse against forward: by thread where threads have nothing in common, else over all."""
    terms = {name: cotangent[name] * tangent[name] for name in program.outputs}
    reverse_terms = gradient[which] * direction[which]
    if which != "w" and not program.adds and program.is_apart:
        forward = sum(term.sum(1) for term in terms.values())
        size = sum(np.abs(term).sum(1) for term in terms.values()) + np.abs(reverse_terms).sum(1)
        reverse = reverse_terms.sum(1)
    else:
        forward = np.array([sum(term.sum() for term in terms.values())])
        size = np.array([sum(np.abs(term).sum() for term in terms.values()) + np.abs(reverse_terms).sum()])
        reverse = np.array([reverse_terms.sum()])
    known = np.isfinite(forward) & (size < 1e8)
    bad = known & ~(np.abs(reverse - forward) <= 1e-9 * size + 1e-12)
    if not bad.any():
        return []
    at = int(np.argwhere(bad)[0][0])
    return [f"gradient of {which}: reverse {reverse[at]:.9g}, forward {forward[at]:.9g}, {int(bad.sum())} of {known.sum()}"]


def _differences(program: Program, direction: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Fourth-order differences, and where they can be trusted: one path at all points, and agreement of two steps."""
    step = 3e-4
    at = {k: program.primal(k * step, direction) for k in (-2, -1, 0, 1, 2)}
    same_path = np.all([at[k][1] == at[0][1] for k in at], axis=0)
    if not program.is_apart:
        same_path = np.repeat(same_path.reshape(-1, generate.SIZE).all(1), generate.SIZE)
    differences, clear = {}, {}
    for name in program.outputs:
        value = {k: at[k][0][name] for k in at}
        narrow = (value[1] - value[-1]) / (2 * step)
        wide = (value[2] - value[-2]) / (4 * step)
        with np.errstate(all="ignore"):
            differences[name] = (4 * narrow - wide) / 3
            smooth = np.abs(narrow - wide) < 1e-4 * (1 + np.abs(differences[name]))
            bounded = np.abs(value[0]) < 1e4
        clear[name] = (same_path.all() if name == "s" else same_path[:, None]) & smooth & bounded
    return differences, clear


def run(
    first: int, count: int, batch: int, opt_levels: Iterable[int], flags: Sequence[str] = (), kind: str = "plain"
) -> Report:
    report = Report()
    levels = list(opt_levels)
    with tempfile.TemporaryDirectory() as folder:
        for number, start in enumerate(range(first, first + count, batch)):
            seeds = range(start, min(start + batch, first + count))
            module, good = build(seeds, kind, Path(folder), levels[number % len(levels)], flags, report)
            for seed in good:
                check(module, seed, kind, report)
    return report


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--kind", choices=[*generate.KINDS], default="plain")
    parser.add_argument("--batch", type=int, default=40)
    parser.add_argument("--opt-level", type=int, action="append")
    parser.add_argument("--flag", action="append", default=[], help="of the compiler, as --flag=-g")
    parser.add_argument("--refused", action="store_true", help="name the seeds that are refused")
    parser.add_argument("--print", action="store_true", help="print the programs and do nothing")
    options = parser.parse_args()
    if options.print:
        print(generate.HEADER + "\n".join(generate.make(options.first + k, options.kind).source() for k in range(options.count)))
        return 0
    report = Report()
    levels = options.opt_level or [3]
    for number, start in enumerate(range(options.first, options.first + options.count, options.batch)):
        last = min(options.batch, options.first + options.count - start)
        part = run(start, last, options.batch, [levels[number % len(levels)]], options.flag, options.kind)
        report.add(part)
        if part.wrong or part.crashed:
            print(part, flush=True)
    if options.refused:
        print("\n".join(f"refused {seed}: {reason}" for seed, reason in report.refused.items()))
    print(report)
    return 1 if report.wrong or report.crashed else 0


if __name__ == "__main__":
    sys.exit(main())
