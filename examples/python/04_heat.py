#!/usr/bin/env python3
"""Heat in a plate, backward Euler: (u - old) / dt = div(k grad u), k varying, one solve a step. The solver is set up once; each
step begins with the last one's temperatures. One edge is held at 1, the others are insulated, so that all becomes 1."""

import numpy as np
from liftgen import gmg


def main(size=48, steps=12, dt=0.5):
    box = gmg.Domain((size, size))
    for face in ("j_low", "j_high", "i_high"):
        box[face] = gmg.neumann()
    box["i_low"] = gmg.dirichlet(1.0)
    solver = gmg.Solver(gmg.helmholtz(box, a=1 / dt, b=1))  # u / dt - div(k grad u)
    solver.set("alpha", 1.0)
    for axis in "ji":
        solver.set(f"beta_{axis}", lambda y, x: 0.3 + 0.2 * np.sin(6 * x) * np.cos(4 * y))
    u = np.zeros((size, size))
    coldest, cycles = [], 0
    for _ in range(steps):
        report = solver.solve(u / dt, u.copy(), relative=1e-9)
        assert report.converged, report.reason
        u, cycles = report.u, cycles + len(report.history) - 1
        coldest.append(u.min())
    print(f"{steps} steps, {cycles} cycles; the coldest cell: {coldest[0]:.3f} after one step, {coldest[-1]:.3f} in the end")
    assert all(a < b for a, b in zip(coldest, coldest[1:])) and u.max() < 1 and coldest[-1] > 0.5


if __name__ == "__main__":
    main()
