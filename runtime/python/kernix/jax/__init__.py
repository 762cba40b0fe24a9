"""JAX: bound functions as operations of XLA.

A bound function called with arrays or tracers of JAX is one primitive, whose lowering is a custom call of a handler in the
module itself: no callback into Python. Importing this needs jax; ``import kernix`` does not import it.
"""

from .targets import export_checks, register

__all__ = ["export_checks", "register"]
