"""Structs by value: namedtuples of the module, dicts, tuples; nested and with arrays."""

import inspect

import pytest

import kernix

BOX = ((0.0, 0.0), (2.0, 3.0), (7, 1))


def as_dict():
    return {"low": {"x": 0, "y": 0}, "high": {"x": 2, "y": 3}, "tag": [7, 1]}


def test_tuples_dicts_and_mixtures(results):
    for box in (BOX, as_dict(), {**as_dict(), "high": (2, 3)}, list(BOX)):
        assert results.geo.area(box) == 7.0


def test_namedtuple_of_the_module(results):
    box = results.geo.Box(low=(0, 0), high=results.geo.Point(2, 3), tag=(7, 1))
    assert results.geo.area(box) == 7.0
    assert results.geo.area(box._replace(tag=(0, 0))) == 6.0


def test_result_is_a_namedtuple(results):
    middle = results.geo.middle(BOX)
    assert type(middle).__name__ == "Point"
    assert middle._fields == ("x", "y")
    assert middle == (1.0, 1.5)
    assert type(middle) is results.geo.Point


def test_missing_and_unknown_fields(results):
    box = as_dict()
    del box["low"]
    box["hihg"] = 1
    expected = r"argument 'box': expected the fields low, high, tag; missing: low; unknown: hihg"
    with pytest.raises(kernix.KernelTypeError, match=expected):
        results.geo.area(box)


def test_missing_field_of_a_nested_struct(results):
    with pytest.raises(kernix.KernelTypeError, match=r"argument 'box\.low': expected the fields x, y; missing: y"):
        results.geo.area({**as_dict(), "low": {"x": 1}})


def test_too_few_values(results):
    with pytest.raises(kernix.KernelTypeError, match=r"argument 'box': expected 3 values \(low, high, tag\), got 2"):
        results.geo.area(BOX[:2])


def test_array_of_wrong_length(results):
    with pytest.raises(kernix.KernelTypeError, match=r"argument 'box\.tag': expected 2 numbers, got 3"):
        results.geo.area({**as_dict(), "tag": (1, 2, 3)})
    with pytest.raises(kernix.KernelTypeError, match=r"argument 'box\.tag': expected 2 numbers, got int"):
        results.geo.area({**as_dict(), "tag": 3})


def test_wrong_type_of_a_field(results):
    with pytest.raises(kernix.KernelTypeError, match=r"argument 'box\.low\.x': expected"):
        results.geo.area({**as_dict(), "low": ("a", 0)})
    with pytest.raises(kernix.KernelTypeError, match=r"argument 'box\.tag.*': expected"):
        results.geo.area({**as_dict(), "tag": (1.5, 0)})


def test_not_a_struct(results):
    with pytest.raises(kernix.KernelTypeError, match=r"argument 'box': expected a geo::Box as a namedtuple, dict or tuple"):
        results.geo.area(3)


def test_defaults(results):
    expected = ((1.0, (2.0, 3.0)), 4 + 5j, True, 255, -(1 << 40))
    assert results.settings() == expected
    default = inspect.signature(results.settings).parameters["settings"].default
    assert default == expected
    assert default.vector.y == (2.0, 3.0)
    assert results.settings(default) == expected
    assert results.sum_of() == 10 + 20 + 0 + 1 + 3
    assert results.sum_of((0, (0, 0))) == 4
    assert results.sum_of(w=(1, (0, 2))) == 30 + 3
