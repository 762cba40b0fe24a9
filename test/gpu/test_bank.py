"""Every kernel of the bank gives on the GPU what it gives on the CPU target, several times over."""

import pytest
import torch

from bank import CASES, Case


def close(case: Case, got: torch.Tensor, expected: torch.Tensor) -> None:
    torch.testing.assert_close(got, expected, rtol=case.rtol, atol=case.atol, equal_nan=True)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_equal_to_the_cpu_target(case: Case) -> None:
    expected = case.run("cpu")
    for _ in range(2):
        found = case.run("cuda")
        assert found.keys() == expected.keys()
        for name, value in expected.items():
            close(case, found[name], value)


def test_results_are_where_the_arguments_are() -> None:
    from bank import module

    y = module("maps.cu").scale_shift(torch.ones(3, device="cuda"), 1.0, 1.0)
    assert y.is_cuda
    assert not module("maps.cu").scale_shift(torch.ones(3), 1.0, 1.0).is_cuda


def test_the_comparison_notices_a_difference() -> None:
    case = CASES[0]
    expected = case.run("cpu")["result 0"]
    with pytest.raises(AssertionError):
        close(case, expected + 1e-3, expected)
