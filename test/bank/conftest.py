"""Where several processes run the tests side by side (--dist loadgroup), each file of kernels is one's: it is built once."""

from pathlib import Path
from typing import Any

import pytest


def pytest_collection_modifyitems(items: list[Any]) -> None:
    for item in items:
        parameters = item.callspec.params if hasattr(item, "callspec") else {}
        file = parameters["kernel"].file if "kernel" in parameters else parameters.get("file")
        if isinstance(file, Path):
            item.add_marker(pytest.mark.xdist_group(f"{file.parent.name}-{file.stem}"))
