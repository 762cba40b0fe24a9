"""Calls the project's kernels from Python. Usage: call_from_python.py STEM-OR-SOURCE"""

import sys

import kernix
import numpy as np

module = kernix.load(sys.argv[1])
x, y = np.array([1, 2, 3], "float32"), np.array([10, 20, 30], "float32")
assert module.saxpy(2.0, x, y).tolist() == [12, 24, 36]
module.fill_with(y, 7.0)
assert y.tolist() == [7, 7, 7]
if "project_value" in module:
    assert module.project_value() == 42
print(f"{module!r} of {kernix.__file__}")
