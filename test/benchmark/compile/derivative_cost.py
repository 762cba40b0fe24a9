#!/usr/bin/env python3
"""What a derivative costs at compile time, against the same derivative written by hand in the same file.

Three texts are made of ../gpu/sources/derivatives.cu, which holds kernels and their backward kernels by hand: the kernels
alone, with those by hand, and with [[kernix::differentiable(backward)]] instead. The cost of a derivative is what a
compilation takes more than that of the kernels alone. Read are CPU time (fastest of the rounds, all in turns) and, where
valgrind is there, instructions executed.
"""

import argparse
import os
import re
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile

from compile_cost import HERE, Tools, check_compiles

SOURCE = os.path.join(HERE, "..", "gpu", "sources", "derivatives.cu")
BUDGET = 1.5


def texts() -> tuple[dict[str, str], int]:
    """The three texts, and how many derivatives there are."""
    with open(SOURCE, encoding="utf-8") as file:
        text = file.read()
    kernel = r"^\[\[kernix::bind[^\n]*\n__global__ void %s\(.*?^}\n"
    by_hand = re.compile(kernel % r"\w+_by_hand", re.M | re.S)
    text = re.sub(kernel % "kepler_implicit", "", text, flags=re.M | re.S)  # a second one for the same kernel
    derivative = re.compile(r"kernix::differentiable\(backward\), |\[\[kernix::(?:no_)?diff\]\] ")
    count = text.count("kernix::differentiable(backward)")
    assert len(by_hand.findall(text)) == count > 0
    return {
        "kernels": by_hand.sub("", derivative.sub("", text)),
        "by hand": derivative.sub("", text),
        "kernix": by_hand.sub("", text),
    }, count


def seconds(command: list[str]) -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, check=True, capture_output=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def instructions(command: list[str]) -> float:
    with tempfile.TemporaryDirectory() as folder:
        counting = ["valgrind", "--tool=cachegrind", "--cache-sim=no", "--trace-children=yes", f"--cachegrind-out-file={folder}/%p"]
        subprocess.run([*counting, *command], check=True, capture_output=True)
        total = 0.0
        for name in os.listdir(folder):
            with open(os.path.join(folder, name), encoding="utf-8", errors="replace") as file:
                total += sum(float(line.split()[1]) for line in file if line.startswith("summary:"))
        return total


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--root", required=True, help="the built package, build/kernix")
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--no-instructions", action="store_true")
    options = parser.parse_args()
    tools = Tools.find(os.path.abspath(options.root))
    kinds = {"CPU target, device pass": tools.cpu_target("device")}
    if tools.cuda:
        kinds["CUDA"] = [*tools.gpu(), *tools.include(), *tools.plugin()]
    missed = False
    sources, count = texts()
    with tempfile.TemporaryDirectory() as folder:
        for kind, compiler in kinds.items():
            commands = {}
            for name, text in sources.items():
                path = os.path.join(folder, name.replace(" ", "_"), "derivatives.cu")
                os.makedirs(os.path.dirname(path), exist_ok=True)
                with open(path, "w", encoding="utf-8") as file:
                    file.write(text)
                commands[name] = [*compiler, "-c", path, "-o", f"{path}.o"]
            check_compiles(tuple(commands.values()))
            rounds = [{name: seconds(command) for name, command in commands.items()} for _ in range(options.rounds)]
            best = {name: min(each[name] for each in rounds) for name in commands}
            readings = [("CPU time", best, "s")]
            if shutil.which("valgrind") and not options.no_instructions:
                readings.append(("instructions", {name: instructions(c) / 1e9 for name, c in commands.items()}, "G"))
            for what, reading, unit in readings:
                kernix, by_hand = (reading[name] - reading["kernels"] for name in ("kernix", "by hand"))
                ratio = kernix / by_hand
                whole = reading["kernix"] / reading["kernels"]
                print(
                    f"{kind}: {what}: {count} kernels {reading['kernels']:.2f} {unit}, a derivative {kernix / count:.3f} {unit}, "
                    f"by hand {by_hand / count:.3f} {unit}: {ratio:.2f}x (at most {BUDGET}); whole file {whole:.2f}x"
                )
            missed |= ratio > BUDGET  # of the last reading, the steadier one
            spread = statistics.quantiles([each["kernix"] for each in rounds], n=4) if len(rounds) > 1 else []
            print(f"  quartiles of the CPU time with kernix: {', '.join(f'{value:.2f}' for value in spread)} s")
    return int(missed)


if __name__ == "__main__":
    sys.exit(main())
