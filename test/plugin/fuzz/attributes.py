"""Puts every attribute, with good and bad arguments, on every kind of declaration and statement.

Whatever the source, clang must end with 0 or 1, never crash, and print nothing but located diagnostics. Files are made
from a seed, so that a failure can be made again; on a failure the smallest part of the file that still fails is
printed. Checks no diagnostic's text: the tests beside this folder do.
"""

import argparse
import concurrent.futures
import os
import random
import re
import subprocess
import sys
import tempfile

STRINGS = ['"x"', '"y"', '"n"', '""', '" "', '"x.size(0)"', '"ceil_div(n, block.x)"', '"x.numel("', '"1 / 0"', '"float"',
           '"a b"', '"arg ret attr.n:int32 stream"', '"arg, ret"', '"\\x41\\n"', '"a" "b"', 'u8"x"', 'L"x"', 'R"(x)"',
           '"x" "\\"', '"99999999999999999999"', '"((((((((((n))))))))))"', '"\\0"', '__FILE__', '"\u00fc"']
WORDS = ["in", "inout_ptr", "out_ptr", "out_return", "out_array_return", "out_retrun", "forward", "backward", "atomic",
         "warp", "unique", "once", "replicated", "scatter", "tensor_cores", "plain", "unknown", "rule", "global", "Limit",
         "Struct", "T", "this", "n", "x", "overloaded", "templated"]
NUMBERS = ["0", "1", "2", "3", "-1", "256", "1025", "99999999999999999999", "2.5", "-0.0", "1e400", "true", "'c'",
           "nullptr", "Limit", "Limit * 2", "sizeof(int)", "N", "N + 1", "global", "unknown + 1", "1 / 0", "int()",
           "{1, 2}", "{}", "[]{ return 3; }()", "(1, 2)", "xs...", "~0ull"]
FUNCTIONS = ["rule", "&rule", "ns::rule", "overloaded", "templated", "templated<float>", "Struct::made", "&Struct::member",
             "(rule)", "*rule", "unknown::rule", "rule(1.f)", "[](float) {}", "Struct", "&global"]
ATTRIBUTES = ["bind", "instantiate", "intent", "shape", "value", "optional", "grid", "block", "shared_bytes",
              "differentiable", "diff", "no_diff", "forward_derivative", "backward_derivative", "forward_derivative_of",
              "backward_derivative_of", "capability", "max_iters", "recompute", "store"]
# What each takes, so that a good part of the uses is right.
GOOD = {
    "bind": ["", "()", '("name")', '("name", "arg ret")'], "instantiate": ['("float")', '("float", "int")'],
    "intent": ["(in)", "(inout_ptr)", "(out_ptr)", "(out_return)", '(out_array_return, 3, "float")'],
    "shape": ['("x")', '("x.size(0)", "3")'], "value": ['("x.numel()")', '("n")'], "optional": [""],
    "grid": ['("ceil_div(n, block.x)")', "(1, 2, 3)"], "block": ["(256)", "(16, 16)"],
    "shared_bytes": ['("4 * block.x")', "(128)"], "differentiable": ["", "(forward)", "(backward)", "(2)"],
    "diff": ["", "(atomic)", "(replicated, 4)"], "no_diff": [""], "forward_derivative": ["(rule)"],
    "backward_derivative": ["(ns::rule)"], "forward_derivative_of": ["(rule)"], "backward_derivative_of": ["(overloaded)"],
    "capability": ["(tensor_cores, 2.0, 1.0)", "(plain)"], "max_iters": ["(64)", "(N)"], "recompute": [""], "store": [""],
}
MISSPELT = ["bnid", "shapes", "max_iter", "kernix", "intents", "operator", "true", "class", "x"]

PROLOGUE = """
constexpr int Limit = 3;
template <int N> struct Number {};
int global;
void rule(float);
void overloaded(float);
void overloaded(double);
template <class T> void templated(T);
namespace ns {
void rule(float);
}
struct Struct {
  static void made(float);
  void member();
};
"""

