"""The errors of liftgen, with the texts that its C++ interface has."""


class Error(Exception):
    """Any of them."""


class UserError(Error, ValueError):
    """What was asked for cannot be met as it stands; the message says what to try."""


class EnvironmentError(Error, OSError):  # noqa: A001: as in C++
    """Something the machine lacks: a compiler, a device, a library."""


class InternalError(Error, RuntimeError):
    """A defect of liftgen."""
