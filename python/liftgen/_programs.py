"""Programs: expressions over named arguments, from Python and from text."""

import inspect
import os

from . import _core
from ._errors import UserError
from ._expressions import _expr, param

Program = _core.Program


def program(overwrites=(), results=(), name=None, **types):
    """A decorator: a function of expressions becomes a program, whose arguments are called as the function's.

        @lift.program(image=lift.array(lift.f32, n, m))
        def blur(image):
            return image | ...

    Arguments are of the given types; one may also be given as a param, such as lift.index_param("color", 0, 1).
    `results` and `name` name the results and the program, which has the function's name without.
    UserError: a function of other arguments than `types` has.
    `overwrites` names arguments whose old contents nobody needs: results that update them are written into them.
    """
    def made(f):
        names = list(inspect.signature(f).parameters)
        if sorted(names) != sorted(types):
            raise UserError(f"{f.__name__}: its arguments are {', '.join(names)}, but types are given for "
                            f"{', '.join(types)}; give each argument its type {_core.here()}")
        arguments = [types[n] if isinstance(types[n], _core.Expr) else param(n, types[n]) for n in names]
        return Program(name or f.__name__, arguments, _expr(f(*arguments)), list(overwrites), list(results))
    return made


def load(path, sizes=None):
    """The program in the .lift file at `path` (docs/lift-language.md); `sizes` become numbers, the others stay open.

    UserError: a mistake in the file, with its line and column; no such file."""
    return _core.load(os.fspath(path), sizes or {})


def parse(text, name="program", sizes=None):
    """The program in a `text` as a .lift file has it; `name` is its name, `sizes` become numbers, the others stay open.

    UserError: a mistake in it, with its line and column."""
    return _core.parse(text, name, sizes or {})


def as_program(p, name="", names=(), overwrites=None, device=None):
    """A program as it is; a function expression with its arguments named x, or x1, x2, ..., or by `names`."""
    if isinstance(p, Program):
        if names:
            raise UserError(f"{p.name}: the arguments of a program have names; leave out names= {_core.here()}")
        if overwrites is None and not name:
            return p
        return Program(name or p.name, p.arguments, p.body,
                       list(p.overwrites if overwrites is None else overwrites))
    if not isinstance(p, _core.Expr):
        raise UserError(f"a lift program or function is needed, but a Python {type(p).__name__} is given; write "
                        f"lift.fun(type, f), or @lift.program(...) above the function {_core.here()}")
    return _core.opened(p, name or ("program" if device else ""), list(names), list(overwrites or ()))
