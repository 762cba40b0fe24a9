"""Values of random kernels: doubles, integers, conditions, and what can be assigned to.

@DECIDE(c), @INDEX(v, n) and @NOTE(v) are decisions: the traced twin of a kernel hashes them.
"""

from writer import INPUTS, INTEGERS, WEIGHTS, Scope, Writer


class Expressions(Writer):
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
