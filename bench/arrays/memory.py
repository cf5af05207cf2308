"""Arrays of numpy beside those of lift.empty, as the arguments of kernels: the residual and a half-sweep of the library at N^3,
in turns. PYTHONPATH=build/release/python python3 bench/arrays/memory.py [N [ROUNDS]]"""

import statistics
import sys
import time

import liftgen as lift
import numpy as np
from liftgen import operators

n, rounds = (int(x) for x in (sys.argv[1:] + ["256", "31"][len(sys.argv) - 1:]))


def made(p, empty):
    values = {}
    for x in p.arguments:
        name = str(x)
        if x.type.is_array:
            values[name] = empty([length.number for length in x.type.shape])
            values[name][...] = 0.5
        else:
            values[name] = 0 if str(x.type) == "i32" else 0.1
    return list(values.values())


def ms(f):
    begin = time.perf_counter()
    f()
    return 1e3 * (time.perf_counter() - begin)


for name in ("residual3d", "smooth3d"):
    p = operators.program(name, cells=(n, n, n))
    kernel = lift.compile(p)
    kinds = {"numpy.empty": lambda shape: np.empty(shape), "lift.empty": lambda shape: lift.empty(shape, lift.f64)}
    arrays = {kind: made(p, empty) for kind, empty in kinds.items()}
    times = {kind: [] for kind in kinds}
    for _ in range(rounds):
        for kind in kinds:
            times[kind].append(ms(lambda: kernel(*arrays[kind])))
    print(f"{name} {n}^3: " + ", ".join(f"{kind} {statistics.median(t):.2f} ms" for kind, t in times.items()))

size = lift.nat("n")
doubled = lift.compile(lift.fun([lift.array(lift.f64, size)], lambda x: x | lift.map(lambda v: 2 * v)))
x, out = lift.empty(n**3, lift.f64), lift.empty(n**3, lift.f64)
new, there = [], []
for _ in range(rounds):
    new.append(ms(lambda: doubled(x)))
    there.append(ms(lambda: doubled(x, out=out)))
print(f"a map over {n}^3 numbers: a new result {statistics.median(new):.2f} ms, out= {statistics.median(there):.2f} ms")
