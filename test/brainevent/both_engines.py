"""brainevent's own tests on a GPU: the same with kernix and with brainevent's engine, side by side.

Usage: both_engines.py [--seconds N] [--output FOLDER] [--engines kernix brainevent] [MODULE...]   (needs pytest-xdist)

Ends with status 1 if kernix fails where brainevent's engine passes, or if nothing was run.
"""

import argparse
import importlib.util
import os
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree as ElementTree
from collections import Counter
from pathlib import Path

HERE = Path(__file__).parent
MODULES = [
    "_op.kernix_pipeline_test", "_op.kernix_codegen_test", "_csr.float_test", "_csr.binary_test", "_csr.slice_test",
    "_csr.plasticity_binary_test", "_csr.dt2t_test", "_csr.delay_test", "_csr.delay_layout_test", "_csr.main_test",
    "_dense.binary_test", "_dense.plasticity_binary_test", "_event.compact_test", "_fcn.binary_test", "_fcn.float_test",
    "_fcn.plasticity_binary_test", "_fcn.main_test", "_jit_scalar.float_test", "_jit_scalar.binary_test",
    "_jit_normal.float_test", "_jit_normal.binary_test", "_jit_uniform.float_test", "_jit_uniform.binary_test",
]  # fmt: skip
Outcomes = dict[str, str]


def run(engine: str, modules: list[str], seconds: float, output: Path) -> Outcomes:
    """What became of each test."""
    report = output / f"{engine}.xml"
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "own_tests", f"--engine={engine}"]
    command += ["--cuda-kernels", f"--seconds={seconds}", "-m", "", "--tb=short", f"--junitxml={report}"]
    (package,) = importlib.util.find_spec("brainevent").submodule_search_locations  # type: ignore[union-attr, misc]
    command += [f"--rootdir={Path(package).parent}", "-c", os.devnull]  # for names of tests with their file
    command += ["-n", str(min(14, os.cpu_count() or 1)), "--dist", "worksteal"]
    command += ["--pyargs", *(f"brainevent.{module}" for module in modules)]
    path = os.pathsep.join([str(HERE), *filter(None, [os.environ.get("PYTHONPATH")])])
    environment = {**os.environ, "PYTHONPATH": path, "BRAINEVENT_CACHE_DIR": str(output / "brainevent-cache")}
    start = time.monotonic()
    with (output / f"{engine}.log").open("w") as log:
        subprocess.run(command, cwd=output, env=environment, stdout=log, stderr=subprocess.STDOUT, check=False)
    if not report.exists():
        sys.exit((output / f"{engine}.log").read_text()[-4000:])
    outcomes = {}
    for case in ElementTree.parse(report).iter("testcase"):
        children = {child.tag: child.get("message", "") for child in case}
        outcome = "failed" if {"failure", "error"} & set(children) else "passed"
        if "skipped" in children:
            outcome = "out of time" if "out of time" in children["skipped"] else "skipped"
        outcomes[f"{case.get('classname')}::{case.get('name')}".removeprefix("brainevent.")] = outcome
    print(f"{engine}: {len(outcomes)} tests in {time.monotonic() - start:.0f} s, {summary(outcomes)}", flush=True)
    return outcomes


def summary(outcomes: Outcomes) -> str:
    count = Counter(outcomes.values())
    return ", ".join(f"{count[what]} {what}" for what in ("passed", "failed", "skipped", "out of time"))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=900, help="for each engine; what would start later is skipped")
    parser.add_argument("--output", type=Path, default=None)
    parser.add_argument("--engines", nargs="+", default=["kernix", "brainevent"])
    parser.add_argument("modules", nargs="*", default=MODULES)
    options = parser.parse_args()
    output = (options.output or Path(tempfile.mkdtemp())).absolute()
    output.mkdir(parents=True, exist_ok=True)
    results = {engine: run(engine, options.modules, options.seconds, output) for engine in options.engines}
    for module in options.modules:
        for engine, outcomes in results.items():
            prefix = (f"{module}::", f"{module}.")
            print(f"{module:36} {engine:10} {summary({k: v for k, v in outcomes.items() if k.startswith(prefix)})}")
    kernix = results.get("kernix", {})
    worse = []
    for name, outcome in sorted(kernix.items()):
        other = results.get("brainevent", {}).get(name)
        if outcome == "failed":
            print(f"failed with kernix: {name} (with brainevent's engine: {other})")
            worse += [name] if other in ("passed", None) else []
    for name, outcome in sorted(results.get("brainevent", {}).items()):
        if outcome == "failed" and kernix.get(name) == "passed":
            print(f"failed with brainevent's engine, passed with kernix: {name}")
    total = Counter(kernix.values())
    print(f"{total['passed']} passed, {len(worse)} failed, {total['skipped'] + total['out of time']} skipped")
    return 1 if worse or not total["passed"] else 0


if __name__ == "__main__":
    sys.exit(main())
