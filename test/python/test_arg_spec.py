"""arg_spec: each row of each table of its documentation, and what a wrong one says."""

import re

import ml_dtypes
import numpy as np
import pytest

import kernix
from conftest import needs_toolkit

HEADERS = "#include <complex>\n#include <cuda_runtime.h>\n#include <brainevent/common.h>\n"

# -- tokens ------------------------------------------------------------------------------------------------------------

COPY = """
#define COPY(NAME)                                                                                                     \\
  void NAME(const BE::Tensor x, BE::Tensor y, float scale, int64_t stream) {                                           \\
    auto s = (cudaStream_t)stream;                                                                                     \\
    BE_CUDA_CHECK(cudaMemcpyAsync(y.data_ptr(), x.data_ptr(), x.nbytes(), cudaMemcpyDefault, s));                      \\
    for (int64_t i = 0; i < y.numel(); ++i)                                                                            \\
      y.data_ptr<float>()[i] *= scale;                                                                                 \\
  }
"""

TOKENS = {
    "arg": ["arg", "ret", "attr.scale", "stream"],
    "ret": ("arg", "ret", "attr.scale", "stream"),
    "stream": "arg ret attr.scale stream",
    "attr.<name>": "arg  ret\tattr.scale \n stream ",
    "attr.<name>:<type>": ["arg", "ret", "attr.scale:float32", "stream"],
    "args": ["args", "ret", "attr.scale", "stream"],
    "rets": ["arg", "rets", "attr.scale", "stream"],
    "ctx.stream": ["arg", "ret", "attr.scale", "ctx.stream"],
    "attrs.<name>": ["arg", "ret", "attrs.scale", "stream"],
    "attrs.<name>:<type>": ["arg", "ret", "attrs.scale:float32", "stream"],
    "aliases mixed": "args rets attrs.scale ctx.stream",
}


@pytest.fixture(scope="module")
def tokens():
    specs = {f"copy_{index}": spec for index, spec in enumerate(TOKENS.values())}
    return kernix.load_cuda_inline("tokens", HEADERS + COPY + "".join(f"COPY({name})\n" for name in specs), specs)


@pytest.mark.parametrize("row", TOKENS)
def test_token(tokens, row):
    function = tokens[f"copy_{list(TOKENS).index(row)}"]
    assert function.info["arg_spec"] == ["arg", "ret", "attr.scale:float32", "stream"]
    y = np.zeros(3, "float32")
    function(np.array([1, 2, 3], "float32"), y, scale=np.float32(2))
    assert y.tolist() == [2, 4, 6]


# -- attribute types ---------------------------------------------------------------------------------------------------

BITS = np.float16(1.5).view(np.uint16)
BRAIN_BITS = ml_dtypes.bfloat16(1.5).view(np.uint16)

# type: (C++ parameter, Python value, dtype of the echo, its value)
TYPES = {
    "bool": ("bool", True, "bool", True),
    "int8": ("int8_t", np.int8(-5), "int8", -5),
    "uint8": ("uint8_t", np.uint8(250), "uint8", 250),
    "int16": ("int16_t", np.int16(-300), "int16", -300),
    "uint16": ("uint16_t", np.uint16(65535), "uint16", 65535),
    "int32": ("int32_t", np.int32(-(2**31)), "int32", -(2**31)),
    "uint32": ("uint32_t", np.uint32(2**32 - 1), "uint32", 2**32 - 1),
    "int64": ("int64_t", np.int64(-(2**63)), "int64", -(2**63)),
    "uint64": ("uint64_t", np.uint64(2**64 - 1), "uint64", 2**64 - 1),
    "float32": ("float", np.float32(0.1), "float32", np.float32(0.1)),
    "float64": ("double", np.float64(0.1), "float64", 0.1),
    "complex64": ("std::complex<float>", np.complex64(1 - 2j), "complex64", 1 - 2j),
    "complex128": ("std::complex<double>", np.complex128(0.1 + 3j), "complex128", 0.1 + 3j),
    "float16": ("uint16_t", BITS, "uint16", BITS),
    "bfloat16": ("uint16_t", BRAIN_BITS, "uint16", BRAIN_BITS),
}
# The same types as real ones, which are inferred as well.
HALVES = {
    "float16 as __half": ("float16", "__half", np.float16(1.5), "float16", 1.5),
    "float16 as _Float16": ("float16", "_Float16", 1.5, "float16", 1.5),
    "bfloat16 as __nv_bfloat16": ("bfloat16", "__nv_bfloat16", ml_dtypes.bfloat16(-2), "uint16", 0xC000),
    "bfloat16 as __bf16": ("bfloat16", "__bf16", -2, "uint16", 0xC000),
}
INFERRED = {
    "bool": "bool",
    "int8_t": "int8",
    "char": "int8",
    "uint8_t": "uint8",
    "unsigned char": "uint8",
    "int16_t": "int16",
    "short": "int16",
    "uint16_t": "uint16",
    "unsigned short": "uint16",
    "int32_t": "int32",
    "int": "int32",
    "uint32_t": "uint32",
    "unsigned int": "uint32",
    "int64_t": "int64",
    "long long": "int64",
    "uint64_t": "uint64",
    "unsigned long long": "uint64",
    "float": "float32",
    "double": "float64",
    "std::complex<float>": "complex64",
    "std::complex<double>": "complex128",
    # Further spellings, which only a compiler sees through.
    "signed char": "int8",
    "long": "int64",
    "unsigned": "uint32",
    "size_t": "uint64",
    "std::uint16_t": "uint16",
    "Real": "float64",
    "__half": "float16",
    "__nv_bfloat16": "bfloat16",
    "Mode": "int32",
}


