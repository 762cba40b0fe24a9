"""Random kernels for the CPU target, each with a reference that needs nothing of it.

A kernel is built as a tree of statements, and every statement is written twice: as CUDA, and as plain C++ that runs all
threads of a block in lockstep under masks, where barriers do nothing and shuffles read arrays. So a generated file
checks itself. The kernels are free of races by construction: an exchange array (shared, dynamic shared or global) is at
any time either read by everybody, or written by each thread in a place of its own, or only added to by atomics, and a
barrier lies between (Kernel.states).

What is not generated: floating-point sums whose order is open, __activemask, and threads that spin.
"""

import argparse
import random
import re

SLOTS = 256  # elements of an exchange array per block: the largest block
INPUTS = 509  # elements of the read-only input
STEPS = 4096  # elements that a step loop may write, per block or grid

# How wide the region is in which the statement's threads are sure to be together.
BLOCK, WARP, GROUP, ALONE = "block", "warp", "group", "alone"

PRELUDE = """\
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>
using u8 = unsigned char;
using u16 = unsigned short;
using u32 = unsigned int;
using i32 = int;
using i64 = long long;
using u64 = unsigned long long;
using f32 = float;
using f64 = double;

struct Pair {
  u32 a;
  u64 b;
};
struct Settings {
  u32 n;
  i32 m;
  u64 w;
};
__host__ __device__ inline u32 bits(f32 x) {
  u32 result;
  memcpy(&result, &x, sizeof x);
  return result;
}
__host__ __device__ inline u32 bits(f64 x) {
  u64 result;
  memcpy(&result, &x, sizeof x);
  return static_cast<u32>(result ^ result >> 32);
}
__host__ __device__ __attribute__((noinline)) u32 mix(u32 a, u32 b) { return (a ^ b) * 2654435761u + (a >> 7); }
__device__ __attribute__((noinline)) void wait_out_of_line() { __syncthreads(); }
__host__ __device__ inline u32 twist(u32 a, u32 b) {
  for (u32 i = 0; i < (b & 3u); ++i)
    a = a * 5u + b;
  return a;
}

#define EACH(mask) for (int t = 0; t < T; ++t) if (mask[t])

struct Geometry {
  dim3 grid, block;
};
// What both sides get.
struct Data {
  std::vector<u32> in, out, exchange, steps, sums;
};
inline Data make_data(unsigned seed, int blocks, int outputs, int exchanges, int step_arrays) {
  Data data;
  auto random = [&] { return seed = seed * 1664525u + 1013904223u, seed ^ seed >> 13; };
  data.in.resize(%(inputs)d);
  for (u32 &x : data.in)
    x = random();
  data.out.assign(static_cast<size_t>(outputs) * blocks * %(slots)d, 0xabababab);
  data.exchange.resize(static_cast<size_t>(exchanges) * blocks * %(slots)d);
  for (u32 &x : data.exchange)
    x = random();
  data.steps.assign(static_cast<size_t>(step_arrays) * blocks * %(steps)d, 7);
  data.sums.assign(64, 0);
  return data;
}
inline bool differ(const char *kernel, Geometry g, const char *what, const std::vector<u32> &got,
                   const std::vector<u32> &expected) {
  for (size_t i = 0; i < got.size(); ++i)
    if (got[i] != expected[i]) {
      std::printf("%%s<<<(%%u,%%u,%%u),(%%u,%%u,%%u)>>>: %%s[%%zu] is %%08x, not %%08x\\n", kernel, g.grid.x, g.grid.y,
                  g.grid.z, g.block.x, g.block.y, g.block.z, what, i, got[i], expected[i]);
      return true;
    }
  return false;
}
"""

PRIVATE = {"u32": 4, "i32": 2, "u64": 1, "u16": 1, "u8": 1, "f32": 1, "f64": 1, "bool": 1}
BUILTIN = {
    "tx": "threadIdx.x", "ty": "threadIdx.y", "tz": "threadIdx.z",
    "bx": "blockIdx.x", "by": "blockIdx.y", "bz": "blockIdx.z",
}


