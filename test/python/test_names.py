"""Names that C++ has and Python does not: keywords, and fields of named tuples with an underscore in front."""

import ast
import inspect

import numpy as np
import pytest

import kernix

SOURCE = r"""
#include <kernix/kernix.h>
struct P { float lambda; int _x; float in; int def[2]; };
struct Nested { P from; int x; };
[[kernix::bind]] P same(P p) { return p; }
[[kernix::bind]] Nested nested(Nested n) { return n; }
namespace lambda {
[[kernix::bind]] int pass(int yield) { return yield; }
struct None { int a; };
[[kernix::bind]] int none(None n) { return n.a; }
}
[[kernix::bind, kernix::differentiable]] __global__ void scale(const float *lambda, [[kernix::shape("lambda")]] float *_y,
                                       float in, [[kernix::value("lambda.numel()")]] int n) {
  int i = threadIdx.x + blockIdx.x * blockDim.x;
  if (i < n)
    _y[i] = lambda[i] * lambda[i] * in;
}
[[kernix::bind]] int self(int self, int args, int kwargs, int print, int match) { return self; }
[[kernix::bind]] int taken(int lambda, int lambda_, int lambda__) { return lambda * 100 + lambda_ * 10 + lambda__; }
[[kernix::bind]] int defaults(int lambda = 3, int def = 4) { return lambda * 10 + def; }
[[kernix::bind("class")]] int named(int a) { return a; }
struct count { int index; float count; };
[[kernix::bind]] count counted(count c) { return c; }
"""


@pytest.fixture(scope="module")
def names():
    return kernix.load_cuda_inline("names", SOURCE)


def test_parameters(names):
    assert str(inspect.signature(names.defaults)) == "(lambda_=3, def_=4)"
    assert names.defaults() == 34
    assert names.defaults(def_=1) == 31
    assert names.defaults(**{"lambda": 1}) == 14
    assert names.defaults(5, def_=6) == 56
    with pytest.raises(kernix.KernelTypeError, match="argument 'lambda' is given twice"):
        names.defaults(lambda_=1, **{"lambda": 1})
    with pytest.raises(kernix.KernelTypeError, match=r"unknown argument 'lamda' \(did you mean 'lambda_'\?\)"):
        names.defaults(lamda=1)
    with pytest.raises(kernix.KernelTypeError, match="argument 'lambda': expected an integer"):
        names.defaults(lambda_=1.5)


def test_names_that_are_taken(names):
    assert str(inspect.signature(names.taken)) == "(lambda___, lambda_, lambda__)"
    assert names.taken(**{"lambda": 1, "lambda_": 2, "lambda__": 3}) == 123
    assert names.taken(lambda___=1, lambda_=2, lambda__=3) == 123


def test_names_that_mean_something_to_python(names):
    assert names.self(self=1, args=2, kwargs=3, print=4, match=5) == 1


def test_structs(names):
    expected = (1.0, 2, 3.0, (4, 5))
    result = names.same({"lambda": 1, "_x": 2, "in": 3, "def": (4, 5)})
    assert result == expected
    assert result._fields == ("lambda_", "x", "in_", "def_")
    assert names.same({"lambda_": 1, "x": 2, "in_": 3, "def_": (4, 5)}) == expected
    assert names.same(result) == expected
    assert names.same(names.P(lambda_=1, x=2, in_=3, def_=(4, 5))) == expected
    nested = names.nested({"from": result, "x": 6})
    assert nested.from_ == expected
    assert nested.x == 6
    assert names.nested(nested) == nested
    assert names.counted(names.counted((1, 2.0))) == (1, 2.0)


def test_functions_and_namespaces(names):
    assert names.class_(3) == getattr(names, "class")(3) == names["class"](3) == 3
    assert names.lambda_.pass_(4) == names["lambda::pass"](4) == names.pass_(4) == 4
    assert names.lambda_.none((5,)) == 5
    assert names.lambda_.none(names.lambda_.struct_None(5)) == 5


def test_derivatives(names):
    x = np.array([1, 2, 3], np.float32)
    gradients = names.scale.bwd(lambda_=x, _y=(None, x), in_=2.0)
    assert np.array_equal(gradients.lambda_, 4 * x * x)
    gradients = names.scale.bwd(**{"lambda": x, "_y": (None, x), "in": 2.0})
    assert np.array_equal(gradients.lambda_, 4 * x * x)
    tangents = names.scale.fwd(lambda_=(x, x), in_=2.0)
    assert np.array_equal(tangents.y[1], 4 * x * x)
    assert kernix.gradcheck(names.scale, x, in_=2.0).ok


def test_autograd(names):
    torch = pytest.importorskip("torch")
    for call in (lambda x: names.scale(x, in_=2.0), lambda x: names.scale(**{"lambda": x, "in": 2.0})):
        x = torch.tensor([1.0, 2.0], requires_grad=True)
        call(x).sum().backward()
        assert x.grad.tolist() == [4.0, 8.0]


def test_reflection(names):
    assert [each["name"] for each in names.defaults.info["parameters"]] == ["lambda", "def"]
    assert names.defaults_funcinfo()[0] == ("lambda", "def")


def test_stub(names):
    from kernix.stubs import module_stub

    text = module_stub(names)
    ast.parse(text)
    assert "def class_(self, a: int) -> int: ..." in text
    assert "def defaults(self, lambda_: int = 3, def_: int = 4) -> int: ..." in text
    assert "    lambda_: float" in text


def test_deleting_an_attribute_does_not_lose_the_function(names):
    own = kernix.load_cuda_inline("names", SOURCE)
    own.self = "mine"
    assert own.self == "mine"
    del own.self
    assert own.self(self=1, args=2, kwargs=3, print=4, match=5) == 1
