"""Multigrid solvers: write A, get the solver.

    from liftgen import gmg

    box = gmg.Domain((96, 200, 256), spacing=1 / 256)            # cells along k, j, i; arrays are [k][j][i]
    box["k_low"], box["k_high"] = gmg.dirichlet(1.0), gmg.neumann()
    box.periodic("i")                                            # j keeps u = 0 on both faces
    solver = gmg.Solver(gmg.helmholtz(box))
    solver.set("beta_i", lambda k, j, i: 1 + 0.3 * i)            # or an array, or a number
    report = solver.solve(f)
    report.converged, report.u, report.history

docs/solver.md says what there is; the names are those of C++.
"""

import numpy as _numpy

from . import _core  # noqa: I001
from ._errors import ArgumentError, EnvironmentError, UserError  # noqa: A004

_gmg = _core.gmg
Equation, Report = _gmg.Equation, _gmg.Report
Equation.__module__ = Report.__module__ = __name__

__all__ = ["Domain", "Equation", "Point", "Report", "Solver", "dirichlet", "equation", "helmholtz", "neumann", "robin", "solve"]


def __dir__():
    return sorted(__all__)


def _face(g):
    try:
        return float(g) if _numpy.ndim(g) == 0 else _numpy.asarray(g, dtype=float).ravel()
    except (TypeError, ValueError):
        raise ArgumentError(f"gmg: a condition's value is the Python {type(g).__name__} {g!r}; it has to be a number, or an array "
                            f"of numbers {_core.here()}") from None


def dirichlet(g=0.0):
    """u = g at the face: a number, or an array with one for each cell there, of the face's shape."""
    return _gmg.dirichlet(_face(g))


def neumann(g=0.0):
    """du/dn = g, n outwards; g as in dirichlet, per unit of the coordinates."""
    return _gmg.neumann(_face(g))


def robin(a, b, g=0.0):
    """a u + b du/dn = g, n outwards; a and b are numbers, g as in dirichlet."""
    return _gmg.robin(a, b, _face(g))


class Domain(_gmg.Domain):
    """A box of equal cells: `cells` along each of one to three axes, outermost first; `spacing` for all axes or one for
    each, 1 / the cells of the longest axis without it. Faces (box["k_low"]) begin as dirichlet(0).

    UserError: no cells, more than three axes, no such face."""

    def __init__(self, cells, spacing=None):
        cells = [int(n) for n in _numpy.atleast_1d(cells)]
        spacing = 1 / max(max(cells), 1) if spacing is None else spacing
        super().__init__(cells, [float(h) for h in _numpy.broadcast_to(spacing, len(cells))])

    def __setitem__(self, face, condition):
        self.set_face(face, condition)

    @property
    def shape(self):
        """Cells along each axis, outermost first: the shape of arrays of cells."""
        return tuple(self.cells)


class Point:
    """What A is written with, at one cell: `cell(name, offset)`, `face(name, side)` and `number(name)` are coefficients there,
    `per_spacing(axis)` is 1 / the width of a cell. `point`: the cell, which the solver gives."""

    def __init__(self, point):
        self._point = point
        self.cell, self.face, self.number = point.cell, point.face, point.number
        self.per_spacing = point.per_spacing

    def u(self, *offset):
        """The unknown so many cells away, a number for each axis, outermost first; without any `offset`, of the cell."""
        return self._point.u(list(offset))


def equation(domain, a, cells=(), faces=None, numbers=None):
    """A u = f on a `domain`. `a`: a function of a Point; `cells`: names of coefficients at cells; `faces`: axes by the names of those on
    faces, {"beta": "i"}; `numbers`: by name. Or a program of whole arrays (liftgen.load("a.lift")), which says these.

    UserError: an A that is not linear, coefficients that it does not name."""
    if isinstance(a, _core.Program):
        return _gmg.equation_of(a, domain, dict(numbers or {}))
    coefficients = {**{name: None for name in ([cells] if isinstance(cells, str) else cells)}, **(faces or {})}
    return _gmg.equation(domain, coefficients, dict(numbers or {}), lambda point: a(Point(point)))


def helmholtz(domain, a=0.0, b=1.0, variable=True):
    """a alpha u - b div(beta grad u): alpha at cells, beta_k, beta_j, beta_i on faces; without `variable` all are 1. `domain`: a gmg.Domain."""
    return _gmg.helmholtz(domain, a, b, variable)


_CHOICES = ("cycle", "smoother", "bottom", "passes", "corrections")


def _plan(options):
    plan = _gmg.Plan()
    for name, value in options.items():
        if name in _CHOICES:
            plan.choose(name, value)
        elif not name.startswith("_") and name != "choose" and hasattr(plan, name):
            setattr(plan, name, value)
        else:
            known = sorted(n for n in dir(plan) if not n.startswith("_") and n != "choose")
            raise UserError(f"gmg.Solver: there is no choice {name!r}; there are {', '.join([*_CHOICES, *known])}")
    return plan


