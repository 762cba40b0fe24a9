# FileCheck tests of the CPU passes on LLVM IR. %opt is opt with the plugin loaded.

import os

import lit.formats

config.name = "kernix-plugin-cpu"
config.test_format = lit.formats.ShTest(True)
config.suffixes = [".ll"]
config.test_source_root = os.path.dirname(__file__)
repository = os.path.abspath(os.path.join(config.test_source_root, "..", "..", ".."))
root = lit_config.params.get("kernix_root", os.path.join(repository, "build", "kernix"))
config.test_exec_root = lit_config.params.get("test_output", os.path.join(root, "..", "test", "plugin", "CpuTarget"))
config.substitutions += [
    ("%opt", f"opt -load-pass-plugin={root}/lib/kernix.so -S -o -"),
]
llvm_tools = lit_config.params.get("llvm_tools", "/usr/lib/llvm-22/bin")
config.environment["PATH"] = os.pathsep.join([llvm_tools, os.environ["PATH"]])
