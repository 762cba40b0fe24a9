"""Options of the tests with brainevent's sources."""

import os

import pytest

os.environ.setdefault("KERNIX_VERBOSE", "0")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--all-files", action="store_true", help="every file of the package, not the fixed fraction")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if config.getoption("--all-files"):
        return
    left_out = [item for item in items if item.get_closest_marker("all_files")]
    config.hook.pytest_deselected(items=left_out)
    items[:] = [item for item in items if item not in left_out]