# `@` is a place for attributes; `$` a number that makes names unique.
DECLARATIONS = [
    "@ void f$(const float *x, @ float *y, @ int n);",
    "@ __global__ void k$(const float *__restrict__ x, @ float *y, @ int n) {}",
    "__global__ @ void k$(@ const float *x, @ float *y, @ int n, @ float a) { y[0] = a * x[n]; }",
    "@ __device__ float d$(@ float x, @ float &y) { y = x; return x; }",
    "@ __host__ __device__ inline float hd$(@ float x) { return x; }",
    "@ float f$(@ float x) @;",
    "float f$ @ (@ float x);",
    "@ extern float (*p$)(@ float x);",
    "@ constexpr auto p$ = &rule;",
    "@ constexpr void (*p$)(float) = overloaded;",
    "@ constexpr auto p$ = &templated<float>;",
    "@ const auto p$ = &rule;",
    "@ constexpr auto p$ = &unknown$;",
    "template <class T> @ __global__ void k$(const T *x, @ T *y, int n) { y[0] = x[n]; }",
    "template <class T, int N> @ __global__ void k$(@ T *y) { @ for (int i = 0; i < N; ++i) y[i] = i; }\n"
    "template __global__ void k$<float, 3>(float *);",
    "template <class T> @ void f$(@ T x);\ntemplate <class T> @ void f$(@ T x) { @ T y = x; }\ntemplate void f$<int>(int);",
    "template <class T> @ void f$(T x) {}\ntemplate <> @ void f$<float>(@ float x) {}",
    "template <class... T> @ void f$(@ T... xs) {}\ninline void g$() { f$(1, 2.f); f$(); }",
    "@ auto f$(@ auto x, @ auto... xs) { return x; }\ninline int g$() { return f$(1, 2); }",
    "template <@ class T, @ int N> void f$();",
    "template <class T> @ constexpr auto v$ = &templated<T>;\nconstexpr auto w$ = v$<float>;",
    "template @ void templated<long>(long);",
    "extern template @ void templated<short>(short);",
    "template <class T> concept C$ @ = true;",
    "template <class T> requires @ true void f$(T);",
    "template <class T> void f$(T) requires requires(@ T x) { x + 1; };",
    "struct @ S$ { @ int field; @ void method(@ int n); @ static void made(@ float *x); @ S$(); @ ~S$(); @ operator int(); };",
    "struct S$ { @ virtual void method(@ float x) = 0; @ S$ &operator=(@ const S$ &) = delete; int bits @ : 3; };",
    "struct S$ { @ friend void friendly$(@ float *x); friend @ class Friend$; @ S$(@ const S$ &) = default; };",
    "struct S$ { @ friend void friendly$(@ float *x) {} @ static constexpr auto p = &rule; };",
    "template <class T> struct S$ { @ static T made(@ T x) { @ T y = x; return y; } };\ntemplate struct S$<float>;",
    "template <class T> struct S$ { template <class U> @ static void made(@ T x, @ U y); };\n"
    "template <class T> template <class U> @ void S$<T>::made(@ T x, @ U y) {}\n"
    "inline void g$() { S$<int>::made(1, 2.f); }",
    "template <class T> struct @ S$;\ntemplate <class T> struct @ S$<T *> { @ T *x; };",
    "union @ U$ { @ int a; float b; };",
    "enum @ E$ { A$ @ = 1, B$ @ };",
    "enum class @ E$ : int;",
    "namespace @ ns$ { @ void f(@ float x); inline namespace @ v1 { @ int g; } }",
    "@ namespace other$ {}",
    "namespace { @ __global__ void k$(@ float *x) {} }",
    'extern "C" @ void c$(@ float *x);',
    '@ extern "C" { @ void c$(@ float *x); }',
    "@ typedef float t$ @;",
    "using a$ @ = float;",
    "@ using a$ = float;",
    "template <class T> using a$ @ = T;",
    "@ using ns::rule;",
    "@ using namespace ns;",
    "namespace alias$ = @ ns;",
    "@ static_assert(true);",
    "@ ;",
    "@ asm(\"\");",
    "@ int v$ @, @ *w$ @ = nullptr, u$[3] @;",
    "int @ v$; float @ * @ w$; int (@ x$);",
    "@ thread_local int v$; @ static const float w$ = 1;",
    "@ __device__ float dv$; @ __shared__ float sv$; @ __constant__ float cv$[4];",
    "auto l$ = [](@ float x) @ { @ float y = x; return y; };",
    "auto l$ = [] @ (@ auto x) mutable @ { return x; };\nauto r$ = l$(1);",
    "auto l$ = [@ x = 1] { return x; };",
    "template <class T> struct G$ { G$(T); };\n@ G$(int) -> G$<@ float>;",
    "@ consteval int f$(@ int x) { return x; }",
    "@ constexpr int f$(@ int x) { return x; }",
    "@ void f$(@ int n, ...);",
    "@ void f$(@ float x = 1, @ int n = Limit);",
    "@ void f$(@ void);",
    "@ void f$(@ int n[3], @ float (&m)[2][3], @ void (*p)(@ int));",
    "@ void f$(@ Undeclared$ x, @ float *y);",
    "@ Undeclared$ f$();",
    "@ void f$() noexcept(@ true) ;",
    "@ void f$() = delete;",
    "@ int main();",
    "@ void operator+(@ Struct a, @ Struct b);",
    "@ float operator\"\" _u$(@ long double x);",
    "void f$() { @ void local(@ float x); @ extern int v$; struct @ L { @ static void made(@ float x) {} }; }",
    "struct Task$ { struct promise_type { Task$ get_return_object(); }; };\n@ Task$ f$(@ float x) { @ co_return; }",
    "#pragma clang attribute push(@, apply_to = function)\nvoid f$();\n#pragma clang attribute pop",
    "#define M$(A) A void m$(@ float x)\nM$(@);",
    "void f$() { new int @ [3]; sizeof(int @); (void)(float @)1; }",
    "@ void f$(); @ void f$() {} @ void f$();",
    "@ void f$(@ float *x); @ void f$(@ const float *x); @ int f$(@ float *x);",
]
STATEMENTS = [
    "@ for (@ int i = 0; i < n; ++i) { @ x += i; }", "@ while (@ int i = n) --n;", "@ do { --n; } while (n > 0);",
    "@ for (@ int i : {1, 2, 3}) x += i;", "@ x = std_like(x);", "@ std_like(x);", "@ x = 1;", "@ ;", "@ {}",
    "@ if (n) @ return;", "@ switch (n) { @ case 1: @ break; @ default: @ ; }", "@ label$: @ std_like(x);", "@ goto end;",
    "@ return;", "@ float y$ = std_like(x), @ z$ = 1;", "@ auto [a$, b$ @] = Pair{1, 2};", "@ static int s$ = 0;",
    "@ try { @ std_like(x); } catch (@ int e) { @ throw; }", "@ [&](@ float y) { @ std_like(y); }(x);", "@ x++, --n;",
    "@ delete new int;", "@ kernel<<<1, 1>>>(&x);", "@ __shared__ float s$;", "@ asm volatile(\"\");", "@ using T$ = int;",
    "@ struct @ L$ { @ int m; };", "if (@ int i = 0; i) {}", "@ [[likely]] std_like(x);", "[[maybe_unused]] @ int u$;",
    "@ Undeclared y$;", "@ undeclared(x);", "@ for (;;) @ for (;;) @ break;", "@ if constexpr (N > 0) { @ std_like(N); }",
    "@ (void)Pair{1, 2};", "@ co_return;", "@ typedef int t$;", "@ std_like(x) + std_like(x);", "_Pragma(\"unroll\") @ for (;;) break;",
]
BODIES = [
    "void b$(float x, int n) {\nconstexpr int N = 2;\n%s\nend:;\n}",
    "template <int N> @ __global__ void b$(float x, int n) {\n%s\nend:;\n}\ntemplate __global__ void b$<3>(float, int);",
    "struct B$ { void method(float x, int n) {\nconstexpr int N = 2;\n%s\nend:;\n} };",
    "__device__ void b$(float x, int n) {\nconstexpr int N = 2;\n%s\nend:;\n}",
    "auto b$ = [](auto x, int n) {\nconstexpr int N = 2;\n%s\nend:;\n};\nauto c$ = [] { b$(1.f, 2); };",
]
BODY_PROLOGUE = """
struct Pair { float a, b; };
__host__ __device__ float std_like(float);
__global__ void kernel(float *x);
"""
PLAIN_CUDA = "#define __global__\n#define __device__\n#define __host__\n#define __shared__ static\n#define __constant__\n"


