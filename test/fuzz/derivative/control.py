"""Branches, switches, loops, and how they are left."""

from pointers import Pointers
from writer import INTEGERS, Scope


class Control(Pointers):
    def block(self, scope: Scope, statements: int, *, in_loop: bool | None = None) -> Scope:
        inner = scope.inner(in_loop)
        self.indent += 1
        for _ in range(statements):
            self.statement(inner)
        self.indent -= 1
        return inner

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
        counter = self.fresh("j")
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
        label = self.fresh("out")
        inner.exits.append(label)
        self.indent += 1
        for _ in range(r.randint(1, 3)):
            self.statement(inner)
        if r.random() < 0.15:
            self.emit(f"if ({self.condition(inner)} && e{counter} < {min(most, 40)})")
            self.emit(f"  ++e{counter}, ++{counter};")
        self.indent -= 1
        self.trips = before
        self.emit("}")
        if label in self.labels:
            self.emit(f"{label}:;")

    def do_while(self, scope: Scope) -> None:
        r = self.random
        counter = self.fresh("c")
        most = r.randint(2, 7)
        before, self.trips = self.trips, self.trips * most
        self.emit(f"int {counter} = 0;")
        inner = scope.inner(True)
        inner.integers.append(counter)
        condition = f"{counter}++ < {most} && {self.condition(inner)}"
        if r.random() < 0.5:
            self.emit(f"while ({condition}) {{")
            self.indent += 1
            for _ in range(r.randint(1, 3)):
                self.statement(inner)
            self.indent -= 1
            self.emit("}")
        else:
            self.emit("do {")
            self.indent += 1
            for _ in range(r.randint(1, 3)):
                self.statement(inner)
            self.indent -= 1
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

    def do_jump(self, scope: Scope) -> None:
        if scope.in_loop:
            self.emit(f"if ({self.condition(scope)})")
            self.emit(f"  {self.random.choice(['break', 'continue'])};")

    def do_forward_goto(self, scope: Scope) -> None:
        if scope.exits:
            label = self.random.choice(scope.exits)
            self.labels.add(label)
            self.emit(f"if ({self.condition(scope)})")
            self.emit(f"  goto {label};")

    def do_backward_goto(self, scope: Scope) -> None:
        label, counter = self.fresh("again"), self.fresh("c")
        self.emit("{")
        self.emit(f"  int {counter} = 0;")
        self.emit(f"{label}:;")
        inner = self.block(scope, self.random.randint(1, 2), in_loop=False)
        inner.integers.append(counter)
        # What is declared in the block is out of its scope for nobody: the jump goes back over it.
        self.emit(f"  if (++{counter} < {self.random.randint(2, 4)} && {self.condition(scope)})")
        self.emit(f"    goto {label};")
        self.emit("}")

    def do_early(self, scope: Scope) -> None:
        self.emit(f"if ({self.condition(scope)}) {{")
        self.indent += 1
        self.store(scope)
        self.emit("@RETURN;")
        self.indent -= 1
        self.emit("}")
