"""Where several processes run the tests side by side (--dist loadgroup), each file of kernels is one's: it is built once."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest


# A wrapper, to be called before pytest-xdist reads the groups.
@pytest.hookimpl(wrapper=True)
def pytest_collection_modifyitems(items: list[Any]) -> Iterator[None]:
    for item in items:
        parameters = item.callspec.params if hasattr(item, "callspec") else {}
        file = parameters["kernel"].file if "kernel" in parameters else parameters.get("file")
        if isinstance(file, Path):
            item.add_marker(pytest.mark.xdist_group(f"{file.parent.name}-{file.stem}"))
    yield
    is_grouped = any("@" in item.nodeid for item in items)
    if items and items[0].config.getoption("loadgroup", False) and not is_grouped:
        raise pytest.UsageError("this pytest-xdist does not group tests under this pytest")
