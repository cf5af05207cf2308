"""The library's operators as functions of arrays: multigrid in one to three dimensions, and programs over columns.

    from liftgen import operators

    res = operators.residual3d(phi, rhs, alpha, beta_i, beta_j, beta_k, a, b_h2inv, boundary="periodic")
    operators.residual(phi, ...)      # as many dimensions as the arrays have beside that of boxes
    tuned = lift.explore(operators.program("residual3d", cells=(256, 256, 256)))

Arrays are boxes.(n + 2 ghost)..., row-major, i the innermost dimension. Arguments come in the order of docs/operators.md,
but those that an operator writes into come last and may be left out: a new array of zeros is then written, and
returned. Kernels are made at the first call with new shapes, and kept.
"""

import functools
import inspect
import itertools
import keyword

import numpy as _numpy

from . import _core
from ._errors import ArgumentError, UserError
from ._kernels import compile, empty

_LIST = {name: (dimensions, summary, formula, choices) for name, dimensions, summary, formula, choices in _core.operators()}
_BASES = {}
for _name in _LIST:
    _BASES.setdefault(_name[:-2] if _name[-2:] in ("1d", "2d", "3d") else _name, []).append(_name)
_OPTIONS = {"boundary": "ghost", "ghost": 1}


def program(name, cells=None, boxes=1, type=_core.f64, boundary="ghost", ghost=1, **choices):
    """An operator's lift.Program, for lift.compile and lift.explore.

    name       "residual3d"; lift.operators.names lists all
    cells      interior cells along each dimension, outermost first; without it a cube of any size
    boxes      how many boxes, with `cells`
    type       lift.f64 or f32
    boundary   "ghost" (zones that the caller fills), "periodic", "dirichlet", ..., as `--bc`
    ghost      cells of a ghost zone
    **choices  of the operator, coefficients="constant"; half_sweeps for half-sweeps. UserError: there is no such one
    """
    return _core.operator_program(name, list(cells or ()), boxes, ghost, type, boundary,
                                  {n.replace("_", "-"): v for n, v in choices.items()})


def _written(p):
    """Arguments that are written and come last: all that may be overwritten but the first."""
    return [_spelled(n) for n in p.overwrites if n != _core.param_name(p.arguments[0])]


def _spelled(name):
    """A name as Python can write it: lambda_."""
    return name + "_" * keyword.iskeyword(name)


def _order(p):
    """The names of arguments in the order of the functions here."""
    written, all_names = _written(p), [_spelled(_core.param_name(x)) for x in p.arguments]
    return [n for n in all_names if n not in written] + written


@functools.lru_cache(None)
def _slopes(name, options):
    """For each dimension of the first array, its length as slope * cells + rest."""
    lengths = [program(name, cells=(n,) * _LIST[name][0], **dict(options)).arguments[0].type.shape for n in (16, 32)]
    return [((b.number - a.number) / 16, 2 * a.number - b.number) for a, b in zip(*lengths)][1:]


@functools.lru_cache(64)
def _kernel(name, shape, type, options):
    cells = []
    for length, (slope, rest) in zip(shape[1:], _slopes(name, options)):
        n = (length - rest) / slope
        if n != int(n) or n < 1:
            raise UserError(f"{name}: a dimension of {length} elements is none of its arrays'; they have {slope:g} n "
                            f"{'+-'[rest < 0]} {abs(rest)} {_core.here()}")
        cells.append(int(n))
    try:
        p = program(name, cells=cells, boxes=shape[0], type=type, **dict(options))
    except UserError as e:
        raise UserError(f"{name}: arrays of {'x'.join(map(str, shape))}, {'x'.join(map(str, cells))} cells: {e} "
                        f"{_core.here()}") from None
    return p, compile(p)


