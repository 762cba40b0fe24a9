"""The two texts of a kernel, CUDA and plain C++, and how a statement gets into both.

An expression writes a private variable as @x@: `x` in the kernel, `x[t]` where the host runs all threads.
"""

import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))
from text import Text  # noqa: E402

SLOTS = 256  # elements of an exchange array per block: the largest block
INPUTS = 509  # elements of the read-only input
STEPS = 4096  # elements that a step loop may write, per block or grid

# How wide the region is in which the statement's threads are sure to be together.
BLOCK, WARP, GROUP, ALONE = "block", "warp", "group", "alone"

PRIVATE = {"u32": 4, "i32": 2, "u64": 1, "u16": 1, "u8": 1, "f32": 1, "f64": 1, "bool": 1}
BUILTIN = {
    "tx": "threadIdx.x", "ty": "threadIdx.y", "tz": "threadIdx.z",
    "bx": "blockIdx.x", "by": "blockIdx.y", "bz": "blockIdx.z",
}


def on_device(expression: str) -> str:
    return re.sub(r"@(\w+)@", lambda m: BUILTIN.get(m[1], m[1]), expression)


def on_host(expression: str) -> str:
    return re.sub(r"@(\w+)@", lambda m: m[1] + "[t]", expression)


class Writer(Text):
    between = "_"

    def __init__(self, name: str, seed: int):
        super().__init__(seed)
        self.name = name
        self.device: list[str] = []
        self.host: list[str] = []
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

    def line(self, device: str | None, host: str | None) -> None:
        if device is not None:
            self.device.append(self.indented(device))
        if host is not None:
            self.host.append(self.indented(host))

    def both(self, text: str, mask: str) -> None:
        """A statement of one thread."""
        self.line(on_device(text), f"EACH({mask}) {{ {on_host(text)} }}")

    def new_mask(self) -> str:
        self.masks += 1
        return f"m{self.masks - 1}"

    def declare(self, kind: str, name: str, value: str, mask: str) -> None:
        """A private variable. On the host declarations stand at the top, see text()."""
        self.line(f"{kind} {name} = {on_device(value)};", f"EACH({mask}) {name}[t] = {on_host(value)};")
        self.host_declarations.append(f"static {kind} {name}[{SLOTS}];")

    def open(self, device: str, host: str) -> None:
        self.line(device, host)
        self.indent += 1

    def close(self, device: str = "}", host: str = "}") -> None:
        self.indent -= 1
        self.line(device, host)
