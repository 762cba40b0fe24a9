"""Runs backward kernels of the bank with ThreadSanitizer: races between CUDA threads and blocks.

    python test/races/check.py            # a few kernels of each kind
    python test/races/check.py --all      # every kernel that has a backward derivative
    python test/races/check.py NAME ...   # these

Each CUDA thread is a thread of its own to ThreadSanitizer (docs/cpu_target.md). Sources are compiled with
-fsanitize=thread; kernels are called in a process that has ThreadSanitizer's runtime from its beginning.
"""

import argparse
import os
import subprocess
import sys
from pathlib import Path

FOLDER = Path(__file__).parent
sys.path.insert(0, str(FOLDER.parent / "bank"))
FLAGS = ["-fsanitize=thread", "-g"]
REPORT = "WARNING: ThreadSanitizer: data race"
# One of each way to add: by proof, by atomics, over a block, through shared memory, through a warp.
SELECTION = ("tensors.cu", "shared_tiles.cu", "shared_reductions.cu", "warps.cu")


def command(names: list[str]) -> list[str]:
    # ThreadSanitizer wants memory where it expects it.
    return ["setarch", "-R", sys.executable, str(Path(__file__)), "--run", *names]


def environment() -> dict[str, str]:
    library = subprocess.run(
        ["clang++-22", "-print-file-name=libclang_rt.tsan-x86_64.so"], capture_output=True, text=True, check=True
    ).stdout.strip()
    if not Path(library).exists():
        library = str(
            next(Path("/usr/lib/llvm-22/lib/clang").glob("*/lib/linux/libclang_rt.tsan-x86_64.so"), library)
        )
    return dict(os.environ, LD_PRELOAD=library, TSAN_OPTIONS="exitcode=0 report_signal_unsafe=0", KERNIX_VERBOSE="0")


def run(sources: list[str], kernels: list[str]) -> None:
    """In the process with ThreadSanitizer."""
    import bank
    import checks

    import kernix

    loaded = {}
    for kernel in bank.kernels():
        if (kernels and kernel.name not in kernels) or (sources and kernel.file.name not in sources):
            continue
        if "f32" not in kernel.types:
            continue
        if kernel.file not in loaded:
            loaded[kernel.file] = kernix.load(kernel.file, target="cpu", extra_cflags=FLAGS)
        print(f"== {kernel.name}", file=sys.stderr, flush=True)
        operation = checks.Operation(loaded[kernel.file][kernel.name], kernel, "f32")
        made = operation.make(0)
        operation.backward(made, operation.random_like(made, kernel.outputs(), 1))


def races(output: str) -> dict[str, str]:
    """The first report about each kernel that has one."""
    found: dict[str, str] = {}
    for part in output.split("== ")[1:]:
        name, _, rest = part.partition("\n")
        if REPORT in rest:
            found[name] = rest[:3000]
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--run", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("names", nargs="*", help="kernels or sources")
    options = parser.parse_args()
    names = options.names or ([] if options.all or options.run else list(SELECTION))
    sources = [name for name in names if name.endswith(".cu")]
    if options.run:
        run(sources, [name for name in names if not name.endswith(".cu")])
        return 0
    result = subprocess.run(command(names), env=environment(), capture_output=True, text=True)
    found = races(result.stderr)
    count = result.stderr.count("== ")
    for name, report in found.items():
        print(f"{name}:\n{report}\n")
    print(f"{count} kernels, {len(found)} with races")
    if result.returncode or not count:
        print(result.stderr[-3000:])
        return 1
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
