"""Arrays through which threads exchange values, free of races by the states they are in.

At any time an array is read by everybody, or written by each thread in a place of its own, or only added to by atomics;
a barrier lies between (Writer.states).
"""

from expressions import Expressions
from writer import PRIVATE, SLOTS, on_device, on_host


class Exchange(Expressions):
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
