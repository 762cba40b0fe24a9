"""What a module and its functions look like from Python."""

import gc
import inspect
import pydoc
import weakref

import numpy as np
import pytest

import kernix
from kernix.stubs import module_stub
from conftest import ADD_ONE


def test_access(calls):
    assert calls["add"] is calls.add
    assert "add" in calls and "nothing_of_the_sort" not in calls
    assert list(calls)[:2] == ["add", "scale_shift"]
    assert len(calls) == len(list(calls))


def test_unknown_names(calls):
    with pytest.raises(AttributeError, match=r"module calls has no function 'scale_shft' \(did you mean 'scale_shift'\?\)"):
        calls.scale_shft
    with pytest.raises(KeyError, match="module calls has no function 'ad' "):
        calls["ad"]


def test_namespaces(results):
    assert results["geo::area"] is results.geo.area is results["geo.area"]
    assert results.area is results.geo.area
    assert repr(results.geo) == "<kernix namespace geo: area, middle, Box, Point>"


def test_names_that_collide(source):
    text = "\n".join(f"[[kernix::bind]] int {name}() {{ return {value}; }}" for value, name in enumerate(NAMES))
    module = kernix.load(source(text, "collide.cu"))
    assert list(module) == NAMES
    for value, name in enumerate(NAMES):
        assert module[name]() == value
        assert getattr(module, name)() == value
    assert repr(module).startswith("<kernix module collide (")


NAMES = ["_name", "_open", "_libraries", "_expose", "name", "kind", "imports", "keys", "info", "Struct", "print", "f_funcinfo"]


def test_dir(calls):
    names = dir(calls)
    assert {"add", "add_funcinfo", "scale_shift"} <= set(names)
    assert not [name for name in names if name.startswith("_")]


def test_repr(calls):
    assert repr(calls).startswith("<kernix module calls (")
    assert repr(calls.weighted).startswith("<kernix function calls.weighted(x, weight=None, n=..., *, factor, block=None")


def test_signature(calls, results):
    assert str(inspect.signature(calls.twice)) == "(x, n=..., *, out=None, block=None, grid=None, shared_bytes=None)"
    assert str(inspect.signature(calls.named)) == "(block, grid, *, shared_bytes=None)"
    assert str(inspect.signature(results.defaults)) == "(a, b=2.5, c=3, d=True)"
    assert str(inspect.signature(results.nothing)) == "()"


def test_signature_is_what_calls_accept(calls, results):
    for module in (calls, results):
        for name in module:
            signature = inspect.signature(module[name])
            positional = [p for p in signature.parameters.values() if p.kind is p.POSITIONAL_OR_KEYWORD]
            with pytest.raises(kernix.KernelTypeError, match=f"expected at most {len(positional)} positional arguments"):
                module[name](*range(len(positional) + 1))


def test_documentation(calls, results):
    assert calls.add.__doc__ == "add(const float *x, const float *y, float *z, int n)\n\nAdds two vectors."
    assert calls.add.__name__ == "add"
    assert calls.add.__qualname__ == "calls.add"
    text = pydoc.render_doc(calls.add, renderer=pydoc.plaintext)
    assert "add(x, y, z, n=..., *, block=None" in text
    assert "Adds two vectors." in text


def test_variants_are_all_documented(calls):
    assert calls.negate.__doc__.count("negate<") == 3


def test_unknown_attribute_of_a_function(calls):
    with pytest.raises(AttributeError, match="the kernix function calls.add has no attribute 'nothing'"):
        calls.add.nothing


@pytest.mark.parametrize(("name", "which"), [("fwd", "forward"), ("bwd", "backward")])
def test_no_derivative(calls, name, which):
    message = rf"add\(.*\): no {which} derivative: the function is not marked \[\[kernix::differentiable\]\]"
    with pytest.raises(kernix.KernelError, match=message):
        getattr(calls.add, name)


def test_a_function_in_a_class_is_no_method(results):
    class Holder:
        as_int = results.as_int

    assert Holder().as_int(3) == 3


def test_function_through_tp_call(results):
    # functools.partial and * and ** calls build tuples and dicts.
    import functools

    assert functools.partial(results.defaults, b=3.0)(2.0) == 9.0
    assert results.defaults(*(2.0,), **{"c": 0}) == 5.0
    assert results.defaults.__call__(2.0, c=0) == 5.0


def test_modules_are_collected(source):
    module = kernix.load(source(ADD_ONE))
    function, alive = module.add_one, weakref.ref(module)
    del module
    gc.collect()
    assert function(np.zeros(2, "float32")).tolist() == [1, 1]
    del function
    gc.collect()
    assert alive() is None


def test_old_modules_stay_valid(source):
    path = source(ADD_ONE)
    old = kernix.load(path, target="cpu")
    path.write_text(path.read_text().replace("x[i] + 1", "x[i] + 2"))
    new = kernix.load(path, target="cpu")
    x = np.zeros(2, "float32")
    assert old.add_one(x).tolist() == [1, 1]
    assert new.add_one(x).tolist() == [2, 2]


def test_target_that_would_be_built_from_another_text(source):
    path = source(ADD_ONE)
    old = kernix.load(path)
    path.write_text(path.read_text().replace("x[i] + 1", "x[i] + 2"))
    other = 0 if old._kernix.targets[0] == "cuda" else 1
    message = r"inline cannot be built for c(pu|uda), which this call needs: .*inline\.cu has changed .*; load it again"
    with pytest.raises(kernix.KernelError, match=message):
        old.add_one.need_target(other)


def test_structs_of_one_name():
    m = kernix.load_cuda_inline(
        "structs_of_one_name",
        """
        #include <kernix/kernix.h>
        namespace geo {
        struct Point { float x; };
        [[kernix::bind]] float first(Point p) { return p.x; }
        namespace deep {
        struct Point { int z; };
        struct Only { int o; };
        [[kernix::bind]] int second(Point p, Only o) { return p.z + o.o; }
        } // namespace deep
        } // namespace geo
        struct Point { double w; };
        [[kernix::bind]] double third(Point p) { return p.w; }
        struct Names { int self, cls, values, fields; };
        [[kernix::bind]] int names(Names n) { return n.cls; }
        """,
    )
    assert m.Point(w=1) == (1,)
    assert m.geo.Point(x=1) == m.geo_Point(x=1) == (1,)
    assert m.geo.deep.Point(z=1) == m.geo_deep_Point(z=1) == (1,)
    assert m.Only is m.geo.deep.Only
    assert m.names(m.Names(self=1, cls=2, values=3, fields=4)) == 2
    stub = module_stub(m)
    for line in ("class geo_deep_Point(NamedTuple):", "    Point: type[_Point]", "            Point: type[_geo_deep_Point]"):
        assert line in stub.splitlines()
