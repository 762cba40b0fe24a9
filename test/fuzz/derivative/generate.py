"""Random kernels to differentiate.

A program is made from a seed and printed twice: as the differentiable kernel `f<seed>`, and as its traced twin
`t<seed>`, which also writes a hash of every decision it takes (branches, trip counts, indices, sides of kinks), so that
a difference across a kink or a jump can be told from a wrong gradient. Each thread works on its own row of `x`, so that
one call checks many points; `w` is read by all threads. Everything is bounded, initialised and in range by construction.
"""

import random
from dataclasses import dataclass, field

INPUTS, INTEGERS, WEIGHTS, OUTPUTS = 5, 3, 4, 2

HEADER = """\
#include <kernix/kernix.h>

struct P {
  double a, b;
  __device__ P operator+(const P &o) const { return {a + o.a, b - o.b}; }
  __device__ P operator*(double s) const { return {a * s, b + s}; }
  __device__ double &at(int k) { return k & 1 ? b : a; }
};
struct Q {
  P p;
  int n;
  double c[3];
};
__device__ inline double damp(double v) { return v / (1 + 0.1 * v * v); }
__device__ inline void mix(double &a, double &b) {
  double t = a * 0.5 + b;
  b = sin(a) - b * 0.25;
  a = t;
}
__device__ inline P turn(P p, double s) { return {p.a * s - p.b, p.b * s + p.a}; }
__device__ inline void push(Q *q, int k, double v) {
  q->c[k] = q->c[k] * 0.5 + v;
  q->n += 1;
  if (q->n & 1)
    q->p.a += v;
}
__device__ inline void note(unsigned long long &h, unsigned long long v) { h = (h ^ (v + 0x9e3779b97f4a7c15ull)) * 0xff51afd7ed558ccdull; }
__device__ inline bool decide(unsigned long long &h, bool c) { return note(h, c), c; }
__device__ inline int index_of(unsigned long long &h, double v, int n) {
  int k = static_cast<int>(floor(fabs(v) * 3)) % n;
  return note(h, static_cast<unsigned long long>(k)), k;
}
__device__ inline int index_of(double v, int n) { return static_cast<int>(floor(fabs(v) * 3)) % n; }
"""


@dataclass
class Scope:
    """What a statement may use."""

    doubles: list[str] = field(default_factory=list)  # readable
    variables: list[str] = field(default_factory=list)  # assignable
    arrays: dict[str, int] = field(default_factory=dict)
    pairs: list[str] = field(default_factory=list)
    records: list[str] = field(default_factory=list)
    pointers: dict[str, int] = field(default_factory=dict)  # elements that may be reached
    integers: list[str] = field(default_factory=list)
    in_loop: bool = False

    def inner(self, in_loop: bool | None = None) -> "Scope":
        return Scope(
            [*self.doubles],
            [*self.variables],
            {**self.arrays},
            [*self.pairs],
            [*self.records],
            {**self.pointers},
            [*self.integers],
            self.in_loop if in_loop is None else in_loop,
        )


