"""Random kernels over 16-bit numbers: x, w and y are of such a type, and some variables; the rest is computed in double.

The same program over double is what its gradients are compared with, in threads that take the same decisions.
"""

from kernel import LOCAL_KINDS, Kernel
from writer import Scope

TYPES = {"__half": "float16", "__nv_bfloat16": "bfloat16"}


class NarrowKernel(Kernel):
    kinds = {**LOCAL_KINDS, "early": 0.8, "narrow": 4}

    def __init__(self, seed: int) -> None:
        super().__init__(seed, long_loops=False)

    def prepare(self) -> None:
        self.updates = self.adds = False
        self.type = self.random.choice([*TYPES])
        self.budget = self.random.randint(3, 10)

    def source(self) -> str:
        """f and its twin t over 16-bit numbers, d and its twin u over double."""
        differentiable = "[[kernix::bind, kernix::differentiable]]"
        return (
            self._kernel(f"f{self.seed}", differentiable, traced=False, storage=self.type)
            + self._kernel(f"t{self.seed}", "[[kernix::bind]]", traced=True, storage=self.type)
            + self._kernel(f"d{self.seed}", differentiable, traced=False, storage="double")
            + self._kernel(f"u{self.seed}", "[[kernix::bind]]", traced=True, storage="double")
        )

    def do_narrow(self, scope: Scope) -> None:
        """A few operations in 16 bits."""
        r = self.random
        name = self.fresh("h")
        a, b = f"narrow<S>({self.leaf(scope)})", f"narrow<S>({self.leaf(scope)})"
        self.emit(f"S {name} = {a};")
        for _ in range(r.randint(1, 3)):
            self.emit(
                r.choice(
                    [
                        f"{name} = {name} * {b};",
                        f"{name} += {b};",
                        f"{name} = {name} - {b} * {a};",
                        f"{name} = {name} / (narrow<S>(1.5) + {a} * {a});",
                        f"{name} = -{name};",
                    ]
                )
            )
        self.emit(f"{self.target(scope)} = damp(wide({name}));")