def _call(name, arguments, named):
    choices = {c.replace("-", "_") for c in _LIST[name][3]}
    options = {n: named.pop(n) for n in list(named) if n in choices or n in _OPTIONS}
    first = arguments[0] if arguments else next(iter(named.values()), None)
    dimensions = _LIST[name][0]
    if not isinstance(first, _numpy.ndarray) or first.ndim != dimensions + 1:
        given = f"one of {first.ndim}" if isinstance(first, _numpy.ndarray) else f"a Python {first.__class__.__name__}"
        raise ArgumentError(f"{name}: the first argument is an array of numpy of {dimensions + 1} dimensions, boxes first, but "
                            f"{given} is given {_core.here()}")
    type = _core.f32 if first.dtype == _numpy.float32 else _core.f64
    p, kernel = _kernel(name, first.shape, type, tuple(sorted(options.items())))
    order, written = _order(p), _written(p)
    if len(arguments) > len(order):
        raise ArgumentError(f"{name}: {len(arguments)} arguments are given; it takes {', '.join(order)} {_core.here()}")
    values = dict(zip(order, arguments))
    for n, value in named.items():
        if n not in order:
            raise ArgumentError(f"{name}: there is no argument {n!r}; it takes {', '.join(order)}, and the options "
                                f"{', '.join(sorted({*choices, *_OPTIONS}))} {_core.here()}")
        if n in values:
            raise ArgumentError(f"{name}: the argument {n!r} is given twice {_core.here()}")
        values[n] = value
    for x in p.arguments:
        n = _spelled(_core.param_name(x))
        if n in written and values.get(n) is None:
            values[n] = empty([length.number for length in x.type.shape], type)
            values[n][...] = 0
        if n not in values:
            raise ArgumentError(f"{name}: the argument {n!r} is missing; it takes {', '.join(order)} {_core.here()}")
    results = kernel(*(values[_spelled(_core.param_name(x))] for x in p.arguments))
    if results is not None:
        return results
    changed = [values[_spelled(n)] for n in p.overwrites]
    return changed[0] if len(changed) == 1 else tuple(changed)


def _doc(name, base=None):
    dimensions, summary, formula, choices = _LIST[name]
    lines = [f"{summary[:1].upper()}{summary[1:]}.", ""]
    lines += [f"    {line}" for line in formula.splitlines()]
    forms = [{}] + [{c: v} for c, values in choices.items() for v in values[1:]]
    said = None
    for form in forms:
        try:
            p = program(name, **{c.replace("-", "_"): v for c, v in form.items()})
        except UserError:
            continue  # that choice needs another one
        order = _order(p)
        if order == said:
            continue
        if said is None:
            types = {_spelled(_core.param_name(x)): str(x.type) for x in p.arguments}
            lines += ["", "Arguments, in this order" + (f" ({dimensions}D)" if base else "") + ":", ""]
            for t, group in itertools.groupby(order, key=types.get):
                group = list(group)
                optional = [n for n in group if n in _written(p)]
                lines.append(f"    {', '.join(group)} : {t}" + ("   (written; zeros without it)" if optional else ""))
            said = order
            if p.overwrites and not _written(p):
                lines += ["", f"{', '.join(p.overwrites)} is overwritten, and returned."]
        else:
            lines.append(f"With {', '.join(f'{c}={v!r}' for c, v in form.items())}: {', '.join(order)}.")
    if choices:
        lines += ["", "Choices, the first unless told otherwise: " + "; ".join(
            f"{c.replace('-', '_')}={' | '.join(map(repr, values))}" for c, values in choices.items()) + "."]
    lines += ["", "boundary, ghost: see lift.operators.program. UserError: arrays that do not fit, with the remedy."]
    return "\n".join(lines)


class _Operator:
    """A function whose docstring is made when somebody reads it: that takes the operator's expression."""

    def __init__(self, name, names):
        self.__name__ = self.__qualname__ = name
        self.__module__ = __name__
        self._names = names

    def __call__(self, *arguments, **named):
        name = self._names[0]
        if len(self._names) > 1:
            first = arguments[0] if arguments else next(iter(named.values()), None)
            at = getattr(first, "ndim", 0) - 2
            if not 0 <= at < len(self._names):
                raise ArgumentError(f"{self.__name__}: the first argument is an array of numpy of 2 to 4 dimensions, boxes first, "
                                    f"but {f'one of {at + 2}' if hasattr(first, 'ndim') else f'a Python {type(first).__name__}'}"
                                    f" is given {_core.here()}")
            name = self._names[at]
        return _call(name, arguments, dict(named))

    @property
    def __doc__(self):
        return _doc(self._names[-1], self.__name__ if len(self._names) > 1 else None)

    @property
    def __signature__(self):
        p = program(self._names[-1])
        written = _written(p)
        kind = inspect.Parameter
        return inspect.Signature(
            [kind(n, kind.POSITIONAL_OR_KEYWORD, default=None if n in written else kind.empty) for n in _order(p)] +
            [kind(n, kind.KEYWORD_ONLY, default=value) for n, value in _OPTIONS.items()] +
            [kind(c.replace("-", "_"), kind.KEYWORD_ONLY, default=values[0]) for c, values in _LIST[self._names[-1]][3].items()])

    def __repr__(self):
        return f"<liftgen operator {self.__name__}>"


names = tuple(_LIST)
for _name in names:
    globals()[_name] = _Operator(_name, [_name])
for _name, _forms in _BASES.items():
    globals()[_spelled(_name)] = _Operator(_spelled(_name), _forms)

__all__ = sorted({"names", "program", *names, *map(_spelled, _BASES)})


def __dir__():
    return __all__
