"""One line on stderr for each thing that takes time.

The line is begun before the work and ended with its duration, so that a waiting user sees what is being waited for.
KERNIX_VERBOSE=0 silences it; errors and compiler output do not pass through here.
"""

import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager


def enabled() -> bool:
    return os.environ.get("KERNIX_VERBOSE", "1") != "0"


def say(text: str) -> None:
    if enabled():
        print(f"kernix: {text}", file=sys.stderr, flush=True)


@contextmanager
def timed(text: str) -> Iterator[None]:
    """Prints ``kernix: <text> ... 1.2 s``."""
    if not enabled():
        yield
        return
    print(f"kernix: {text} ...", end="", file=sys.stderr, flush=True)
    start = time.perf_counter()
    try:
        yield
    except BaseException:
        print(" failed", file=sys.stderr, flush=True)
        raise
    print(f" {time.perf_counter() - start:.1f} s", file=sys.stderr, flush=True)
