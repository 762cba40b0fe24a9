"""Sources that are wrong: each is refused by a located error of the compiler that says what is wrong.

Whatever the mistake, the compiler does not crash, and every error has a line and a column. The tests of the plugin check
the exact texts and places; here it is what a user of kernix.load sees.
"""

import re

import pytest

import kernix

K = "[[kernix::bind]] __global__ void k"
H = "[[kernix::bind]] "

SUBJECTS = {
    "int v;": (f"{H}int v;", "only a constexpr function pointer"),
    "pointer that is not constexpr": ("int f(int);\n[[kernix::bind]] auto p = &f;", "only a constexpr function pointer"),
    "null pointer": (f"{H}constexpr int (*p)(int) = nullptr;", "points to no function"),
    "pointer to a lambda": (f"{H}constexpr int (*p)(int) = [](int a) {{ return a; }};", "lambda's call operator"),
    "lambda": (f"{H}constexpr auto p = [](int a) {{ return a; }};", "only a constexpr function pointer"),
    "member pointer": ("struct S { int m(int); };\n[[kernix::bind]] constexpr auto p = &S::m;", "only a constexpr function"),
    "variable in a function": ("int f(int);\nvoid g() { [[kernix::bind]] constexpr auto p = &f; }", "inside a function"),
    "variable template": (
        "template <class T> T f(T);\ntemplate <class T> [[kernix::bind]] constexpr auto p = &f<T>;",
        "names no single function",
    ),
    "method": (f"struct S {{ {H}int m(int a) {{ return a; }} }};", "needs an object"),
    "virtual": (f"struct S {{ {H}virtual int m(int a) {{ return a; }} }};", "virtual"),
    "constructor": (f"struct S {{ {H}S(int); }};", "constructor"),
    "destructor": (f"struct S {{ {H}~S(); }};", "destructor"),
    "conversion": (f"struct S {{ {H}operator int() const; }};", "conversion"),
    "member of a class template": (f"template <class T> struct S {{ {H}static T m(T a) {{ return a; }} }};", "class template"),
    "main": (f"{H}int main() {{}}", "entry point"),
    "deleted": (f"{H}int f(int) = delete;", "deleted"),
    "consteval": (f"{H}consteval int f(int a) {{ return a; }}", "consteval"),
    "variadic": (f"{H}int f(int a, ...) {{ return a; }}", "variable number"),
    "local declaration": (f"void g() {{ {H}int f(int a); }}", "inside a function"),
    "operator": ("struct V { int a; };\n[[kernix::bind]] V operator+(V a, V b) { return a; }", "needs a public name"),
    "literal": (f'{H}double operator""_u(unsigned long long x) {{ return 1; }}', "needs a public name"),
    "only declared kernel": (f"{K}(float *y);", "not defined in this file"),
    "host function that is nowhere": (f"{H}int nowhere(int a);", "undefined symbol: nowhere"),
    "kernel with a result": ("[[kernix::bind]] __global__ int k(float *y) { return 1; }", "must have void return type"),
    "name with a dash": ('[[kernix::bind("a-b")]] int f(int a) { return a; }', "letters, digits and underscores"),
    "empty name": ('[[kernix::bind("")]] int f(int a) { return a; }', "must not be empty"),
    "name without quotes": ("[[kernix::bind(f)]] int f(int a) { return a; }", "string in double quotes"),
    "bound twice": ("[[kernix::bind]] [[kernix::bind]] int f(int a) { return a; }", "given twice"),
    "two names": ('[[kernix::bind("g")]] int f(int a);\n[[kernix::bind("h")]] int f(int a) { return a; }', "differs"),
    "one name, two kinds": (f'[[kernix::bind("k")]] int f(int a) {{ return a; }}\n{K}(float *a) {{ a[0] = 1; }}', "same kind"),
    "one name, other parameters": (f"{H}int f(int a) {{ return a; }}\n{H}int f(int a, int b) {{ return a; }}", "same parameter names"),
    "variants that nothing tells apart": (
        f"enum E : int {{ A }};\n{H}int f(int a) {{ return a; }}\n{H}int f(E a) {{ return 1; }}",
        "no argument tells",
    ),
    "misspelt attribute": ("[[kernix::bnid]] int f(int a) { return a; }", "did you mean 'kernix::bind'"),
}

