"""Code of one function, for reading: LLVM IR, PTX, or the GPU's own instructions.

IR and PTX are made by compiling the source once more with the flags of the build; SASS is taken from the built module.
"""

import os
import re
import subprocess
import tempfile
from typing import TYPE_CHECKING, Any

from . import toolchain
from .build import Build, Built
from .errors import CompileError, KernelError, KernelValueError

if TYPE_CHECKING:
    from .module import Contents

_KINDS = ("ir", "ptx", "sass")


def function_code(module: "Contents", record: dict[str, Any], what: str, target: str | None) -> str:
    if what not in _KINDS:
        raise KernelValueError(f"source: expected one of {', '.join(map(repr, _KINDS))}, got {what!r}")
    which = target or ("cuda" if what != "ir" and "cuda" in module.targets else module.targets[0])
    if which not in module.targets:
        raise KernelValueError(f"source: the module is not for the target {which!r}")
    if what != "ir" and which != "cuda":
        raise KernelValueError(f"source: {what!r} exists for the target 'cuda' only; use 'ir'")
    if which not in module.built:
        module.open_target(which, record["name"])
    built = module.built[which]
    name = record["mangled_name"]
    if what == "sass":
        return _sass(built, name)
    if built.build is None:
        raise KernelError(f"source: {built.path} was built elsewhere; its source is not known")
    return _from_source(built.build, record, what)


def _from_source(build: Build, record: dict[str, Any], what: str) -> str:
    on_device = record["kind"] != "host"
    name = record["mangled_name"]
    for unit in build.units:
        if build.target == "cpu":
            flags = build.compile_flags(unit, "device" if on_device else "host")
        else:
            flags = [*build.compile_flags(unit, "both"), "--cuda-device-only" if on_device else "--cuda-host-only"]
            if on_device:
                flags = _one_arch(flags)
        with tempfile.TemporaryDirectory() as folder:
            output = os.path.join(folder, "code.ll" if what == "ir" else "code.ptx")
            command = [*flags, "-S", *(["-emit-llvm"] if what == "ir" else []), "-x", "cuda", unit.path]
            _run([*command, "-o", output])
            with open(output, encoding="utf-8", errors="replace") as file:
                text = file.read()
        found = _ir_function(text, name) if what == "ir" else _ptx_function(text, name)
        if found:
            return found
    raise KernelError(f"source: {name} was not found in the compiled code (inlined everywhere?)")


def _one_arch(flags: list[str]) -> list[str]:
    """Only the first GPU architecture: -S writes one file."""
    arches = [flag for flag in flags if flag.startswith("--cuda-gpu-arch=")]
    return [flag for flag in flags if flag not in arches[1:]]


def _ir_function(text: str, name: str) -> str | None:
    # On the CPU a kernel has become several functions, named after it with a suffix: one runs some blocks of it.
    pattern = rf'^define [^\n]*@"?{re.escape(name)}(?:\.\w+)*"?\(.*?^}}'
    return "\n\n".join(match[0] for match in re.finditer(pattern, text, re.MULTILINE | re.DOTALL)) or None


def _ptx_function(text: str, name: str) -> str | None:
    match = re.search(rf"^[^\n]*\.(?:entry|func)[^{{;]*?\b{re.escape(name)}\b[^{{;]*\{{", text, re.MULTILINE)
    if match is None:
        return None
    # Inline PTX has blocks of its own, in any layout, so the end is found by counting.
    depth = 1
    for brace in re.finditer(r"//[^\n]*|[{}]", text[match.end() :]):
        depth += {"{": 1, "}": -1}.get(brace[0], 0)
        if depth == 0:
            return text[match.start() : match.end() + brace.end()]
    return None


def _sass(built: Built, name: str) -> str:
    tool = toolchain.find_cuda().tool("cuobjdump")
    if tool is None:
        raise KernelError("source: cuobjdump of the CUDA toolkit was not found")
    text = _run([tool, "-sass", "-fun", name, built.path])
    if "Function :" not in text:
        raise KernelError(f"source: {built.path} has no machine code of {name}")
    return text


def _run(command: list[str]) -> str:
    result = subprocess.run(command, capture_output=True, text=True, errors="replace", check=False)
    if result.returncode:
        output = result.stdout + result.stderr
        raise CompileError(
            f"source: {command[0]} exited with status {result.returncode}\n{output}", output, (tuple(command),)
        )
    return result.stdout
