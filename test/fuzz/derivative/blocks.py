"""Random kernels whose threads work together: tiles in shared memory, barriers, reductions, scans, warp shuffles.

All threads of a block come to every barrier, in control flow that is the same for all; between barriers each goes its own
way, as in kernel.py.
"""

from kernel import LOCAL_KINDS, Kernel
from writer import Scope

SIZE = 32  # threads of a block


class BlockKernel(Kernel):
    kinds = LOCAL_KINDS
    guard = ""

    def __init__(self, seed: int) -> None:
        super().__init__(seed, long_loops=False)

    def prepare(self) -> None:
        self.updates = False
        self.budget = self.random.randint(2, 8)

    def _body(self) -> None:
        r = self.random
        self.emit(f"__shared__ double tile[{SIZE}], other[{SIZE}], few[4];")
        self.emit("const int t = threadIdx.x;")
        scope = Scope(integers=["t"])
        for _ in range(r.randint(2, 3)):
            self.declare(scope)
        for _ in range(r.randint(1, 4)):
            self.phase(scope)
            while self.budget > 0 and r.random() < 0.6:
                self.statement(scope)
        self.store(scope)
        if self.adds:
            self.emit(f"atomicAdd(&s[{self.index(scope, 4)}], {self.real(scope)});")
        self.emit("@RETURN;")

    def phase(self, scope: Scope, depth: int = 0) -> None:
        r = self.random
        if depth < 2 and r.random() < 0.25:
            return self.around(scope, depth)
        kinds = [self.exchange, self.reduction, self.scan, self.shuffle, self.warp_sum, self.counted, self.rewritten]
        r.choices(kinds, [4, 2, 1, 2, 1, 1, 1])[0](scope)
        return None

    def around(self, scope: Scope, depth: int) -> None:
        """A loop or a branch that all threads take alike."""
        r = self.random
        if r.random() < 0.6:
            counter = self.fresh("j")
            bound = r.choice([str(r.randint(1, 3)), "(k[0] % 4)", "(k[1] % 3 + 1)"])
            self.emit(f"for (int {counter} = 0; {counter} < {bound}; ++{counter}) {{")
            inner = scope.inner(False)  # nobody leaves it alone
            inner.integers.append(counter)
        else:
            self.emit(f"if (k[{r.randrange(3)}] % 2 == 0) {{")
            inner = scope.inner()
        self.indent += 1
        for _ in range(r.randint(1, 2)):
            self.phase(inner, depth + 1)
            if r.random() < 0.5:
                self.statement(inner)
        self.indent -= 1
        self.emit("}")

    def sync(self) -> None:
        self.emit("__syncthreads();")

    def fill(self, scope: Scope, tile: str, place: str = "t") -> None:
        self.emit(f"{tile}[{place}] = damp({self.real(scope, 1)});")
        self.sync()

    def elsewhere(self) -> str:
        """An element that another thread has written."""
        r = self.random
        return r.choice([f"(t + {r.randrange(1, SIZE)}) % {SIZE}", f"{SIZE - 1} - t", f"t ^ {r.randrange(1, SIZE)}", str(r.randrange(SIZE))])

    def exchange(self, scope: Scope) -> None:
        r = self.random
        tile = r.choice(["tile", "other"])
        self.fill(scope, tile, r.choice(["t", "t", f"{SIZE - 1} - t", f"(t + {r.randrange(SIZE)}) % {SIZE}"]))
        target = self.target(scope)
        parts = [f"{tile}[{self.elsewhere()}]" for _ in range(r.randint(1, 3))]
        if r.random() < 0.3:
            self.emit(f"if (t {r.choice('<>')} {r.randrange(1, SIZE)})")
        self.emit(f"{target} = damp({self.leaf(scope)} + {' * '.join(parts)});")
        self.sync()

    def reduction(self, scope: Scope) -> None:
        r = self.random
        self.fill(scope, "tile")
        halved = self.fresh("h")
        step = r.choice(
            [
                f"tile[t] += tile[t + {halved}];",
                f"tile[t] = tile[t] * 0.5 + sin(tile[t + {halved}]);",
                f"tile[t] *= 1 + 0.25 * tile[t + {halved}];",
                f"@NOTE(tile[t] > tile[t + {halved}]), tile[t] = fmax(tile[t], tile[t + {halved}]);",
            ]
        )
        self.emit(f"for (int {halved} = {SIZE // 2}; {halved} > 0; {halved} /= 2) {{")
        self.emit(f"  if (t < {halved}) {{ {step} }}")
        self.emit("  __syncthreads();")
        self.emit("}")
        self.emit(f"{self.target(scope)} = damp({self.leaf(scope)} + tile[0]);")
        self.sync()

    def scan(self, scope: Scope) -> None:
        r = self.random
        self.fill(scope, "tile")
        off, add = self.fresh("o"), self.fresh("v")
        self.emit(f"for (int {off} = 1; {off} < {SIZE}; {off} *= 2) {{")
        self.emit(f"  double {add} = t >= {off} ? tile[t - {off}] : 0.0;")
        self.emit("  __syncthreads();")
        self.emit(r.choice([f"  tile[t] += {add};", f"  tile[t] = tile[t] + 0.5 * sin({add} * tile[t]);"]))
        self.emit("  __syncthreads();")
        self.emit("}")
        self.emit(f"{self.target(scope)} = damp(tile[{r.choice(['t', self.elsewhere()])}]);")
        self.sync()

    def shuffle(self, scope: Scope) -> None:
        r = self.random
        value = self.real(scope, 1)
        call = r.choice(
            [
                f"__shfl_xor_sync(~0u, {value}, {r.choice([1, 2, 4, 8, 16])})",
                f"__shfl_down_sync(~0u, {value}, {r.randrange(1, 17)})",
                f"__shfl_up_sync(~0u, {value}, {r.randrange(1, 17)}, {r.choice([8, 16, 32])})",
                f"__shfl_sync(~0u, {value}, {r.choice([str(r.randrange(32)), '(t + 5) % 32', '(t * 3 + k[0]) % 32'])})",
            ]
        )
        self.emit(f"{self.target(scope)} = damp({call} + {self.leaf(scope)});")

    def warp_sum(self, scope: Scope) -> None:
        name, half = self.fresh("v"), self.fresh("o")
        self.emit(f"double {name} = damp({self.real(scope, 1)});")
        self.emit(f"for (int {half} = 16; {half} > 0; {half} /= 2)")
        operation = self.random.choice(["{0} += {1};", "{0} = {0} * 0.5 + sin({1});", "{0} *= 1 + 0.25 * {1};"])
        self.emit("  " + operation.format(name, f"__shfl_{self.random.choice(['down', 'xor'])}_sync(~0u, {name}, {half})"))
        scope.doubles.append(name)
        scope.variables.append(name)

    def counted(self, scope: Scope) -> None:
        """Sums that several threads add to."""
        self.emit("if (t < 4)")
        self.emit(f"  few[t] = {self.random.choice(['0', '0.5'])};")
        self.sync()
        self.emit(f"atomicAdd(&few[{self.index(scope, 4)}], 0.1 * sin({self.leaf(scope)}));")
        self.sync()
        self.emit(f"{self.target(scope)} = damp(few[{self.index(scope, 4)}] * {self.leaf(scope)});")
        self.sync()

    def rewritten(self, scope: Scope) -> None:
        """Steps in place: each needs the values that the one before has overwritten."""
        self.fill(scope, "other")
        step, value = self.fresh("j"), self.fresh("v")
        self.emit(f"for (int {step} = 0; {step} < {self.random.choice(['2', '3', '(k[2] % 4)'])}; ++{step}) {{")
        self.emit(f"  double {value} = other[t] * 0.5 + sin(other[(t + 1) % {SIZE}] * other[(t + {SIZE - 1}) % {SIZE}]);")
        self.emit("  __syncthreads();")
        self.emit(f"  other[t] = {value};")
        self.emit("  __syncthreads();")
        self.emit("}")
        self.emit(f"{self.target(scope)} = damp(other[{self.elsewhere()}] + other[t]);")
        self.sync()