PARAMETERS = {
    "void *": (f"{K}(void *y) {{}}", "no tensor has such elements"),
    "float **": (f"{K}(float **y) {{}}", "no tensor has such elements"),
    "float[][4]": (f"{K}(float y[][4]) {{}}", "it is an array"),
    "reference of a kernel": (f"{K}(float *y, const int &n) {{ y[0] = n; }}", "cannot take 'n' by reference"),
    "long double": (f"{H}int f(long double a) {{ return 1; }}", "no dtype"),
    "__int128": (f"{H}int f(__int128 a) {{ return 1; }}", "no dtype"),
    "wchar_t": (f"{H}int f(wchar_t a) {{ return 1; }}", "no dtype"),
    "function pointer": (f"{H}int f(int (*g)(int)) {{ return g(1); }}", "what a pointer points to is unknown"),
    "pointer to member": ("struct S { int a; };\n[[kernix::bind]] int f(int S::*p) { return 1; }", "no dtype"),
    "bit-field": ("struct S { int a : 3; };\n[[kernix::bind]] int f(S s) { return 1; }", "bit-field"),
    "union": ("union S { int a; float b; };\n[[kernix::bind]] int f(S s) { return 1; }", "union"),
    "private field": ("class S { int a; public: int b; };\n[[kernix::bind]] int f(S s) { return 1; }", "private"),
    "destructor": ("struct S { int a; ~S() {} };\n[[kernix::bind]] int f(S s) { return 1; }", "not trivially copyable"),
    "std::vector": ("#include <vector>\n[[kernix::bind]] int f(std::vector<int> s) { return 1; }", "not trivially copyable"),
    "std::string": ("#include <string>\n[[kernix::bind]] int f(const std::string &s) { return 1; }", "not trivially copyable"),
    "std::optional": ("#include <optional>\n[[kernix::bind]] int f(std::optional<int> s) { return 1; }", "union"),
    "empty struct": ("struct S {};\n[[kernix::bind]] int f(S s) { return 1; }", "no fields"),
    "incomplete struct": ("struct S;\n[[kernix::bind]] int f(const S &s);", "incomplete"),
    "incomplete template": ("template <class T> struct S;\n[[kernix::bind]] int f(const S<int> &s);", "incomplete"),
    "template with an error": (
        "template <class T> struct S { typename T::type a; };\n[[kernix::bind]] int f(const S<int> &s);",
        "because it has no members",
    ),
    "struct with a view": ("struct S { kernix::TensorView<int> v; };\n[[kernix::bind]] __global__ void k(S s) {}", "a parameter of its own"),
    "struct with a pointer": ("struct S { int *v; };\n[[kernix::bind]] __global__ void k(S s) {}", "not made of arithmetic"),
    "tensor of mixed structs": ("struct S { int a; float b; };\n[[kernix::bind]] __global__ void k(S *s) {}", "different types"),
    "tensor of padded structs": ("struct alignas(16) S { float a; };\n[[kernix::bind]] __global__ void k(S *s) {}", "padding"),
    "tensor by reference": (f"{H}void f(kernix::Tensor &x) {{}}", "passed by value"),
    "tensor as a result": (f"{H}kernix::Tensor f(kernix::Tensor x) {{ return x; }}", "a tensor is returned through"),
    "pointer as a result": (f"{H}float *f(int x) {{ return nullptr; }}", "reference or a pointer"),
    "string as a result": (f'{H}const char *f(int x) {{ return ""; }}', "reference or a pointer"),
    "two streams": (f"{H}void f(kernix::Tensor y, cudaStream_t a, cudaStream_t b) {{}}", "two streams"),
    "stream of a kernel": (f"{K}(float *y, cudaStream_t s) {{}}", "only a host function takes a stream"),
    "string of a kernel": (f"{K}(float *y, std::string_view s) {{}}", "only a host function can take a string"),
    "all tensors const": (f"{K}(const float *x) {{}}", "No non-const Tensor output found in"),
    "nine axes": (f"{K}(kernix::TensorView<float> y) {{ y(0, 0, 0, 0, 0, 0, 0, 0, 0) = 1; }}", "at most 8 axes"),
    "const in one declaration": (f"{H}void f(const kernix::Tensor x, kernix::Tensor y);\nvoid f(kernix::Tensor x, kernix::Tensor y) {{}}", "cannot be both"),
    "const view that is written": (f"{K}(const kernix::TensorView<float> x, float *y) {{ x(0) = y[0] = 1; }}", "writes to it here"),
    "const view that a helper writes": (
        f"__device__ void h(float *p) {{ *p = 1; }}\n{K}(const kernix::TensorView<float> x, float *y) {{ h(x.data()); y[0] = 1; }}",
        "writes to it here",
    ),
    "const_cast": (f"{K}(const float *x, float *y) {{ const_cast<float *>(x)[0] = y[0] = 1; }}", "writes to it here"),
}

