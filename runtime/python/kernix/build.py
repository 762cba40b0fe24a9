"""Compiles sources into a module for one target.

Makes the command lines and runs them; what to build is decided by load.py, where the result is kept by cache.py. Flags
that are the same for everybody are not here but in the compiler's config files in share/kernix.
"""

import dataclasses
import hashlib
import json
import os
import re
import shlex
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from . import _paths, cache, gpu, progress, toolchain
from .errors import CompileError, KernelError
from .options import Options

# Environment variables that change what clang reads.
_COMPILER_ENVIRONMENT = ("CPATH", "C_INCLUDE_PATH", "CPLUS_INCLUDE_PATH", "LIBRARY_PATH", "CCC_OVERRIDE_OPTIONS")
# Without a GPU that could be asked: its PTX runs on everything newer.
DEFAULT_CUDA_ARCH = "sm_80"


@dataclass(frozen=True)
class Unit:
    """One source file."""

    path: str
    index: int

    def output(self, folder: str, suffix: str) -> str:
        return os.path.join(folder, f"{self.index}.{suffix}")


@dataclass(frozen=True)
class Built:
    """A module on disk. `build` is None for one that was built elsewhere."""

    path: str
    target: str
    build: "Build | None" = None
    kept_in: cache.Cache | None = None
    changed: Callable[[], str | None] | None = None  # a file that has changed since


