"""Programs that several tests use, and what numpy makes of the same."""

import liftgen as lift
import numpy as np

n, m = lift.nat("n"), lift.nat("m")


def blur_of(image):
    return (image | lift.pad2(1, 1, lift.clamp) | lift.slide2(3, 1)
            | lift.map2(lambda w: (w[0, 1] + w[1, 0] + w[1, 1] + w[1, 2] + w[2, 1]) / 5))


@lift.program(image=lift.array(lift.f32, n, m))
def blur(image):
    return blur_of(image)


def blurred(image):
    p = np.pad(image, 1, mode="edge")
    return (p[:-2, 1:-1] + p[1:-1, :-2] + p[1:-1, 1:-1] + p[1:-1, 2:] + p[2:, 1:-1]) / np.float32(5)


@lift.program(overwrites=["u"], u=lift.array(lift.f64, n + 2, m + 2), f=lift.array(lift.f64, n, m),
              a=lift.array(lift.f64, n, m), color=lift.index_param("color", 0, 1))
def red_black(u, f, a, color):
    """Half a sweep of Gauss-Seidel for a(x) (mean of the neighbours - u) = f."""
    def cell(position, w, f, a):
        mean = 0.25 * (w[0, 1] + w[1, 0] + w[1, 2] + w[2, 1])
        mine = lift.eq((lift.get(0, position) + lift.get(1, position) + color) % 2, 0)
        return lift.select(mine, mean - f / a, w[1, 1])

    return lift.update(u, [1, 1], lift.zip2(lift.positions([n, m]), u | lift.slide2(3, 1), f, a) | lift.map2(cell))


def red_black_numpy(u, f, a, color):
    i, j = np.indices(f.shape)
    mine = (i + j + color) % 2 == 0
    mean = 0.25 * (u[:-2, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:] + u[2:, 1:-1])
    inside = u[1:-1, 1:-1]
    inside[mine] = (mean - f / a)[mine]
