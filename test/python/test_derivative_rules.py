"""Every rule of plugin/Derivative/Rules/ in float and double: at random points against derivatives computed with 50
digits, at the edges against PyTorch.

The plugin itself writes the code under test: the pass kernix-rules makes `sin_f32` and `d_sin_f32` of every rule, and
opt and clang make a library of them. A rule without an entry here fails test_every_rule_has_a_case.
"""

import ctypes
import itertools
import math
import os
import random
import re
import shutil
import subprocess

import mpmath
import numpy as np
import pytest
import torch

LLVM = os.environ.get("KERNIX_LLVM_TOOLS", "/usr/lib/llvm-22/bin")
ROOT = os.path.join(os.path.dirname(__file__), "..", "..", "build", "kernix")
PLUGIN = os.path.join(os.environ.get("KERNIX_ROOT", ROOT), "lib", "kernix.so")

pytestmark = pytest.mark.skipif(not shutil.which(os.path.join(LLVM, "opt")), reason="needs LLVM's opt")

mp = mpmath.mp.clone() if hasattr(mpmath.mp, "clone") else mpmath.mp
mp.dps = 50

# ---- What is tested ----


class Int:
    """An operand that is an integer."""

    def __init__(self, *values):
        self.values = values


def real_pow(x, y):
    return mp.power(x, y)


def real_root(x, n):
    return mp.sign(x) * mp.root(abs(x), n)


def bessel(f):
    return lambda n, x: f(int(n), x)


def log_gamma(x):
    return mp.log(abs(mp.gamma(x)))


def norm(*x):
    return mp.sqrt(sum(v * v for v in x))


def digamma_like(n, x):
    return mp.psi(int(n), x)


def fmod(x, y):
    q = x / y
    return x - y * (mp.floor(q) if q >= 0 else mp.ceil(q))


def remainder(x, y):
    return x - y * mp.nint(x / y)


def erfcinv(x):
    return mp.erfinv(1 - x)


def normcdfinv(p):
    return mp.sqrt(2) * mp.erfinv(2 * p - 1)


