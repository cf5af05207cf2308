#!/usr/bin/env python3
"""Patterns of two substances that diffuse and react (Gray-Scott): two results a step, thousands of steps, a picture.

    04_patterns.py patterns.png [STEPS]       12000 steps; without a picture a few
"""

import sys

import liftgen as lift
import numpy as np

n, m = lift.nat("n"), lift.nat("m")
FEED, KILL = 0.037, 0.06


def laplacian(w):
    return 0.2 * (w[0, 1] + w[1, 0] + w[1, 2] + w[2, 1]) + 0.05 * (w[0, 0] + w[0, 2] + w[2, 0] + w[2, 2]) - w[1, 1]


def around(x):
    return x | lift.pad2(1, 1, lift.wrap) | lift.slide2(3, 1)


@lift.program(u=lift.array(lift.f32, n, m), v=lift.array(lift.f32, n, m))
def react(u, v):
    def cell(u, v):
        a, b = u[1, 1], v[1, 1]
        reacts = a * b * b
        return lift.tuple(a + laplacian(u) - reacts + FEED * (1 - a), b + 0.5 * laplacian(v) + reacts - (FEED + KILL) * b)

    return lift.zip2(around(u), around(v)) | lift.map2(cell) | lift.unzip_n(2)


def seeded(shape):
    """One substance everywhere, the other in a few squares."""
    u, v = lift.empty(shape, lift.f32), lift.empty(shape, lift.f32)
    u[:], v[:] = 1, 0
    for j, i in np.random.default_rng(7).integers(0, np.array(shape) - 8, (30, 2)):
        u[j:j + 8, i:i + 8], v[j:j + 8, i:i + 8] = 0.5, 0.25
    return u, v


def main(picture=None, steps=None, shape=(192, 576)):
    steps = steps or (12000 if picture else 500)
    step = lift.compile(react)
    now, later = seeded(shape), (lift.empty(shape, lift.f32), lift.empty(shape, lift.f32))
    for _ in range(steps):
        step(*now, out=later)
        now, later = later, now
    v = now[1]
    print(f"{steps} steps of {shape[0]} x {shape[1]} cells; the second substance: {v.mean():.4f} on average, at most {v.max():.4f}")
    assert 0.01 < v.max() < 0.5 and np.isfinite(v).all()
    if picture:
        import matplotlib.image
        matplotlib.image.imsave(picture, v, cmap="magma", vmin=0, vmax=0.36)


if __name__ == "__main__":
    main(*sys.argv[1:2], *(int(a) for a in sys.argv[2:3]))
