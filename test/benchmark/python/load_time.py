#!/usr/bin/env python3
"""What `import kernix` and `kernix.load` of a small file take, each in fresh processes: cold, and from the cache.

The processes time themselves, after the interpreter has started; hyperfine would add its start to every figure.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
SOURCE = os.path.join(HERE, "sources", "calls.cu")
COLD_SECONDS, WARM_SECONDS = 5.0, 0.050

CHILD = """
import json, sys, time
start = time.perf_counter()
import kernix
imported = time.perf_counter()
kernix.load(sys.argv[1], sys.argv[2]).nothing
loaded = time.perf_counter()
frameworks = sorted({"torch", "jax", "numpy", "tvm_ffi"} & set(sys.modules))
print(json.dumps([imported - start, loaded - imported, frameworks]))
"""


def child(target: str, cache: str) -> tuple[float, float, list[str]]:
    environment = dict(os.environ, KERNIX_CACHE_DIR=cache, KERNIX_VERBOSE="0")
    command = [sys.executable, "-c", CHILD, SOURCE, target]
    result = subprocess.run(command, env=environment, stdout=subprocess.PIPE, check=True)
    imported, loaded, frameworks = json.loads(result.stdout)
    return imported, loaded, frameworks


def report(what: str, seconds: list[float], most: float | None) -> bool:
    median, fastest, slowest = statistics.median(seconds), min(seconds), max(seconds)
    met = most is None or median <= most
    verdict = "" if most is None else f"  at most {most * 1000:.0f} ms: {'met' if met else 'MISSED'}"
    print(f"{what:24} {median * 1000:8.1f} ms ({fastest * 1000:.1f} to {slowest * 1000:.1f}, {len(seconds)} runs){verdict}")
    return met


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--target", default="cpu", choices=["cpu", "cuda"])
    parser.add_argument("--cold", type=int, default=5, help="builds")
    parser.add_argument("--warm", type=int, default=21, help="loads from the cache")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        cold = [child(arguments.target, os.path.join(folder, str(i)))[1] for i in range(arguments.cold)]
        # A source that changed just now is hashed again at each load; one that rests is recognised by its time stamp.
        time.sleep(2.1)
        child(arguments.target, os.path.join(folder, "warm"))
        warm = [child(arguments.target, os.path.join(folder, "warm")) for _ in range(arguments.warm)]
    met = report(f"load cold, {arguments.target}", cold, COLD_SECONDS)
    met &= report(f"load warm, {arguments.target}", [loaded for _, loaded, _ in warm], WARM_SECONDS)
    report("import kernix", [imported for imported, _, _ in warm], None)
    if frameworks := {name for _, _, names in warm for name in names}:
        print(f"imported along: {', '.join(sorted(frameworks))}: MISSED, none of them should be")
        met = False
    return 0 if met else 1


if __name__ == "__main__":
    sys.exit(main())
