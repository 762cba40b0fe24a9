"""The exceptions of kernix.

What is wrong with a call is always a KernelError; those that are mistakes of type or value are also the built-in
exception that says so, so that ``except TypeError`` works. Messages are made where the mistake is found, not here.
"""


class KernelError(RuntimeError):
    """A kernel could not be built, loaded or called."""


class KernelTypeError(KernelError, TypeError):
    """A wrong kind of object: type of an argument, dtype of an array, missing or unknown arguments."""


class KernelValueError(KernelError, ValueError):
    """A value out of range: shape, device, launch size, option."""


class Untraceable(KernelTypeError, NotImplementedError):
    """What torch cannot trace, since it is not known before it runs. Its compiler breaks the graph at a NotImplementedError;
    with fullgraph=True, and in other tracers, users see a KernelTypeError."""


class NothingBound(KernelError):
    """A source or a library without bound functions. Users see a KernelError."""


class NoToolkit(KernelError):
    """No CUDA toolkit was found. Users see a KernelError."""


class CompileError(KernelError):
    """The compiler refused a source. ``output`` is what it printed, ``commands`` are the command lines that ran."""

    def __init__(self, message: str, output: str = "", commands: tuple[tuple[str, ...], ...] = ()) -> None:
        super().__init__(message)
        self.output = output
        self.commands = commands
