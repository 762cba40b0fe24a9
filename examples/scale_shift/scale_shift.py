"""One kernel, called with an array."""

import sys
from pathlib import Path

import kernix
import numpy as np

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent))
from example import check, get, parser, put  # noqa: E402

device = parser(__doc__).parse_args().device
x = put(np.linspace(-3, 3, 1_000_000, dtype=np.float32), device)

module = kernix.load(HERE / "scale_shift.cu")
y = module.scale_shift(x, a=2.0, b=1.0)

check(f"scale_shift on {device}", get(y), 2.0 * np.sin(get(x).astype(np.float64)) + 1.0, atol=1e-6)
