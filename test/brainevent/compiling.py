"""Compiler runs over one file of the package."""

import json
import os
import subprocess

import package

from kernix import _paths, toolchain


def _run(command: list[str]) -> str:
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr
    return result.stdout


def _includes(source: str) -> list[str]:
    return [f"-I{path}" for path in package.include_paths(source)]


def for_cpu(source: str, compiler_pass: str, *options: str) -> str:
    compiler = toolchain.find_compiler()
    command = [compiler.path, f"--config={os.path.join(_paths.CONFIG, f'kernix-cpu-{compiler_pass}.cfg')}"]
    command += ["-idirafter", os.path.join(compiler.resource_dir, "include"), "-fplugin-arg-kernix-unit=test"]
    return _run([*command, *_includes(source), *options, str(package.folder() / source)])


def for_cuda(source: str, *options: str) -> str:
    compiler, cuda = toolchain.find_compiler(), toolchain.find_cuda()
    command = [compiler.path, f"--config={os.path.join(_paths.CONFIG, 'kernix-cuda.cfg')}", f"--cuda-path={cuda.path}"]
    command += ["--cuda-gpu-arch=sm_90", "-Wno-unknown-cuda-version", *cuda.include_flags]
    return _run([*command, *_includes(source), *options, "-x", "cuda", str(package.folder() / source)])


def arg_specs(records: str) -> dict[str, list[str]]:
    return {record["name"]: record["arg_spec"] for record in json.loads(records)}


def expected(source: str) -> dict[str, list[str]]:
    """What brainevent's own reader says."""
    text = (package.folder() / source).read_text()
    reader = package.reader()
    found = reader.parse_annotations(text).items()
    return {name: reader.resolve_bare_attr_types(tokens, name, text) for name, tokens in found}
