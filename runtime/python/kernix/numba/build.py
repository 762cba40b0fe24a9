"""Compiles the device functions of sources to PTX, with records of what is in it.

Both are made by one run of the compiler for each source; what a module needs of a source is one file, ``module.so``, which
here holds JSON: the cache keeps one file of a build under this name.
"""

import contextlib
import json
import os
from collections.abc import Sequence
from typing import Any

from .. import _paths, toolchain
from ..build import Build, Unit
from ..errors import NothingBound
from ..options import Options


class NumbaBuild(Build):
    """PTX for one GPU architecture, which runs on newer ones as well."""

    def __init__(self, name: str, sources: Sequence[str], options: Options, *, verbose: bool = False) -> None:
        super().__init__(name, sources, "numba", options, verbose=verbose)

    def _arch(self) -> tuple[str, ...]:
        self.cuda = toolchain.find_cuda()
        return (min(self._cuda_arch(), key=lambda arch: int("".join(filter(str.isdigit, arch)))),)

    def passes(self) -> tuple[str, ...]:
        return ("device",)

    def config_file(self, compiler_pass: str) -> str:
        return os.path.join(_paths.CONFIG, "kernix-numba.cfg")

    def compile_command(self, unit: Unit, compiler_pass: str, folder: str) -> list[str]:
        output = unit.output(folder, "ptx")
        flags = [f"-fplugin-arg-kernix-unit={self._unit_id(unit)}", f"-fplugin-arg-kernix-records={output}.json"]
        dependencies = ["-MD", "-MF", f"{output}.d"]
        return [*self.compile_flags(unit, compiler_pass), *flags, *dependencies, "-S", "-x", "cuda", unit.path, "-o", output]

    def device_dependency_commands(self, unit: Unit, folder: str) -> list[list[str]]:
        return []

    def finish(self, folder: str) -> str:
        made: dict[str, Any] = {"arch": self.arch[0], "ptx": [], "records": []}
        for unit in self.units:
            output = unit.output(folder, "ptx")
            with open(output, encoding="utf-8") as file:
                made["ptx"].append(file.read())
            with contextlib.suppress(FileNotFoundError), open(f"{output}.json", encoding="utf-8") as file:
                made["records"] += json.load(file)
        if not made["records"]:
            sources = ", ".join(unit.path for unit in self.units)
            raise NothingBound(
                f"{sources}: no function is bound; write [[kernix::bind]] before a definition, or give config="
            )
        with open(os.path.join(folder, "module.so"), "w", encoding="utf-8") as file:
            json.dump(made, file)
        return ""