def on_device(expression: str) -> str:
    return re.sub(r"@(\w+)@", lambda m: BUILTIN.get(m[1], m[1]), expression)


def on_host(expression: str) -> str:
    return re.sub(r"@(\w+)@", lambda m: m[1] + "[t]", expression)


class Kernel:
    def __init__(self, name: str, seed: int):
        self.name = name
        self.random = random.Random(seed)
        self.device: list[str] = []
        self.host: list[str] = []
        self.indent = 1
        self.names = 0
        self.masks = 1  # m0 is the kernel's
        self.depth = 0
        r = self.random
        self.profile = r.choice(["map", "steps", "barriers", "barriers", "warps", "all", "all", "all"])
        self.waits = self.profile not in ("map", "steps")
        self.budget = r.randint(4, 22)
        self.restrict = r.random() < 0.5
        # A function that is not inlined and waits has no phases: its kernel runs as fibers.
        self.sync = "wait_out_of_line();" if r.random() < 0.2 else "__syncthreads();"
        self.by_struct = r.random() < 0.3
        self.variables: dict[str, list[str]] = {kind: [] for kind in PRIVATE}
        self.uniform: list[str] = []  # u32, the same in all threads of a block
        self.locals: list[str] = []
        self.pairs: list[str] = []
        self.arrays: list[tuple[str, str]] = []  # exchange arrays: name, how an element is written
        self.states: dict[str, str] = {}
        self.step_arrays = 0
        self.outputs = 4

    # ---- writing ----

    def line(self, device: str | None, host: str | None) -> None:
        if device is not None:
            self.device.append("  " * self.indent + device)
        if host is not None:
            self.host.append("  " * self.indent + host)

    def both(self, text: str, mask: str) -> None:
        """A statement of one thread."""
        self.line(on_device(text), f"EACH({mask}) {{ {on_host(text)} }}")

    def fresh(self, prefix: str) -> str:
        self.names += 1
        return f"{prefix}_{self.names}"

    def new_mask(self) -> str:
        self.masks += 1
        return f"m{self.masks - 1}"

    def declare(self, kind: str, name: str, value: str, mask: str) -> None:
        """A private variable. On the host declarations stand at the top, see text()."""
        self.line(f"{kind} {name} = {on_device(value)};", f"EACH({mask}) {name}[t] = {on_host(value)};")
        self.host_declarations.append(f"static {kind} {name}[{SLOTS}];")

    # ---- expressions: @x@ is a private variable ----

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

    # ---- exchange arrays ----

    def normalise(self, wanted: dict[str, str]) -> None:
        """Brings the arrays back to the states of another place."""
        if self.states != wanted:
            self.line(self.sync, None)
            self.states = dict(wanted)

    def change_state(self) -> None:
        r = self.random
        name, _ = r.choice(self.arrays)
        shift = r.choice([0, 0, 1, 5, 64, 255])
        own = f"(@lin@ + {shift}u) % {SLOTS}u" if shift else "@lin@"
        new = r.choice(["read", "read", "own:" + own, f"own:({SLOTS - 1}u - @lin@)", "add"])
        if self.states[name] != new:
            self.line(self.sync, None)
            self.states[name] = new

    def exchange(self, mask: str) -> None:
        r = self.random
        name, element = r.choice(self.arrays)
        state = self.states[name]
        if state == "read":
            # Often the same few: loads that an optimiser would like to merge over barriers.
            index = r.choice(["0u", "5u", "@lin@"]) if r.random() < 0.4 else f"{self.u32()} % {SLOTS}u"
            self.assign(mask, element.replace("IDX", index))
        elif state == "add":
            target, value = element.replace("IDX", f"{self.u32(1)} % {SLOTS}u"), self.u32(1)
            self.line(on_device(f"atomicAdd(&{target}, {value});"), f"EACH({mask}) {on_host(target)} += {on_host(value)};")
        else:
            self.both(f"{element.replace('IDX', state[4:])} {r.choice(['=', '+=', '^='])} {self.u32()};", mask)

    # ---- statements ----

    def assign(self, mask: str, value: str | None = None) -> None:
        r = self.random
        kind = "u32" if value else r.choices(list(PRIVATE), list(PRIVATE.values()))[0]
        target = self.target(kind)
        if r.random() < 0.15 and self.locals:
            self.both(f"@{r.choice(self.locals)}@[{self.u32(1)} & 7u] = {value or self.u32()};", mask)
        elif r.random() < 0.1 and self.pairs:
            self.both(f"@{r.choice(self.pairs)}@.{r.choice('ab')} {r.choice(['=', '+='])} {value or self.u32()};", mask)
        elif target:
            self.both(f"{target} = {value or self.value(kind)};", mask)

    def assign_uniform(self, mask: str) -> None:
        free = [name for name in self.uniform if name not in self.fixed]
        if free:
            r = self.random
            self.both(f"@{r.choice(free)}@ = {self.uniform_value()} * {r.choice([1, 3])}u + {self.uniform_value()};", mask)

    def sum_up(self, mask: str) -> None:
        """Atomics whose order does not show."""
        r = self.random
        name, operation = r.choice([("Add", "a + b"), ("Xor", "a ^ b"), ("Max", "a > b ? a : b"), ("Or", "a | b")])
        place = {"Add": 0, "Xor": 16, "Max": 32, "Or": 48}[name]
        index, value = f"{place}u + {self.u32(1)} % 16u", self.u32(1)
        if r.random() < 0.5:
            index = f"{place}u + {r.choice(['3u', self.uniform_value() + ' % 16u'])}"
        self.line(on_device(f"atomic{name}(&sums[{index}], {value});"),
                  f"EACH({mask}) {{ u32 &a = sums[{on_host(index)}]; u32 b = {on_host(value)}; a = {operation}; }}")

    def open(self, device: str, host: str) -> None:
        self.line(device, host)
        self.indent += 1

    def close(self, device: str = "}", host: str = "}") -> None:
        self.indent -= 1
        self.line(device, host)

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

    # ---- waiting ----

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

    # ---- putting together ----

    def scoped(self, mask: str, loops: list, together: str) -> None:
        held = {kind: list(names) for kind, names in self.variables.items()}
        uniform = list(self.uniform)
        self.live.append(mask)
        self.depth += 1
        self.statements(mask, loops, together)
        self.depth -= 1
        self.live.pop()
        self.variables, self.uniform = held, uniform

    def statements(self, mask: str, loops: list, together: str) -> None:
        r = self.random
        for _ in range(r.randint(1, 4) if self.depth else self.budget):
            self.statement(mask, loops, together)

    def statement(self, mask: str, loops: list, together: str) -> None:
        r = self.random
        choices = [(self.assign, 6), (self.sum_up, 1), (self.simple_branch, 1)]
        if self.arrays:
            choices.append((self.exchange, 4))
        if self.depth < 4:
            choices += [("branch", 2), ("switch", 0.6), ("loop", 2)]
        choices.append(("leave", 0.8))
        if self.profile in ("steps", "all", "barriers") and self.step_arrays < 4 and self.depth < 3:
            choices.append((self.step_loop, 2))
        if self.waits and together == BLOCK and self.profile != "warps":
            choices += [(self.barrier, 2), ("state", 4), (self.assign_uniform, 1.5), (self.parted_barrier, 0.3)]
        if together == BLOCK:
            choices.append((self.assign_uniform, 0.5))
        if self.waits and together in (BLOCK, WARP) and self.profile != "barriers":
            choices += [(self.shuffle, 2), (self.vote, 1), (self.group, 0.5), (self.warp_exchange, 0.7 if self.arrays else 0)]
        what = r.choices([c for c, _ in choices], [w for _, w in choices])[0]
        if what in ("branch", "switch", "loop", "leave"):
            getattr(self, what)(mask, loops, together)
        elif what == "state":
            if self.arrays:
                self.change_state()
        else:
            what(mask)

    def guards(self, mask: str) -> None:
        """What kernels over arrays begin with."""
        r = self.random
        n, m = self.fill("{n}"), self.fill("{m}")
        for _ in range(r.randint(1, 2)):
            condition = r.choice([
                f"@gid@ >= {n}", f"(i32)@gid@ >= (i32){n}", f"(i32)@gid@ < {m} - 3", f"(u64)@gid@ + 5u > (u64){n}",
                f"@tx@ < 1u || @gid@ + 1u >= {n}", f"(i32)({n} - @gid@) <= 0", f"!(@gid@ < {n} && @tx@ >= 2u)",
                f"(i64)@gid@ - {m} < 0", f"{m} < 0", "@bx@ == 2u",
            ])
            inner = self.new_mask()
            self.open(f"if ({on_device(condition)}) {{",
                      f"{{ bool {inner}[{SLOTS}]; for (int t = 0; t < T; ++t) {inner}[t] = {mask}[t] && ({on_host(condition)});")
            self.line("return;", f"EACH({inner}) {mask}[t] = false;")
            self.close()

    def text(self) -> str:
        r = self.random
        self.host_declarations: list[str] = []
        self.live = ["m0"]
        self.fixed: list[str] = []  # loop counters: read only
        self.one_dimensional = False
        mask = "m0"
        for name, value in (("threads", "blockDim.x * blockDim.y * blockDim.z"),
                            ("lin", "@tx@ + blockDim.x * (@ty@ + blockDim.y * @tz@)"),
                            ("lane", "@lin@ & 31u"), ("blocks", "gridDim.x * gridDim.y * gridDim.z"),
                            ("blk", "@bx@ + gridDim.x * (@by@ + gridDim.y * @bz@)"),
                            ("gid", "@blk@ * @threads@ + @lin@"), ("all", "@blocks@ * @threads@")):
            self.declare("u32", name, value, mask)
        self.simple_index = r.random() < 0.4
        if self.simple_index:  # as people write it; for launches of one dimension
            self.one_dimensional = True
            self.device[-2] = "  u32 gid = blockIdx.x * blockDim.x + threadIdx.x;"
        exchanges = 0
        if self.profile == "map" or r.random() < 0.15:
            self.guards(mask)
        elif self.waits:
            for _ in range(r.randint(0, 3)):
                name = f"S{len(self.arrays)}"
                kind = r.choice(["shared", "shared", "dynamic", "global", "global"])
                if kind == "dynamic" and any(k == "dynamic" for k in self.kinds()):
                    kind = "shared"
                element = f"{name}[IDX]"
                if kind == "shared":
                    self.line(f"__shared__ u32 {name}[{SLOTS}];", None)
                    self.host_declarations.append(f"static u32 {name}[{SLOTS}];")
                elif kind == "dynamic":
                    self.line("extern __shared__ u32 dynamic[];", None)
                    self.host_declarations.append(f"static u32 dynamic[{SLOTS}];")
                    name, element = "dynamic", "dynamic[IDX]"
                else:
                    name = f"exchange#{exchanges}"
                    element = f"exchange[({exchanges}u * @blocks@ + @blk@) * {SLOTS}u + (IDX)]"
                    exchanges += 1
                self.arrays.append((name, element))
                self.states[name] = "read"
                if kind != "global":
                    place = self.fresh("z")
                    self.line(f"for (u32 {place} = lin; {place} < {SLOTS}u; {place} += threads) {name}[{place}] = {place} * 3u;",
                              f"for (u32 i = 0; i < {SLOTS}u; ++i) {name}[i] = i * 3u;")
                    self.states[name] = "fresh"
            if self.arrays:
                self.line(self.sync, None)
                self.states = {name: "read" for name in self.states}
        for kind, count in PRIVATE.items():
            for _ in range(count):
                name = self.fresh("x")
                self.declare(kind, name, self.value(kind), mask)
                self.variables[kind].append(name)
        for _ in range(r.randint(0, 2)):
            name = self.fresh("y")
            self.declare("u32", name, self.uniform_value(provable=True), mask)
            self.uniform.append(name)
        if r.random() < 0.5:
            name = self.fresh("l")
            self.line(f"u32 {name}[8] = {{}};", f"EACH({mask}) memset({name}[t], 0, sizeof {name}[t]);")
            self.host_declarations.append(f"static u32 {name}[{SLOTS}][8];")
            self.locals.append(name)
        if r.random() < 0.4:
            name = self.fresh("o")
            self.line(f"Pair {name} = {{lin, 5}};", f"EACH({mask}) {name}[t] = {{lin[t], 5}};")
            self.host_declarations.append(f"static Pair {name}[{SLOTS}];")
            self.pairs.append(name)
        self.statements(mask, [], BLOCK)
        if self.waits and self.profile != "warps" and r.random() < 0.15:
            self.tail(mask)
        everything = self.variables["u32"] + self.uniform
        self.both(f"out[@gid@ * {self.outputs}u] = " + " ^ ".join(f"@{v}@ * {2 * i + 1}u" for i, v in enumerate(everything)) + ";", mask)
        rest = [f"(u32)@{v}@" for kind in ("i32", "u64", "u16", "u8", "bool") for v in self.variables[kind]]
        self.both(f"out[@gid@ * {self.outputs}u + 1u] = {' + '.join(rest)};", mask)
        rest = [f"bits(@{v}@)" for kind in ("f32", "f64") for v in self.variables[kind]]
        rest += [f"@{v}@[{i}]" for v in self.locals for i in range(8)] + [f"@{v}@.a + (u32)@{v}@.b" for v in self.pairs]
        self.both(f"out[@gid@ * {self.outputs}u + 2u] = {' + '.join(rest)};", mask)
        return self.whole(exchanges)

    def kinds(self) -> list[str]:
        return ["dynamic" if name == "dynamic" else "other" for name, _ in self.arrays]

    def whole(self, exchanges: int) -> str:
        r = self.random
        restrict = " __restrict__ " if self.restrict else " "
        settings = "Settings settings" if self.by_struct else "u32 set_n, i32 set_m, u64 set_w"
        arrays = ["const u32 *{}in", "u32 *{}out", "u32 *{}exchange", "u32 *{}steps", "u32 *{}sums"]
        kernel_arrays = ", ".join(a.format(restrict.lstrip()) for a in arrays)
        host_arrays = ", ".join(a.format("") for a in arrays)
        bound = r.choice(["", "__launch_bounds__(256) "])
        lines = [f"__global__ void {bound}{self.name}({kernel_arrays}, {settings}) {{", *self.device, "}"]
        lines += [f"__attribute__((optnone, noinline)) void {self.name}_block({host_arrays}, {settings}, dim3 gridDim, dim3 blockDim, dim3 block) {{",
                  "  const int T = blockDim.x * blockDim.y * blockDim.z;"]
        geometry = ("tx", "ty", "tz", "bx", "by", "bz")
        lines += [f"  static u32 {', '.join(f'{g}[{SLOTS}]' for g in geometry)};", f"  bool m0[{SLOTS}];"]
        lines += ["  " + declaration for declaration in self.host_declarations]
        lines += ["  for (int t = 0; t < T; ++t) {", "    m0[t] = true;", "    tx[t] = t % blockDim.x;",
                  "    ty[t] = t / blockDim.x % blockDim.y;", "    tz[t] = t / blockDim.x / blockDim.y;",
                  "    bx[t] = block.x, by[t] = block.y, bz[t] = block.z;", "  }"]
        lines += [*self.host, "}"]
        call = "{n, m, w}" if self.by_struct else "n, m, w"
        call = f"Settings{call}" if self.by_struct else call
        names = "data.in.data(), data.out.data(), data.exchange.data(), data.steps.data(), data.sums.data()"
        lines += [
            f"bool check_{self.name}(Geometry g, unsigned seed, u32 n, i32 m, u64 w) {{",
            f"  if ({'g.grid.y * g.grid.z * g.block.y * g.block.z > 1' if self.one_dimensional else 'false'})",
            "    return true;",
            "  int blocks = g.grid.x * g.grid.y * g.grid.z;",
            f"  Data expected = make_data(seed, blocks, {self.outputs}, {exchanges}, {self.step_arrays}), got = expected;",
            "  {", "    Data &data = got;",
            f"    {self.name}<<<g.grid, g.block, {SLOTS * 4}>>>({names}, {call});",
            "    cudaError_t error = cudaDeviceSynchronize();",
            "    if (error != cudaSuccess) {",
            f'      std::printf("{self.name}: %s\\n", cudaGetErrorString(error));', "      return false;", "    }", "  }",
            "  Data &data = expected;",
            "  for (u32 z = 0; z < g.grid.z; ++z) for (u32 y = 0; y < g.grid.y; ++y) for (u32 x = 0; x < g.grid.x; ++x)",
            f"    {self.name}_block({names}, {call}, g.grid, g.block, dim3(x, y, z));",
            f'  return !differ("{self.name}", g, "out", got.out, expected.out) && !differ("{self.name}", g, "exchange", got.exchange, expected.exchange) &&',
            f'         !differ("{self.name}", g, "steps", got.steps, expected.steps) && !differ("{self.name}", g, "sums", got.sums, expected.sums);',
            "}"]
        return "\n".join(lines) + "\n"


