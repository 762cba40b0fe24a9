"""What changes variables: assignments, calls, copies of memory."""

from declarations import Declarations
from writer import Scope


class Assignments(Declarations):
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
            name = self.fresh("g")
            self.emit(f"Disc {name}({self.leaf(scope)}, {self.leaf(scope)});")
            self.emit(f"const Shape &r{name} = {name};")
            self.emit(f"{target} = damp(r{name}.area({self.leaf(scope)}));")
        elif kind == 10:
            name = self.fresh("g")
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
            name = self.fresh("q")
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