def echo(name: str, cxx: str) -> str:
    return (
        f"void {name}(BE::Tensor out, {cxx} value) {{ BE_CHECK(out.nbytes() == sizeof(value)); "
        "__builtin_memcpy(out.data_ptr(), &value, sizeof(value)); }\n"
    )


def identifier(row: str) -> str:
    return "f_" + "".join(c if c.isalnum() else "_" for c in row)


ECHOES = (
    HEADERS
    + "using Real = double; enum Mode : int { off, on };\n"
    + "".join(echo(f"echo_{name}", cxx) for name, (cxx, *_) in TYPES.items())
    + "".join(echo(identifier(row), cxx) for row, (_, cxx, *_) in HALVES.items())
    + "".join(echo(identifier(row), row) + echo("const_" + identifier(row), "const " + row) for row in INFERRED)
)
EXPLICIT = (
    {f"echo_{name}": f"ret attr.value:{name}" for name in TYPES}
    | {identifier(row): ["ret", f"attr.value:{name}"] for row, (name, *_) in HALVES.items()}
    | {identifier(row): f"ret attr.value:{name}" for row, name in INFERRED.items()}
)


@pytest.fixture(scope="module")
def explicit():
    return kernix.load_cuda_inline("explicit_types", ECHOES, EXPLICIT)


@pytest.fixture(scope="module")
def inferred():
    names = [*EXPLICIT, *("const_" + identifier(row) for row in INFERRED)]
    return kernix.load_cuda_inline("inferred_types", ECHOES, names)


@pytest.mark.parametrize("name", TYPES)
def test_explicit_type(explicit, name):
    _, value, dtype, expected = TYPES[name]
    function = explicit[f"echo_{name}"]
    assert function.info["arg_spec"] == ["ret", f"attr.value:{name}"]
    out = np.zeros(1, dtype)
    function(out, value=value)
    assert out[0] == expected


@pytest.mark.parametrize("name", TYPES)
def test_type_inferred(inferred, name):
    cxx, value, dtype, expected = TYPES[name]
    function = inferred[f"echo_{name}"]
    assert function.info["arg_spec"] == ["ret", "attr.value:" + ("uint16" if cxx == "uint16_t" else name)]
    out = np.zeros(1, dtype)
    function(out, value=value)
    assert out[0] == expected


@pytest.mark.parametrize("row", HALVES)
def test_real_half_type(explicit, inferred, row):
    name, _, value, dtype, expected = HALVES[row]
    for module in (explicit, inferred):
        function = module[identifier(row)]
        assert function.info["arg_spec"] == ["ret", f"attr.value:{name}"]
        out = np.zeros(1, dtype)
        function(out, value=value)
        assert out[0] == expected


