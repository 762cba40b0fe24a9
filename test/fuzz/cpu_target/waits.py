"""Where threads wait for each other: barriers and their reductions, shuffles, votes, groups of lanes."""

from control import Control
from writer import SLOTS, on_device, on_host


class Waits(Control):
    def barrier(self, mask: str) -> None:
        r = self.random
        form = r.choice(["plain", "plain", "count", "and", "or"])
        if form == "plain":
            self.line(self.sync, None)
        else:
            name, target, condition = self.fresh("p"), self.fresh("r"), self.condition()
            self.declare("bool", name, condition, mask)
            self.host_declarations.append(f"static u32 {target}[{SLOTS}];")
            result = {"count": "hold", "and": "hold == all", "or": "hold != 0"}[form]
            self.line(f"u32 {target} = __syncthreads_{form}({name}){'' if form == 'count' else ' != 0'};",
                      f"{{ int hold = 0, all = 0; EACH({mask}) {{ ++all; hold += {name}[t]; }} EACH({mask}) {target}[t] = {result}; }}")
            self.both(f"{r.choice(['@' + v + '@' for v in self.uniform + self.variables['u32'] if v not in self.fixed])} += @{target}@;", mask)
        if r.random() < 0.5:
            for name in self.states:
                if r.random() < 0.5:
                    self.states[name] = "read"

    def parted_barrier(self, mask: str) -> None:
        """Threads of both branches meet at different barriers, which compute capability 7.0 and later allows."""
        r = self.random
        yes, no, flag = self.new_mask(), self.new_mask(), self.fresh("c")
        condition = self.condition()
        self.open(f"if ({on_device(condition)}) {{",
                  f"{{ bool {yes}[{SLOTS}], {no}[{SLOTS}]; for (int t = 0; t < T; ++t) {{ bool {flag} = {mask}[t] && "
                  f"({on_host(condition)}); {yes}[t] = {flag}; {no}[t] = {mask}[t] && !{flag}; }}")
        for number, branch in enumerate((yes, no)):
            if number:
                self.close("} else {", "")
                self.indent += 1
            self.assign(branch)
            self.line(self.sync, None)
            if r.random() < 0.7:
                self.assign(branch)
        self.close("}", "}")

    def shuffle(self, mask: str, lanes: str = "0xffffffffu") -> None:
        r = self.random
        kind = r.choice(["u32", "u32", "i32", "u64", "f32", "f64"])
        source = self.pick(kind)
        if not source:
            return
        width = r.choice([32, 32, 32, 16, 8, 2])
        form = r.choice(["", "_up", "_down", "_xor"])
        operand = r.choice([str(r.randrange(32)), f"(int)({self.u32(1)} & 31u)"])
        value, place, result = self.fresh("v"), self.fresh("q"), self.fresh("r")
        self.declare(kind, value, source, mask)
        self.declare("int", place, operand, mask)
        self.host_declarations.append(f"static {kind} {result}[{SLOTS}];")
        find = {
            "": f"(lane & ~{width - 1}) + ({place}[t] & {width - 1})",
            "_up": f"(lane & {width - 1}) >= {place}[t] ? lane - {place}[t] : lane",
            "_down": f"(lane & {width - 1}) + {place}[t] < {width} ? lane + {place}[t] : lane",
            "_xor": f"((lane ^ {place}[t]) & ~{width - 1}) <= (lane & ~{width - 1}) ? lane ^ {place}[t] : lane",
        }[form]
        tail = "" if width == 32 and r.random() < 0.5 else f", {width}"
        self.line(f"{kind} {result} = __shfl{form}_sync({lanes}, {value}, {place}{tail});",
                  f"EACH({mask}) {{ int lane = t % 32, from = {find}, other = t - lane + from; "
                  f"{result}[t] = other < T && {mask}[other] ? {value}[other] : {value}[t]; }}")
        target = self.target(kind)
        if not target:
            return
        if kind in ("f32", "f64"):
            half = "0.5f" if kind == "f32" else "0.5"
            self.both(f"{target} = {half} * {target} + {half} * @{result}@;", mask)
        else:
            self.both(f"{target} {r.choice(['=', '^='] if kind == 'i32' else ['=', '+=', '^='])} @{result}@;", mask)

    def vote(self, mask: str, lanes: str = "0xffffffffu") -> None:
        r = self.random
        form = r.choice(["ballot", "any", "all", "match", "reduce", "match_all", "lanes"])
        result = self.fresh("r")
        self.host_declarations.append(f"static u32 {result}[{SLOTS}];")
        each = f"EACH({mask}) {{ int first = t - t % 32; u32 value = 0; for (int o = first; o < first + 32 && o < T; ++o) if ({mask}[o])"
        if form in ("ballot", "any", "all"):
            name = self.fresh("p")
            self.declare("bool", name, self.condition(), mask)
            call = f"__{form}_sync({lanes}, {name})"
            if form == "ballot":
                host = f"{each} value |= static_cast<u32>({name}[o]) << (o - first); {result}[t] = value; }}"
            elif form == "any":
                host = f"{each} value |= {name}[o]; {result}[t] = value; }}"
            else:
                host = f"{each} value |= !{name}[o]; {result}[t] = !value; }}"
            if form != "ballot":
                call += " != 0"
        elif form == "lanes":
            call = f"__ballot_sync({lanes}, 1)"
            host = f"{each} value |= 1u << (o - first); {result}[t] = value; }}"
        else:
            name = self.fresh("v")
            self.declare("u32", name, f"{self.u32()} % {r.choice([2, 3, 40])}u" if form != "reduce" else self.u32(), mask)
            if form == "match":
                call = f"__match_any_sync({lanes}, {name})"
                host = f"{each} value |= static_cast<u32>({name}[o] == {name}[t]) << (o - first); {result}[t] = value; }}"
            elif form == "match_all":
                call = f"__match_all_sync({lanes}, {name}, &{result}_all)"
                self.line(f"int {result}_all;", None)
                host = (f"EACH({mask}) {{ int first = t - t % 32; u32 value = 0, same = 1; for (int o = first; o < first + 32 && o < T; ++o) "
                        f"if ({mask}[o]) {{ value |= 1u << (o - first); same &= {name}[o] == {name}[t]; }} {result}[t] = same ? value : 0; }}")
            else:
                operation, host_operation, begin = r.choice(
                    [("add", "value += v", "0"), ("xor", "value ^= v", "0"), ("max", "value = v > value ? v : value", "0"),
                     ("min", "value = v < value ? v : value", "~0u"), ("and", "value &= v", "~0u"), ("or", "value |= v", "0")])
                call = f"__reduce_{operation}_sync({lanes}, {name})"
                host = (f"EACH({mask}) {{ int first = t - t % 32; u32 value = {begin}; for (int o = first; o < first + 32 && o < T; ++o) "
                        f"if ({mask}[o]) {{ u32 v = {name}[o]; {host_operation}; }} {result}[t] = value; }}")
        self.line(f"u32 {result} = {call};", host)
        self.both(f"{self.target('u32')} {r.choice(['=', '+=', '^='])} @{result}@;", mask)

    def warp_exchange(self, mask: str) -> None:
        """Through memory, with __syncwarp."""
        r = self.random
        mine = [(name, element) for name, element in self.arrays if self.states[name] == "own:@lin@"]
        target = self.target("u32")
        if not mine:
            return
        _, element = r.choice(mine)
        self.both(f"{element.replace('IDX', '@lin@')} = {self.u32()};", mask)
        self.line("__syncwarp();", None)
        place, result = self.fresh("q"), self.fresh("r")
        self.declare("u32", place, f"(@lin@ & ~31u) + ({self.u32(1)} & 31u)", mask)
        self.declare("u32", result, element.replace("IDX", f"@{place}@"), mask)
        self.line("__syncwarp();", None)
        self.both(f"{target} += @{result}@;", mask)

    def group(self, mask: str) -> None:
        """Some lanes of a warp on their own, with a mask that names them."""
        r = self.random
        chosen, lanes, inner = self.fresh("p"), self.fresh("g"), self.new_mask()
        self.declare("bool", chosen, self.condition(), mask)
        self.line(f"u32 {lanes} = __ballot_sync(0xffffffffu, {chosen});", None)
        self.open(f"if ({chosen}) {{", f"{{ bool {inner}[{SLOTS}]; for (int t = 0; t < T; ++t) {inner}[t] = {mask}[t] && {chosen}[t];")
        self.live.append(inner)
        for _ in range(r.randint(1, 3)):
            what = r.choice([self.shuffle, self.vote, self.assign, self.simple_branch])
            what(inner, lanes) if what in (self.shuffle, self.vote) else what(inner)
        self.live.pop()
        self.close()

    def tail(self, mask: str) -> None:
        """The last barriers: each thread leaves after a number of turns of its own."""
        index, turns = self.fresh("i"), self.fresh("e")
        body, target = self.new_mask(), self.target("u32")
        self.declare("u32", turns, f"{self.u32()} % 5u", mask)
        self.declare("u32", index, "0u", mask)
        self.open(f"for (; {index} < {turns}; ++{index}) {{",
                  f"{{ bool {body}[{SLOTS}]; memcpy({body}, {mask}, sizeof {body}); for (;;) {{")
        self.line(None, f"for (int t = 0; t < T; ++t) {body}[t] = {body}[t] && {index}[t] < {turns}[t];")
        self.line(None, f"bool some = false; EACH({body}) some = true; if (!some) break;")
        flag = self.fresh("p")
        self.declare("bool", flag, self.condition(), body)
        self.line(f"{on_device(target)} += __syncthreads_count({flag});",
                  f"u32 hold = 0; EACH({body}) hold += {flag}[t]; EACH({body}) {on_host(target)} += hold;")
        self.assign(body)
        self.line(None, f"EACH({body}) ++{index}[t];")
        self.close("}", "} }")
