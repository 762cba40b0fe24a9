"""What is raised to canonical form and lowered again computes what it did before: every function of
sources/raised_functions.cu, compiled for the CPU target, at random numbers and at the edges.
"""

import ctypes
import itertools
import math
import os
import random
import re
import subprocess

import numpy as np
import pytest

LLVM = os.environ.get("KERNIX_LLVM_TOOLS", "/usr/lib/llvm-22/bin")
HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.environ.get("KERNIX_ROOT", os.path.join(HERE, "..", "..", "build", "kernix"))
SOURCE = os.path.join(HERE, "sources", "raised_functions.cu")

pytestmark = pytest.mark.skipif(not os.path.exists(f"{LLVM}/opt"), reason="needs LLVM's opt")


def tool(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


@pytest.fixture(scope="module")
def libraries(tmp_path_factory):
    """As written, and raised and lowered again."""
    folder = tmp_path_factory.mktemp("raise")
    written, raised = folder / "written.ll", folder / "raised.ll"
    clang = f"{LLVM}/clang++"
    include = tool(clang, "-print-resource-dir").strip() + "/include"
    emit = ["-O1", "-Xclang", "-disable-llvm-passes", "-S", "-emit-llvm"]
    tool(clang, f"--config={ROOT}/share/kernix/kernix-cpu-device.cfg", "-idirafter", include, *emit, SOURCE, "-o", written)
    passes = "-passes=kernix-raise,kernix-lower,verify"
    tool(f"{LLVM}/opt", f"-load-pass-plugin={ROOT}/lib/kernix.so", passes, "-S", written, "-o", raised)
    result = []
    for ir in (written, raised):
        shared = ir.with_suffix(".so")
        tool(clang, "-O1", "-shared", "-fPIC", "-Wno-override-module", ir, "-o", shared, "-lm")
        result.append(ctypes.CDLL(str(shared)))
    names = re.findall(r"^define .*@((?:f32|f64|f16|bf16)_\w+)\(", written.read_text(), re.MULTILINE)
    return names, *result, raised.read_text()


EDGES = [0.0, -0.0, 1.0, -1.0, 0.5, 2.0, math.inf, -math.inf, math.nan, 1e-40, 3e38]


def numbers(generator, count):
    for _ in range(count):
        scale = generator.choice([1.0, 1.0, 10.0])
        yield tuple(generator.uniform(-scale, scale) for _ in range(3))
    yield from itertools.product(EDGES, EDGES, [1.5])


def call_wide(library, name, x):
    kind = ctypes.c_float if name.startswith("f32") else ctypes.c_double
    function = library[name]
    function.argtypes, function.restype = [kind] * 3, kind
    return function(*x)


def to_bits(value, is_half):
    with np.errstate(over="ignore"):
        return int(np.float16(value).view(np.uint16)) if is_half else int(np.float32(value).view(np.uint32) >> 16)


def from_bits(bits, is_half):
    return float(np.uint16(bits).view(np.float16)) if is_half else float(np.uint32(bits << 16).view(np.float32))


def call_narrow(library, name, x):
    is_half = name.startswith("f16")
    result = (ctypes.c_uint16 * 1)()
    library[name](result, (ctypes.c_uint16 * 3)(*(to_bits(v, is_half) for v in x)))
    return from_bits(result[0], is_half)


# In units in the last place: functions of half that are rounded once where the header rounds twice, or the reverse.
TOLERANCE = {"f16": 2.0**-10, "bf16": 2.0**-7, "f32": 2.0**-22, "f64": 2.0**-51}


def differs(call, libraries, name, tolerance):
    for x in numbers(random.Random(name), 200):
        expected, actual = (call(library, name, x) for library in libraries)
        if math.isfinite(expected):
            if abs(actual - expected) > tolerance * abs(expected):
                return name, x, actual, expected
        elif repr(actual) != repr(expected):
            return name, x, actual, expected
    return None


@pytest.mark.parametrize(("kind", "least"), [("f32", 120), ("f64", 110), ("f16", 40), ("bf16", 35)])
def test_same_values(libraries, kind, least):
    names, written, raised, _ = libraries
    names = [name for name in names if name.startswith(kind + "_")]
    assert len(names) >= least
    call = call_narrow if kind in ("f16", "bf16") else call_wide
    wrong = [differs(call, (written, raised), name, TOLERANCE[kind]) for name in names]
    assert not [case for case in wrong if case]


def test_nothing_is_left(libraries):
    """Every canonical call is lowered."""
    text = libraries[3]
    assert "call" in text
    assert not re.search(r"@kernix\.", text)
