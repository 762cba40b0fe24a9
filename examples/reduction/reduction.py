"""Total light and brightest pixel of the Hubble Deep Field."""

import sys
from pathlib import Path

import kernix
import numpy as np
import skimage.data

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent))
from example import check, get, parser, put  # noqa: E402

device = parser(__doc__).parse_args().device
picture = skimage.data.hubble_deep_field()  # 872 x 1000 x 3, part of the scikit-image package
light = picture.astype(np.float32).mean(axis=2)

module = kernix.load(HERE / "reduction.cu")
x = put(light, device)
total = module.sum(module.sum(x, blocks=128))
brightest = module.max(module.max(x, blocks=128))

check(f"sum of {light.size} pixels on {device}", get(total), [light.sum(dtype=np.float64)], rtol=1e-6)
check(f"max of {light.size} pixels on {device}", get(brightest), [light.max()])