class Generator:
    def __init__(self, seed):
        self.random = random.Random(seed)
        self.count = 0
        self.gentle = self.random.random() < 0.5

    def argument(self):
        return self.random.choice(self.random.choice([STRINGS, WORDS, NUMBERS, FUNCTIONS]))

    def use(self, scoped):
        name = self.random.choice(ATTRIBUTES if self.random.random() < 0.95 else MISSPELT)
        if name in GOOD and self.random.random() < 0.6:
            arguments = self.random.choice(GOOD[name])
        elif self.random.random() < 0.2:
            arguments = ""
        else:
            arguments = "(" + ", ".join(self.argument() for _ in range(self.random.randrange(5))) + ")"
        return (name if scoped else "kernix::" + name) + arguments

    def attributes(self):
        kind = self.random.random()
        if kind < 0.45:
            return ""
        number = 1 + (self.random.random() < 0.4) + (self.random.random() < 0.1)
        if kind < 0.9:
            return "[[" + ", ".join(self.use(False) for _ in range(number)) + "]]"
        if kind < 0.94:
            return "[[using kernix: " + ", ".join(self.use(True) for _ in range(number)) + "]]"
        if kind < 0.96:
            return "[[" + self.use(True) + "]]"
        if kind < 0.98:
            return "[[other::" + self.use(True) + "]]"
        return "__attribute__((" + self.use(True) + "))"

    def fitting(self, before, after):
        """Attributes that may stand at this place, with good arguments: such files get past the parser."""
        if self.random.random() < 0.4:
            return ""
        if re.search(r"[(,]\s*$", before):
            names = ["intent", "shape", "value", "optional", "diff", "no_diff"]
        elif re.match(r"\s*(for|while|do)\b", after):
            names = ["max_iters", "recompute", "store"]
        elif re.match(r"\s*(const )?(float|int) \w", after) and re.search(r"[{;]\s*$", before):
            names = ["no_diff", "recompute", "store"]
        elif re.match(r"\s*(std_like|x = std_like|x \+=)", after):
            names = ["no_diff"]
        elif "__global__" in before + after:
            names = ["bind", "bind", "grid", "block", "shared_bytes", "differentiable", "capability"]
        else:
            names = ["bind", "bind", "differentiable", "backward_derivative"]
        name = self.random.choice(names)
        return f"[[kernix::{name}{self.random.choice(GOOD[name])}]]"

    def fill(self, template):
        self.count += 1
        pieces = template.split("@")
        filled = pieces[0]
        for piece in pieces[1:]:
            filled += (self.fitting(filled, piece) if self.gentle else self.attributes()) + piece
        return filled.replace("$", str(self.count))

    def part(self):
        if self.random.random() < 0.6:
            return self.fill(self.random.choice(DECLARATIONS))
        statements = "\n".join(self.fill(self.random.choice(STATEMENTS)) for _ in range(self.random.randrange(1, 6)))
        return self.fill(self.random.choice(BODIES)).replace("%s", statements)

    def damage(self, text):
        """Syntax errors: tokens lost, doubled or exchanged, or the file cut off."""
        tokens = re.findall(r"\w+|\s+|\"(?:[^\"\\]|\\.)*\"|.", text)
        for _ in range(self.random.randrange(1, 4)):
            at = self.random.randrange(len(tokens))
            kind = self.random.randrange(4)
            if kind == 0:
                del tokens[at]
            elif kind == 1:
                tokens.insert(at, self.random.choice(tokens))
            elif kind == 2:
                tokens[at] = self.random.choice(["(", ")", "[", "]", "]]", "[[", "{", "}", ";", ",", "::", "<", "\"", "template"])
            elif self.random.random() < 0.2:
                del tokens[at:]
            if not tokens:
                break
        return "".join(tokens)

    def file(self):
        parts = [self.part() for _ in range(self.random.randrange(1, 4 if self.gentle else 30))]
        if self.random.random() < 0.25:
            at = self.random.randrange(len(parts))
            parts[at] = self.damage(parts[at])
        return parts


