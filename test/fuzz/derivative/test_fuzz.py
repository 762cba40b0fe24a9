"""A few minutes of random kernels with fixed seeds. More are run by hand: python test/fuzz/derivative/check.py."""

import check
import pytest

# How many programs are refused is watched: a change that refuses more than this is no small one.
MOST_REFUSED = 0.05


@pytest.mark.parametrize(
    ("kind", "first", "count", "opt_level"),
    [("plain", 0, 40, 3), ("plain", 40, 40, 0), ("plain", 80, 40, 1), ("shared", 0, 20, 1), ("narrow", 0, 30, 2)],
)
def test_gradients_of_random_programs(kind: str, first: int, count: int, opt_level: int) -> None:
    report = check.run(first, count, count, [opt_level], kind=kind)
    assert not report.wrong and not report.crashed, str(report)
    assert len(report.refused) <= MOST_REFUSED * count, str(report)
    assert len(report.right) > 0.9 * count, str(report)
