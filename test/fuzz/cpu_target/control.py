"""Branches, switches, loops, and how they are left."""

from exchange import Exchange
from writer import ALONE, BLOCK, INPUTS, PRIVATE, SLOTS, STEPS, WARP, on_device, on_host


class Control(Exchange):
    def branch(self, mask: str, loops: list, together: str) -> None:
        r = self.random
        inner = together
        if together == BLOCK and r.random() < 0.6:
            condition = self.uniform_condition()
        elif together in (BLOCK, WARP) and r.random() < 0.4:
            condition, inner = f"((@lin@ / 32u + {self.uniform_value()}) % {r.choice([2, 3])}u == {r.choice([0, 1])}u)", WARP
        else:
            condition, inner = self.condition(), ALONE
        yes, no, flag = self.new_mask(), self.new_mask(), self.fresh("c")
        two = r.random() < 0.5
        states = dict(self.states)
        self.open(f"if ({on_device(condition)}) {{",
                  f"{{ bool {yes}[{SLOTS}], {no}[{SLOTS}]; for (int t = 0; t < T; ++t) {{ bool {flag} = {mask}[t] && "
                  f"({on_host(condition)}); {yes}[t] = {flag}; {no}[t] = {mask}[t] && !{flag}; }}")
        self.scoped(yes, loops, inner)
        if inner == BLOCK:
            self.normalise(states)
        if two:
            self.close("} else {", "")
            self.indent += 1
            self.scoped(no, loops, inner)
            if inner == BLOCK:
                self.normalise(states)
        self.close("}", "}")

    def switch(self, mask: str, loops: list, together: str) -> None:
        r = self.random
        inner = BLOCK if together == BLOCK and r.random() < 0.7 else ALONE
        value = self.uniform_value() if inner == BLOCK else self.u32()
        cases = r.randint(2, 4)
        chosen = self.fresh("w")
        states = dict(self.states)
        self.line(f"switch ({on_device(value)} % {cases + 1}u) {{",
                  f"{{ static u32 {chosen}[{SLOTS}]; EACH({mask}) {chosen}[t] = {on_host(value)} % {cases + 1}u;")
        left = None
        for case in range(cases):
            case_mask = self.new_mask()
            fall = f" || {left}[t]" if left else ""
            self.open(f"case {case}u: {{",
                      f"bool {case_mask}[{SLOTS}]; for (int t = 0; t < T; ++t) {case_mask}[t] = {mask}[t] && "
                      f"({chosen}[t] == {case}u{fall});")
            # `break` belongs to the switch here: no loops for what is inside.
            self.scoped(case_mask, [("switch", mask)], inner)
            if inner == BLOCK:
                self.normalise(states)
            falls = r.random() < 0.2 and case + 1 != cases
            left = case_mask if falls else None
            self.close("}" if falls else "  break; }", "")
        self.line("}", "}")

    def loop(self, mask: str, loops: list, together: str) -> None:
        r = self.random
        inner = together
        if together == BLOCK and r.random() < 0.65:
            bound = f"{self.uniform_value(provable=r.random() < 0.5)} % {r.choice([2, 3, 5])}u"
        elif together in (BLOCK, WARP) and r.random() < 0.4:
            bound, inner = f"(@lin@ / 32u + {self.uniform_value()}) % 4u", WARP
        else:
            bound, inner = f"{self.u32()} % {r.choice([3, 6])}u", ALONE
        index, limit = self.fresh("i"), self.fresh("e")
        form = r.choice(["for", "for", "while", "do"])
        body, inside = self.new_mask(), self.new_mask()
        self.declare("u32", limit, bound, mask)
        self.declare("u32", index, "0u", mask)
        states = dict(self.states)
        test = f"@{index}@ < @{limit}@"
        step = f"++@{index}@;"
        if form == "for":
            head = f"for (; {on_device(test)}; {on_device(step)[:-1]}) {{"
        elif form == "while":
            head = f"while ({on_device(test)}) {{"
        else:
            head = "do {"
        self.open(head, f"{{ bool {body}[{SLOTS}]; memcpy({body}, {mask}, sizeof {body}); for (;;) {{")
        check = f"for (int t = 0; t < T; ++t) {body}[t] = {body}[t] && {on_host(test)};"
        if form != "do":
            self.line(None, check)
        self.line(None, f"bool some = false; EACH({body}) some = true; if (!some) break;")
        self.line(None, f"bool {inside}[{SLOTS}]; memcpy({inside}, {body}, sizeof {inside});")
        if form != "for":  # before anything can continue
            self.both(step, inside)
        if inner == BLOCK and together == BLOCK:
            self.uniform.append(index)
        else:
            self.variables["u32"].append(index)
        self.fixed.append(index)
        self.live.append(body)
        self.scoped(inside, [("loop", body, inside, inner, states)], inner)
        self.live.pop()
        if inner == BLOCK:
            self.normalise(states)
        if form == "for":
            self.line(None, f"EACH({body}) {on_host(step)}")
        elif form == "do":
            self.line(None, check)
        self.close(f"}} while ({on_device(test)});" if form == "do" else "}", "} }")
        (self.uniform if index in self.uniform else self.variables["u32"]).remove(index)

    def step_loop(self, mask: str) -> None:
        """`for (i = start; i < bound; i += threads)`, in all its spellings; what it writes no other thread does."""
        r = self.random
        kind = r.choice(["i32", "u32", "u32", "i64", "u64"])
        index = self.fresh("s")
        per_grid = r.random() < 0.5
        body, inside = self.new_mask(), self.new_mask()
        offset = r.choice([0, 0, 1, 17])
        start = f"({kind})({'@gid@' if per_grid else '@lin@'} + {offset}u)"
        step = f"({kind})({'@all@' if per_grid else '@threads@'})"
        one_dimension = r.random() < 0.5
        device_start, device_step = start, step
        if one_dimension:
            # As people write it. Right for blocks and grids of one dimension; others take the general form.
            self.one_dimensional = True
            thread = "blockIdx.x * blockDim.x + threadIdx.x" if per_grid else "threadIdx.x"
            device_start = f"({kind})({thread} + {offset}u)" if offset or kind != "u32" else thread
            device_step = "gridDim.x * blockDim.x" if per_grid else "blockDim.x"
            if kind != "u32" or r.random() < 0.3:
                device_step = f"({kind})({device_step})"
        bound = r.choice([f"({kind}){self.fill('{n}')}", f"({kind})({self.fill('{n}')} % 700u)", "100", "1000", "0", "1",
                          f"({kind})({self.uniform_value()} % 600u)"])
        compare = r.choice(["<", "<", "<", "<="])
        limit = None
        if "in[" in bound or "@" in bound or "[" in bound:
            limit = self.fresh("e")
            self.declare(kind, limit, bound, mask)
            bound = f"@{limit}@"
        unsigned_bound = bound if kind.startswith("u") or not bound.isdigit() else bound
        self.host_declarations.append(f"static {kind} {index}[{SLOTS}];")
        self.open(f"for ({kind} {index} = {on_device(device_start)}; {index} {compare} {on_device(unsigned_bound)}; "
                  f"{index} += {on_device(device_step)}) {{",
                  f"{{ bool {body}[{SLOTS}]; memcpy({body}, {mask}, sizeof {body}); EACH({body}) {index}[t] = {on_host(start)}; for (;;) {{")
        self.line(None, f"for (int t = 0; t < T; ++t) {body}[t] = {body}[t] && {index}[t] {compare} {on_host(unsigned_bound)};")
        self.line(None, f"bool some = false; EACH({body}) some = true; if (!some) break;")
        self.line(None, f"bool {inside}[{SLOTS}]; memcpy({inside}, {body}, sizeof {inside});")
        held = self.variables
        self.variables = {key: list(names) for key, names in held.items()}
        if kind in PRIVATE:
            self.variables[kind].append(index)
        self.fixed.append(index)
        self.live += [body, inside]
        if total := self.target("u32"):
            self.both(f"{total} += in[(u32)(@{index}@ % {INPUTS}{'u' if kind.startswith('u') else ''})];", inside)
        if r.random() < 0.6:
            section = self.step_arrays
            self.step_arrays += 1
            base = f"{section}u * {STEPS}u * @blocks@ + " + ("" if per_grid else f"@blk@ * {STEPS}u + ")
            self.both(f"if ((u64)@{index}@ < {STEPS}u) steps[{base}(u32)@{index}@] = {self.u32()};", inside)
        for _ in range(r.randint(0, 2)):
            r.choice([self.assign, self.sum_up, self.simple_branch])(inside)
        if r.random() < 0.25:
            self.leave(inside, [("loop", body, inside, ALONE, {})], ALONE)
        del self.live[-2:]
        self.variables = held
        self.line(None, f"EACH({body}) {index}[t] += {on_host(step)};")
        self.close("}", "} }")

    def simple_branch(self, mask: str) -> None:
        inner = self.new_mask()
        condition = self.condition()
        self.open(f"if ({on_device(condition)}) {{",
                  f"{{ bool {inner}[{SLOTS}]; for (int t = 0; t < T; ++t) {inner}[t] = {mask}[t] && {on_host(condition)};")
        self.assign(inner)
        self.close()

    def leave(self, mask: str, loops: list, together: str) -> None:
        """break, continue or return under a condition."""
        r = self.random
        options = ["return"] if r.random() < 0.35 else []
        target = loops[-1] if loops else None
        if target and target[0] == "loop":
            options += ["break", "continue"]
        if not options:
            return
        what = r.choice(options)
        # Out of a loop whose threads stay together all go at once.
        needs = target[3] if what != "return" else ALONE
        if needs != ALONE and together != BLOCK:
            return
        if needs == WARP:
            return
        condition = self.uniform_condition() if needs == BLOCK else self.condition()
        if what == "return" and r.random() < 0.5:
            condition = f"({condition} && @lin@ >= {r.choice([1, 31, 60])}u)"
        inner = self.new_mask()
        self.open(f"if ({on_device(condition)}) {{",
                  f"{{ bool {inner}[{SLOTS}]; for (int t = 0; t < T; ++t) {inner}[t] = {mask}[t] && ({on_host(condition)});")
        states = dict(self.states)
        if needs == BLOCK:
            self.normalise(target[4])
        if what == "return":
            self.both(f"out[@gid@ * {self.outputs}u + 3u] = {self.u32()};", inner)
        cleared = list(self.live)
        if what == "break":
            cleared = self.live[self.live.index(target[1]):]
        elif what == "continue":
            cleared = self.live[self.live.index(target[2]):]
        clears = " ".join(f"{m}[t] = false;" for m in cleared)
        self.line(f"{what};", f"EACH({inner}) {{ {clears} }}")
        self.states = states
        self.close()
