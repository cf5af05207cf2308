"""The errors of liftgen, with the texts that its C++ interface has."""

import builtins


class Error(Exception):
    """Any error of liftgen."""


class UserError(Error, ValueError):
    """What was asked for cannot be met as it stands; the message says what was asked, where, and what to try."""


class ArgumentError(UserError, builtins.TypeError):
    """A Python value of a type that does not fit: a UserError, and a TypeError, too."""


class EnvironmentError(Error, OSError):  # noqa: A001: as in C++
    """Something the machine lacks: a compiler, a device, a library; the message says how to get it."""


class InternalError(Error, RuntimeError):
    """A defect of liftgen; the message has what a report of it needs."""


for _error in (Error, UserError, ArgumentError, EnvironmentError, InternalError):
    _error.__module__ = "liftgen"  # as scripts name them, and pickles
del _error
