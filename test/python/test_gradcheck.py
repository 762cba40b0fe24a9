"""kernix.gradcheck finds what is wrong and passes what is right."""

import numpy as np
import pytest

import kernix
from kernix.derivative import Derivative


def test_right(derivatives):
    result = kernix.gradcheck(derivatives.scaled_sine, np.linspace(-2, 2, 7, dtype="float32"), 1.5, 0.5)
    assert result.ok
    assert result
    assert result.precision == "float64"
    assert [row.name for row in result.rows] == ["x", "a"]
    text = str(result)
    assert "noise bound" in text
    assert text.splitlines()[0].endswith("in float64: ok")
    assert text.count("ok") >= 3


def test_in_place_and_given_outputs(derivatives):
    y, x = np.array([1.0, 2.0]), np.array([3.0, 4.0])
    assert kernix.gradcheck(derivatives.squared_in_place, y, x).ok
    assert y.tolist() == [1, 2]
    out = np.zeros(3)
    assert kernix.gradcheck(derivatives.polynomial, np.linspace(0, 1, 3), np.ones(3), out, 3).ok
    assert out.tolist() == [0, 0, 0]


def test_torch_tensors(derivatives):
    torch = pytest.importorskip("torch")
    x = torch.rand(5, requires_grad=True)
    assert kernix.gradcheck(derivatives.scaled_sine, x, torch.tensor(2.0), 0.0).ok


def test_single_precision_prints_its_noise(derivatives):
    result = kernix.gradcheck(derivatives.single_precision, np.linspace(-1, 1, 9, dtype="float32"))
    assert result.ok, str(result)
    assert result.precision == "float32"
    assert result.rows[0].difference_bound > 1e-5


def test_kinks_are_counted_apart(derivatives):
    result = kernix.gradcheck(derivatives.half_wave, np.array([-1.0, 0.0, 1.0]))
    assert result.ok, str(result)
    assert result.rows[0].kinks == 1


@pytest.mark.parametrize("which", ["forward", "backward"])
def test_wrong(derivatives, monkeypatch, which):
    original = Derivative.__call__

    def wrong(self, *args, **kwargs):
        result = original(self, *args, **kwargs)
        if self._record["derivative"] == which:
            array = result.x if which == "backward" else result.y[1]
            array[1] *= 1.001
        return result

    monkeypatch.setattr(Derivative, "__call__", wrong)
    result = kernix.gradcheck(derivatives.scaled_sine, np.linspace(0.5, 1, 7), 1.5, 0.5)
    assert not result.ok
    assert "WRONG" in str(result)
    with pytest.raises(kernix.KernelValueError, match="WRONG"):
        kernix.gradcheck(derivatives.scaled_sine, np.linspace(0.5, 1, 7), 1.5, 0.5, raise_exception=True)


def test_what_it_needs(derivatives):
    with pytest.raises(kernix.KernelTypeError, match="no argument has a gradient"):
        kernix.gradcheck(derivatives.plain, np.ones(2))
    with pytest.raises(kernix.KernelTypeError, match="expected an operation of a kernix module"):
        kernix.gradcheck(np.sin, np.ones(2))
