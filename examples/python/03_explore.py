#!/usr/bin/env python3
"""Exploring, and using again what was found: at a later start, at other sizes, from a derivation that was kept.

With --full at the size and for the time that one would take in earnest.
"""

import sys
import tempfile
from pathlib import Path

import liftgen as lift
import numpy as np

n, m = lift.nat("n"), lift.nat("m")


@lift.program(image=lift.array(lift.f32, n, m), strength=lift.f32)
def sharpen(image, strength):
    def pixel(w):
        mean = (w[0, 1] + w[1, 0] + w[1, 2] + w[2, 1]) / 4
        return w[1, 1] + strength * (w[1, 1] - mean)

    return image | lift.pad2(1, 1, lift.clamp) | lift.slide2(3, 1) | lift.map2(pixel)


def main(full=False):
    folder = Path(tempfile.mkdtemp(prefix="liftgen-example-"))
    image = np.random.default_rng(1).random((4000, 6000) if full else (200, 300), np.float32)
    limits = {"budget": 60} if full else {"budget": 60, "configurations": 4, "rivals": False}

    # Sizes follow from the data, on which the variants are compared, too. Left out, `database` is the user's.
    tuned = lift.explore(sharpen, data={"image": image, "strength": 0.5}, database=folder / "found.db", **limits)
    print(tuned.leaderboard(5))
    print(tuned.steps)
    tuned.report(folder / "sharpen.html")
    sharp = tuned.kernel()(image, 0.5)

    # A later start finds it without searching; compile(tuned=True) takes it, also near these sizes.
    known = lift.explore(sharpen, sizes=tuned.sizes, unless_known=True, database=folder / "found.db")
    print(f"known: {known.origin}")
    kernel = lift.compile(sharpen, tuned=True, database=folder / "found.db")
    assert (kernel(image, 0.5) == sharp).all()

    # To be kept: the derivation, a few lines that make the same kernel again, and the C text.
    (folder / "sharpen.derivation").write_text(tuned.derivation)
    (folder / "sharpen.c").write_text(tuned.source)
    again = lift.compile(sharpen, derivation=(folder / "sharpen.derivation").read_text())
    assert again.derivation(tuned.sizes) == tuned.derivation and (again(image, 0.5) == sharp).all()
    print(f"report, derivation and C text: {folder}")


if __name__ == "__main__":
    main("--full" in sys.argv[1:])
