"""Random kernels to differentiate.

A program is made from a seed and printed twice: as the differentiable kernel `f<seed>`, and as its traced twin
`t<seed>`, which also writes a hash of every decision it takes (branches, trip counts, indices, sides of kinks), so that
a difference across a kink or a jump can be told from a wrong gradient. Each thread works on its own row of `x`, so that
one call checks many points; `w` is read by all threads. Everything is bounded, initialised and in range by construction.
"""

import random
from dataclasses import dataclass, field

INPUTS, INTEGERS, WEIGHTS, OUTPUTS, UPDATED, ADDED = 5, 3, 4, 2, 3, 4

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
struct H {
  Q q;
  P ps[2];
  bool odd;
  __device__ double total() const { return q.p.a * 0.5 + (odd ? ps[0].a : ps[1].b) + q.c[q.n % 3]; }
  __device__ void bump(int k, double v) {
    ps[k & 1].a += v * 0.5;
    this->q.c[k % 3] = sin(ps[(k + 1) & 1].b) + v;
    odd = !odd;
    q.n += k & 1;
  }
  __device__ H mixed(const H &o, double s) const {
    H r = o;
    r.ps[0] = ps[1] * s;
    r.q.p = r.q.p + q.p * 0.25;
    return r;
  }
};
struct V3 {
  double x, y, z;
  __device__ double &operator[](int k) { return k == 0 ? x : k == 1 ? y : z; }
  __device__ const double &operator[](int k) const { return k == 0 ? x : k == 1 ? y : z; }
};
__device__ inline V3 cross(const V3 &a, const V3 &b) { return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x}; }
__device__ inline double4 operator+(double4 a, double4 b) { return make_double4(a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w); }
__device__ inline double4 operator*(double s, double4 a) { return make_double4(s * a.x, s * a.y, s * a.z, s * a.w); }
__device__ inline double dot(double4 a, double4 b) { return a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w; }
struct Shape {
  double size;
  __device__ explicit Shape(double s) : size(s) {}
  __device__ virtual double area(double v) const { return size * v; }
  __device__ virtual ~Shape() {}
};
struct Disc final : Shape {
  double bend;
  __device__ Disc(double s, double b) : Shape(s), bend(b) {}
  __device__ double area(double v) const override { return size * size + sin(bend * v); }
};
struct Scale {
  double by, sum;
  __device__ double operator()(double v) {
    sum += v * 0.5;
    return by * v + sum;
  }
};
struct NoTrace {};
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
__device__ inline void note(NoTrace &, unsigned long long) {}
__device__ inline bool decide(NoTrace &, bool c) { return c; }
__device__ inline int index_of(unsigned long long &h, double v, int n) {
  int k = static_cast<int>(floor(fabs(v) * 3)) % n;
  return note(h, static_cast<unsigned long long>(k)), k;
}
__device__ inline int index_of(double v, int n) { return static_cast<int>(floor(fabs(v) * 3)) % n; }
template <int N> __device__ double horner(const double (&c)[N], double v) {
  double r = c[N - 1];
  for (int k = N - 2; k >= 0; --k)
    r = r * v + c[k];
  return r;
}
template <class F> __device__ double twice(F &&f, double v) { return f(sin(f(v))); }
__device__ inline double lookup(int k) {
  static constexpr double table[5] = {0.5, -1.25, 0.75, 2, -0.25};
  return table[k % 5];
}
template <class Trace> __device__ double climb(Trace &h, const double *a, int n, double limit) {
  double s = 0;
  for (int k = 0; k < n; ++k) {
    s += a[k] * a[k] * 0.5;
    if (decide(h, s > limit))
      return s * 0.5;
    if (decide(h, a[k] < -1))
      continue;
    s = sin(s) + a[k];
  }
  return s - limit;
}
template <class Trace> __device__ double newton(Trace &h, double c) {
  double v = 1;
  for (int k = 0; k < 20; ++k) {
    double f = v * v * v + v - c, step = f / (3 * v * v + 1);
    v -= step;
    if (decide(h, fabs(step) < 1e-3))
      break;
  }
  return v;
}
template <class Trace> __device__ void order(Trace &h, double &a, double &b) {
  if (decide(h, a > b))
    std::swap(a, b);
}
template <class Trace> __device__ void sort(Trace &h, double *a, int n) {
  for (int k = 1; k < n; ++k)
    for (int j = k; j > 0 && decide(h, a[j - 1] > a[j]); --j)
      std::swap(a[j - 1], a[j]);
}
__device__ inline void extremes(const double *a, int n, double *low, double *high) {
  *low = 10, *high = -10;
  for (int k = 0; k < n; ++k) {
    *low = fmin(*low, a[k]);
    *high = fmax(*high, a[k]);
  }
}
"""


# Statements and how often each one is taken.
KINDS = {
    "declare": 5,
    "declare_more": 3,
    "assign": 9,
    "if": 4,
    "loop": 4,
    "while": 2,
    "switch": 1.5,
    "call": 3,
    "call_more": 2.5,
    "copy": 2,
    "pointer": 2,
    "reference": 1.2,
    "walk": 0.8,
    "ping_pong": 0.5,
    "table": 0.6,
    "backward_goto": 0.6,
    "jump": 2,
    "forward_goto": 0.8,
    "count": 1.5,
    "early": 0.8,
    "lambda": 1,
}


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
    counters: list[str] = field(default_factory=list)  # integers that may be assigned
    grids: list[str] = field(default_factory=list)  # double[2][3]
    many: list[str] = field(default_factory=list)  # Q[3]
    nested: list[str] = field(default_factory=list)  # H
    vectors: list[str] = field(default_factory=list)  # V3
    fours: list[str] = field(default_factory=list)  # double4
    flags: list[str] = field(default_factory=list)
    exits: list[str] = field(default_factory=list)  # labels after the loops around
    in_loop: bool = False

    def inner(self, in_loop: bool | None = None) -> "Scope":
        copies = {name: value.copy() for name, value in vars(self).items() if name != "in_loop"}
        return Scope(**copies, in_loop=self.in_loop if in_loop is None else in_loop)


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
        self.labels: set[str] = set()
        self.updates = self.random.random() < 0.3  # z is read and written
        self.adds = self.random.random() < 0.25  # s is added to
        self._body()

    # -- printing --------------------------------------------------------------------------------------------------

    def source(self) -> str:
        """The kernel and its twin."""
        differentiable = self._kernel(f"f{self.seed}", "[[kernix::bind, kernix::differentiable]]", traced=False)
        return differentiable + self._kernel(f"t{self.seed}", "[[kernix::bind]]", traced=True)

    def _kernel(self, name: str, attributes: str, *, traced: bool) -> str:
        body = "\n".join(self.lines)
        hash_parameter = "unsigned long long *h, " if traced else ""
        start = f"  {'unsigned long long' if traced else 'NoTrace'} hash{{}};\n"
        extra = "double *z, " * self.updates + "double *s, " * self.adds
        body = body.replace("@DECIDE(", "decide(hash, " if traced else "(").replace(
            "@INDEX(", "index_of(hash, " if traced else "index_of("
        )
        body = body.replace("@NOTE(", "note(hash, " if traced else "static_cast<void>(")
        body = body.replace("@RETURN", "h[i] = hash; return" if traced else "return")
        return (
            f"{attributes}\n__global__ void {name}(const double *x, const double *w, const int *k, double *y, "
            f"{extra}{hash_parameter}int n) {{\n  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i >= n)\n    return;\n"
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
        kind = r.randrange(22)
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
        if kind == 16:
            left, right = self.place(scope), self.place(scope)
            return f"(@NOTE({left} > {right}), std::{r.choice(['max', 'min'])}({left}, {right}))"
        if kind == 17 and scope.arrays:
            return f"horner({r.choice([*scope.arrays])}, {self.leaf(scope)} * 0.5)"
        if kind == 18:
            return f"(lookup({self.integer(scope)}) * {a})"
        if kind == 19 and scope.flags:
            return f"({r.choice(scope.flags)} ? {a} : {self.leaf(scope)})"
        if kind == 20 and scope.nested:
            return f"{r.choice(scope.nested)}.total()"
        if kind == 21 and scope.fours:
            return f"sin(dot({r.choice(scope.fours)}, {r.choice(scope.fours)}))"
        return f"fma({a}, {self.leaf(scope)}, {self.leaf(scope)})"

    def place(self, scope: Scope) -> str:
        """Something that has an address."""
        r = self.random
        if scope.arrays and r.random() < 0.3:
            name = r.choice([*scope.arrays])
            return f"{name}[{r.randrange(scope.arrays[name])}]"
        if scope.variables and r.random() < 0.6:
            return r.choice(scope.variables)
        return f"x[i * {INPUTS} + {r.randrange(INPUTS)}]" if r.random() < 0.6 else f"w[{r.randrange(WEIGHTS)}]"

    def square(self, scope: Scope, depth: int) -> str:
        leaf = self.leaf(scope)
        return f"{leaf} * {leaf}" if depth or self.random.random() < 0.7 else f"{leaf} * {leaf} * 0.5"

    def leaf(self, scope: Scope) -> str:
        r = self.random
        for _ in range(4):
            kind = r.randrange(17)
            if kind == 12 and scope.grids:
                return f"{r.choice(scope.grids)}[{self.index(scope, 2)}][{self.index(scope, 3)}]"
            if kind == 13 and scope.many:
                return f"{r.choice(scope.many)}[{self.index(scope, 3)}].{r.choice(['p.a', 'p.b', f'c[{self.index(scope, 3)}]'])}"
            if kind == 14 and scope.nested:
                name = r.choice(scope.nested)
                return r.choice([f"{name}.q.p.a", f"{name}.ps[{self.index(scope, 2)}].b", f"{name}.q.c[{self.index(scope, 3)}]"])
            if kind == 15 and scope.vectors:
                return f"{r.choice(scope.vectors)}[{self.index(scope, 3)}]"
            if kind == 16 and scope.fours:
                return f"{r.choice(scope.fours)}.{r.choice('xyzw')}"
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
        more = [f"({a} ^ {b})", f"({a} & 3)", f"(({a} >> 1) + {b})", f"(({a} + 1u) * 7u % 5u)", f"abs({a} - {b})"]
        return r.choice([a, a, f"({a} + {b})", f"({a} * 2 + 1)", r.choice(more)])

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
        kind = r.randrange(7)
        if kind == 6 and scope.flags:
            return r.choice([r.choice(scope.flags), f"!{r.choice(scope.flags)}"])
        if kind in (0, 1, 2, 6):
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
        choices += [f"{name}[{self.index(scope, 2)}][{self.index(scope, 3)}]" for name in scope.grids]
        choices += [f"{name}[{self.index(scope, 3)}].c[{self.index(scope, 3)}]" for name in scope.many]
        choices += [f"{name}[{self.index(scope, 3)}].p.b" for name in scope.many]
        choices += [f"{name}.ps[{self.index(scope, 2)}].at({self.integer(scope)})" for name in scope.nested]
        choices += [f"{name}[{self.index(scope, 3)}]" for name in scope.vectors]
        choices += [f"{name}.{r.choice('xyzw')}" for name in scope.fours]
        choices += [f"{name}[{self.index(scope, size)}]" for name, size in scope.pointers.items()]
        return r.choice(choices)

    # -- statements ------------------------------------------------------------------------------------------------

    def _body(self) -> None:
        scope = Scope()
        if self.updates:
            name = self.name("v")
            self.emit(f"double {name} = z[i * {UPDATED} + {self.random.randrange(UPDATED)}];")
            scope.doubles.append(name)
            scope.variables.append(name)
        for _ in range(self.random.randint(1, 3)):
            self.declare(scope)
        while self.budget > 0:
            self.statement(scope)
        self.store(scope)
        if self.updates:
            self.update(scope)
        if self.adds:
            self.emit(f"atomicAdd(&s[{self.index(scope, ADDED)}], {self.real(scope)});")
        self.emit("@RETURN;")

    def store(self, scope: Scope) -> None:
        places = [*scope.doubles, *(f"{name}[{k}]" for name, size in scope.arrays.items() for k in range(size))]
        places += [f"{name}.{field}" for name in scope.pairs for field in "ab"]
        places += [f"{name}.{field}" for name in scope.records for field in ("p.a", "p.b", "c[0]", "c[1]", "c[2]")]
        for k in range(OUTPUTS):
            seen = self.random.sample(places, min(len(places), 3))
            weighted = [f"{weight} * {place}" for weight, place in zip(("0.7", "-0.4", "1.3"), seen, strict=False)]
            self.emit(f"y[i * {OUTPUTS} + {k}] = {' + '.join([self.real(scope, 1), *weighted])};")

    def update(self, scope: Scope) -> None:
        r = self.random
        kind = r.randrange(3)
        if kind == 0:
            self.emit(f"z[i * {UPDATED} + {r.randrange(UPDATED)}] {r.choice(['=', '+=', '*='])} {self.real(scope)};")
            return
        counter = self.name("j")
        inner = scope.inner(True)
        inner.integers.append(counter)
        self.emit(f"for (int {counter} = 0; {counter} < {UPDATED}; ++{counter})")
        operator = "=" if kind == 1 else "*="
        self.emit(f"  z[i * {UPDATED} + {counter}] {operator} {self.real(inner)};")

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
            [*KINDS],
            [*KINDS.values()],
        )[0]
        if self.depth > 4 and kind in ("if", "loop", "while", "switch", "lambda", "walk", "backward_goto", "ping_pong"):
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
        label = self.name("out")
        inner.exits.append(label)
        self.depth += 1
        for _ in range(r.randint(1, 3)):
            self.statement(inner)
        if r.random() < 0.15:
            self.emit(f"if ({self.condition(inner)} && e{counter} < {min(most, 40)})")
            self.emit(f"  ++e{counter}, ++{counter};")
        self.depth -= 1
        self.trips = before
        self.emit("}")
        if label in self.labels:
            self.emit(f"{label}:;")

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
            count = r.randint(1, size) if r.random() < 0.6 else f"({self.integer(scope)} % {size + 1})"
            self.emit(f"memcpy({a}, {b}, {count} * sizeof(double));")
        elif scope.many and r.random() < 0.4:
            name = r.choice(scope.many)
            kind = r.randrange(3)
            if kind == 0:
                self.emit(f"{name}[{self.index(scope, 3)}] = {name}[{self.index(scope, 3)}];")
            elif kind == 1:
                self.emit(f"memset(&{name}[{self.index(scope, 3)}], 0, sizeof(Q));")
            else:
                self.emit(f"__builtin_memmove(&{name}[1], &{r.choice(scope.many)}[{self.integer(scope)} % 2], sizeof(Q) * {r.choice('12')});")
        elif len(scope.nested) > 1 and r.random() < 0.4:
            a, b = r.sample(scope.nested, 2)
            self.emit(r.choice([f"{a} = {b};", f"{a}.q = {b}.q;", f"{a}.ps[{self.integer(scope)} & 1] = {b}.ps[0];"]))
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
                self.emit(f"__builtin_memmove({name} + 1, {name}, {scope.arrays[name] - 1} * sizeof(double));")

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
            if r.random() < 0.3:
                self.emit(f"if ({self.condition(scope)})")
                self.emit(f"  {name} = &{self.target(scope)};")

    def do_forward_goto(self, scope: Scope) -> None:
        if scope.exits:
            label = self.random.choice(scope.exits)
            self.labels.add(label)
            self.emit(f"if ({self.condition(scope)})")
            self.emit(f"  goto {label};")

    def do_backward_goto(self, scope: Scope) -> None:
        label, counter = self.name("again"), self.name("c")
        self.emit("{")
        self.emit(f"  int {counter} = 0;")
        self.emit(f"{label}:;")
        inner = self.block(scope, self.random.randint(1, 2), in_loop=False)
        inner.integers.append(counter)
        # What is declared in the block is out of its scope for nobody: the jump goes back over it.
        self.emit(f"  if (++{counter} < {self.random.randint(2, 4)} && {self.condition(scope)})")
        self.emit(f"    goto {label};")
        self.emit("}")

    def do_count(self, scope: Scope) -> None:
        r = self.random
        if scope.counters and r.random() < 0.7:
            name = r.choice(scope.counters)
            self.emit(r.choice([f"{name} = ({self.integer(scope)} + {name} * 3) % 7;", f"++{name};", f"{name} ^= {self.integer(scope)} & 3;"]))
        elif r.random() < 0.6:
            name = self.name("m")
            self.emit(f"int {name} = {self.integer(scope)} % 7;")
            scope.integers.append(name)
            scope.counters.append(name)
        else:
            name = self.name("d")
            self.emit(f"bool {name} = {self.condition(scope)};")
            scope.flags.append(name)

    def do_declare_more(self, scope: Scope) -> None:
        r = self.random
        kind = r.randrange(7)
        if kind == 0:
            name = self.name("b")
            self.emit(f"double {name}[2][3] = {{{{{self.real(scope, 2)}, {self.leaf(scope)}}}, {{{self.leaf(scope)}}}}};")
            scope.grids.append(name)
        elif kind == 1:
            name = self.name("qs")
            self.emit(
                f"Q {name}[3] = {{{{{{{self.leaf(scope)}, {self.leaf(scope)}}}, 1, {{{self.leaf(scope)}}}}}, "
                f"{{{{{self.real(scope, 2)}, 1}}, 0, {{}}}}}};"
            )
            scope.many.append(name)
        elif kind == 2:
            name = self.name("h")
            self.emit(
                f"H {name}{{{{{{{self.leaf(scope)}, {self.leaf(scope)}}}, {r.randrange(3)}, {{{self.leaf(scope)}}}}}, "
                f"{{{{{self.leaf(scope)}, {self.leaf(scope)}}}, {{0.5, {self.leaf(scope)}}}}}, {r.choice(['true', 'false'])}}};"
            )
            scope.nested.append(name)
        elif kind == 3:
            name = self.name("u")
            self.emit(f"V3 {name}{{{self.real(scope, 2)}, {self.leaf(scope)}, {self.leaf(scope)}}};")
            scope.vectors.append(name)
        elif kind == 4:
            name = self.name("f")
            parts = ", ".join(self.leaf(scope) for _ in range(4))
            self.emit(f"double4 {name} = make_double4({parts});")
            scope.fours.append(name)
        elif kind == 5 and scope.pairs:
            one, two = self.name("v"), self.name("v")
            self.emit(f"auto [{one}, {two}] = {r.choice(scope.pairs)};")
            # Bindings are not captured by lambdas and not taken by reference.
            self.emit(f"double c{one} = {one} - {two};")
            scope.doubles.append(f"c{one}")
            scope.variables.append(f"c{one}")
        else:
            name = self.name("t")
            self.emit(f"const double {name}[3] = {{0.5, {self.leaf(scope)}, -1.5}};")
            value = self.name("v")
            self.emit(f"double {value} = {name}[{self.index(scope, 3)}];")
            scope.doubles.append(value)
            scope.variables.append(value)

    def do_call_more(self, scope: Scope) -> None:
        r = self.random
        target = self.target(scope)
        kind = r.randrange(15)
        if kind == 0 and scope.arrays:
            name = r.choice([*scope.arrays])
            self.emit(f"{target} = climb(hash, {name}, {self.integer(scope)} % {scope.arrays[name] + 1}, 1.25);")
        elif kind == 1:
            self.emit(f"{target} = newton(hash, {self.leaf(scope)});")
        elif kind == 2 and len(scope.variables) > 1:
            a, b = r.sample(scope.variables, 2)
            self.emit(f"order(hash, {a}, {b});")
        elif kind == 3 and scope.arrays:
            name = r.choice([*scope.arrays])
            size = scope.arrays[name]
            self.emit(f"sort(hash, {name}, {size if r.random() < 0.5 else f'{self.integer(scope)} % {size + 1}'});")
        elif kind == 4 and scope.arrays and len(scope.variables) > 1:
            name = r.choice([*scope.arrays])
            a, b = r.sample(scope.variables, 2)
            self.emit(f"extremes({name}, {scope.arrays[name]}, &{a}, &{b});")
            self.emit(f"for (int o = 0; o < {scope.arrays[name]}; ++o)")
            self.emit(f"  @NOTE({name}[o] == {a}), @NOTE({name}[o] == {b});")
        elif kind == 5 and scope.nested:
            self.emit(f"{r.choice(scope.nested)}.bump({self.integer(scope)}, sin({self.leaf(scope)}));")
        elif kind == 6 and scope.nested:
            name, other = r.choice(scope.nested), r.choice(scope.nested)
            self.emit(f"{name} = {name}.mixed({other}, 0.5);")
        elif kind == 7 and scope.vectors:
            name, other = r.choice(scope.vectors), r.choice(scope.vectors)
            self.emit(f"{name} = cross({name}, {other});")
            self.emit(f"for (int o = 0; o < 3; ++o)")
            self.emit(f"  {name}[o] = damp({name}[o]);")
        elif kind == 8 and scope.fours:
            name = r.choice(scope.fours)
            self.emit(f"{name} = sin({self.leaf(scope)}) * {r.choice(scope.fours)} + 0.5 * {name};")
        elif kind == 9:
            name = self.name("g")
            self.emit(f"Disc {name}({self.leaf(scope)}, {self.leaf(scope)});")
            self.emit(f"const Shape &r{name} = {name};")
            self.emit(f"{target} = damp(r{name}.area({self.leaf(scope)}));")
        elif kind == 10:
            name = self.name("g")
            self.emit(f"Scale {name}{{{self.leaf(scope)}, 0.5}};")
            self.emit(f"{target} = damp(twice({name}, {self.leaf(scope)})) + damp({name}.sum);")
        elif kind == 11 and len(scope.variables) > 1:
            a, b = r.sample(scope.variables, 2)
            self.emit(f"{a} = {b} = damp({self.real(scope, 1)});")
        elif kind == 14 and len(scope.variables) > 1:
            a, b = r.sample(scope.variables, 2)
            self.emit(f"{target} = @DECIDE({self.leaf(scope)} > 0.1) ? ({a} = damp({self.real(scope, 1)})) : ({b} *= 0.5);")
        elif kind == 12 and scope.many:
            name = r.choice(scope.many)
            self.emit(f"push(&{name}[{self.index(scope, 3)}], {self.index(scope, 3)}, sin({self.leaf(scope)}));")
        elif kind == 13 and scope.many:
            name = r.choice(scope.many)
            self.emit(f"std::swap({name}[{self.index(scope, 3)}], {name}[{self.index(scope, 3)}]);")

    def do_reference(self, scope: Scope) -> None:
        r = self.random
        name = self.name("v")
        if r.random() < 0.5 or len(scope.variables) < 2:
            self.emit(f"double &{name} = {self.target(scope)};")
            scope.variables.append(name)
        else:
            a, b = r.sample(scope.variables, 2)
            constant = r.random() < 0.4
            self.emit(f"{'const ' * constant}double &{name} = {self.condition(scope)} ? {a} : {b if r.random() < 0.7 else a};")
            if not constant:
                scope.variables.append(name)
        scope.doubles.append(name)

    def do_walk(self, scope: Scope) -> None:
        """A pointer goes through an array, or through one of two."""
        r = self.random
        if not scope.arrays:
            return
        name = r.choice([*scope.arrays])
        pointer, size = self.name("r"), scope.arrays[name]
        start, end = name, f"{name} + {size}"
        if len(scope.arrays) > 1 and r.random() < 0.5:
            other = r.choice([*scope.arrays])
            size = min(size, scope.arrays[other])
            start = f"{self.condition(scope)} ? {name} : {other}"
            end = f"s{pointer} + {size}"
        target = self.target(scope)
        inner = scope.inner(True)
        if r.random() < 0.6:
            inner.pointers[pointer] = 1
        else:
            inner.doubles.append(f"*{pointer}")
        self.emit("{")
        self.emit(f"  double *s{pointer} = {start};")
        self.emit(f"  for (double *{pointer} = s{pointer}, *e{pointer} = {end}; {pointer} != e{pointer}; ++{pointer}) {{")
        self.depth += 2
        if r.random() < 0.5:
            self.emit(f"*{pointer} = damp({self.real(inner, 1)});")
        self.statement(inner)
        self.emit(f"{target} += 0.25 * *{pointer};")
        self.depth -= 2
        self.emit("  }")
        self.emit("}")

    def do_table(self, scope: Scope) -> None:
        """A table of pointers that a computed index reads."""
        r = self.random
        if not scope.arrays or len(scope.variables) < 2:
            return
        name, entry = self.name("t"), self.name("r")
        a, b = r.sample(scope.variables, 2)
        array = r.choice([*scope.arrays])
        self.emit(f"double *{name}[3] = {{{array} + {r.randrange(scope.arrays[array])}, &{a}, &{b}}};")
        if r.random() < 0.3:
            self.emit(f"if ({self.condition(scope)})")
            self.emit(f"  std::swap({name}[{self.index(scope, 3)}], {name}[{self.index(scope, 3)}]);")
        self.emit(f"double *{entry} = {name}[{self.integer(scope)} % 3];")
        scope.pointers[entry] = 1

    def do_ping_pong(self, scope: Scope) -> None:
        r = self.random
        if len(scope.arrays) < 2:
            return
        a, b = r.sample([*scope.arrays], 2)
        size = min(scope.arrays[a], scope.arrays[b])
        source, target, counter = self.name("r"), self.name("r"), self.name("j")
        self.emit(f"double *{source} = {a}, *{target} = {b};")
        self.emit(f"for (int {counter} = 0; {counter} < k[i * {INTEGERS}] % 4; ++{counter}) {{")
        inner = scope.inner(True)
        inner.integers.append(counter)
        inner.pointers[source] = inner.pointers[target] = size
        self.depth += 1
        self.emit(f"for (int o = 0; o < {size}; ++o)")
        self.emit(f"  {target}[o] = sin({source}[(o + 1) % {size}]) + 0.5 * {source}[o];")
        self.statement(inner)
        self.depth -= 1
        self.emit(f"  std::swap({source}, {target});")
        self.emit("}")
        scope.pointers[source] = scope.pointers[target] = size

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
        inner.exits.clear()
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


def extras(seed: int) -> tuple[bool, bool]:
    """Whether the program updates z, and whether it adds to s."""
    made = Generator(seed)
    return made.updates, made.adds


def program(seed: int) -> str:
    return Generator(seed).source()
