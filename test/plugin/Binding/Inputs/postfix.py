"""Prints the kernix_instruction arrays of LLVM IR in readable postfix form, one a line, in the module's order."""

import re
import sys

OPERATORS = ["neg", "+", "-", "*", "/", "%", "ceil_div", "min", "max"]  # from opcode 6 on


def word(opcode, parameter, value):
    if opcode == 0:
        return str(value)
    if opcode == 2:
        return f"p{parameter}.size({value})"
    if opcode == 5:
        return "block." + "xyz"[value]
    if opcode >= 6:
        return OPERATORS[opcode - 6]
    return f"p{parameter}" + {1: "", 3: ".rank", 4: ".numel"}[opcode]


for line in sys.stdin:
    if re.match(r"@__kernix_\w+ = .* constant \[\d+ x %struct\.kernix_instruction\]", line):
        code = re.findall(r"kernix_instruction \{ i32 (-?\d+), i32 (-?\d+), i64 (-?\d+) \}", line)
        print(" ".join(word(*map(int, one)) for one in code))