@pytest.mark.parametrize("name", ["float16", "bfloat16"])
def test_bits_of_a_half_type(explicit, name):
    """An integer is the bits, a float is the number that they stand for."""
    function = explicit[f"echo_{name}"]
    out = np.zeros(1, "uint16")
    function(out, value=1.5)
    assert out[0] == (BITS if name == "float16" else BRAIN_BITS)
    function(out, 7)
    assert out[0] == 7
    with pytest.raises(kernix.KernelError, match="value"):
        function(out, 65536)
    with pytest.raises(kernix.KernelError, match="value"):
        function(out, -1)


@pytest.mark.parametrize("row", INFERRED)
def test_inferred_spelling(inferred, row):
    assert inferred[identifier(row)].info["arg_spec"] == ["ret", f"attr.value:{INFERRED[row]}"]


@pytest.mark.parametrize("row", INFERRED)
def test_const_is_stripped(inferred, row):
    assert inferred["const_" + identifier(row)].info["arg_spec"] == ["ret", f"attr.value:{INFERRED[row]}"]


@pytest.mark.parametrize("name", ["int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"])
def test_integers_out_of_range(explicit, name):
    bounds = np.iinfo(name)
    out = np.zeros(1, name)
    for value in (int(bounds.min) - 1, int(bounds.max) + 1):
        with pytest.raises(kernix.KernelValueError, match=rf"'value': expected {name}"):
            explicit[f"echo_{name}"](out, value)


@needs_toolkit
def test_types_for_cuda(monkeypatch):
    monkeypatch.setenv("KERNIX_TARGET", "cuda")
    # clang rounds a __bf16 of host code with a function that libgcc has from GCC 13 on.
    left_out = identifier("bfloat16 as __bf16")
    source = "".join(line for line in ECHOES.splitlines(keepends=True) if f"void {left_out}(" not in line)
    specs = {name: spec for name, spec in EXPLICIT.items() if name != left_out}
    module = kernix.load_cuda_inline("cuda_types", source, specs, compute_capability="9.0")
    for name in TYPES:
        assert module[f"echo_{name}"].info["arg_spec"] == ["ret", f"attr.value:{name}"]
    for row, (name, *_) in HALVES.items():
        if identifier(row) in specs:
            assert module[identifier(row)].info["arg_spec"] == ["ret", f"attr.value:{name}"]


# -- what comes before the signature ------------------------------------------------------------------------------------

CONVERSIONS = HEADERS + """
void to_float(BE::Tensor out, float v) { out.data_ptr<float>()[0] = v; }
void to_double(BE::Tensor out, double v) { out.data_ptr<double>()[0] = v; }
void to_int(BE::Tensor out, int32_t v) { out.data_ptr<int32_t>()[0] = v; }
void from_half(BE::Tensor out, float v) { out.data_ptr<float>()[0] = v; }
void to_complex(BE::Tensor out, std::complex<double> v) { out.data_ptr<std::complex<double>>()[0] = v; }
"""


@pytest.fixture(scope="module")
def converting():
    return kernix.load_cuda_inline(
        "converting",
        CONVERSIONS,
        {
            "to_float": "ret attr.v:float64",
            "to_double": "ret attr.v:int32",
            "to_int": "ret attr.v:float64",
            "from_half": "ret attr.v:float16",
            "to_complex": "ret attr.v:float64",
        },
    )


@pytest.mark.parametrize(
    ("name", "value", "dtype", "expected"),
    [
        ("to_float", 0.1, "float32", np.float32(0.1)),
        ("to_double", -3, "float64", -3.0),
        ("to_int", 2.9, "int32", 2),
        ("from_half", 0.1, "float32", np.float32(np.float16(0.1))),
        ("to_complex", 0.5, "complex128", 0.5 + 0j),
    ],
)
def test_another_type_is_converted(converting, name, value, dtype, expected):
    out = np.zeros(1, dtype)
    converting[name](out, value)
    assert out[0] == expected


def test_values_are_of_the_type_in_the_arg_spec(converting):
    with pytest.raises(kernix.KernelTypeError, match="argument 'v': expected an integer|argument 'v': expected int32"):
        converting.to_double(np.zeros(1), 0.5)