class Build:
    """How to build one module for one target."""

    own_flags: tuple[str, ...] = ()  # of a kind of build

    def __init__(self, name: str, sources: Sequence[str], target: str, options: Options, *, verbose: bool = False):
        self.name = name
        self.units = [Unit(path, index) for index, path in enumerate(sources)]
        self.target = target
        self.options = options
        self.verbose = verbose
        self.compiler = toolchain.find_compiler()
        self.cuda = toolchain.find_cuda() if target == "cuda" else None
        self.arch = self._arch()

    def _arch(self) -> tuple[str, ...]:
        return (self.options.cpu_arch or "native",) if self.target == "cpu" else self._cuda_arch()

    def _cuda_arch(self) -> tuple[str, ...]:
        return self.options.cuda_arch or gpu.architectures() or (DEFAULT_CUDA_ARCH,)

    def request(self, abi: int) -> str:
        """Hash of everything that is known before the build."""
        options = dataclasses.asdict(self.options)
        return cache.request_hash(
            {
                "sources": [[unit.path, cache.content_hash(unit.path)] for unit in self.units],
                "name": self.name,
                "target": self.target,
                "options": options,
                "own_flags": self.own_flags,
                "config": cache.content_hash(self.options.config) if self.options.config else None,
                "arch": self.arch,
                "cpu": toolchain.cpu_identity() if self.arch == ("native",) else None,
                "compiler": [self.compiler.path, self.compiler.version, self.compiler.identity],
                "cuda": [self.cuda.path, self.cuda.version] if self.cuda else None,
                "plugin": toolchain.plugin_identity(),
                "abi": abi,
                "environment": {name: os.environ.get(name) for name in _COMPILER_ENVIRONMENT},
            }
        )

    # -- command lines ---------------------------------------------------------------------------------------------

    def passes(self) -> tuple[str, ...]:
        """Compiler runs that each source needs."""
        return ("host", "device") if self.target == "cpu" else ("both",)

    def config_file(self, compiler_pass: str) -> str:
        name = "kernix-cuda.cfg" if self.target == "cuda" else f"kernix-cpu-{compiler_pass}.cfg"
        return os.path.join(_paths.CONFIG, name)

    def compile_flags(self, unit: Unit, compiler_pass: str) -> list[str]:
        flags = [self.compiler.path, f"--config={self.config_file(compiler_pass)}"]
        if self.cuda:
            flags += [f"--cuda-path={self.cuda.path}", "-Wno-unknown-cuda-version", *self.cuda.include_flags]
            flags += [f"--cuda-gpu-arch={arch}" for arch in self.arch]
        else:
            flags += ["-idirafter", os.path.join(self.compiler.resource_dir, "include")]
            flags += [f"-march={self.arch[0]}", f"-fplugin-arg-kernix-unit={self._unit_id(unit)}"]
        return [*flags, *self.own_flags, *self._user_flags()]

    def _user_flags(self) -> list[str]:
        options = self.options
        flags = [f"-O{options.opt_level}", "-g" if options.debug else "-gline-tables-only"]
        if options.fast_math:
            flags.append("-ffast-math")
        if options.deterministic:
            flags.append("-fplugin-arg-kernix-deterministic")
        if "bounds" in options.checks:
            flags.append("-DKERNIX_CHECK_BOUNDS")
        if "accumulation" in options.checks:
            flags.append("-DKERNIX_CHECK_ACCUMULATION")
        if options.config:
            flags.append(f"-fplugin-arg-kernix-config={options.config}")
        flags += self._functions_flags()
        flags += [f"-D{define}" for define in options.defines]
        for path in options.include_paths:
            flags += ["-I", path]
        return flags + list(options.extra_cflags)

    def _functions_flags(self) -> list[str]:
        if self.options.functions is None:
            return []
        lines = [name if spec is None else f"{name} = {spec}" for name, spec in self.options.functions]
        flags = ["-fplugin-arg-kernix-functions=" + "\n".join(lines)]
        return flags + ["-fplugin-arg-kernix-functions-elsewhere"] * (len(self.units) > 1)

    def _unit_id(self, unit: Unit) -> str:
        """Keeps equal names of two files apart in one process."""
        text = json.dumps([unit.path, self.name, dataclasses.asdict(self.options)])
        return hashlib.sha256(text.encode()).hexdigest()[:16]

    def compile_command(self, unit: Unit, compiler_pass: str, folder: str) -> list[str]:
        output = unit.output(folder, compiler_pass)
        dependencies = ["-MD", "-MF", f"{output}.d"]
        return [*self.compile_flags(unit, compiler_pass), *dependencies, "-c", "-x", "cuda", unit.path, "-o", f"{output}.o"]

    def device_dependency_commands(self, unit: Unit, folder: str) -> list[list[str]]:
        """clang writes the dependencies of a CUDA source's host pass only; these ask for those of the device passes."""
        if self.target != "cuda":
            return []
        flags = self.compile_flags(unit, "both")
        common = [flag for flag in flags if not flag.startswith("--cuda-gpu-arch=")]
        return [
            [*common, f"--cuda-gpu-arch={arch}", "--cuda-device-only", "-M", "-MF"]
            + [unit.output(folder, f"{arch}.d"), "-x", "cuda", unit.path]
            for arch in self.arch
        ]

    def link_command(self, folder: str) -> list[str]:
        objects = [unit.output(folder, f"{name}.o") for unit in self.units for name in self.passes()]
        command = [self.compiler.path, "-shared", *self.compiler.linker_flags, *objects]
        if self.cuda:
            command += [f"-L{path}" for path in self.cuda.library_dirs]
            command += ["-lcudart_static", "-ldl", "-lrt", "-lpthread"]
        command += [f"-L{_paths.LIBRARY}", "-l:libkernix_runtime.so.0", f"-Wl,-rpath,{_paths.LIBRARY}", "-Wl,-z,defs"]
        return [*command, *self.options.extra_ldflags, "-o", os.path.join(folder, "module.so")]

    # -- running ---------------------------------------------------------------------------------------------------

    @property
    def title(self) -> str:
        names = ", ".join(os.path.basename(unit.path) for unit in self.units)
        return f"{names} for {self.target} ({', '.join(self.arch)})"

    def run(self, folder: str) -> list[str]:
        """Fills `folder` with module.so and build.json; returns the files that were read."""
        start = time.perf_counter()
        commands = [self.compile_command(unit, name, folder) for unit in self.units for name in self.passes()]
        for unit in self.units:
            commands += self.device_dependency_commands(unit, folder)
        with progress.timed(f"building {self.title}"):
            output = self._run_all(commands)
            output += self.finish(folder)
        if output:
            print(output, end="" if output.endswith("\n") else "\n", file=sys.stderr, flush=True)
        files = self._read_dependencies(folder)
        if self.options.config:
            files.append(self.options.config)
        self._clean(folder)
        self._write_record(folder, commands, output, time.perf_counter() - start)
        return files

    def finish(self, folder: str) -> str:
        """Makes module.so from what was compiled; returns what was printed."""
        return self._run_all([self.link_command(folder)])

    def _run_all(self, commands: list[list[str]]) -> str:
        """Runs commands side by side; returns what they printed, in their order."""
        import concurrent.futures  # slow to import, and not needed where everything comes from the cache

        with concurrent.futures.ThreadPoolExecutor(max_workers=max(1, os.cpu_count() or 1)) as pool:
            results = list(pool.map(self._run, commands))
        failed = [(command, *result) for command, result in zip(commands, results, strict=True) if result[0]]
        if failed:
            # The first pass that fails says it: the other passes of a source repeat most of it.
            command, status, output = failed[0]
            output = _without_repeats([output])
            raise CompileError(
                f"building {self.title} failed (clang++ exited with status {status})\n{output}".rstrip("\n"),
                output,
                tuple(tuple(each) for each, _, _ in failed),
            )
        output = _without_repeats([text for _, text in results])
        return output

    def _run(self, command: list[str]) -> tuple[int, str]:
        if self.verbose:
            print(shlex.join(command), file=sys.stderr, flush=True)
        try:
            result = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
        except OSError as error:
            raise KernelError(f"{command[0]} cannot be run: {error}") from error
        return result.returncode, result.stdout.decode(errors="replace")

    def _read_dependencies(self, folder: str) -> list[str]:
        files: list[str] = []
        for name in sorted(os.listdir(folder)):
            if name.endswith(".d"):
                with open(os.path.join(folder, name), encoding="utf-8", errors="surrogateescape") as file:
                    files += parse_dependencies(file.read())
        return [os.path.abspath(path) for path in dict.fromkeys(files)]

    def _clean(self, folder: str) -> None:
        for name in os.listdir(folder):
            if name != "module.so":
                os.unlink(os.path.join(folder, name))

    def _write_record(self, folder: str, commands: list[list[str]], output: str, seconds: float) -> None:
        record: dict[str, Any] = {
            "name": self.name,
            "target": self.target,
            "arch": self.arch,
            "sources": [unit.path for unit in self.units],
            "compiler": f"{self.compiler.path} {self.compiler.version}",
            "cuda": self.cuda.version if self.cuda else None,
            "commands": commands,
            "output": output,
            "seconds": round(seconds, 3),
        }
        with open(os.path.join(folder, "build.json"), "w", encoding="utf-8") as file:
            json.dump(record, file, indent=1)


