"""Statistics of a photograph, all from one call."""

import sys
from pathlib import Path

import kernix
import numpy as np
import skimage.data

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent))
from example import check, get, parser, put  # noqa: E402

device = parser(__doc__).parse_args().device
image = skimage.data.camera()  # 512 x 512, part of the scikit-image package

module = kernix.load(HERE / "statistics.cu")
mean, deviation, quartiles, histogram = module.statistics(put(image, device))

check(f"mean on {device}", mean, image.mean(), rtol=1e-12)
check("standard deviation", deviation, image.std(), rtol=1e-9)
check("quartiles", quartiles, np.percentile(image, [25, 50, 75], method="inverted_cdf"))
check("histogram", get(histogram), np.bincount(image.reshape(-1), minlength=256))
