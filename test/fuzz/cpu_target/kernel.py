"""One random kernel: its statements, what it begins and ends with, and the check that calls it."""

from waits import Waits
from writer import BLOCK, PRIVATE, SLOTS, WARP, on_device, on_host


class Kernel(Waits):
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
