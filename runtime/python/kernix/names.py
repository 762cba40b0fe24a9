"""Names that C++ has and Python cannot write: `lambda`, `in`, `def`, `from`, ...

Such a parameter, field, function or namespace gets an underscore at its end (two where that is taken). Its own name is
understood too, where a name is a string: ``f(**{"lambda": 1})``, ``{"lambda": 1}`` for a struct, ``module["class"]``.
"""

import keyword
from collections.abc import Iterable, Mapping
from typing import Any


def python_names(names: Iterable[str]) -> list[str]:
    """By name what Python calls it, all different."""
    given = [*names]
    taken = {*given}
    shown: list[str] = []
    for name in given:
        if keyword.iskeyword(name):
            while name in taken:
                name += "_"
            taken.add(name)
        shown.append(name)
    return shown


def field_names(names: Iterable[str]) -> list[str]:
    """The same for the fields of named tuples, which do not begin with an underscore either."""
    given = [*names]
    taken = {*given}
    shown: list[str] = []
    for name in given:
        if keyword.iskeyword(name) or name.startswith("_"):
            name = name.lstrip("_") or "field"
            while name in taken or keyword.iskeyword(name) or not name.isidentifier():
                name = f"field{name}" if name[0].isdigit() else name + "_"
            taken.add(name)
        shown.append(name)
    return shown


def name_parameters(record: dict[str, Any]) -> dict[str, Any]:
    """A record whose parameters are called as in Python; their own names are `cxx_name`."""
    parameters = record["parameters"]
    for parameter, name in zip(parameters, python_names([each["name"] for each in parameters]), strict=True):
        parameter["cxx_name"], parameter["name"] = parameter["name"], name
    return record


def as_in_python(keywords: Mapping[str, Any], record: Mapping[str, Any]) -> Mapping[str, Any]:
    """Keyword arguments by the names that name_parameters gave."""
    if not any(keyword.iskeyword(name) for name in keywords):
        return keywords
    names = {each["cxx_name"]: each["name"] for each in record["parameters"]}
    return {names.get(name, name): value for name, value in keywords.items()}
