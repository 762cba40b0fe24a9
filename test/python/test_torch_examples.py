"""Every bound operation of examples/ as an operator of torch: opcheck, the compiler, export, and gradients by differences.

Differences want float64. Where an example computes in float32, a copy of its source in double is built for them; it has
second derivatives too where the kernels have any.
"""

import re
from pathlib import Path

import pytest

import kernix

torch = pytest.importorskip("torch")
pytest.importorskip("torch._dynamo")
pytestmark = pytest.mark.filterwarnings("ignore")  # of torch's compiler, about this machine

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"


def random(*shape, seed=0, low=-1.0, high=1.0):
    return low + (high - low) * torch.rand(shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


def integers(*values):
    return torch.tensor(values, dtype=torch.int32)


# By operation: the source, what is differentiated, what else it takes. Reals are made in float64.
def chain():
    return "chain/chain.cu", {"place": random(5, 2)}, {"chain": {"stiffness": 2.0, "length": 0.3, "weight": 0.5}}


def dense():
    return "digits/digits.cu", {"x": random(4, 3), "w": random(5, 3, seed=1), "b": random(5, seed=2)}, {"rectify": True}


def tiles_of(count, tiles):
    return {"first": integers(*range(0, count * tiles + 1, count)), "members": integers(*list(range(count)) * tiles)}


def draw():
    ellipses = torch.cat([random(3, 2, low=3, high=15), random(3, 2, seed=1) + 1, random(3, 1, seed=2)], dim=1)
    return "gaussians/gaussians.cu", {"ellipses": ellipses, "colors": random(3, 3)}, {**tiles_of(3, 2), "height": 6, "width": 17}


def encode():
    places = random(5, 2, low=0.05, high=0.95)
    return "hash_grid/hash_grid.cu", {"table": random(3, 16, 2)}, {"places": places, "coarsest": 2.0, "growth": 1.7}


def linear():
    return "mixed_precision/mixed_precision.cu", {"x": random(4, 3), "w": random(5, 3, seed=1), "b": random(5, seed=2)}, {}


def gelu():
    return "mixed_precision/mixed_precision.cu", {"x": random(7, low=-3, high=3)}, {}


def layer_norm():
    tensors = {"x": random(3, 6), "scale": random(6, seed=1), "shift": random(6, seed=2)}
    return "mixed_precision/mixed_precision.cu", tensors, {"epsilon": 1e-3}


def advance():
    return "shards/shards.cu", {"u": random(9), "conductivity": random(1, low=0.1, high=0.4)}, {}


def sparse_matvec():
    fixed = {"columns": integers(0, 2, 1, 0, 2), "starts": integers(0, 2, 2, 5)}
    return "sparse_matvec/sparse_matvec.cu", {"values": random(5), "x": random(3, seed=1)}, fixed


def project():
    varied = {
        "places": random(4, 3) + torch.tensor([0.0, 0.0, 4.0]),
        "sizes": random(4, 3, seed=1) - 1,
        "turns": random(4, 4, seed=2) + torch.tensor([2.0, 0.0, 0.0, 0.0]),
        "logits": random(4, seed=3),
    }
    view = torch.tensor([[0.8, -0.6, 0.0, 0.1], [0.6, 0.8, 0.0, -0.2], [0.0, 0.0, 1.0, 0.3]], dtype=torch.float64)
    return "splatting/splatting.cu", varied, {"view": view, "focal": 20.0, "middle_x": 8.0, "middle_y": 9.0}


def composite():
    conics = torch.stack([random(4, low=0.05, high=0.1), 0.02 * random(4, seed=1), random(4, seed=2, low=0.05, high=0.1)], dim=1)
    varied = {
        "centres": random(4, 2, low=4, high=12),
        "conics": conics,
        "opacities": random(4, seed=3, low=0.4, high=0.7),
        "colours": random(4, 3, seed=4, low=0),
    }
    return "splatting/splatting.cu", varied, {**tiles_of(4, 2), "height": 3, "width": 18}


def swing():
    start = torch.cat([random(3, 2) + torch.tensor([0.0, -1.5]), random(3, 2, seed=1)], dim=1)
    return "spring/spring.cu", {"start": start}, {"steps": 20, "h": 0.01}


def look():
    map = torch.tensor([0.9137, 0.1291, 0.3173, -0.1719, 0.9523, 0.2791], dtype=torch.float64)
    return "texture/texture.cu", {"texture": random(6, 7), "map": map}, {}


DIFFERENTIABLE = [chain, dense, draw, encode, linear, gelu, layer_norm, advance, sparse_matvec, project, composite, swing, look]
OPERATIONS = {chain: "energy"}


# Of these nothing is differentiated.
def scale_shift():
    return "scale_shift/scale_shift.cu", {"x": random(5)}, {"a": 2.0, "b": 0.5}


def bilateral():
    photo = (255 * random(9, 10, 3, low=0)).to(torch.uint8)
    return "photo_filter/bilateral.cu", {"photo": photo}, {"radius": 2, "sigma_space": 2.0, "sigma_color": 40.0}


def sums():
    return "reduction/reduction.cu", {"x": random(600)}, {"blocks": 2}


def maxima():
    return "reduction/reduction.cu", {"x": random(600)}, {"blocks": 2}


def upper_case():
    letters = torch.tensor(list(b"Some words"), dtype=torch.int8)
    return "unmodified_source/letters.cu", {"text": letters}, {}


PLAIN = [scale_shift, bilateral, sums, maxima, upper_case]
OPERATIONS |= {sums: "sum", maxima: "max"}

each_operation = pytest.mark.parametrize("case", DIFFERENTIABLE + PLAIN, ids=lambda case: case.__name__)
each_differentiable = pytest.mark.parametrize("case", DIFFERENTIABLE, ids=lambda case: case.__name__)


def in_double(text):
    text = re.sub(r"\bfloat([234]?)\b", r"double\1", text).replace("make_float", "make_double")
    text = text.replace("__expf", "exp")  # the approximate one is of floats only
    text = text.replace('"double", "double"', '"double"')
    text = re.sub(r"\b(\d+\.\d+(?:e-?\d+)?)f\b", r"\1", text)
    return re.sub(r"\b(exp|cos|sin|sqrt|rsqrt|pow|fmin|fmax|erf)f\(", r"\1(", text)


@pytest.fixture(scope="module")
def in_doubles(tmp_path_factory):
    """The module of an example's source in double, with derivatives of some order."""
    folder = tmp_path_factory.mktemp("doubles")
    made = {}

    def load(source, order):
        if (source, order) not in made:
            text = in_double((EXAMPLES / source).read_text())
            if order == 2:
                # The first one only: of composite(), whose sums lie in shared memory, there is no second derivative.
                count = 1 if "composite" in text else 0
                text = re.sub(r"kernix::differentiable\b(\(\w+\))?", "kernix::differentiable(2)", text, count=count)
            path = folder / f"{order}_{Path(source).name}"
            path.write_text(text)
            made[source, order] = kernix.load(path)
        return made[source, order]

    return load


def as_written(case):
    """The operation of the example itself, with arguments in the dtypes that it has."""
    source, varied, fixed = case()
    config = EXAMPLES / source.replace("letters.cu", "bind.yaml")
    module = kernix.load(EXAMPLES / source, config=config if config.suffix == ".yaml" else None)
    function = module[OPERATIONS.get(case, case.__name__)]
    reals = {each["name"]: each["dtype"] for each in function._details._records[0]["parameters"]}

    def cast(name, value):
        is_real = isinstance(value, torch.Tensor) and value.is_floating_point()
        return value.to(getattr(torch, reals[name])) if is_real else value

    varied, fixed = ({name: cast(name, value) for name, value in given.items()} for given in (varied, fixed))
    return function, varied, fixed


def everything_of(results):
    return [results] if isinstance(results, torch.Tensor) else list(results)


@each_operation
def test_opcheck(case):
    from kernix.torch import operators

    function, varied, fixed = as_written(case)
    if case in DIFFERENTIABLE:
        varied = {name: value.requires_grad_() for name, value in varied.items()}
    given = {**varied, **fixed}
    operator = operators.operator_for(function, function._details, given)
    row, keywords = operator.pack(given, {})
    torch.library.opcheck(operator.op, row, keywords)


@each_operation
@pytest.mark.parametrize("is_dynamic", [False, True])
def test_compiled(case, is_dynamic):
    torch._dynamo.reset()
    function, varied, fixed = as_written(case)

    def call(varied):
        return everything_of(function(**varied, **fixed))

    def pulled(f):
        leaves = {name: value.clone().requires_grad_() for name, value in varied.items()}
        sum((each * torch.cos(each.detach())).sum() for each in f(leaves)).backward()
        return {name: leaf.grad for name, leaf in leaves.items()}

    compiled = torch.compile(call, backend="aot_eager", fullgraph=True, dynamic=is_dynamic)
    torch.testing.assert_close(compiled(varied), call(varied))
    if case in DIFFERENTIABLE:
        torch.testing.assert_close(pulled(compiled), pulled(call))


@each_operation
@pytest.mark.parametrize("strict", [False, True])
def test_exported(case, strict):
    function, varied, fixed = as_written(case)

    class Model(torch.nn.Module):
        def forward(self, varied):
            return everything_of(function(**varied, **fixed))

    program = torch.export.export(Model(), (varied,), strict=strict)
    names = [str(node.target) for node in program.graph.nodes if node.op == "call_function"]
    assert any(name.startswith("kernix.") for name in names)
    torch.testing.assert_close(program.module()(varied), Model()(varied))


def in_double_precision(case, in_doubles, order):
    source, varied, fixed = case()
    function = in_doubles(source, order)[OPERATIONS.get(case, case.__name__)]
    names = list(varied)
    return lambda *row: function(**dict(zip(names, row, strict=True)), **fixed), [each.requires_grad_() for each in varied.values()]


@each_differentiable
def test_gradcheck(case, in_doubles):
    call, leaves = in_double_precision(case, in_doubles, 1)
    has_forward = case not in (encode, project, composite, look, sparse_matvec)
    assert torch.autograd.gradcheck(call, leaves, check_forward_ad=has_forward, check_batched_grad=True, nondet_tol=1e-12)


# All but three: sparse_matvec() is differentiated by hand, composite() and look() refuse a second derivative.
SECOND = [chain, dense, draw, encode, linear, gelu, layer_norm, advance, project, swing]


@pytest.mark.parametrize("case", SECOND, ids=lambda case: case.__name__)
def test_gradgradcheck(case, in_doubles):
    call, leaves = in_double_precision(case, in_doubles, 2)
    assert torch.autograd.gradgradcheck(call, leaves, nondet_tol=1e-12)


def test_every_operation_is_here():
    """But those that cannot be traced: they return numbers, or take a text."""
    known = {(case()[0], OPERATIONS.get(case, case.__name__)) for case in DIFFERENTIABLE + PLAIN}
    for source in EXAMPLES.glob("*/*.cu"):
        config = source.with_name("bind.yaml")
        module = kernix.load(source, config=config if config.is_file() else None)
        for name in module:
            record = module[name]._details._records[0]
            if not record["derivative"] and name not in ("statistics", "letter_frequency"):
                assert (str(source.relative_to(EXAMPLES)), name) in known


def test_operations_that_return_numbers_say_so():
    statistics = kernix.load(EXAMPLES / "several_outputs" / "statistics.cu").statistics
    image = torch.arange(100, dtype=torch.uint8)
    torch.library.opcheck(statistics.torch_op.default, (image,), test_utils="test_schema")
    torch._dynamo.reset()
    with pytest.raises(Exception, match="a number, which is not known before it runs"):
        torch.compile(lambda image: statistics(image), backend="aot_eager", fullgraph=True)(image)