def test_another_type_is_said(capfd):
    kernix.load_cuda_inline("said", HEADERS + "void f(BE::Tensor out, float v) {}", {"f": "ret attr.v:float64"}, force_rebuild=True)
    shown = capfd.readouterr().err
    assert "functions:1:9: warning: 'v' is float64 by its arg_spec and float32 in the signature; it is converted" in shown
    assert "[-Wkernix-arg-spec]" in shown


def test_name_of_an_attribute():
    module = kernix.load_cuda_inline(
        "renamed", HEADERS + "void f(BE::Tensor out, float v) { out.data_ptr<float>()[0] = v; }", {"f": "ret attr.factor:float32"}
    )
    out = np.zeros(1, "float32")
    module.f(out, factor=2)
    assert out[0] == 2
    with pytest.raises(kernix.KernelTypeError, match="'v'"):
        module.f(out, v=2)


def test_stream_by_token_and_attribute_called_stream():
    source = """
    void f(BE::Tensor out, int64_t s) { out.data_ptr<int64_t>()[0] = s; }
    void g(BE::Tensor out, int64_t stream) { out.data_ptr<int64_t>()[0] = stream; }
    """
    module = kernix.load_cuda_inline("streams", HEADERS + source, {"f": "ret stream", "g": "ret attr.stream"})
    out = np.ones(1, "int64")
    module.f(out)
    assert out[0] == 0
    module.g(out, stream=5)
    assert out[0] == 5


def test_order_of_the_function():
    """The documented order is a convention: a function is called in its own."""
    source = "void f(int64_t stream, double a, BE::Tensor y, const BE::Tensor x) { y.data_ptr<double>()[0] = a * x.data_ptr<double>()[0]; }"
    for spec in (None, "stream attr.a ret arg"):
        module = kernix.load_cuda_inline("in_order", HEADERS + source, ["f"] if spec is None else {"f": spec})
        assert module.f.info["arg_spec"] == ["stream", "attr.a:float64", "ret", "arg"]
        y = np.zeros(1)
        module.f(2.0, y, np.ones(1))
        assert y[0] == 2


def test_no_parameters():
    module = kernix.load_cuda_inline("nothing", "static int calls; int f() { return ++calls; }", {"f": []})
    assert (module.f.info["arg_spec"], module.f(), module.f()) == ([], 1, 2)


# -- the rule of const --------------------------------------------------------------------------------------------------

NO_OUTPUT = (
    r"No non-const Tensor output found in 'my_func'\. Mark input Tensors with 'const' to distinguish inputs from outputs, "
    r"or use the explicit dict form: functions=\{'my_func': \['arg', 'ret', \.\.\.\]\}"
)
ALL_CONST = HEADERS + "void my_func(const BE::Tensor x, const BE::Tensor y) { static_cast<float *>(y.data_ptr())[0] = 1; }"


@pytest.mark.parametrize("functions", [["my_func"], None])
def test_every_tensor_const(functions):
    source = ALL_CONST if functions else ALL_CONST.replace("void", "// @BE my_func\nvoid")
    with pytest.raises(kernix.KernelError, match=NO_OUTPUT) as error:
        kernix.load_cuda_inline("all_const", source, functions)
    line = 4 if functions else 5
    assert f"all_const.cu:{line}:6: error" in str(error.value)


def test_every_tensor_const_and_an_explicit_ret(capfd):
    module = kernix.load_cuda_inline("explicit_ret", ALL_CONST, {"my_func": ["arg", "ret"]}, force_rebuild=True)
    assert "'y' is an output by its arg_spec, and const in the signature" in capfd.readouterr().err
    y = np.zeros(1, "float32")
    module.my_func(y, y)
    assert y[0] == 1


# -- what is wrong with it ----------------------------------------------------------------------------------------------

