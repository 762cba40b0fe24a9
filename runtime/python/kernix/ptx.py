"""Compiles the device code of sources to PTX, which is loaded by others than the CUDA runtime.

What a module needs of a source is one file, ``module.so``, which here holds JSON: the cache keeps one file of a build under
this name.
"""

import json
import os
from collections.abc import Sequence
from typing import Any

from . import _paths, toolchain
from .build import Build, Unit
from .options import Options


class PtxBuild(Build):
    """PTX for one GPU architecture, which runs on newer ones as well."""

    def __init__(self, name: str, sources: Sequence[str], target: str, options: Options, *, verbose: bool = False) -> None:
        super().__init__(name, sources, target, options, verbose=verbose)

    def _arch(self) -> tuple[str, ...]:
        self.cuda = toolchain.find_cuda()
        return (min(self._cuda_arch(), key=lambda arch: int("".join(filter(str.isdigit, arch)))),)

    def passes(self) -> tuple[str, ...]:
        return ("device",)

    def config_file(self, compiler_pass: str) -> str:
        return os.path.join(_paths.CONFIG, f"kernix-{self.target}.cfg")

    def compile_command(self, unit: Unit, compiler_pass: str, folder: str) -> list[str]:
        output = unit.output(folder, "ptx")
        dependencies = ["-MD", "-MF", f"{output}.d"]
        flags = [f"-fplugin-arg-kernix-unit={self._unit_id(unit)}", *self.more_flags(output), *dependencies]
        return [*self.compile_flags(unit, compiler_pass), *flags, "-S", "-x", "cuda", unit.path, "-o", output]

    def more_flags(self, output: str) -> list[str]:
        return []

    def device_dependency_commands(self, unit: Unit, folder: str) -> list[list[str]]:
        return []

    def finish(self, folder: str) -> str:
        with open(os.path.join(folder, "module.so"), "w", encoding="utf-8") as file:
            json.dump(self.contents(folder), file)
        return ""

    def contents(self, folder: str) -> dict[str, Any]:
        """What module.so holds."""
        ptx = []
        for unit in self.units:
            with open(unit.output(folder, "ptx"), encoding="utf-8") as file:
                ptx.append(file.read())
        return {"arch": self.arch[0], "ptx": ptx}