class Compiler:
    def __init__(self, options):
        root = options.root
        common = [options.clang, "-std=c++20", f"-fplugin={root}/lib/kernix.so", f"-I{root}/include", "-ferror-limit=0", "-w",
                  "-Wno-unknown-cuda-version", "-fno-color-diagnostics", "-fno-crash-diagnostics", "-ftemplate-depth=64"]
        bare = ["-nocudainc", "-nocudalib", "-include", os.path.join(options.inputs, "cuda.h"), "-x", "cuda"]
        self.modes = {
            "c++": common + ["-x", "c++"],
            "cuda host": common + ["--cuda-host-only"] + bare,
            "cuda device": common + ["--cuda-device-only", "--cuda-gpu-arch=sm_90"] + bare,
            "cpu device": common + ["--cuda-host-only", "-Xclang", "-fcuda-is-device"] + bare,
        }

    def source(self, mode, header, parts):
        start = PLAIN_CUDA if mode == "c++" else ""
        if header:
            start += "#include <kernix/kernix.h>\n"
        return start + PROLOGUE + BODY_PROLOGUE + "\n".join(parts) + "\n"

    def failure(self, mode, compiles, header, parts):
        """What is wrong with clang's behaviour on this file, or None."""
        with tempfile.NamedTemporaryFile("w", suffix=".cu", encoding="utf-8") as file:
            file.write(self.source(mode, header, parts))
            file.flush()
            action = ["-c", "-O1", "-o", os.devnull] if compiles else ["-fsyntax-only"]
            if mode == "cuda device" and compiles:
                action = ["-S", "-emit-llvm", "-o", os.devnull]
            try:
                done = subprocess.run(self.modes[mode] + action + [file.name], capture_output=True, timeout=120)
            except subprocess.TimeoutExpired:
                return "clang did not end within two minutes"
        text = done.stderr.decode("utf-8", "replace")
        if done.returncode not in (0, 1):
            return f"exit code {done.returncode}\n{text[-4000:]}"
        if "Stack dump" in text or "PLEASE submit" in text:
            return text[-4000:]
        errors = [line for line in text.splitlines() if re.search(r"\b(fatal )?error: ", line.split(" | ")[0])]
        unlocated = [line for line in errors if not re.match(r"[^ ]+:\d+:\d+: ", line)]
        if unlocated:
            return "an error without a place: " + unlocated[0]
        if done.returncode == 1 and not errors:
            return "exit code 1 without an error"
        return None

    def smallest(self, mode, compiles, header, parts):
        """Leaves out parts as long as the failure stays."""
        at = 0
        while at < len(parts):
            fewer = parts[:at] + parts[at + 1:]
            if self.failure(mode, compiles, header, fewer):
                parts = fewer
            else:
                at += 1
        return parts


def check(options, compiler, seed):
    generator = Generator(seed)
    parts = generator.file()
    mode = generator.random.choice(list(compiler.modes))
    header = generator.random.random() < 0.3
    compiles = generator.random.random() < 0.3
    failure = compiler.failure(mode, compiles, header, parts)
    if not failure:
        return None
    parts = compiler.smallest(mode, compiles, header, parts)
    failure = compiler.failure(mode, compiles, header, parts) or failure
    return f"seed {seed}, {mode}, {'compiled' if compiles else 'checked'}: {failure}\n{compiler.source(mode, header, parts)}"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--clang", default="clang++-22")
    parser.add_argument("--root", required=True, help="the folder that has lib/kernix.so")
    parser.add_argument("--inputs", required=True, help="the folder that has cuda.h")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--files", type=int, default=100)
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    compiler = Compiler(options)
    failures = 0
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        seeds = range(options.seed, options.seed + options.files)
        for failure in pool.map(lambda seed: check(options, compiler, seed), seeds):
            if failure:
                failures += 1
                print(failure, flush=True)
    print(f"{options.files} files, {failures} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
