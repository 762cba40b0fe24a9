# Compiles .cu files for the CPU target and runs them. A file says how in its RUN lines; a program checks itself and
# returns 0, or its output goes through FileCheck.
#
# %cpu-cc OUTPUT [options] FILES   makes a program of .cu files (cpu-cc.py)
# %random-kernels [options]        test/fuzz/cpu_target/run.py
# %cpu-cc-all OUTPUT FILES         the same at -O0 -g, -O1, -O2, -O3 -march=native -g: OUTPUT.O0 ... OUTPUT.O3

import os
import sys

import lit.formats

config.name = "kernix-cpu"
config.test_format = lit.formats.ShTest(True)
config.suffixes = [".cu"]
config.excludes = ["Inputs"]
config.test_source_root = os.path.dirname(__file__)
repository = os.path.abspath(os.path.join(config.test_source_root, "..", "..", ".."))
root = lit_config.params.get("kernix_root", os.path.join(repository, "build", "kernix"))
config.test_exec_root = lit_config.params.get("test_output", os.path.join(root, "..", "test", "runtime", "cpu"))

cpu_cc = f"{sys.executable} {os.path.join(config.test_source_root, 'cpu-cc.py')} {root}"
config.substitutions += [
    ("%cpu-cc-all", cpu_cc + " --all"),
    ("%cpu-cc", cpu_cc),
    ("%inputs", os.path.join(config.test_source_root, "Inputs")),
    ("%kernix-root", root),
    ("%random-kernels", f"{sys.executable} {repository}/test/fuzz/cpu_target/run.py {root}"),
    ("FileCheck", "FileCheck-22"),
]
config.environment["KERNIX_NUM_THREADS"] = "4"
