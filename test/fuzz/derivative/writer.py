"""Where the text of a kernel goes, and what is in scope at each place."""

import sys
from dataclasses import dataclass, field
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))
from text import Text  # noqa: E402

# Elements of the kernel's arrays: a thread's, or, of the last two, everybody's.
INPUTS, INTEGERS, OUTPUTS, UPDATED = 5, 3, 2, 3
WEIGHTS, ADDED = 4, 4


@dataclass
class Scope:
    """What a statement may use."""

    doubles: list[str] = field(default_factory=list)  # readable
    variables: list[str] = field(default_factory=list)  # assignable
    arrays: dict[str, int] = field(default_factory=dict)
    pairs: list[str] = field(default_factory=list)
    records: list[str] = field(default_factory=list)
    pointers: dict[str, int] = field(default_factory=dict)  # elements that may be reached
    integers: list[str] = field(default_factory=list)
    counters: list[str] = field(default_factory=list)  # integers that may be assigned
    grids: list[str] = field(default_factory=list)  # double[2][3]
    many: list[str] = field(default_factory=list)  # Q[3]
    nested: list[str] = field(default_factory=list)  # H
    vectors: list[str] = field(default_factory=list)  # V3
    fours: list[str] = field(default_factory=list)  # double4
    flags: list[str] = field(default_factory=list)
    exits: list[str] = field(default_factory=list)  # labels after the loops around
    in_loop: bool = False

    def inner(self, in_loop: bool | None = None) -> "Scope":
        copies = {name: value.copy() for name, value in vars(self).items() if name != "in_loop"}
        return Scope(**copies, in_loop=self.in_loop if in_loop is None else in_loop)


class Writer(Text):
    """One program."""

    def __init__(self, seed: int, *, long_loops: bool = True) -> None:
        super().__init__(seed)
        self.seed = seed
        self.long_loops = long_loops
        self.budget = self.random.randint(4, 22)
        self.trips = 1
        self.lines: list[str] = []
        self.labels: set[str] = set()
        self.updates = self.random.random() < 0.3  # z is read and written
        self.adds = self.random.random() < 0.25  # s is added to

    def emit(self, text: str) -> None:
        self.lines.append(self.indented(text))
