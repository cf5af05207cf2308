#!/usr/bin/env python3
"""A blur of a numpy image, with the result where one wants it."""

import liftgen as lift
import numpy as np

n, m = lift.nat("n"), lift.nat("m")


@lift.program(image=lift.array(lift.f32, n, m))
def blur(image):
    def row(w):
        return w[0] + 2 * w[1] + w[2]

    return (image | lift.pad2(1, 1, lift.clamp) | lift.slide2(3, 1)
            | lift.map2(lambda w: (row(w[0]) + 2 * row(w[1]) + row(w[2])) / 16))


def with_numpy(image):
    p = np.pad(image, 1, mode="edge")
    rows = p[:, :-2] + 2 * p[:, 1:-1] + p[:, 2:]
    return (rows[:-2] + 2 * rows[1:-1] + rows[2:]) / 16


def main():
    y, x = np.mgrid[0:600, 0:800].astype(np.float32)
    image = 0.5 + 0.5 * np.sin(x / 30) * np.cos(y / 20) + np.random.default_rng(1).normal(0, 0.2, x.shape)
    image = image.astype(np.float32)

    kernel = lift.compile(blur)  # compiled at the first call of each shape, and kept
    smooth = kernel(image)  # a new array ...
    out = np.empty_like(image)
    kernel(image, out=out)  # ... or this one: nothing is copied either way

    expected = with_numpy(image)
    print(f"noise {np.std(image - expected):.4f} removed; largest difference from numpy "
          f"{np.abs(smooth - expected).max():.1e}")
    assert np.allclose(smooth, expected, atol=1e-5) and (out == smooth).all()

    try:
        kernel(image[:, ::2])
    except lift.UserError as error:  # never copied silently
        print(f"refused: {error}")


if __name__ == "__main__":
    main()