class Generator:
    """One program."""

    def __init__(self, seed: int, *, long_loops: bool = True) -> None:
        self.random = random.Random(seed)
        self.seed = seed
        self.long_loops = long_loops
        self.count = 0
        self.budget = self.random.randint(4, 22)
        self.trips = 1
        self.lines: list[str] = []
        self.depth = 1
        self._body()

    # -- printing --------------------------------------------------------------------------------------------------

    def source(self) -> str:
        """The kernel and its twin."""
        differentiable = self._kernel(f"f{self.seed}", "[[kernix::bind, kernix::differentiable]]", traced=False)
        return differentiable + self._kernel(f"t{self.seed}", "[[kernix::bind]]", traced=True)

    def _kernel(self, name: str, attributes: str, *, traced: bool) -> str:
        body = "\n".join(self.lines)
        hash_parameter = "unsigned long long *h, " if traced else ""
        start = "  unsigned long long hash = 0;\n" if traced else ""
        body = body.replace("@DECIDE(", "decide(hash, " if traced else "(").replace(
            "@INDEX(", "index_of(hash, " if traced else "index_of("
        )
        body = body.replace("@NOTE(", "note(hash, " if traced else "static_cast<void>(")
        body = body.replace("@RETURN", "h[i] = hash; return" if traced else "return")
        return (
            f"{attributes}\n__global__ void {name}(const double *x, const double *w, const int *k, double *y, "
            f"{hash_parameter}int n) {{\n  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i >= n)\n    return;\n"
            f"{start}{body}\n}}\n"
        )

    def emit(self, text: str) -> None:
        self.lines.append("  " * self.depth + text)

    def name(self, prefix: str) -> str:
        self.count += 1
        return f"{prefix}{self.count}"

    # -- expressions -----------------------------------------------------------------------------------------------

    def real(self, scope: Scope, depth: int = 0) -> str:
        r = self.random
        if depth >= 3 or r.random() < 0.25 + 0.15 * depth:
            return self.leaf(scope)
        a = self.real(scope, depth + 1)
        kind = r.randrange(17)
        if kind < 6:
            b = self.real(scope, depth + 1)
            return f"({a} {r.choice('++-**')} {b})"
        if kind == 6:
            return f"({a} / (1.5 + {self.square(scope, depth)}))"
        if kind == 7:
            return f"{r.choice(['sin', 'cos', 'tanh', 'atan', 'erf'])}({a})"
        if kind == 8:
            return f"{r.choice(['sqrt(1.0 +', 'log(1.0 +', 'rsqrt(1.5 +'])} {self.square(scope, depth)})"
        if kind == 9:
            return f"exp(-{self.square(scope, depth)})"
        if kind == 10:
            return f"pow(1.2 + {self.square(scope, depth)}, {r.choice(['0.5', '1.5', '-0.7'])})"
        if kind == 11:
            b = self.real(scope, depth + 1)
            return f"(@DECIDE({a} > {b}) ? {self.real(scope, depth + 1)} : {self.real(scope, depth + 1)})"
        if kind == 12:
            b = self.leaf(scope)
            function = r.choice(["fmax", "fmin"])
            leaf = self.leaf(scope)
            return f"(@NOTE({leaf} > {b}), {function}({leaf}, {b}))"
        if kind == 13:
            leaf = self.leaf(scope)
            return f"(@NOTE({leaf} > 0), fabs({leaf}))"
        if kind == 14:
            return f"damp({a})"
        if kind == 15:
            leaf = self.leaf(scope)
            return f"(@NOTE(static_cast<long long>(floor({leaf}))), {leaf} - floor({leaf}))"
        return f"fma({a}, {self.leaf(scope)}, {self.leaf(scope)})"

    def square(self, scope: Scope, depth: int) -> str:
        leaf = self.leaf(scope)
        return f"{leaf} * {leaf}" if depth or self.random.random() < 0.7 else f"{leaf} * {leaf} * 0.5"

    def leaf(self, scope: Scope) -> str:
        r = self.random
        for _ in range(4):
            kind = r.randrange(12)
            if kind < 4 and scope.doubles:
                return r.choice(scope.doubles)
            if kind == 4:
                return f"x[i * {INPUTS} + {r.randrange(INPUTS)}]"
            if kind == 5:
                return f"w[{r.randrange(WEIGHTS)}]"
            if kind == 6 and scope.integers:
                return f"(0.25 * {r.choice(scope.integers)})"
            if kind == 7 and scope.arrays:
                name = r.choice([*scope.arrays])
                return f"{name}[{self.index(scope, scope.arrays[name])}]"
            if kind == 8 and scope.pairs:
                return f"{r.choice(scope.pairs)}.{r.choice('ab')}"
            if kind == 9 and scope.records:
                name = r.choice(scope.records)
                return r.choice([f"{name}.p.a", f"{name}.p.b", f"{name}.c[{self.index(scope, 3)}]"])
            if kind == 10 and scope.pointers:
                name = r.choice([*scope.pointers])
                return f"{name}[{self.index(scope, scope.pointers[name])}]"
            if kind == 11:
                return r.choice(["0.5", "(-0.75)", "1.25", "2.0"])
        return f"x[i * {INPUTS} + {r.randrange(INPUTS)}]"

    def integer(self, scope: Scope) -> str:
        r = self.random
        atoms = [*scope.integers, f"k[i * {INTEGERS} + {r.randrange(INTEGERS)}]", "i"]
        a, b = r.choice(atoms), r.choice([*atoms, str(r.randrange(1, 5))])
        return r.choice([a, f"({a} + {b})", f"({a} * 2 + 1)"])

    def index(self, scope: Scope, size: int) -> str:
        r = self.random
        kind = r.randrange(10)
        if size == 1:
            return "0"
        if kind < 5:
            return str(r.randrange(size))
        if kind < 9:
            return f"{self.integer(scope)} % {size}"
        return f"@INDEX({r.choice([*scope.doubles, f'x[i * {INPUTS}]'])}, {size})"

    def condition(self, scope: Scope) -> str:
        r = self.random
        kind = r.randrange(6)
        if kind < 3:
            return f"@DECIDE({self.real(scope, 2)} {r.choice('<>')} {self.real(scope, 2)})"
        if kind == 3:
            return f"({self.integer(scope)} % {r.randint(2, 3)} == 0)"
        joint = r.choice(["&&", "||"])
        return f"({self.simple_condition(scope)} {joint} {'!' if r.random() < 0.3 else ''}{self.simple_condition(scope)})"

    def simple_condition(self, scope: Scope) -> str:
        if self.random.random() < 0.7:
            return f"@DECIDE({self.leaf(scope)} > {self.leaf(scope)})"
        return f"({self.integer(scope)} % 2 == 1)"

    def target(self, scope: Scope) -> str:
        """Something to assign to."""
        r = self.random
        choices = [*scope.variables] * 2
        choices += [f"{name}[{self.index(scope, size)}]" for name, size in scope.arrays.items()]
        choices += [f"{name}.{r.choice('ab')}" for name in scope.pairs]
        choices += [f"{name}.at({self.integer(scope)})" for name in scope.pairs]
        choices += [f"{name}.c[{self.index(scope, 3)}]" for name in scope.records]
        choices += [f"{name}.p.{r.choice('ab')}" for name in scope.records]
        choices += [f"{name}[{self.index(scope, size)}]" for name, size in scope.pointers.items()]
        return r.choice(choices)

    # -- statements ------------------------------------------------------------------------------------------------

    def _body(self) -> None:
        scope = Scope()
        for _ in range(self.random.randint(1, 3)):
            self.declare(scope)
        while self.budget > 0:
            self.statement(scope)
        self.store(scope)
        self.emit("@RETURN;")

    def store(self, scope: Scope) -> None:
        places = [*scope.doubles, *(f"{name}[{k}]" for name, size in scope.arrays.items() for k in range(size))]
        places += [f"{name}.{field}" for name in scope.pairs for field in "ab"]
        places += [f"{name}.{field}" for name in scope.records for field in ("p.a", "p.b", "c[0]", "c[1]", "c[2]")]
        for k in range(OUTPUTS):
            seen = self.random.sample(places, min(len(places), 3))
            weighted = [f"{weight} * {place}" for weight, place in zip(("0.7", "-0.4", "1.3"), seen, strict=False)]
            self.emit(f"y[i * {OUTPUTS} + {k}] = {' + '.join([self.real(scope, 1), *weighted])};")

    def block(self, scope: Scope, statements: int, *, in_loop: bool | None = None) -> Scope:
        inner = scope.inner(in_loop)
        self.depth += 1
        for _ in range(statements):
            self.statement(inner)
        self.depth -= 1
        return inner

    def statement(self, scope: Scope) -> None:
        self.budget -= 1
        r = self.random
        kind = r.choices(
            ["declare", "assign", "if", "loop", "while", "switch", "call", "copy", "pointer", "jump", "early", "lambda"],
            [5, 9, 4, 4, 2, 1.5, 3, 2, 2, 2, 0.8, 1],
        )[0]
        if self.depth > 4 and kind in ("if", "loop", "while", "switch", "lambda"):
            kind = "assign"
        if not scope.variables:
            kind = "declare"
        getattr(self, f"do_{kind}")(scope)

    def declare(self, scope: Scope) -> None:
        r = self.random
        kind = r.randrange(8)
        if kind < 4:
            name = self.name("v")
            self.emit(f"double {name} = {self.real(scope)};")
            scope.doubles.append(name)
            scope.variables.append(name)
        elif kind < 6:
            name, size = self.name("a"), r.randint(2, 5)
            given = ", ".join(self.real(scope, 2) for _ in range(r.randint(1, size)))
            self.emit(f"double {name}[{size}] = {{{given}}};")
            scope.arrays[name] = size
        elif kind == 6:
            name = self.name("p")
            self.emit(f"P {name}{{{self.real(scope, 1)}, {self.real(scope, 1)}}};")
            scope.pairs.append(name)
        else:
            name = self.name("q")
            self.emit(f"Q {name}{{{{{self.real(scope, 2)}, {self.real(scope, 2)}}}, {r.randrange(3)}, {{{self.real(scope, 2)}}}}};")
            scope.records.append(name)
        if not scope.variables:
            self.declare(scope)

    do_declare = declare

    def do_assign(self, scope: Scope) -> None:
        target = self.target(scope)
        operator = self.random.choice(["=", "=", "+=", "-=", "*="])
        value = self.real(scope)
        # What grows in a loop would leave the range in which differences mean something.
        if operator == "*=" or scope.in_loop:
            value = f"{self.random.choice(['sin', 'tanh', 'damp', 'damp'])}({value})"
        self.emit(f"{target} {operator} {value};")
        if scope.in_loop and operator != "=":
            self.emit(f"{target} = damp({target});" if "@" not in target else ";")

    def do_if(self, scope: Scope) -> None:
        r = self.random
        self.emit(f"if ({self.condition(scope)}) {{")
        self.block(scope, r.randint(1, 3))
        while r.random() < 0.25:
            self.emit(f"}} else if ({self.condition(scope)}) {{")
            self.block(scope, r.randint(1, 2))
        if r.random() < 0.5:
            self.emit("} else {")
            self.block(scope, r.randint(1, 2))
        self.emit("}")

    def do_loop(self, scope: Scope) -> None:
        r = self.random
        counter = self.name("j")
        kind = r.randrange(7)
        most = 5
        if kind < 2:
            bound = str(r.randrange(0, 6))
        elif kind < 5:
            bound = f"(k[i * {INTEGERS} + {r.randrange(INTEGERS)}] % 5)"
        elif kind == 5 or not self.long_loops or self.trips > 1:
            bound = f"@INDEX({self.leaf(scope)}, 5)"
        else:
            bound, most = f"({r.choice([66, 130, 300])} + k[i * {INTEGERS}])", 300
        self.emit(f"for (int {counter} = 0, e{counter} = {bound}; {counter} < e{counter}; ++{counter}) {{")
        before, self.trips = self.trips, self.trips * most
        inner = scope.inner(True)
        inner.integers.append(counter)
        self.depth += 1
        for _ in range(r.randint(1, 3)):
            self.statement(inner)
        if r.random() < 0.15:
            self.emit(f"if ({self.condition(inner)} && e{counter} < {min(most, 40)})")
            self.emit(f"  ++e{counter}, ++{counter};")
        self.depth -= 1
        self.trips = before
        self.emit("}")

    def do_while(self, scope: Scope) -> None:
        r = self.random
        counter = self.name("c")
        most = r.randint(2, 7)
        before, self.trips = self.trips, self.trips * most
        self.emit(f"int {counter} = 0;")
        inner = scope.inner(True)
        inner.integers.append(counter)
        condition = f"{counter}++ < {most} && {self.condition(inner)}"
        if r.random() < 0.5:
            self.emit(f"while ({condition}) {{")
            self.depth += 1
            for _ in range(r.randint(1, 3)):
                self.statement(inner)
            self.depth -= 1
            self.emit("}")
        else:
            self.emit("do {")
            self.depth += 1
            for _ in range(r.randint(1, 3)):
                self.statement(inner)
            self.depth -= 1
            self.emit(f"}} while ({condition});")
        self.trips = before

    def do_switch(self, scope: Scope) -> None:
        r = self.random
        self.emit(f"switch ({self.integer(scope)} % 4) {{")
        cases = r.sample(range(5), r.randint(2, 4))
        for case in cases:
            self.emit(f"case {case}: {{" if case < 4 else "default: {")
            # A break inside belongs to the switch, not to a loop around it.
            self.block(scope, r.randint(1, 2))
            self.emit("}")
            self.emit("break;" if r.random() < 0.6 else "[[fallthrough]];" if case != cases[-1] else ";")
        self.emit("}")

    def do_call(self, scope: Scope) -> None:
        r = self.random
        kind = r.randrange(5)
        if kind == 0 and len(scope.variables) >= 2:
            a, b = r.sample(scope.variables, 2)
            self.emit(f"mix({a}, {b});")
            if scope.in_loop:
                self.emit(f"{a} = damp({a});")
        elif kind == 1 and scope.pairs:
            name = r.choice(scope.pairs)
            self.emit(f"{name} = turn({r.choice(scope.pairs)}, sin({self.leaf(scope)})) * 0.5;")
        elif kind == 2 and scope.records:
            self.emit(f"push(&{r.choice(scope.records)}, {self.index(scope, 3)}, sin({self.leaf(scope)}));")
        elif kind == 3 and scope.pairs:
            a, b = r.choice(scope.pairs), r.choice(scope.pairs)
            self.emit(f"{a} = ({a} + {b} * tanh({self.leaf(scope)})) * 0.5;")
        elif len(scope.variables) >= 2:
            a, b = r.sample(scope.variables, 2)
            self.emit(f"std::swap({a}, {b});")

    def do_copy(self, scope: Scope) -> None:
        r = self.random
        if len(scope.arrays) >= 2 and r.random() < 0.6:
            a, b = r.sample([*scope.arrays], 2)
            size = min(scope.arrays[a], scope.arrays[b])
            self.emit(f"memcpy({a}, {b}, {r.randint(1, size)} * sizeof(double));")
        elif scope.records and r.random() < 0.6:
            name = self.name("q")
            self.emit(f"Q {name} = {r.choice(scope.records)};")
            if scope.pairs:
                self.emit(f"{name}.p = {r.choice(scope.pairs)};")
            scope.records.append(name)
        elif scope.arrays:
            name = r.choice([*scope.arrays])
            if r.random() < 0.3:
                self.emit(f"memset({name}, 0, {r.randint(1, scope.arrays[name])} * sizeof(double));")
            else:
                self.emit(f"memmove({name} + 1, {name}, {scope.arrays[name] - 1} * sizeof(double));")

    def do_pointer(self, scope: Scope) -> None:
        r = self.random
        name = self.name("r")
        if scope.arrays and r.random() < 0.6:
            array = r.choice([*scope.arrays])
            shift = r.randrange(scope.arrays[array])
            self.emit(f"double *{name} = {array} + {shift};")
            scope.pointers[name] = scope.arrays[array] - shift
        elif len(scope.variables) >= 2:
            a, b = r.sample(scope.variables, 2)
            self.emit(f"double *{name} = {self.condition(scope)} ? &{a} : &{b};")
            scope.pointers[name] = 1

    def do_jump(self, scope: Scope) -> None:
        if scope.in_loop:
            self.emit(f"if ({self.condition(scope)})")
            self.emit(f"  {self.random.choice(['break', 'continue'])};")

    def do_early(self, scope: Scope) -> None:
        self.emit(f"if ({self.condition(scope)}) {{")
        self.depth += 1
        self.store(scope)
        self.emit("@RETURN;")
        self.depth -= 1
        self.emit("}")

    def do_lambda(self, scope: Scope) -> None:
        r = self.random
        name = self.name("g")
        inner = scope.inner(False)
        inner.doubles.append("u")
        self.emit(f"auto {name} = [&](double u) {{")
        self.depth += 1
        for _ in range(r.randint(0, 1)):
            self.do_assign(inner)
        self.emit(f"return {self.real(inner, 1)};")
        self.depth -= 1
        self.emit("};")
        target = self.target(scope)
        self.emit(f"{target} = damp({name}({self.leaf(scope)}) + {name}({self.leaf(scope)}));")


def program(seed: int) -> str:
    return Generator(seed).source()
