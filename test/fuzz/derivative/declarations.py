"""Variables: numbers, arrays, structs, references, lambdas."""

from expressions import Expressions
from writer import Scope


class Declarations(Expressions):
    def declare(self, scope: Scope) -> None:
        r = self.random
        kind = r.randrange(8)
        if kind < 4:
            name = self.fresh("v")
            self.emit(f"double {name} = {self.real(scope)};")
            scope.doubles.append(name)
            scope.variables.append(name)
        elif kind < 6:
            name, size = self.fresh("a"), r.randint(2, 5)
            given = ", ".join(self.real(scope, 2) for _ in range(r.randint(1, size)))
            self.emit(f"double {name}[{size}] = {{{given}}};")
            scope.arrays[name] = size
        elif kind == 6:
            name = self.fresh("p")
            self.emit(f"P {name}{{{self.real(scope, 1)}, {self.real(scope, 1)}}};")
            scope.pairs.append(name)
        else:
            name = self.fresh("q")
            self.emit(f"Q {name}{{{{{self.real(scope, 2)}, {self.real(scope, 2)}}}, {r.randrange(3)}, {{{self.real(scope, 2)}}}}};")
            scope.records.append(name)
        if not scope.variables:
            self.declare(scope)

    do_declare = declare

    def do_declare_more(self, scope: Scope) -> None:
        r = self.random
        kind = r.randrange(7)
        if kind == 0:
            name = self.fresh("b")
            self.emit(f"double {name}[2][3] = {{{{{self.real(scope, 2)}, {self.leaf(scope)}}}, {{{self.leaf(scope)}}}}};")
            scope.grids.append(name)
        elif kind == 1:
            name = self.fresh("qs")
            self.emit(
                f"Q {name}[3] = {{{{{{{self.leaf(scope)}, {self.leaf(scope)}}}, 1, {{{self.leaf(scope)}}}}}, "
                f"{{{{{self.real(scope, 2)}, 1}}, 0, {{}}}}}};"
            )
            scope.many.append(name)
        elif kind == 2:
            name = self.fresh("h")
            self.emit(
                f"H {name}{{{{{{{self.leaf(scope)}, {self.leaf(scope)}}}, {r.randrange(3)}, {{{self.leaf(scope)}}}}}, "
                f"{{{{{self.leaf(scope)}, {self.leaf(scope)}}}, {{0.5, {self.leaf(scope)}}}}}, {r.choice(['true', 'false'])}}};"
            )
            scope.nested.append(name)
        elif kind == 3:
            name = self.fresh("u")
            self.emit(f"V3 {name}{{{self.real(scope, 2)}, {self.leaf(scope)}, {self.leaf(scope)}}};")
            scope.vectors.append(name)
        elif kind == 4:
            name = self.fresh("f")
            parts = ", ".join(self.leaf(scope) for _ in range(4))
            self.emit(f"double4 {name} = make_double4({parts});")
            scope.fours.append(name)
        elif kind == 5 and scope.pairs:
            one, two = self.fresh("v"), self.fresh("v")
            self.emit(f"auto [{one}, {two}] = {r.choice(scope.pairs)};")
            # Bindings are not captured by lambdas and not taken by reference.
            self.emit(f"double c{one} = {one} - {two};")
            scope.doubles.append(f"c{one}")
            scope.variables.append(f"c{one}")
        else:
            name = self.fresh("t")
            self.emit(f"const double {name}[3] = {{0.5, {self.leaf(scope)}, -1.5}};")
            value = self.fresh("v")
            self.emit(f"double {value} = {name}[{self.index(scope, 3)}];")
            scope.doubles.append(value)
            scope.variables.append(value)

    def do_count(self, scope: Scope) -> None:
        r = self.random
        if scope.counters and r.random() < 0.7:
            name = r.choice(scope.counters)
            self.emit(r.choice([f"{name} = ({self.integer(scope)} + {name} * 3) % 7;", f"++{name};", f"{name} ^= {self.integer(scope)} & 3;"]))
        elif r.random() < 0.6:
            name = self.fresh("m")
            self.emit(f"int {name} = {self.integer(scope)} % 7;")
            scope.integers.append(name)
            scope.counters.append(name)
        else:
            name = self.fresh("d")
            self.emit(f"bool {name} = {self.condition(scope)};")
            scope.flags.append(name)

    def do_reference(self, scope: Scope) -> None:
        r = self.random
        name = self.fresh("v")
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

    def do_lambda(self, scope: Scope) -> None:
        r = self.random
        name = self.fresh("g")
        inner = scope.inner(False)
        inner.exits.clear()
        inner.doubles.append("u")
        self.emit(f"auto {name} = [&](double u) {{")
        self.indent += 1
        for _ in range(r.randint(0, 1)):
            self.do_assign(inner)
        self.emit(f"return {self.real(inner, 1)};")
        self.indent -= 1
        self.emit("};")
        target = self.target(scope)
        self.emit(f"{target} = damp({name}({self.leaf(scope)}) + {name}({self.leaf(scope)}));")
