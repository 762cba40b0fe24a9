#!/usr/bin/env python3
"""What kernix costs at compile time: the plugin and the public header, as ratios of two compilations side by side.

Two readings per case: CPU time (user and system, by hyperfine, the two commands in turns) and instructions executed (by
valgrind's cachegrind, child processes included), which do not change from run to run. The budgets are checked against the
instructions where valgrind is there, else against the time.

Compares only; what a budget is for is said in ../README.md.
"""

import argparse
import functools
import json
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
from dataclasses import dataclass

HERE = os.path.dirname(os.path.abspath(__file__))
SOURCES = os.path.join(HERE, "sources")


@dataclass(frozen=True)
class Tools:
    """Where things are."""

    clang: str
    resource_dir: str
    root: str  # of the built package
    cuda: str | None

    @staticmethod
    def find(root: str) -> "Tools":
        clang = shutil.which(os.environ.get("KERNIX_CLANG") or "clang++-22")
        if not clang:
            sys.exit("compile_cost.py: clang++-22 was not found; set $KERNIX_CLANG")
        resources = subprocess.run([clang, "-print-resource-dir"], capture_output=True, text=True, check=True)
        cuda = os.environ.get("CUDA_HOME") or "/usr/local/cuda"
        return Tools(clang, resources.stdout.strip(), root, cuda if os.path.isdir(cuda) else None)

    def plugin(self) -> list[str]:
        return [f"-fplugin={self.root}/lib/kernix.so"]

    def include(self) -> list[str]:
        return [f"-I{self.root}/include"]

    def host(self) -> list[str]:
        return [self.clang, "-std=c++20", "-O2"]

    def gpu(self) -> list[str]:
        """The flags of kernix-cuda.cfg without the plugin."""
        return [
            *(self.clang, "--no-offload-new-driver", "-std=c++20", "-fPIC", "-O3", f"--cuda-path={self.cuda}"),
            *("-Wno-unknown-cuda-version", "--cuda-gpu-arch=sm_90", f"-I{self.cuda}/include/cccl", "-x", "cuda"),
        ]

    def cpu_target(self, compiler_pass: str) -> list[str]:
        config = f"{self.root}/share/kernix/kernix-cpu-{compiler_pass}.cfg"
        return [
            *(self.clang, f"--config={config}", "-idirafter", f"{self.resource_dir}/include"),
            *("-fplugin-arg-kernix-unit=00", "-O3", "-march=native"),
        ]


@dataclass(frozen=True)
class Case:
    """A compilation with kernix against the same one without; commands lack `-c FILE -o OUTPUT`."""

    name: str
    with_kernix: list[str]
    without: list[str]
    source: str
    twin: str  # source of the compilation without kernix
    budget: float | None  # none: a part, counted in `sum_of` as well
    same_object: bool = False
    syntax_only: bool = False
    sum_of: str | None = None  # the case that is the sum of this one and others

    def commands(self, folder: str) -> tuple[list[str], list[str]]:
        def finish(command: list[str], source: str, output: str) -> list[str]:
            if self.syntax_only:
                return [*command, "-fsyntax-only", source]
            return [*command, "-c", source, "-o", output]

        return (
            finish(self.with_kernix, self.source, os.path.join(folder, "with.o")),
            finish(self.without, self.twin, os.path.join(folder, "without.o")),
        )


# -- sources ---------------------------------------------------------------------------------------------------------


def read(name: str) -> str:
    with open(os.path.join(SOURCES, name), encoding="utf-8") as file:
        return file.read()


def without_attributes(text: str) -> str:
    """The text without its [[kernix::...]]; strings in them may hold brackets, but none holds two in a row."""
    return re.sub(r"\[\[kernix::.*?\]\]", "", text, flags=re.DOTALL)


def repeated(text: str, name: str, count: int) -> str:
    """The text with what follows its includes written out `count` times, each time under another name."""
    head, include, body = text.partition("#include <kernix/kernix.h>\n")
    return head + include + "".join(body.replace(name, f"{name}_{i}") for i in range(count))


