"""Makes a program of .cu files for the CPU target: cpu-cc.py ROOT [--all] OUTPUT [options] FILES."""

import hashlib
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

LEVELS = {"O0": ["-O0", "-g"], "O1": ["-O1"], "O2": ["-O2"], "O3": ["-O3", "-march=native", "-g"]}


def run(command: list[str]) -> None:
    if subprocess.run(command).returncode != 0:
        sys.exit(f"failed: {' '.join(command)}")


def build(root: str, output: str, options: list[str], sources: list[str], libraries: list[str]) -> None:
    clang = "clang++-22"
    include = subprocess.check_output([clang, "-print-resource-dir"], text=True).strip() + "/include"
    objects = []
    for source in sources:
        unit = hashlib.sha256(" ".join([source, *options]).encode()).hexdigest()[:16]
        for side in ("host", "device"):
            objects.append(f"{output}.{unit}.{side}.o")
            config = f"--config={root}/share/kernix/kernix-cpu-{side}.cfg"
            run([clang, config, "-idirafter", include, f"-fplugin-arg-kernix-unit={unit}", *options,
                 "-Wall", "-Werror", "-c", source, "-o", objects[-1]])
    run([clang, *objects, *libraries, f"-L{root}/lib", "-lkernix_runtime", f"-Wl,-rpath,{root}/lib", "-lpthread", "-o", output])


def main(root: str, *arguments: str) -> None:
    every_level = arguments[0] == "--all"
    output, *rest = arguments[every_level:]
    sources = [argument for argument in rest if argument.endswith(".cu")]
    libraries = [argument for argument in rest if argument.endswith(".so")]
    options = [argument for argument in rest if argument not in sources + libraries]
    if not every_level:
        build(root, output, options, sources, libraries)
        return
    with ThreadPoolExecutor(max_workers=2) as pool:
        list(pool.map(lambda name: build(root, f"{output}.{name}", options + LEVELS[name], sources, libraries), LEVELS))


main(*sys.argv[1:])
