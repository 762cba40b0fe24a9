"""What a function tells of its code and its use of the device, for every kernel of the bank."""

import re
import subprocess

import pytest
import torch

import kernix
from bank import CASES, module
from kernix import toolchain

KERNEL_CASES = {
    (case.source, case.function): case for case in CASES if module(case.source)[case.function].info["kind"] == "kernel"
}


@pytest.fixture(params=KERNEL_CASES, ids=lambda key: key[1])
def function(request):
    source, name = request.param
    return module(source)[name]


def test_source(function):
    name = function.info["mangled_name"]
    assert re.search(r"^define .*ptx_kernel", function.source("ir"), re.MULTILINE)
    ptx = function.source("ptx")
    assert f".entry {name}(" in ptx and "ret;" in ptx
    if toolchain.find_cuda().tool("cuobjdump"):
        sass = function.source("sass")
        assert f"Function : {name}" in sass and "EXIT" in sass


def test_resources(function):
    found = function.resources()
    assert found["target"] == "cuda"
    assert 0 < found["registers"] <= 255
    assert 0 < found["occupancy"] <= 1
    assert found["occupancy_blocks"] > 0
    assert found["max_threads_per_block"] >= found["block_size"]


def test_resources_of_what_is_known():
    reductions, shared, maps = module("reductions.cu"), module("shared.cu"), module("maps.cu")
    assert reductions.tree_sum.resources()["shared_bytes"] == 256 * 4
    assert shared.transpose.resources(block_size=256)["shared_bytes"] == 32 * 33 * 4
    assert maps.scale_shift.resources()["shared_bytes"] == 0
    assert maps.polynomial.resources()["constant_bytes"] >= 16
    assert module("faults.cu").bounded.resources(block_size=128)["max_threads_per_block"] == 128
    with_much = shared.scan.resources(block_size=128, shared_bytes=40_000)
    assert with_much["occupancy"] < shared.scan.resources(block_size=128)["occupancy"]


def test_host_function():
    host = module("host.cu")
    assert "call" in host.add.source("ir")
    with pytest.raises(kernix.KernelTypeError, match="only kernels have resources"):
        host.add.resources()


def test_machine_code_is_that_of_the_bare_kernel(tmp_path):
    """Binding changes nothing of a kernel: the same instructions as without the plugin."""
    cuda, compiler = toolchain.find_cuda(), toolchain.find_compiler()
    tool = cuda.tool("cuobjdump")
    if tool is None:
        pytest.skip("cuobjdump is not there")
    bound = module("shared.cu")
    build = bound._kernix.built["cuda"].build
    assert build is not None
    flags = [flag for flag in build.compile_flags(build.units[0], "both")[1:] if not flag.startswith("--config=")]
    from kernix import _paths

    bare = tmp_path / "bare.cubin"
    subprocess.run(
        [compiler.path, "--no-offload-new-driver", "-std=c++20", "-fPIC", f"-I{_paths.INCLUDE}", "-DKERNIX_NO_PLUGIN", *flags,
         "-Wno-unknown-attributes", "--cuda-device-only", "-c", "-x", "cuda", build.units[0].path, "-o", str(bare)],
        check=True,
    )  # fmt: skip
    for name in ("transpose", "smooth", "scan", "matmul"):
        mangled = bound[name].info["mangled_name"]
        text = subprocess.run([tool, "-sass", "-fun", mangled, str(bare)], capture_output=True, text=True, check=True).stdout
        assert instructions(bound[name].source("sass")) == instructions(text)


def instructions(sass: str) -> list[str]:
    found = re.findall(r"/\*[0-9a-f]{4,}\*/\s+(.*?;)", sass)
    assert len(found) > 10
    return found


def test_device_is_the_one_at_hand():
    major, minor = torch.cuda.get_device_capability()
    assert module("maps.cu")._kernix.built["cuda"].build.arch == (f"sm_{major}{minor}",)
