"""What needs a GPU. Run by run.sh; without a GPU everything here is skipped."""

import os
import sys
from pathlib import Path
from typing import Any

import pytest

os.environ.setdefault("KERNIX_VERBOSE", "0")
os.environ.pop("KERNIX_TARGET", None)
sys.path.insert(0, str(Path(__file__).parent))

from kernix import gpu as gpus  # noqa: E402  (after the environment)
from kernix import load  # noqa: E402

collect_ignore: list[str] = []
if not gpus.driver().usable:
    collect_ignore += [path.name for path in Path(__file__).parent.glob("test_*.py")]


@pytest.fixture(scope="session", autouse=True)
def session_cache(tmp_path_factory: pytest.TempPathFactory) -> None:
    """A fresh cache, unless one is given: then repeated runs are faster."""
    if "KERNIX_CACHE_DIR" not in os.environ:
        os.environ["KERNIX_CACHE_DIR"] = str(tmp_path_factory.mktemp("cache"))


@pytest.fixture(scope="session", autouse=True)
def first_device() -> None:
    """XLA, of which some tests ask for its devices as they are collected, leaves the last one current."""
    import torch

    torch.cuda.set_device(0)


@pytest.fixture(scope="module")
def gpu(request: pytest.FixtureRequest) -> Any:
    """The module of the file that a test file calls its SOURCE, built with its OPTIONS if it has some."""
    return load(request.module.SOURCE, target="cuda", **getattr(request.module, "OPTIONS", {}))


@pytest.fixture(scope="module")
def cpu(request: pytest.FixtureRequest) -> Any:
    return load(request.module.SOURCE, target="cpu", **getattr(request.module, "OPTIONS", {}))


@pytest.fixture(scope="session")
def maps() -> Any:
    from bank import module

    return module("maps.cu")


@pytest.fixture(scope="session")
def host() -> Any:
    from bank import module

    return module("host.cu")