# name: (exact function, a range for each operand, ...); several groups of ranges where the domain has parts.
UNIT = (-0.98, 0.98)
CASES = {
    "exp": (mp.exp, [(-20, 20)]),
    "exp2": (lambda x: mp.power(2, x), [(-20, 20)]),
    "exp10": (lambda x: mp.power(10, x), [(-8, 8)]),
    "expm1": (mp.expm1, [(-3, 10)]),
    "log": (mp.log, [(1e-3, 100)]),
    "log2": (lambda x: mp.log(x, 2), [(1e-3, 100)]),
    "log10": (mp.log10, [(1e-3, 100)]),
    "log1p": (mp.log1p, [(-0.9, 10)]),
    "sinh": (mp.sinh, [(-10, 10)]),
    "cosh": (mp.cosh, [(-10, 10)]),
    "tanh": (mp.tanh, [(-3, 3)]),
    "asinh": (mp.asinh, [(-100, 100)]),
    "acosh": (mp.acosh, [(1.01, 100)]),
    "atanh": (mp.atanh, [UNIT]),
    "sin": (mp.sin, [(-50, 50)]),
    "cos": (mp.cos, [(-50, 50)]),
    "tan": (mp.tan, [(-1.5, 1.5)]),
    "sinpi": (mp.sinpi, [(-50, 50)]),
    "cospi": (mp.cospi, [(-50, 50)]),
    "asin": (mp.asin, [UNIT]),
    "acos": (mp.acos, [UNIT]),
    "atan": (mp.atan, [(-20, 20)]),
    "atan2": (mp.atan2, [(-10, 10), (0.1, 10)], [(0.1, 10), (-10, 10)], [(-10, -0.1), (-10, 10)]),
    "sqrt": (mp.sqrt, [(1e-3, 100)]),
    "rsqrt": (lambda x: 1 / mp.sqrt(x), [(1e-3, 100)]),
    "cbrt": (lambda x: real_root(x, 3), [(0.1, 100)], [(-100, -0.1)]),
    "rcbrt": (lambda x: 1 / real_root(x, 3), [(0.1, 100)], [(-100, -0.1)]),
    "pow": (real_pow, [(0.01, 10), (-5, 5)]),
    "powi": (real_pow, [(0.1, 5), Int(-9, -2, -1, 0, 1, 2, 3, 8)], [(-5, -0.1), Int(-9, -2, -1, 0, 1, 2, 3, 8)]),
    "hypot": (norm, [(-10, 10), (0.1, 10)], [(-10, 10), (-10, -0.1)]),
    "rhypot": (lambda *x: 1 / norm(*x), [(-10, 10), (0.1, 10)]),
    "norm3d": (norm, [(-10, 10), (-10, 10), (0.1, 10)]),
    "norm4d": (norm, [(-10, 10), (-10, 10), (-10, 10), (0.1, 10)]),
    "rnorm3d": (lambda *x: 1 / norm(*x), [(-10, 10), (-10, 10), (0.1, 10)]),
    "rnorm4d": (lambda *x: 1 / norm(*x), [(-10, 10), (-10, 10), (-10, 10), (0.1, 10)]),
    "erf": (mp.erf, [(-2, 2)]),
    "erfc": (mp.erfc, [(-2, 3)]),
    "erfcx": (lambda x: mp.exp(x * x) * mp.erfc(x), [(-2, 5)], [(5, 20)], [(40, 1000)]),
    "erfinv": (mp.erfinv, [(-0.99, 0.99)]),
    "erfcinv": (erfcinv, [(0.01, 1.99)]),
    "normcdf": (mp.ncdf, [(-4, 4)]),
    "normcdfinv": (normcdfinv, [(0.01, 0.99)]),
    "lgamma": (log_gamma, [(0.05, 50)], [(-9.95, -9.05)], [(-0.95, -0.05)], [(-2.9, -2.1)]),
    "tgamma": (mp.gamma, [(0.05, 10)], [(-2.9, -2.1)], [(-0.95, -0.05)]),
    "digamma": (mp.digamma, [(0.05, 50)], [(-9.95, -9.05)], [(-0.95, -0.05)]),
    "polygamma": (digamma_like, [Int(1, 2, 3), (0.1, 50)], [Int(1, 2, 3), (-3.9, -3.1)], [Int(1, 2), (-0.9, -0.1)]),
    "j0": (lambda x: mp.besselj(0, x), [(-20, 20)]),
    "j1": (lambda x: mp.besselj(1, x), [(-20, 20)]),
    "jn": (bessel(mp.besselj), [Int(2, 3, 5), (0.5, 20)]),
    "y0": (lambda x: mp.bessely(0, x), [(0.5, 20)]),
    "y1": (lambda x: mp.bessely(1, x), [(0.5, 20)]),
    "yn": (bessel(mp.bessely), [Int(2, 3, 5), (1.5, 20)]),
    "cyl_bessel_i0": (lambda x: mp.besseli(0, x), [(-10, 10)]),
    "cyl_bessel_i1": (lambda x: mp.besseli(1, x), [(-10, 10)]),
    "fabs": (abs, [(-10, 10)]),
    "copysign": (lambda x, y: abs(x) * (1 if y >= 0 else -1), [(-10, 10), (0.1, 10)], [(-10, 10), (-10, -0.1)]),
    "minnum": (min, [(-10, 10), (-10, 10)]),
    "maxnum": (max, [(-10, 10), (-10, 10)]),
    "minimumnum": (min, [(-10, 10), (-10, 10)]),
    "maximumnum": (max, [(-10, 10), (-10, 10)]),
    "minimum": (min, [(-10, 10), (-10, 10)]),
    "maximum": (max, [(-10, 10), (-10, 10)]),
    "fdim": (lambda x, y: max(x - y, 0), [(-10, 10), (-10, 10)]),
    "saturate": (lambda x: min(max(x, 0), 1), [(0.01, 0.99)], [(-5, -0.1)], [(1.1, 5)]),
    "fmod": (fmod, [(-50, 50), (0.5, 5)], [(-50, 50), (-5, -0.5)]),
    "remainder": (remainder, [(-50, 50), (0.5, 5)], [(-50, 50), (-5, -0.5)]),
    "nextafter": (lambda x, y: x + 0 * y, [(-10, 10), (20, 30)]),
    "ldexp": (lambda x, n: x * mp.power(2, n), [(-10, 10), Int(-20, -1, 0, 1, 7)]),
    "fma": (lambda x, y, z: x * y + z, [(-10, 10)] * 3),
    "fmuladd": (lambda x, y, z: x * y + z, [(-10, 10)] * 3),
    "lerp": (lambda a, b, t: a + t * (b - a), [(-10, 10), (-10, 10), (-1, 2)]),
    "fdivide": (lambda x, y: x / y, [(-10, 10), (0.1, 10)], [(-10, 10), (-10, -0.1)]),
    "arithmetic_fence": (lambda x: x, [(-10, 10)]),
    "modf_fraction": (lambda x: x - (mp.floor(x) if x >= 0 else mp.ceil(x)), [(-50, 50)]),
    "frexp_mantissa": (lambda x: mp.frexp(x)[0], [(1e-3, 100)], [(-100, -1e-3)]),
    "rsqrt_rn": (lambda x: 1 / mp.sqrt(x), [(1e-3, 100)]),
    "sqrt_rn": (mp.sqrt, [(1e-3, 100)]),
}
for rounding in ["rz", "ru", "rd"]:
    CASES |= {
        f"add_{rounding}": (lambda x, y: x + y, [(-10, 10), (-10, 10)]),
        f"sub_{rounding}": (lambda x, y: x - y, [(-10, 10), (-10, 10)]),
        f"mul_{rounding}": (lambda x, y: x * y, [(-10, 10), (-10, 10)]),
        f"div_{rounding}": (lambda x, y: x / y, [(-10, 10), (0.1, 10)]),
        f"fma_{rounding}": (lambda x, y, z: x * y + z, [(-10, 10)] * 3),
        f"rcp_{rounding}": (lambda x: 1 / x, [(0.1, 10)], [(-10, -0.1)]),
        f"sqrt_{rounding}": (mp.sqrt, [(1e-3, 100)]),
        f"double2float_{rounding}": (lambda x: x, [(-10, 10)]),
    }
