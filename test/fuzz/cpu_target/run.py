"""Builds and runs random kernels (generate.py) on the CPU target, each way that they can come to its passes.

    run.py ROOT [--seeds 1:20] [--kernels 10] [--ways O0,O3] [--jobs 2] [--output FOLDER]

ROOT is build/kernix. A program that fails, crashes or hangs is reported with its seed, and its files stay in FOLDER.
"""

import argparse
import os
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

sys.path.insert(0, os.path.dirname(__file__))
from generate import generate  # noqa: E402

# O0: kernels that wait run as fibers. Others: as users compile. ssa: the passes get code that an optimiser has already
# been over, as bodies made by other passes are; stack: the same with every value in memory; jumps: with switches
# lowered and jumps threaded, which makes many predecessors and phis.
WAYS = {
    "O0": (["-O0"], None),
    "O1": (["-O1"], None),
    "O3": (["-O3", "-march=native"], None),
    "O3g": (["-O3", "-g"], None),
    "ssa": (["-O3"], "function(sroa,early-cse,instcombine<no-verify-fixpoint>,simplifycfg,loop-mssa(loop-rotate,licm),gvn,simplifycfg)"),
    "stack": (["-O2"], "function(sroa,instcombine<no-verify-fixpoint>,simplifycfg,reg2mem)"),
    "jumps": (["-O2"], "function(sroa,early-cse,lower-switch,jump-threading,loop-simplify,loop-unroll,simplifycfg,gvn)"),
}


class Compiler:
    def __init__(self, root: str):
        self.root = root
        resources = subprocess.check_output(["clang++-22", "-print-resource-dir"], text=True).strip()
        self.headers = ["-idirafter", f"{resources}/include", "-w", "-ffp-contract=off"]

    def call(self, *command: str) -> None:
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace")
        if done.returncode != 0:
            raise RuntimeError(f"{' '.join(command)}\n{done.stdout[-3000:]}")

    def side(self, side: str, source: Path, unit: str, *options: str) -> None:
        self.call("clang++-22", f"--config={self.root}/share/kernix/kernix-cpu-{side}.cfg", *self.headers,
                  f"-fplugin-arg-kernix-unit={unit}", *options, str(source))

    def device(self, source: Path, unit: str, way: str, output: Path) -> None:
        options, passes = WAYS[way]
        if passes is None:
            self.side("device", source, unit, *options, "-c", "-o", str(output))
            return
        # A front end without the plugin, some passes, then the plugin's own and the usual ones.
        code, changed = output.with_suffix(".ll"), output.with_suffix(".bc")
        config = output.with_suffix(".cfg")
        share = f"{self.root}/share/kernix"
        lines = Path(f"{share}/kernix-cpu-device.cfg").read_text().replace("<CFGDIR>", share).splitlines()
        config.write_text("\n".join(line for line in lines if not line.startswith("-fplugin")))
        self.call("clang++-22", f"--config={config}", *self.headers, *options, "-Xclang", "-disable-llvm-passes",
                  "-S", "-emit-llvm", str(source), "-o", str(code))
        self.call("opt-22", f"-load-pass-plugin={self.root}/lib/kernix.so", str(code), "-o", str(changed),
                  f"-passes={passes},kernix-cpu-device<unit={unit}>,verify,default<O1>,"
                  "function(kernix-cpu-parallel,loop-vectorize),default<O2>")
        self.call("clang++-22", "-O2", "-fPIC", "-c", str(changed), "-o", str(output))


def check(compiler: Compiler, seed: int, kernels: int, ways: list[str], folder: Path) -> list[str]:
    source = folder / f"seed{seed}.cu"
    source.write_text(generate(seed, kernels))
    unit, made, problems = f"f{seed}", [source], []
    host = folder / f"seed{seed}.host.o"
    environment = dict(os.environ, KERNIX_NUM_THREADS="3")
    try:
        compiler.side("host", source, unit, "-O0", "-c", "-o", str(host))
    except RuntimeError as error:
        return [f"seed {seed}: {error}"]
    for way in ways:
        device, program = folder / f"seed{seed}.{way}.o", folder / f"seed{seed}.{way}"
        try:
            compiler.device(source, unit, way, device)
            compiler.call("clang++-22", str(host), str(device), f"-L{compiler.root}/lib", "-lkernix_runtime",
                          f"-Wl,-rpath,{compiler.root}/lib", "-o", str(program))
            done = subprocess.run([program], capture_output=True, text=True, timeout=120, env=environment)
            if done.returncode != 0:
                problems.append(f"seed {seed} {way}: exit {done.returncode}\n{done.stdout[-1500:]}{done.stderr[-500:]}")
        except subprocess.TimeoutExpired:
            problems.append(f"seed {seed} {way}: does not end")
        except RuntimeError as error:
            problems.append(f"seed {seed} {way}: {error}")
        made += [device, program, *(device.with_suffix(s) for s in (".ll", ".bc", ".cfg"))]
    if not problems:
        for file in [*made, host]:
            file.unlink(missing_ok=True)
    return problems


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("root")
    parser.add_argument("--seeds", default="1:6", help="first:last, last not included")
    parser.add_argument("--kernels", type=int, default=10)
    parser.add_argument("--ways", default=",".join(WAYS))
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--output")
    arguments = parser.parse_args()
    first, last = map(int, arguments.seeds.split(":"))
    folder = Path(arguments.output or tempfile.mkdtemp(prefix="kernix-fuzz-"))
    folder.mkdir(parents=True, exist_ok=True)
    compiler = Compiler(os.path.abspath(arguments.root))
    failed = 0
    with ThreadPoolExecutor(arguments.jobs) as pool:
        work = [pool.submit(check, compiler, seed, arguments.kernels, arguments.ways.split(","), folder)
                for seed in range(first, last)]
        for done in work:
            problems = done.result()
            failed += bool(problems)
            for problem in problems:
                print(problem, flush=True)
    count = last - first
    print(f"{count - failed} of {count} programs of {arguments.kernels} kernels right; files of the others in {folder}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