EXPRESSIONS = {
    "9223372036854775807 + 1": "does not fit into 64 bits",
    "99999999999999999999": "does not fit into 64 bits",
    "(0 - 9223372036854775807 - 1) / -1": "does not fit into 64 bits",
    "1 / 0": "division by zero",
    "n % (1 - 1)": "division by zero",
    "ceil_div(n, 0)": "division by zero",
    "-3": "cannot be less than 0",
    "0x10": "decimal integer",
    "010": "without leading zeros",
    "1.5": "decimal integer",
    "3u": "decimal integer",
    "a": "is not an integer",
    "x + 1": "is a tensor",
    "x.size()": "expected an integer",
    "x.size(n)": "expected an integer",
    "x.size(8)": "beyond rank 8",
    "x.shape(0)": r"a tensor has size\(k\)",
    "x.numel": r"expected '\('",
    "y": "refers to itself",
    "n, n": "expected an operator",
    "n;": "expected an operator",
    "n < 3 ? 1 : 2": "expected an operator",
    "n << 1": "expected an operator",
    "min(n)": "expected ','",
    "abs(n)": "no parameter is called 'abs'",
    "N": "no parameter is called 'N'",
    "block.x": "only in grid and shared_bytes",
    "(" * 200 + "n" + ")" * 200: "nested too deeply",
    "": "is empty",
    "n +": "expected an operand",
}

LAUNCHES = {
    "grid(0)": "at least 1",
    "grid(-1)": "at least 1",
    "grid(1, 2, 3, 4)": "at most 3 arguments",
    "grid(1, 65536)": "a grid has at most",
    'grid("block.w")': "expected x, y or z",
    "block(2.5)": "integral constant expression",
    "block(32, 32, 2)": "at most 1024 threads",
    "block(1, 1, 65)": "at most 64 in z",
    'block("block.x")': "only in grid and shared_bytes",
    "shared_bytes(-4)": "at least 0",
    'shared_bytes("grid.x")': "no parameter is called 'grid'",
    "grid(1), kernix::grid(2)": "given twice",
    "intent(in)": "applies to parameters",
    'shape("x")': "applies to parameters",
    "max_iters(3)": "applies to loops",
    'instantiate("float")': "no function template",
}

INTENTS = {
    "[[kernix::intent(oot)]] int &y": "unknown word 'oot'",
    "[[kernix::intent()]] int &y": "at least 1 argument",
    "[[kernix::intent(3)]] int &y": "expected 'in'",
    '[[kernix::intent("in")]] int &y': "without quotes",
    "[[kernix::intent(in, 3)]] const int &y": "takes no length",
    "[[kernix::intent(in)]] [[kernix::intent(out_ptr)]] int &y": "given twice",
    "[[kernix::intent(out_return)]] int y": "needs a reference",
    "[[kernix::intent(out_return)]] const int &y": "reference to const",
    "[[kernix::intent(out_return)]] const char *y": "a string and cannot be an output",
    "[[kernix::intent(out_return)]] kernix::Tensor y": r"needs \[\[kernix::shape",
    '[[kernix::intent(out_return), kernix::shape("3")]] kernix::Tensor y': "has the dtype of the tensor whose shape",
    "[[kernix::intent(out_ptr)]] float *y": "what a pointer points to is unknown",
    "[[kernix::intent(out_array_return)]] int *y": "needs its number of elements",
    "[[kernix::intent(out_array_return, 0)]] int *y": "at least 1",
    "[[kernix::intent(out_array_return, 3000000000)]] int *y": r"2\^31 bytes",
    '[[kernix::intent(out_array_return, 3, "float")]] int *y': "elements of type 'int', not 'float'",
    "[[kernix::intent(out_array_return, 4)]] int (&y)[3]": "has 3 elements, not 4",
    "[[kernix::intent(out_array_return, 2)]] const int *y": "points to const",
    "[[kernix::intent(in)]] cudaStream_t y": "a stream has no intent",
    "[[kernix::intent(inout_ptr)]] const kernix::Tensor y": "read-only and cannot be an output",
    "int &y": "may write",
    "[[kernix::optional]] int y": "applies to tensors",
    "[[kernix::optional(1)]] const kernix::Tensor y": "takes no arguments",
    '[[kernix::optional, kernix::shape("3")]] kernix::TensorView<int> y': "cannot be optional",
    '[[kernix::value("3")]] float y': "computes an integer",
    '[[kernix::value("3000000000")]] int y': "does not fit 'y'",
    '[[kernix::value("y")]] int y': "depends on itself",
    '[[kernix::value("3"), kernix::intent(out_return)]] int &y': "contradicts",
    "[[kernix::value(3)]] int y": "string in double quotes",
    '[[kernix::shape("3")]] int y': "applies to tensors",
}

