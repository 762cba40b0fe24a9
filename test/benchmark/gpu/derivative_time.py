#!/usr/bin/env python3
"""Derivatives that kernix makes against kernels written by hand: time on the GPU, in turns, in one run.

For each workload the forward kernel and its backward kernel, of kernix and by hand. All are launched in the same way;
backward kernels add to given gradients. First both are compared, on small arrays, with a reference in float64; then they
are timed on large ones, where their results are compared with each other. Registers and local memory are those of the
backward kernels. --json writes the table, row by row, to a file as well.
"""

import argparse
import json
import os
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

import torch
import workloads
from timing import in_turns

import kernix

#: Largest difference of the two on large arrays, as a part of the largest value: sums come in another order.
APART = 2e-3


def build(files: Sequence[Path], jobs: int) -> dict[Path, Any]:
    """Modules by file, compiled side by side; an error stands for its module."""

    def one(file: Path) -> Any:
        try:
            return kernix.load(file)
        except kernix.KernelError as error:
            return error

    with ThreadPoolExecutor(jobs) as pool:
        return dict(zip(files, pool.map(one, files), strict=True))


def resources(functions: Sequence[Any]) -> dict[str, list[int]]:
    found = [each.resources(block_size=256) for each in functions]
    return {what: [each[what] for each in found] for what in ("registers", "local_bytes")}


def shown(found: dict[str, list[int]]) -> str:
    registers, local = ("+".join(map(str, found[what])) for what in ("registers", "local_bytes"))
    return f"{registers}, {local}"


def difference(one: Sequence[torch.Tensor], other: Sequence[torch.Tensor]) -> float:
    return max(float((a - b).abs().max() / b.abs().max().clamp_min(1e-30)) for a, b in zip(one, other, strict=True))


def times(case: workloads.Case, rounds: int) -> dict[str, Any]:
    gradients = [[torch.zeros_like(x) for x in case.inputs] for _ in range(2)]
    case.backward(*gradients[0])
    case.backward_by_hand(*gradients[1])
    row: dict[str, Any] = {"apart": difference(*gradients)}
    pairs = {"backward": (partial(case.backward, *gradients[0]), partial(case.backward_by_hand, *gradients[1]))}
    if case.forward_by_hand:
        pairs["forward"] = (case.forward, case.forward_by_hand)
    for what, (ours, theirs) in pairs.items():
        mine, by_hand, quartiles = in_turns(ours, theirs, rounds)
        row[what] = {"ms": mine, "by_hand_ms": by_hand, "ratio": mine / by_hand, "quartiles": quartiles}
    return row


def measure(name: str, modules: dict[Path, Any], rounds: int) -> list[dict[str, Any]]:
    workload = import_module(f"workloads.{name}")
    of = [modules[file] for file in workload.FILES]
    for module in of:
        if isinstance(module, kernix.KernelError):
            raise module
    torch.manual_seed(0)
    small = [workloads.errors(case) for case in workload.cases("cuda", True, *of)]
    rows = []
    for case, (ours, theirs) in zip(workload.cases("cuda", False, *of), small, strict=True):
        row: dict[str, Any] = {"kernel": case.title, "goal": case.goal, "tolerance": case.tolerance, "note": case.note}
        row["errors"] = {"forward": ours.forward, "backward": ours.backward}
        row["errors_by_hand"] = {"forward": theirs.forward, "backward": theirs.backward}
        row |= times(case, rounds)
        functions = {each: getattr(module, each) for module in of for each in dir(module)}
        row["resources"] = resources([functions[case.name].bwd])
        row["resources_by_hand"] = resources([functions[each] for each in case.twins])
        worst = max(ours.forward, ours.backward, theirs.forward, theirs.backward)
        row["right"] = worst <= case.tolerance and row["apart"] <= APART
        rows.append(row)
    return rows


HEAD = (
    f"{'kernel':18} {'forward':>9} {'ratio':>6} {'backward':>9} {'ratio':>6} {'quartiles':>12} {'goal':>5}"
    f"  {'registers, local bytes':24} {'by hand':18} {'error':>8} {'by hand':>8}"
)


def line(row: dict[str, Any]) -> str:
    forward, backward = row.get("forward"), row["backward"]
    before = f"{forward['ms']:6.3f} ms {forward['ratio']:5.2f}x" if forward else f"{'':9} {'':6}"
    ours, theirs = (max(row[which].values()) for which in ("errors", "errors_by_hand"))
    low, high = backward["quartiles"]
    return (
        f"{row['kernel']:18} {before} {backward['ms']:6.3f} ms {backward['ratio']:5.2f}x {f'{low:.2f} to {high:.2f}':>12}"
        f" {row['goal']:5.1f}  {shown(row['resources']):24} {shown(row['resources_by_hand']):18} {ours:8.1e} {theirs:8.1e}"
        f"{'' if backward['ratio'] <= row['goal'] else '  missed'}{'' if row['right'] else '  WRONG'}"
        f"{f'  ({note})' if (note := row['note']) else ''}"
    )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("workloads", nargs="*", metavar="WORKLOAD", help=f"of {', '.join(workloads.NAMES)}; all by default")
    parser.add_argument("--rounds", type=int, default=50)
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="compilers side by side")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    names = options.workloads or workloads.NAMES
    if unknown := set(names) - set(workloads.NAMES):
        parser.error(f"there is no workload {', '.join(sorted(unknown))}")
    files = {file: None for name in names for file in import_module(f"workloads.{name}").FILES}
    modules = build(list(files), options.jobs)
    rows: list[dict[str, Any]] = []
    print(HEAD)
    failed = False
    for name in names:
        try:
            found = measure(name, modules, options.rounds)
        except (kernix.KernelError, RuntimeError) as error:
            print(f"{name}: {error}")
            found, failed = [{"kernel": name, "failed": str(error)}], True
        else:
            print("\n".join(map(line, found)), flush=True)
            failed |= not all(row["right"] for row in found)
        rows += found
        torch.cuda.empty_cache()
        if options.json:
            options.json.write_text(json.dumps({"device": torch.cuda.get_device_name(), "rows": rows}, indent=1) + "\n")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
