"""One random kernel and its traced twin: their statements, and what they begin and end with."""

from control import Control
from writer import ADDED, OUTPUTS, UPDATED, Scope

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
# Those that neither leave the kernel nor come back to a label.
LOCAL_KINDS = {kind: weight for kind, weight in KINDS.items() if kind not in ("early", "forward_goto", "backward_goto")}


class Kernel(Control):
    kinds = KINDS
    guard = "  if (i >= n)\n    return;\n"

    def __init__(self, seed: int, *, long_loops: bool = True) -> None:
        super().__init__(seed, long_loops=long_loops)
        self.prepare()
        self._body()

    def prepare(self) -> None:
        """For kernels of another kind: what is asked of the seed first."""

    def source(self) -> str:
        """The kernel and its twin."""
        differentiable = self._kernel(f"f{self.seed}", "[[kernix::bind, kernix::differentiable]]", traced=False)
        return differentiable + self._kernel(f"t{self.seed}", "[[kernix::bind]]", traced=True)

    def _kernel(self, name: str, attributes: str, *, traced: bool, storage: str = "") -> str:
        body = "\n".join(self.lines)
        hash_parameter = "unsigned long long *h, " if traced else ""
        start = f"  {'unsigned long long' if traced else 'NoTrace'} hash{{}};\n"
        extra = "double *z, " * self.updates + "double *s, " * self.adds
        body = body.replace("@DECIDE(", "decide(hash, " if traced else "(").replace(
            "@INDEX(", "index_of(hash, " if traced else "index_of("
        )
        body = body.replace("@NOTE(", "note(hash, " if traced else "static_cast<void>(")
        body = body.replace("@RETURN", "h[i] = hash; return" if traced else "return")
        tensors = "const double *x, const double *w, const int *k, double *y"
        if storage:
            tensors = f"const {storage} *xs, const {storage} *ws, const int *k, {storage} *ys"
            start += f"  using S = {storage};\n  Loads<S> x{{xs}}, w{{ws}};\n  Stores<S> y{{ys}};\n"
        return (
            f"{attributes}\n__global__ void {name}({tensors}, {extra}{hash_parameter}int n) {{\n"
            f"  int i = blockIdx.x * blockDim.x + threadIdx.x;\n{self.guard}{start}{body}\n}}\n"
        )

    def _body(self) -> None:
        scope = Scope()
        if self.updates:
            name = self.fresh("v")
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
        counter = self.fresh("j")
        inner = scope.inner(True)
        inner.integers.append(counter)
        self.emit(f"for (int {counter} = 0; {counter} < {UPDATED}; ++{counter})")
        operator = "=" if kind == 1 else "*="
        self.emit(f"  z[i * {UPDATED} + {counter}] {operator} {self.real(inner)};")

    def statement(self, scope: Scope) -> None:
        self.budget -= 1
        kind = self.random.choices([*self.kinds], [*self.kinds.values()])[0]
        if self.indent > 4 and kind in ("if", "loop", "while", "switch", "lambda", "walk", "backward_goto", "ping_pong"):
            kind = "assign"
        if not scope.variables:
            kind = "declare"
        getattr(self, f"do_{kind}")(scope)
