"""What generators of random programs have in common: choices from a seed, names that nothing else has, indentation."""

import random


class Text:
    between = ""  # stands in a fresh name before its number

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.indent = 1
        self.names = 0

    def fresh(self, prefix: str) -> str:
        self.names += 1
        return f"{prefix}{self.between}{self.names}"

    def indented(self, text: str) -> str:
        return "  " * self.indent + text
