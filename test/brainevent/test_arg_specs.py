"""Every annotated function of every file is bound, with the arg_spec that brainevent's own reader finds."""

import compiling
import package
import pytest

# Without --all-files: a file of each kind, and those that have something of their own (attributes, XLA's header, the
# header that is missing).
FRACTION = {
    "_csr/binary_csrmv_hybrid.cu",
    "_csr/csr_to_csc.cu",
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
    return [
        path if path in FRACTION else pytest.param(path, marks=pytest.mark.all_files)
        for path in package.sources()
        if path != package.CUBLAS  # see test_cuda.py
    ]


@pytest.mark.parametrize("source", files())
def test_arg_specs(source):
    records = compiling.for_cpu(source, "host", "-fsyntax-only", "-fplugin-arg-kernix-dump=json")
    assert compiling.arg_specs(records) == compiling.expected(source)


def test_the_package_is_whole():
    """The fraction above is of these."""
    annotation = package.reader()._BE_ANNOTATION_RE
    counts = [len(annotation.findall((package.folder() / path).read_text())) for path in package.sources()]
    assert (len(counts), sum(counts)) == (61, 732)