class Sources:
    """Writes sources into a folder; equal texts make equal names only if the caller says so."""

    def __init__(self, folder: str) -> None:
        self.folder = folder

    def write(self, place: str, name: str, text: str) -> str:
        # The same file name in another folder: names of files occur in objects.
        path = os.path.join(self.folder, place, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path

    def pair(self, name: str, text: str) -> tuple[str, str]:
        return self.write("with", name, text), self.write("without", name, without_attributes(text))


# -- cases -----------------------------------------------------------------------------------------------------------


def unbound_cases(tools: Tools) -> list[Case]:
    path = os.path.join(SOURCES, "unbound.cpp")
    cases = [Case("unbound C++", tools.host() + tools.plugin(), tools.host(), path, path, 1.02, same_object=True)]
    if tools.cuda:
        path = os.path.join(SOURCES, "unbound.cu")
        cases.append(Case("unbound CUDA", tools.gpu() + tools.plugin(), tools.gpu(), path, path, 1.02, same_object=True))
    return cases


def bound_cases(tools: Tools, sources: Sources) -> list[Case]:
    kernel = read("kernel.cu")
    files = {
        "1 kernel": ("kernel.cu", kernel),
        "20 kernels": ("kernels.cu", repeated(kernel, "scale_shift", 20)),
        "8 template instances": ("templates.cu", read("templates.cu")),
        "2 host functions": ("host_functions.cu", read("host_functions.cu")),
    }
    cases = []
    for title, (name, text) in files.items():
        source, twin = sources.pair(name, text)
        if title == "8 template instances":
            # The twin instantiates what the attribute does.
            twin = sources.write("without", name, without_attributes(text) + explicit_instantiations())
        if tools.cuda:
            plain = tools.gpu() + tools.include()
            cases.append(
                Case(f"bound CUDA, {title}", plain + tools.plugin(), [*plain, "-DKERNIX_NO_PLUGIN"], source, twin, 1.15)
            )
        for which in ("host", "device"):
            # The plugin's passes make the CPU target what it is, so that they run on both sides.
            command = tools.cpu_target(which)
            name = f"bound CPU, {title}"
            cases.append(Case(f"{name}: {which} pass", command, command, source, twin, None, sum_of=name))
    return cases


def explicit_instantiations() -> str:
    lines = []
    for kind in ("float", "double", "int", "long"):
        view = f"kernix::TensorView<{kind}>"
        lines.append(f"template __global__ void row_sums<{kind}>(const kernix::TensorView<const {kind}>, {view}, {view});")
        lines.append(f"template __global__ void blend<{kind}>(const {kind} *, const {kind} *, {kind} *, {kind}, long);")
    return "\n".join(lines) + "\n"


def header_cases(tools: Tools, sources: Sources) -> list[Case]:
    """The public header, with the plugin's part of it (module.h), but the plugin itself on both sides."""
    cases = []

    def add(name: str, command: list[str], base: str, suffix: str, budget: float | None = 1.10) -> None:
        source = sources.write("with", f"header{suffix}", base + "#include <kernix/kernix.h>\n")
        twin = sources.write("without", f"header{suffix}", base or "\n")
        cases.append(Case(f"header, {name}", command, command, source, twin, budget, syntax_only=True))

    if tools.cuda:
        command = tools.gpu() + tools.include() + tools.plugin()
        add("CUDA, against <cuda_runtime.h>", command, "#include <cuda_runtime.h>\n", ".cu")
    add("CPU target, against an empty file", [*tools.cpu_target("host"), "-Wno-unused-command-line-argument"], "", ".cpu.cu")
    command = tools.host() + tools.include() + tools.plugin()
    add("C++, against <vector>", command, "#include <vector>\n", ".cpp")
    # Nearly all of an empty C++ file is the start of clang.
    add("C++, against an empty file", command, "", ".empty.cpp", budget=None)
    return cases


# -- measuring -------------------------------------------------------------------------------------------------------


@dataclass
class Reading:
    """Of one case: pairs of what it takes with kernix and without."""

    seconds: list[tuple[float, float]]  # one pair per round, CPU time
    instructions: tuple[float, float] | None
    same_object: bool | None

    def __add__(self, other: "Reading") -> "Reading":
        def add(a: tuple[float, float], b: tuple[float, float]) -> tuple[float, float]:
            return a[0] + b[0], a[1] + b[1]

        seconds = [add(a, b) for a, b in zip(self.seconds, other.seconds, strict=True)]
        both = self.instructions and other.instructions and add(self.instructions, other.instructions)
        return Reading(seconds, both, None)

    def time_ratios(self) -> list[float]:
        return [kernix / plain for kernix, plain in self.seconds]

    def ratio(self) -> float | None:
        """What the budget is checked against."""
        if self.instructions:
            return self.instructions[0] / self.instructions[1]
        return statistics.median(self.time_ratios()) if self.seconds else None


def check_compiles(commands: tuple[list[str], list[str]]) -> None:
    for command in commands:
        result = subprocess.run(command, capture_output=True, text=True, check=False)
        if result.returncode or result.stderr:
            sys.exit(f"compile_cost.py: {' '.join(command)}\n{result.stderr}")


def measure_time(commands: tuple[list[str], list[str]], rounds: int) -> list[tuple[float, float]]:
    """hyperfine one run at a time, so that both sides meet the same noise."""
    pairs = []
    for number in range(rounds):
        order = commands if number % 2 == 0 else commands[::-1]
        with tempfile.NamedTemporaryFile(mode="r", suffix=".json", encoding="utf-8") as file:
            subprocess.run(
                ["hyperfine", "-N", "--runs", "1", "--style", "none", "--export-json", file.name]
                + [" ".join(command) for command in order],
                check=True,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
            )
            results = json.load(file)["results"]
        first, second = (result["user"] + result["system"] for result in results)
        pairs.append((first, second) if number % 2 == 0 else (second, first))
    return pairs


def count_instructions(command: list[str]) -> int:
    result = subprocess.run(
        ["valgrind", "--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null", "--trace-children=yes"]
        + command,
        capture_output=True,
        text=True,
        check=True,
    )
    counts = [int(number.replace(",", "")) for number in re.findall(r"I +refs: +([\d,]+)", result.stderr)]
    if not counts:
        sys.exit(f"compile_cost.py: valgrind counted nothing:\n{result.stderr}")
    return sum(counts)


def same_objects(commands: tuple[list[str], list[str]]) -> bool:
    contents = []
    for command in commands:
        # Both under one name: the driver's temporary names and the output's name may be in the object.
        with tempfile.TemporaryDirectory() as folder:
            output = os.path.join(folder, "object.o")
            subprocess.run([*command[:-1], output], check=True, capture_output=True)
            with open(output, "rb") as file:
                contents.append(file.read())
    return contents[0] == contents[1]


def measure(case: Case, rounds: int, instructions: bool) -> Reading:
    with tempfile.TemporaryDirectory() as folder:
        commands = case.commands(folder)
        check_compiles(commands)
        return Reading(
            measure_time(commands, rounds),
            (count_instructions(commands[0]), count_instructions(commands[1])) if instructions else None,
            same_objects(commands) if case.same_object else None,
        )


def report(name: str, budget: float | None, reading: Reading) -> bool:
    """Prints a row; says whether the budget is met."""
    cells = ["-"] * 3
    if reading.seconds:
        ratios = reading.time_ratios()
        quartiles = statistics.quantiles(ratios, n=4) if len(ratios) > 1 else ratios * 3
        cells[0] = f"{statistics.median(plain for _, plain in reading.seconds):.2f} s"
        cells[1] = f"{statistics.median(ratios):.3f} ({quartiles[0]:.3f} to {quartiles[2]:.3f})"
    if reading.instructions:
        cells[2] = f"{reading.instructions[0] / reading.instructions[1]:.3f}"
    ratio = reading.ratio()
    met = (ratio is None or budget is None or ratio <= budget) and reading.same_object is not False
    verdict = ("met" if met else "MISSED") if budget else ""
    verdict += {None: "", True: ", identical object", False: ", OBJECTS DIFFER"}[reading.same_object]
    print(f"| {name} | {' | '.join(cells)} | {f'{budget:.2f}' if budget else ''} | {verdict} |", flush=True)
    return met


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--root", default=os.path.join(HERE, "../../../build/kernix"), help="the built package")
    parser.add_argument("--rounds", type=int, default=11, help="timed runs of each side; 0: none")
    parser.add_argument("--no-instructions", action="store_true", help="do not run valgrind")
    parser.add_argument("--list", action="store_true", help="only show the cases")
    parser.add_argument("words", nargs="*", help="only cases whose name holds one of these")
    arguments = parser.parse_args()
    tools = Tools.find(os.path.realpath(arguments.root))
    if arguments.rounds and not shutil.which("hyperfine"):
        sys.exit("compile_cost.py: hyperfine was not found (apt-get install hyperfine), or use --rounds 0")
    instructions = not arguments.no_instructions and shutil.which("valgrind") is not None
    with tempfile.TemporaryDirectory() as folder:
        sources = Sources(folder)
        cases = unbound_cases(tools) + bound_cases(tools, sources) + header_cases(tools, sources)
        if arguments.words:
            cases = [case for case in cases if any(word in case.name for word in arguments.words)]
        if arguments.list:
            print("\n".join(case.name for case in cases))
            return 0
        print("| case | CPU time without | ratio of CPU time (quartiles) | of instructions | at most | |")
        print("|---|---|---|---|---|---|", flush=True)
        met = True
        parts: list[Reading] = []
        for case, following in zip(cases, [*cases[1:], None], strict=True):
            reading = measure(case, arguments.rounds, instructions)
            met &= report(case.name, case.budget, reading)
            if case.sum_of:
                parts.append(reading)
                if following is None or following.sum_of != case.sum_of:
                    met &= report(f"{case.sum_of}: both passes", 1.15, functools.reduce(Reading.__add__, parts))
                    parts = []
    return 0 if met else 1


if __name__ == "__main__":
    sys.exit(main())