# The rule for pow looks at an exponent that is a constant.
EXPONENTS = {"minus_two": -2.0, "minus_one": -1.0, "minus_half": -0.5, "zero": 0.0, "half": 0.5, "one": 1.0}
EXPONENTS |= {"one_half": 1.5, "two": 2.0, "three": 3.0, "four": 4.0, "five": 5.0, "2_3": 2.3}
for word, exponent in EXPONENTS.items():
    for suffix in ["", "i"] if exponent == int(exponent) else [""]:
        negative = [[(-10, -0.1)]] if exponent == int(exponent) else []
        CASES[f"pow_{word}{suffix}"] = (lambda x, e=exponent: mp.power(x, e), [(0.1, 10)], *negative)
# CUDA has these in single precision alone.
SINGLE = {"saturate", "fdivide", "rsqrt_rn"} | {f"double2float_{rounding}" for rounding in ["rz", "ru", "rd"]}
PARAMETERS = [(name, bits) for name in sorted(CASES) for bits in (32, 64) if bits == 32 or name not in SINGLE]

# ---- The library ----

MODULE = 'target triple = "x86_64-unknown-linux-gnu"\n'


def tool(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    folder = tmp_path_factory.mktemp("rules")
    empty, ir, shared = folder / "empty.ll", folder / "rules.ll", folder / "rules.so"
    empty.write_text(MODULE)
    tool(f"{LLVM}/opt", f"-load-pass-plugin={PLUGIN}", "-passes=kernix-rules,kernix-lower,verify", empty, "-S", "-o", ir)
    tool(f"{LLVM}/clang", "-Wno-override-module", "-O1", "-shared", "-fPIC", ir, "-o", shared, "-lm")
    result = ctypes.CDLL(str(shared))
    result.functions = {}
    for name, arguments in re.findall(r"^define \w+ @([\w.]+)\(([^)]*)\)", ir.read_text(), re.MULTILINE):
        if not name.startswith("kernix_"):
            result.functions[name] = [word.split()[0] for word in arguments.split(",")]
    return result


C_TYPES = {"float": ctypes.c_float, "double": ctypes.c_double, "i32": ctypes.c_int32}


def function(library, name, bits):
    symbol = f"{name}_f{bits}"
    result = library[symbol]
    result.argtypes = [C_TYPES[t] for t in library.functions[symbol]]
    result.restype = ctypes.c_float if bits == 32 else ctypes.c_double
    return result


def of_numbers(names):
    """Those of complex numbers have two results, and tests of their own: test_complex_functions.py."""
    return sorted(name for name in names if not name.startswith("complex_"))


def rules(library):
    return of_numbers(name[2:-4] for name in library.functions if name.startswith("d_") and name.endswith("_f32"))


def test_every_rule_has_a_case(library):
    assert set(rules(library)) == set(CASES)
    assert len(rules(library)) > 60
    for name, bits in PARAMETERS:
        assert f"d_{name}_f{bits}" in library.functions


# ---- Random points ----


def points(name, bits, count=40):
    generator = random.Random(name)
    narrow = np.float32 if bits == 32 else np.float64
    for ranges in CASES[name][1:]:
        for _ in range(count):
            yield [
                generator.choice(r.values) if isinstance(r, Int) else float(narrow(generator.uniform(*r))) for r in ranges
            ]


# Relative error, in units of the type's precision, beyond what the function's own accuracy explains.
UNITS = {
    "erfcx": 20000,
    "erfinv": 200,
    "erfcinv": 200,
    "normcdfinv": 200,
    "normcdf": 100,
    "tgamma": 400,
    "lgamma": 100,
    "digamma": 100,
    "polygamma": 1000,
    "pow": 100,
    "jn": 500,
    "yn": 500,
    "atanh": 100,
    "tanh": 400,
    "expm1": 100,
    "cosh": 100,
}


@pytest.mark.parametrize(("name", "bits"), PARAMETERS)
def test_random_points(library, name, bits):
    exact, derivative = CASES[name][0], function(library, f"d_{name}", bits)
    epsilon = 2.0 ** (-23 if bits == 32 else -52)
    tolerance = UNITS.get(name, 16) * epsilon
    for x in points(name, bits):
        for operand, value in enumerate(x):
            if isinstance(value, int):
                continue

            def along(t, x=x, operand=operand):
                return exact(*(t if i == operand else mp.mpf(v) for i, v in enumerate(x)))

            expected = mp.diff(along, mp.mpf(value))
            actual = derivative(operand, 1.0, *x)
            error = abs(mp.mpf(actual) - expected)
            assert error <= tolerance * max(1, abs(expected)), (x, operand, actual, float(expected))


@pytest.mark.parametrize(("name", "bits"), PARAMETERS)
def test_linear_in_by(library, name, bits):
    derivative = function(library, f"d_{name}", bits)
    for x in itertools.islice(points(name, bits), 10):
        for operand, value in enumerate(x):
            if isinstance(value, int):
                continue
            once = derivative(operand, 1.0, *x)
            assert derivative(operand, -3.0, *x) == pytest.approx(-3 * once, rel=1e-6 if bits == 32 else 1e-14, abs=1e-30)
            assert derivative(operand, 0.0, *x) == 0.0


# ---- Edges ----

PYTORCH = {
    "exp": torch.exp,
    "exp2": torch.exp2,
    "expm1": torch.expm1,
    "log": torch.log,
    "log2": torch.log2,
    "log10": torch.log10,
    "log1p": torch.log1p,
    "sinh": torch.sinh,
    "cosh": torch.cosh,
    "tanh": torch.tanh,
    "asinh": torch.asinh,
    "acosh": torch.acosh,
    "atanh": torch.atanh,
    "sin": torch.sin,
    "cos": torch.cos,
    "tan": torch.tan,
    "asin": torch.asin,
    "acos": torch.acos,
    "atan": torch.atan,
    "atan2": torch.atan2,
    "sqrt": torch.sqrt,
    "rsqrt": torch.rsqrt,
    "pow": torch.pow,
    "hypot": torch.hypot,
    "norm3d": lambda *x: torch.linalg.vector_norm(torch.stack(x)),
    "norm4d": lambda *x: torch.linalg.vector_norm(torch.stack(x)),
    "erf": torch.erf,
    "erfc": torch.erfc,
    "erfcx": torch.special.erfcx,
    "erfinv": torch.erfinv,
    "normcdf": torch.special.ndtr,
    "normcdfinv": torch.special.ndtri,
    "lgamma": torch.lgamma,
    "digamma": torch.digamma,
    "cyl_bessel_i0": torch.special.i0,
    "cyl_bessel_i1": torch.special.i1,
    "fabs": torch.abs,
    "copysign": torch.copysign,
    "minnum": lambda x, y: torch.where(x == y, torch.minimum(x, y), torch.fmin(x, y)),
    "maxnum": lambda x, y: torch.where(x == y, torch.maximum(x, y), torch.fmax(x, y)),
    "minimumnum": lambda x, y: torch.where(x == y, torch.minimum(x, y), torch.fmin(x, y)),
    "maximumnum": lambda x, y: torch.where(x == y, torch.maximum(x, y), torch.fmax(x, y)),
    "minimum": torch.minimum,
    "maximum": torch.maximum,
    "saturate": lambda x: torch.clamp(x, 0, 1),
    "fmod": torch.fmod,
}

for word, exponent in EXPONENTS.items():
    for suffix in ["", "i"] if exponent == int(exponent) else [""]:
        PYTORCH[f"pow_{word}{suffix}"] = lambda x, e=exponent: torch.pow(x, e)

INF, NAN = math.inf, math.nan
EDGES = [0.0, -0.0, 1.0, -1.0, 0.5, 2.0, -2.0, -3.0, INF, -INF, NAN]


def small_and_large(bits):
    return [1e-40, -1e-40, 1e37, -1e37] if bits == 32 else [1e-310, -1e-310, 1e300, -1e300]


def torch_gradient(f, x, operand, bits):
    dtype = torch.float32 if bits == 32 else torch.float64
    tensors = [torch.tensor(v, dtype=dtype, requires_grad=i == operand) for i, v in enumerate(x)]
    f(*tensors).backward()
    return tensors[operand].grad.item()


# PyTorch's trigamma is that far off.
INACCURATE = {"digamma": 1e-8}


def same(a, b, bits, tolerance=0.0):
    if math.isnan(a) or math.isnan(b):
        return math.isnan(a) and math.isnan(b)
    if math.isinf(a) or math.isinf(b):
        return a == b
    return abs(a - b) <= max(tolerance, 1000 * 2.0 ** (-23 if bits == 32 else -52)) * max(1, abs(b))


def is_pole(x):
    return x < 0 and (math.isinf(x) or x == math.floor(x))


# Where kernix is not like PyTorch: the values are in docs/derivative_rules.md.
EXCEPTIONS = {
    # Outside the domain.
    "acosh": lambda x, _: x[0] == -1,
    # PyTorch's x^2 + y^2 is infinite or nothing.
    "atan2": lambda x, _: any(math.isinf(v) for v in x) or all(abs(v) < 1e-30 for v in x),
    # PyTorch divides an infinity by itself.
    "copysign": lambda x, _: not math.isfinite(x[0]),
    "cyl_bessel_i0": lambda x, _: math.isinf(x[0]),
    "erfcx": lambda x, _: math.isinf(x[0]),
    # Infinite; PyTorch has some large number.
    "digamma": lambda x, _: is_pole(x[0]),
    # The function itself is not a number.
    "fmod": lambda x, _: x[1] == 0 or math.isinf(x[0]),
    # Two NaNs: neither has been chosen.
    **dict.fromkeys(
        ["minnum", "maxnum", "minimumnum", "maximumnum"], lambda x, _: math.isnan(x[0]) and math.isnan(x[1])
    ),
    # C's norm of an infinity and a NaN is infinite, PyTorch's a NaN.
    "norm3d": lambda x, _: any(map(math.isnan, x)) and any(map(math.isinf, x)),
    "norm4d": lambda x, _: any(map(math.isnan, x)) and any(map(math.isinf, x)),
}


@pytest.mark.parametrize(("name", "bits"), [case for case in PARAMETERS if case[0] in PYTORCH])
def test_edges_are_those_of_pytorch(library, name, bits):
    derivative = function(library, f"d_{name}", bits)
    arity = len(CASES[name][1])
    values = EDGES + small_and_large(bits) if arity <= 2 else [0.0, 1.0, INF, NAN]
    wrong = []
    for x in itertools.product(values, repeat=arity):
        for operand in range(arity):
            if name in EXCEPTIONS and EXCEPTIONS[name](x, operand):
                continue
            expected = torch_gradient(PYTORCH[name], x, operand, bits)
            actual = derivative(operand, 1.0, *x)
            if not same(actual, expected, bits, INACCURATE.get(name, 0.0)):
                wrong.append((x, operand, actual, expected))
    assert not wrong


@pytest.mark.parametrize(("name", "bits"), [(name, bits) for name in ("fabs", "copysign", "norm3d") for bits in (32, 64)])
def test_infinite_gradients_are_those_of_pytorch(library, name, bits):
    """Times a derivative of 0 they are NaN, in both modes: what comes before the function makes it one in the other."""
    derivative = function(library, f"d_{name}", bits)
    dtype = torch.float32 if bits == 32 else torch.float64
    for x in itertools.product([0.0, -0.0, 1.0, -2.0], repeat=len(CASES[name][1])):
        for by in (INF, -INF, NAN):
            for operand in range(1 if name == "copysign" else len(x)):
                tensors = [torch.tensor(v, dtype=dtype, requires_grad=i == operand) for i, v in enumerate(x)]
                PYTORCH[name](*tensors).backward(torch.tensor(by, dtype=dtype))
                assert same(derivative(operand, by, *x), tensors[operand].grad.item(), bits), (x, by, operand)


# Slopes of numbers whose squares, or the sums of them, are infinite or nothing.
SCALED = {
    "atan2": lambda k, y, x: (x, -y)[k] / (x * x + y * y),
    "hypot": lambda k, *x: x[k] / norm(*x),
    "rhypot": lambda k, *x: -x[k] / norm(*x) ** 3,
    "norm3d": lambda k, *x: x[k] / norm(*x),
    "norm4d": lambda k, *x: x[k] / norm(*x),
    "rnorm3d": lambda k, *x: -x[k] / norm(*x) ** 3,
    "rnorm4d": lambda k, *x: -x[k] / norm(*x) ** 3,
    "asinh": lambda k, x: 1 / mp.sqrt(x * x + 1),
    "acosh": lambda k, x: 1 / mp.sqrt((x - 1) * (x + 1)),
    "rsqrt": lambda k, x: -1 / (2 * x * mp.sqrt(x)),
    "sqrt": lambda k, x: 1 / (2 * mp.sqrt(x)),
    "cbrt": lambda k, x: 1 / (3 * mp.cbrt(x) ** 2),
    "rcbrt": lambda k, x: -1 / (3 * x * mp.cbrt(x)),
    "fdivide": lambda k, x, y: 1 / y if k == 0 else -x / y**2,
}


@pytest.mark.parametrize(("name", "bits"), [(n, b) for n in sorted(SCALED) for b in (32, 64) if b == 32 or n not in SINGLE])
def test_squares_may_overflow(library, name, bits):
    derivative, arity = function(library, f"d_{name}", bits), len(CASES[name][1])
    narrow, least, most = (np.float32, 1e-37, 3e38) if bits == 32 else (np.float64, 1e-307, 1e308)
    scales = [1e-36, 1e-25, 1e-18, 1e-12, 1.5, 1e12, 1e17, 1e20, 1e25, 1e37]
    scales += [] if bits == 32 else [1e-306, 1e-200, 1e-150, 1e-100, 1e100, 1e150, 1e200, 1e300]
    signs = [1, -1] if name not in ("acosh", "rsqrt", "sqrt", "cbrt", "rcbrt") else [1]
    checked = 0
    for first, second, sign in itertools.product(scales, [1.0, 0.75, 1e-3, 1e3], signs):
        x = [first, sign * first * second, 2 * first, -first][:arity]
        if any(abs(v) > most or abs(v) < least for v in x) or (name == "acosh" and x[0] < 1):
            continue
        x = [float(narrow(v)) for v in x]
        for operand in range(arity):
            expected = SCALED[name](operand, *map(mp.mpf, x))
            if least < abs(expected) < most:
                checked += 1
                error = abs(mp.mpf(derivative(operand, 1.0, *x)) / expected - 1)
                assert error < 32 * 2.0 ** (-23 if bits == 32 else -52), (x, operand, float(expected))
    assert checked > 20


# Functions that PyTorch does not have, and where it differs: (operands, operand, derivative).
EXPLICIT = [
    ("acosh", (1.0,), 0, INF),
    ("atan2", (0.0, 0.0), 0, 0.0),
    ("atan2", (-0.0, 0.0), 1, 0.0),
    ("atan2", (1.0, INF), 0, 0.0),
    ("atan2", (1.0, -INF), 1, 0.0),
    ("atan2", (INF, 1.0), 0, 0.0),
    ("atan2", (INF, INF), 0, NAN),
    ("atan2", (NAN, 0.0), 0, NAN),
    ("atan2", (0.0, NAN), 1, NAN),
    ("lerp", (2.0, 2.0, 0.25), 0, 0.75),
    ("lerp", (2.0, 2.0, 0.25), 1, 0.25),
    ("lerp", (2.0, 2.0, 0.25), 2, 0.0),
    ("lerp", (2.0, 3.0, 1.0), 2, 1.0),
    ("cbrt", (0.0,), 0, INF),
    ("cbrt", (-0.0,), 0, INF),
    ("cbrt", (INF,), 0, 0.0),
    ("rcbrt", (0.0,), 0, -INF),
    ("copysign", (INF, -1.0), 0, -1.0),
    ("copysign", (-INF, -1.0), 0, 1.0),
    ("copysign", (1.0, -0.0), 0, -1.0),
    ("cospi", (0.0,), 0, 0.0),
    ("cospi", (1e300,), 0, 0.0),
    ("sinpi", (1.0,), 0, -math.pi),
    ("sinpi", (INF,), 0, NAN),
    ("cyl_bessel_i0", (INF,), 0, INF),
    ("cyl_bessel_i1", (0.0,), 0, 0.5),
    ("digamma", (-1.0,), 0, INF),
    ("polygamma", (2, 0.0), 1, INF),
    ("polygamma", (1, -2.0), 1, NAN),
    ("erfcx", (INF,), 0, 0.0),
    ("erfcx", (-INF,), 0, -INF),
    ("erfcinv", (0.0,), 0, -INF),
    ("erfcinv", (2.0,), 0, -INF),
    ("erfcinv", (-1.0,), 0, NAN),
    ("exp10", (-INF,), 0, 0.0),
    ("exp10", (INF,), 0, INF),
    ("fdim", (1.0, 1.0), 0, 0.0),
    ("fdim", (1.0, 1.0), 1, 0.0),
    ("fdim", (2.0, 1.0), 1, -1.0),
    ("fma", (0.0, INF, 1.0), 0, INF),
    ("fma", (0.0, INF, 1.0), 2, 1.0),
    ("fmod", (1.0, INF), 0, 1.0),
    ("fmod", (1.0, INF), 1, 0.0),
    ("fmod", (1.0, 0.0), 1, NAN),
    ("fmod", (6.0, -3.0), 1, 2.0),
    ("remainder", (1.0, INF), 1, 0.0),
    ("remainder", (5.0, 3.0), 1, -2.0),
    ("remainder", (-5.0, 3.0), 1, 2.0),
    ("remainder", (1.5, 1.0), 1, -2.0),
    ("j0", (0.0,), 0, 0.0),
    ("j1", (0.0,), 0, 0.5),
    ("jn", (1, 0.0), 1, 0.5),
    ("jn", (2, 0.0), 1, 0.0),
    ("jn", (0, 1.0), 1, -0.44005058574493355),
    ("yn", (0, 1.0), 1, 0.7812128213002887),
    ("y0", (0.0,), 0, INF),
    ("ldexp", (0.0, 3), 0, 8.0),
    ("ldexp", (INF, -1), 0, 0.5),
    ("maxnum", (3.0, 3.0), 0, 0.5),
    ("maxnum", (NAN, 3.0), 1, 1.0),
    ("maxnum", (NAN, 3.0), 0, 0.0),
    ("minnum", (0.0, -0.0), 1, 0.5),
    ("nextafter", (0.0, 1.0), 0, 1.0),
    ("nextafter", (0.0, 1.0), 1, 0.0),
    ("norm3d", (0.0, 0.0, 0.0), 0, 0.0),
    ("rnorm3d", (0.0, 0.0, 0.0), 0, NAN),
    ("rhypot", (0.0, 0.0), 1, NAN),
    ("powi", (0.0, 0), 0, 0.0),
    ("powi", (0.0, 1), 0, 1.0),
    ("powi", (0.0, 2), 0, 0.0),
    ("powi", (0.0, -1), 0, -INF),
    ("powi", (-2.0, 3), 0, 12.0),
    ("powi", (2.0, -(2**31)), 0, 0.0),
    ("modf_fraction", (3.0,), 0, 1.0),
    ("modf_fraction", (INF,), 0, 1.0),
    ("frexp_mantissa", (0.0,), 0, 1.0),
    ("frexp_mantissa", (8.0,), 0, 0.0625),
    ("fdivide", (1.0, 0.0), 0, INF),
    ("fdivide", (1.0, 0.0), 1, -INF),
    ("sqrt_rn", (0.0,), 0, INF),
    ("tgamma", (1.0,), 0, -0.5772156649015329),
    ("tgamma", (0.0,), 0, -INF),
    ("tgamma", (-2.0,), 0, NAN),
    ("tgamma", (INF,), 0, INF),
]


@pytest.mark.parametrize(("name", "bits"), [case for case in PARAMETERS if case[0] in {e[0] for e in EXPLICIT}])
def test_explicit_edges(library, name, bits):
    derivative = function(library, f"d_{name}", bits)
    for _, x, operand, expected in (case for case in EXPLICIT if case[0] == name):
        if bits == 32 and any(isinstance(v, float) and math.isfinite(v) and abs(v) > 1e38 for v in x):
            continue
        assert same(derivative(operand, 1.0, *x), expected, bits), (x, operand, derivative(operand, 1.0, *x))


def test_every_rule_has_edges(library):
    alike = {"arithmetic_fence", "fmuladd", "y1", "rnorm4d", "rsqrt_rn"}  # like fma, y0, rnorm3d, rsqrt
    alike |= {name for name in CASES if name[-3:] in ("_rz", "_ru", "_rd")}
    assert set(rules(library)) - set(PYTORCH) - {case[0] for case in EXPLICIT} == alike


def test_derivatives_can_be_differentiated(tmp_path):
    """Whatever a rule calls has a rule itself."""
    empty, ir = tmp_path / "empty.ll", tmp_path / "rules.ll"
    empty.write_text(MODULE)
    tool(f"{LLVM}/opt", f"-load-pass-plugin={PLUGIN}", "-passes=kernix-rules", empty, "-S", "-o", ir)
    called = set(re.findall(r"call \w+ @kernix\.(?:fast\.)?(\w+)\.f(?:32|64)\(", ir.read_text()))
    assert len(called) > 70
    assert set(of_numbers(called)) - set(CASES) == {"frexp_exponent"}  # an integer
