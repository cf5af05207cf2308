#!/usr/bin/env python3
"""A pressure projection: a velocity on the faces of cells loses its divergence, div(grad p / rho) = div v, v -= grad p / rho, in a closed box
with a drop of a fluid ten times as dense. Constants solve A p = 0, since no face has a value: the solver removes means, and says so."""

import numpy as np
from liftgen import gmg


def main(size=48):
    h = 1 / size
    box = gmg.Domain((size, size))
    for face in ("j_low", "j_high", "i_low", "i_high"):
        box[face] = gmg.neumann()
    centre = (np.arange(size) + 0.5) * h
    y, x = np.meshgrid(centre, centre, indexing="ij")
    rho = 1 + 9 / (1 + np.exp(((x - 0.5) ** 2 + (y - 0.4) ** 2 - 0.04) * 150))
    per_rho = {"beta_j": np.ones((size + 1, size)), "beta_i": np.ones((size, size + 1))}  # on faces
    per_rho["beta_j"][1:-1], per_rho["beta_i"][:, 1:-1] = 2 / (rho[1:] + rho[:-1]), 2 / (rho[:, 1:] + rho[:, :-1])

    rng = np.random.default_rng(2)
    vy, vx = rng.uniform(-1, 1, (size + 1, size)), rng.uniform(-1, 1, (size, size + 1))
    vy[0] = vy[-1] = vx[:, 0] = vx[:, -1] = 0  # nothing goes through the walls
    divergence = lambda: (np.diff(vy, axis=0) + np.diff(vx, axis=1)) / h  # noqa: E731

    before = np.abs(divergence()).max()
    report = gmg.solve(gmg.helmholtz(box), -divergence(), coefficients=per_rho, relative=1e-10)
    assert report.converged and any("singular" in note for note in report.notes), report.reason
    vy[1:-1] -= per_rho["beta_j"][1:-1] * np.diff(report.u, axis=0) / h
    vx[:, 1:-1] -= per_rho["beta_i"][:, 1:-1] * np.diff(report.u, axis=1) / h
    after = np.abs(divergence()).max()
    print(f"largest divergence {before:.3g}, after the projection {after:.1e}, in {len(report.history) - 1} cycles")
    assert after < 1e-8 * before


if __name__ == "__main__":
    main()
