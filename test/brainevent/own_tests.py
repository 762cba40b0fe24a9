"""pytest plugin for brainevent's own tests: `pytest -p own_tests --engine=kernix --pyargs brainevent._csr.binary_test`.

It puts kernix behind brainevent (adapter.py), or leaves brainevent its own engine (--engine=brainevent), and limits
operators to CUDA's kernels with --cuda-kernels. Of the tests that do not fit kernix it knows why: those of brainevent's own
classes are skipped, those that expect what kernix does in another way have to fail.
"""

import importlib
import importlib.machinery
import re
import sys
import time
import types
from collections.abc import Callable

import pytest

INTERNAL = {
    r"_op\.kernix_codegen_test::test_normalize_tokens": "brainevent's reader of tokens, in Python; the compiler has kernix's",
    r"_op\.kernix_pipeline_test::test_cache_header_paths": "which headers brainevent's cache looks at",
    r"::test_\w+_dtype_mismatch_raises_python_exception$": "starts a Python of its own, without kernix",
}
WITHOUT_A_GPU = {
    r"cublas\]$": "cuBLAS has no CPU target",
    r"::test_numba_and_cuda_": "compares a CPU with a GPU",
    r"::test_\w+_cuda_matches_cuda_csr_reference": "asks JAX for a GPU",
}
ONLY_CUDA_KERNELS = {r"_csr\.delay\w*_test::test_exported$": "asks for the implementations that are left out"}
REPLACED = "kernix replaces what a name stands for, with a warning, and the new code is run; brainevent refuses"
COMPILED = "the compiler's own error, which is another"
DIFFERENT = {
    r"_op\.kernix_pipeline_test::test_f12_stem_collision_without_replace_errors": REPLACED,
    r"_op\.kernix_pipeline_test::test_f12_replace_refused_deterministically": REPLACED,
    r"_op\.kernix_pipeline_test::test_f4_force_rebuild_new_code_via_distinct_name": REPLACED,
    r"_op\.kernix_codegen_test::test_duplicate_registration_different_module_raises": REPLACED,
    r"_op\.kernix_codegen_test::test_parse_annotations_duplicate": COMPILED + ": a redefinition",
    r"_op\.kernix_codegen_test::test_missing_ret_in_arg_spec": COMPILED + ": tokens for which there are no parameters",
    r"_op\.kernix_codegen_test::TestAttrErrors::test_bare_unresolvable_type": COMPILED + ": a pointer cannot be bound",
}


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--engine", choices=["kernix", "brainevent"], default="kernix")
    parser.addoption("--cuda-kernels", action="store_true", help="of an operator's implementations test the CUDA one only")
    parser.addoption("--level", type=int, default=3, help="optimization level, for kernix")
    parser.addoption("--seconds", type=float, help="skip what would start later than this")


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "slow: brainevent's own mark")
    config.stash[END] = time.monotonic() + (config.getoption("--seconds") or float("inf"))
    _without_the_rest("braintools")
    testing = importlib.import_module("brainevent._test_util")
    if config.getoption("--engine") == "kernix":
        import adapter

        adapter.install(level=config.getoption("--level"))
        if not _on_gpu():
            adapter.kernels_on_cpu()
            testing.requires_gpu = pytest.mark.skipif(False, reason="kernix has a CPU target")
    if config.getoption("--cuda-kernels"):
        _only_cuda_kernels(config)


END = pytest.StashKey[float]()
RESTORE = pytest.StashKey[Callable[[], None]]()


def pytest_collection_finish(session: pytest.Session) -> None:
    if RESTORE in session.config.stash:
        session.config.stash[RESTORE]()


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    skipped, different = {}, {}
    if config.getoption("--cuda-kernels"):
        skipped |= ONLY_CUDA_KERNELS
    if config.getoption("--engine") == "kernix":
        skipped |= INTERNAL if _on_gpu() else INTERNAL | WITHOUT_A_GPU
        different |= DIFFERENT
    for item in items:
        name = f"{item.module.__name__.removeprefix('brainevent.')}::{item.nodeid.partition('::')[2]}"  # type: ignore[attr-defined]
        for pattern, reason in skipped.items():
            if re.search(pattern, name):
                item.add_marker(pytest.mark.skip(reason=reason))
        for pattern, reason in different.items():
            if re.fullmatch(pattern, name):
                item.add_marker(pytest.mark.xfail(strict=True, reason=reason))


def pytest_runtest_setup(item: pytest.Item) -> None:
    if time.monotonic() > item.config.stash[END]:
        pytest.skip("out of time")


def _on_gpu() -> bool:
    import jax

    return bool(jax.default_backend() == "gpu")


def _without_the_rest(package: str) -> None:
    """Of this package, which wants plotting and fitting libraries, tests use one subpackage, `init`."""
    spec = importlib.machinery.PathFinder.find_spec(package)
    if spec is None:
        return
    module = types.ModuleType(package)
    module.__path__ = list(spec.submodule_search_locations or ())
    sys.modules[package] = module
    importlib.import_module(f"{package}.init")


def _only_cuda_kernels(config: pytest.Config) -> None:
    """While modules of tests are imported: they ask each operator what it has, and test all of that."""
    operator = importlib.import_module("brainevent._op.main").XLACustomKernel
    all_of_them = operator.available_backends

    def available_backends(self: object, platform: str) -> list[str]:
        found: list[str] = all_of_them(self, platform)
        return ["cuda_raw"] if "cuda_raw" in found else found

    config.stash[RESTORE] = lambda: setattr(operator, "available_backends", all_of_them)
    operator.available_backends = available_backends