INSTANCES = {
    'template <class T> [[kernix::bind, kernix::instantiate("flaot")]] void f(T x) {}': "no type called 'flaot'",
    'template <class T> [[kernix::bind, kernix::instantiate("int", "int32")]] void f(T x) {}': "is the same type as",
    'template <class T> [[kernix::bind, kernix::instantiate("float2")]] T f(T x) { return x * 2; }': "invalid operands",
    'template <class T, int N> [[kernix::bind, kernix::instantiate("int")]] void f(T x) {}': "'int' names 1 template argument, and 'f' takes 2",
    'template <class T> requires(sizeof(T) == 4) [[kernix::bind, kernix::instantiate("double")]] void f(T x) {}': "cannot be instantiated",
    'template <class T> [[kernix::bind, kernix::instantiate("float16")]] __global__ void f(T *x) {}': "is a type of <cuda_fp16.h>, which is not included",
    "template <int N> [[kernix::bind, kernix::block(N)]] __global__ void f(int *x) {}\ntemplate __global__ void f<4000>(int *);": "at most 1024",
    "template <class T> [[kernix::bind]] void f(T x) {}\ntemplate void f<float>(float);\n"
    '[[kernix::bind("f")]] constexpr auto g = &f<float>;': "bound twice",
}

SYNTAX = {
    f"{K}(float *y {{ y[0] = 1; }}": "expected",
    "[[kernix::bind] __global__ void k(float *y) {}": "expected",
    f"{K}(float *y) {{ y[0] = 1;": "expected '}'",
    f'{K}([[kernix::shape("x]] float *y) {{}}': "expected expression",
    f"{K}(unknown *y) {{}}": "unknown type name",
    f"__global__ void g(int n) {{}}\n{H}void f() {{ g<<<1>>>(1); }}": "too few execution configuration arguments",
    f"__global__ void g(int n) {{}}\n{H}void f() {{ g(1); }}": "not configured",
    f"__global__ void g(int n) {{}}\n{H}void f() {{ g<<<1, 2>>>(); }}": "too few arguments",
    f"__global__ void g(int n) {{}}\n{K}(float *y) {{ g<<<1, 2>>>(1); }}": "relocatable device code",
    f"int h(int);\n{K}(int *y) {{ y[0] = h(1); }}": "call to __host__ function from __global__ function",
    f"__device__ int d(int);\n{H}int f(int a) {{ return d(a); }}": "call to __device__ function from __host__ function",
}


def cases():
    for table in (SUBJECTS, PARAMETERS):
        yield from ((text, message) for text, message in table.values())
    for text, message in EXPRESSIONS.items():
        yield f'{K}(const float *x, [[kernix::shape("{text}")]] float *y, int n, float a) {{ y[0] = x[0]; }}', message
    for text, message in LAUNCHES.items():
        yield f"[[kernix::bind, kernix::{text}]] __global__ void k(float *y) {{ y[0] = 1; }}", message
    for text, message in INTENTS.items():
        yield f"{H}int f({text}) {{ return 1; }}", message
    for table in (INSTANCES, SYNTAX):
        yield from table.items()


@pytest.mark.parametrize(("source", "message"), list(cases()))
def test_source_is_refused(source, message):
    with pytest.raises(kernix.CompileError, match=message) as caught:
        kernix.load_cuda_inline("wrong", f"#include <kernix/kernix.h>\n#include <string_view>\n{source}\n")
    output = caught.value.output
    assert "Stack dump" not in output
    assert "PLEASE submit" not in output
    for line in output.splitlines():
        if re.search(r"\berror:", line) and "undefined symbol" not in line and "linker command" not in line:
            assert re.search(r":\d+:\d+: (fatal )?error: ", line), line