SIGNATURE = "void f(const BE::Tensor x, BE::Tensor y, float a, int b, int64_t stream) { y.data_ptr<float>()[0] = a * b; }"
WRONG = {
    "empty": ([], r"functions:1:\d+: error: the arg_spec of 'f' is empty, and it has 5 parameters"),
    "empty string": ("", r"the arg_spec of 'f' is empty"),
    "blank string": ("  ", r"the arg_spec of 'f' is empty"),
    "too few": ("arg ret", r"functions:1:5: error: the arg_spec has 2 tokens, and 'f' has 5 parameters"),
    "the signature is shown": ("arg ret", r"note: the signature means 'arg ret attr\.a:float32 attr\.b:int32 stream'"),
    "too many": ("arg arg ret attr.a attr.b stream", r"the arg_spec has 6 tokens, and 'f' has 5 parameters"),
    "commas": ("arg, ret, attr.a, attr.b, stream", r"functions:1:8: error: tokens of an arg_spec are separated by blanks"),
    "semicolons": ("arg;ret attr.a attr.b stream", r"separated by blanks, and there is a ';'"),
    "unknown token": ("arg out attr.a attr.b stream", r"functions:1:9: error: Invalid arg_spec token 'out'"),
    "misspelt token": ("arg rett attr.a attr.b stream", r"Invalid arg_spec token 'rett'; did you mean 'ret'\?"),
    "capital": ("Arg ret attr.a attr.b stream", r"Invalid arg_spec token 'Arg'; did you mean 'arg'\?"),
    "bare attr": ("arg ret attr attr.b stream", r"an attribute needs a name: 'attr\.<name>'"),
    "no name": ("arg ret attr. attr.b stream", r"'' is not a name for an attribute"),
    "name missing before the type": ("arg ret attr.:float32 attr.b stream", r"'' is not a name for an attribute"),
    "bad name": ("arg ret attr.a-b attr.b stream", r"'a-b' is not a name for an attribute"),
    "digit first": ("arg ret attr.1a attr.b stream", r"'1a' is not a name for an attribute"),
    "letter beyond ASCII": ("arg ret attr.\u00e4 attr.b stream", r"is not a name for an attribute"),
    "no type": ("arg ret attr.a: attr.b stream", r"'' is not a type of an attribute"),
    "C++ type": ("arg ret attr.a:float attr.b stream", r"'float' is not a type of an attribute; did you mean 'float32'\?"),
    "C++ integer": ("arg ret attr.a attr.b:int32_t stream", r"'int32_t' is not a type .*did you mean 'int32'\?"),
    "misspelt type": ("arg ret attr.a:flaot32 attr.b stream", r"did you mean 'float32'\?"),
    "unknown type": ("arg ret attr.a:decimal attr.b stream", r"functions:1:20: error: Invalid arg_spec token 'attr.a:decimal': 'decimal' is not a type of an attribute: expected 'bool'"),
    "attribute twice": ("arg ret attr.a attr.a stream", r"functions:1:20: error: the attribute 'a' is there twice"),
    "stream twice": ("arg ret attr.a stream ctx.stream", r"a 'stream' is there twice"),
    "swapped tensor and attribute": ("arg attr.a ret attr.b stream", r"'attr\.a' does not fit the parameter at its place, 'y'"),
    "swapped stream": ("stream ret attr.a attr.b arg", r"'stream' does not fit the parameter at its place, 'x'"),
    "swapped attributes": ("arg ret attr.b attr.a stream", r"'attr\.b' stands at the place of 'a', and 'b' is another parameter of 'f'"),
    "attribute of no parameter": ("arg ret attr.c attr.b stream", r"Parameter 'c' not found in signature of 'f'"),
    "name of a tensor": ("arg ret attr.x:float32 attr.b stream", r"'attr\.x:float32' stands at the place of 'a', and 'x' is another parameter"),
    "string for a number": ("arg ret attr.a:string attr.b stream", r"'a' cannot be string, as its arg_spec says: its type is float32"),
    "struct for a number": ("arg ret attr.a:struct attr.b stream", r"'a' cannot be struct"),
    "complex for a real": ("arg ret attr.a:complex64 attr.b stream", r"C\+\+ does not convert complex64 to 'float' \(float32\)"),
    "stream for a float": ("arg ret stream attr.b attr.stream", r"'stream' does not fit the parameter at its place, 'a'"),
    "args as all": ("args attr.a attr.b stream", r"the arg_spec has 4 tokens"),
}


def messages(source, functions):
    """What the compiler says of a source in which one function after the other is wrong: [(file, line, text)]."""
    with pytest.raises(kernix.CompileError) as error:
        kernix.load_cuda_inline("wrong", source, functions, extra_cuda_cflags=["-ferror-limit=0"])
    found = []
    for line in error.value.output.splitlines():
        if match := re.match(r"(?:.*/)?([\w.]+):(\d+):\d+: (?!note)", line):
            found.append([match[1], int(match[2]), ""])
        if found:
            found[-1][2] += line + "\n"
    return found


