"""How lit runs the tests of the plugin.

The build passes --param kernix_root=<build>/kernix. By hand: lit -sv test/plugin --param kernix_root=build/kernix
"""

import os
import shutil
import subprocess

import lit.formats

config.name = "kernix-plugin"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".cu", ".cpp", ".test", ".ll"]
config.excludes = ["Inputs", "CMakeLists.txt"]
config.test_source_root = os.path.dirname(__file__)

root = os.path.abspath(lit_config.params.get("kernix_root", "build/kernix"))
config.test_exec_root = os.path.join(os.path.dirname(root), "test", "plugin")
plugin = os.path.join(root, "lib", "kernix.so")
if not os.path.exists(plugin):
    lit_config.fatal(f"{plugin} is missing: build the target kernix first, or say where it is with --param kernix_root=")

tools = lit_config.params.get("llvm_tools", "/usr/lib/llvm-22/bin")
config.environment["PATH"] = tools + os.pathsep + os.environ["PATH"]
clang = os.path.join(tools, "clang++")
cuda = lit_config.params.get("cuda_path", os.environ.get("CUDA_HOME", "/usr/local/cuda"))
if os.path.exists(os.path.join(cuda, "include", "cuda_runtime.h")):
    config.available_features.add("cuda")
if os.path.exists(os.path.join(root, "share", "kernix", "kernix-cpu-host.cfg")):
    config.available_features.add("cpu")

inputs = os.path.join(config.test_source_root, "Inputs")
# The tools print what users see, without an escape and without the machine's own headers.
plugged = f"{clang} -std=c++20 -fplugin={plugin} -I{root}/include -fno-color-diagnostics -ferror-limit=0"
kernix = f"{plugged} -I{inputs}"
bare_cuda = f"-Wno-unknown-cuda-version -nocudainc -nocudalib -include {inputs}/cuda.h -x cuda"
toolkit = f"-Wno-unknown-cuda-version --cuda-path={cuda} --cuda-gpu-arch=sm_90 --no-offload-new-driver -x cuda"
# The configurations of the CPU target leave the compiler's own headers to whoever calls it.
resources = subprocess.run([clang, "-print-resource-dir"], capture_output=True, text=True, check=True).stdout.strip()
cpu = f"-idirafter {resources}/include -fno-color-diagnostics -fplugin-arg-kernix-unit=test"
# The longer names first: lit replaces one after the other.
substitutions = {
    # CUDA C++ without a toolkit: Inputs/cuda.h has the keywords.
    "%cuda-host": f"{kernix} --cuda-host-only {bare_cuda}",
    "%cuda-device": f"{kernix} --cuda-device-only --cuda-gpu-arch=sm_90 {bare_cuda}",
    # With the toolkit (REQUIRES: cuda).
    "%toolkit-host": f"{plugged} --cuda-host-only {toolkit}",
    "%toolkit-include": os.path.join(cuda, "include"),
    "%toolkit-device": f"{plugged} --cuda-device-only {toolkit}",
    # The two passes of the CPU target (REQUIRES: cpu).
    "%cpu-host": f"{clang} --config={root}/share/kernix/kernix-cpu-host.cfg {cpu}",
    "%cpu-device": f"{clang} --config={root}/share/kernix/kernix-cpu-device.cfg {cpu}",
    # C++.
    "%kernix": kernix,
    "%plugin": plugin,
    "%clang-program": clang,
    "%clang": f"{clang} -std=c++20 -fno-color-diagnostics",
    "%opt": os.path.join(tools, "opt"),
    "%inputs": inputs,
    "%root": root,
    "%python": shutil.which("python3"),
    "%libdevice": os.path.join(cuda, "nvvm", "libdevice", "libdevice.10.bc"),
    "%ptxas": os.path.join(cuda, "bin", "ptxas"),
}
config.substitutions += list(substitutions.items())
