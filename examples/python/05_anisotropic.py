#!/usr/bin/env python3
"""An operator of one's own that couples one axis a thousand times as strongly as the other: -eps d2u/dy2 - d2u/dx2 + u, and a cross
term. Sweeps cell by cell need the strong axis alone coarsened, which is what a solver does by itself; joined along both axes, they stall. Lines do as well."""

import numpy as np
from liftgen import gmg


def a_of_u(at, eps=1e-3):
    x, y = at.per_spacing("i"), at.per_spacing("j")
    along = x * x * (2 * at.u(0, 0) - at.u(0, -1) - at.u(0, 1))
    across = eps * y * y * (2 * at.u(0, 0) - at.u(-1, 0) - at.u(1, 0))
    corners = 0.25 * 0.01 * x * y * (at.u(1, 1) - at.u(1, -1) - at.u(-1, 1) + at.u(-1, -1))
    return along + across + corners + at.u(0, 0)


def dense(size, eps=1e-3):
    """The same as a matrix, u = 0 beyond the faces by odd reflection: for the judge."""
    n, h = size * size, 1 / size
    m = np.zeros((n, n))
    weights = {(0, 0): 2 / h**2 + 2 * eps / h**2 + 1, (0, -1): -1 / h**2, (0, 1): -1 / h**2, (-1, 0): -eps / h**2, (1, 0): -eps / h**2}
    for dj, di, sign in ((1, 1, 1), (1, -1, -1), (-1, 1, -1), (-1, -1, 1)):
        weights[dj, di] = sign * 0.25 * 0.01 / h**2
    for j in range(size):
        for i in range(size):
            for (dj, di), w in weights.items():
                y, x = j + dj, i + di
                sign = (-1 if y < 0 or y >= size else 1) * (-1 if x < 0 or x >= size else 1)
                m[j * size + i, min(max(y, 0), size - 1) * size + min(max(x, 0), size - 1)] += sign * w
    return m


def main(size=32):
    equation = gmg.equation(gmg.Domain((size, size)), a_of_u)
    f = np.random.default_rng(1).uniform(-1, 1, (size, size))
    both = [[2, 2]] * 2
    cycles = {}
    for name, choices in (("by itself", {}), ("joined along both axes", {"ratios": both}), ("lines", {"ratios": both, "smoother": "lines-i"})):
        report = gmg.solve(equation, f, cycles=60, **choices)
        cycles[name] = len(report.history) - 1 if report.converged else None
        print(f"{name}: {report.reason}")
        if report.converged:
            error = np.abs(report.u.ravel() - np.linalg.solve(dense(size), f.ravel())).max()
            assert error < 1e-7 * np.abs(report.u).max(), error
    assert cycles["by itself"] <= 12 and cycles["lines"] <= 12
    assert cycles["joined along both axes"] is None or cycles["joined along both axes"] > 3 * cycles["by itself"]


if __name__ == "__main__":
    main()