@pytest.fixture(scope="module")
def wrong():
    names = [f"f{index}" for index in range(len(WRONG))]
    source = HEADERS + "".join(SIGNATURE.replace("f(", f"{name}(") + "\n" for name in names)
    return messages(source, dict(zip(names, (spec for spec, _ in WRONG.values()), strict=True)))


@pytest.mark.parametrize("mistake", WRONG)
def test_wrong_arg_spec(wrong, mistake):
    index = list(WRONG).index(mistake)
    said = "".join(text for file, line, text in wrong if (file, line) == ("functions", index + 1))
    # The name of the function and what stands before the tokens depend on the number of the case.
    shift = len(f"f{index} = ") - len("f = ")
    said = re.sub(r"functions:\d+:(\d+)", lambda m: f"functions:1:{int(m[1]) - shift}", said).replace(f"'f{index}'", "'f'")
    assert re.search(WRONG[mistake][1], said), said


# Each in a namespace of its own; @ is the function.
WRONG_SOURCES = {
    "pointer": ("void @(BE::Tensor y, float *p) {}", "ret attr.p:float32", r"'p' of type 'float \*' cannot be bound"),
    "kernel with a stream": ("__global__ void @(float *y) { *y = 1; }", "ret stream", "note: a kernel takes no stream"),
    "kernel that would convert": (
        "__global__ void @(float *y, float a) { *y = a; }",
        "ret attr.a:float64",
        "a kernel gets its arguments as they are, and this one is float32",
    ),
    "two streams": ("void @(BE::Tensor y, cudaStream_t a, int64_t stream) {}", "ret stream stream", "a 'stream' is there twice"),
    "attribute that is a cudaStream_t": ("void @(BE::Tensor y, cudaStream_t s) {}", "ret attr.s", "which is a stream: 'stream'"),
    "number for a string": ("void @(BE::Tensor y, const char *s) {}", "ret attr.s:int32", r"it is a string: 'attr\.s:string'"),
    "number for a struct": ("struct S { int a; }; void @(BE::Tensor y, S s) {}", "ret attr.s:int32", r"it is a struct: 'attr\.s:struct'"),
    "default of another kind": ("void @(BE::Tensor y, float a = 0.5f) {}", "ret attr.a:int32", "it has a default argument"),
    "complex narrowed": ("void @(BE::Tensor y, std::complex<float> c) {}", "ret attr.c:complex128", r"C\+\+ does not convert complex128"),
    "number for an enum": ("enum E { a }; void @(BE::Tensor y, E e) {}", "ret attr.e:int64", r"C\+\+ does not convert int64 to '.*E'"),
    "intent": ("void @([[kernix::intent(in)]] BE::Tensor y, BE::Tensor z) {}", "ret ret", "'ret' contradicts the intent of 'y'"),
    "reference": ("void @(BE::Tensor &y) {}", "ret", "a tensor is passed by value: 'y'"),
    "differentiable": (
        "[[kernix::differentiable]] __global__ void @(const float *x, float *y, float a) { *y = *x * a; }",
        "arg ret attr.a:float64",
        "'a' cannot be float64",
    ),
    "plural": (
        "void @(const BE::Tensor a, const BE::Tensor b, BE::Tensor y) {}",
        "args ret",
        "note: 'args' is one tensor here; in jax-tvm-ffi it means all of them: write it 2 times",
    ),
    "plural outputs": ("void @(BE::Tensor a, BE::Tensor b) {}", "rets", "note: 'rets' is one tensor here"),
    "written input": (
        "void @(const BE::Tensor x, const BE::Tensor y, BE::Tensor z) { *static_cast<float *>(y.data_ptr()) = 1; }",
        "arg arg ret",
        "error: 'y' is declared const, an input, but '@' writes to it here",
    ),
    "output that is an arg": (
        "void @(BE::Tensor y) { *y.data_ptr<float>() = 1; }",
        "arg",
        "'y' is 'arg' in its arg_spec, an input, but '@' writes to it here",
    ),
    "names alike": ("void @(BE::Tensor y, float, float b) {}", "ret attr.b:float32 attr.b", "is there twice"),
    "device function with a stream": ("__device__ float @(float a) { return a; }", "stream", "'stream' does not fit the parameter"),
}
WRONG_NAMES = {
    "no such function": ("void g(BE::Tensor y) {}", "ret", "error: the source declares no function '@'"),
    "variable": ("int @ = 1;", "ret", "'@' is a variable"),
    "type": ("struct @ {};", "ret", "'@' is a type: only functions can be bound"),
    "member": ("struct S { void @(BE::Tensor y); };", "ret", "'@' is a non-static member function"),
    "bound under another name": ('[[kernix::bind("other")]] void @(BE::Tensor y) {}', "ret", "'@' is bound as 'other'"),
    "two namespaces": ("namespace a { void @(BE::Tensor y) {} } namespace b { void @(BE::Tensor y) {} }", "ret", "'@' is ambiguous"),
}