GEOMETRIES = [
    ((1, 1, 1), (32, 1, 1)), ((3, 1, 1), (64, 1, 1)), ((2, 1, 1), (100, 1, 1)), ((5, 1, 1), (256, 1, 1)),
    ((1, 1, 1), (1, 1, 1)), ((2, 1, 1), (33, 1, 1)), ((7, 1, 1), (31, 1, 1)), ((2, 2, 1), (8, 8, 1)),
    ((1, 2, 2), (7, 5, 1)), ((2, 1, 1), (5, 3, 4)), ((2, 1, 1), (16, 16, 1)), ((1, 1, 3), (1, 40, 1)), ((9, 1, 1), (128, 1, 1)),
]


def generate(seed: int, count: int) -> str:
    """A program of `count` kernels that returns 0 if all are right and prints those that are not."""
    pick = random.Random(seed)
    parts = ["// Made by generate.py; seed %d, %d kernels.\n" % (seed, count),
             PRELUDE % {"inputs": INPUTS, "slots": SLOTS, "steps": STEPS}]
    main = ["int main() {", "  bool right = true;"]
    for number in range(count):
        name = f"k{seed}_{number}"
        parts.append(Kernel(name, seed * 1000 + number).text())
        flat = [g for g in GEOMETRIES if g[0][1:] == (1, 1) and g[1][1:] == (1, 1)]
        for grid, block in [*pick.sample(flat, 2), *pick.sample(GEOMETRIES, 2)]:
            n = pick.choice([0, 1, 50, 100, 128, 333, 640, 5000])
            m = pick.choice([-5, 0, 3, 60, 1000])
            main.append(f"  right &= check_{name}({{dim3{grid}, dim3{block}}}, {pick.getrandbits(31)}u, {n}u, {m}, {pick.getrandbits(62)}ull);")
    main += ["  return right ? 0 : 1;", "}"]
    return "\n".join(parts + main) + "\n"


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("seed", type=int)
    parser.add_argument("--kernels", type=int, default=10)
    arguments = parser.parse_args()
    print(generate(arguments.seed, arguments.kernels), end="")
