"""Values of random kernels: private ones, ones that all threads of a block share, conditions."""

from writer import INPUTS, SLOTS, Writer


class Expressions(Writer):
    def pick(self, kind: str) -> str | None:
        names = self.variables[kind]
        return f"@{self.random.choice(names)}@" if names else None

    def target(self, kind: str) -> str | None:
        names = [name for name in self.variables[kind] if name not in self.fixed]
        return f"@{self.random.choice(names)}@" if names else None

    def constant(self) -> str:
        r = self.random
        return f"{r.choice([0, 1, 2, 3, 5, 7, 16, 31, 32, 33, 255, 1000, 65537, 0x7fffffff, 0xffffffff, r.getrandbits(32)])}u"

    def uniform_value(self, provable: bool = False) -> str:
        """u32, the same for all threads of the block."""
        r = self.random
        choices = ["{n}", "@bx@", "gridDim.x", "blockDim.x", "3u", "{n} * 7u", "(u32){m}", "(u32)({w} >> 5)", "(@by@ + @bz@)"]
        if self.uniform:
            choices += [f"@{r.choice(self.uniform)}@"] * 4
        if not provable:
            choices += ["in[@bx@ % {inputs}u]", "in[({n} + @by@) % {inputs}u]"]
            for name, element in self.arrays:
                if self.states.get(name) == "read":
                    choices.append(element.replace("IDX", f"{r.randrange(SLOTS)}"))
        return self.fill(r.choice(choices))

    def fill(self, text: str) -> str:
        prefix = "settings." if self.by_struct else "set_"
        for field in "nmw":
            text = text.replace("{" + field + "}", prefix + field)
        return text.replace("{inputs}", str(INPUTS))

    def u32(self, depth: int = 2) -> str:
        r = self.random
        leaf = r.random() < 0.25 or depth <= 0
        if leaf:
            options = [self.constant(), self.pick("u32"), self.pick("u32"), "@lin@", "@lane@", "@gid@", "@tx@"]
            options += [f"(u32){v}" for v in map(self.pick, ("i32", "u64", "u16", "u8", "bool")) if v]
            options += [f"bits({v})" for v in map(self.pick, ("f32", "f64")) if v]
            options += [self.uniform_value()]
            return r.choice([o for o in options if o])
        a, b = self.u32(depth - 1), self.u32(depth - 1)
        kind = r.randrange(17)
        if kind <= 7:
            return f"({a} {r.choice(['+', '-', '*', '^', '&', '|', '+', '^'])} {b})"
        if kind == 8:
            return f"({a} {r.choice(['<<', '>>'])} ({b} & 31u))"
        if kind == 9:
            return f"({a} {r.choice(['/', '%'])} ({b} | 1u))"
        if kind == 10:
            return f"({self.condition(depth - 1)} ? {a} : {b})"
        if kind == 11:
            return f"in[{a} % {INPUTS}u]"
        if kind == 12:
            return f"{r.choice(['mix', 'twist', 'mix'])}({a}, {b})"
        if kind == 13 and self.locals:
            return f"@{r.choice(self.locals)}@[{a} & 7u]"
        if kind == 14 and self.pairs:
            return f"(u32)@{r.choice(self.pairs)}@.{r.choice('ab')}"
        if kind == 15:
            readable = [element for name, element in self.arrays if self.states.get(name) == "read"]
            if readable:
                return r.choice(readable).replace("IDX", f"{a} % {SLOTS}u")
            mine = [(element, self.states[name]) for name, element in self.arrays
                    if self.states.get(name, "").startswith("own:")]
            if mine:
                element, state = r.choice(mine)
                return element.replace("IDX", state[4:])
        return f"(u32)((u64){a} * {b} >> 32)" if kind == 16 else f"({a} + {b})"

    def condition(self, depth: int = 1) -> str:
        r = self.random
        kind = r.randrange(9)
        if kind == 0:
            return f"((i32){self.u32(depth)} < (i32){self.u32(depth)})"
        if kind == 1:
            return f"({self.u32(depth)} % {r.choice([2, 3, 5])}u == {r.choice([0, 1])}u)"
        if kind == 2:
            return f"(@lin@ {r.choice(['<', '>=', '==', '!='])} {r.choice([0, 1, 16, 31, 32, 33, 64, 100])}u)"
        if kind == 3:
            return f"(@lane@ {r.choice(['<', '>=', '=='])} {r.choice([0, 1, 8, 16, 31])}u)"
        if kind == 4 and (f := self.pick("f32")):
            return f"({f} < {r.choice([0.5, 10.0, 60.0])}f)"
        if kind == 5 and (b := self.pick("bool")):
            return b
        if kind == 6 and depth > 0:
            return f"({self.condition(depth - 1)} {r.choice(['&&', '||'])} {self.condition(depth - 1)})"
        if kind == 7:
            return f"({self.u32(depth)} & {r.choice([1, 2, 4])}u)" + " != 0u"
        return f"({self.u32(depth)} > {self.u32(depth)})"

    def uniform_condition(self) -> str:
        r = self.random
        value = self.uniform_value(provable=r.random() < 0.6)
        return f"({value} % {r.choice([2, 2, 3, 4])}u {r.choice(['==', '!=', '<'])} {r.choice([0, 1, 1, 2])}u)"

    def value(self, kind: str) -> str:
        e = self.u32()
        if kind == "f32":
            return f"{self.pick('f32') or '1.0f'} * 0.5f + (f32)({e} & 255u) * 0.25f"
        if kind == "f64":
            return f"{self.pick('f64') or '1.0'} * 0.5 + (f64)({e} & 65535u) * 0.125"
        if kind == "u64":
            return f"((u64){e} * 0x9e3779b97f4a7c15ull ^ {self.pick('u64') or '0ull'})"
        if kind == "bool":
            return self.condition()
        return f"({kind}){e}"
