"""Builds for code that Numba compiles: PTX, the same as text that libNVVM reads, and records of what is in it, all by one run
of the compiler for each source; and libraries for the CPU with shims."""

import contextlib
import hashlib
import json
from collections.abc import Sequence
from typing import Any

from .. import cache
from ..build import Build, Unit
from ..errors import NothingBound
from ..options import Options
from ..ptx import PtxBuild


class _OfOneContent(Build):
    """Symbols in a library for the CPU that was built after a source has changed are others: they are not found by those of
    the module. (Kernels may call functions of both: there names differ with the code, see module.py.)"""

    def _unit_id(self, unit: Unit) -> str:
        return hashlib.sha256(f"{super()._unit_id(unit)} {cache.content_hash(unit.path)}".encode()).hexdigest()[:16]


class CpuShimsBuild(_OfOneContent):
    """A library for the CPU target that functions compiled by Numba can call."""

    own_flags = ("-D__KERNIX_NUMBA__=1", "-fplugin-arg-kernix-numba-shims", "-Wno-pragma-once-outside-header")


class NumbaBuild(_OfOneContent, PtxBuild):
    def __init__(self, name: str, sources: Sequence[str], options: Options, *, verbose: bool = False) -> None:
        super().__init__(name, sources, "numba", options, verbose=verbose)

    def more_flags(self, output: str) -> list[str]:
        flags = [f"-fplugin-arg-kernix-records={output}.json", f"-fplugin-arg-kernix-nvvm={output}.nvvm"]
        # Clang's square root of a float is approximate; Numba's and nvcc's is not, unless asked for.
        return flags if self.options.fast_math else [*flags, "-mllvm", "-nvvm-reflect-add=__CUDA_PREC_SQRT=1"]

    def contents(self, folder: str) -> dict[str, Any]:
        records: list[dict[str, Any]] = []
        nvvm: dict[str, str] = {}
        for unit in self.units:
            output = unit.output(folder, "ptx")
            with contextlib.suppress(FileNotFoundError), open(f"{output}.json", encoding="utf-8") as file:
                records += json.load(file)
            with contextlib.suppress(FileNotFoundError), open(f"{output}.nvvm", encoding="utf-8") as file:
                nvvm.update(json.load(file))
        if not records:
            sources = ", ".join(unit.path for unit in self.units)
            raise NothingBound(
                f"{sources}: no function is bound; write [[kernix::bind]] before a definition, or give config="
            )
        return {**super().contents(folder), "records": records, "nvvm": nvvm}
