#!/usr/bin/env python3
"""In place, on arrays of one's own: red-black Gauss-Seidel for -div(beta grad u) = f in 3D, with variable coefficients
beta at the faces of cells, and the residual's norm from a second kernel."""

import liftgen as lift
import numpy as np

n = lift.nat("n")
padded = lift.array(lift.f64, n + 2, n + 2, n + 2)
cells = lift.array(lift.f64, n, n, n)
faces = {"beta_k": lift.array(lift.f64, n + 1, n, n), "beta_j": lift.array(lift.f64, n, n + 1, n),
         "beta_i": lift.array(lift.f64, n, n, n + 1)}


def windows(u, f, beta_k, beta_j, beta_i):
    """Of each cell: its neighbourhood in u, f, and beta at both of its faces along each axis."""
    return [u | lift.slide3(3, 1), f, beta_k | lift.slide3([2, 1, 1], 1), beta_j | lift.slide3([1, 2, 1], 1),
            beta_i | lift.slide3([1, 1, 2], 1)]


def terms(u, bk, bj, bi):
    """The sum of beta times neighbour, and that of beta."""
    low = [(bk[0, 0, 0], u[0, 1, 1]), (bj[0, 0, 0], u[1, 0, 1]), (bi[0, 0, 0], u[1, 1, 0])]
    high = [(bk[1, 0, 0], u[2, 1, 1]), (bj[0, 1, 0], u[1, 2, 1]), (bi[0, 0, 1], u[1, 1, 2])]
    weighted = total = None
    for beta, neighbour in low + high:
        weighted = beta * neighbour if weighted is None else weighted + beta * neighbour
        total = beta if total is None else total + beta
    return weighted, total


@lift.program(overwrites=["u"], u=padded, f=cells, **faces, h2=lift.f64, color=lift.index_param("color", 0, 1))
def half_sweep(u, f, beta_k, beta_j, beta_i, h2, color):
    def cell(position, u, f, bk, bj, bi):
        weighted, total = terms(u, bk, bj, bi)
        k, j, i = position
        mine = lift.eq((k + j + i + color) % 2, 0)
        return lift.select(mine, (weighted + h2 * f) / total, u[1, 1, 1])

    # The cells of one colour read the other colour only, and liftgen proves it: that is why the update may be in
    # place and its loops parallel.
    inside = lift.zip3(lift.positions([n, n, n]), *windows(u, f, beta_k, beta_j, beta_i)) | lift.map3(cell)
    return lift.update(u, [1, 1, 1], inside)


@lift.program(u=padded, f=cells, **faces, h2=lift.f64)
def squares_of_residual(u, f, beta_k, beta_j, beta_i, h2):
    def cell(u, f, bk, bj, bi):
        weighted, total = terms(u, bk, bj, bi)
        r = f - (total * u[1, 1, 1] - weighted) / h2
        return r * r

    squares = lift.zip3(*windows(u, f, beta_k, beta_j, beta_i)) | lift.map3(cell)
    return squares | lift.map(lambda plane: plane | lift.map(lift.sum()) | lift.sum()) | lift.sum()


def sweep_with_numpy(u, f, beta_k, beta_j, beta_i, h2, color):
    k, j, i = np.indices(f.shape)
    mine = (k + j + i + color) % 2 == 0
    weighted = (beta_k[:-1] * u[:-2, 1:-1, 1:-1] + beta_k[1:] * u[2:, 1:-1, 1:-1]
                + beta_j[:, :-1] * u[1:-1, :-2, 1:-1] + beta_j[:, 1:] * u[1:-1, 2:, 1:-1]
                + beta_i[:, :, :-1] * u[1:-1, 1:-1, :-2] + beta_i[:, :, 1:] * u[1:-1, 1:-1, 2:])
    total = (beta_k[:-1] + beta_k[1:] + beta_j[:, :-1] + beta_j[:, 1:] + beta_i[:, :, :-1] + beta_i[:, :, 1:])
    u[1:-1, 1:-1, 1:-1][mine] = ((weighted + h2 * f) / total)[mine]


def main(size=12):
    rng = np.random.default_rng(3)
    u = np.zeros((size + 2,) * 3)
    f = np.ones((size,) * 3)
    beta = {name: 1 + 0.5 * rng.random([length + (axis == "kji".index(name[-1])) for axis, length in
                                        enumerate(f.shape)]) for name in faces}
    h2 = 1.0 / (size + 1) ** 2
    smooth, squares = lift.compile(half_sweep), lift.compile(squares_of_residual)

    expected, memory = u.copy(), u.__array_interface__["data"][0]
    before = squares(u, f, **beta, h2=h2) ** 0.5
    for half in range(80):
        smooth(u, f, **beta, h2=h2, color=half % 2)
        sweep_with_numpy(expected, f, **beta, h2=h2, color=half % 2)
    after = squares(u, f, **beta, h2=h2) ** 0.5
    difference = np.abs(u - expected).max()
    print(f"residual {before:.4g}, after 40 sweeps {after:.4g}; largest difference from numpy {difference:.1e}")
    assert difference < 1e-14 and after < 0.5 * before and u.__array_interface__["data"][0] == memory


if __name__ == "__main__":
    main()
