"""Every annotated function of every file is bound, with the arg_spec that brainevent's own reader finds."""

import json
import os
import subprocess

import package
import pytest

from kernix import _paths, toolchain

# brainevent's reader takes what follows `void name(` in the text for the signature.
DIFFERENT: dict[str, set[str]] = {}
# Without --all-files: a file of each kind, and those that have something of their own (attributes, xla's header, cuBLAS, a
# missing header).
FRACTION = {
    "_csr/csr_to_csc.cu",
    "_csr/binary_csrmv_hybrid.cu",
    "_csr/float_csrmv.cu",
    "_dense/binary_densemv.cu",
    "_event/compact.cu",
    "_fcn/plasticity_row_driven.cu",
    "_jit_normal/float_jitnmv.cu",
    "_jit_scalar/csr.cu",
    "_jit_uniform/float_jitu.cu",
    "_tcsr/bpsa/bpsa_mv.cu",
    "_tcsr/sddmm/sddmm_binary.cu",
    package.INCOMPLETE,
}


def files():
    return [path if path in FRACTION else pytest.param(path, marks=pytest.mark.all_files) for path in package.sources()]


def records(source: str) -> dict[str, list[str]]:
    compiler = toolchain.find_compiler()
    command = [compiler.path, f"--config={os.path.join(_paths.CONFIG, 'kernix-cpu-host.cfg')}"]
    command += ["-idirafter", os.path.join(compiler.resource_dir, "include"), "-fplugin-arg-kernix-unit=test"]
    command += [f"-I{path}" for path in package.include_paths(source)]
    # cuBLAS has no CPU target, which is an error behind the signatures; nothing else may be one.
    command += ["-fsyntax-only", "-fplugin-arg-kernix-dump=json", str(package.folder() / source)]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr
    return {record["name"]: record["arg_spec"] for record in json.loads(result.stdout)}


@pytest.mark.parametrize("source", files())
def test_arg_specs(source):
    if source == "_dense/binary_dense_cublas.cu":
        pytest.skip("cuBLAS has no CPU target; test_cuda.py has this file")
    text = (package.folder() / source).read_text()
    reader = package.reader()
    expected = {
        name: reader.resolve_bare_attr_types(tokens, name, text) for name, tokens in reader.parse_annotations(text).items()
    }
    assert records(source) == expected


def test_all_functions_are_counted():
    """The fraction above is of these."""
    reader = package.reader()
    counts = [len(reader._BE_ANNOTATION_RE.findall((package.folder() / path).read_text())) for path in package.sources()]
    assert (len(counts), sum(counts)) == (61, 732)
