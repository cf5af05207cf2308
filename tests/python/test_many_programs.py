"""A host that compiles and explores one program after the other: what stays is the programs' own expressions."""

import liftgen as lift
import numpy as np
from liftgen import _core


def program(k):
    n = lift.nat("n")
    return lift.fun(
        [lift.array(lift.f64, n)],
        lambda xs: xs | lift.pad(1, 1, lift.clamp) | lift.slide(3, 1) | lift.map(lambda w: w[0] * (k + 0.25) + w[1] + w[2] * (k + 0.5)),
    )


def expected(k):
    return [3 * k + 2.25, 4 * k + 3.75, 5 * k + 5.0]


def sweep():
    """All that may go goes; returns how many nodes that were."""
    gone = _core._swept()[1]
    _core._sweep_after(0)
    lift.compile(program(-1))(np.ones(3))  # in a region, which ends
    _core._sweep_after(1 << 62)
    return _core._swept()[1] - gone


def grown(times, f):
    """The nodes that are there after as many calls of f, and those that they made; of a call."""
    after = _core._sweep_after(1 << 62)
    try:
        f(0)  # what is made once
        sweep()
        there = _core._swept()[0]
        for k in range(1, times + 1):
            f(k)
        made = _core._swept()[0] - there
        return (made - sweep()) / times, made / times
    finally:
        _core._sweep_after(after)


def test_what_compiling_makes_goes():
    def compiled(k):
        kernel = lift.compile(program(200 + k))
        assert list(kernel(np.array([1.0, 2, 3]))) == expected(200 + k)

    own, _ = grown(10, lambda k: program(100 + k))
    left, made = grown(10, compiled)
    assert made > own + 50
    assert left < own + 20


def test_what_explorations_make_goes():
    def explored(k):
        lift.explore(program(400 + k), sizes={"n": 1000}, budget=0.3, configurations=3, rivals=False, database="none")

    own, _ = grown(2, lambda k: program(300 + k))
    left, made = grown(2, explored)
    assert made > own + 500
    assert left < own + 60


def test_kernels_and_what_was_found_outlive_it():
    after = _core._sweep_after(0)
    try:
        kernels = [lift.compile(program(500 + k)) for k in range(3)]
        first = [list(k(np.array([1.0, 2, 3]))) for k in kernels]
        found = lift.explore(program(510), sizes={"n": 1000}, budget=0.3, configurations=3, rivals=False, database="none")
        for k in range(3):
            lift.compile(program(520 + k))(np.ones(4))
        assert first == [list(k(np.array([1.0, 2, 3]))) for k in kernels] == [expected(500 + k) for k in range(3)]
        assert kernels[0].source({"n": 3})
        assert found.leaderboard() and found.source
        assert list(found.kernel()(np.array([1.0, 2, 3]))) == expected(510)
    finally:
        _core._sweep_after(after)
