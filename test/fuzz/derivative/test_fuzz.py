"""A few minutes of random kernels with fixed seeds. More are run by hand: python test/fuzz/derivative/check.py."""

import check
import pytest

# How many programs are refused is watched: a change that refuses more than this is no small one.
MOST_REFUSED = 0.05


@pytest.mark.parametrize(("first", "opt_level"), [(0, 3), (40, 0), (80, 1)])
def test_gradients_of_random_programs(first: int, opt_level: int) -> None:
    report = check.run(first, 40, 40, [opt_level])
    assert not report.wrong and not report.crashed, str(report)
    assert len(report.refused) <= MOST_REFUSED * 40, str(report)
    assert len(report.right) > 0.9 * 40, str(report)
