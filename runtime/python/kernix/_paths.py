"""Where the parts of the installed package lie.

The package folder is the root: the plugin, the runtime, the headers and the compiler's config files are below it, in
an installed wheel as in a build tree, where the Python files are links (which is why nothing here resolves links).
"""

import os

ROOT = os.path.dirname(os.path.abspath(__file__))
LIBRARY = os.path.join(ROOT, "lib")
PLUGIN = os.path.join(LIBRARY, "kernix.so")
PLUGIN_FRONT = os.path.join(LIBRARY, "kernix-front.so")
RUNTIME = os.path.join(LIBRARY, "libkernix_runtime.so.0")
INCLUDE = os.path.join(ROOT, "include")
CONFIG = os.path.join(ROOT, "share", "kernix")
