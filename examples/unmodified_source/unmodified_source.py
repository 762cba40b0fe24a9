"""Functions of a CUDA source that is not edited, bound by a YAML file; their input is the text of kernix's licence."""

import sys
from pathlib import Path

import kernix
import numpy as np

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent))
from example import check, get, parser, put  # noqa: E402

device = parser(__doc__).parse_args().device
text = (HERE.parents[1] / "LICENSE").read_text(encoding="ascii")

# A call without arrays runs on the module's default target, so it is named here.
module = kernix.load(HERE / "letters.cu", device, config=HERE / "bind.yaml")

status, counts = module.letter_frequency(text)
check(f"letter_frequency on {device}: status", status, 0)
check("letter_frequency: counts", counts, [text.lower().count(chr(ord("a") + i)) for i in range(26)])

characters = put(np.frombuffer(text.encode(), dtype=np.int8), device)
upper = get(module.upper_case(characters)).tobytes().decode()
check(f"upper_case on {device}", upper == text.upper(), True)
