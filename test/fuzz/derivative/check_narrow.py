"""Programs over 16-bit numbers against the same over double: values, tangents and gradients of threads on one path.

Each rounding is taken to be as large as the largest numbers around, so that only what is plainly wrong is found; the
double program is judged by check.py's differences under its own kind.
"""

from typing import Any

import generate
import ml_dtypes
import numpy as np

TOLERANCE = {"float16": 0.02, "bfloat16": 0.15}


def check(module: Any, seed: int, made: dict[str, Any]) -> tuple[list[str], int]:
    """What is wrong, and how many threads were judged."""
    type_name = generate.TYPES[generate.make(seed, "narrow").type]
    dtype = np.dtype(ml_dtypes.bfloat16) if type_name == "bfloat16" else np.dtype(type_name)
    x, w = made["x"].astype(dtype), made["w"].astype(dtype)
    threads = len(x)
    launch = {"k": made["k"], "n": threads, "grid": 1, "block": 32}
    random = np.random.default_rng(seed + 1)
    cotangent = random.uniform(-1, 1, (threads, generate.OUTPUTS)).astype(dtype)
    directions = {"x": random.uniform(-1, 1, x.shape).astype(dtype), "w": random.uniform(-1, 1, w.shape).astype(dtype)}
    found: list[dict[str, Any]] = []
    for twin, function, to in ((f"t{seed}", f"f{seed}", dtype), (f"u{seed}", f"d{seed}", np.dtype("float64"))):
        inputs = [x.astype(to), w.astype(to)]
        y, path = np.zeros((threads, generate.OUTPUTS), to), np.zeros(threads, "uint64")
        module[twin](xs=inputs[0], ws=inputs[1], ys=y, h=path, **launch)
        backward = module[function].bwd(xs=inputs[0], ws=inputs[1], ys=(None, cotangent.astype(to)), **launch)
        tangents = [
            module[function].fwd(
                xs=(inputs[0], directions["x"].astype(to) * (which == "x")),
                ws=(inputs[1], directions["w"].astype(to) * (which == "w")),
                ys=(np.zeros_like(y), np.zeros_like(y)),
                **launch,
            ).ys[1]
            for which in ("x", "w")
        ]
        found.append({"path": path, "y": y, "x": backward.xs, "w": backward.ws, "dx": tangents[0], "dw": tangents[1]})
    narrow, wide = found
    same = narrow["path"] == wide["path"]
    problems = []
    for name in ("y", "x", "dx", "dw", "w"):
        if name == "w" and not same.all():
            continue
        one, two = (np.asarray(each[name], "float64") for each in (narrow, wide))
        if name != "w":
            one, two = one[same], two[same]
        # Beyond the range of the narrow type, and what overflowed on the way there.
        with np.errstate(all="ignore"):
            known = np.isfinite(one) & (np.abs(two) < 1e3)
            size = 1 + (np.abs(two[known]).max() if known.any() else 0)
            bad = known & (np.abs(one - two) > TOLERANCE[type_name] * size * (len(x) if name == "w" else 1) ** 0.5)
        if bad.any():
            at = tuple(int(place) for place in np.argwhere(bad)[0])
            problems.append(f"{name}{list(at)}: {type_name} {one[at]:.5g}, double {two[at]:.5g}")
    return problems, int(same.sum())
