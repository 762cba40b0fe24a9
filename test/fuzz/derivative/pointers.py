"""Pointers to local variables: chosen, walking through arrays, in tables, swapped."""

from assignments import Assignments
from writer import INTEGERS, Scope


class Pointers(Assignments):
    def do_pointer(self, scope: Scope) -> None:
        r = self.random
        name = self.fresh("r")
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

    def do_walk(self, scope: Scope) -> None:
        """A pointer goes through an array, or through one of two."""
        r = self.random
        if not scope.arrays:
            return
        name = r.choice([*scope.arrays])
        pointer, size = self.fresh("r"), scope.arrays[name]
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
        self.indent += 2
        if r.random() < 0.5:
            self.emit(f"*{pointer} = damp({self.real(inner, 1)});")
        self.statement(inner)
        self.emit(f"{target} += 0.25 * *{pointer};")
        self.indent -= 2
        self.emit("  }")
        self.emit("}")

    def do_table(self, scope: Scope) -> None:
        """A table of pointers that a computed index reads."""
        r = self.random
        if not scope.arrays or len(scope.variables) < 2:
            return
        name, entry = self.fresh("t"), self.fresh("r")
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
        source, target, counter = self.fresh("r"), self.fresh("r"), self.fresh("j")
        self.emit(f"double *{source} = {a}, *{target} = {b};")
        self.emit(f"for (int {counter} = 0; {counter} < k[i * {INTEGERS}] % 4; ++{counter}) {{")
        inner = scope.inner(True)
        inner.integers.append(counter)
        inner.pointers[source] = inner.pointers[target] = size
        self.indent += 1
        self.emit(f"for (int o = 0; o < {size}; ++o)")
        self.emit(f"  {target}[o] = sin({source}[(o + 1) % {size}]) + 0.5 * {source}[o];")
        self.statement(inner)
        self.indent -= 1
        self.emit(f"  std::swap({source}, {target});")
        self.emit("}")
        scope.pointers[source] = scope.pointers[target] = size
