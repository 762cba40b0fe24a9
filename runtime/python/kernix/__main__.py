"""python -m kernix"""

import sys

from .cli import main

sys.exit(main())
