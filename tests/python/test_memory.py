"""Arrays that liftgen makes."""

import re

import liftgen as lift
import numpy as np
import pytest


def flags(a):
    """What the kernel says of the mapping that a lies in."""
    at, within = a.__array_interface__["data"][0], False
    with open("/proc/self/smaps") as maps:
        for line in maps:
            if m := re.match(r"([0-9a-f]+)-([0-9a-f]+) ", line):
                within = int(m[1], 16) <= at < int(m[2], 16)
            elif within and line.startswith("VmFlags:"):
                return line.split()[1:]
    return []


def test_large_arrays_lie_on_huge_pages_and_begin_at_different_places():
    n = lift.nat("n")
    doubled = lift.compile(lift.fun([lift.array(lift.f64, n)], lambda x: x | lift.map(lambda v: 2 * v)))
    made = [lift.empty((8, 1 << 20), lift.f64), lift.empty(5 << 20, lift.f64), doubled(np.ones(5 << 20))]
    for a in made:
        assert "hg" in flags(a) and a.__array_interface__["data"][0] % 64 == 0
    assert len({a.__array_interface__["data"][0] % 4096 for a in made}) == 3
    assert (made[2] == 2).all() and not made[0].any()
    view = made[2][7:]
    del made
    assert (view == 2).all()  # which keeps its memory
    small = lift.empty(1000, lift.f32)
    assert small.__array_interface__["data"][0] % 64 == 0


def test_more_memory_than_there_is_is_refused():
    with pytest.raises(lift.UserError, match="an array of .* MB does not fit"):
        lift.empty(1 << 45, lift.f64)
