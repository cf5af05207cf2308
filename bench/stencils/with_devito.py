"""Devito: operators on its own functions, its optimisation levels, loop blocks searched; chains of steps in its own time
loop with its autotuner. Times are those of its own sections, without what `apply` does before and after."""

import itertools
import os

import numpy as np

from .harness import Absent, Contender, search


def contenders(case, data, expected, budget, threads, log):
    os.environ.update(DEVITO_LANGUAGE="openmp", DEVITO_LOGGING="ERROR", OMP_NUM_THREADS=str(threads))
    try:
        import devito
    except ImportError as e:
        raise Absent(f"{e}; pip install devito") from e
    devito.configuration["autopadding"] = False
    yield search(case, expected, budget, makers(Build(devito, case, data)), log)


def makers(build):
    case = build.case
    sizes = ([None, (8, 8), (16, 16), (4, 128), (32, 32), (8, 64), (16, 256), (2, 256), (64, 64)] if case.rank == 3
             else [None, (32, 4096), (16, 512), (64, 512), (128, 128), (8, 4096)])
    sizes = [s for s in sizes if s is None or max(s) <= case.n]
    if case.steps > 1 and not case.colours:
        yield "its time loop", build.in_time("advanced", False)
        yield "its time loop, its autotuner", build.in_time("advanced", True, blockrelax=True)
        yield "its time loop, rows in blocks, its autotuner", build.in_time("advanced", True, blockrelax=True, blockinner=True)
        yield "its time loop, skewed, its autotuner", build.in_time("advanced", True, blockrelax=True, skewing=True)
        return
    for size, kind in itertools.product(sizes, ["two arrays, guarded", "in place, guarded"] if case.colours else [""]):
        yield (kind + ", " if kind else "") + words(size), build.apart(kind, size)


def words(size):
    return "no blocks" if size is None else f"blocks {size[0]} x {size[1]}"


class Build:
    def __init__(self, devito, case, data):
        self.devito, self.case, self.data = devito, case, data
        self.grid = devito.Grid(shape=(case.n,) * case.rank, dtype=case.dtype)
        self.fields = {}

    def field(self, name, time=False):
        if name not in self.fields:
            make = self.devito.TimeFunction if time else self.devito.Function
            self.fields[name] = make(name=name, grid=self.grid, space_order=2, **({"time_order": 1} if time else {}))
            self.fill(name)
        return self.fields[name]

    def fill(self, name):
        values = self.data.get(name, self.data[self.case.source])
        whole = self.fields[name].data_with_halo
        ghosts = (whole.shape[-1] - self.case.n) // 2 - 1
        part = (slice(ghosts, -ghosts or None),) * self.case.rank
        whole[(Ellipsis, *part)] = values

    def accessor(self, source):
        def at(name, *offsets):
            f = source if name == self.case.source else self.field(name)
            return f[tuple(d + o for d, o in zip(self.grid.dimensions, self.case.in_three(offsets)))]
        return at

    def number(self, x):
        import sympy
        return sympy.Float(x)

    def apart(self, kind, size):
        return lambda: self.make_apart(kind, size)

    def make_apart(self, kind, size):
        """One application an operator call; several steps are several calls."""
        devito, case = self.devito, self.case
        u, second = self.field("u"), self.field("second")
        in_place = kind.startswith("in place")
        pairs = [(u, u)] if in_place else [(u, second), (second, u)]
        colours = (0, 1) if case.colours else (0,)
        operators = {}
        for (at, (read, written)), colour in itertools.product(enumerate(pairs), colours):
            if case.colours and not in_place and at != colour:
                continue
            value, center = case.cell(self.accessor(read), self.number), self.grid.dimensions
            if case.colours:
                mine = devito.CondEq(sum(center) % 2, colour)
                guard = devito.ConditionalDimension(name=f"mine{colour}{at}", parent=center[-1], condition=mine)
                equations = ([] if in_place else [devito.Eq(written[center], read[center])]) + [
                    devito.Eq(written[center], value, implicit_dims=[*center[:-1], guard])]
            else:
                equations = [devito.Eq(written[center], value)]
            options = {"blockrelax": True, "openmp": True} if size else {"openmp": True}
            operators[at, colour] = devito.Operator(equations, name=f"step{at}{colour}", opt=("advanced", options))
        blocks = {} if size is None else dict(zip(("x0_blk0_size", "y0_blk0_size"), size))

        def all_steps():
            seconds = 0.0
            for step in range(case.steps):
                key = (0 if in_place else step % 2, step % 2 if case.colours else 0)
                o = operators[key]
                known = {k: v for k, v in blocks.items() if k in {p.name for p in o.parameters}}
                seconds += seconds_in(o.apply(**known))
            return seconds

        if blocks and not any(p.name in blocks for o in operators.values() for p in o.parameters):
            raise ValueError("it makes no blocks")
        last = u if in_place or case.steps % 2 == 0 else second
        return Contender("Devito", (kind + ", " if kind else "") + words(size), all_steps,
                         lambda: [self.fill("u"), self.fill("second")], lambda: np.asarray(last.data))

    def in_time(self, level, tuned, **options):
        return lambda: self.make_in_time(level, tuned, options)

    def make_in_time(self, level, tuned, options):
        devito, case = self.devito, self.case
        u = self.field("u_in_time", time=True)
        t = self.grid.stepping_dim
        space = self.grid.dimensions

        def at(_, *offsets):
            return u[(t, *(d + o for d, o in zip(space, case.in_three(offsets))))]

        equation = devito.Eq(u[(t + 1, *space)], case.cell(at, self.number))
        operator = devito.Operator([equation], name="in_time", opt=(level, {"openmp": True, **options}))
        last = case.steps - 1
        found = {}
        if tuned:
            operator.apply(time_m=0, time_M=last, autotune="aggressive")
            chosen = (operator._state.get("autotuning") or [{}])[-1].get("tuned", {})
            found = {k: v for k, v in chosen.items() if k != "nthreads"}

        def all_steps():
            return seconds_in(operator.apply(time_m=0, time_M=last, autotune=False, **found))

        chosen = ", ".join([*(["skewed"] if "skewing" in options else []),
                            *(f"{k.replace('_blk0_size', ' in blocks of')} {v}" for k, v in found.items())])
        return Contender("Devito", "its time loop" + (f", {chosen}" if chosen else ""), all_steps, lambda: self.fill("u_in_time"),
                         lambda: np.asarray(u.data[case.steps % 2]))


def seconds_in(summary):
    return sum(section.time for section in summary.values())