def parse_dependencies(text: str) -> list[str]:
    """Prerequisites in a make rule as clang writes it: blanks and # are escaped by a backslash, $ is doubled."""
    _, _, rest = text.replace("\\\n", " ").partition(": ")
    files: list[str] = []
    current = ""
    characters = iter(rest)
    for character in characters:
        if character == "\\":
            following = next(characters, "")
            current += following if following in " #" else "\\" + following
        elif character == "$":
            current += next(characters, "")
        elif character in " \n\t":
            if current:
                files.append(current)
            current = ""
        else:
            current += character
    return [*files, current] if current else files


_HEADLINE = re.compile(r"(?:.+?:\d+:(?:\d+:)? |[\w.+-]+: |)(fatal error|error|warning|remark|note): ")
_INCLUDED = re.compile(r"(?:In file included from |                 from )")
_COUNT = re.compile(r"\d+ (?:warning|error|remark)s?(?: and \d+ errors?)? generated.*\n?$")


def _without_repeats(outputs: list[str]) -> str:
    """What the passes printed, each message once with its notes: most of them come from every pass. clang's counts, which
    are of one pass, are left out."""
    return "".join(dict.fromkeys(message for text in outputs for message in _messages(text)))


def _messages(text: str) -> Iterator[str]:
    message, included = "", ""
    for line in text.splitlines(keepends=True):
        if _COUNT.match(line):
            continue
        if _INCLUDED.match(line):
            included += line
            continue
        headline = _HEADLINE.match(line)
        if headline and headline[1] != "note" and message:
            yield message
            message = ""
        message += included + line
        included = ""
    if message + included:
        yield message + included
