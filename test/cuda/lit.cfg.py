# Compiles sources against the CUDA toolkit, with the plugin loaded, for two architectures. Nothing is run: that needs no
# GPU. Without a toolkit the suite is unsupported.
#
# %cuda-check FILE   host and device pass up to assembly, for sm_80 and sm_90; warnings are errors

import os

import lit.formats

config.name = "kernix-cuda"
config.test_format = lit.formats.ShTest(True)
config.suffixes = [".cu"]
config.test_source_root = os.path.dirname(__file__)
repository = os.path.abspath(os.path.join(config.test_source_root, "..", ".."))
root = lit_config.params.get("kernix_root", os.path.join(repository, "build", "kernix"))
config.test_exec_root = lit_config.params.get("test_output", os.path.join(root, "..", "test", "cuda"))

toolkit = os.environ.get("CUDA_HOME", "/usr/local/cuda")
config.unsupported = not os.path.exists(os.path.join(toolkit, "include", "cuda_runtime.h"))

clang = (
    f"clang++-22 --config={root}/share/kernix/kernix-cuda.cfg --cuda-path={toolkit} -Wno-unknown-cuda-version -Wall -Werror "
    f"-I{toolkit}/include/cccl -O1 -x cuda"
)
config.substitutions += [
    ("FileCheck", "FileCheck-22"),
    (
        "%cuda-check",
        f"{clang} --cuda-host-only -S -o /dev/null %s && "
        f"{clang} --cuda-device-only --cuda-gpu-arch=sm_80 -S -o %t.sm_80.ptx %s && "
        f"{clang} --cuda-device-only --cuda-gpu-arch=sm_90 -S -o %t.sm_90.ptx %s",
    ),
]
