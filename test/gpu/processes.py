"""Launches that end with a message. The CUDA context is lost then, so that each has a process of its own."""

import os
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Any


def failure(source: Path, options: dict[str, Any], code: str) -> str:
    """All that is said of a failure: by the kernel, and by the error of the call. `code` runs with the module as `m`, in
    which nothing may fail but a kernel while it runs."""
    prologue = f"""
        import torch, kernix
        m = kernix.load({str(source)!r}, target="cuda", **{options!r})
        ones = lambda *shape: torch.ones(shape, dtype=torch.float64, device="cuda")
        zeros = lambda *shape: torch.zeros(shape, dtype=torch.float64, device="cuda")
        try:
    """
    epilogue = """
        except kernix.KernelError as error:
            print("at the call:", error)
        else:
            print("no error")
    """
    text = textwrap.dedent(prologue) + textwrap.indent(textwrap.dedent(code).strip(), "    ") + textwrap.dedent(epilogue)
    ran = subprocess.run(
        [sys.executable, "-c", text],
        env={**os.environ, "KERNIX_SYNC": "1"}, capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip
    said = ran.stdout + ran.stderr
    assert "at the call: " in ran.stdout and "failed while it ran (KERNIX_SYNC=1)" in ran.stdout, said
    return said