def all_wrong(rows):
    source = HEADERS + "".join(f"namespace n{index} {{ {text.replace('@', f'f{index}')} }}\n" for index, (text, *_) in enumerate(rows))
    return messages(source, {f"f{index}": "ret" if spec is None else spec for index, (_, spec, _) in enumerate(rows)})


# Names are looked up before functions are looked at.
@pytest.fixture(scope="module")
def wrong_signatures():
    return all_wrong(WRONG_SOURCES.values())


@pytest.fixture(scope="module")
def wrong_names():
    return all_wrong(WRONG_NAMES.values())


def check_wrong(rows, said, mistake):
    index = list(rows).index(mistake)
    places = (("functions", index + 1), ("wrong.cu", HEADERS.count("\n") + index + 1))
    text = "".join(text for file, line, text in said if (file, line) in places)
    assert re.search(rows[mistake][2].replace("@", f"f{index}"), text), said


@pytest.mark.parametrize("mistake", WRONG_SOURCES)
def test_wrong_signature(wrong_signatures, mistake):
    check_wrong(WRONG_SOURCES, wrong_signatures, mistake)


@pytest.mark.parametrize("mistake", WRONG_NAMES)
def test_wrong_name(wrong_names, mistake):
    check_wrong(WRONG_NAMES, wrong_names, mistake)


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("template <class T> void f(BE::Tensor y, T a) {}", r"functions: 'f' is not defined in alone\.cu"),
        ("void f(BE::Tensor y, cudaStream_t a, int64_t stream) {}", "alone.cu:4:46: error: 'f' takes two streams"),
        ("void f(BE::Tensor y, ...) {}", "cannot bind 'f': it takes a variable number of arguments"),
    ],
)
@pytest.mark.filterwarnings("ignore")
def test_wrong_alone(source, message):
    with pytest.raises(kernix.KernelError, match=message):
        kernix.load_cuda_inline("alone", HEADERS + source, ["f"])


@pytest.mark.parametrize(
    ("functions", "message"),
    [
        ({"f": None}, r"the arg_spec of 'f' is a list of tokens or a string of them, got None"),
        ({"f": 5}, r"the arg_spec of 'f' is a list of tokens"),
        ({"f": ["arg", 1]}, r"the tokens of 'f' are strings, got 1"),
        ({"f": ["arg ret"]}, r"'f' has the token 'arg ret'; a token is one word"),
        ({"f": [""]}, r"'f' has the token ''"),
        ({"f": ["a=b"]}, r"'f' has the token 'a=b'"),
        ({5: ["arg"]}, r"functions: expected names, got 5"),
        ({"": ["arg"]}, r"Invalid function name ''"),
        ({"f g": ["arg"]}, r"Invalid function name 'f g'"),
        ({"f;": "arg"}, r"Invalid function name 'f;'"),
        ({"1f": "arg"}, r"Invalid function name '1f'"),
        (["f", "f"], r"functions: 'f' is there twice"),
        ([], r"functions: expected the names of functions, got none"),
        ({}, r"functions: expected the names of functions, got none"),
        ("f", r"functions: expected a sequence of strings, got 'f'"),
        (5, r"functions: expected a sequence of strings, got 5"),
        ([None], r"functions: expected strings, got None"),
    ],
)
def test_wrong_functions_argument(functions, message):
    with pytest.raises(kernix.KernelError, match=message):
        kernix.load_cuda_inline("wrong", HEADERS + SIGNATURE, functions)
