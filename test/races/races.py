"""Runs backward kernels of the bank with ThreadSanitizer: races between CUDA threads and blocks.

    python test/races/races.py            # a few kernels of each kind
    python test/races/races.py --all      # every kernel that has a backward derivative
    python test/races/races.py NAME ...   # these

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
LINK = ["-fsanitize=thread", "-shared-libsan"]
REPORT = "WARNING: ThreadSanitizer: data race"
# By proof, by atomic additions, through shared memory.
SELECTION = ("tensors.cu", "shared_tiles.cu")


def command(names: list[str]) -> list[str]:
    # ThreadSanitizer wants memory where it expects it.
    return ["setarch", "-R", sys.executable, str(Path(__file__)), "--run", *names]


def environment() -> dict[str, str]:
    def ask(question: str) -> str:
        compiler = os.environ.get("KERNIX_CLANG", "clang++-22")
        return subprocess.run([compiler, question], capture_output=True, text=True, check=True).stdout.strip()

    name = "libclang_rt.tsan-x86_64.so"
    library = ask(f"-print-file-name={name}")
    if not Path(library).exists():
        library = str(Path(ask("-print-resource-dir")) / "lib" / "linux" / name)
    return dict(os.environ, LD_PRELOAD=library, TSAN_OPTIONS="exitcode=0 report_signal_unsafe=0", KERNIX_VERBOSE="0")


def run(names: list[str]) -> None:
    """In the process with ThreadSanitizer; the compiler is to be without."""
    os.environ.pop("LD_PRELOAD", None)
    import bank
    import checks

    import kernix

    loaded = {}
    for kernel in [*bank.kernels(), *bank.kernels(FOLDER / "known.cu")]:
        is_known = kernel.file.parent == FOLDER
        if kernel.name not in names and kernel.file.name not in names and (names or is_known):
            continue
        if "f32" not in kernel.types:
            continue
        if kernel.file not in loaded:
            loaded[kernel.file] = kernix.load(kernel.file, target="cpu", extra_cflags=FLAGS, extra_ldflags=LINK)
        print(f"== {kernel.name}", file=sys.stderr, flush=True)
        operation = checks.Operation(loaded[kernel.file][kernel.name], kernel, "f32")
        made = operation.make(0)
        operation.backward(made, operation.random_like(made, kernel.outputs(), 1))


def examine(names: list[str]) -> tuple[dict[str, str], list[str]]:
    """The first report about each kernel that has one, and the names of all that were run."""
    result = subprocess.run(command(names), env=environment(), capture_output=True, text=True)
    parts = [part.partition("\n") for part in result.stderr.split("== ")[1:] if "\n" in part]
    parts = [part for part in parts if part[0].isidentifier()]
    if result.returncode or not parts:
        raise RuntimeError(result.stderr[-3000:])
    return {name: rest[:3000] for name, _, rest in parts if REPORT in rest}, [name for name, _, _ in parts]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--run", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("names", nargs="*", help="kernels or sources")
    options = parser.parse_args()
    if options.run:
        run(options.names)
        return 0
    found, names = examine(options.names or ([] if options.all else list(SELECTION)))
    for name, report in found.items():
        print(f"{name}:\n{report}\n")
    print(f"{len(names)} kernels, {len(found)} with races")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