class Solver:
    """A solver of an equation. Choices by name: cycle="V", steps, smoother, down, up, weight, ratios, bricks, bottom, passes, corrections,
    mixed, inner, plain, tuned, database, full_start (docs/solver.md). With tuned=True, those that are not named, and kernels, are what `tune`
    and `tune_plan` have found for such an equation before, in the `database` (a file; the user's without it). Kernels are made here.

    equation  a gmg.Equation; **plan: the choices. UserError: no such choice, an A that cannot be solved for.
    Arrays are of f64, row by row, of the domain's shape (`shape`), and are never copied."""

    def __init__(self, equation, **plan):
        self._solver = _gmg.Solver(equation, _plan(plan))
        self.equation = equation
        self.shape = tuple(equation.domain.cells)

    def set(self, name, value):
        """`value` is a coefficient (an array, a number, or a function of the position: arrays of coordinates, outermost first) or a
        number of A, by `name`. Returns the solver. UserError: no such `name`, another shape than its cells or faces have."""
        if callable(value):
            value = value(*self._positions(name))
            value = _numpy.ascontiguousarray(_numpy.broadcast_to(value, self._solver.shape(name)), dtype=float)
        self._solver.set(name, value)
        return self

    def _positions(self, name):
        domain, on_faces = self.equation.domain, self.equation.coefficients.get(name)
        shape = self._solver.shape(name)
        axes = "kji"[3 - len(shape):]
        return _numpy.meshgrid(*((_numpy.arange(n) + (0 if axis == on_faces else 0.5)) * domain.spacing(d)
                                 for d, (n, axis) in enumerate(zip(shape, axes))), indexing="ij", sparse=True)

    def solve(self, f, u=None, relative=1e-8, absolute=0.0, cycles=50, norm="rms"):
        """Solves A u = f, an array of f64 of the domain's shape. `u`: the first guess, which becomes the best iterate; a new array, from 0, without it. Returns the
        gmg.Report, whose `u` it is.

        relative, absolute  the residual's norm ("rms" or "max", `norm`) is to fall below relative times its first value, or below
                            absolute
        cycles              at most so many
        UserError: an array of another shape or dtype. An interrupt is a KeyboardInterrupt after the cycle; `u` is the best iterate then, too."""
        u = _numpy.zeros(self.shape) if u is None else u
        report = self._solver.solve(f, u, relative, absolute, cycles, norm)
        report.u = u
        return report

    def apply(self, x):
        """A x, the conditions' values being 0: an array of the domain's shape, as x is."""
        y = _numpy.empty(self.shape)
        self._solver.apply(x, y)
        return y

    def homogeneous(self, f):
        """f less what the conditions' values add: the right-hand side for `linear_operator`. Arrays of the domain's shape."""
        y = _numpy.empty(self.shape)
        self._solver.homogeneous(f, y)
        return y

    def precondition(self, r, cycles=1):
        """What so many `cycles` from 0 make of A z = r, the conditions' values being 0. Arrays of the domain's shape."""
        z = _numpy.empty(self.shape)
        self._solver.precondition(r, z, cycles)
        return z

    def _scipy(self, function):
        try:
            from scipy.sparse.linalg import LinearOperator
        except ImportError:
            raise EnvironmentError("gmg: SciPy is not installed, which LinearOperator is of; pip install scipy") from None
        n = int(_numpy.prod(self.shape))
        return LinearOperator((n, n), dtype=float, matvec=lambda x: function(
            _numpy.ascontiguousarray(x, dtype=float).reshape(self.shape)).ravel())

    def linear_operator(self):
        """A for scipy.sparse.linalg, of flat arrays, the conditions' values being 0. EnvironmentError: no SciPy."""
        return self._scipy(self.apply)

    def preconditioner(self, cycles=1):
        """M for scipy.sparse.linalg: so many `cycles`. EnvironmentError: no SciPy. Sweeps by colours are not symmetric: for gmres and bicgstab rather than cg."""
        return self._scipy(lambda r: self.precondition(r, cycles))

    def tune(self, seconds, database=""):
        """Explores the kernels of a cycle for so many `seconds`, and takes the fastest: a line for each. `database`: that remembers them
        and the plan, for solvers with tuned=True; '' for the user's. An interrupt ends it soon, as a KeyboardInterrupt; what was found until then is taken, and remembered."""
        return self._solver.tune(seconds, database)

    def tune_plan(self, f, seconds, relative=1e-8, database=""):
        """Tries plans near this one on A u = f, from u = 0, for so many `seconds`, and goes on with the one that reached the
        `relative` residual in the least time. `f`: of the domain's shape. A line for each, the one that was taken first. `database`: as in tune."""
        return self._solver.tune_plan(f, relative, seconds, database)


def solve(equation, f, u=None, coefficients=None, relative=1e-8, absolute=0.0, cycles=50, norm="rms", **plan):
    """A solver of the equation with these coefficients (by name, see Solver.set), and its solve of f with the first guess u: a gmg.Report.

    relative, absolute, cycles, norm  of Solver.solve; **plan: choices of gmg.Solver"""
    solver = Solver(equation, **plan)
    for name, value in (coefficients or {}).items():
        solver.set(name, value)
    return solver.solve(f, u, relative, absolute, cycles, norm)
